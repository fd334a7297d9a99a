//! The modes of wireless-aware SCTP, row by row of M-WA-2, between two ends; and what it does without evidence.

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_policies::registry;
use anabranch_policies::wireless_aware::{EvidenceRule, WirelessRules};
use anabranch_sctp::config::{BurstRule, Config, EcnUse, Failover, MaxBurst, RtoSettings, SackSettings};
use anabranch_sctp::event::Event;
use anabranch_sctp::policy::congestion::CutCause;
use anabranch_sctp::policy::registry::OwnSettings;
use anabranch_sctp::record::Happening;

use crate::pair::{End, Pair, path};
use crate::script::counted;

/// User data of a full packet.
const FULL: usize = 1_452;
/// The window when a test begins, in packets.
const WINDOW: usize = 8;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn own(rules: WirelessRules) -> OwnSettings {
    let mut own = OwnSettings::default();
    own.set(rules);
    own
}

/// YE's sender: every queue is known to mark, and paths never fail.
fn config() -> Config {
    let profile = Config::rfc2960();
    let config = Config {
        ecn: EcnUse::Echo,
        loss_response: "wireless-aware".into(),
        own: own(WirelessRules { evidence: EvidenceRule::Assumed, ..WirelessRules::DEFAULT }),
        sack: SackSettings { every: 1, ..profile.sack },
        rto: RtoSettings { min_recovery: Some(ms(200)), ..profile.rto },
        failover: Failover::OFF,
        ..profile
    };
    counted(config, WINDOW as u64)
}

/// An association whose first window is acknowledged: its log and records begin now.
fn open_with(config: &Config, pipes: usize) -> Pair {
    let mut pair = Pair::open_with(&registry(), config, pipes);
    pair.z.reads_at_once = true;
    pair.send_at_once(End::A, WINDOW, FULL);
    pair.run_for(ms(100));
    pair.log.clear();
    pair.at(End::A).record();
    pair
}

fn open() -> Pair {
    open_with(&config(), 1)
}

/// The causes of A's cuts.
fn cuts(pair: &mut Pair) -> Vec<CutCause> {
    let records = std::iter::from_fn(|| pair.at(End::A).poll_record());
    let cuts = records.filter_map(|record| match record.what {
        Happening::Window { cut, .. } => cut,
        _ => None,
    });
    cuts.filter(|cause| *cause != CutCause::Idle).collect()
}

/// When packets with this chunk left A.
fn times(pair: &Pair, chunk: &str) -> Vec<Time> {
    let names = |text: &str| text.split([' ', '(']).any(|word| word == chunk);
    pair.log.iter().filter(|line| line.from == End::A && names(&line.text)).map(|line| line.at).collect()
}

/// Returns true if A was told that its peer is gone.
fn is_reported(pair: &Pair) -> bool {
    pair.a.events.iter().any(|event| matches!(event, Event::Closed(_)))
}

fn mark(pair: &mut Pair, packets: u32) {
    pair.pipes[0].mark_next[End::A as usize] = packets;
}

fn drop_next(pair: &mut Pair, packets: u32) {
    (0..packets).for_each(|_| pair.drop_next(End::A, 0));
}

/// NORMAL, ECNE: CR, with a cut. CR, a further ECNE in the window: nothing.
#[test]
fn a_mark_cuts_and_further_marks_of_the_window_do_not() {
    let mut pair = open();
    let before = pair.path(End::A, 0).cwnd;
    mark(&mut pair, 4);
    pair.send_at_once(End::A, WINDOW, FULL);
    pair.run_for(ms(3_000));
    assert_eq!(cuts(&mut pair), [CutCause::EcnEcho]);
    assert_eq!(pair.path(End::A, 0).ssthresh, before / 2);
}

/// NORMAL, 4 reports without a mark: LR, sent again at once, and the window stays.
#[test]
fn a_loss_without_a_mark_is_repaired_and_the_window_stays() {
    let mut pair = open();
    let before = pair.path(End::A, 0).cwnd;
    drop_next(&mut pair, 1);
    pair.send_at_once(End::A, WINDOW, FULL);
    pair.run_for(ms(3_000));
    assert_eq!(cuts(&mut pair), []);
    let counters = pair.at(End::A).path_counters(path(0));
    assert_eq!((counters.fast_retransmits, counters.timeouts), (1, 0));
    assert!(pair.path(End::A, 0).cwnd >= before);
}

/// M-WA-4: of several losses one leaves in each round trip.
#[test]
fn lost_chunks_leave_one_in_each_round_trip() {
    let mut pair = open();
    pair.send_at_once(End::A, 1, FULL);
    drop_next(&mut pair, 3);
    pair.send_at_once(End::A, WINDOW, FULL);
    let first_time = times(&pair, "DATA").len();
    pair.run_for(ms(800));
    let again = times(&pair, "DATA").split_off(first_time);
    let srtt = pair.path(End::A, 0).srtt.expect("it was measured");
    assert_eq!(again.len(), 3);
    assert!(again.windows(2).all(|pair| pair[1].since(pair[0]) >= srtt), "{again:?}");
    assert_eq!(cuts(&mut pair), []);
}

