//! A test's results as tables.

use anabranch_base::{BitRate, ByteCount};
use anabranch_bench::protocol::{Delays, ReceiverReport};
use anabranch_bench::{DeadlineEntry, Measured, OneDirection, PathEntry, TestDirection, cpu_s_per_gb};
use anabranch_diagnose::{Alone, Diagnosis};

use crate::labels::Labels;
use crate::report::{head, lay_out_narrow, optional_columns};

/// Formats the whole result: each path, the received data, its delay, its cost.
pub(super) fn summary(measured: &Measured) -> String {
    let (first, reverse) = measured.directions();
    let mut text = one_way(measured, &first);
    if let Some(reverse) = &reverse {
        text.push('\n');
        text.push_str(&one_way(measured, reverse));
    }
    text
}

fn one_way(measured: &Measured, one: &OneDirection<'_>) -> String {
    let mut text = format!("\n{}\n", paths(&one.paths));
    let ends = match one.direction {
        TestDirection::Forward => "client to server",
        TestDirection::Reverse => "server to client",
    };
    let rate = shown_rate(one.goodput_bps());
    let bytes = ByteCount::new(one.bytes()).rounded();
    text.push_str(&format!("{bytes} in {:.1} s, {rate}, {ends}\n", one.seconds()));
    if let Some(offered) = measured.ask.rate {
        text.push_str(&offered_load(one, offered, measured.ask.message));
    }
    if let Some(received) = one.received().filter(|received| received.messages > 0) {
        text.push_str(&lateness(received, measured.clock_error.as_secs_f64()));
    }
    if let Some(deadline) = one.deadline(&measured.ask) {
        text.push_str(&fates(&deadline, measured.clock_error.as_secs_f64()));
    }
    let cost = |report| Option::and_then(report, cpu_s_per_gb).map(|cost| format!("{cost:.2} s"));
    if let (Some(sender), Some(receiver)) = (cost(one.sender), cost(one.receiver)) {
        text.push_str(&format!("processor time per GB: sender {sender}, receiver {receiver}\n"));
    }
    text
}

/// Each path, and where its time went.
fn paths(all: &[PathEntry]) -> String {
    let head = head([
        "path",
        "state",
        "carried",
        "share",
        "rate",
        "resent",
        "time-outs",
        "RTT min/mean",
        "idle",
        "cwnd",
        "rwnd",
        "sched",
        "down",
    ]);
    let labels = Labels::of_entries(all);
    let rows = all.iter().map(|path| row(path, &labels));
    let optional = optional_columns(all.iter().map(|path| path.state.as_str()), &OPTIONAL);
    lay_out_narrow(&std::iter::once(head).chain(rows).collect::<Vec<_>>(), 2, &optional)
}

/// The diagnosis in words, with a table of the paths alone if they were tested.
pub(super) fn verdict(verdict: &Diagnosis, alone: &[Alone], measured: &Measured) -> String {
    let mut text = String::new();
    if !alone.is_empty() {
        let (together, _) = measured.directions();
        let head = head(["path", "alone", "together"]);
        let labels = Labels::of_entries(&together.paths);
        let rows = alone.iter().map(|alone| {
            let path = together.paths.iter().find(|path| path.name == alone.name);
            let here = path.map_or("-".to_owned(), |path| shown_rate(path.goodput_bps));
            let there = if alone.is_dead() { "no answer".to_owned() } else { shown_rate(alone.goodput_bps) };
            vec![labels.name(&alone.name), there, here]
        });
        text.push_str(&lay_out_narrow(&std::iter::once(head).chain(rows).collect::<Vec<_>>(), 1, &[]));
        let share = verdict.share_of_sum.map_or("-".to_owned(), |share| format!("{:.0} %", share * 100.0));
        text.push_str(&format!(
            "\nthe best alone carries {}, the sum is {}; together they carry {}, {share} of the sum\n",
            shown_rate(verdict.best_alone_bps.unwrap_or(0.0)),
            shown_rate(verdict.sum_alone_bps.unwrap_or(0.0)),
            shown_rate(together.goodput_bps())
        ));
    }
    let (together, _) = measured.directions();
    let used = together.paths.iter().filter(|path| path.carried_bytes > 0).count();
    let limit = limit(verdict.limited_by, used);
    text.push_str(&format!("limited by: {limit}\n{}\n", verdict.advice));
    text
}

