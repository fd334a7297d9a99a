//! What each path carried from one moment to the next, kept and shown while a test runs. It knows no protocol.

use anabranch_base::{ByteCount, Duration};
use anabranch_cli::path_entry::rate;
use anabranch_net::PathId;
use serde_json::{Value, json};

use super::measured::Way;
use crate::arguments::Output;
use crate::quantity::show_size;
use crate::report;
use crate::watch::Watch;

/// One interval.
#[derive(Clone, Debug)]
pub struct Row {
    /// When it began, after the test's beginning.
    pub from: Duration,
    /// When it was over.
    pub to: Duration,
    /// What was carried each way.
    pub ways: Vec<WayRow>,
}

/// What one direction carried in an interval.
#[derive(Clone, Debug)]
pub struct WayRow {
    /// Which direction.
    pub way: Way,
    /// What each path carried.
    pub paths: Vec<PathRow>,
}

/// What one path carried in an interval.
#[derive(Clone, Debug)]
pub struct PathRow {
    name: String,
    carried: ByteCount,
    state: &'static str,
    rtt: Option<Duration>,
    cwnd: ByteCount,
}

/// The intervals of a test.
#[derive(Debug)]
pub struct Intervals {
    every: Duration,
    output: Shown,
    label: Option<String>,
    last: Duration,
    before: Vec<Vec<(PathId, ByteCount)>>,
    head: Vec<String>,
    rows: Vec<Row>,
    is_over: bool,
}

/// How intervals are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Lines,
    Json,
    Nowhere,
}

impl Intervals {
    /// None yet. `label` says which of several tests they belong to.
    pub fn new(every: Duration, output: Option<Output>, label: Option<String>) -> Intervals {
        let output = match output {
            Some(output) if output.json_lines => Shown::Json,
            Some(output) if !output.is_json() && !output.quiet => Shown::Lines,
            _ => Shown::Nowhere,
        };
        let (last, before, head, rows) = (Duration::ZERO, Vec::new(), Vec::new(), Vec::new());
        Intervals { every, output, label, last, before, head, rows, is_over: false }
    }

    /// The test begins: what was carried until now is nobody's.
    pub fn begin(&mut self, watches: &[(Way, Watch)]) {
        self.before = watches.iter().map(|(_, watch)| carried(watch)).collect();
    }

    /// Whether an interval is over at `age`.
    pub fn is_due(&self, age: Duration) -> bool {
        !self.is_over && age.saturating_sub(self.last) >= self.every
    }

    /// An interval is over at `age`, as the watches saw it just now.
    pub fn on_end(&mut self, age: Duration, watches: &[(Way, Watch)]) {
        let ways = watches
            .iter()
            .zip(&self.before)
            .map(|((way, watch), before)| WayRow { way: *way, paths: path_rows(watch, before) });
        let row = Row { from: self.last, to: age, ways: ways.collect() };
        self.begin(watches);
        self.last = age;
        self.show(&row);
        if self.rows.len() < MOST_ROWS {
            self.rows.push(row);
        }
    }

    /// The test is over at `age`: what is left of an interval is one, unless it is too short to say anything.
    pub fn on_last(&mut self, age: Duration, watches: &[(Way, Watch)]) {
        if !self.is_over && age.saturating_sub(self.last) >= self.every / 10 {
            self.on_end(age, watches);
        }
        self.is_over = true;
    }

    /// All there were.
    pub fn into_rows(self) -> Vec<Row> {
        self.rows
    }

    fn show(&mut self, row: &Row) {
        match self.output {
            Shown::Nowhere => {}
            Shown::Json => {
                let mut value = row.document();
                if let (Value::Object(keys), Some(label)) = (&mut value, &self.label) {
                    keys.insert("test".to_owned(), json!(label));
                }
                report::print_line(&value.to_string());
            }
            Shown::Lines => {
                let names = row.names();
                if names != self.head {
                    report::print_line(&head(&names));
                    self.head = names;
                }
                row.lines().iter().for_each(|line| report::print_line(line));
            }
        }
    }
}

impl Row {
    /// For documents: those of the first direction at the top.
    pub fn document(&self) -> Value {
        let seconds = self.to.saturating_sub(self.from).as_secs_f64();
        let mut whole = json!({ "from_s": self.from.as_secs_f64(), "to_s": self.to.as_secs_f64() });
        for (index, way) in self.ways.iter().enumerate() {
            let one = way.document(seconds);
            match (index, &mut whole, one) {
                (0, Value::Object(keys), Value::Object(one)) => keys.extend(one),
                (_, Value::Object(keys), one) => drop(keys.insert(way.way.word().to_owned(), one)),
                _ => {}
            }
        }
        whole
    }

