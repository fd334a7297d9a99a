//! The settings of the tools that use real sockets, `--set sctp.KEY=VALUE` or a file of them, by the same list as
//! scenario files.

use anabranch_base::setting::Scope;
use anabranch_sctp::config::{Config, setting, settings};
use anabranch_sctp::policy::Registry;

use crate::assignment::Assignment;
use crate::document::ParsedDocument;
use crate::error::ScenarioError;
use crate::fault::{Fault, Read};
use crate::nearest::nearest;
use crate::read::{SettingReader, contradiction, header_of, refuse_unknown};
use crate::resolved::{self, ResolvedTable};
use crate::settings::AssociationSetting;
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
    configure_from(base, &ParsedDocument::default(), assignments, registry)
}

/// Like [`configure`], with the settings of a file before those of the command line: a table `[sctp]`, as `[flow.sctp]`
/// of a scenario.
///
/// # Errors
/// The first fault found.
pub fn configure_from(
    base: Config,
    file: &ParsedDocument,
    assignments: &[Assignment],
    registry: &Registry,
) -> Result<Config, ScenarioError> {
    read(base, file.root().clone(), assignments, registry).map_err(|fault| {
        fault.in_known_table(|key| header_of(key, registry)).shown(file.source(), assignments)
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

fn read(
    mut config: Config,
    mut root: tree::Table,
    assignments: &[Assignment],
    registry: &Registry,
) -> Read<Config> {
    if let Some(other) = root.entries.iter().find(|entry| entry.key != TABLE) {
        return Err(not_of_associations(&other.key, other.key_span, registry).expected("a table [sctp]"));
    }
    for (index, assignment) in assignments.iter().enumerate() {
        refuse_other_table(index, assignment, registry)?;
        assignment.apply_plainly(index, &mut root)?;
    }
    let table = match root.find(TABLE) {
        None => return Ok(config),
        Some(tree::Node { value: TreeValue::Table(table), .. }) => table,
        Some(other) => {
            let fault = Fault::value(other.span, format!("{} is not a table", other.value.describe()));
            return Err(fault.expected("a table [sctp]"));
        }
    };
    refuse_unknown(TABLE, &known(registry).map(|setting| setting.key()).collect::<Vec<_>>(), table)?;
    let reader = SettingReader { registry: Some(registry), scope: Scope::Tools };
    reader.set_all(setting("profile").into_iter(), table, &mut config)?;
    reader.set_all(settings().filter(|setting| setting.key != "profile"), table, &mut config)?;
    reader.set_all(registry.own_settings().map(|(_, own)| own), table, &mut config.own)?;
    let span = match assignments.len().checked_sub(1) {
        Some(last) => Span { origin: TextOrigin::Setting(last), start: 0, end: 0 },
        None => Span::START,
    };
    let checked = config.check().and_then(|()| config.check_policies(registry));
    checked.map_err(|error| contradiction(&error, table, span))?;
    Ok(config)
}

/// Refuses settings of anything but the association.
fn refuse_other_table(index: usize, assignment: &Assignment, registry: &Registry) -> Read<()> {
    let key = assignment.key();
    if key.split('.').next().is_some_and(|table| table.trim() == TABLE) {
        return Ok(());
    }
    let start = assignment.text().find(key).unwrap_or(0);
    let span = Span { origin: TextOrigin::Setting(index), start, end: start + key.len() };
    Err(not_of_associations(key, span, registry).expected("sctp.KEY=VALUE"))
}

fn not_of_associations(key: &str, span: Span, registry: &Registry) -> Box<Fault> {
    let near =
        nearest(key, known(registry).map(|setting| setting.key())).map(|near| format!("`sctp.{near}`"));
    Fault::unknown(span, format!("`{key}` is not a setting of an association")).nearest(near)
}

const TABLE: &str = "sctp";
