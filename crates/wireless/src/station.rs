//! One station: its access to the medium, the frame that it tries to send, and what waits behind it.

mod dcf;
mod nav;
mod retry;

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Debug;

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_link::queue::Queue;
use anabranch_link::{ChunkKind, Packet, Payload, Round};

use crate::counters::StationCounters;
use crate::dsr::{Control, Discoveries, Route, RouteCache, SendBuffer};
use crate::frame::FrameKind;
use crate::ledger::EntryId;
pub(crate) use dcf::Dcf;
pub(crate) use retry::{Attempts, RetryLimits, Unanswered};

/// A driver's packet on its way.
#[derive(Clone, Debug)]
pub(crate) struct User<L> {
    pub(crate) load: L,
    /// The size without the headers of DSR.
    pub(crate) size: ByteCount,
    pub(crate) entry: EntryId,
    pub(crate) entered: Time,
    pub(crate) target: u16,
    /// The way, from its source; empty while it has none.
    pub(crate) route: Route,
    /// The place on its way.
    pub(crate) at: usize,
    /// True if DSR routes it.
    pub(crate) is_dsr: bool,
    /// Link failures of the station before the packet joined its queue.
    pub(crate) failures_before: u64,
}

impl<L: Payload> Payload for User<L> {
    fn flow(&self) -> u64 {
        self.load.flow()
    }

    fn round(&self) -> Option<Round> {
        self.load.round()
    }

    fn carries_chunk(&self, kind: ChunkKind) -> bool {
        self.load.carries_chunk(kind)
    }
}

impl<L> User<L> {
    pub(crate) fn next(&self) -> Option<u16> {
        self.route.get(self.at + 1).copied()
    }
}

/// The content of a data frame.
#[derive(Clone, Debug)]
pub(crate) enum Content<L> {
    User(Packet<User<L>>),
    Control(Control),
}

/// The frame that a station tries to send.
#[derive(Debug)]
pub(crate) struct Service<L> {
    pub(crate) content: Content<L>,
    pub(crate) next: Option<u16>,
    pub(crate) kind: FrameKind,
    pub(crate) mpdu: ByteCount,
    pub(crate) uses_rts: bool,
    pub(crate) sequence: u16,
    pub(crate) attempts: Attempts,
    /// True if the data frame itself was sent before.
    pub(crate) is_retry: bool,
}

/// The progress of the exchange of the frame in service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exchange {
    /// It contends for the medium, or there is no frame.
    Contending,
    /// A frame of it is on air, or follows after SIFS.
    Sending,
    /// A CTS is to arrive until then.
    AwaitingCts(Time),
    /// An ACK is to arrive until then.
    AwaitingAck(Time),
}

/// The frame that a station sends SIFS after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Cts { to: u16, duration: Duration },
    Ack { to: u16 },
    Data,
}

/// A transmission in the air.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OnAir {
    pub(crate) kind: FrameKind,
    pub(crate) to: Option<u16>,
    pub(crate) start: Time,
    pub(crate) end: Time,
    pub(crate) duration: Duration,
    /// True if it is a data frame that was sent before.
    pub(crate) is_retry: bool,
}

/// Frames to one next hop that failed.
#[derive(Debug, Default)]
pub(crate) struct Broken {
    /// The station's count of link failures with this one.
    pub(crate) failures: u64,
    /// The sources that a route error has told.
    pub(crate) told: Vec<u16>,
}

/// A station.
#[derive(Debug)]
pub(crate) struct StationState<L> {
    pub(crate) is_present: bool,
    pub(crate) dcf: Dcf,
    pub(crate) control: VecDeque<Control>,
    pub(crate) queue: Box<dyn Queue<User<L>>>,
    pub(crate) service: Option<Service<L>>,
    pub(crate) exchange: Exchange,
    pub(crate) answer: Option<(Time, Answer)>,
    pub(crate) on_air: Option<OnAir>,
    /// The stations that sense the transmission.
    pub(crate) hearers: Vec<u16>,
    pub(crate) arrivals: crate::reception::Arrivals,
    /// The sequence number of the last data frame from each station.
    pub(crate) heard: BTreeMap<u16, u16>,
    pub(crate) sequence: u16,
    pub(crate) cache: RouteCache,
    pub(crate) discoveries: Discoveries,
    pub(crate) buffer: SendBuffer<Packet<User<L>>>,
    pub(crate) jitter: anabranch_link::Random,
    pub(crate) link_failures: u64,
    pub(crate) broken: BTreeMap<u16, Broken>,
    pub(crate) counters: StationCounters,
}

impl<L> StationState<L> {
    /// Returns true if a frame waits for the end of the back-off.
    pub(crate) fn wants(&self) -> bool {
        self.service.is_some() && self.exchange == Exchange::Contending
    }

    /// When the MAC has something to do.
    pub(crate) fn mac_due(&self) -> Option<Time> {
        let answer = self.answer.map(|(at, _)| at);
        let exchange = match self.exchange {
            Exchange::AwaitingCts(until) | Exchange::AwaitingAck(until) => Some(until),
            Exchange::Contending if self.service.is_some() => self.dcf.access(),
            Exchange::Contending | Exchange::Sending => None,
        };
        [answer, exchange].into_iter().flatten().min()
    }

    /// When DSR has something to do.
    pub(crate) fn routing_due(&self) -> Option<Time> {
        [self.discoveries.next(), self.buffer.next()].into_iter().flatten().min()
    }
}
