//! Something on the way begins to drop large packets in mid-transfer, on some paths or all, in one direction or both:
//! a tunnel, a firewall. Small packets arrive, and so do HEARTBEATs.

use crate::pair::{End, Pair, path};
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::association::PathAddresses;
use anabranch_sctp::config::Config;
use anabranch_sctp::event::{CloseReason, Event};
use bytes::Bytes;

const ALL: Duration = Duration::from_secs(60);

/// The profiles of the tools, with a buffer that keeps a transfer going for seconds.
fn profiles() -> [Config; 2] {
    let small = ByteCount::from_kib(64);
    [Config::tuned_1(), Config::tuned_2()].map(|config| Config {
        receive_buffer: small,
        send_buffer: ByteCount::from_mib(1),
        receive_growth: None,
        ..config
    })
}

/// A sends as much as it may, and Z reads it.
struct Stream {
    pair: Pair,
    /// Bytes that A gave away, and that Z read.
    given: usize,
    taken: usize,
    /// The longest time in which Z got nothing.
    longest: Duration,
}

impl Stream {
    fn open(config: Config, pipes: usize) -> Stream {
        Stream { pair: Pair::open(config, pipes), given: 0, taken: 0, longest: Duration::ZERO }
    }

    /// Goes on for `span`, or until the association ends.
    fn run_for(&mut self, span: Duration) {
        let end = self.pair.now + span;
        let mut last = self.pair.now;
        while self.pair.now < end && self.pair.closed(End::A).is_none() {
            let message = Bytes::from(vec![7; MESSAGE]);
            while self.pair.try_send(End::A, 0, false, message.clone()).is_ok() {
                self.given += MESSAGE;
            }
            if self.read() > 0 {
                last = self.pair.now;
            }
            self.longest = self.longest.max(self.pair.now.since(last));
            self.pair.run_for(Duration::from_millis(1));
        }
    }

    fn read(&mut self) -> usize {
        let read = self.pair.receive(End::Z).iter().map(anabranch_sctp::association::Message::len).sum();
        self.taken += read;
        read
    }

    /// A sends nothing more, and Z gets all of it.
    fn finish(&mut self) {
        let end = self.pair.now + ALL;
        while self.taken < self.given {
            assert!(self.pair.now < end, "{} of {}: {:?}", self.taken, self.given, self.pair.closed(End::A));
            self.pair.run_for(Duration::from_millis(1));
            self.read();
        }
        assert_eq!(self.taken, self.given);
    }

    /// From now on packets of more than `largest` bytes vanish in the first `narrow` pipes.
    fn narrow(&mut self, narrow: usize, largest: usize) {
        self.pair.pipes.iter_mut().take(narrow).for_each(|pipe| pipe.mtu = largest);
    }

    fn drop_fragments(&mut self) {
        self.pair.pipes.iter_mut().for_each(|pipe| pipe.drops_fragments = true);
    }

    /// The sizes of packets of which A was told that they vanish on a path.
    fn told(&self, index: usize) -> Vec<u64> {
        let sizes = self.pair.a.events.iter().filter_map(|event| match event {
            Event::PathNarrowed(id, size) if *id == path(index) => Some(size.get()),
            _ => None,
        });
        sizes.collect()
    }
}

/// Each message takes three packets.
const MESSAGE: usize = 3_000;

#[test]
fn a_hole_stalls_a_transfer_for_less_than_a_second_wherever_it_is() {
    for config in profiles() {
        for (pipes, narrow) in [(1, 1), (2, 1), (2, 2), (3, 3)] {
            for largest in [600, 1_080, 1_300, 1_460] {
                let mut stream = Stream::open(config.clone(), pipes);
                stream.run_for(Duration::from_millis(300));
                stream.narrow(narrow, largest);
                stream.run_for(Duration::from_secs(5));
                let case = format!("{} {narrow} of {pipes}, {largest}", config.profile);
                assert!(stream.longest < Duration::from_secs(1), "{case}: {}", stream.longest);
                for index in 0..narrow {
                    let found = stream.pair.path(End::A, index).mtu.get() as usize;
                    assert!(found <= largest, "{case}: {found}");
                    assert_eq!(stream.told(index), [1_500], "{case}: told once");
                }
                stream.finish();
            }
        }
    }
}

