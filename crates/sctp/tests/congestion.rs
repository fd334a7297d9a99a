//! Congestion windows: how they grow, what cuts them, and what is sent again when (RFC 9260 §6.3, §7).
//!
//! Most tests count in packets of 1,500 bytes with one chunk each: `charge = packet`, `unit = MTU`.

use crate::pair::{End, Pair, path};
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::config::{
    BurstRule, Charge, Config, Encapsulation, Exemption, InitialWindow, IpVersion, MaxBurst, RtoSettings,
    SackSettings, Unit,
};
use anabranch_sctp::policy::congestion::CutCause;
use anabranch_sctp::policy::congestion::reno::IdleThreshold;
use anabranch_sctp::record::{Happening, Record};

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A window of `count` packets.
fn packets(count: u64) -> ByteCount {
    ByteCount::new(1500) * count
}

/// RFC 9260 with other units: windows and buffers count packets of 1,500 bytes. Every packet is acknowledged, and
/// bursts are not bounded.
fn counted() -> Config {
    Config {
        charge: Charge::Packet,
        unit: Unit::Mtu,
        rwnd_charge: Charge::Packet,
        encapsulation: Encapsulation::None,
        sack: SackSettings { every: 1, delay: ms(200), ..Config::rfc9260().sack },
        max_burst: MaxBurst { packets: 1000, rule: BurstRule::Event },
        ..Config::rfc9260()
    }
}

/// The same with an initial window of `count` packets.
fn window_of(count: u64) -> Config {
    Config { initial_window: InitialWindow::Bytes(packets(count)), ..counted() }
}

/// An open association with 50 ms each way, a reader that reads at once, and a record of what A does.
fn open(config: Config) -> Pair {
    let mut pair = Pair::new(config, 1);
    pair.pipes[0].delay = ms(50);
    pair.establish();
    pair.z.reads_at_once = true;
    pair.at(End::A).record();
    pair
}

/// A sends `count` full packets.
fn send(pair: &mut Pair, count: usize) {
    (0..count).for_each(|_| pair.send(End::A, FULL));
}

/// The user data of a full packet.
const FULL: usize = 1452;

fn cwnd(pair: &mut Pair) -> u64 {
    pair.path(End::A, 0).cwnd.get()
}

fn ssthresh(pair: &mut Pair) -> u64 {
    pair.path(End::A, 0).ssthresh.get()
}

fn records(pair: &mut Pair) -> Vec<Record> {
    std::iter::from_fn(|| pair.at(End::A).poll_record()).collect()
}

fn cuts(pair: &mut Pair) -> Vec<CutCause> {
    let cut = |record: Record| match record.what {
        Happening::Window { cut, .. } => cut,
        _ => None,
    };
    records(pair).into_iter().filter_map(cut).collect()
}

/// When A sent packets with DATA, in milliseconds since the log began.
fn data_times(pair: &Pair, start: anabranch_base::Time) -> Vec<u64> {
    let data = pair.log.iter().filter(|line| line.from == End::A && line.text.contains("DATA"));
    data.map(|line| line.at.since(start).as_millis()).collect()
}

// How much may leave (RFC 9260 §6.1 B, §7.2.1).

/// G28 (M-SCTP-18): the first burst by window and weight of a packet, the last packet passing the window by less
/// than one of it.
#[test]
fn the_first_burst_follows_from_window_and_charge() {
    let bursts = [
        (3000, Charge::Packet, 2),
        (3000, Charge::Chunk, 3),
        (2936, Charge::Chunk, 2),
        (4404, Charge::Chunk, 3),
        (4404, Charge::User, 4),
    ];
    for (bytes, charge, expected) in bursts {
        let initial_window = InitialWindow::Bytes(ByteCount::new(bytes));
        let mut pair = open(Config { initial_window, charge, ..counted() });
        send(&mut pair, 10);
        assert_eq!(pair.log.len(), expected, "{bytes} bytes by {charge:?}");
    }
}

