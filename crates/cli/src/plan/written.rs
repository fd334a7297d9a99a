//! Writes planned limits into a scenario file and leaves the rest unchanged.

use anabranch_scenario::model::Protocol;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use crate::failure::Failure;
use crate::scenario::Loaded;

/// The text of the scenario file, with `limits` as the `window_management` of the flow called `name`.
///
/// # Errors
/// The flow does not share a receive buffer among its paths, or is a copy without a table of its name, or the written file
/// would not be the same scenario with these limits.
pub(crate) fn with_limits(loaded: &Loaded, name: &str, limits: &[u32]) -> Result<String, Failure> {
    let refuse =
        |why: &str| Failure::Arguments(format!("the limits of flow {name:?} cannot be written: {why}"));
    let mut wanted = loaded.scenario.clone();
    let flow = wanted.flows.iter_mut().find(|flow| flow.name == name);
    let flow = flow.ok_or_else(|| refuse("the file has no such flow"))?;
    if flow.paths.len() != limits.len() || flow.protocol.is_appstripe() {
        return Err(refuse("its paths do not share a receive buffer"));
    }
    if let Protocol::Sctp(sctp) = &mut flow.protocol {
        "static".clone_into(&mut sctp.config.window_management);
        sctp.config.window_limits = limits.to_vec();
    }
    let mut file: DocumentMut =
        loaded.text.parse().map_err(|error: toml_edit::TomlError| refuse(error.message()))?;
    let place = flow_table(file.as_table_mut(), name).and_then(settings);
    put(place.ok_or_else(|| refuse("the file has no table of its name"))?, limits);
    let text = file.to_string();
    if loaded.read_again(&text)? == wanted {
        Ok(text)
    } else {
        Err(refuse("the written file would have another meaning"))
    }
}

/// The table of a flow, by its notation.
enum WrittenFlow<'f> {
    /// `[[flow]]`, or `[flow]`.
    Table(&'f mut Table),
    /// `{ … }`.
    Inline(&'f mut InlineTable),
}

/// The table of the flow called `name`. The first flow may lack a name, and a table.
fn flow_table<'f>(file: &'f mut Table, name: &str) -> Option<WrittenFlow<'f>> {
    let flows =
        file.entry("flow").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::from_iter([Table::new()])));
    let is_it = |index: usize, table: &dyn TableLike| match table.get("name").and_then(Item::as_str) {
        Some(given) => given == name,
        None => index == 0 && name == FIRST,
    };
    match flows {
        Item::ArrayOfTables(flows) => {
            let mut tables = flows.iter_mut().enumerate();
            tables.find(|(index, table)| is_it(*index, *table)).map(|(_, table)| WrittenFlow::Table(table))
        }
        Item::Value(Value::Array(flows)) => {
            let tables = flows.iter_mut().enumerate();
            let mut tables = tables.filter_map(|(index, one)| Some((index, one.as_inline_table_mut()?)));
            tables.find(|(index, table)| is_it(*index, *table)).map(|(_, table)| WrittenFlow::Inline(table))
        }
        Item::Table(table) => is_it(0, table).then_some(WrittenFlow::Table(table)),
        Item::Value(Value::InlineTable(table)) => is_it(0, table).then_some(WrittenFlow::Inline(table)),
        _ => None,
    }
}

/// The settings of the flow's association; an empty table if it has none.
fn settings(flow: WrittenFlow<'_>) -> Option<WrittenFlow<'_>> {
    match flow {
        WrittenFlow::Table(table) => match table.entry("sctp").or_insert_with(|| Item::Table(Table::new())) {
            Item::Table(settings) => Some(WrittenFlow::Table(settings)),
            Item::Value(Value::InlineTable(settings)) => Some(WrittenFlow::Inline(settings)),
            _ => None,
        },
        WrittenFlow::Inline(table) => {
            close_up(table);
            let settings = table
                .entry("sctp")
                .or_insert_with(|| Value::InlineTable(InlineTable::new()).decorated(" ", " "));
            settings.as_inline_table_mut().map(WrittenFlow::Inline)
        }
    }
}

/// Sets the limits. The space and comments around an existing value stay.
fn put(settings: WrittenFlow<'_>, limits: &[u32]) {
    let limits = Value::Array(limits.iter().map(|limit| i64::from(*limit)).collect::<Array>());
    match settings {
        WrittenFlow::Table(table) => match table.get_mut(KEY) {
            Some(Item::Value(before)) => replace(before, limits),
            _ => {
                table.insert(KEY, Item::Value(limits));
            }
        },
        WrittenFlow::Inline(table) => match table.get_mut(KEY) {
            Some(before) => replace(before, limits),
            None => {
                close_up(table);
                table.insert(KEY, limits.decorated(" ", " "));
            }
        },
    }
}

fn replace(before: &mut Value, mut limits: Value) {
    *limits.decor_mut() = before.decor().clone();
    *before = limits;
}

/// Removes the blank between the last value and the brace, where a comma will follow.
fn close_up(table: &mut InlineTable) {
    if let Some((_, last)) = table.iter_mut().last() {
        last.decor_mut().set_suffix("");
    }
}

const KEY: &str = "window_management";

/// The name of the first flow if the file has none.
const FIRST: &str = "main";
