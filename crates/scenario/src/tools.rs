//! The settings of the tools that use real sockets, `--set sctp.KEY=VALUE`, by the same list as scenario files.

use anabranch_base::setting::Scope;
use anabranch_sctp::config::{Config, setting, settings};
use anabranch_sctp::policy::Registry;

use crate::assignment::Assignment;
use crate::error::ScenarioError;
use crate::fault::{Fault, Read};
use crate::nearest::nearest;
use crate::read::{SettingReader, contradiction, header_of, refuse_unknown};
use crate::resolved::{self, ResolvedTable};
use crate::settings::AssociationSetting;
use crate::source::Source;
use crate::tree::{self, Span, TextOrigin, TreeValue};

/// Applies settings of the command line to `base`, each `sctp.KEY=VALUE`, later ones over earlier ones. A profile is
/// applied first, wherever it stands. Policies are those of `registry`.
///
/// # Errors
/// The first fault found.
pub fn configure(
    base: Config,
    assignments: &[Assignment],
    registry: &Registry,
) -> Result<Config, ScenarioError> {
    read(base, assignments, registry).map_err(|fault| {
        fault.in_known_table(|key| header_of(key, registry)).shown(&Source::new("", ""), assignments)
    })
}

/// The settings of the tools with the policies of `registry`, in order.
pub fn known(registry: &Registry) -> impl Iterator<Item = AssociationSetting> {
    AssociationSetting::all(registry).into_iter().filter(|setting| setting.scope().includes(Scope::Tools))
}

/// Every setting as used, with the settings of the policies in `registry`, nested as in a scenario file.
pub fn resolved(config: &Config, registry: &Registry) -> ResolvedTable {
    resolved::association(config, registry, Scope::Tools)
}

fn read(mut config: Config, assignments: &[Assignment], registry: &Registry) -> Read<Config> {
    let mut root = tree::Table::default();
    for (index, assignment) in assignments.iter().enumerate() {
        refuse_other_table(index, assignment, registry)?;
        assignment.apply_plainly(index, &mut root)?;
    }
    let Some(tree::Node { value: TreeValue::Table(table), .. }) = root.find("sctp") else {
        return Ok(config);
    };
    refuse_unknown("sctp", &known(registry).map(|setting| setting.key()).collect::<Vec<_>>(), table)?;
    let reader = SettingReader { registry: Some(registry), scope: Scope::Tools };
    reader.set_all(setting("profile").into_iter(), table, &mut config)?;
    reader.set_all(settings().filter(|setting| setting.key != "profile"), table, &mut config)?;
    reader.set_all(registry.own_settings().map(|(_, own)| own), table, &mut config.own)?;
    let last = TextOrigin::Setting(assignments.len().saturating_sub(1));
    let span = Span { origin: last, start: 0, end: 0 };
    let checked = config.check().and_then(|()| config.check_policies(registry));
    checked.map_err(|error| contradiction(&error, table, span))?;
    Ok(config)
}

/// Refuses settings of anything but the association.
fn refuse_other_table(index: usize, assignment: &Assignment, registry: &Registry) -> Read<()> {
    let key = assignment.key();
    if key.split('.').next().is_some_and(|table| table.trim() == "sctp") {
        return Ok(());
    }
    let start = assignment.text().find(key).unwrap_or(0);
    let span = Span { origin: TextOrigin::Setting(index), start, end: start + key.len() };
    let near =
        nearest(key, known(registry).map(|setting| setting.key())).map(|near| format!("`sctp.{near}`"));
    let fault = Fault::unknown(span, format!("`{key}` is not a setting of an association"));
    Err(fault.expected("sctp.KEY=VALUE").nearest(near))
}
