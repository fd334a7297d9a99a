//! Explicit Congestion Notification between two ends: who offers it, which packets may be marked, how marks are reported
//! and answered, and what is done where they do not come back (M-ECN-1 to -5).

use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::association::Ecn;
use anabranch_sctp::config::{Config, EcnUse, SackSettings};
use anabranch_sctp::event::Event;
use anabranch_sctp::policy::congestion::CutCause;
use anabranch_sctp::record::Happening;
use anabranch_sctp::seq::Tsn;
use anabranch_sctp::wire::{Checksum, Chunk, CongestionWindowReduced, EcnEcho, Packet};

use crate::pair::{End, Middlebox, Pair, path};
use crate::script::counted;

/// User data of a full packet.
const FULL: usize = 1_452;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// RFC 2960 as YE has it: windows count packets, and each packet is answered at once.
fn config(ecn: EcnUse) -> Config {
    let profile = Config::rfc2960();
    let sack = SackSettings { every: 1, ..profile.sack };
    counted(Config { ecn, sack, ..profile }, 8)
}

/// An association whose first window was used and is acknowledged: its log and records begin now.
fn open(ecn: EcnUse, pipes: usize) -> Pair {
    open_with(config(ecn), pipes)
}

/// The same with these settings.
fn open_with(config: Config, pipes: usize) -> Pair {
    let mut pair = Pair::open(config, pipes);
    pair.z.reads_at_once = true;
    pair.send_at_once(End::A, 8, FULL);
    pair.run_for(ms(100));
    pair.log.clear();
    pair.at(End::A).record();
    pair
}

fn cwr(lowest_tsn: Tsn) -> CongestionWindowReduced {
    CongestionWindowReduced { lowest_tsn, overrides: false }
}

/// The causes of A's cuts.
fn cuts(pair: &mut Pair) -> Vec<CutCause> {
    let records = std::iter::from_fn(|| pair.at(End::A).poll_record());
    records
        .filter_map(|record| match record.what {
            Happening::Window { cut, .. } => cut,
            _ => None,
        })
        .filter(|cause| *cause != CutCause::Idle)
        .collect()
}

/// The number of packets that left an end with this chunk.
fn count(pair: &Pair, from: End, chunk: &str) -> usize {
    let names = |text: &str| text.split([' ', '(']).any(|word| word == chunk);
    pair.log.iter().filter(|line| line.from == from && names(&line.text)).count()
}

#[test]
fn only_packets_with_data_may_be_marked_and_only_if_both_ends_support_ecn() {
    for (a, z) in [(EcnUse::Echo, EcnUse::Cwr), (EcnUse::Echo, EcnUse::Off), (EcnUse::Off, EcnUse::Echo)] {
        let mut pair = Pair::unequal(config(a), config(z), 1);
        pair.establish();
        pair.send_at_once(End::A, 20, FULL);
        pair.run_for(ms(2_000));
        let is_agreed = a != EcnUse::Off && z != EcnUse::Off;
        for line in &pair.log {
            let expected = if is_agreed && line.text.contains("DATA") { Ecn::Ect0 } else { Ecn::NotEct };
            assert_eq!(line.ecn, expected, "{a:?} {z:?}: {}", line.text);
        }
        assert!(count(&pair, End::A, "DATA") >= 20);
    }
}

/// M-ECN-3, M-ECN-4: one report for each marked packet, one cut in a window of data, no CWR.
#[test]
fn without_cwr_each_mark_is_reported_once_and_the_first_of_a_window_cuts() {
    let mut pair = open(EcnUse::Echo, 1);
    let before = pair.path(End::A, 0).cwnd;
    pair.pipes[0].mark_next[End::A as usize] = 3;
    pair.send_at_once(End::A, 8, FULL);
    pair.run_for(ms(3_000));
    assert_eq!((count(&pair, End::Z, "ECNE"), count(&pair, End::A, "CWR")), (3, 0));
    assert_eq!(cuts(&mut pair), [CutCause::EcnEcho]);
    assert_eq!(pair.path(End::A, 0).ssthresh, before / 2);
    let counters = [End::A, End::Z].map(|end| pair.at(end).path_counters(path(0)));
    assert_eq!((counters[0].received_echoes, counters[0].ecn_cuts, counters[1].sent_echoes), (3, 1, 3));
    pair.pipes[0].mark_next[End::A as usize] = 1;
    pair.send_at_once(End::A, 8, FULL);
    pair.run_for(ms(3_000));
    assert_eq!(cuts(&mut pair), [CutCause::EcnEcho], "the next window may be cut again");
}

