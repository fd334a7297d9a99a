//! Finds windows that losses keep small without a standing queue, and the rate they allow. Loss-based congestion
//! control takes each loss for a full queue, so that such a link carries what its losses allow and not its capacity.

use anabranch_base::{BitRate, ByteCount};

use crate::path_seen::PathSeen;
use crate::remedy::{Remedy, RemedyWords};
use crate::transfer::Control;

/// The state of a path's queue, judged from its round-trip times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueueState {
    /// The mean round trip is well above the shortest: packets always wait.
    Standing,
    /// Almost no packets wait.
    Empty,
    /// Neither, or no round trip is known.
    Unclear,
}

impl QueueState {
    /// The queue state of `path`. By Little's law the mean queue length is the rate times the wait.
    pub(crate) fn of(path: &PathSeen) -> QueueState {
        let Some((mean, least)) = path.mean_rtt_s.zip(path.min_rtt_s) else { return QueueState::Unclear };
        let wait = (mean - least).max(0.0);
        let packets = path.goodput_bps * wait / 8.0 / PACKET;
        if wait <= HARDLY * least || packets < FEW_PACKETS {
            QueueState::Empty
        } else if mean >= STANDING * least {
            QueueState::Standing
        } else {
            QueueState::Unclear
        }
    }
}

/// The paths whose windows losses keep small. `control` is the sender's congestion control if known: some do not
/// react to such losses.
pub(crate) fn held_by_losses<'a>(paths: &'a [PathSeen], control: Option<&Control>) -> Vec<&'a PathSeen> {
    if control.is_some_and(|control| control.tells_losses_apart) {
        return Vec::new();
    }
    paths.iter().filter(|path| is_held(path)).collect()
}

fn is_held(path: &PathSeen) -> bool {
    let all = path.limited_s();
    let by_window = if all > 0.0 { path.cwnd_limited_s / all } else { 0.0 };
    by_window >= MOSTLY
        && path.retransmitted_chunks >= FEWEST
        && loss_share(path) >= LEAST_SHARE
        && QueueState::of(path) == QueueState::Empty
}

/// The approximate share of a path's packets that were lost.
pub(crate) fn loss_share(path: &PathSeen) -> f64 {
    path.retransmitted_chunks as f64 / path.sent_packets.max(1) as f64
}

/// Names the paths `held` by losses with their loss rate and window, and the setting to change. `None` if `held` is
/// empty.
pub(crate) fn advice(held: &[&PathSeen], words: RemedyWords) -> Option<String> {
    let each: Vec<String> = held.iter().map(|path| sentence(path)).collect();
    let other = Remedy::Set { key: "congestion_control", value: "westwood".to_owned() };
    (!each.is_empty()).then(|| {
        format!(
            "{}. Where such losses are not congestion, as on radio links, {} at the sender carries more",
            each.join("; "),
            words(&other)
        )
    })
}

fn sentence(path: &PathSeen) -> String {
    let mut text = format!("{} lost about {} of its packets", path.name, percent(loss_share(path)));
    if let Some((mean, least)) = path.mean_rtt_s.zip(path.min_rtt_s) {
        text += &format!(
            " while hardly anything waited in its queue ({:.1} ms on average, {:.1} at least)",
            mean * 1e3,
            least * 1e3
        );
    }
    if let Some(bps) = allowed_bps(path) {
        let window = ByteCount::new(path.mean_cwnd_bytes as u64).rounded();
        let rate = BitRate::from_bits_per_second(bps as u64);
        text += &format!(": its window of {window} allows {rate}");
    }
    text
}

/// The rate of one mean window each round trip.
pub(crate) fn allowed_bps(path: &PathSeen) -> Option<f64> {
    let mean = path.mean_rtt_s.filter(|mean| *mean > 0.0)?;
    (path.mean_cwnd_bytes >= 1.0).then(|| path.mean_cwnd_bytes * 8.0 / mean)
}

/// The share in percent with one digit (`1.2 %`), below 0.1 % with two.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 0.095 { format!("{percent:.2} %") } else { format!("{percent:.1} %") }
}

/// A full packet.
const PACKET: f64 = 1_500.0;
/// Packet trains make this many wait for a moment.
const FEW_PACKETS: f64 = 3.0;
/// A wait below this part of the shortest round trip counts as an empty queue.
const HARDLY: f64 = 0.1;
/// A mean round trip of at least this many shortest ones shows a standing queue.
const STANDING: f64 = 1.25;
/// More than half of the time.
const MOSTLY: f64 = 0.5;
/// Fewer losses may be chance, or the end of slow start.
const FEWEST: u64 = 3;
/// At less than this, windows of 120 packets and more grow undisturbed: 1.5 / W² by the square-root law.
const LEAST_SHARE: f64 = 1e-4;
