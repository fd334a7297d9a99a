//! `[flow.sctp]`: the settings of an association. Most are the protocol's, whose table stands beside its configuration;
//! here are those that a scenario has beyond them, and what follows from one setting for others.

use anabranch_base::setting::{Kind, Named, Scope, Setting, put, shown};
use anabranch_sctp::config::{Config, Encapsulation, setting, settings};
use anabranch_sctp::policy::Registry;
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;

use super::settings::{SettingReader, contradiction, refuse_unknown};
use crate::fault::{Fault, Read};
use crate::model::{HandshakeMode, Multipath, Sctp};
use crate::tree::{Node, Span, Table, TreeValue};

/// How the table is written.
pub(crate) const HEADER: &str = "[flow.sctp]";

/// The settings that are not the protocol's, each behind the key that it follows in documents.
pub(crate) static OWN_SETTINGS: [(&str, Setting<Sctp>); 3] = [
    (
        "encapsulation",
        Setting {
            key: "multipath",
            scope: Scope::Scenarios,
            kind: Multipath::KIND,
            doc: "how several paths are used; `cmt`: concurrent multipath transfer, new data on all of them; `off`: the \
                  primary path and failover; `appstripe`: see below",
            get: |sctp| shown(&sctp.multipath),
            set: |sctp, value| put(&mut sctp.multipath, value),
        },
    ),
    (
        "strict_window",
        Setting {
            key: "ordered",
            scope: Scope::Scenarios,
            kind: Kind::Boolean,
            doc: "whether messages are delivered in order",
            get: |sctp| shown(&sctp.ordered),
            set: |sctp, value| put(&mut sctp.ordered, value),
        },
    ),
    (
        "failover.quick",
        Setting {
            key: "handshake",
            scope: Scope::Scenarios,
            kind: HandshakeMode::KIND,
            doc: "`off`: the association is open at the start, its paths confirmed",
            get: |sctp| shown(&sctp.handshake),
            set: |sctp, value| put(&mut sctp.handshake, value),
        },
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

/// Every key of the table.
pub(crate) fn keys() -> impl Iterator<Item = &'static str> {
    let of_protocol = settings().filter(|setting| setting.scope.includes(Scope::Scenarios));
    OWN_SETTINGS.iter().map(|(_, own)| own.key).chain(of_protocol.map(|setting| setting.key))
}

/// Whether the setting called `key` is of rules that the way in which several paths are used does not have.
pub(crate) fn has_cmt(key: &str, multipath: Multipath) -> bool {
    multipath == Multipath::Cmt || !key.starts_with("cmt.")
}

/// Reads `[flow.sctp]`; without one, the defaults.
pub(crate) fn sctp(node: Option<&Node>, registry: &Registry) -> Read<Sctp> {
    let none = Table::default();
    let (table, span) = match node {
        None => (&none, Span::START),
        Some(Node { value: TreeValue::Table(table), span }) => (table, *span),
        Some(node) => {
            let fault = Fault::value(node.span, format!("{} is no table", node.value.describe()));
            return Err(fault.expected(format!("a table under {HEADER}")));
        }
    };
    refuse_unknown(HEADER, &keys().collect::<Vec<_>>(), table)?;
    let reader = SettingReader { registry: Some(registry), scope: Scope::Scenarios };
    let mut sctp = defaults(Config::default());
    reader.set_all(setting("profile").into_iter(), table, &mut sctp.config)?;
    sctp = defaults(sctp.config);
    reader.set_all(OWN_SETTINGS.iter().map(|(_, own)| own), table, &mut sctp)?;
    if sctp.multipath != Multipath::Off {
        // The profiles' places are those of standard SCTP on several paths (M-SCTP-18); over all paths at once a chunk
        // is sent again where it was lost, unless the file says otherwise.
        "same".clone_into(&mut sctp.config.retransmission);
        "same".clone_into(&mut sctp.config.fast_retransmission);
    }
    let others = settings().filter(|setting| setting.key != "profile");
    reader.set_all(others, table, &mut sctp.config)?;
    match sctp.config.check_without_limits() {
        Ok(()) => Ok(sctp),
        Err(error) => Err(contradiction(&error, table, span)),
    }
}

/// What a scenario makes of a profile: SCTP on IP itself, and all paths at once by all rules of CMT.
pub(crate) fn defaults(profile: Config) -> Sctp {
    let mut config = Config { encapsulation: Encapsulation::None, ..profile };
    config.set_sender_cmt(CmtRules::ALL);
    Sctp { config, multipath: Multipath::Cmt, ordered: true, handshake: HandshakeMode::On }
}