/// NORMAL, T3 without a mark: LR, a HEARTBEAT and no data until it is answered; then all at once, in the old window.
/// LR, T3: the next HEARTBEAT within one and one and a half time-outs, which are not doubled.
#[test]
fn a_silent_path_is_probed_and_then_gets_back_its_window() {
    let mut pair = open();
    let before = pair.path(End::A, 0);
    pair.pipes[0].is_cut = true;
    pair.send_at_once(End::A, 20, FULL);
    let sent = times(&pair, "DATA").len();
    pair.run_for(ms(5_000));
    assert_eq!(times(&pair, "DATA").len(), sent, "nothing leaves");
    let probes = times(&pair, "HEARTBEAT");
    let (least, most) = (before.recovery_rto, before.recovery_rto * 3 / 2);
    let waits: Vec<Duration> = probes.windows(2).map(|pair| pair[1].since(pair[0])).collect();
    assert!(waits.len() > 10 && waits.iter().all(|wait| (least..=most).contains(wait)), "{waits:?}");
    assert_eq!(least, ms(200), "the least time-out for losses of the link");
    pair.pipes[0].is_cut = false;
    pair.log.clear();
    pair.run_for(ms(320));
    let again = times(&pair, "DATA");
    let at_once = again.iter().filter(|time| **time == again[0]).count();
    assert_eq!(at_once, sent, "the whole window leaves when the probe is answered");
    pair.run_for(ms(2_000));
    assert_eq!(cuts(&mut pair), []);
    let after = pair.path(End::A, 0);
    assert!(after.cwnd >= before.cwnd && after.flight.is_zero());
    // LR ends: the normal time-out is back.
    assert_eq!(after.rto, ms(1_000));
}

/// LR, the probe is answered: the limit of a burst, which bounds a window's first packets, does not bound what was lost.
/// New data follows at the next event.
#[test]
fn what_was_lost_before_an_answered_probe_leaves_in_one_burst() {
    let max_burst = MaxBurst { packets: 4, rule: BurstRule::Event };
    let mut pair = open_with(&Config { max_burst, ..config() }, 1);
    for _ in 0..2 {
        pair.send_at_once(End::A, WINDOW, FULL);
        pair.run_for(ms(100));
    }
    let sample = pair.path(End::A, 0);
    let window = (sample.cwnd.get() / sample.unit.get()) as usize;
    pair.pipes[0].is_cut = true;
    pair.log.clear();
    for _ in 0..6 {
        pair.send_at_once(End::A, 4, FULL);
    }
    let sent = times(&pair, "DATA").len();
    assert!(sent > 2 * 4 && sent <= window, "{sent} of {window}");
    pair.run_for(ms(5_000));
    pair.pipes[0].is_cut = false;
    pair.log.clear();
    pair.run_for(ms(320));
    let again = times(&pair, "DATA");
    let at_once = again.iter().filter(|time| **time == again[0]).count();
    assert_eq!(at_once, window.min(sent + 4));
    assert_eq!(cuts(&mut pair), []);
}

/// NORMAL, 4 reports with a mark in the window: CR, sent again, no other cut.
#[test]
fn a_loss_in_a_marked_window_is_congestion_that_was_answered() {
    let mut pair = open();
    mark(&mut pair, 1);
    pair.send_at_once(End::A, 2, FULL);
    drop_next(&mut pair, 1);
    pair.send_at_once(End::A, 6, FULL);
    pair.run_for(ms(3_000));
    assert_eq!(cuts(&mut pair), [CutCause::EcnEcho]);
    assert_eq!(pair.at(End::A).path_counters(path(0)).fast_retransmits, 1);
}

/// NORMAL or CR, T3 with a mark in the window: one packet, the threshold stays, the time-out doubles, and data probes.
#[test]
fn a_time_out_in_a_marked_window_leaves_one_packet_and_doubles() {
    let mut pair = open();
    mark(&mut pair, 1);
    pair.send_at_once(End::A, 1, FULL);
    drop_next(&mut pair, 7);
    pair.send_at_once(End::A, 7, FULL);
    pair.run_for(ms(500));
    let ssthresh = pair.path(End::A, 0).ssthresh;
    drop_next(&mut pair, 1);
    pair.run_for(ms(600));
    let sample = pair.path(End::A, 0);
    assert_eq!((sample.cwnd, sample.ssthresh, sample.rto), (sample.unit, ssthresh, ms(2_000)));
    assert_eq!(cuts(&mut pair), [CutCause::EcnEcho, CutCause::TimeoutAfterEcn]);
    assert!(times(&pair, "HEARTBEAT").is_empty());
}

/// CR ends when all that was outstanding is acknowledged: the next loss is judged by its own window.
#[test]
fn a_mark_counts_for_its_window_alone() {
    let mut pair = open();
    mark(&mut pair, 1);
    pair.send_at_once(End::A, 4, FULL);
    pair.run_for(ms(500));
    drop_next(&mut pair, 1);
    pair.send_at_once(End::A, 5, FULL);
    pair.run_for(ms(3_000));
    assert_eq!(cuts(&mut pair), [CutCause::EcnEcho]);
    drop_next(&mut pair, 5);
    pair.send_at_once(End::A, 5, FULL);
    pair.run_for(ms(5_000));
    assert_eq!(cuts(&mut pair), []);
    assert!(!times(&pair, "HEARTBEAT").is_empty(), "a silent path is probed");
}