/// Describes the limit of the test: without another limit, the links are full.
fn limit(limited_by: &str, paths: usize) -> String {
    match (limited_by, paths) {
        ("nothing", 0 | 1) => "the link (full)".to_owned(),
        ("nothing", 2) => "the links (both full)".to_owned(),
        ("nothing", _) => "the links (all full)".to_owned(),
        ("losses", _) => "losses, while no queue stands".to_owned(),
        (other, _) => other.to_owned(),
    }
}

fn row(path: &PathEntry, labels: &Labels) -> Vec<String> {
    let all = path.limited_s();
    let part =
        |seconds: f64| if all > 0.0 { format!("{:.0} %", seconds / all * 100.0) } else { "-".to_owned() };
    vec![
        labels.name(&path.name),
        path.state.clone(),
        ByteCount::new(path.carried_bytes).rounded(),
        format!("{:.0} %", path.share * 100.0),
        shown_rate(path.goodput_bps),
        path.counters.retransmitted_chunks.to_string(),
        path.counters.timeouts.to_string(),
        round_trips(path),
        part(path.app_limited_s),
        part(path.cwnd_limited_s),
        part(path.rwnd_limited_s),
        part(path.scheduler_limited_s),
        part(path.down_s),
    ]
}

/// The minimum and the mean round-trip time. A large difference means that a queue is full.
fn round_trips(path: &PathEntry) -> String {
    let shown = |seconds: f64| format!("{:.1}", seconds * 1e3);
    match (path.min_rtt_s, path.mean_rtt_s) {
        (Some(least), Some(mean)) => format!("{}/{} ms", shown(least), shown(mean)),
        (None, Some(mean)) => format!("{} ms", shown(mean)),
        _ => "-".to_owned(),
    }
}

/// Compares the requested rate with what was sent.
fn offered_load(one: &OneDirection<'_>, offered: BitRate, message: ByteCount) -> String {
    match one.unsent_messages() {
        0 => format!("{offered} was offered\n"),
        unsent => format!(
            "{offered} was offered, more than the paths can carry: {unsent} due messages ({}) were never \
             sent\n",
            (message * unsent).rounded()
        ),
    }
}

fn lateness(received: &ReceiverReport, error: f64) -> String {
    let Delays { p50, p95, p99, max } = received.delay_s;
    let [p50, p95, p99, max] = [p50, p95, p99, max].map(milliseconds);
    let error = if error > 0.0 {
        format!(" (each ± {} at most, two clocks)", milliseconds(error))
    } else {
        String::new()
    };
    format!(
        "message delay: median {p50}, 95 % {p95}, 99 % {p99}, longest {max}{error}\n\
         longest stall: {} after {:.1} s\n",
        milliseconds(received.longest_stall_s),
        received.longest_stall_at_s
    )
}

/// The share of messages in time, and the fate of the others.
fn fates(entry: &DeadlineEntry, error: f64) -> String {
    let error = if error > 0.0 { format!(" ± {}", milliseconds(error)) } else { String::new() };
    let lifetime = entry
        .lifetime_s
        .map_or("none given up".to_owned(), |lifetime| format!("given up after {}", milliseconds(lifetime)));
    format!(
        "in time ({}{error}): {:.2} % of {} messages; {lifetime}\n\
         late: {}; dropped: {} before, {} after sending; unsent at the end: {}\n",
        milliseconds(entry.deadline_s),
        // Never 100 % if one is missing.
        (entry.in_time_share * 1e4).floor() / 1e2,
        entry.due_messages,
        entry.late_messages,
        entry.dropped_unsent_messages,
        entry.dropped_sent_messages,
        entry.unsent_messages
    )
}

/// `59.1 Mbit/s`.
pub(crate) fn shown_rate(bps: f64) -> String {
    BitRate::from_bits_per_second(bps.max(0.0) as u64).to_string()
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.1} ms", seconds * 1e3)
}

/// The columns that are dropped first if a line is too long. The JSON document has all.
const OPTIONAL: [&str; 5] = ["share", "carried", "time-outs", "down", "sched"];
