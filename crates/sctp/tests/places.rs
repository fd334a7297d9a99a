//! Where lost chunks go when several paths carry data (M-CMT-6): to a path with room, or to the best one.

use crate::pair::{End, Pair, path};
use anabranch_base::{ByteCount, Duration, Time};
use anabranch_sctp::config::{
    BurstRule, Charge, Config, Encapsulation, Failover, InitialWindow, MaxBurst, SackSettings, Unit,
};
use anabranch_sctp::policy::Hints;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Windows that count packets of 1,500 bytes, four each; every packet is acknowledged; bursts are not bounded, and no
/// path fails.
fn counted(retransmission: &str) -> Config {
    Config {
        charge: Charge::Packet,
        unit: Unit::Mtu,
        rwnd_charge: Charge::Packet,
        encapsulation: Encapsulation::None,
        initial_window: InitialWindow::Bytes(ByteCount::new(6_000)),
        initial_ssthresh: Some(ByteCount::new(6_000)),
        sack: SackSettings { every: 1, delay: ms(200), ..Config::rfc9260().sack },
        max_burst: MaxBurst { packets: 1000, rule: BurstRule::Event },
        failover: Failover::OFF,
        retransmission: retransmission.into(),
        fast_retransmission: retransmission.into(),
        ..Config::rfc9260()
    }
}

/// The user data of a full packet.
const FULL: usize = 1452;

/// The pipes that packets with DATA of A took since the last call, those lost included.
fn data_pipes(pair: &mut Pair) -> Vec<usize> {
    let log = std::mem::take(&mut pair.log);
    let data = log.iter().filter(|line| line.from == End::A && line.text.contains("DATA"));
    data.map(|line| line.pipe).collect()
}

/// The new data takes path 1, whose window has grown; path 2 stands by with room for four packets. Of the next
/// window the first two packets are lost. The pipes that they take when they are sent again.
fn pipes_after_two_losses(retransmission: &str) -> Vec<usize> {
    let config = Config { scheduler: "primary".into(), initial_ssthresh: None, ..counted(retransmission) };
    let mut pair = Pair::open(config, 2);
    pair.z.reads_at_once = true;
    pair.send_at_once(End::A, 30, FULL);
    pair.run_for(ms(200));
    let window = (pair.path(End::A, 0).cwnd.get() / 1500) as usize;
    assert!(window > 10 && pair.path(End::A, 1).cwnd.get() == 6_000, "{window}");
    pair.log.clear();
    pair.drop_next(End::A, 0);
    pair.drop_next(End::A, 0);
    pair.send_at_once(End::A, window, FULL);
    assert_eq!(data_pipes(&mut pair), vec![0; window]);
    pair.run_for(ms(500));
    data_pipes(&mut pair)
}

#[test]
fn a_chunk_goes_as_soon_as_possible_where_there_is_room() {
    assert_eq!(pipes_after_two_losses("asap"), [1, 1]);
}

/// Half of path 1's window is still larger than that of path 2, and full. One packet may pass it; the second waits.
#[test]
fn a_chunk_whose_best_path_is_full_waits_for_it_although_another_has_room() {
    assert_eq!(pipes_after_two_losses("cwnd"), [0, 0]);
}

#[test]
fn a_chunk_goes_where_the_threshold_is_larger_whatever_the_window_is() {
    assert_eq!(pipes_after_two_losses("ssthresh"), [1, 1], "it was cut on path 1 only");
}

/// A packet is planned for one path and packed for the same: a tie that fell otherwise the second time would leave
/// the packet without a chunk, and the association silent until the next event.
#[test]
fn what_a_tie_gave_holds_for_the_whole_event() {
    for seed in 1..=20 {
        let mut pair = Pair::new(Config { scheduler: "primary".into(), ..counted("ssthresh") }, 3);
        pair.reseed(End::A, seed);
        pair.establish();
        pair.pipes[0].is_cut = true;
        pair.send_at_once(End::A, 4, FULL);
        data_pipes(&mut pair);
        pair.run_for(ms(1_000));
        let thresholds = [0, 1, 2].map(|index| pair.path(End::A, index).ssthresh.get());
        assert_eq!(thresholds, [6_000; 3], "all three are equals");
        assert!(!data_pipes(&mut pair).is_empty(), "seed {seed}: the time-out sent nothing again");
    }
}

