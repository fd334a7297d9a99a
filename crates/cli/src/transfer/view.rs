//! The view of a transfer while it runs: bars on a terminal, a line now and then, or nothing.

use std::io::IsTerminal;

use anabranch_base::{BitRate, ByteCount, Duration, Time};
use anabranch_net::Event;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Progress, document};
use crate::arguments::Output;
use crate::failure::printable;
use crate::labels::Labels;
use crate::links::used_up;
use crate::notice;
use crate::report;
use anabranch_net::monitor::{MonitoredPath, PathMonitor};

/// A way to show progress, on standard error (JSON lines: on standard output).
pub(crate) struct ProgressView {
    screen: Screen,
    is_verbose: bool,
    is_quiet: bool,
    /// The paths that were said to be gone.
    gone: Vec<String>,
    /// The paths of which it was said that they lose large packets.
    narrowed: Vec<String>,
}

enum Screen {
    Nothing,
    Bars(Bars),
    /// A line now and then, for output that is not a terminal.
    Lines(LineTimer),
    JsonLines(LineTimer),
}

struct Bars {
    all: MultiProgress,
    total: ProgressBar,
    /// A line for each path.
    paths: Vec<ProgressBar>,
    /// True if it is known how much is to come.
    is_known: bool,
    resumed: ByteCount,
}

/// When the next line is due.
struct LineTimer {
    every: Duration,
    next: Time,
}

impl ProgressView {
    /// Makes the view that `output` requests.
    pub(crate) fn new(output: Output) -> ProgressView {
        let is_terminal = std::io::stderr().is_terminal();
        let screen = if output.json_lines {
            Screen::JsonLines(LineTimer::every(Duration::from_secs(1)))
        } else if output.quiet {
            Screen::Nothing
        } else if is_terminal {
            Screen::Bars(Bars::new())
        } else {
            Screen::Lines(LineTimer::every(Duration::from_secs(5)))
        };
        let (gone, narrowed) = (Vec::new(), Vec::new());
        ProgressView { screen, is_verbose: output.verbose, is_quiet: output.quiet, gone, narrowed }
    }

    /// Shows how far it is.
    pub(crate) fn show(&mut self, monitor: &PathMonitor, progress: &Progress) {
        self.show_remarks(progress);
        match &mut self.screen {
            Screen::Nothing => {}
            Screen::Bars(bars) => bars.show(monitor, progress),
            Screen::Lines(pace) => {
                if pace.is_due(monitor.now()) {
                    notice::tell(&line(monitor, progress));
                }
            }
            Screen::JsonLines(pace) => {
                if pace.is_due(monitor.now()) {
                    report::print_line(&document::line(monitor, progress).to_string());
                }
            }
        }
    }

    /// Tells which paths there are, where that is wanted.
    pub(crate) fn on_connected(&self, monitor: &PathMonitor) {
        for path in monitor.paths().iter().filter(|_| self.is_verbose) {
            self.say(&format!("{:7.3} s  path {} is {}", 0.0, path.name, path.state()));
        }
    }

    /// Tells what happened to a path: everything where that is wanted, otherwise that one is gone or back.
    pub(crate) fn on_event(&mut self, monitor: &PathMonitor, event: &Event) {
        let Some(name) = monitor.name_of(event) else { return };
        if !self.is_verbose {
            if let Event::PathNarrowed(_, lost) = event {
                return self.on_narrowed(name, *lost);
            }
            let was_gone = self.gone.iter().any(|gone| gone == name);
            if let Some(news) = news(monitor, event, was_gone, &Labels::of(monitor)) {
                self.gone.retain(|gone| gone != name);
                self.gone.extend((!was_gone).then(|| name.to_owned()));
                if !self.is_quiet {
                    self.say(&news);
                }
            }
            return;
        }
        let what = match event {
            Event::PathAdded(_) => "is known".to_owned(),
            Event::PathRemoved(_) => "is gone".to_owned(),
            Event::PathConfirmed(_) => "is verified".to_owned(),
            Event::PathSuspected(_) => "may have failed".to_owned(),
            Event::PathDown(_) => "failed".to_owned(),
            Event::PathUp(_) => "answers again".to_owned(),
            Event::PathMoved(_, to) => format!("moved to {to}"),
            Event::PathMtu(_, mtu) => format!("carries packets of {mtu}"),
            Event::PathNarrowed(_, lost) => format!("loses packets of {lost}, not smaller ones"),
            Event::EcnUnusable(_, fault) => format!("is used without ECN: {fault}"),
            _ => return,
        };
        self.say(&format!("{:7.3} s  path {name} {what}", monitor.now().as_nanos() as f64 / 1e9));
    }

