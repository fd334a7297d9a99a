//! The largest packet of each path, searched by probes (RFC 8899): what is found, how fast, and what happens to data
//! when packets must become smaller.

use crate::pair::{End, Pair, chunks, path};
use anabranch_base::{ByteCount, Duration, Time};
use anabranch_sctp::association::PathAddresses;
use anabranch_sctp::config::{Config, Failover, IpVersion, MtuDiscovery};
use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::wire::{Chunk, Heartbeat, HeartbeatAck};
use bytes::Bytes;

fn searching() -> Config {
    Config { mtu_discovery: MtuDiscovery::On, ..Config::rfc9260() }
}

/// Like the tools: time-outs of 200 ms.
fn brisk() -> Config {
    let mut config = searching();
    config.rto.min = Duration::from_millis(200);
    config
}

fn mtus(pair: &mut Pair) -> Vec<u64> {
    pair.at(End::A).paths().iter().map(|sample| sample.mtu.get()).collect()
}

fn timeouts(pair: &mut Pair) -> u64 {
    let paths = pair.at(End::A).paths().len();
    (0..paths).map(|index| pair.at(End::A).path_counters(path(index)).timeouts).sum()
}

/// A sends messages of these lengths, each with its number, as fast as there is room, and Z gets each once and in order.
/// The time it took, and the longest time in which nothing arrived.
fn transfer(pair: &mut Pair, lengths: &[usize]) -> (Duration, Duration) {
    transfer_while(pair, lengths, |_| ())
}

fn transfer_while(
    pair: &mut Pair,
    lengths: &[usize],
    mut meddle: impl FnMut(&mut Pair),
) -> (Duration, Duration) {
    let begun = pair.now;
    let (mut given, mut taken) = (0, 0);
    let (mut last, mut longest) = (begun, Duration::ZERO);
    while taken < lengths.len() {
        assert!(pair.now.since(begun) < Duration::from_secs(60), "{taken} of {} arrived", lengths.len());
        meddle(pair);
        while given < lengths.len() {
            let mut payload = vec![given as u8; lengths[given]];
            payload[0] = (given >> 8) as u8;
            if pair.try_send(End::A, 0, false, Bytes::from(payload)).is_err() {
                break;
            }
            given += 1;
        }
        for message in pair.receive(End::Z) {
            let bytes = message.into_bytes();
            assert_eq!(bytes.len(), lengths[taken], "message {taken}");
            assert_eq!(bytes[0], (taken >> 8) as u8, "message {taken}");
            assert!(bytes[1..].iter().all(|byte| *byte == taken as u8), "message {taken}");
            taken += 1;
            longest = longest.max(pair.now.since(last));
            last = pair.now;
        }
        pair.run_for(Duration::from_millis(1));
    }
    (pair.now.since(begun), longest)
}

fn count(pair: &Pair, text: &str) -> usize {
    pair.log.iter().filter(|line| line.text.contains(text)).count()
}

#[test]
fn the_common_path_is_known_after_one_probe_and_one_round_trip() {
    let mut pair = Pair::new(searching(), 1);
    pair.connect();
    let is_known = pair.run_until(Duration::from_secs(1), |pair| {
        pair.a.events.contains(&Event::PathMtu(path(0), ByteCount::new(1_500)))
    });
    assert!(is_known);
    assert_eq!(pair.now.since(Time::ZERO), Duration::from_millis(60), "the handshake and one round trip");
    pair.run_for(Duration::from_secs(1_000));
    assert_eq!(count(&pair, "A -> HEARTBEAT + PAD -> Z"), 1);
    assert_eq!(count(&pair, "Z -> HEARTBEAT + PAD -> A"), 1);
}