#[test]
fn each_rfc_begins_with_its_own_window() {
    let first = |config: Config, ip| config.first_window(ip).get();
    let plain = |config: Config| Config { encapsulation: Encapsulation::None, ..config };
    assert_eq!(first(plain(Config::rfc2960()), IpVersion::V4), 2 * 1500);
    assert_eq!(first(plain(Config::rfc4960()), IpVersion::V4), 4380);
    assert_eq!(first(plain(Config::rfc9260()), IpVersion::V4), 4404);
    assert_eq!(first(plain(Config::rfc9260()), IpVersion::V6), 4344);
    // In UDP a chunk of 1,460 bytes is the largest: max(2 PMDCS, 4404), and less than 4 PMDCS.
    assert_eq!(first(Config::rfc9260(), IpVersion::V4), 4404);
    let small = Config { mtu: ByteCount::new(576), ..Config::rfc9260() };
    assert_eq!(first(small, IpVersion::V4), 4 * (576 - 28 - 12), "4 PMDCS");
}

#[test]
fn the_profiles_differ_as_their_rfcs_do() {
    let [old, middle, new] = [Config::rfc2960(), Config::rfc4960(), Config::rfc9260()];
    let numbers = |config: &Config| {
        (config.missing_reports, config.rto.initial, config.window_floor, config.idle_floor, config.unit)
    };
    assert_eq!(numbers(&old), (4, secs(3), 2, 2, Unit::Mtu));
    assert_eq!(numbers(&middle), (4, secs(3), 4, 4, Unit::Mtu));
    assert_eq!(numbers(&new), (3, secs(1), 4, 4, Unit::Pmdcs));
    let rules =
        |config: &Config| (config.growth_needs_advance, config.clamp_partial_bytes, config.idle_ssthresh);
    assert_eq!([rules(&old), rules(&middle)], [(true, false, IdleThreshold::Stays); 2]);
    assert_eq!(rules(&new), (false, true, IdleThreshold::TakesWindow));
    let again = |config: &Config| (config.retransmission.clone(), config.fast_retransmission.clone());
    assert_eq!(again(&old), ("alternate".to_owned(), "alternate".to_owned()));
    assert_eq!([again(&middle), again(&new)], [("alternate".to_owned(), "same".to_owned()), again(&new)]);
    let exemptions = [&old, &middle, &new].map(|config| config.fast_retransmit_exemption);
    assert_eq!(exemptions, [Exemption::Each, Exemption::Each, Exemption::Entry]);
}

// Growth (RFC 9260 §7.2.1, §7.2.2).

/// G24 (M-SCTP-4): "2→3→4 units after 1 and 2 RTT".
#[test]
fn with_delayed_acknowledgements_slow_start_grows_by_half() {
    let sack = SackSettings { every: 2, delay: ms(200), ..Config::rfc9260().sack };
    let mut pair = open(Config { sack, ..window_of(2) });
    // The first DATA of an association is acknowledged at once; the count of two begins after it.
    pair.send(End::A, 1);
    pair.run_for(ms(110));
    assert_eq!(cwnd(&mut pair), 3000, "a window that is not used does not grow");
    send(&mut pair, 30);
    let windows = [(); 3].map(|()| {
        let window = cwnd(&mut pair) / 1500;
        pair.run_for(ms(101));
        window
    });
    assert_eq!(windows, [2, 3, 4]);
}

#[test]
fn with_every_packet_acknowledged_slow_start_doubles() {
    let mut pair = open(window_of(2));
    send(&mut pair, 60);
    let windows = [(); 4].map(|()| {
        let window = cwnd(&mut pair) / 1500;
        pair.run_for(ms(100));
        window
    });
    assert_eq!(windows, [2, 4, 8, 16]);
}

/// M-SCTP-18: charge and unit are chosen together, "because the overshoot rule turns any remainder into one more
/// packet". Counted in full chunks there is no remainder, whatever is charged.
#[test]
fn windows_counted_in_full_chunks_are_whole_packets_by_any_charge() {
    for charge in [Charge::User, Charge::Chunk, Charge::Packet] {
        let config = Config { charge, unit: Unit::FullChunk, ..counted() };
        let unit = config.window_unit(IpVersion::V4);
        let mut pair = open(Config { initial_window: InitialWindow::TwoUnits, ..config.clone() });
        let start = pair.now;
        send(&mut pair, 60);
        pair.run_for(ms(310));
        let bursts =
            [0, 100, 200, 300].map(|at| data_times(&pair, start).iter().filter(|time| **time == at).count());
        assert_eq!(bursts, [2, 4, 8, 16], "slow start, {charge:?}");

        let initial_window = InitialWindow::Bytes(unit * 6);
        let mut pair = open(Config { initial_window, initial_ssthresh: Some(unit * 4), ..config });
        send(&mut pair, 60);
        let windows = [(); 3].map(|()| {
            let window = pair.path(End::A, 0).cwnd;
            pair.run_for(ms(100));
            window
        });
        assert_eq!(windows, [unit * 6, unit * 7, unit * 8], "congestion avoidance, {charge:?}");
        pair.pipes[0].is_cut = true;
        pair.run_for(secs(2));
        assert_eq!(pair.path(End::A, 0).cwnd, unit, "after a time-out, {charge:?}");
    }
}