/// The report precedes the SACK in the packet, and counts after it.
#[test]
fn the_window_that_the_sack_lets_grow_is_cut() {
    let mut pair = open(EcnUse::Echo, 1);
    let before = pair.path(End::A, 0);
    assert!(before.cwnd < before.ssthresh, "slow start");
    pair.pipes[0].mark_next[End::A as usize] = 1;
    pair.send_at_once(End::A, 12, FULL);
    pair.run_until(ms(3_000), |pair| pair.path(End::A, 0).cut_open);
    let report = pair.log.iter().find(|line| line.text.contains("ECNE")).expect("a report");
    assert!(report.text.contains("ECNE + SACK"), "{}", report.text);
    let after = pair.path(End::A, 0);
    assert_eq!(after.cwnd, (before.cwnd + before.unit) / 2);
}

/// M-ECN-5: every SACK repeats the report until a CWR arrives, which leaves alone, before new data.
#[test]
fn with_cwr_the_report_is_repeated_until_it_is_answered() {
    let mut pair = open(EcnUse::Cwr, 1);
    pair.pipes[0].mark_next[End::A as usize] = 1;
    pair.send_at_once(End::A, 40, FULL);
    pair.run_for(ms(5_000));
    let reports = count(&pair, End::Z, "ECNE");
    assert!(reports > 1, "{reports}");
    assert_eq!((count(&pair, End::A, "CWR"), cuts(&mut pair)), (1, vec![CutCause::EcnEcho]));
    let lines: Vec<_> = pair.log.iter().filter(|line| line.from == End::A).collect();
    let cwr = lines.iter().position(|line| line.text.contains("CWR")).expect("an answer");
    assert!(!lines[cwr].text.contains("DATA") && lines[cwr].ecn == Ecn::NotEct, "{}", lines[cwr].text);
    assert!(lines[cwr + 1].text.contains("DATA") && lines[cwr + 1].at == lines[cwr].at, "new data follows");
    let last = pair.log.iter().rposition(|line| line.text.contains("ECNE")).expect("a report");
    let arrives = lines[cwr].at + ms(10);
    assert!(pair.log[last].at <= arrives, "the answer ends the reports");
    assert_eq!(pair.at(End::A).path_counters(path(0)).sent_cwrs, 1);
}

/// YE 4.4.1: if the CWR is lost, the reports go on, and count as new congestion when the window of data is over.
#[test]
fn a_lost_cwr_costs_another_cut() {
    let mut pair = open(EcnUse::Cwr, 1);
    pair.lose(End::A, "CWR");
    pair.pipes[0].mark_next[End::A as usize] = 1;
    pair.send_at_once(End::A, 60, FULL);
    pair.run_for(ms(6_000));
    assert_eq!(count(&pair, End::A, "CWR"), 2);
    assert_eq!(cuts(&mut pair), [CutCause::EcnEcho; 2]);
}

/// The peer saw the mark on another path, on which the chunk was sent first: a CWR on this path does not end the report, and
/// that of a lost CWR does not either.
#[test]
fn a_report_that_answers_do_not_end_cuts_twice_and_no_more() {
    let mut pair = open(EcnUse::Cwr, 1);
    pair.send_at_once(End::A, 60, FULL);
    pair.run_for(ms(1));
    let (_, acked) = pair.at(End::A).ack_points().expect("it is open");
    for _ in 0..300 {
        pair.forge(End::A, &[&EcnEcho::Counted { lowest: acked.next(), packets: 1 }]);
        pair.send_at_once(End::A, 1, FULL);
        pair.run_for(ms(5));
    }
    assert_eq!(cuts(&mut pair), [CutCause::EcnEcho; 2]);
    pair.pipes[0].mark_next[End::A as usize] = 1;
    pair.send_at_once(End::A, 20, FULL);
    pair.run_for(ms(2_000));
    assert_eq!(cuts(&mut pair), [CutCause::EcnEcho], "another mark cuts");
}

