//! Reads `[flow.sctp]`, the settings of an association, and applies what one of them implies for others.

use anabranch_base::setting::Scope;
use anabranch_sctp::config::{Config, ConfigError, setting, settings};
use anabranch_sctp::policy::Registry;
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;

use super::reader::{SettingReader, contradiction, refuse_unknown};
use super::shapes;
use crate::fault::{Fault, Read};
use crate::model::{Multipath, Sctp};
use crate::settings::{OWN_SETTINGS, SCTP_HEADER, defaults, use_ipcc};
use crate::tree::{Node, Span, Table, TreeValue};

/// Reads `[flow.sctp]`; without one, the defaults.
pub(crate) fn sctp(node: Option<&Node>, registry: &Registry) -> Read<Sctp> {
    let none = Table::default();
    let (table, span) = match node {
        None => (&none, Span::START),
        Some(Node { value: TreeValue::Table(table), span }) => (table, *span),
        Some(node) => {
            let fault = Fault::value(node.span, format!("{} is not a table", node.value.describe()));
            return Err(fault.expected(format!("a table under {SCTP_HEADER}")));
        }
    };
    refuse_unknown(SCTP_HEADER, &shapes::sctp_keys(registry), table)?;
    let reader = SettingReader { registry: Some(registry), scope: Scope::Scenarios };
    let mut sctp = defaults(Config::default());
    reader.set_all(setting("profile").into_iter(), table, &mut sctp.config)?;
    sctp = defaults(sctp.config);
    reader.set_all(OWN_SETTINGS.iter().map(|(_, own)| own), table, &mut sctp)?;
    let is_standard =
        Config::profile(sctp.config.profile).is_some_and(|profile| profile.cmt == CmtRules::NONE);
    if sctp.multipath == Multipath::Ipcc {
        use_ipcc(&mut sctp.config);
    } else if sctp.multipath != Multipath::Off && is_standard {
        // The profiles retransmit by the rules of standard SCTP on several paths (M-SCTP-18); with all paths at once a
        // chunk is retransmitted where it was lost, unless the file says otherwise.
        "same".clone_into(&mut sctp.config.retransmission);
        "same".clone_into(&mut sctp.config.fast_retransmission);
    }
    let others = settings().filter(|setting| setting.key != "profile");
    reader.set_all(others, table, &mut sctp.config)?;
    reader.set_all(registry.own_settings().map(|(_, own)| own), table, &mut sctp.config.own)?;
    match check(&sctp.config, registry) {
        Ok(()) => Ok(sctp),
        Err(error) => Err(contradiction(&error, table, span)),
    }
}

/// Checks the settings. Window limits may be missing: they are planned once the paths are known.
fn check(config: &Config, registry: &Registry) -> Result<(), ConfigError> {
    config.check()?;
    match config.window_limits[..] {
        [] => Config { window_limits: vec![1], ..config.clone() }.check_policies(registry),
        _ => config.check_policies(registry),
    }
}