/// LR, ECNE: CR, one cut; what is lost leaves under the new window.
#[test]
fn a_mark_in_loss_recovery_cuts_once() {
    let mut pair = open();
    let before = pair.path(End::A, 0).cwnd;
    drop_next(&mut pair, 2);
    pair.send_at_once(End::A, 7, FULL);
    mark(&mut pair, 2);
    pair.send_at_once(End::A, 5, FULL);
    pair.run_for(ms(5_000));
    assert_eq!(cuts(&mut pair), [CutCause::EcnEcho]);
    assert!(pair.path(End::A, 0).ssthresh < before);
    let counters = pair.at(End::A).path_counters(path(0));
    assert_eq!((counters.retransmitted_chunks, counters.timeouts), (2, 0));
}

/// A silent path holds its own data: another carries what was lost there, if the policy sends it there.
#[test]
fn the_probe_of_one_path_leaves_the_other_alone() {
    let both = Config { scheduler: "round-robin".into(), retransmission: "alternate".into(), ..config() };
    let mut pair = open_with(&both, 2);
    pair.pipes[1].is_cut = true;
    pair.send_at_once(End::A, 40, FULL);
    pair.run_for(ms(8_000));
    assert_eq!(pair.z.read.len(), WINDOW + 40, "all of it arrives by the first path");
    assert_eq!(cuts(&mut pair), []);
}

/// As configured for users: without evidence it is the standard, and a peer that is gone is reported.
#[test]
fn without_evidence_a_time_out_is_the_standards_and_a_dead_path_fails() {
    let careful = Config {
        own: OwnSettings::default(),
        failover: Failover { path_max: 2, association_max: 3, ..Config::rfc2960().failover },
        ..config()
    };
    let mut pair = open_with(&careful, 1);
    pair.pipes[0].is_cut = true;
    pair.send_at_once(End::A, 20, FULL);
    pair.run_for(ms(1_500));
    assert_eq!(cuts(&mut pair), [CutCause::Timeout]);
    assert!(times(&pair, "HEARTBEAT").is_empty());
    pair.run_for(ms(60_000));
    assert!(is_reported(&pair), "the failure is reported");
}

/// After a mark came back a silent path is probed, and fails all the same if it stays silent.
#[test]
fn a_path_that_marks_is_probed_and_fails_all_the_same() {
    let careful = Config {
        own: OwnSettings::default(),
        failover: Failover { path_max: 2, association_max: 3, ..Config::rfc2960().failover },
        ..config()
    };
    let mut pair = open_with(&careful, 1);
    mark(&mut pair, 1);
    pair.send_at_once(End::A, 4, FULL);
    pair.run_for(ms(500));
    assert_eq!(cuts(&mut pair), [CutCause::EcnEcho]);
    pair.pipes[0].is_cut = true;
    pair.send_at_once(End::A, 20, FULL);
    pair.run_for(ms(1_500));
    assert_eq!((cuts(&mut pair), times(&pair, "HEARTBEAT").is_empty()), (Vec::new(), false));
    pair.run_for(ms(60_000));
    assert!(is_reported(&pair), "the failure is reported");
}

/// A peer that reports a mark that no queue made pays with a cut. Losses pass until the next mark is overdue, and cut again
/// from then on.
#[test]
fn an_invented_mark_excuses_losses_for_seconds_alone() {
    let mut pair = open_with(&Config { own: OwnSettings::default(), ..config() }, 1);
    mark(&mut pair, 1);
    pair.send_at_once(End::A, WINDOW, FULL);
    pair.run_for(ms(500));
    assert_eq!(cuts(&mut pair), [CutCause::EcnEcho]);
    let lose_one = |pair: &mut Pair| {
        drop_next(pair, 1);
        pair.send_at_once(End::A, 2 * WINDOW, FULL);
        pair.run_for(ms(3_000));
        assert!(pair.at(End::A).unacknowledged().is_zero());
        cuts(pair)
    };
    assert_eq!(lose_one(&mut pair), [], "the path seems to mark");
    pair.run_for(ms(20_000));
    let late: Vec<CutCause> = (0..5).flat_map(|_| lose_one(&mut pair)).collect();
    assert!(late.contains(&CutCause::Missing), "{late:?}");
}

/// A window of a few losses in a row, with all rules of the defaults: what was sent arrives.
#[test]
fn bursts_of_losses_are_repaired() {
    let mut pair = open();
    for lost in 1..=WINDOW as u32 {
        drop_next(&mut pair, lost);
        pair.send_at_once(End::A, 12, FULL);
        pair.run_for(ms(6_000));
        assert!(pair.at(End::A).unacknowledged().is_zero(), "{lost} losses");
    }
    assert!(pair.path(End::A, 0).cwnd >= ByteCount::new(1_500 * WINDOW as u64));
}