/// RFC 3168 §6.1.2: a CWR answers for a window that a loss has cut. Without it the peer would go on for ever.
#[test]
fn a_mark_in_the_window_of_a_loss_is_answered_without_another_cut() {
    let mut pair = open(EcnUse::Cwr, 1);
    pair.drop_next(End::A, 0);
    pair.send_at_once(End::A, 5, FULL);
    pair.pipes[0].mark_next[End::A as usize] = 1;
    pair.send_at_once(End::A, 20, FULL);
    pair.run_for(ms(3_000));
    assert_eq!((cuts(&mut pair), count(&pair, End::A, "CWR")), (vec![CutCause::Missing], 1));
    let lines = pair.log.iter();
    let (answered, reported) = (
        lines.clone().rposition(|line| line.text.contains("CWR")).expect("an answer"),
        lines.clone().rposition(|line| line.text.contains("ECNE")).expect("a report"),
    );
    assert!(pair.log[reported].at <= pair.log[answered].at + ms(10), "the answer ends the reports");
}

/// M-ECN-5, option: a CWR for every report, whether it cuts or not.
#[test]
fn every_report_may_be_answered() {
    let counted = |cwr_always| {
        let mut pair = open_with(Config { cwr_always, ..config(EcnUse::Cwr) }, 1);
        pair.lose(End::A, "CWR");
        pair.pipes[0].mark_next[End::A as usize] = 1;
        pair.send_at_once(End::A, 60, FULL);
        pair.run_for(ms(6_000));
        (count(&pair, End::A, "CWR"), count(&pair, End::Z, "ECNE"), cuts(&mut pair).len())
    };
    let (few, repeated, cuts) = counted(false);
    assert_eq!(few, cuts, "an answer for each cut");
    let (many, less_repeated, cuts) = counted(true);
    assert!(
        many > cuts && less_repeated < repeated,
        "{many} answers, {less_repeated} and {repeated} reports"
    );
}

/// New data may be marked, and retransmissions only if the setting allows it.
#[test]
fn retransmissions_may_be_marked_unless_they_are_excluded() {
    for ect_retransmissions in [true, false] {
        let mut pair = open_with(Config { ect_retransmissions, ..config(EcnUse::Echo) }, 1);
        pair.drop_next(End::A, 0);
        pair.send_at_once(End::A, 12, FULL);
        pair.run_for(ms(3_000));
        let again = pair.at(End::A).path_counters(path(0)).retransmitted_chunks as usize;
        // Each chunk fills a packet.
        let data = pair.log.iter().filter(|line| line.from == End::A && line.text.contains("DATA"));
        let (capable, others): (Vec<_>, Vec<_>) = data.partition(|line| line.ecn == Ecn::Ect0);
        let excluded = if ect_retransmissions { 0 } else { again };
        assert_eq!((capable.len(), others.len()), (12 + again - excluded, excluded));
        assert!(again > 0);
    }
}

/// M-ECN-4: of the signs of one window of data the first cuts.
#[test]
fn a_loss_after_a_mark_is_repaired_without_a_cut() {
    let mut pair = open(EcnUse::Echo, 1);
    pair.pipes[0].mark_next[End::A as usize] = 1;
    pair.send_at_once(End::A, 2, FULL);
    pair.drop_next(End::A, 0);
    pair.send_at_once(End::A, 6, FULL);
    pair.run_for(ms(3_000));
    assert_eq!(cuts(&mut pair), [CutCause::EcnEcho]);
    let counters = pair.at(End::A).path_counters(path(0));
    assert_eq!((counters.fast_retransmits, counters.timeouts), (1, 0));
}