/// RFC 8899 §6.2: "without being limited by congestion control or flow control"; §3 item 7: the loss of a probe "SHOULD
/// NOT trigger a congestion control reaction"; nor is it an error of the path.
#[test]
fn lost_probes_count_neither_as_congestion_nor_as_errors() {
    let failover = Failover { path_max: 0, association_max: 0, ..Config::rfc9260().failover };
    let mut pair = Pair::new(Config { failover, ..searching() }, 1);
    pair.pipes[0].mtu = 1_400;
    pair.connect();
    let first = pair.run_until(Duration::from_secs(1), |pair| pair.is_open(End::A));
    assert!(first);
    let window = pair.path(End::A, 0).cwnd;
    pair.run_for(Duration::from_secs(25));
    assert!(count(&pair, "A -> HEARTBEAT + PAD -> lost") > 5);
    assert_eq!(mtus(&mut pair), [1_400]);
    assert_eq!(pair.path(End::A, 0).cwnd, window);
    assert!(pair.a.events.iter().all(|event| !matches!(event, Event::PathDown(_) | Event::PathSuspected(_))));
    let sizes: Vec<usize> =
        pair.log.iter().filter(|line| line.text.contains("PAD")).map(|line| line.len + 28).collect();
    assert!(sizes.iter().all(|size| (1_200..=1_500).contains(size)), "{sizes:?}");
}

#[test]
fn a_fresh_transfer_over_a_narrow_link_never_waits_for_a_time_out() {
    for mtu in [1_280, 1_400, 1_444, 1_492] {
        let mut pair = Pair::new(searching(), 1);
        pair.pipes[0].mtu = mtu;
        pair.connect();
        pair.run_until(Duration::from_secs(1), |pair| pair.is_open(End::A) && pair.is_open(End::Z));
        let (_, longest) = transfer(&mut pair, &[5_000; 2_000]);
        assert_eq!(timeouts(&mut pair), 0, "{mtu}");
        assert!(longest < Duration::from_millis(250), "{mtu}: {longest}");
        pair.run_for(Duration::from_secs(30));
        let found = mtus(&mut pair)[0] as usize;
        assert!(found <= mtu && mtu < found + 24, "{mtu}: {found}");
    }
}

/// With IPv6 every link carries 1,280 bytes.
#[test]
fn the_search_knows_the_version_of_ip() {
    let mut pair = Pair::over(searching(), searching(), &[IpVersion::V6]);
    pair.pipes[0].mtu = 1_400;
    pair.keep_packets();
    pair.connect();
    pair.run_for(Duration::from_secs(30));
    assert_eq!(mtus(&mut pair), [1_400]);
    let least = pair.log.iter().filter(|line| line.text.contains("PAD")).map(|line| line.len + 48).min();
    assert_eq!(least, Some(1_280));
}

#[test]
fn a_link_that_carries_less_than_the_base_is_found_out() {
    let mut pair = Pair::new(brisk(), 1);
    pair.pipes[0].mtu = 1_000;
    pair.connect();
    pair.run_until(Duration::from_secs(1), |pair| pair.is_open(End::A) && pair.is_open(End::Z));
    let (_, longest) = transfer(&mut pair, &[5_000; 200]);
    assert!(longest < Duration::from_secs(4), "{longest}");
    pair.run_for(Duration::from_secs(60));
    let found = mtus(&mut pair)[0];
    assert!((976..=1_000).contains(&found), "{found}");
}

/// Packets under way when the only path shrinks were made for larger packets: the network may cut them.
#[test]
fn the_only_path_shrinks_in_a_transfer_and_nothing_is_lost() {
    for mtu in [600, 1_000, 1_280, 1_400] {
        let mut pair = Pair::open(brisk(), 1);
        let shrinks_at = pair.now + Duration::from_millis(300);
        let (_, longest) = transfer_while(&mut pair, &[3_000; 2_000], |pair| {
            if pair.now >= shrinks_at {
                pair.pipes[0].mtu = mtu;
            }
        });
        assert!(longest < Duration::from_secs(1), "{mtu}: {longest}");
        assert!(pair.log.iter().any(|line| line.len + 28 > mtu && line.text.contains("DATA")), "{mtu}");
        pair.run_for(Duration::from_secs(60));
        let found = mtus(&mut pair)[0] as usize;
        assert!(found <= mtu && mtu < found + 24, "{mtu}: {found}");
    }
}

