//! The advice for each bottleneck.

use anabranch_base::exact::exact_size;
use anabranch_base::{BitRate, ByteCount, Duration};

use super::Bottleneck;
use super::losses::{self, loss_share, percent};
use super::weighed::Weighed;
use crate::path_seen::PathSeen;
use crate::remedy::{Remedy, RemedyWords};

/// The advice for `cause`.
pub(super) fn on(cause: Bottleneck, evidence: &Weighed<'_>, words: RemedyWords) -> String {
    let said = match cause {
        Bottleneck::Nothing => nothing(evidence, words),
        Bottleneck::Application => application(evidence, words),
        Bottleneck::Outage => outage(evidence),
        Bottleneck::ReceiveBuffer => receive_buffer(evidence, words),
        Bottleneck::SendBuffer => send_buffer(evidence, words),
        Bottleneck::Processor => format!(
            "an end used {:.1} of its processor's cores: use a faster processor, stop other programs, or use \
             an optimised build",
            evidence.run.cpu_share
        ),
        Bottleneck::Scheduler => scheduler(evidence, words),
        Bottleneck::SharedLink => format!(
            "together the paths carry as much as the best path alone, {}: they probably share a link, and \
             further paths over it add nothing",
            rate(evidence.best_alone().map_or(0.0, |best| best.goodput_bps))
        ),
        Bottleneck::Losses => losses::advice(&evidence.held_by_losses(), words).unwrap_or_default(),
        Bottleneck::CongestionWindow => congestion_window(evidence, words),
    };
    format!("{said}{}", left_out(cause, evidence))
}

fn nothing(evidence: &Weighed<'_>, words: RemedyWords) -> String {
    match evidence.share_of_sum() {
        Some(share) if share > MORE_THAN_ALL => {
            format!(
                "together the paths carry more than each does alone: the tests were too short \
                 for windows to grow, or something else used the links meanwhile; measure longer, {}",
                words(&LONGER)
            )
        }
        None if evidence.fill_without_queue() => format!(
            "no change needed: the sender sends what it measures each link to deliver; {} tells what each path \
             carries alone",
            words(&Remedy::EachAlone)
        ),
        None => format!(
            "no change needed: every link was kept full, with a queue; {} tells what each path carries alone",
            words(&Remedy::EachAlone)
        ),
        _ => "no change needed: together the paths carry the sum of each alone".to_owned(),
    }
}

fn application(evidence: &Weighed<'_>, words: RemedyWords) -> String {
    let offered = rate(evidence.run.offered_bps.unwrap_or(0.0));
    match evidence.sum_alone {
        Some(sum) if sum > evidence.run.goodput_bps / super::ALL_OF_IT => {
            format!("the paths took all of {offered}; to learn what they carry, {}", words(&Remedy::NoRate))
        }
        _ => format!(
            "the rate of {offered} was kept; to learn what the paths carry, {}",
            words(&Remedy::NoRate)
        ),
    }
}

fn outage(evidence: &Weighed<'_>) -> String {
    let dead: Vec<&str> = evidence.dead().map(|alone| alone.name.as_str()).collect();
    if !dead.is_empty() {
        return format!(
            "{} carried nothing, not even alone: check that link. The sum is that of the other paths",
            dead.join(" and ")
        );
    }
    let Some((path, share)) = evidence.longest_down() else { return String::new() };
    let rest = if path.is_active { "works again" } else { "is still down" };
    format!(
        "{} carried nothing for {:.1} s ({:.0} % of the test), and {rest}: check that link; meanwhile the \
         other paths carried what they could",
        path.name,
        path.down_s,
        share * 100.0
    )
}

fn receive_buffer(evidence: &Weighed<'_>, words: RemedyWords) -> String {
    let (needed, rates, longest) = evidence.needed_buffer();
    let needed = rounded(needed);
    let has = evidence.run.receive_buffer_bytes.unwrap_or(0);
    let reason = format!(
        "twice {} for the {} that the slowest path takes there and back is {}",
        rate(rates),
        milliseconds(longest),
        exact_size(needed)
    );
    if has > 0 && needed.get() <= has {
        return format!(
            "the receiver's {} would do ({reason}), but what waits in it for a path's lost packets fills it: \
             {}, or more at the receiver, {}",
            exact_size(ByteCount::new(has)),
            sparing(evidence, words),
            words(&buffer("receive_buffer", ByteCount::new(has.saturating_mul(2))))
        );
    }
    let again = if evidence.is_alone_blocked() {
        "; then measure again, because it limited even a path alone"
    } else {
        ""
    };
    format!(
        "the receiver's buffer of {} is too small ({reason}): {} there{again}. Where it has no \
         more memory, {}",
        exact_size(ByteCount::new(has)),
        words(&buffer("receive_buffer", needed)),
        sparing(evidence, words)
    )
}

/// The scheduler that needs the least receive buffer (docs/tournament.md), unless it is set.
fn sparing(evidence: &Weighed<'_>, words: RemedyWords) -> String {
    match first_unset(&[SPARING], evidence) {
        None => format!("no other scheduler makes more of it than {SPARING}, which is set"),
        Some(_) => format!("try {} at the sender", words(&schedule(SPARING))),
    }
}

/// The scheduler that needs the smallest buffer.
const SPARING: &str = "in-order-arrival";
/// The schedulers that use paths most fully, best first.
pub(crate) const FILLING: [&str; 2] = ["fill", "round-robin"];