    /// Tells once of each path that it loses large packets.
    fn on_narrowed(&mut self, name: &str, lost: ByteCount) {
        if self.narrowed.iter().any(|known| known == name) {
            return;
        }
        self.narrowed.push(name.to_owned());
        if !self.is_quiet {
            self.say(&narrowed(&Labels::now().short(name), lost));
        }
    }

    /// Shows what the user should know, unless he wants to know nothing.
    pub(crate) fn show_remarks(&self, progress: &Progress) {
        for remark in progress.take_remarks().iter().filter(|_| !self.is_quiet) {
            self.say(&printable(remark));
        }
    }

    /// Prints a line above the bars.
    fn say(&self, line: &str) {
        match &self.screen {
            Screen::Bars(bars) => bars.all.suspend(|| notice::tell(line)),
            _ => notice::tell(line),
        }
    }

    /// Takes the bars away.
    pub(crate) fn finish(&mut self) {
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
        let labels = Labels::of(monitor);
        for (index, path) in monitor.paths().iter().enumerate() {
            if index == self.paths.len() {
                let line = self.all.insert_before(&self.total, ProgressBar::new(0));
                line.set_style(style("{wide_msg}"));
                self.paths.push(line);
            }
            self.paths[index].set_message(path_line(path, monitor.rate(), &labels));
        }
        self.total.set_prefix(monitor.rate().to_string());
        self.show_total(progress);
    }

