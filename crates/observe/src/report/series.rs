//! The data kept during a run: values over time of each flow, path and link, in bounded memory.

mod air;
mod flow;

use anabranch_base::{Duration, Time};
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Direction, Flow};
use anabranch_sim::observe::{Host, Observation, PathSeen, PathState, QueueSeen, Seen};

use super::envelope::ThinnedSeries;
use super::sums::Sums;
pub(super) use air::{AirSeries, Lane, ShownFrame};
use flow::number;
pub(super) use flow::{FlowSeries, PathSeries};

/// The series of a run.
#[derive(Debug)]
pub(super) struct RunSeries {
    /// One for each direction of a flow, in the order of the results, within the limit.
    pub flows: Vec<FlowSeries>,
    /// The number of flows in the scenario.
    pub flow_count: usize,
    /// One for each link, within the limit.
    pub links: Vec<LinkSeries>,
    /// The first changes of the paths' states.
    pub state_changes: Vec<StateChange>,
    /// The transmissions in the meshes.
    pub air: AirSeries,
}

/// The packets waiting at a link.
#[derive(Clone, Debug)]
pub(super) struct LinkSeries {
    /// The forward direction.
    pub forward: ThinnedSeries,
    /// The reverse direction.
    pub reverse: ThinnedSeries,
}

/// A change of the state of a flow's path.
#[derive(Clone, Copy, Debug)]
pub(super) struct StateChange {
    /// The time.
    pub at: Time,
    /// Index into [`RunSeries::flows`].
    pub flow: usize,
    /// Index of the path.
    pub path: usize,
    /// The new state.
    pub state: PathState,
}

/// The limits of each series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SeriesLimits {
    /// Steps of a thinned series.
    steps: usize,
    /// Bins of a sum.
    bins: usize,
}

impl RunSeries {
    /// Empty series.
    pub(super) fn new(scenario: &Scenario) -> RunSeries {
        let directions: Vec<(usize, Host)> = directions(&scenario.flows).collect();
        let shown = in_room(&scenario.flows, &directions);
        let links = scenario.links.len().min(MOST_LINKS);
        let paths = shown.iter().map(|(_, _, paths)| *paths).sum();
        let limits = SeriesLimits::new(paths, shown.len(), links);
        let series = |(flow, from, paths)| FlowSeries::new(flow, &scenario.flows[flow], from, paths, limits);
        RunSeries {
            flows: shown.into_iter().map(series).collect(),
            flow_count: directions.len(),
            links: vec![LinkSeries::new(limits); links],
            state_changes: Vec::new(),
            air: AirSeries::new(scenario),
        }
    }

    /// Adds an observation.
    pub(super) fn take(&mut self, observation: &Observation) {
        let at = observation.at;
        match &observation.what {
            Seen::Path(seen) => self.on_path(at, seen),
            Seen::Queue(seen) => self.on_queue(at, *seen),
            Seen::Packet(seen) => {
                if let Some(flow) = self.flow(seen.flow, seen.from) {
                    flow.on_packet(at, seen);
                }
            }
            Seen::Frame(seen) => self.air.take(seen),
            Seen::Wait(_) => {}
            Seen::Delivery(seen) => {
                if let Some(flow) = self.flow(seen.flow, seen.from) {
                    flow.on_delivery(at, *seen);
                }
            }
        }
    }

    /// Makes the bins of all rates equally long and returns their length.
    pub(crate) fn align(&mut self) -> Duration {
        Sums::align(self.flows.iter_mut().flat_map(|flow| {
            let FlowSeries { delivered, paths, .. } = flow;
            let of_paths = paths.iter_mut().flat_map(|path| [&mut path.sent, &mut path.arrived]);
            std::iter::once(delivered).chain(of_paths)
        }));
        self.flows.first().map_or(Duration::ZERO, |flow| flow.delivered.bin())
    }

    fn on_path(&mut self, at: Time, seen: &PathSeen) {
        let Some(index) = self.position(seen.flow, seen.host) else { return };
        let Some(path) = self.flows[index].path(seen.path) else { return };
        let has_changed = path.on_path(at, seen);
        if has_changed && self.state_changes.len() < MOST_CHANGES {
            self.state_changes.push(StateChange { at, flow: index, path: seen.path, state: seen.state });
        }
    }

    fn on_queue(&mut self, at: Time, seen: QueueSeen) {
        let Some(link) = self.links.get_mut(seen.link) else { return };
        let direction = match seen.from {
            Host::First => &mut link.forward,
            Host::Second => &mut link.reverse,
        };
        direction.hold(at, number(seen.view.backlog.packets));
    }

    fn flow(&mut self, flow: usize, from: Host) -> Option<&mut FlowSeries> {
        self.position(flow, from).map(|index| &mut self.flows[index])
    }

    /// The index of a flow's direction: both directions are adjacent, in the order of the flows.
    fn position(&self, flow: usize, from: Host) -> Option<usize> {
        self.flows.binary_search_by_key(&(flow, from), |series| (series.flow, series.from)).ok()
    }
}