/// The first of `schedulers` that the sender does not use.
fn first_unset(schedulers: &[&'static str], evidence: &Weighed<'_>) -> Option<&'static str> {
    let set = evidence.run.scheduler.as_deref();
    schedulers.iter().copied().find(|scheduler| Some(*scheduler) != set)
}

fn send_buffer(evidence: &Weighed<'_>, words: RemedyWords) -> String {
    let (needed, ..) = evidence.needed_buffer();
    let has = evidence.run.send_buffer_bytes.unwrap_or(0);
    // Data in flight stays in the send buffer until it is acknowledged.
    let more = rounded(needed.max(2.0 * has as f64));
    format!(
        "the paths ran dry: what was under way filled the sender's buffer of {}: {} there",
        exact_size(ByteCount::new(has)),
        words(&buffer("send_buffer", more))
    )
}

fn scheduler(evidence: &Weighed<'_>, words: RemedyWords) -> String {
    let unused =
        evidence.run.paths.iter().max_by(|a, b| a.scheduler_limited_s.total_cmp(&b.scheduler_limited_s));
    let path = unused.map_or("a path", |path| path.name.as_str());
    let other = words(&schedule(first_unset(&FILLING, evidence).unwrap_or(FILLING[0])));
    let Some(scheduler) = &evidence.run.scheduler else {
        return format!("the sender's scheduler left room on {path}: {other} there");
    };
    format!("the scheduler {scheduler} left room on {path}: try {other}")
}

fn congestion_window(evidence: &Weighed<'_>, words: RemedyWords) -> String {
    let Some((path, gap)) = evidence.widest_gap() else { return windows_alone(evidence, words) };
    let carried = format!(
        "{} carried {} of the {} that it carries alone",
        path.name,
        rate(path.goodput_bps),
        rate(path.goodput_bps + gap)
    );
    match (path.retransmitted_chunks, path.timeouts) {
        (0, 0) => format!(
            "{carried}, and lost nothing: its window was still growing; a longer test ({}) tells more",
            words(&LONGER)
        ),
        (resent, 0) => {
            format!("{carried}; {} reduced its window ({resent} chunks resent)", losses_on(path))
        }
        (_, timeouts) => format!(
            "{carried}; {} and {timeouts} time-outs reduced its window: check that link for losses or \
             delays",
            losses_on(path)
        ),
    }
}

/// The advice without tests of each path alone, and without evidence of full links or of losses at empty queues.
fn windows_alone(evidence: &Weighed<'_>, words: RemedyWords) -> String {
    let each = words(&Remedy::EachAlone);
    let lossy = evidence.run.paths.iter().filter(|path| path.retransmitted_chunks > 0);
    let lossy: Vec<String> = lossy
        .map(|path| format!("{} lost about {} of its packets", path.name, percent(loss_share(path))))
        .collect();
    if lossy.is_empty() {
        return format!(
            "the congestion windows, which lost nothing: they were still growing, or the links are full; \
             {each} tells what each path carries alone"
        );
    }
    format!("the congestion windows: {}; {each} tells what each path carries alone", lossy.join(", "))
}

fn losses_on(path: &PathSeen) -> String {
    format!("losses of about {}", percent(loss_share(path)))
}

/// Advises to leave out paths that reduce the goodput of all below that of the best alone.
fn left_out(cause: Bottleneck, evidence: &Weighed<'_>) -> String {
    let Some(best) = evidence.best_alone().filter(|_| evidence.alone.len() > 1) else { return String::new() };
    let is_harm = evidence.run.goodput_bps < HARM * best.goodput_bps && cause != Bottleneck::Application;
    if !is_harm {
        return String::new();
    }
    let others =
        evidence.alone.iter().filter(|alone| alone.name != best.name).map(|alone| alone.name.as_str());
    format!(
        ". Until then do not use {}: {} alone carries {}, more than all paths together",
        others.collect::<Vec<_>>().join(" and "),
        best.name,
        rate(best.goodput_bps)
    )
}

/// Rounds up to a power of two: the estimate is not more exact.
fn rounded(bytes: f64) -> ByteCount {
    ByteCount::new((bytes.clamp(LEAST_BUFFER, MOST_BUFFER) as u64).next_power_of_two())
}

fn buffer(key: &'static str, size: ByteCount) -> Remedy {
    Remedy::Set { key, value: exact_size(size) }
}

fn schedule(name: &str) -> Remedy {
    Remedy::Set { key: "scheduler", value: name.to_owned() }
}

fn rate(bps: f64) -> String {
    BitRate::from_bits_per_second(bps.max(0.0) as u64).to_string()
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.0} ms", seconds * 1e3)
}

/// A test long enough for windows to grow.
const LONGER: Remedy = Remedy::MeasureFor(Duration::from_secs(30));
/// A total below this part of the best path alone shows that other paths do harm.
const HARM: f64 = 0.9;
/// More than this part of the sum contradicts the tests of each path alone.
const MORE_THAN_ALL: f64 = 1.05;
/// 64 KiB, the smallest advised buffer.
const LEAST_BUFFER: f64 = 65_536.0;
/// 1 GiB, the largest advised buffer: more would be an error of measurement.
const MOST_BUFFER: f64 = 1_073_741_824.0;