/// The same SACK shows a loss, and the report stands before it: the cut is that for the mark.
#[test]
fn a_mark_and_a_loss_that_one_packet_reports_are_one_cut_for_the_mark() {
    let mut pair = open(EcnUse::Echo, 1);
    pair.drop_next(End::A, 0);
    pair.send_at_once(End::A, 4, FULL);
    pair.pipes[0].mark_next[End::A as usize] = 1;
    pair.send_at_once(End::A, 4, FULL);
    pair.run_for(ms(3_000));
    assert_eq!(cuts(&mut pair), [CutCause::EcnEcho]);
    assert_eq!(pair.at(End::A).path_counters(path(0)).fast_retransmits, 1);
}

#[test]
fn a_time_out_after_a_mark_leaves_the_threshold() {
    let mut pair = open(EcnUse::Echo, 1);
    pair.pipes[0].mark_next[End::A as usize] = 1;
    pair.send_at_once(End::A, 1, FULL);
    (0..7).for_each(|_| pair.drop_next(End::A, 0));
    pair.send_at_once(End::A, 7, FULL);
    pair.run_for(ms(500));
    let ssthresh = pair.path(End::A, 0).ssthresh;
    pair.run_for(ms(3_000));
    assert_eq!(cuts(&mut pair), [CutCause::EcnEcho, CutCause::TimeoutAfterEcn]);
    assert_eq!(pair.path(End::A, 0).ssthresh, ssthresh);
}

#[test]
fn a_loss_before_a_mark_cuts_and_the_mark_does_not() {
    let mut pair = open(EcnUse::Echo, 1);
    pair.drop_next(End::A, 0);
    pair.send_at_once(End::A, 5, FULL);
    pair.run_until(ms(3_000), |pair| pair.path(End::A, 0).cut_open);
    pair.pipes[0].mark_next[End::A as usize] = 1;
    pair.send_at_once(End::A, 1, FULL);
    pair.run_for(ms(3_000));
    let found = cuts(&mut pair);
    assert!(!found.is_empty() && found[0] == CutCause::Missing, "{found:?}");
    assert!(found.len() == 1 || found[1..] == [CutCause::EcnEcho], "{found:?}");
}

#[test]
fn a_mark_cuts_the_window_of_its_own_path() {
    let cmt = anabranch_sctp::policy::loss_detection::cmt::CmtRules::ALL;
    for marked in [0, 1] {
        let mut settings = config(EcnUse::Echo);
        settings.set_cmt(cmt);
        let mut pair = Pair::open(settings, 2);
        pair.z.reads_at_once = true;
        pair.run_for(ms(2_000));
        pair.pipes[marked].mark_next[End::A as usize] = 1;
        pair.send_at_once(End::A, 12, FULL);
        pair.run_for(ms(3_000));
        let cut = [0, 1].map(|index| pair.at(End::A).path_counters(path(index)).ecn_cuts);
        assert_eq!(cut[marked], 1, "{cut:?}");
        assert_eq!(cut[1 - marked], 0, "{cut:?}");
    }
}

/// Nobody would answer it: the sender's path is gone as well.
#[test]
fn the_report_of_a_mark_ends_with_its_path() {
    for is_removed in [false, true] {
        let mut pair = Pair::open(config(EcnUse::Cwr), 2);
        pair.z.reads_at_once = true;
        pair.run_for(ms(2_000));
        pair.lose(End::A, "CWR");
        pair.pipes[1].mark_next[End::A as usize] = 1;
        pair.send_at_once(End::A, 12, FULL);
        pair.run_for(ms(15));
        assert!(count(&pair, End::Z, "ECNE") > 0);
        if is_removed {
            pair.remove_local(End::A, 1);
            pair.remove_local(End::Z, 1);
        }
        pair.log.clear();
        pair.send_at_once(End::A, 6, FULL);
        pair.run_for(ms(5_000));
        assert!(count(&pair, End::Z, "SACK") > 0);
        assert_eq!(count(&pair, End::Z, "ECNE") == 0, is_removed, "{:?}", pair.log);
    }
}