#[test]
fn a_path_that_shrinks_leaves_the_larger_chunks_to_the_other() {
    for quick in [false, true] {
        let failover = Failover { quick, ..Config::rfc9260().failover };
        let mut pair = Pair::open(Config { failover, receive_buffer: ByteCount::from_kib(64), ..brisk() }, 2);
        let shrinks_at = pair.now + Duration::from_millis(300);
        pair.log.clear();
        let (_, longest) = transfer_while(&mut pair, &[1_400; 5_000], |pair| {
            if pair.now >= shrinks_at {
                pair.pipes[1].mtu = 1_300;
            }
        });
        assert!(longest < Duration::from_secs(1), "{quick}: {longest}");
        pair.run_for(Duration::from_secs(60));
        let found = mtus(&mut pair);
        assert!(found[0] == 1_500 && (1_280..=1_300).contains(&found[1]), "{found:?}");
        // The path that shrank carries what fits: it is not given up.
        let on_second = |line: &&crate::pair::Line| line.text.starts_with("A -2> DATA -2> Z");
        let late =
            pair.log.iter().filter(on_second).filter(|line| line.at > shrinks_at + Duration::from_secs(1));
        assert!(late.count() > 100, "{quick}");
    }
}

#[test]
fn a_link_that_grows_is_noticed_when_the_raise_timer_expires() {
    let mut pair = Pair::new(searching(), 1);
    pair.pipes[0].mtu = 1_400;
    pair.connect();
    pair.run_for(Duration::from_secs(100));
    assert_eq!(mtus(&mut pair), [1_400]);
    pair.pipes[0].mtu = 1_500;
    pair.run_for(Duration::from_secs(400));
    assert_eq!(mtus(&mut pair), [1_400]);
    pair.run_for(Duration::from_secs(200));
    assert_eq!(mtus(&mut pair), [1_500]);
}

/// Nothing at all gets through for a while: that says nothing of sizes.
#[test]
fn an_outage_leaves_the_size_as_it_was() {
    let mut pair = Pair::open(brisk(), 1);
    pair.send_at_once(End::A, 50, 1_400);
    pair.pipes[0].is_cut = true;
    pair.run_for(Duration::from_secs(10));
    assert_eq!(mtus(&mut pair), [1_500]);
    pair.pipes[0].is_cut = false;
    pair.run_for(Duration::from_secs(60));
    assert_eq!((mtus(&mut pair), pair.receive(End::Z).len()), (vec![1_500], 50));
}

/// An attacker that does not see the probes cannot answer them, and a wrong or repeated answer changes nothing.
#[test]
fn a_forged_answer_does_not_raise_the_size() {
    let mut pair = Pair::new(searching(), 1);
    pair.pipes[0].mtu = 1_300;
    pair.keep_packets();
    pair.connect();
    pair.run_for(Duration::from_secs(100));
    let before = mtus(&mut pair);
    let probes = pair.take_packets(End::A);
    let infos: Vec<Vec<u8>> = probes.iter().filter_map(info_of_probe).collect();
    assert!(infos.len() > 5);
    for info in &infos {
        for at in 0..NONCE_AND_PATH {
            let mut info = info.clone();
            info[at] ^= 1;
            pair.forge(End::A, &[&HeartbeatAck::new(info)]);
        }
        // The search is over: its nonces mean nothing any more.
        pair.forge(End::A, &[&HeartbeatAck::new(info.clone())]);
    }
    assert_eq!(mtus(&mut pair), before);
}

/// Bytes of a HEARTBEAT's information; what follows is padding.
const NONCE_AND_PATH: usize = 16;

fn info_of_probe(bytes: &Bytes) -> Option<Vec<u8>> {
    match &chunks(bytes)[..] {
        [Chunk::Heartbeat(Heartbeat { info, .. }), Chunk::Pad(_)] => Some(info.clone()),
        _ => None,
    }
}

#[test]
fn what_the_operating_system_refuses_bounds_the_size_at_once() {
    let mut pair = Pair::open(brisk(), 1);
    let addresses = PathAddresses { local: pair.address(End::A, 0), remote: pair.address(End::Z, 0) };
    pair.send_at_once(End::A, 100, 1_400);
    let now = pair.now;
    pair.pipes[0].mtu = 1_300;
    pair.a.endpoint.on_too_large(now, addresses, ByteCount::new(1_300));
    pair.log.clear();
    pair.settle(End::A);
    assert_eq!(mtus(&mut pair), [1_300]);
    assert!(count(&pair, "DATA") > 0, "what was under way and too large is sent again at once");
    let arrived = pair.run_until(Duration::from_secs(1), |pair| pair.at(End::A).unacknowledged().is_zero());
    assert!(arrived);
}

