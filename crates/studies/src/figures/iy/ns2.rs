//! ns-2's curves beside IY's figures.

use anabranch_comparisons::ns2::{Ns2Transfers, TableError};

use super::super::beside_ns2::Ns2Curves;

/// CMT's and AppStripe's transfer times, each from a set of ns-2's runs. Both have a window floor of four packets, as ours
/// both have one of two: ns-2's AppStripe can have no other.
pub(super) fn transfers(
    [of_cmt, of_app]: [&str; 2],
    loss: f64,
    is_delayed: bool,
) -> Result<Ns2Curves, TableError> {
    let curve = |(figure, (protocol, name)): (&str, (&str, &'static str))| {
        Ok((name, Ns2Transfers { figure, protocol, loss, is_delayed }.curve()?))
    };
    [(of_cmt, CMT), (of_app, APP)].into_iter().map(curve).collect()
}

/// A protocol of ns-2, and the name of its curve.
const CMT: (&str, &str) = ("CMT", "CMT, ns-2");
const APP: (&str, &str) = ("AppStripe", "AppStripe, ns-2");