/// Nothing changes by a hostile peer unless ECN was agreed on and the report names a chunk in flight.
#[test]
fn unexpected_reports_and_answers_change_nothing() {
    let mut pair = open(EcnUse::Off, 1);
    let before = pair.path(End::A, 0).cwnd;
    pair.send_at_once(End::A, 4, FULL);
    let (_, acked) = pair.at(End::A).ack_points().expect("it is open");
    pair.forge(End::A, &[&EcnEcho::Lowest(acked.next()), &EcnEcho::Bare]);
    pair.forge(End::A, &[&cwr(acked.next())]);
    pair.run_for(ms(2_000));
    assert_eq!(cuts(&mut pair), []);
    assert!(pair.path(End::A, 0).cwnd >= before);

    let mut pair = open(EcnUse::Cwr, 1);
    pair.send_at_once(End::A, 4, FULL);
    let (_, acked) = pair.at(End::A).ack_points().expect("it is open");
    for tsn in [acked.plus(100), acked.plus(1 << 31)] {
        pair.forge(End::A, &[&EcnEcho::Lowest(tsn)]);
    }
    pair.forge(End::A, &[&cwr(acked.next())]);
    pair.run_for(ms(2_000));
    assert_eq!((cuts(&mut pair), count(&pair, End::A, "CWR")), (Vec::new(), 0));
}

/// Without CWRs, a report is sent once: a peer that waits for a CWR, as usrsctp does, repeats it to the end.
#[test]
fn a_report_that_comes_again_is_not_another_one() {
    let mut pair = Pair::unequal(config(EcnUse::Echo), config(EcnUse::Cwr), 1);
    pair.establish();
    pair.z.reads_at_once = true;
    pair.at(End::A).record();
    pair.pipes[0].mark_next[End::A as usize] = 1;
    pair.send_at_once(End::A, 100, FULL);
    pair.run_for(ms(5_000));
    assert!(count(&pair, End::Z, "ECNE") > 50, "{}", count(&pair, End::Z, "ECNE"));
    assert_eq!((count(&pair, End::A, "CWR"), cuts(&mut pair)), (0, vec![CutCause::EcnEcho]));
}

/// A report whose CWR was lost, or that came with the end of its window, is ended without a cut when its data is
/// acknowledged, as by Linux and FreeBSD: else the peer would repeat it and report no other mark.
#[test]
fn a_report_of_acknowledged_data_is_answered_without_a_cut() {
    let mut pair = open(EcnUse::Cwr, 1);
    let (_, acked) = pair.at(End::A).ack_points().expect("it is open");
    (0..100).for_each(|_| pair.forge(End::A, &[&EcnEcho::Counted { lowest: acked, packets: 7 }]));
    assert_eq!(count(&pair, End::A, "CWR"), 0, "not before new data");
    pair.send_at_once(End::A, 8, FULL);
    pair.run_for(ms(1));
    for _ in 0..100 {
        pair.forge(End::A, &[&EcnEcho::Counted { lowest: acked, packets: 7 }]);
        pair.send_at_once(End::A, 1, FULL);
    }
    assert_eq!(count(&pair, End::A, "CWR"), 1, "once in a round trip");
    pair.run_for(ms(2_000));
    assert_eq!(cuts(&mut pair), Vec::new());
}

/// usrsctp and Linux report the last mark, and end the report if the CWR names no earlier chunk.
#[test]
fn a_cwr_names_the_last_chunk_that_left_before_it() {
    let mut pair = open(EcnUse::Cwr, 1);
    pair.keep_packets();
    pair.pipes[0].mark_next[End::A as usize] = 1;
    pair.send_at_once(End::A, 40, FULL);
    pair.run_for(ms(5_000));
    let mut highest = None;
    for line in pair.log.iter().filter(|line| line.from == End::A) {
        for chunk in Packet::decode(&line.bytes, Checksum::Crc32c).expect("a packet").chunks() {
            match chunk.expect("a chunk") {
                Chunk::Data(data) => highest = Some(data.tsn),
                Chunk::CongestionWindowReduced(cwr) => {
                    assert_eq!((Some(cwr.lowest_tsn), cwr.overrides), (highest, false));
                    return;
                }
                _ => {}
            }
        }
    }
    panic!("there was no CWR");
}

