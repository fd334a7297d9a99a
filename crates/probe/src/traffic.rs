//! The test packets of one end: the programs of the current segment, the arrivals, and the echoes between them.

use anabranch_base::{ByteCount, Time};
use anabranch_net::PathId;
use bytes::Bytes;

use crate::arrival_log::{ArrivalLog, LoggedArrival};
use crate::pacer::Pacer;
use crate::protocol::{BODY_LENGTH, LaneSent, Program, TestBody};
use crate::receiver::LaneReceiver;

/// A test packet that is to be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutgoingTest {
    /// The path.
    pub path: PathId,
    /// The lane.
    pub lane: u8,
    /// The body.
    pub body: [u8; BODY_LENGTH],
    /// The size of the IP packet.
    pub size: ByteCount,
}

/// A test packet that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingTest {
    /// The path.
    pub path: PathId,
    /// The body.
    pub body: Bytes,
    /// The size of the IP packet.
    pub size: ByteCount,
    /// The time of arrival.
    pub at: Time,
}

/// The traffic of one end.
#[derive(Clone, Debug)]
pub(crate) struct Traffic {
    lanes: Vec<Lane>,
    segment: u16,
    /// The lane that is asked first for a packet, so that none waits for another's burst.
    turn: usize,
    pub(crate) log: ArrivalLog,
}

/// One lane.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lane {
    path: Option<PathId>,
    pacer: Option<Pacer>,
    /// Sent in this segment, if `keeps_sent`.
    sent: Vec<SentTest>,
    keeps_sent: bool,
    pub(crate) receiver: LaneReceiver,
}

/// A test packet that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SentTest {
    /// The time of sending.
    pub at: Time,
    /// The size of the IP packet.
    pub size: u16,
}

/// The packets that one end sent in a segment.
#[derive(Clone, Debug, Default)]
pub(crate) struct SentFlight {
    /// The packets in the order of their numbers; empty if they are not kept.
    pub packets: Vec<SentTest>,
    /// The counts.
    pub counts: LaneSent,
}

impl Traffic {
    /// Traffic of `lanes` lanes whose paths are not known yet. `keeps_sent` says whether the times of sending are kept.
    pub(crate) fn new(lanes: u8, keeps_sent: bool) -> Traffic {
        let lane = Lane { keeps_sent, ..Lane::default() };
        Traffic { lanes: vec![lane; lanes.into()], segment: 0, turn: 0, log: ArrivalLog::default() }
    }

    /// Sets the path of a lane.
    pub(crate) fn set_path(&mut self, lane: usize, path: PathId) {
        self.lanes[lane].path = Some(path);
    }

    /// The paths of the lanes, up to the last one that is known.
    pub(crate) fn paths(&self) -> Vec<Option<PathId>> {
        let known = self.lanes.iter().rposition(|lane| lane.path.is_some()).map_or(0, |last| last + 1);
        self.lanes[..known].iter().map(|lane| lane.path).collect()
    }

    /// Begins a segment, which ends the programs of the one before; returns the packets of that, by lanes.
    pub(crate) fn begin(&mut self, now: Time, segment: u16, programs: Vec<Program>) -> Vec<SentFlight> {
        let sent = self.lanes.iter_mut().zip(0_u8..).map(|(lane, number)| lane.end(number)).collect();
        self.segment = segment;
        for program in programs {
            if let Some(lane) = self.lanes.get_mut(usize::from(program.lane)) {
                lane.pacer = Some(Pacer::new(now, program));
            }
        }
        sent
    }

    /// Records a packet of a known lane; `None` if it is not one of this measurement.
    pub(crate) fn on_packet(&mut self, test: &IncomingTest) -> Option<TestBody> {
        let body = TestBody::decode(&test.body).ok()?;
        let lane = self.lanes.get_mut(usize::from(body.lane))?;
        lane.receiver.on_packet(test.at, &body);
        let arrival = LoggedArrival { number: body.number, size: test.size, sent: body.sent_at, at: test.at };
        self.log.add(body.segment, body.lane, arrival);
        Some(body)
    }

    /// The next packet that is due at `now`.
    pub(crate) fn poll(&mut self, now: Time) -> Option<OutgoingTest> {
        let count = self.lanes.len();
        for index in (0..count).map(|step| (self.turn + step) % count) {
            if let Some(test) = self.lanes[index].poll(now, self.segment, index) {
                self.turn = (index + 1) % count;
                return Some(test);
            }
        }
        None
    }

    /// The packet of a lane that was polled last could not be sent.
    pub(crate) fn on_refused(&mut self, lane: u8) {
        let Some(lane) = self.lanes.get_mut(usize::from(lane)) else { return };
        if let Some(pacer) = &mut lane.pacer {
            pacer.on_refused();
            lane.sent.pop();
        }
    }

    /// The time at which the next packet is due.
    pub(crate) fn due(&self) -> Option<Time> {
        self.lanes.iter().filter_map(|lane| lane.pacer.as_ref()?.due()).min()
    }

    /// A lane.
    pub(crate) fn lane(&self, lane: usize) -> &Lane {
        &self.lanes[lane]
    }

    /// The current segment.
    pub(crate) fn segment(&self) -> u16 {
        self.segment
    }

    /// Ends all programs at once, before the segment ends.
    pub(crate) fn stop(&mut self) {
        self.lanes.iter_mut().filter_map(|lane| lane.pacer.as_mut()).for_each(Pacer::stop);
    }
}

impl Lane {
    /// The packets of the current segment so far.
    pub(crate) fn sent(&self) -> &[SentTest] {
        &self.sent
    }

    /// The counts of the current segment so far.
    pub(crate) fn counts(&self, lane: u8) -> LaneSent {
        let counts = |pacer: &Pacer| LaneSent { lane, packets: pacer.sent(), unsent: pacer.unsent() };
        self.pacer.as_ref().map_or(LaneSent { lane, ..LaneSent::default() }, counts)
    }

    fn end(&mut self, lane: u8) -> SentFlight {
        let counts = self.counts(lane);
        self.pacer = None;
        SentFlight { packets: std::mem::take(&mut self.sent), counts }
    }

    fn poll(&mut self, now: Time, segment: u16, lane: usize) -> Option<OutgoingTest> {
        let due = self.pacer.as_mut()?.take(now)?;
        let Some(path) = self.path else {
            // The other end's first packet tells it.
            self.pacer.as_mut()?.on_refused();
            return None;
        };
        if self.keeps_sent {
            self.sent.push(SentTest { at: now, size: due.size });
        }
        let lane = u8::try_from(lane).ok()?;
        let echo = self.receiver.echo(now);
        let body = TestBody { segment, lane, number: due.number, sent_at: now, echo };
        Some(OutgoingTest { path, lane, body: body.encode(), size: ByteCount::new(due.size.into()) })
    }
}