/// Only the sender's packets are large: acknowledgements arrive from behind any hole.
#[test]
fn a_hole_on_the_way_back_is_not_noticed_and_one_on_the_way_there_is_as_one_on_both() {
    for config in profiles() {
        for (from, is_noticed) in [(End::Z, false), (End::A, true)] {
            let mut stream = Stream::open(config.clone(), 2);
            stream.run_for(Duration::from_millis(300));
            stream.narrow(2, 1_080);
            stream.pair.pipes.iter_mut().for_each(|pipe| pipe.narrow_from = Some(from));
            stream.run_for(Duration::from_secs(3));
            assert!(stream.longest < Duration::from_secs(1), "{}", stream.longest);
            assert_eq!(!stream.told(0).is_empty() || !stream.told(1).is_empty(), is_noticed);
        }
    }
}

/// Fragments do not arrive either: what was sent in larger packets never will, and the association ends with a reason
/// that both ends have.
#[test]
fn a_hole_that_fragments_do_not_pass_ends_the_association_within_half_a_minute() {
    for config in profiles() {
        for pipes in [1, 2] {
            for largest in [700, 1_080, 1_300] {
                let mut stream = Stream::open(config.clone(), pipes);
                stream.run_for(Duration::from_millis(300));
                stream.narrow(pipes, largest);
                stream.drop_fragments();
                let begun = stream.pair.now;
                stream.run_for(ALL);
                let Some(CloseReason::PacketsVanish { size, carried }) = stream.pair.closed(End::A) else {
                    panic!("{largest}: {:?}", stream.pair.closed(End::A));
                };
                assert_eq!(size.get(), 1_500);
                // Retransmissions that cannot arrive do not disturb the search for what does.
                let carried = carried.expect("smaller packets arrive").get() as usize;
                assert!(carried <= largest && largest < carried + 24, "{largest}: {carried}");
                let waited = stream.pair.now.since(begun);
                assert!((20_000..30_000).contains(&waited.as_millis()), "{waited}");
                stream.pair.run_for(Duration::from_millis(100));
                let heard = stream.pair.closed(End::Z).expect("the abort arrives").to_string();
                assert!(heard.contains("packets of 1500 B vanish"), "{heard}");
            }
        }
    }
}

/// Nothing of the size of data arrives, not even the least packets: HEARTBEATs alone do.
#[test]
fn a_hole_below_the_least_packet_ends_the_association_too() {
    for config in profiles() {
        let mut stream = Stream::open(config, 2);
        stream.run_for(Duration::from_millis(300));
        stream.narrow(2, 300);
        stream.drop_fragments();
        stream.run_for(ALL);
        let reason = CloseReason::PacketsVanish { size: ByteCount::new(1_500), carried: None };
        assert_eq!(stream.pair.closed(End::A), Some(reason));
    }
}

#[test]
fn a_hole_that_ends_in_time_costs_little_more_than_its_time() {
    for config in profiles() {
        for pipes in [1, 2] {
            let mut stream = Stream::open(config.clone(), pipes);
            stream.run_for(Duration::from_millis(300));
            stream.narrow(pipes, 1_080);
            stream.drop_fragments();
            stream.run_for(Duration::from_secs(15));
            stream.narrow(pipes, 1_500);
            stream.run_for(Duration::from_secs(5));
            assert!(stream.longest < Duration::from_secs(17), "{}", stream.longest);
            stream.finish();
        }
    }
}

/// An outage is not a hole, however long: no HEARTBEAT is answered while packets vanish.
#[test]
fn an_outage_is_not_taken_for_a_hole() {
    for config in profiles() {
        let mut stream = Stream::open(config, 1);
        stream.run_for(Duration::from_millis(300));
        stream.pair.pipes[0].is_cut = true;
        stream.run_for(ALL);
        assert!(
            matches!(stream.pair.closed(End::A), None | Some(CloseReason::PeerGone { .. })),
            "{:?}",
            stream.pair.closed(End::A)
        );
        assert_eq!(stream.told(0), [0; 0]);
    }
}

/// A size from the own interface is not a black hole: it is known at once.
#[test]
fn an_interface_that_carries_less_is_not_told_as_a_hole() {
    let [config, _] = profiles();
    let mut stream = Stream::open(config, 1);
    stream.run_for(Duration::from_millis(300));
    let pair = &mut stream.pair;
    let addresses = PathAddresses { local: pair.address(End::A, 0), remote: pair.address(End::Z, 0) };
    let now = pair.now;
    pair.pipes[0].mtu = 1_300;
    pair.a.endpoint.on_too_large(now, addresses, ByteCount::new(1_300));
    stream.run_for(Duration::from_secs(1));
    assert_eq!((stream.told(0), stream.pair.path(End::A, 0).mtu.get()), (vec![], 1_300));
}
