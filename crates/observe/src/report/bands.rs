//! The shaded times of charts: a link is down, in an outage, or in the bad state of its loss model.

use anabranch_base::{Seed, Time};
use anabranch_link::LinkSeed;
use anabranch_link::config::{Change, LinkConfig};
use anabranch_scenario::Scenario;
use anabranch_scenario::model::Link;

/// A time in which a link loses many packets, or all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Band {
    /// The start.
    pub from: Time,
    /// The end.
    pub to: Time,
    /// Index of the link.
    pub link: usize,
}

/// The bands of a run with this seed, in the order of the links; none of a link with very many.
pub(crate) fn bands(scenario: &Scenario, seed: u64, end: Time) -> Vec<Band> {
    let root = Seed::from_number(seed);
    let links = scenario.links.iter().enumerate();
    let of_links = links.flat_map(|(index, link)| {
        let mut spans = down(scenario, index, end);
        spans.extend(bad(scenario, index, link, &root, end));
        spans.sort_unstable();
        if spans.len() >= MOST {
            spans.clear();
        }
        joined(&spans).into_iter().map(move |(from, to)| Band { from, to, link: index })
    });
    of_links.collect()
}

/// The times in which events keep the link down, in either direction.
fn down(scenario: &Scenario, link: usize, end: Time) -> Vec<(Time, Time)> {
    let mut spans = Vec::new();
    let mut since = None;
    for event in scenario.events.iter().filter(|event| event.link == link && event.at < end) {
        match event.change {
            Change::Down => since = since.or(Some(event.at)),
            Change::Up => spans.extend(since.take().map(|since| (since, event.at))),
            _ => {}
        }
    }
    spans.extend(since.map(|since| (since, end)));
    spans
}

/// The times in which its loss model, until an event replaces it, is in its bad state or in an outage, in either
/// direction.
fn bad(scenario: &Scenario, index: usize, link: &Link, root: &Seed, end: Time) -> Vec<(Time, Time)> {
    let is_new_rule = |change: &Change| matches!(change, Change::Loss(_));
    let mut events = scenario.events.iter().filter(|event| event.link == index);
    let end = events.find(|event| is_new_rule(&event.change)).map_or(end, |event| end.min(event.at));
    let (forward, reverse) = LinkSeed::of(root, &link.name);
    let bad_periods = |seed: LinkSeed, config: &LinkConfig| seed.bad_periods(&config.loss, end, MOST);
    let mut spans = bad_periods(forward, &link.forward);
    spans.extend(bad_periods(reverse, &link.reverse));
    spans.into_iter().map(|(from, to)| (from, to.min(end))).collect()
}

/// Spans in order of start, with overlapping ones merged.
fn joined(spans: &[(Time, Time)]) -> Vec<(Time, Time)> {
    let mut joined: Vec<(Time, Time)> = Vec::new();
    for &(from, to) in spans {
        match joined.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}

/// More bands would shade the whole chart.
const MOST: usize = 2_000;

#[cfg(test)]
mod tests {
    use anabranch_base::Duration;
    use anabranch_link::config::LossKind;
    use anabranch_scenario::model::{Direction, Event};

    use super::*;
    use crate::testing;

    fn second(n: u64) -> Time {
        Time::ZERO + Duration::from_secs(n)
    }

    #[test]
    fn outages_and_times_between_down_and_up_are_shaded_once() {
        let mut scenario = testing::scenario();
        let event = |at, link, change| Event { at: second(at), link, direction: Direction::Both, change };
        scenario.events = vec![event(3, 0, Change::Down), event(5, 0, Change::Up), event(7, 1, Change::Down)];
        scenario.links[0].forward.loss.kind =
            LossKind::Outages(vec![(second(1), second(2)), (second(4), second(6)), (second(20), second(30))]);
        scenario.links[0].reverse = scenario.links[0].forward.clone();
        let band = |from, to, link| Band { from: second(from), to: second(to), link };
        assert_eq!(bands(&scenario, 1, second(10)), [band(1, 2, 0), band(3, 6, 0), band(7, 10, 1)]);
    }

    #[test]
    fn bad_states_are_those_of_the_run_with_the_same_seed() {
        let mut scenario = testing::scenario();
        let kind = LossKind::GilbertElliott {
            good: Duration::from_secs(3),
            bad: Duration::from_secs(1),
            loss_good: 0.0,
            loss_bad: 1.0,
            channel: anabranch_link::config::ChannelSharing::Shared,
        };
        scenario.links[0].forward.loss.kind = kind.clone();
        scenario.links[0].reverse.loss.kind = kind;
        let first = bands(&scenario, 1, second(100));
        assert!(
            first.len() > 5 && first.iter().all(|band| band.to > band.from && band.link == 0),
            "{first:?}"
        );
        assert_eq!(first, bands(&scenario, 1, second(100)));
        assert_ne!(first, bands(&scenario, 2, second(100)));
    }
}