/// RFC 8899 §3 item 7: "the interval between probe packets MUST be at least one RTT", also if time-outs and reports of
/// the operating system begin the search anew.
#[test]
fn no_two_probes_leave_within_a_round_trip() {
    let mut count = 0;
    for seed in 0..20 {
        let mut pair = Pair::new(brisk(), 1);
        pair.seed(seed);
        pair.faults.loss = 10;
        let one_way = Duration::from_millis(5 + 7 * (seed % 5));
        pair.pipes[0].delay = one_way;
        pair.connect();
        let is_open =
            pair.run_until(Duration::from_secs(60), |pair| pair.is_open(End::A) && pair.is_open(End::Z));
        assert!(is_open, "seed {seed}");
        let mut next_change = pair.now;
        transfer_while(&mut pair, &[3_000; 600], |pair| {
            if pair.now >= next_change {
                next_change = pair.now + Duration::from_millis(100 + pair.random() % 1_000);
                pair.pipes[0].mtu = 1_000 + (pair.random() % 600) as usize;
                let addresses =
                    PathAddresses { local: pair.address(End::A, 0), remote: pair.address(End::Z, 0) };
                let largest = ByteCount::new(1_200 + pair.random() % 400);
                pair.a.endpoint.on_too_large(pair.now, addresses, largest);
                pair.settle(End::A);
            }
        });
        let is_probe = |line: &&crate::pair::Line| line.text.starts_with("A -> HEARTBEAT + PAD");
        let probes: Vec<Time> = pair.log.iter().filter(is_probe).map(|line| line.at).collect();
        for pair in probes.windows(2) {
            let gap = pair[1].since(pair[0]);
            assert!(gap >= one_way * 2, "seed {seed}: {gap} after the probe at {}", pair[0]);
        }
        count += probes.len();
    }
    assert!(count > 300, "{count} probes");
}

#[test]
fn an_association_that_searches_closes_at_once_and_probes_no_more() {
    let mut pair = Pair::new(searching(), 1);
    pair.pipes[0].mtu = 1_300;
    pair.connect();
    pair.run_for(Duration::from_millis(200));
    pair.close(End::A);
    pair.run_for(Duration::from_secs(1));
    assert_eq!(pair.closed(End::A), Some(CloseReason::Graceful));
    pair.log.clear();
    pair.run_for(Duration::from_secs(1_000));
    assert_eq!(pair.log.len(), 0);
}

/// Links of any size that change at any time, and losses: everything arrives once and in order, and each size that is
/// used
/// in the end is one that the link carries.
#[test]
fn whatever_sizes_links_have_everything_arrives_once_and_in_order() {
    for seed in 0..40 {
        let mut pair = Pair::new(Config { failover: Failover::OFF, ..brisk() }, 1 + seed as usize % 3);
        pair.seed(seed);
        pair.faults.loss = (seed as u32 % 4) * 10;
        let any_size = |pair: &mut Pair| 600 + (pair.random() % 1_000) as usize;
        for pipe in 0..pair.pipes.len() {
            pair.pipes[pipe].mtu = any_size(&mut pair);
        }
        pair.connect();
        let is_open =
            pair.run_until(Duration::from_secs(60), |pair| pair.is_open(End::A) && pair.is_open(End::Z));
        assert!(is_open, "seed {seed}");
        let lengths: Vec<usize> = (0..400).map(|_| 2 + (pair.random() % 6_000) as usize).collect();
        let mut next_change = pair.now;
        transfer_while(&mut pair, &lengths, |pair| {
            if pair.now >= next_change {
                next_change = pair.now + Duration::from_millis(100 + pair.random() % 2_000);
                let pipe = (pair.random() % pair.pipes.len() as u64) as usize;
                pair.pipes[pipe].mtu = any_size(pair);
            }
        });
    }
}
