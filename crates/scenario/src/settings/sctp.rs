//! `[flow.sctp]`: its settings beyond those of the protocol, and its defaults.

use anabranch_base::field;
use anabranch_base::setting::{Kind, Named, Setting};
use anabranch_sctp::config::{Config, Encapsulation};
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;

use crate::model::{HandshakeMode, Multipath, Sctp};

/// The settings beyond the protocol's, each with the key that it follows in documents.
pub(crate) static OWN_SETTINGS: [(&str, Setting<Sctp>); 3] = [
    (
        "encapsulation",
        field!(
            multipath,
            Scenarios,
            Multipath::KIND,
            "several paths; `cmt`: new data on all; `off`: primary path and failover; `ipcc`: all, each with its \
             own sequence numbers; `appstripe`: see below"
        ),
    ),
    ("strict_window", field!(ordered, Scenarios, Kind::Boolean, "messages are delivered in order")),
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
    const NAMES: &'static [(&'static str, Multipath)] = &[
        ("off", Multipath::Off),
        ("cmt", Multipath::Cmt),
        ("ipcc", Multipath::Ipcc),
        ("appstripe", Multipath::AppStripe),
    ];
}

impl Named for HandshakeMode {
    const WHAT: &'static str = "handshake";
    const NAMES: &'static [(&'static str, HandshakeMode)] =
        &[("on", HandshakeMode::On), ("off", HandshakeMode::Off)];
}

/// Returns true if the setting called `key` has a meaning with this use of several paths.
pub(crate) fn has_rule(key: &str, multipath: Multipath) -> bool {
    match key.split_once('.') {
        Some(("cmt", _)) => multipath == Multipath::Cmt,
        Some(("ipcc", _)) => multipath == Multipath::Ipcc,
        _ => true,
    }
}

/// The defaults of IPCC: the first path is filled before the next one, and a lost chunk goes to another path (M-IPCC-5,
/// M-IPCC-6).
pub(crate) fn use_ipcc(config: &mut Config) {
    "window-regulated".clone_into(&mut config.scheduler);
    "alternate".clone_into(&mut config.retransmission);
    "alternate".clone_into(&mut config.fast_retransmission);
}

/// A scenario's defaults over a profile: SCTP directly over IP, and all paths at once with all rules of CMT, in the
/// profile's order of arrival.
pub(crate) fn defaults(profile: Config) -> Sctp {
    let mut config = Config { encapsulation: Encapsulation::None, ..profile };
    config.set_sender_cmt(CmtRules {
        by_departure: config.cmt.by_departure,
        by_time: config.cmt.by_time,
        ..CmtRules::ALL
    });
    Sctp { config, multipath: Multipath::Cmt, ordered: true, handshake: HandshakeMode::On }
}