/// The estimate behind `lossrate`: a time-out marks the whole window of four, then the single packet that follows.
#[test]
fn the_loss_rate_of_a_path_follows_what_is_marked_there() {
    let mut pair = Pair::open(counted("same"), 2);
    pair.z.reads_at_once = true;
    pair.pipes[0].is_cut = true;
    pair.send_at_once(End::A, 8, FULL);
    let rates = [1_100, 2_000].map(|milliseconds| {
        pair.run_for(ms(milliseconds));
        [0, 1].map(|index| pair.path(End::A, index).loss_rate)
    });
    assert_eq!(rates, [[0.125, 0.0], [0.234_375, 0.0]]);
}

#[test]
fn what_is_said_of_a_path_is_shown_to_rules_and_the_oracle_goes_by_it() {
    let mut pair = Pair::open(Config { scheduler: "primary".into(), ..counted("lossrate=oracle") }, 3);
    pair.z.reads_at_once = true;
    for (index, loss) in [0.1, 0.01, 0.02].into_iter().enumerate() {
        let hints = Hints { loss: Some(loss), ..Hints::default() };
        pair.at(End::A).set_hints(path(index), hints);
        assert_eq!(pair.path(End::A, index).hints, hints);
    }
    pair.pipes[0].is_cut = true;
    pair.send_at_once(End::A, 4, FULL);
    data_pipes(&mut pair);
    pair.run_for(ms(1_100));
    assert_eq!(data_pipes(&mut pair), [1, 1, 1, 1]);
}

/// RFC 9260 §7.2.4 rule 3: "Determine how many of the earliest [...] DATA chunks marked for retransmission will fit
/// into a single packet [...]. Retransmit those K DATA chunks in a single packet": the full window lets one packet
/// pass, not just one chunk.
#[test]
fn a_lost_packet_of_small_messages_is_sent_again_in_one_packet() {
    for retransmission in ["same", "asap"] {
        let initial_window = InitialWindow::Bytes(ByteCount::new(24_000));
        let fast_retransmission = retransmission.to_owned();
        let mut pair = Pair::open(Config { initial_window, fast_retransmission, ..Config::rfc9260() }, 1);
        pair.lose(End::A, "DATA");
        pair.send_at_once(End::A, 200, 100);
        let lost = pair.take_log().swap_remove(0);
        assert!(lost.matches("DATA").count() > 10, "{lost}");
        pair.run_for(ms(25));
        let resent = pair.take_log().into_iter().find(|line| line.starts_with("A")).expect("one after 20 ms");
        assert_eq!(resent, lost.replace("lost", "Z"), "{retransmission}");
    }
}

/// The same after a time-out (RFC 9260 §6.3.3 E3), where the path that carries them was just timed out itself: it may have one
/// packet in flight, and that is a full one.
#[test]
fn a_packet_after_a_time_out_takes_all_small_messages_that_fit() {
    for retransmission in ["alternate", "same"] {
        let retransmission = retransmission.to_owned();
        let mut pair = Pair::open(Config { retransmission: retransmission.clone(), ..Config::rfc9260() }, 2);
        (pair.pipes[0].is_cut, pair.pipes[1].is_cut) = (true, true);
        pair.send_at_once(End::A, 100, 10);
        pair.run_for(Duration::from_secs(9));
        let resent = pair.log.iter().filter(|line| line.at > Time::from_nanos(500_000_000));
        let full = resent.filter(|line| line.from == End::A && line.text.contains("DATA"));
        let most = full.map(|line| line.text.matches("DATA").count()).collect::<Vec<_>>();
        assert!(most.len() > 1 && most.iter().all(|chunks| *chunks > 30), "{retransmission}: {most:?}");
    }
}

#[test]
fn everything_arrives_under_every_policy_and_the_same_way_each_time() {
    for policy in ["asap", "cwnd", "ssthresh", "lossrate", "lossrate=oracle", "compound", "same", "alternate"]
    {
        let logs = [(); 2].map(|()| {
            let mut pair = Pair::open(counted(policy), 3);
            pair.faults.loss = 50;
            pair.z.reads_at_once = true;
            pair.send_at_once(End::A, 300, FULL);
            let arrived = pair.run_until(Duration::from_secs(600), |pair| pair.z.read.len() == 300);
            assert!(arrived, "{policy}: {} of 300 arrived", pair.z.read.len());
            pair.take_log()
        });
        assert_eq!(logs[0], logs[1], "{policy}");
    }
}
