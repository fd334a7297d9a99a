//! What is shown while a transfer runs: bars on a terminal, a line now and then, or nothing.

use std::io::IsTerminal;

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_net::Event;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::arguments::Output;
use crate::failure::printable;
use crate::report;
use crate::transfer::Progress;
use anabranch_net::monitor::{MonitoredPath, PathMonitor};

/// A way to show progress, on standard error (JSON lines: on standard output).
pub struct ProgressView {
    screen: Screen,
    is_verbose: bool,
    is_quiet: bool,
}

enum Screen {
    Nothing,
    Bars(Bars),
    JsonLines(LineTimer),
}

struct Bars {
    all: MultiProgress,
    total: ProgressBar,
    paths: Vec<ProgressBar>,
    /// Whether it is known how much is to come.
    is_known: bool,
    resumed: ByteCount,
}

/// When the next line is due.
struct LineTimer {
    every: Duration,
    next: Time,
}

impl ProgressView {
    /// What `output` asks for.
    pub fn new(output: Output) -> ProgressView {
        let is_terminal = std::io::stderr().is_terminal();
        let screen = if output.json_lines {
            Screen::JsonLines(LineTimer {
                every: Duration::from_secs(1),
                next: Time::ZERO + Duration::from_secs(1),
            })
        } else if output.quiet {
            Screen::Nothing
        } else if is_terminal {
            Screen::Bars(Bars::new())
        } else {
            Screen::Nothing
        };
        ProgressView { screen, is_verbose: output.verbose, is_quiet: output.quiet }
    }

    /// Shows how far it is.
    pub fn show(&mut self, monitor: &PathMonitor, progress: &Progress) {
        self.show_remarks(progress);
        match &mut self.screen {
            Screen::Nothing => {}
            Screen::Bars(bars) => bars.show(monitor, progress),
            Screen::JsonLines(pace) => {
                if pace.is_due(monitor.now()) {
                    report::print_line(&report::line(monitor, progress).to_string());
                }
            }
        }
    }

    /// Tells which paths there are, where that is wanted.
    pub fn on_connected(&self, monitor: &PathMonitor) {
        for path in monitor.paths().iter().filter(|_| self.is_verbose) {
            self.say(&format!("{:7.3} s  path {} is {}", 0.0, path.name, path.state()));
        }
    }

    /// Tells what happened to a path, where that is wanted.
    pub fn on_event(&self, monitor: &PathMonitor, event: &Event) {
        if !self.is_verbose {
            return;
        }
        let Some(name) = monitor.name_of(event) else { return };
        let what = match event {
            Event::PathAdded(_) => "is known".to_owned(),
            Event::PathRemoved(_) => "is gone".to_owned(),
            Event::PathConfirmed(_) => "is verified".to_owned(),
            Event::PathSuspected(_) => "may have failed".to_owned(),
            Event::PathDown(_) => "failed".to_owned(),
            Event::PathUp(_) => "answers again".to_owned(),
            Event::PathMoved(_, to) => format!("moved to {to}"),
            Event::PathMtu(_, mtu) => format!("carries packets of {mtu}"),
            Event::EcnUnusable(_, fault) => format!("is used without ECN: {fault}"),
            _ => return,
        };
        self.say(&format!("{:7.3} s  path {name} {what}", monitor.now().as_nanos() as f64 / 1e9));
    }

    /// Shows what the user should know, unless he wants to know nothing.
    pub fn show_remarks(&self, progress: &Progress) {
        for remark in progress.take_remarks().iter().filter(|_| !self.is_quiet) {
            self.say(&printable(remark));
        }
    }

    /// Prints a line above the bars.
    fn say(&self, line: &str) {
        match &self.screen {
            Screen::Bars(bars) => bars.all.suspend(|| eprintln!("{line}")),
            _ => eprintln!("{line}"),
        }
    }

    /// Takes the bars away.
    pub fn finish(&mut self) {
        if let Screen::Bars(bars) = &self.screen {
            let _ = bars.all.clear();
        }
        self.screen = Screen::Nothing;
    }
}

impl Bars {
    fn new() -> Bars {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        let total = all.add(ProgressBar::new(0));
        total.set_style(style(TOTAL_UNKNOWN));
        Bars { all, total, paths: Vec::new(), is_known: false, resumed: ByteCount::ZERO }
    }

    fn show(&mut self, monitor: &PathMonitor, progress: &Progress) {
        for (index, path) in monitor.paths().iter().enumerate() {
            if index == self.paths.len() {
                let bar = self.all.insert_before(&self.total, ProgressBar::new(1000));
                bar.set_style(style("{bar:30} {msg}"));
                self.paths.push(bar);
            }
            let bar = &self.paths[index];
            // The bar is the path's share of the rate just now.
            let rate = monitor.rate().bits_per_second().max(1);
            bar.set_position(path.rate().bits_per_second() * 1000 / rate);
            bar.set_message(path_line(path));
        }
        self.show_total(progress);
    }

    /// What was there already is in the bar from its beginning, and neither in the rate nor in the time to go.
    fn show_total(&mut self, progress: &Progress) {
        let (expected, resumed) = (progress.expected(), progress.resumed());
        let there = progress.bytes() + resumed;
        let is_known = there <= expected && !expected.is_zero();
        if self.is_known != is_known {
            self.is_known = is_known;
            self.total.set_style(style(if is_known { TOTAL_KNOWN } else { TOTAL_UNKNOWN }));
        }
        self.total.set_length(expected.max(there).get());
        self.total.set_position(there.get());
        if self.resumed != resumed {
            self.resumed = resumed;
            self.total.reset_eta();
        }
        self.total.set_message(now(progress));
    }
}

impl LineTimer {
    fn is_due(&mut self, now: Time) -> bool {
        let is_due = now >= self.next;
        while self.next <= now {
            self.next += self.every;
        }
        is_due
    }
}

/// The file that travels now, and how many did.
fn now(progress: &Progress) -> String {
    let mut current = progress.current().unwrap_or_else(|| "waiting for verification".to_owned());
    if progress.is_comparing() {
        current += " (looking for data that are there already)";
    }
    match progress.tally().verified {
        0 => current,
        files => format!("{current} (after {files} more)"),
    }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.progress_chars("█▌ ")
}

fn path_line(path: &MonitoredPath) -> String {
    let rtt = path.report.sample.srtt.map_or("-".to_owned(), report::milliseconds);
    format!("{:<28} {:<9} {:>11}  RTT {rtt:>8}", path.name, path.state(), path.rate().to_string())
}

const TOTAL_KNOWN: &str =
    "{bar:30} {msg}  {decimal_bytes} of {decimal_total_bytes}  {elapsed} elapsed, {eta} left";
/// The length of standard input is not known.
const TOTAL_UNKNOWN: &str = "{msg}  {decimal_bytes}  {elapsed} gone";
