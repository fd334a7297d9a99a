//! `[flow.sctp]`: what it has beyond the settings of the protocol, whose table stands beside its configuration, and what
//! it says unless a file does.

use anabranch_base::field;
use anabranch_base::setting::{Kind, Named, Setting};
use anabranch_sctp::config::{Config, Encapsulation};
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;

use crate::model::{HandshakeMode, Multipath, Sctp};

/// The settings that are not the protocol's, each behind the key that it follows in documents.
pub(crate) static OWN_SETTINGS: [(&str, Setting<Sctp>); 3] = [
    (
        "encapsulation",
        field!(
            multipath,
            Scenarios,
            Multipath::KIND,
            "use of several paths; `cmt`: concurrent multipath transfer, new data on all paths; `off`: \
             primary path and failover; `appstripe`: see below"
        ),
    ),
    ("strict_window", field!(ordered, Scenarios, Kind::Boolean, "whether messages are delivered in order")),
    (
        "failover.quick",
        field!(
            handshake,
            Scenarios,
            HandshakeMode::KIND,
            "`off`: the association is open from the start, with all paths confirmed"
        ),
    ),
];

impl Named for Multipath {
    const WHAT: &'static str = "use of several paths";
    const NAMES: &'static [(&'static str, Multipath)] =
        &[("off", Multipath::Off), ("cmt", Multipath::Cmt), ("appstripe", Multipath::AppStripe)];
    const PLANNED: &'static [&'static str] = &["ipcc"];
}

impl Named for HandshakeMode {
    const WHAT: &'static str = "handshake";
    const NAMES: &'static [(&'static str, HandshakeMode)] =
        &[("on", HandshakeMode::On), ("off", HandshakeMode::Off)];
}

/// Whether the setting called `key` is of rules that the way in which several paths are used does not have.
pub(crate) fn has_cmt(key: &str, multipath: Multipath) -> bool {
    multipath == Multipath::Cmt || !key.starts_with("cmt.")
}

/// What a scenario makes of a profile: SCTP on IP itself, and all paths at once by all rules of CMT, in the profile's order
/// of arrival.
pub(crate) fn defaults(profile: Config) -> Sctp {
    let mut config = Config { encapsulation: Encapsulation::None, ..profile };
    config.set_sender_cmt(CmtRules { by_departure: config.cmt.by_departure, ..CmtRules::ALL });
    Sctp { config, multipath: Multipath::Cmt, ordered: true, handshake: HandshakeMode::On }
}
