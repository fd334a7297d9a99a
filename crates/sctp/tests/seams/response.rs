//! A loss response says what becomes of windows, chunks, data, probes, timers and error counts, and each word of it is
//! carried out.

use std::sync::{Arc, Mutex};

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_sctp::config::{Config, EcnUse};
use anabranch_sctp::policy::congestion::CutCause;
use anabranch_sctp::policy::response::{Hold, LossResponse, Resend, Response, Signal, TimerRule};
use anabranch_sctp::policy::{PathId, Registry, View};
use anabranch_sctp::record::Happening;
use anabranch_sctp::seq::Tsn;
use anabranch_sctp::wire::EcnEcho;

use crate::pair::{End, Pair, path};
use crate::{FULL, PACKET, counted, ms};

/// Takes a time-out for a link that is away: it keeps the window, holds all data, and asks again and again whether the path
/// is back. Losses that others report are congestion, and are repaired one in a round trip.
#[derive(Clone, Debug, Default)]
struct Patient {
    notes: Arc<Mutex<Notes>>,
}

#[derive(Debug, Default)]
struct Notes {
    signals: Vec<Signal>,
    /// The state after each SACK: whether anything is unacknowledged, and whether a cut and a mark are open.
    progress: Vec<(bool, bool, bool)>,
}

impl LossResponse for Patient {
    fn on_signal(&mut self, signal: Signal, path: PathId, view: &View<'_>) -> Response {
        self.notes.lock().expect("one thread").signals.push(signal);
        let rto = view.path(path).rto;
        let probed = Response {
            probe: true,
            hold_data: true,
            timer: TimerRule::Uniform { low: rto, high: rto * 3 / 2 },
            ..Response::NONE
        };
        match signal {
            Signal::Timeout { .. } | Signal::WindowProbeUnanswered => {
                Response { resend: Resend::All, ..probed }
            }
            Signal::ProbeUnanswered => probed,
            Signal::ProbeAnswered => Response::NONE,
            Signal::Missing => {
                Response { cut: Some(CutCause::Missing), resend: Resend::OnePerRtt, ..Response::NONE }
            }
            Signal::MissingInRecovery | Signal::SmallWindow => {
                Response { resend: Resend::OnePerRtt, ..Response::NONE }
            }
            Signal::EcnEcho => Response { cut: Some(CutCause::EcnEcho), ..Response::NONE },
        }
    }

    fn follows_progress(&self) -> bool {
        true
    }

    fn on_progress(&mut self, path: PathId, lowest_unacked: Option<Tsn>, view: &View<'_>) -> Hold {
        let sample = view.path(path);
        let progress = (lowest_unacked.is_some(), sample.cut_open, sample.ecn_open);
        self.notes.lock().expect("one thread").progress.push(progress);
        if lowest_unacked.is_none() { Hold::Release } else { Hold::Keep }
    }
}

/// An association under that response, with a window of `packets` that is used, and its notes from now on.
fn open(packets: u64) -> (Pair, Patient) {
    let (mut registry, patient) = (Registry::standard(), Patient::default());
    let built = patient.clone();
    registry.loss_responses.add("patient", move |_| Box::new(built.clone()));
    let config = Config {
        loss_response: "patient".into(),
        ecn: EcnUse::Echo,
        initial_ssthresh: Some(ByteCount::new(packets * PACKET)),
        ..counted()
    };
    let mut pair = Pair::open_with(&registry, &config, 1);
    pair.z.reads_at_once = true;
    pair.send_at_once(End::A, 4 * packets as usize, FULL);
    pair.run_for(ms(1_000));
    assert!(pair.path(End::A, 0).cwnd >= ByteCount::new(packets * PACKET));
    pair.log.clear();
    pair.at(End::A).record();
    *patient.notes.lock().expect("one thread") = Notes::default();
    (pair, patient)
}

/// When packets with this chunk left A.
fn times(pair: &Pair, chunk: &str) -> Vec<Time> {
    let lines = pair.log.iter().filter(|line| line.from == End::A && line.text.contains(chunk));
    lines.map(|line| line.at).collect()
}

