//! The acknowledgements of a receiver in concurrent multipath transfer: the order of arrival does not cause an
//! immediate SACK, and each SACK says for how many packets it stands (M-CMT-4). Dialogues; the rule alone has its
//! tests in `policy/acknowledge/dac.rs`.

use crate::pair::{End, Pair, chunks};
use anabranch_base::{ByteCount, Duration, Time};
use anabranch_sctp::config::{Config, SackSettings};
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;
use anabranch_sctp::seq::{Ssn, Tsn};
use anabranch_sctp::wire::{Chunk, Data, Ppid, StreamId};

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn cmt(rules: CmtRules) -> Config {
    let mut config = Config::rfc9260();
    config.set_cmt(rules);
    config
}

/// A receiver over two paths; the test makes the DATA that arrive, and takes the answers.
struct Receiver {
    pair: Pair,
    next: Tsn,
    begun: Time,
}

impl Receiver {
    fn open(config: Config) -> Receiver {
        let mut pair = Pair::open(config, 2);
        pair.keep_packets();
        // The first chunk says where the TSNs begin.
        pair.send(End::A, 100);
        pair.run_for(ms(500));
        let sent: Vec<Tsn> = pair.log.iter().flat_map(|line| tsn_of(&line.bytes)).collect();
        let next = sent[0].next();
        pair.log.clear();
        // A did not send the test's chunks, and gets no SACK for them.
        pair.pipes.iter_mut().for_each(|pipe| pipe.drop_next[End::Z as usize] = u32::MAX);
        let begun = pair.now;
        Receiver { pair, next, begun }
    }

    /// The `number`-th chunk after the first one arrives.
    fn data(&mut self, number: u32) {
        self.deliver(number, false);
    }

    fn deliver(&mut self, number: u32, immediate: bool) {
        let data = Data {
            tsn: self.next.plus(number - 1),
            stream: StreamId::new(0),
            ssn: Ssn::default(),
            ppid: Ppid::new(0),
            unordered: true,
            beginning: true,
            ending: true,
            immediate,
            payload: &[7; 1000],
        };
        self.pair.forge(End::Z, &[&data]);
    }

    fn wait(&mut self, span: Duration) {
        self.pair.run_for(span);
    }

    /// The SACKs since the last call: `200: 0x40, cum 0, gaps 2-3`, when, with which flags, for what.
    fn sacks(&mut self) -> Vec<String> {
        let (begun, base) = (self.begun, self.next.previous());
        let log = std::mem::take(&mut self.pair.log);
        let mut told = Vec::new();
        for line in log.iter().filter(|line| line.from == End::Z) {
            for chunk in chunks(&line.bytes) {
                let Chunk::Sack(sack) = chunk else { continue };
                let cumulative = sack.cumulative_tsn_ack.distance_from(base);
                let gaps = sack.gap_blocks.iter().map(|gap| {
                    format!(" {}-{}", cumulative + u32::from(gap.start), cumulative + u32::from(gap.end))
                });
                let gaps: String = gaps.collect();
                let at = line.at.since(begun).as_millis();
                told.push(format!("{at}: {:#04x}, {cumulative}{gaps}", sack.flags));
            }
        }
        told
    }
}

fn tsn_of(bytes: &bytes::Bytes) -> Vec<Tsn> {
    let tsn = |chunk: Chunk<'_>| match chunk {
        Chunk::Data(data) => Some(data.tsn),
        _ => None,
    };
    chunks(bytes).into_iter().filter_map(tsn).collect()
}

/// A packet that opens a gap, one that extends it and one that closes it: each waits for a second packet or 200 ms.
#[test]
fn a_gap_does_not_cause_an_immediate_sack() {
    let sacks = |rules| {
        let mut receiver = Receiver::open(cmt(rules));
        for number in [2, 3, 1] {
            receiver.data(number);
            receiver.wait(ms(300));
        }
        receiver.sacks()
    };
    assert_eq!(sacks(CmtRules::ALL), ["200: 0x40, 0 2-2", "500: 0x40, 0 2-3", "800: 0x40, 3"]);
    assert_eq!(sacks(CmtRules::NONE), ["0: 0x00, 0 2-2", "300: 0x00, 0 2-3", "600: 0x00, 3"]);
}

#[test]
fn the_second_packet_is_answered_whatever_the_order() {
    let mut receiver = Receiver::open(cmt(CmtRules::ALL));
    for number in [2, 4, 6, 5, 1, 3] {
        receiver.data(number);
        receiver.wait(ms(10));
    }
    assert_eq!(receiver.sacks(), ["10: 0x80, 0 2-2 4-4", "30: 0x80, 0 2-2 4-6", "50: 0x80, 6"]);
}

/// The packets of both paths count together: "2 DATA packets of the association".
#[test]
fn packets_of_two_paths_are_answered_together() {
    let mut pair = Pair::open(cmt(CmtRules::ALL), 2);
    // RFC 9260 §5.1: the first packet of all is answered at once.
    pair.send(End::A, 1000);
    pair.run_for(ms(300));
    pair.log.clear();
    let start = pair.now;
    (0..2).for_each(|_| pair.send(End::A, 1000));
    pair.run_for(ms(300));
    assert_eq!(
        pair.take_timed_log(start),
        ["0 A -2> DATA -2> Z", "0 A -1> DATA -1> Z", "10 Z -1> SACK -1> A"],
        "one, by the way of the last"
    );
}

#[test]
fn a_duplicate_is_answered_at_once_and_counted() {
    let mut receiver = Receiver::open(cmt(CmtRules::ALL));
    receiver.data(1);
    receiver.wait(ms(300));
    receiver.data(1);
    receiver.data(3);
    receiver.wait(ms(50));
    receiver.data(3);
    assert_eq!(receiver.sacks(), ["200: 0x40, 1", "300: 0x40, 1", "350: 0x80, 1 3-3"]);
}

#[test]
fn the_i_bit_is_answered_at_once() {
    let mut receiver = Receiver::open(cmt(CmtRules::ALL));
    receiver.deliver(2, true);
    assert_eq!(receiver.sacks(), ["0: 0x40, 0 2-2"]);
}

#[test]
fn a_chunk_that_has_no_room_is_answered_at_once() {
    let config = Config { receive_buffer: ByteCount::new(2500), ..cmt(CmtRules::ALL) };
    let sack = SackSettings { every: 10, ..config.sack };
    let mut receiver = Receiver::open(Config { sack, ..config });
    receiver.data(2);
    receiver.data(3);
    assert!(receiver.sacks().is_empty());
    receiver.data(4);
    assert_eq!(receiver.sacks(), ["0: 0xc0, 0 2-3"]);
}

/// G25: the packets since the last SACK, on the wire.
#[test]
fn g25_the_flags_count_packets_up_to_three() {
    let flags = |every: u32| {
        let config = cmt(CmtRules::ALL);
        let sack = SackSettings { every, ..config.sack };
        let mut receiver = Receiver::open(Config { sack, ..config });
        (1..=every).for_each(|number| receiver.data(number + 1));
        receiver.sacks()
    };
    assert_eq!(flags(1), ["0: 0x40, 0 2-2"]);
    assert_eq!(flags(2), ["0: 0x80, 0 2-3"]);
    assert_eq!(flags(3), ["0: 0xc0, 0 2-4"]);
    assert_eq!(flags(7), ["0: 0xc0, 0 2-8"]);
}