#[test]
fn only_a_cwr_that_does_not_precede_the_mark_ends_its_report() {
    for (distance, overrides, ends) in
        [(-1, false, false), (0, false, true), (5, false, true), (-1, true, true)]
    {
        let mut pair = open(EcnUse::Cwr, 1);
        let (_, acked) = pair.at(End::A).ack_points().expect("it is open");
        pair.lose(End::A, "CWR");
        pair.pipes[0].mark_next[End::A as usize] = 1;
        pair.send_at_once(End::A, 4, FULL);
        pair.run_for(ms(200));
        let lowest_tsn = acked.next().plus(distance as u32);
        pair.forge(End::Z, &[&CongestionWindowReduced { lowest_tsn, overrides }]);
        pair.log.clear();
        pair.lose(End::A, "CWR");
        pair.send_at_once(End::A, 2, FULL);
        pair.run_for(ms(200));
        assert_eq!(count(&pair, End::Z, "ECNE") == 0, ends, "{distance} {overrides}");
    }
}

#[test]
fn a_flood_of_reports_cuts_once_in_a_window_of_data() {
    let mut pair = open(EcnUse::Echo, 1);
    pair.send_at_once(End::A, 8, FULL);
    let (_, acked) = pair.at(End::A).ack_points().expect("it is open");
    for _ in 0..100 {
        let reports: Vec<EcnEcho> = (1..9).map(|number| EcnEcho::Lowest(acked.plus(number))).collect();
        let chunks: Vec<&dyn anabranch_sctp::wire::EncodeChunk> =
            reports.iter().map(|report| report as &dyn anabranch_sctp::wire::EncodeChunk).collect();
        pair.forge(End::A, &chunks);
    }
    pair.run_for(ms(2_000));
    assert_eq!(cuts(&mut pair), [CutCause::EcnEcho]);
    assert!(pair.path(End::A, 0).cwnd >= ByteCount::new(2 * 1_500));
}

/// The faults of ECN that A reports, and the codepoint of its last packet with data.
fn trial(middlebox: Middlebox) -> (Vec<Event>, Ecn, Vec<CutCause>) {
    let tested = Config { ecn_test: true, ..config(EcnUse::Cwr) };
    let mut pair = Pair::new(tested, 1);
    pair.pipes[0].middlebox = middlebox;
    pair.establish();
    pair.z.reads_at_once = true;
    pair.at(End::A).record();
    for _ in 0..60 {
        pair.send_at_once(End::A, 4, FULL);
        pair.run_for(ms(1_000));
    }
    pair.run_for(ms(20_000));
    assert!(pair.at(End::A).unacknowledged().is_zero(), "everything arrived");
    let last = pair.log.iter().rfind(|line| line.from == End::A && line.text.contains("DATA"));
    let ecn = last.expect("data").ecn;
    let faults = pair.a.events.iter().filter(|event| matches!(event, Event::EcnUnusable(..)));
    (faults.cloned().collect(), ecn, cuts(&mut pair))
}

#[test]
fn a_path_whose_marks_do_not_come_back_or_that_loses_ect_is_used_without_and_says_so() {
    let (faults, ecn, cut) = trial(Middlebox::None);
    assert_eq!(
        (faults.len(), ecn, cut),
        (0, Ecn::Ect0, Vec::new()),
        "an own mark does not indicate congestion"
    );
    let (faults, ecn, cut) = trial(Middlebox::Bleach);
    let said: Vec<String> = faults.iter().map(|event| format!("{event:?}")).collect();
    assert_eq!((said.len(), ecn, cut), (1, Ecn::NotEct, Vec::new()), "{said:?}");
    assert!(said[0].contains("Unreported"), "{said:?}");
    let (faults, ecn, _) = trial(Middlebox::Drop);
    let said: Vec<String> = faults.iter().map(|event| format!("{event:?}")).collect();
    assert_eq!((said.len(), ecn), (1, Ecn::NotEct), "{said:?}");
    assert!(said[0].contains("Vanish"), "{said:?}");
}