/// "cwnd SHOULD be incremented by PMDCS per RTT".
#[test]
fn congestion_avoidance_grows_by_one_packet_a_round_trip() {
    let mut pair = open(Config { initial_ssthresh: Some(packets(4)), ..window_of(6) });
    send(&mut pair, 60);
    let windows = [(); 5].map(|()| {
        let window = cwnd(&mut pair) / 1500;
        pair.run_for(ms(100));
        window
    });
    assert_eq!(windows, [6, 7, 8, 9, 10]);
}

/// G23 (YE Fig 33): with a receive window of 32 packets cwnd settles at 33.
#[test]
fn a_window_that_the_receiver_limits_settles_one_packet_above() {
    let buffer = packets(32);
    for (config, unit) in [
        (Config { receive_buffer: buffer, ..window_of(2) }, 1500),
        (
            Config {
                charge: Charge::Chunk,
                rwnd_charge: Charge::Chunk,
                unit: Unit::Bytes(ByteCount::new(1468)),
                receive_buffer: ByteCount::new(32 * 1468),
                initial_window: InitialWindow::TwoUnits,
                ..counted()
            },
            1468,
        ),
    ] {
        let mut pair = open(config);
        let mut highest = 0;
        for _ in 0..200 {
            while pair.at(End::A).send_space() > ByteCount::from_mib(1) {
                pair.send(End::A, FULL);
            }
            pair.run_for(ms(50));
            highest = cwnd(&mut pair).max(highest);
            pair.log.clear();
        }
        assert_eq!((cwnd(&mut pair), highest), (33 * unit, 33 * unit));
    }
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let mut pair = open(window_of(10));
    for _ in 0..20 {
        send(&mut pair, 9);
        pair.run_for(ms(150));
    }
    assert_eq!(cwnd(&mut pair), 15_000);
}

// Time-outs (RFC 9260 §6.3.3, §7.2.3).

#[test]
fn a_time_out_leaves_one_packet_of_window_and_half_in_ssthresh() {
    let mut pair = open(window_of(20));
    pair.pipes[0].is_cut = true;
    send(&mut pair, 30);
    assert_eq!(pair.log.len(), 20);
    let start = pair.now;
    pair.log.clear();
    pair.run_for(ms(1500));
    assert_eq!(
        pair.take_timed_log(start),
        ["1000 A -> DATA -> lost"],
        "one packet, although all 20 are lost"
    );
    assert_eq!((cwnd(&mut pair), ssthresh(&mut pair)), (1500, 15_000));
    assert_eq!(cuts(&mut pair), [CutCause::Timeout]);
    pair.run_for(secs(2));
    assert_eq!((cwnd(&mut pair), ssthresh(&mut pair)), (1500, 6000), "no lower than four packets");
    assert_eq!(cuts(&mut pair), [CutCause::TimeoutAgain]);
}

/// "only one packet is allowed to be in flight until successful acknowledgement"; a small chunk leaves room in the
/// window, and still no other packet may follow.
#[test]
fn after_a_time_out_a_single_packet_waits_for_its_answer() {
    let mut pair = open(Config::rfc9260());
    pair.pipes[0].is_cut = true;
    (0..4).for_each(|_| pair.send(End::A, 1000));
    pair.run_for(ms(1200));
    pair.log.clear();
    pair.send(End::A, 1000);
    pair.run_for(ms(300));
    assert!(pair.take_log().is_empty(), "1,016 bytes are in flight, the window has 1,460");
    pair.pipes[0].is_cut = false;
    let start = pair.now;
    pair.run_for(secs(2));
    // At the next time-out the same packet goes again; what answers it opens the window for the others.
    assert_eq!(data_times(&pair, start).len(), 5);
    assert_eq!(pair.z.read.len(), 5);
}