#[test]
fn a_path_that_is_away_is_probed_and_its_data_held_without_a_cut_or_an_error() {
    let (mut pair, patient) = open(8);
    let before = pair.path(End::A, 0);
    pair.pipes[0].is_cut = true;
    pair.send_at_once(End::A, 20, FULL);
    let sent = times(&pair, "DATA").len();
    pair.run_for(ms(10_000));
    assert_eq!(times(&pair, "DATA").len(), sent, "nothing leaves, neither marked nor new");
    let probes = times(&pair, "HEARTBEAT");
    assert!(probes.len() >= 6, "{probes:?}");
    let (least, most) = (before.rto, before.rto * 3 / 2);
    let waits: Vec<Duration> = probes.windows(2).map(|pair| pair[1].since(pair[0])).collect();
    assert!(waits.iter().all(|wait| (least..=most).contains(wait)), "{waits:?}");
    assert!(waits.windows(2).any(|pair| pair[0] != pair[1]), "they are drawn: {waits:?}");
    let counters = pair.at(End::A).path_counters(path(0));
    assert_eq!((counters.timeouts, counters.retransmitted_chunks), (0, 0));

    pair.pipes[0].is_cut = false;
    pair.log.clear();
    pair.run_for(ms(1_520));
    let again = times(&pair, "DATA");
    let at_once = again.iter().filter(|time| **time == again[0]).count();
    assert_eq!(at_once, sent, "the whole window is sent again, as soon as the probe is answered");
    pair.run_for(ms(1_000));
    let after = pair.path(End::A, 0);
    assert!(after.cwnd >= before.cwnd && after.flight.is_zero(), "{after:?}");
    assert_eq!(after.rto, before.rto, "neither backed off nor measured by the probe");
    let notes = patient.notes.lock().expect("one thread");
    assert_eq!(notes.signals[0], Signal::Timeout { again: false });
    assert_eq!(notes.signals.last(), Some(&Signal::ProbeAnswered));
    assert_eq!(notes.progress.last(), Some(&(false, false, false)));
}

#[test]
fn losses_may_be_repaired_one_in_a_round_trip_and_the_cut_stays_open_until_they_are() {
    let (mut pair, patient) = open(8);
    pair.send_at_once(End::A, 1, FULL);
    (0..3).for_each(|_| pair.drop_next(End::A, 0));
    pair.send_at_once(End::A, 8, FULL);
    let first_time = times(&pair, "DATA").len();
    pair.run_for(ms(1_000));
    let srtt = pair.path(End::A, 0).srtt.expect("it was measured");
    let again = times(&pair, "DATA").split_off(first_time);
    assert_eq!(again.len(), 3);
    assert!(again.windows(2).all(|pair| pair[1].since(pair[0]) >= srtt), "{again:?}, {srtt}");
    let records = std::iter::from_fn(|| pair.at(End::A).poll_record());
    let cuts = records.filter(|record| matches!(record.what, Happening::Window { cut: Some(_), .. }));
    assert_eq!(cuts.count(), 1);
    let notes = patient.notes.lock().expect("one thread");
    assert!(notes.signals.iter().all(|signal| matches!(signal, Signal::Missing | Signal::MissingInRecovery)));
    let open: Vec<bool> = notes.progress.iter().map(|(_, is_cut_open, _)| *is_cut_open).collect();
    assert!(open.contains(&true) && open.last() == Some(&false), "{open:?}");
}

#[test]
fn a_reported_mark_cuts_the_window_and_stays_open_until_what_was_outstanding_is_acknowledged() {
    let (mut pair, patient) = open(8);
    let before = pair.path(End::A, 0).cwnd;
    pair.send_at_once(End::A, 4, FULL);
    let (_, acked) = pair.at(End::A).ack_points().expect("it is open");
    pair.forge(End::A, &[&EcnEcho::Lowest(acked.next())]);
    pair.run_for(Duration::ZERO);
    let sample = pair.path(End::A, 0);
    assert_eq!((sample.cwnd, sample.cut_open, sample.ecn_open), (before / 2, true, true));
    pair.run_for(ms(1_000));
    let sample = pair.path(End::A, 0);
    assert_eq!((sample.cut_open, sample.ecn_open), (false, false));
    let notes = patient.notes.lock().expect("one thread");
    assert_eq!(notes.signals, [Signal::EcnEcho]);
}
