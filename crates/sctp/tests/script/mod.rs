//! One end of an association against a test that writes the SACKs: nothing else arrives.
//!
//! Windows, flights and buffers count packets of 1,500 bytes with one chunk each (`charge = packet`, `unit = MTU`), and
//! TSNs count from a number of the test's own.
#![allow(dead_code, reason = "each test file uses its own part of the script")]

use std::ops::RangeInclusive;

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_sctp::config::{
    BurstRule, Charge, Config, Encapsulation, InitialWindow, MaxBurst, RtoSettings, Unit,
};
use anabranch_sctp::policy::congestion::CutCause;
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;
use anabranch_sctp::policy::{PathId, Registry};
use anabranch_sctp::record::Happening;
use anabranch_sctp::seq::Tsn;
use anabranch_sctp::wire::{Chunk, GapBlock, Sack};

use crate::pair::{End, Line, Pair, chunks, packet};

/// The sender and its script.
pub(crate) struct Script {
    pub(crate) pair: Pair,
    /// The first TSN on the wire, as soon as it is known.
    first: Option<Tsn>,
    /// The test's number for it.
    number: u32,
    /// When the association was open.
    begun: Time,
}

/// A SACK as a test writes it.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    cumulative: u32,
    gaps: Vec<RangeInclusive<u32>>,
    packets: u32,
    pipe: usize,
    a_rwnd: u32,
}

/// A SACK with this cumulative TSN and these TSNs beyond it.
pub(crate) fn sack(cumulative: u32, gaps: &[RangeInclusive<u32>]) -> Answer {
    Answer { cumulative, gaps: gaps.to_vec(), packets: 0, pipe: 0, a_rwnd: 1 << 20 }
}

impl Answer {
    /// Says that it answers `packets` packets (DAC).
    pub(crate) fn of(self, packets: u32) -> Answer {
        Answer { packets, ..self }
    }

    /// Says that the receiver has room for `packets` full packets.
    pub(crate) fn with_room(self, packets: u32) -> Answer {
        Answer { a_rwnd: packets * PACKET as u32, ..self }
    }

    /// Comes back by this pipe.
    pub(crate) fn by(self, pipe: usize) -> Answer {
        Answer { pipe, ..self }
    }
}

/// `config` with windows that count packets, `window` of them to begin with. Bursts are not bounded.
pub(crate) fn counted(config: Config, window: u64) -> Config {
    Config {
        charge: Charge::Packet,
        unit: Unit::Mtu,
        rwnd_charge: Charge::Packet,
        encapsulation: Encapsulation::None,
        initial_window: InitialWindow::Bytes(ByteCount::new(PACKET * window)),
        max_burst: MaxBurst { packets: 1000, rule: BurstRule::Event },
        ..config
    }
}

/// RFC 2960 as the papers use it: four missing reports, growth needs an advance, lost chunks to another path. Time-outs
/// are a second from the start.
pub(crate) fn seeds(rules: CmtRules, scheduler: &str, window: u64) -> Config {
    let profile = Config::rfc2960();
    let rto = RtoSettings { initial: profile.rto.min, ..profile.rto };
    let mut config = counted(Config { scheduler: scheduler.into(), rto, ..profile }, window);
    config.set_cmt(rules);
    config
}

/// The same, and lost chunks stay on their path.
pub(crate) fn same(config: Config) -> Config {
    Config { retransmission: "same".into(), fast_retransmission: "same".into(), ..config }
}

impl Script {
    /// An open association over `paths` paths; from now on every packet is lost, both ways.
    pub(crate) fn open(config: Config, pipes: usize) -> Script {
        Script::over(Pair::open(config, pipes))
    }

    /// The same, with the policies of `registry`.
    pub(crate) fn open_with(registry: &Registry, config: &Config, pipes: usize) -> Script {
        Script::over(Pair::open_with(registry, config, pipes))
    }

    fn over(mut pair: Pair) -> Script {
        pair.keep_packets();
        pair.at(End::A).record();
        pair.pipes.iter_mut().for_each(|pipe| pipe.drop_next = [u32::MAX; 2]);
        let begun = pair.now;
        Script { pair, first: None, number: 1, begun }
    }

    /// The same, with the first TSN called `number`.
    pub(crate) fn numbered_from(self, number: u32) -> Script {
        Script { number, ..self }
    }

    /// Hands over `count` full packets before the first may leave.
    pub(crate) fn send(&mut self, count: usize) {
        self.pair.send_at_once(End::A, count, FULL);
        self.learn_first();
    }

