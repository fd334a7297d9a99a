//! The send buffer of an association: every chunk from the time it gets its TSN until it is cumulatively acknowledged.
//! It combines the parts of this folder: an event of a chunk changes several of them, and is one method here.

mod acknowledging;
mod copying;
mod giving_up;
mod holding;
mod leaving;
mod losing;
mod ns2;
mod overtaken;
mod paths;
mod queries;
mod queue;
mod sack;

use anabranch_base::{ByteCount, Time};

use super::chunks::Chunks;
use super::copies::Copies;
use super::credit::Credit;
use super::departures::DepartureLog;
use super::firm_reports::FirmReports;
use super::gap_reports::GapReports;
use super::held::HeldByPath;
use super::in_flight::InFlight;
use super::limited::Limited;
use super::marked::Marked;
use super::message_numbers::MessageNumbers;
use super::on_hold::OnHold;
use super::prompt::Prompt;
use super::unfragmented::Unfragmented;
use super::waiting::Waiting;
use crate::config::{Charge, StreamScheduler};
use crate::policy::PathId;
use crate::policy::ns2::{Ns2, PseudoCumacks};
use crate::seq::Tsn;

pub(crate) use giving_up::{GivenUp, Skip};
pub(crate) use sack::BadSack;

/// The send buffer of an association.
///
/// Each chunk stores its state. The sets of chunks that wait, are in flight, are marked, or are acknowledged by gap
/// blocks are indexes of the chunks in that state: `on_sent`, `mark` and `on_sack` keep them consistent.
#[derive(Debug)]
pub(crate) struct SendBuffer {
    /// The weight of a chunk against a path's window, and against the peer's receive window.
    charge: Charge,
    rwnd_charge: Charge,
    /// The rules of ns-2's module that replace ours.
    ns2: Ns2,
    /// True if chunks are I-DATA.
    interleaves: bool,
    /// The number of the next message on each stream.
    numbers: MessageNumbers,
    /// The messages that are not fragmented yet, after all chunks.
    unfragmented: Unfragmented,
    /// The messages that wait until their streams are reset.
    on_hold: OnHold,
    chunks: Chunks,
    waiting: Waiting,
    /// The waiting chunks that leave first.
    prompt: Prompt,
    in_flight: InFlight,
    /// The chunks in flight on several paths, and the requested copies.
    copies: Copies,
    marked: Marked,
    /// The acknowledgements by gap blocks.
    reports: GapReports,
    /// The part of them that the receiver never takes back.
    firm: FirmReports,
    /// The number of them that may be taken back.
    credit: Credit,
    /// The user data that is acknowledged neither cumulatively nor for good.
    held: HeldByPath,
    /// The packets sent, and the order of the chunks sent on each path.
    log: DepartureLog,
    /// The chunks that the window update of ns-2's module waits for.
    standing: PseudoCumacks,
    /// The messages that may be given up.
    limited: Limited,
    /// The number of chunks in the state [`GivenUp`](super::chunk::State::GivenUp).
    given_up: usize,
    /// The position before which all chunks that are held were given up, as far as is known.
    skippable_end: u64,
}

/// A chunk that was sent on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    /// The weight against the window.
    pub weight: ByteCount,
    /// The weight against the peer's receive window.
    pub rwnd_weight: ByteCount,
    /// The user data.
    pub payload: ByteCount,
    /// The path of the previous transmission, if there was one.
    pub previous: Option<PathId>,
    /// The number of its packet, and of the packet in which it was sent before.
    pub departures: (u64, u64),
    /// True if it was sent before and is now the lowest outstanding chunk of its path.
    pub is_lowest_again: bool,
}

/// A chunk that left a path's flight without an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Left {
    /// The path.
    pub path: PathId,
    /// The weight against the window.
    pub weight: ByteCount,
    /// The weight against the peer's receive window.
    pub rwnd_weight: ByteCount,
    /// The number of its packet, and the sending time.
    pub departure: u64,
    pub sent_at: Time,
}

impl SendBuffer {
    /// An empty buffer whose first chunk will have TSN `initial`.
    pub(crate) fn new(initial: Tsn, charge: Charge, rwnd_charge: Charge) -> SendBuffer {
        let chunks = Chunks::new(initial);
        SendBuffer {
            charge,
            rwnd_charge,
            ns2: Ns2::NONE,
            interleaves: false,
            numbers: MessageNumbers::default(),
            unfragmented: Unfragmented::default(),
            on_hold: OnHold::default(),
            waiting: Waiting::new(chunks.first()),
            prompt: Prompt::default(),
            chunks,
            in_flight: InFlight::default(),
            copies: Copies::default(),
            marked: Marked::default(),
            reports: GapReports::default(),
            firm: FirmReports::default(),
            credit: Credit::new(),
            held: HeldByPath::new(rwnd_charge),
            log: DepartureLog::default(),
            standing: PseudoCumacks::default(),
            limited: Limited::default(),
            given_up: 0,
            skippable_end: 0,
        }
    }

    /// This buffer with rules of ns-2's module.
    pub(crate) fn with_ns2(self, ns2: Ns2) -> SendBuffer {
        SendBuffer { ns2, ..self }
    }

    /// This buffer, which sends I-DATA if it `interleaves`, and lets `scheduler` choose among streams.
    pub(crate) fn with_streams(mut self, scheduler: StreamScheduler, interleaves: bool) -> SendBuffer {
        self.interleaves = interleaves;
        self.unfragmented.schedule(scheduler, interleaves);
        self
    }

