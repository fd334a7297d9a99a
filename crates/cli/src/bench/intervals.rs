//! Intervals of a test as they are shown while it runs: a line each, or a JSON object each.

use anabranch_base::ByteCount;
use anabranch_bench::path_entry::rate;
use anabranch_bench::{Interval, PathInterval, TestDirection, WayInterval};
use serde_json::{Value, json};

use crate::arguments::Output;
use crate::labels::Labels;
use crate::report;

/// Shows intervals on standard output.
#[derive(Debug)]
pub struct Display {
    format: Format,
    label: Option<String>,
    head: Vec<String>,
    labels: Labels,
}

/// How intervals are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Lines,
    Json,
    Nothing,
}

impl Display {
    /// As `output` says. `label` says which of several tests the intervals belong to.
    pub fn new(output: Output, label: Option<String>) -> Display {
        let format = if output.json_lines {
            Format::Json
        } else if !output.is_json() && !output.quiet {
            Format::Lines
        } else {
            Format::Nothing
        };
        Display { format, label, head: Vec::new(), labels: Labels::now() }
    }

    /// Shows nothing.
    pub fn nothing() -> Display {
        Display { format: Format::Nothing, label: None, head: Vec::new(), labels: Labels::default() }
    }

    /// Shows an interval that is over.
    pub fn show(&mut self, interval: &Interval) {
        match self.format {
            Format::Nothing => {}
            Format::Json => {
                let mut value = interval.document();
                if let (Value::Object(keys), Some(label)) = (&mut value, &self.label) {
                    keys.insert("test".to_owned(), json!(label));
                }
                report::print_line(&value.to_string());
            }
            Format::Lines => {
                let labels = columns(&names(interval), &self.labels);
                if labels != self.head {
                    report::print_line(&head(&labels));
                    self.head.clone_from(&labels);
                }
                lines(interval, &labels).iter().for_each(|line| report::print_line(line));
            }
        }
    }
}

/// The paths, in the order in which they are first seen.
fn names(interval: &Interval) -> Vec<String> {
    let all = interval.ways.iter().flat_map(|way| &way.paths).map(|path| path.name.clone());
    let mut names: Vec<String> = Vec::new();
    all.for_each(|name| {
        if !names.contains(&name) {
            names.push(name);
        }
    });
    names
}

/// What the paths are called: by where they begin, where that tells them apart.
fn columns(names: &[String], labels: &Labels) -> Vec<String> {
    let short: Vec<String> = names.iter().map(|name| labels.short(name)).collect();
    let is_clear = (1..short.len()).all(|index| !short[..index].contains(&short[index]));
    if is_clear { short } else { names.iter().map(|name| labels.of(name)).collect() }
}

/// A line for each direction; `labels` are what the columns are called.
fn lines(interval: &Interval, labels: &[String]) -> Vec<String> {
    let seconds = interval.to.saturating_sub(interval.from).as_secs_f64();
    let names = names(interval);
    let line = |way: &WayInterval| {
        let span = format!("{:.1}-{:.1} s", interval.from.as_secs_f64(), interval.to.as_secs_f64());
        let mark = match (interval.ways.len(), way.way) {
            (1, _) => "",
            (_, TestDirection::Forward) => "->",
            (_, TestDirection::Reverse) => "<-",
        };
        let all = way.bytes();
        let mut line = format!("{span:>13} {mark:2} {:>9} {:>12}", all.rounded(), bits(all, seconds));
        for (name, label) in names.iter().zip(labels) {
            let path = way.paths.iter().find(|path| path.name == *name);
            let rate = path.map_or("-".to_owned(), |path| shown(path, seconds));
            line.push_str(&format!("   {rate:>width$}", width = column(label)));
        }
        line
    };
    interval.ways.iter().map(line).collect()
}

/// Its rate, or why it has none.
fn shown(path: &PathInterval, seconds: f64) -> String {
    match path.state {
        "active" => bits(path.carried, seconds),
        state if path.carried.is_zero() => state.to_owned(),
        _ => bits(path.carried, seconds),
    }
}

fn head(names: &[String]) -> String {
    let mut line = format!("{:>13} {:2} {:>9} {:>12}", "interval", "", "carried", "rate");
    for name in names {
        line.push_str(&format!("   {name:>width$}", width = column(name)));
    }
    line
}

fn column(name: &str) -> usize {
    name.chars().count().max(12)
}

fn bits(bytes: ByteCount, seconds: f64) -> String {
    let rate = rate(bytes.get(), seconds);
    anabranch_base::BitRate::from_bits_per_second(rate as u64).to_string()
}

#[cfg(test)]
mod tests {
    use anabranch_base::Duration;

    use super::*;

    fn interval() -> Interval {
        let path = |name: &str, carried, state| PathInterval {
            name: name.to_owned(),
            carried: ByteCount::new(carried),
            state,
            rtt: Some(Duration::from_millis(20)),
            cwnd: ByteCount::new(30_000),
        };
        let paths = vec![path("a", 1_250_000, "active"), path("b", 0, "inactive")];
        let ways = vec![WayInterval { way: TestDirection::Forward, paths }];
        Interval { from: Duration::from_secs(1), to: Duration::from_secs(2), ways }
    }

    #[test]
    fn a_line_has_the_sum_and_each_path_and_says_which_is_down() {
        assert_eq!(
            head(&names(&interval())),
            "     interval      carried         rate              a              b"
        );
        assert_eq!(
            lines(&interval(), &names(&interval())),
            ["    1.0-2.0 s      1.25 MB  10.0 Mbit/s    10.0 Mbit/s       inactive"]
        );
    }

    #[test]
    fn each_direction_has_its_line() {
        let mut both = interval();
        both.ways.push(WayInterval { way: TestDirection::Reverse, paths: Vec::new() });
        assert_eq!(lines(&both, &names(&both)).len(), 2);
    }
}