impl LinkSeries {
    fn new(limits: SeriesLimits) -> LinkSeries {
        LinkSeries { forward: ThinnedSeries::new(limits.steps), reverse: ThinnedSeries::new(limits.steps) }
    }
}

impl SeriesLimits {
    /// The limits with which all series fit into a page.
    fn new(paths: usize, flows: usize, links: usize) -> SeriesLimits {
        let lines = paths * ENVELOPES_A_PATH + flows + links * 2;
        let sums = paths * SUMS_A_PATH + flows;
        SeriesLimits {
            steps: (MOST_STEPS / lines.max(1)).clamp(16, 4_000),
            bins: (MOST_BINS / sums.max(1)).clamp(64, 1_024),
        }
    }
}

/// The directions in which flows send, in the order of the results.
fn directions(flows: &[Flow]) -> impl Iterator<Item = (usize, Host)> {
    flows.iter().enumerate().flat_map(|(index, flow)| {
        let senders: &[Host] = match flow.direction {
            Direction::Forward => &[Host::First],
            Direction::Reverse => &[Host::Second],
            Direction::Both => &[Host::First, Host::Second],
        };
        senders.iter().map(move |from| (index, *from))
    })
}

/// The first directions within the limit, each with the number of its paths within the limit.
fn in_room(flows: &[Flow], directions: &[(usize, Host)]) -> Vec<(usize, Host, usize)> {
    let mut room = MOST_PATHS;
    let mut shown = Vec::new();
    for (flow, from) in directions {
        let paths = flows[*flow].paths.len().min(room);
        if paths == 0 {
            break;
        }
        room -= paths;
        shown.push((*flow, *from, paths));
    }
    shown
}

/// More paths make an unreadable chart.
const MOST_PATHS: usize = 64;
const MOST_LINKS: usize = 64;
const MOST_CHANGES: usize = 100;
/// Steps of all thinned series together; each takes up to four points of about 12 bytes in the page.
const MOST_STEPS: usize = 72_000;
/// Bins of all sums together, about 7 bytes each.
const MOST_BINS: usize = 60_000;
const ENVELOPES_A_PATH: usize = 10;
const SUMS_A_PATH: usize = 2;

#[cfg(test)]
mod tests {
    use anabranch_sim::observe::Step;

    use super::*;
    use crate::testing::{self, data, datagram};

    const AT: Time = Time::from_nanos(5);

    fn seen(observations: &[Observation]) -> RunSeries {
        let mut series = RunSeries::new(&testing::scenario());
        observations.iter().for_each(|observation| series.take(observation));
        series
    }

    fn values(envelope: &ThinnedSeries) -> Vec<i64> {
        envelope.points().iter().map(|point| point.value).collect()
    }

    #[test]
    fn packets_are_fresh_resent_or_lost() {
        let mut again = data(AT, &[100], Step::Sent);
        if let Seen::Packet(packet) = &mut again.what {
            packet.retransmission = true;
        }
        let lost = Step::Lost {
            site: anabranch_sim::observe::LossSite::Link(0),
            cause: anabranch_link::LossCause::Medium,
        };
        let fresh = data(AT, &[100], Step::Sent);
        let series = seen(&[fresh, data(AT, &[101, 102], Step::Sent), data(AT, &[100], lost), again]);
        let path = &series.flows[0].paths[0];
        assert_eq!([&path.fresh, &path.resent, &path.lost].map(values), [vec![0, 1], vec![0], vec![0]]);
        assert_eq!(path.sent.bins(), [52 + 72 + 52]);
    }

    #[test]
    fn a_datagram_has_a_delay_and_no_number() {
        let series = seen(&[datagram(AT, 100, Step::Arrived { delay: Duration::from_millis(40) })]);
        let path = &series.flows[2].paths[0];
        assert_eq!((values(&path.delay), path.arrived.bins()), (vec![40_000], [128].as_slice()));
        assert_eq!(path.fresh.count(), 0);
    }

    #[test]
    fn the_way_back_of_a_flow_that_goes_forward_is_not_kept() {
        let series = seen(&[testing::packet(AT, Host::Second, Step::Sent)]);
        assert!(series.flows.iter().all(|flow| flow.paths.iter().all(|path| path.sent.bins().is_empty())));
    }

    #[test]
    fn a_thousand_flows_are_kept_as_far_as_there_is_room() {
        let mut scenario = testing::scenario();
        let flow = scenario.flows[0].clone();
        scenario.flows = vec![flow; 1_000];
        let series = RunSeries::new(&scenario);
        assert_eq!((series.flows.len(), series.flow_count), (32, 1_000));
    }

    #[test]
    fn all_lines_together_fit_into_a_page() {
        for (paths, flows, links) in [(1, 1, 1), (2, 1, 2), (64, 1, 64), (64, 64, 64)] {
            let limits = SeriesLimits::new(paths, flows, links);
            let steps = limits.steps * (paths * ENVELOPES_A_PATH + flows + links * 2);
            let bins = limits.bins * (paths * SUMS_A_PATH + flows);
            assert!(steps <= MOST_STEPS && bins <= MOST_BINS, "{paths} {flows} {links}: {steps} {bins}");
        }
    }
}
