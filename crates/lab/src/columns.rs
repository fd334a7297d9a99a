//! The columns and the row of a run: one column for each quantity of each flow, path, link and station, named as in the
//! document of `sim --json`.

mod registry;

use anabranch_sim::RunResult;
use anabranch_sim::result::FlowResult;

use crate::cell::{Cell, CellKind};
use registry::{DIRECTION, DIRECTIONS, FLOW, FLOW_END, Head, RUN, STATION, own};

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// The whole name, such as `main.wifi.sent_packets`.
    pub name: String,
    /// The unit; empty for words and plain numbers.
    pub unit: String,
    /// The kind of the cells.
    pub kind: CellKind,
    /// The meaning.
    pub meaning: String,
}

/// The columns of a run, in the order of the document.
///
/// Runs of one scenario have the same columns, even before they begin: `columns_of(&Run::new(&scenario, 1,
/// Watch::default())?.finish())`.
pub(crate) fn columns_of(result: &RunResult) -> Vec<ColumnInfo> {
    let mut columns = Vec::new();
    each(result, |scope, head, _| {
        columns.push(ColumnInfo {
            name: format!("{scope}{}", head.name),
            unit: head.unit.to_owned(),
            kind: head.kind,
            meaning: head.meaning.to_owned(),
        });
    });
    columns
}

/// Returns true if [`columns_of`] is the same for both: their flows, paths, links and stations have the same names.
pub(crate) fn have_same_columns(one: &RunResult, other: &RunResult) -> bool {
    fn paths(flow: &FlowResult) -> impl Iterator<Item = &str> {
        flow.paths.iter().map(|path| path.name.as_str())
    }
    one.flows.iter().map(|flow| &flow.name).eq(other.flows.iter().map(|flow| &flow.name))
        && one.flows.iter().flat_map(paths).eq(other.flows.iter().flat_map(paths))
        && one.flows.iter().map(|flow| flow.paths.len()).eq(other.flows.iter().map(|flow| flow.paths.len()))
        && one.links.iter().map(|link| &link.name).eq(other.links.iter().map(|link| &link.name))
        && one
            .stations
            .iter()
            .map(|s| (&s.name, &s.radio))
            .eq(other.stations.iter().map(|s| (&s.name, &s.radio)))
}

/// The cells of a run, in the order of [`columns_of`].
pub(crate) fn cells_of(result: &RunResult) -> Vec<Cell> {
    let mut cells = Vec::new();
    each(result, |_, _, cell| cells.push(cell));
    cells
}

/// The columns of several lists, each once. The first list keeps its order; a further column follows its predecessor in
/// its own list.
pub(crate) fn union<'a>(lists: impl IntoIterator<Item = &'a [ColumnInfo]>) -> Vec<ColumnInfo> {
    let mut all: Vec<ColumnInfo> = Vec::new();
    for list in lists {
        let mut next = 0;
        for column in list {
            match all.iter().position(|known| known.name == column.name) {
                Some(at) => next = at + 1,
                None => {
                    all.insert(next, column.clone());
                    next += 1;
                }
            }
        }
    }
    all
}

/// Calls `on` for each column with its scope (`main.wifi.`) and its cell.
fn each(result: &RunResult, mut on: impl FnMut(&str, Head, Cell)) {
    scope("", own(RUN, result), &mut on);
    for flow in &result.flows {
        let name = &flow.name;
        scope(&format!("{name}."), own(FLOW, flow), &mut on);
        scope(&format!("{name}.sacks."), registry::sacks(flow), &mut on);
        scope(&format!("{name}."), own(FLOW_END, flow), &mut on);
        for path in &flow.paths {
            scope(&format!("{name}.{}.", path.name), registry::path(path), &mut on);
        }
    }
    for link in &result.links {
        for (name, direction) in DIRECTIONS {
            scope(&format!("link.{}.{name}.", link.name), own(DIRECTION, direction(link)), &mut on);
        }
    }
    for station in &result.stations {
        scope(&format!("station.{}.{}.", station.name, station.radio), own(STATION, station), &mut on);
    }
}