    /// Hands over `count` full packets, each when the one before has left or has to wait.
    pub(crate) fn send_in_turn(&mut self, count: usize) {
        (0..count).for_each(|_| self.pair.send(End::A, FULL));
        self.learn_first();
    }

    /// The SACK arrives.
    pub(crate) fn hear(&mut self, answer: &Answer) {
        let tag = self.pair.at(End::A).tags().0;
        let offset = |tsn: u32| (tsn - answer.cumulative) as u16;
        let gaps: Vec<GapBlock> = answer
            .gaps
            .iter()
            .map(|gap| GapBlock { start: offset(*gap.start()), end: offset(*gap.end()) })
            .collect();
        let sack = Sack {
            cumulative_tsn_ack: self.tsn(answer.cumulative),
            a_rwnd: answer.a_rwnd,
            flags: Sack::flags_of_packet_count(answer.packets),
            gap_blocks: gaps.as_slice().into(),
            duplicates: [].as_slice().into(),
        };
        self.pair.inject(End::A, answer.pipe, packet(tag, &[&sack]));
        self.pair.run_for(Duration::ZERO);
    }

    /// Lets time pass until `milliseconds` after the association was open.
    pub(crate) fn wait_until(&mut self, milliseconds: u64) {
        let end = self.begun + Duration::from_millis(milliseconds);
        self.pair.run_for(end.since(self.pair.now));
    }

    /// The TSNs that left since the last call, `-1> 1 2 3`: a line for each run on one path.
    pub(crate) fn sent(&mut self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for (pipe, tsn, _) in self.take() {
            let arrow = format!("-{}>", pipe + 1);
            match lines.last_mut().filter(|line| line.starts_with(&arrow)) {
                Some(line) => line.push_str(&format!(" {tsn}")),
                None => lines.push(format!("{arrow} {tsn}")),
            }
        }
        lines
    }

    /// The same, a line for each TSN, with milliseconds since the association was open: `1000 -1> 1`.
    pub(crate) fn sent_when(&mut self) -> Vec<String> {
        let begun = self.begun;
        let line = |(pipe, tsn, at): (usize, u32, Time)| {
            format!("{} -{}> {tsn}", at.since(begun).as_millis(), pipe + 1)
        };
        self.take().into_iter().map(line).collect()
    }

    /// Each path's cwnd in packets.
    pub(crate) fn windows(&mut self) -> Vec<u64> {
        self.pair.at(End::A).paths().iter().map(|path| path.cwnd.get() / PACKET).collect()
    }

    /// Each path's flight in packets.
    pub(crate) fn flights(&mut self) -> Vec<u64> {
        self.pair.at(End::A).paths().iter().map(|path| path.flight.get() / PACKET).collect()
    }

    /// The cuts of windows since the last call, and where.
    pub(crate) fn cuts(&mut self) -> Vec<(PathId, CutCause)> {
        let records = std::iter::from_fn(|| self.pair.at(End::A).poll_record());
        let cut = |record: anabranch_sctp::record::Record| match record.what {
            Happening::Window { cut: Some(cause), .. } => Some((record.path, cause)),
            _ => None,
        };
        records.filter_map(cut).collect()
    }

    fn take(&mut self) -> Vec<(usize, u32, Time)> {
        self.learn_first();
        let lines: Vec<Line> = std::mem::take(&mut self.pair.log);
        let mut all = Vec::new();
        for line in lines.iter().filter(|line| line.from == End::A) {
            all.extend(tsns(line).map(|tsn| (line.pipe, self.named(tsn), line.at)));
        }
        all
    }

    fn learn_first(&mut self) {
        if self.first.is_none() {
            self.first = self.pair.log.iter().filter(|line| line.from == End::A).flat_map(tsns).next();
        }
    }

    fn tsn(&self, number: u32) -> Tsn {
        let first = self.first.expect("something was sent");
        first.plus(number.wrapping_sub(self.number))
    }

    fn named(&self, tsn: Tsn) -> u32 {
        self.number.wrapping_add(tsn.distance_from(self.first.expect("something was sent")))
    }
}

fn tsns(line: &Line) -> impl Iterator<Item = Tsn> + use<> {
    let tsn = |chunk: Chunk<'_>| match chunk {
        Chunk::Data(data) => Some(data.tsn),
        _ => None,
    };
    let tsns: Vec<Tsn> = chunks(&line.bytes).into_iter().filter_map(tsn).collect();
    tsns.into_iter()
}

/// The unit of windows.
pub(crate) const PACKET: u64 = 1500;

/// The user data of a full packet.
pub(crate) const FULL: usize = 1452;
