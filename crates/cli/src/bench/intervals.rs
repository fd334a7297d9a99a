//! Shows the intervals of a test while it runs, each as a line or a JSON object.

use anabranch_base::ByteCount;
use anabranch_bench::path_entry::rate;
use anabranch_bench::{DirectionInterval, Interval, PathInterval, TestDirection};
use serde_json::{Value, json};

use crate::arguments::Output;
use crate::labels::Labels;
use crate::report::{self, WIDTH};

/// Shows intervals on standard output.
#[derive(Debug)]
pub(super) struct Display {
    format: Format,
    label: Option<String>,
    head: Vec<String>,
    labels: Labels,
}

/// The format of intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Lines,
    Json,
    Nothing,
}

impl Display {
    /// The display that `output` requests. `label` is the name of the test among several.
    pub(super) fn new(output: Output, label: Option<String>) -> Display {
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
    pub(super) fn nothing() -> Display {
        Display { format: Format::Nothing, label: None, head: Vec::new(), labels: Labels::default() }
    }

    /// Shows an interval that has ended.
    pub(super) fn show(&mut self, interval: &Interval) {
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
                let labels = self.labels.distinct(&names(interval));
                if labels != self.head {
                    head(&labels).iter().for_each(|line| report::print_line(line));
                    self.head.clone_from(&labels);
                }
                lines(interval, &labels).iter().for_each(|line| report::print_line(line));
            }
        }
    }
}

/// The names of the paths, in the order of their first appearance.
fn names(interval: &Interval) -> Vec<String> {
    let all = interval.directions.iter().flat_map(|direction| &direction.paths).map(|path| path.name.clone());
    let mut names: Vec<String> = Vec::new();
    all.for_each(|name| {
        if !names.contains(&name) {
            names.push(name);
        }
    });
    names
}

/// The lines of an interval, one or more for each direction; `labels` are the heads of the columns.
fn lines(interval: &Interval, labels: &[String]) -> Vec<String> {
    let seconds = interval.to.saturating_sub(interval.from).as_secs_f64();
    let names = names(interval);
    let of_direction = |direction: &DirectionInterval| {
        let span = format!("{:.1}-{:.1} s", interval.from.as_secs_f64(), interval.to.as_secs_f64());
        let mark = match (interval.directions.len(), direction.direction) {
            (1, _) => "",
            (_, TestDirection::Forward) => "->",
            (_, TestDirection::Reverse) => "<-",
        };
        let all = direction.bytes();
        let start = format!("{span:>13} {mark:2} {:>9} {:>12}", all.rounded(), bits(all, seconds));
        let rates = names.iter().map(|name| {
            let path = direction.paths.iter().find(|path| path.name == *name);
            path.map_or("-".to_owned(), |path| shown(path, seconds))
        });
        beside(start, &rates.collect::<Vec<_>>(), labels)
    };
    interval.directions.iter().flat_map(of_direction).collect()
}

/// Appends `cells` to `start`, each as wide as its column in `labels`, on as many lines as needed. Long names lose their
/// end.
fn beside(start: String, cells: &[String], labels: &[String]) -> Vec<String> {
    let indent = start.chars().count();
    let room = WIDTH.saturating_sub(indent);
    let mut lines = vec![start];
    for (cell, label) in cells.iter().zip(labels) {
        let width = column(label).min(room.saturating_sub(GAP));
        let used = lines.last().map_or(0, |line| line.chars().count());
        if used > indent && used + GAP + width > WIDTH {
            lines.push(" ".repeat(indent));
        }
        let cell: String = cell.chars().take(width).collect();
        if let Some(line) = lines.last_mut() {
            line.push_str(&format!("{:GAP$}{cell:>width$}", ""));
        }
    }
    lines
}

/// The rate, or the reason why the path has none.
fn shown(path: &PathInterval, seconds: f64) -> String {
    match path.state {
        "active" => bits(path.carried, seconds),
        state if path.carried.is_zero() => state.to_owned(),
        _ => bits(path.carried, seconds),
    }
}

fn head(names: &[String]) -> Vec<String> {
    let start = format!("{:>13} {:2} {:>9} {:>12}", "interval", "", "carried", "rate");
    beside(start, names, names)
}

fn column(name: &str) -> usize {
    name.chars().count().max(11)
}

fn bits(bytes: ByteCount, seconds: f64) -> String {
    let rate = rate(bytes.get(), seconds);
    anabranch_base::BitRate::from_bits_per_second(rate as u64).to_string()
}

/// The gap between two columns.
const GAP: usize = 2;

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
        let directions = vec![DirectionInterval { direction: TestDirection::Forward, paths }];
        Interval { from: Duration::from_secs(1), to: Duration::from_secs(2), directions }
    }

    #[test]
    fn a_line_has_the_sum_and_each_path_and_says_which_is_down() {
        assert_eq!(
            head(&names(&interval())),
            ["     interval      carried         rate            a            b"]
        );
        assert_eq!(
            lines(&interval(), &names(&interval())),
            ["    1.0-2.0 s      1.25 MB  10.0 Mbit/s  10.0 Mbit/s     inactive"]
        );
    }

    #[test]
    fn each_direction_has_its_line() {
        let mut both = interval();
        both.directions.push(DirectionInterval { direction: TestDirection::Reverse, paths: Vec::new() });
        assert_eq!(lines(&both, &names(&both)).len(), 2);
    }

    #[test]
    fn many_paths_go_on_below_and_no_line_is_wider_than_a_terminal() {
        let path = |index: usize| PathInterval {
            name: format!("wlan{index}"),
            carried: ByteCount::new(1_250_000),
            state: "active",
            rtt: None,
            cwnd: ByteCount::ZERO,
        };
        let directions =
            vec![DirectionInterval { direction: TestDirection::Forward, paths: (0..8).map(path).collect() }];
        let many = Interval { directions, ..interval() };
        let mut labels = names(&many);
        labels[7] = "2001:db8:1111:2222:3333:4444:5555:6666 → [2001:db8::1]:7000".to_owned();
        let (head, lines) = (head(&labels), lines(&many, &labels));
        assert_eq!(head.len(), lines.len());
        assert!(head.iter().chain(&lines).all(|line| line.chars().count() <= 80), "{head:#?}\n{lines:#?}");
        let rates: usize = lines.iter().map(|line| line.matches("10.0 Mbit/s").count()).sum();
        assert_eq!(rates, 8, "each path has its rate: {lines:#?}");
        assert_eq!(head[0].chars().count(), lines[0].chars().count(), "{head:#?}\n{lines:#?}");
    }
}
