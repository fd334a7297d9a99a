//! The events that charts mark with a vertical line: events of the scenario, and changes of path states.

use anabranch_base::exact::exact_size;
use anabranch_base::{BitRate, ByteCount, Duration, Time};
use anabranch_link::config::{Change, Delay, LinkConfig, LossConfig, LossKind, Rate};
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Direction, Event, NodeEvent};

use super::series::StateChange;

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// The time.
    pub at: Time,
    /// The event in words.
    pub text: String,
    /// The origin.
    pub origin: MarkOrigin,
}

/// The origin of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkOrigin {
    /// The scenario.
    Scenario,
    /// The sender's view of a path.
    Sender,
}

/// The marks until the end of the run, in order of time; the first ones, if there are very many.
pub(super) fn marks(scenario: &Scenario, changes: &[StateChange], flows: &[String], end: Time) -> Vec<Mark> {
    let mut marks: Vec<Mark> = scenario.events.iter().map(|event| of_event(scenario, event)).collect();
    marks.extend(scenario.node_events.iter().map(|event| of_node(scenario, *event)));
    for link in &scenario.links {
        let both = link.forward == link.reverse;
        marks.extend(of_link(&link.name, if both { "" } else { " forward" }, &link.forward));
        if !both {
            marks.extend(of_link(&link.name, " reverse", &link.reverse));
        }
    }
    marks.extend(changes.iter().map(|change| of_change(scenario, change, flows)));
    marks.retain(|mark| mark.at <= end);
    marks.sort_by_key(|mark| mark.at);
    marks.truncate(MOST);
    marks
}

fn of_event(scenario: &Scenario, event: &Event) -> Mark {
    let link = scenario.links.get(event.link).map_or("?", |link| link.name.as_str());
    let direction = match event.direction {
        Direction::Forward => " forward",
        Direction::Reverse => " reverse",
        Direction::Both => "",
    };
    let what = match &event.change {
        Change::Up => "up".to_owned(),
        Change::Down => "down".to_owned(),
        Change::Rate(rate) => show_rate(rate),
        Change::Delay(delay) => show_delay(delay),
        Change::Loss(loss) => show_loss(loss),
        Change::Mtu(mtu) => show_mtu(*mtu),
    };
    scenario_mark(event.at, link, direction, &what)
}

fn of_node(scenario: &Scenario, event: NodeEvent) -> Mark {
    let node = scenario.nodes.get(event.node).map_or("?", |node| node.name.as_str());
    let what = if event.is_present { "is there again" } else { "disappears" };
    Mark { at: event.at, text: format!("node {node} {what}"), origin: MarkOrigin::Scenario }
}

/// The changes that are part of a link's settings: steps of rate and delay, outages.
fn of_link(name: &str, direction: &str, link: &LinkConfig) -> Vec<Mark> {
    let mut marks = Vec::new();
    if let Rate::Steps(steps) = &link.rate {
        let later = steps.iter().filter(|(at, _)| *at > Time::ZERO);
        marks.extend(later.map(|(at, rate)| scenario_mark(*at, name, direction, &fixed_rate(*rate))));
    }
    if let Delay::Steps(steps) = &link.delay {
        let later = steps.iter().filter(|(at, _)| *at > Time::ZERO);
        marks.extend(later.map(|(at, delay)| scenario_mark(*at, name, direction, &fixed_delay(*delay))));
    }
    if let LossKind::Outages(spans) = &link.loss.kind {
        marks.extend(spans.iter().flat_map(|(from, to)| {
            [(*from, "outage begins"), (*to, "outage ends")]
                .map(|(at, what)| scenario_mark(at, name, direction, what))
        }));
    }
    marks
}

fn of_change(scenario: &Scenario, change: &StateChange, flows: &[String]) -> Mark {
    let path = scenario.paths.get(change.path).map_or("?", |path| path.name.as_str());
    let whose = match flows {
        [_] => String::new(),
        _ => flows.get(change.flow).map_or(String::new(), |flow| format!(" of {flow}")),
    };
    let text = format!("path {path}{whose} is {}", change.state.name());
    Mark { at: change.at, text, origin: MarkOrigin::Sender }
}

fn scenario_mark(at: Time, link: &str, direction: &str, what: &str) -> Mark {
    Mark { at, text: format!("link {link}{direction}: {what}"), origin: MarkOrigin::Scenario }
}

fn show_mtu(mtu: Option<ByteCount>) -> String {
    mtu.map_or_else(|| "packets of any size".to_owned(), |mtu| format!("MTU {}", exact_size(mtu)))
}

fn show_rate(rate: &Rate) -> String {
    match rate {
        Rate::Fixed(rate) => fixed_rate(*rate),
        Rate::Steps(_) => "rate in steps".to_owned(),
        Rate::Trace(_) => "rate from a trace".to_owned(),
    }
}

fn fixed_rate(rate: BitRate) -> String {
    format!("rate {rate}")
}

fn show_delay(delay: &Delay) -> String {
    match delay {
        Delay::Fixed(delay) => fixed_delay(*delay),
        Delay::Steps(_) => "delay in steps".to_owned(),
    }
}

fn fixed_delay(delay: Duration) -> String {
    format!("delay {delay}")
}

fn show_loss(loss: &LossConfig) -> String {
    match &loss.kind {
        LossKind::None => "no loss".to_owned(),
        LossKind::Bernoulli { probability } => format!("loss {} %", probability * 100.0),
        _ => "another loss".to_owned(),
    }
}

/// More lines would cover a chart.
const MOST: usize = 200;

#[cfg(test)]
mod tests {
    use anabranch_sim::observe::PathState;

    use super::*;
    use crate::testing;

    fn second(n: u64) -> Time {
        Time::ZERO + Duration::from_secs(n)
    }

    #[test]
    fn events_and_turns_are_told_in_order_and_none_after_the_end() {
        let mut scenario = testing::scenario();
        let event = |at, change| Event { at: second(at), link: 0, direction: Direction::Both, change };
        scenario.events = vec![event(3, Change::Down), event(20, Change::Up)];
        scenario.links[1].forward.rate =
            Rate::Steps(vec![(second(0), BitRate::from_mbps(9)), (second(5), BitRate::from_mbps(2))]);
        let change = StateChange { at: second(4), flow: 0, path: 0, state: PathState::Inactive };
        let marks = marks(&scenario, &[change], &["main".to_owned(), "other".to_owned()], second(10));
        let told: Vec<&str> = marks.iter().map(|mark| mark.text.as_str()).collect();
        assert_eq!(
            told,
            ["link wifi: down", "path wifi of main is inactive", "link lte forward: rate 2.00 Mbit/s"]
        );
        assert_eq!(marks[1].origin, MarkOrigin::Sender);
    }

    #[test]
    fn outages_have_two_ends() {
        let mut scenario = testing::scenario();
        scenario.links[0].forward.loss.kind = LossKind::Outages(vec![(second(1), second(2))]);
        scenario.links[0].reverse = scenario.links[0].forward.clone();
        let marks = marks(&scenario, &[], &[], second(10));
        let told: Vec<&str> = marks.iter().map(|mark| mark.text.as_str()).collect();
        assert_eq!(told, ["link wifi: outage begins", "link wifi: outage ends"]);
    }
}