#[test]
fn what_timed_out_goes_again_in_slow_start() {
    let mut pair = open(window_of(8));
    pair.pipes[0].drop_next[End::A as usize] = 8;
    send(&mut pair, 8);
    let start = pair.now;
    pair.log.clear();
    pair.run_for(secs(2));
    assert_eq!(data_times(&pair, start), [1000, 1100, 1100, 1200, 1200, 1200, 1200, 1300]);
    assert_eq!(pair.z.read.len(), 8);
    assert_eq!(pair.at(End::A).path_counters(path(0)).timeouts, 1);
}

/// §6.3.3 E2: "set RTO = RTO * 2", up to RTO.Max.
#[test]
fn the_time_out_doubles_with_every_time_out_in_a_row() {
    let rto = RtoSettings { max: secs(6), ..Config::rfc9260().rto };
    let mut pair = open(Config { rto, ..counted() });
    pair.pipes[0].is_cut = true;
    let start = pair.now;
    send(&mut pair, 1);
    pair.run_for(secs(20));
    assert_eq!(data_times(&pair, start), [0, 1000, 3000, 7000, 13_000, 19_000]);
}

/// §6.3.1 C5 (Karn) and §6.3.3: a retransmission gives no sample, and the doubling stays until there is one.
#[test]
fn the_doubled_time_out_stays_until_something_sent_once_is_acknowledged() {
    let mut pair = open(counted());
    pair.lose(End::A, "DATA");
    send(&mut pair, 1);
    pair.run_for(ms(1500));
    assert_eq!(pair.z.read.len(), 1);
    let samples = |pair: &mut Pair| {
        let is_sample = |record: &Record| matches!(record.what, Happening::RoundTrip { .. });
        records(pair).into_iter().filter(is_sample).count()
    };
    assert_eq!(samples(&mut pair), 0, "it is unknown which copy was acknowledged");
    assert_eq!(pair.path(End::A, 0).rto, secs(2));
    send(&mut pair, 1);
    pair.run_for(ms(200));
    assert_eq!(samples(&mut pair), 1);
    assert_eq!(pair.path(End::A, 0).rto, secs(1));
}

#[test]
fn one_sample_is_taken_in_a_round_trip() {
    let mut pair = open(window_of(10));
    records(&mut pair);
    send(&mut pair, 40);
    pair.run_for(ms(320));
    let samples: Vec<Duration> = records(&mut pair)
        .into_iter()
        .filter_map(|record| match record.what {
            Happening::RoundTrip { sample, .. } => Some(sample),
            _ => None,
        })
        .collect();
    assert_eq!(samples, [ms(100); 3]);
}

/// §6.3.2 R3: T3-rtx starts afresh when the earliest outstanding chunk is acknowledged, and only then.
#[test]
fn the_timer_runs_from_the_last_acknowledgement_of_the_lowest_chunk() {
    let mut pair = open(Config { missing_reports: 255, ..window_of(10) });
    let start = pair.now;
    send(&mut pair, 1);
    pair.run_for(ms(40));
    pair.lose(End::A, "DATA");
    send(&mut pair, 2);
    pair.run_for(ms(20));
    send(&mut pair, 2);
    pair.log.clear();
    pair.run_for(secs(2));
    // The first is acknowledged at 100 ms, the third to fifth at 140 and 160; the second never.
    assert_eq!(data_times(&pair, start)[0], 1100);
}

// Fast retransmit and fast recovery (RFC 9260 §7.2.4).

#[test]
fn the_third_missing_report_sends_a_chunk_again_at_once() {
    let mut pair = open(window_of(10));
    let start = pair.now;
    pair.lose_nth(End::A, "DATA", 2);
    send(&mut pair, 6);
    pair.run_for(ms(300));
    let dialogue = [
        "0 A -> DATA -> Z",
        "0 A -> DATA -> lost",
        "0 A -> DATA -> Z",
        "0 A -> DATA -> Z",
        "0 A -> DATA -> Z",
        "0 A -> DATA -> Z",
        "50 Z -> SACK -> A",
        "50 Z -> SACK -> A",
        "50 Z -> SACK -> A",
        "50 Z -> SACK -> A",
        "50 Z -> SACK -> A",
        "100 A -> DATA -> Z",
        "150 Z -> SACK -> A",
    ];
    assert_eq!(pair.take_timed_log(start), dialogue);
    assert_eq!((cwnd(&mut pair), ssthresh(&mut pair)), (7500, 7500));
    assert_eq!(cuts(&mut pair), [CutCause::Missing]);
    assert_eq!(pair.z.read.len(), 6);
}