    /// This buffer, which detects losses by the order of departures if `is_wanted`.
    pub(crate) fn by_departure(mut self, is_wanted: bool) -> SendBuffer {
        self.log.keep(is_wanted);
        self
    }

    /// This buffer, which reports overtaken chunks with every SACK until they arrive or are lost, if `is_wanted`.
    pub(crate) fn by_time(mut self, is_wanted: bool) -> SendBuffer {
        self.log.count_time(is_wanted);
        self
    }

    /// Makes room for a new path.
    pub(crate) fn add_path(&mut self, path: PathId) {
        self.in_flight.add_path(path);
        self.held.add_path(path);
        self.log.add_path(path);
        self.standing.add_path(path);
    }

    /// Begins a packet, in which the next chunks are sent.
    pub(crate) fn begin_packet(&mut self, now: Time) {
        self.log.begin_packet(now);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use bytes::Bytes;

    use super::super::chunk::State;
    use super::super::{Outgoing, Reliability};
    use super::*;
    use crate::policy::retransmission::LostBy;
    use crate::wire::{Ppid, StreamId};

    pub(in crate::send) const ONE: PathId = PathId::FIRST;

    pub(in crate::send) fn two() -> PathId {
        PathId::from_index(1)
    }

    /// A buffer with `count` chunks of 100 bytes, with TSNs from 4,294,967,290 on: the TSN wraps after the sixth.
    pub(in crate::send) fn buffer(count: usize) -> SendBuffer {
        let mut buffer = SendBuffer::new(tsn(0), Charge::User, Charge::User);
        buffer.add_path(ONE);
        buffer.add_path(two());
        for _ in 0..count {
            let payload = Bytes::from_static(&[7; 100]);
            let (stream, ppid) = (StreamId::new(3), Ppid::new(0));
            buffer.push(
                Outgoing {
                    stream,
                    ppid,
                    unordered: false,
                    immediate: false,
                    reliability: Reliability::Full,
                    payload,
                },
                ByteCount::new(100),
            );
        }
        buffer
    }

    pub(in crate::send) fn tsn(offset: u32) -> Tsn {
        Tsn::new(u32::MAX - 5).plus(offset)
    }

    pub(in crate::send) fn sent(buffer: &mut SendBuffer, offsets: std::ops::Range<u32>, path: PathId) {
        for offset in offsets {
            buffer.on_sent(tsn(offset), path, 0);
        }
    }

    /// Compares the indexes with the states of the chunks.
    pub(in crate::send) fn check_in_step(buffer: &SendBuffer) {
        let (chunks, reports) = (&buffer.chunks, &buffer.reports);
        let in_state = |is_wanted: fn(State) -> bool| -> Vec<u64> {
            let all = chunks.first()..chunks.end();
            all.filter(|&position| is_wanted(chunks.at(position).state())).collect()
        };
        let rwnd = |positions: &[u64]| -> u64 {
            positions.iter().map(|&at| buffer.rwnd_charge.weigh(chunks.at(at).length()).get()).sum()
        };
        let marked = in_state(State::is_lost);
        assert_eq!(buffer.marked.positions().collect::<Vec<_>>(), marked);
        assert_eq!(buffer.rwnd_marked().get(), rwnd(&marked));
        let in_flight = in_state(|state| matches!(state, State::InFlight | State::Revoked));
        assert_eq!(buffer.rwnd_flight().get(), rwnd(&in_flight));
        let revoked = in_state(|state| state == State::Revoked);
        assert_eq!(buffer.in_flight.revoked().collect::<Vec<_>>(), revoked);
        assert_eq!(buffer.waiting_chunks(), in_state(|state| state == State::Waiting).len());
        let is_hole = |position: &u64| reports.holes(chunks.first()).any(|hole| hole.contains(position));
        let acked = (chunks.first()..reports.highest(chunks.first())).filter(|position| !is_hole(position));
        let acked: Vec<u64> = acked.collect();
        assert_eq!(acked, in_state(|state| state == State::Acked));
        let firm: Vec<u64> = buffer.firm.blocks().iter().cloned().flatten().collect();
        let is_released = |position: &&u64| chunks.at(**position).is_dropped();
        assert_eq!(firm, acked.iter().filter(is_released).copied().collect::<Vec<_>>());
    }

    #[test]
    fn a_marked_chunk_leaves_the_flight_and_comes_back_when_sent() {
        let mut buffer = buffer(3);
        sent(&mut buffer, 0..3, ONE);
        let left = buffer.mark(tsn(0), ONE, LostBy::MissingReports);
        assert_eq!(
            left,
            Some(Left {
                path: ONE,
                weight: ByteCount::new(100),
                rwnd_weight: ByteCount::new(100),
                departure: 0,
                sent_at: Time::ZERO,
            })
        );
        assert_eq!(buffer.mark(tsn(0), ONE, LostBy::Timeout), None, "it is not in flight");
        assert_eq!(buffer.marked().map(|lost| lost.tsn).collect::<Vec<_>>(), [tsn(0)]);
        let again = buffer.on_sent(tsn(0), two(), 0);
        assert_eq!((again.previous, again.is_lowest_again), (Some(ONE), true));
        assert_eq!(buffer.rwnd_flight().get(), 300);
        assert!(!buffer.has_marked());
        assert_eq!(buffer.in_flight_on(two()), [tsn(0)]);
        assert_eq!(buffer.lowest_on(ONE), Some(tsn(1)));
    }
}
