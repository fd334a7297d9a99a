//! The transmissions in a mesh: the air time of each station by bins, and the first frames one by one.

use anabranch_base::{ByteCount, Time};
use anabranch_scenario::Scenario;
use anabranch_sim::observe::{FrameEvent, FrameKind, FrameSeen, MeshEvent};

use super::super::sums::Sums;

/// The frames of a run, in bounded memory.
#[derive(Debug)]
pub(crate) struct AirSeries {
    /// One lane for each radio of each node, radio by radio, within the limit.
    pub lanes: Vec<Lane>,
    /// The first frames.
    pub frames: Vec<ShownFrame>,
    nodes: usize,
}

/// The air time of one station on one radio.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    /// Index of the radio.
    pub radio: usize,
    /// Index of the node.
    pub node: usize,
    /// The air time in microseconds, by [`AirUse`].
    pub uses: [Sums; AirUse::COUNT],
}

/// A frame drawn in the chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShownFrame {
    /// The start.
    pub start: Time,
    /// The end.
    pub end: Time,
    /// Index of its lane.
    pub lane: usize,
    /// The colour.
    pub air_use: AirUse,
}

/// The use of air time by a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AirUse {
    /// Frames with packets of flows, received by their receiver.
    Data,
    /// RTS, CTS and ACK.
    Control,
    /// Messages of DSR.
    Routing,
    /// Frames not received by their receiver.
    Missed,
}

impl AirUse {
    /// The number of uses.
    pub(crate) const COUNT: usize = 4;

    fn of(frame: &FrameSeen) -> AirUse {
        let is_missed = frame.to.is_some_and(|to| !frame.received.contains(&to));
        match frame.kind {
            _ if is_missed => AirUse::Missed,
            FrameKind::Data => AirUse::Data,
            FrameKind::Rts | FrameKind::Cts | FrameKind::Ack => AirUse::Control,
            FrameKind::RouteRequest | FrameKind::RouteReply | FrameKind::RouteError => AirUse::Routing,
        }
    }
}

impl AirSeries {
    /// An empty series.
    pub(crate) fn new(scenario: &Scenario) -> AirSeries {
        let nodes = scenario.nodes.len();
        let stations = (0..scenario.radios.len()).flat_map(|radio| (0..nodes).map(move |node| (radio, node)));
        let stations: Vec<_> = stations.take(MOST_LANES).collect();
        let bins = (MOST_BINS / (stations.len() * AirUse::COUNT).max(1)).clamp(64, 512);
        let lane = |(radio, node)| Lane { radio, node, uses: std::array::from_fn(|_| Sums::new(bins)) };
        AirSeries { lanes: stations.into_iter().map(lane).collect(), frames: Vec::new(), nodes }
    }

    /// Adds a frame.
    pub(crate) fn take(&mut self, seen: &FrameEvent) {
        let MeshEvent::Frame(frame, _) = &seen.event else { return };
        let index = seen.radio * self.nodes + frame.from.index();
        let Some(lane) = self.lanes.get_mut(index) else { return };
        let air_use = AirUse::of(frame);
        let micros = frame.end.since(frame.start).as_nanos() / 1_000;
        lane.uses[air_use as usize].add(frame.start, ByteCount::new(micros));
        if self.frames.len() < MOST_FRAMES {
            self.frames.push(ShownFrame { start: frame.start, end: frame.end, lane: index, air_use });
        }
    }

    /// Makes all bins equally long and returns their length.
    pub(crate) fn align(&mut self) -> anabranch_base::Duration {
        Sums::align(self.lanes.iter_mut().flat_map(|lane| &mut lane.uses));
        self.lanes.first().map_or(anabranch_base::Duration::ZERO, |lane| lane.uses[0].bin())
    }
}

/// More lanes make an unreadable chart.
const MOST_LANES: usize = 64;
/// Bins of all lanes together, about 5 bytes each in the page.
const MOST_BINS: usize = 40_000;
/// Frames drawn one by one, about 20 bytes each in the page.
const MOST_FRAMES: usize = 4_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use anabranch_base::Duration;
    use anabranch_link::fabric::Station;

    fn frame(kind: FrameKind, start: u64, received: &[u16]) -> FrameEvent {
        let at = Time::ZERO + Duration::from_micros(start);
        let seen = FrameSeen {
            from: Station::new(0),
            to: Some(Station::new(1)),
            kind,
            start: at,
            end: at + Duration::from_micros(300),
            duration: Duration::ZERO,
            is_retry: false,
            sequence: 0,
            size: ByteCount::new(14),
            received: received.iter().copied().map(Station::new).collect(),
            collided: Vec::new(),
            routing: None,
        };
        FrameEvent { radio: 0, event: MeshEvent::Frame(seen, None) }
    }

    #[test]
    fn air_time_is_told_by_what_it_was_used_for() {
        let mut air = AirSeries::new(&testing::mesh());
        air.take(&frame(FrameKind::Data, 0, &[1]));
        air.take(&frame(FrameKind::Ack, 400, &[1]));
        air.take(&frame(FrameKind::Data, 800, &[2]));
        let lane = air.lanes[0].uses.each_ref().map(|sums| sums.bins().iter().sum::<u64>());
        assert_eq!(lane, [300, 300, 0, 300], "the third frame did not reach its receiver");
        assert_eq!(air.frames.len(), 3);
    }

    #[test]
    fn a_long_run_keeps_the_first_frames_alone() {
        let mut air = AirSeries::new(&testing::mesh());
        (0..100_000).for_each(|number| air.take(&frame(FrameKind::Data, number * 5_000, &[1])));
        assert_eq!(air.frames.len(), MOST_FRAMES);
        assert!(air.lanes.iter().all(|lane| lane.uses.iter().all(|sums| sums.bins().len() <= 512)));
    }
}