#[test]
fn two_reports_are_not_enough_and_the_older_profiles_want_four() {
    for (missing_reports, followers, is_fast) in [(3, 2, false), (3, 3, true), (4, 3, false), (4, 4, true)] {
        let mut pair = open(Config { missing_reports, ..window_of(10) });
        pair.lose(End::A, "DATA");
        send(&mut pair, 1 + followers);
        pair.run_for(ms(500));
        assert_eq!(pair.z.read.len() == 1 + followers, is_fast, "{followers} of {missing_reports}");
        pair.run_for(secs(1));
        assert_eq!(pair.z.read.len(), 1 + followers, "else the timer");
    }
}

#[test]
fn two_losses_in_one_window_cut_it_once() {
    let mut pair = open(window_of(20));
    pair.lose_nth(End::A, "DATA", 1);
    pair.lose_nth(End::A, "DATA", 8);
    send(&mut pair, 20);
    pair.run_for(secs(1));
    assert_eq!(cuts(&mut pair), [CutCause::Missing]);
    assert_eq!(ssthresh(&mut pair), 21 * 1500 / 2, "the first SACK found the window full and grew it");
    assert_eq!(pair.z.read.len(), 20);
    let counters = pair.at(End::A).path_counters(path(0));
    assert_eq!((counters.fast_retransmits, counters.timeouts), (2, 0));
}

#[test]
fn a_loss_after_the_recovery_cuts_the_window_again() {
    let mut pair = open(window_of(20));
    for _ in 0..2 {
        pair.lose(End::A, "DATA");
        send(&mut pair, 10);
        pair.run_for(ms(500));
    }
    assert_eq!(cuts(&mut pair), [CutCause::Missing, CutCause::Missing]);
    assert_eq!(cwnd(&mut pair), 11 * 1500 / 2, "20, 10, then grown to 11 by the SACK before the cut");
}

#[test]
fn in_recovery_the_window_does_not_grow_and_afterwards_it_does() {
    let mut pair = open(window_of(20));
    pair.lose(End::A, "DATA");
    send(&mut pair, 60);
    pair.run_for(ms(100));
    let after_cut = cwnd(&mut pair);
    // "Before the above adjustments, [...] the cwnd adjustment rules [...] MUST be applied first."
    assert_eq!(after_cut, 23 * 1500 / 2, "three SACKs grew it, the third cut it");
    // The SACK of the lost packet's second copy comes 200 ms after the first burst left.
    pair.run_for(ms(95));
    assert_eq!(cwnd(&mut pair), after_cut);
    pair.run_for(ms(300));
    assert!(cwnd(&mut pair) > after_cut);
}

/// A chunk is fast-retransmitted once: if that is lost as well, only T3-rtx helps.
#[test]
fn a_chunk_that_is_lost_twice_waits_for_the_timer() {
    let mut pair = open(window_of(30));
    pair.lose_nth(End::A, "DATA", 1);
    pair.lose_nth(End::A, "DATA", 11);
    send(&mut pair, 10);
    pair.run_for(ms(90));
    send(&mut pair, 10);
    pair.run_for(ms(500));
    let before = pair.at(End::A).path_counters(path(0));
    assert_eq!(before.timeouts, 0);
    pair.run_for(secs(2));
    assert_eq!(pair.z.read.len(), 20);
}

