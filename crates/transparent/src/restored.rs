//! The reports of parts that other programs removed.

use std::fmt;

/// A part of a capture that was missing and is there again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Restored {
    /// The table that leads flows to the capture.
    Table,
    /// The table that drops what goes beside a strict capture.
    StrictTable,
    /// The ip rule of a family.
    Rule {
        /// True for IPv6, false for IPv4.
        is_ipv6: bool,
    },
    /// The route of a family.
    Route {
        /// True for IPv6, false for IPv4.
        is_ipv6: bool,
    },
    /// The rules for control groups, of which one was made anew.
    Cgroups,
    /// A part is missing, and cannot be restored for this reason. It is tried again each second.
    Failed(String),
}

impl fmt::Display for Restored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let family = |is_ipv6: bool| if is_ipv6 { "IPv6" } else { "IPv4" };
        match self {
            Restored::Table => {
                f.write_str("restored the nftables table inet anabranch, which another program removed")
            }
            Restored::StrictTable => f.write_str(
                "restored the nftables table inet anabranch_strict, which another program changed",
            ),
            Restored::Rule { is_ipv6 } => {
                write!(f, "restored the ip rule of {}, which another program removed", family(*is_ipv6))
            }
            Restored::Route { is_ipv6 } => {
                write!(
                    f,
                    "restored the route through lo of {}, which another program removed",
                    family(*is_ipv6)
                )
            }
            Restored::Cgroups => f.write_str("a control group was made anew: its flows are carried again"),
            Restored::Failed(reason) => write!(f, "flows may go beside: {reason}"),
        }
    }
}