    fn names(&self) -> Vec<String> {
        let all = self.ways.iter().flat_map(|way| &way.paths).map(|path| path.name.clone());
        let mut names: Vec<String> = Vec::new();
        all.for_each(|name| {
            if !names.contains(&name) {
                names.push(name);
            }
        });
        names
    }

    fn lines(&self) -> Vec<String> {
        let seconds = self.to.saturating_sub(self.from).as_secs_f64();
        let names = self.names();
        let line = |way: &WayRow| {
            let span = format!("{:.1}-{:.1} s", self.from.as_secs_f64(), self.to.as_secs_f64());
            let mark = match (self.ways.len(), way.way) {
                (1, _) => "",
                (_, Way::Forward) => "->",
                (_, Way::Reverse) => "<-",
            };
            let all = way.bytes();
            let mut line = format!("{span:>13} {mark:2} {:>9} {:>12}", show_size(all), bits(all, seconds));
            for name in &names {
                let path = way.paths.iter().find(|path| path.name == *name);
                let rate = path.map_or("-".to_owned(), |path| path.shown(seconds));
                line.push_str(&format!("   {rate:>width$}", width = column(name)));
            }
            line
        };
        self.ways.iter().map(line).collect()
    }
}

impl WayRow {
    fn bytes(&self) -> ByteCount {
        self.paths.iter().map(|path| path.carried).sum()
    }

    fn document(&self, seconds: f64) -> Value {
        let path = |path: &PathRow| {
            json!({
                "name": path.name,
                "state": path.state,
                "bytes": path.carried.get(),
                "goodput_bps": rate(path.carried.get(), seconds),
                "rtt_s": path.rtt.map(Duration::as_secs_f64),
                "cwnd_bytes": path.cwnd.get(),
            })
        };
        json!({
            "bytes": self.bytes().get(),
            "goodput_bps": rate(self.bytes().get(), seconds),
            "paths": self.paths.iter().map(path).collect::<Vec<_>>(),
        })
    }
}

impl PathRow {
    /// Its rate, or why it has none.
    fn shown(&self, seconds: f64) -> String {
        match self.state {
            "active" => bits(self.carried, seconds),
            state if self.carried.is_zero() => state.to_owned(),
            _ => bits(self.carried, seconds),
        }
    }
}

fn path_rows(watch: &Watch, before: &[(PathId, ByteCount)]) -> Vec<PathRow> {
    let carried_before = |id: PathId| before.iter().find(|(one, _)| *one == id).map(|(_, carried)| *carried);
    let paths = watch.paths().iter().map(|path| PathRow {
        name: path.name.clone(),
        carried: path.carried.saturating_sub(carried_before(path.report.id).unwrap_or_default()),
        state: path.state(),
        rtt: path.report.sample.srtt,
        cwnd: path.report.sample.cwnd,
    });
    paths.collect()
}

fn carried(watch: &Watch) -> Vec<(PathId, ByteCount)> {
    watch.paths().iter().map(|path| (path.report.id, path.carried)).collect()
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

/// A document has no more.
const MOST_ROWS: usize = 36_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        let path = |name: &str, carried, state| PathRow {
            name: name.to_owned(),
            carried: ByteCount::new(carried),
            state,
            rtt: Some(Duration::from_millis(20)),
            cwnd: ByteCount::new(30_000),
        };
        let paths = vec![path("a", 1_250_000, "active"), path("b", 0, "inactive")];
        let ways = vec![WayRow { way: Way::Forward, paths }];
        Row { from: Duration::from_secs(1), to: Duration::from_secs(2), ways }
    }

    #[test]
    fn a_line_has_the_sum_and_each_path_and_says_which_is_down() {
        assert_eq!(
            head(&row().names()),
            "     interval      carried         rate              a              b"
        );
        assert_eq!(row().lines(), ["    1.0-2.0 s      1.25 MB  10.0 Mbit/s    10.0 Mbit/s       inactive"]);
    }

    #[test]
    fn the_other_direction_stands_under_its_name() {
        let mut both = row();
        both.ways.push(WayRow { way: Way::Reverse, paths: Vec::new() });
        let document = both.document();
        assert_eq!((&document["bytes"], &document["reverse"]["bytes"]), (&json!(1_250_000), &json!(0)));
        assert_eq!(document["paths"][0]["goodput_bps"], 1e7);
        assert_eq!(both.lines().len(), 2);
    }
}