/// §7.2.4 3): "When a Fast Retransmit is being performed, the sender SHOULD ignore the value of cwnd [...] for this
/// single packet", and in RFC 9260 only for the one that enters recovery.
#[test]
fn one_packet_passes_the_window_on_entering_recovery_or_at_each_loss() {
    let resent_at = |fast_retransmit_exemption| {
        let mut pair = open(Config { fast_retransmit_exemption, ..window_of(20) });
        pair.pipes[0].delay = ms(50);
        let start = pair.now;
        pair.lose_nth(End::A, "DATA", 1);
        pair.lose_nth(End::A, "DATA", 3);
        // One packet a millisecond, so that the SACKs come one by one.
        for _ in 0..20 {
            send(&mut pair, 1);
            pair.run_for(ms(1));
        }
        pair.log.clear();
        pair.run_for(ms(300));
        data_times(&pair, start)
    };
    // The third report of the first loss comes with the fifth packet's SACK, that of the third with the sixth's.
    assert_eq!(resent_at(Exemption::Each), [104, 105]);
    // 15 packets are in flight then, the window has ten and a half: the tenth has to be the last.
    assert_eq!(resent_at(Exemption::Entry), [104, 110]);
}

/// G22 (YE Fig 14): four packets fill the receiver's buffer, the first is lost: nothing may be sent until T3-rtx.
#[test]
fn a_loss_in_a_window_of_four_packets_stalls_until_the_timer() {
    let config = Config { receive_buffer: packets(4), missing_reports: 4, ..window_of(10) };
    let mut pair = open(config);
    let start = pair.now;
    pair.lose(End::A, "DATA");
    send(&mut pair, 8);
    pair.run_for(ms(1050));
    let dialogue = [
        "0 A -> DATA -> lost",
        "0 A -> DATA -> Z",
        "0 A -> DATA -> Z",
        "0 A -> DATA -> Z",
        "50 Z -> SACK -> A",
        "50 Z -> SACK -> A",
        "50 Z -> SACK -> A",
        "1000 A -> DATA -> Z",
        "1050 Z -> SACK -> A",
    ];
    assert_eq!(pair.take_timed_log(start), dialogue);
}

// Bursts (RFC 9260 §6.1 D).

/// The packets that one SACK for a window of twelve lets out, and the window then.
fn burst_after_one_sack(packets: u32, rule: BurstRule) -> (usize, u64) {
    let mut pair = open(Config { max_burst: MaxBurst { packets, rule }, ..window_of(12) });
    // Each message is an event of its own, so that the window fills under any bound.
    send(&mut pair, 32);
    (1..12).for_each(|nth| pair.lose_nth(End::Z, "SACK", nth));
    pair.run_for(ms(99));
    pair.log.clear();
    pair.run_for(ms(1));
    (data_times(&pair, pair.now).len(), cwnd(&mut pair))
}

#[test]
fn one_event_lets_out_no_more_than_max_burst() {
    assert_eq!(burst_after_one_sack(4, BurstRule::Event), (4, 19_500), "the window stays");
    assert_eq!(burst_after_one_sack(1000, BurstRule::Event).0, 13, "12 packets of window, one more grown");
    assert_eq!(burst_after_one_sack(4, BurstRule::AfterRetransmission).0, 13, "nothing was sent again");
}

/// "if ((flightsize + Max.Burst * PMDCS) < cwnd) cwnd = flightsize + Max.Burst * PMDCS".
#[test]
fn in_the_form_of_the_rfc_the_bound_is_on_the_window() {
    let mut pair = open(Config { max_burst: MaxBurst { packets: 4, rule: BurstRule::Rfc }, ..window_of(12) });
    pair.send_at_once(End::A, 20, FULL);
    assert_eq!((pair.log.len(), cwnd(&mut pair)), (4, 6000));
}

// Idle paths (RFC 9260 §7.2.1).

#[test]
fn a_window_decays_by_half_for_every_time_out_of_silence() {
    for (idle_ssthresh, ssthresh_after) in
        [(IdleThreshold::TakesWindow, 60_000), (IdleThreshold::Stays, 30_000)]
    {
        let config = Config { idle_ssthresh, initial_ssthresh: Some(packets(20)), ..window_of(40) };
        let mut pair = open(config);
        send(&mut pair, 1);
        pair.run_for(ms(3500));
        assert_eq!(cwnd(&mut pair), 60_000);
        send(&mut pair, 20);
        assert_eq!(pair.log.iter().filter(|line| line.at == pair.now).count(), 5);
        assert_eq!(cuts(&mut pair), [CutCause::Idle; 3]);
        assert_eq!((cwnd(&mut pair), ssthresh(&mut pair)), (60_000 / 8, ssthresh_after));
        pair.run_for(secs(30));
        send(&mut pair, 1);
        assert_eq!(cwnd(&mut pair), 6000, "never below four packets");
    }
}