    /// Data that was there already is in the bar from its beginning, and neither in the rate nor in the time to go.
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
    fn every(every: Duration) -> LineTimer {
        LineTimer { every, next: Time::ZERO + every }
    }

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
    if progress.is_verifying() {
        current += " (reading back what was stored)";
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

/// A path's rate, its part of all rates, its round trip and its state.
fn path_line(path: &MonitoredPath, all: BitRate, labels: &Labels) -> String {
    let rtt = path.report.sample.srtt.map_or("-".to_owned(), report::milliseconds);
    let share = path.rate().bits_per_second() as f64 / all.bits_per_second().max(1) as f64;
    let (label, rate) = (labels.name(&path.name), path.rate().to_string());
    format!("  {label:<26} {rate:>11} {:>4.0} %  RTT {rtt:>8}  {}", share * 100.0, path.state())
}

/// Describes the progress on one line.
fn line(monitor: &PathMonitor, progress: &Progress) -> String {
    let labels = Labels::of(monitor);
    let there = progress.bytes() + progress.resumed();
    let expected = progress.expected();
    let of = if there <= expected { format!(" of {}", expected.rounded()) } else { String::new() };
    let path = |path: &MonitoredPath| format!("{} {}", labels.short(&path.name), path.rate());
    let paths: Vec<String> = monitor.paths().iter().map(path).collect();
    let seconds = monitor.now().as_nanos() as f64 / 1e9;
    let (there, rate) = (there.rounded(), monitor.rate());
    format!("{seconds:.0} s: {there}{of}, {rate} ({})", paths.join(", "))
}

/// That packets of the size `lost` no longer arrive on `path`.
fn narrowed(path: &str, lost: ByteCount) -> String {
    format!(
        "{path}: packets of {lost} vanish, something on the way drops them; going on with smaller ones, and with \
         what is under way in fragments"
    )
}

/// That a path is gone, and what carries on, if that was not said; or that it is back.
fn news(monitor: &PathMonitor, event: &Event, was_gone: bool, labels: &Labels) -> Option<String> {
    let name = monitor.name_of(event)?;
    let short = labels.short(name);
    let links = monitor.links();
    let may_carry = |path: &String| !links.iter().any(|link| link.is_used_up && link.name == *path);
    let others =
        monitor.paths().iter().filter(|path| path.name != name && path.report.sample.state.carries_data());
    let others: Vec<String> = others.map(|path| labels.short(&path.name)).filter(may_carry).collect();
    let used_up = links.iter().filter(|link| link.name == short).find_map(used_up);
    news_of(event, was_gone, (&short, used_up), &others)
}

/// The same of a path by its short name, with the reason why its link was given up, if it was.
fn news_of(
    event: &Event,
    was_gone: bool,
    (path, used_up): (&str, Option<String>),
    others: &[String],
) -> Option<String> {
    let gone = used_up.unwrap_or_else(|| format!("{path} gone"));
    match (event, others) {
        (Event::PathDown(_) | Event::PathRemoved(_), _) if was_gone => None,
        (Event::PathDown(_) | Event::PathRemoved(_), []) => {
            Some(format!("{gone}, and no other path answers; waiting for one to come back"))
        }
        (Event::PathDown(_) | Event::PathRemoved(_), others) => {
            Some(format!("{gone}, going on over {}", others.join(", ")))
        }
        (Event::PathUp(_) | Event::PathConfirmed(_), _) if was_gone => Some(format!("{path} is back")),
        _ => None,
    }
}

/// Progress is that of the data; shares are in the lines of the paths.
const TOTAL_KNOWN: &str =
    "{bar:24} {percent:>3} %  {decimal_bytes} of {decimal_total_bytes}  {prefix}  {eta} left\n{wide_msg}";
/// The length of standard input is not known.
const TOTAL_UNKNOWN: &str = "{decimal_bytes}  {prefix}  {elapsed} gone\n{wide_msg}";

#[cfg(test)]
mod tests {
    use anabranch_net::PathId;

    use super::*;

    #[test]
    fn a_path_that_goes_is_told_with_what_carries_on() {
        let id = PathId::from_index(0);
        let (gone, back) = (Event::PathDown(id), Event::PathUp(id));
        let other = ["wwan0".to_owned()];
        let told =
            |event: &Event, was_gone, others: &[String]| news_of(event, was_gone, ("wlan0", None), others);
        assert_eq!(told(&gone, false, &other).as_deref(), Some("wlan0 gone, going on over wwan0"));
        assert!(told(&gone, false, &[]).is_some_and(|news| news.contains("no other path answers")));
        assert_eq!(told(&gone, true, &other), None, "once");
        assert_eq!(told(&back, true, &other).as_deref(), Some("wlan0 is back"));
        assert_eq!(told(&back, false, &other), None, "it was only suspected");
        assert_eq!(told(&Event::PathSuspected(id), false, &other), None);
        let used_up = Some("wlan0 has carried its 2 GB".to_owned());
        let told = news_of(&gone, false, ("wlan0", used_up), &other);
        assert_eq!(told.as_deref(), Some("wlan0 has carried its 2 GB, going on over wwan0"));
    }

    #[test]
    fn a_path_that_loses_large_packets_is_told_once() {
        let output = Output { quiet: true, ..Output::default() };
        let mut view = ProgressView::new(output);
        view.on_narrowed("10.0.0.1 > 192.0.2.1:9899", ByteCount::new(1_500));
        view.on_narrowed("10.0.0.1 > 192.0.2.1:9899", ByteCount::new(1_280));
        assert_eq!(view.narrowed.len(), 1);
        assert!(narrowed("wlan0", ByteCount::new(1_500)).starts_with("wlan0: packets of 1500 B vanish"));
    }
}