fn scope(name: &str, columns: impl Iterator<Item = (Head, Cell)>, on: &mut impl FnMut(&str, Head, Cell)) {
    columns.for_each(|(head, cell)| on(name, head, cell));
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use anabranch_scenario::Scenario;
    use anabranch_sim::{Plan, Run, Stop, Watch, Watcher, replicate};
    use serde_json::Value;

    use super::*;
    use crate::load::{Origin, Purpose, load_bytes};

    /// A shipped scenario, run for one second.
    fn shipped(name: &str, time: &str) -> Scenario {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
        let text = std::fs::read(folder.join(name)).expect("a shipped scenario");
        let origin = Origin::of_text(name, Some(folder));
        let changes = [format!("run.time={time}"), "run.warmup=0 s".to_owned()];
        load_bytes(&text, origin, &changes, Purpose::Flows, &anabranch_planner::live::registry())
            .expect("a sound scenario")
            .scenario
    }

    /// The leaves of a run's document, by the names of their columns.
    fn leaves(scenario: &Scenario) -> (BTreeMap<String, Value>, RunResult) {
        let plan = Plan { seed: 1, stop: Stop::After(1), threads: None };
        let replications =
            replicate(scenario, plan, &Watcher::new(|| anabranch_base::Duration::ZERO)).expect("it runs");
        let document = anabranch_observe::results(scenario, 1, &replications).value(None);
        let mut found = BTreeMap::new();
        collect("", &document["runs"][0], &mut found);
        // Every table has its own column for it.
        found.remove("seed");
        (found, replications.runs[0].clone())
    }

    fn collect(prefix: &str, value: &Value, found: &mut BTreeMap<String, Value>) {
        let Value::Object(entries) = value else {
            found.insert(prefix.trim_end_matches('.').to_owned(), value.clone());
            return;
        };
        for (key, value) in entries {
            match (key.as_str(), value) {
                ("name" | "radio", _) => {}
                ("flows" | "paths" | "links" | "stations", Value::Array(items)) => {
                    for item in items {
                        let name = item["name"].as_str().expect("a name");
                        let kind = match key.as_str() {
                            "links" => "link.",
                            "stations" => "station.",
                            _ => "",
                        };
                        let radio = item["radio"].as_str().map_or(String::new(), |radio| format!("{radio}."));
                        collect(&format!("{prefix}{kind}{name}.{radio}"), item, found);
                    }
                }
                // A flow without measurements has `null` in place of a table.
                ("delay_s" | "sacks", Value::Null) => {}
                _ => collect(&format!("{prefix}{key}."), value, found),
            }
        }
    }

    #[test]
    fn every_leaf_of_a_runs_document_is_a_cell_of_its_row_and_the_reverse() {
        for name in
            ["wifi-lte.toml", "radio-string.toml", "beside-tcp.toml", "both-ways.toml", "appstripe.toml"]
        {
            let (mut leaves, result) = leaves(&shipped(name, "2 s"));
            for (column, cell) in columns_of(&result).iter().zip(cells_of(&result)) {
                let leaf = leaves.remove(&column.name);
                let same = match (&cell, &leaf) {
                    (Cell::Whole(value), Some(leaf)) => leaf.as_u64() == Some(*value),
                    (Cell::Number(value), Some(leaf)) => leaf.as_f64() == Some(*value),
                    (Cell::Text(text), Some(leaf)) => leaf.as_str() == Some(text),
                    (Cell::Missing, leaf) => leaf.as_ref().is_none_or(Value::is_null),
                    (_, None) => false,
                };
                assert!(same, "{name}, {}: {cell:?} in the row, {leaf:?} in the document", column.name);
            }
            assert!(leaves.is_empty(), "{name}: without a column: {leaves:?}");
        }
    }

    #[test]
    fn a_run_that_has_not_begun_has_the_columns_of_one_that_has_ended() {
        for name in ["wifi-lte.toml", "radio-string.toml", "both-ways.toml"] {
            let scenario = shipped(name, "1 s");
            let run = || Run::new(&scenario, 1, Watch::default()).expect("it can be run");
            assert_eq!(columns_of(&run().finish()), columns_of(&run().to_end()), "{name}");
        }
    }

    #[test]
    fn every_column_has_a_name_of_its_own_a_meaning_and_its_unit() {
        let result =
            Run::new(&shipped("radio-string.toml", "1 s"), 1, Watch::default()).expect("it can be run");
        let mut columns = columns_of(&result.finish());
        columns.extend(columns_of(
            &Run::new(&shipped("wifi-lte.toml", "1 s"), 1, Watch::default()).expect("it can be run").finish(),
        ));
        for column in &columns {
            assert!(!column.meaning.is_empty(), "{}", column.name);
            let last = column.name.split('.').rfind(|part| !["p50", "p95", "p99", "max"].contains(part));
            let last = last.expect("a name");
            assert_eq!(last.ends_with("_s"), column.unit == "s", "{}", column.name);
            assert_eq!(last.ends_with("_bps"), column.unit == "bit/s", "{}", column.name);
        }
    }

    fn named(names: &[&str]) -> Vec<ColumnInfo> {
        let column = |name: &&str| ColumnInfo {
            name: (*name).to_owned(),
            unit: String::new(),
            kind: CellKind::Whole,
            meaning: String::new(),
        };
        names.iter().map(column).collect()
    }

    #[test]
    fn a_union_keeps_neighbours_together() {
        let lists = [named(&["a", "b", "z"]), named(&["a", "c", "d", "z"]), named(&["x", "z", "y"])];
        let names: Vec<String> =
            union(lists.iter().map(Vec::as_slice)).into_iter().map(|column| column.name).collect();
        assert_eq!(names, ["x", "a", "c", "d", "b", "z", "y"]);
    }
}
