//! Short constructors of scenarios.

use anabranch_base::{BitRate, Duration, Time};
use anabranch_link::Change;
use anabranch_link::config::{LinkConfig, LossConfig, LossKind, QueueConfig, QueueLimit};
use anabranch_scenario::model::{Direction, Event, Link, Path, RunSettings};
use anabranch_scenario::{Scenario, registry};
use anabranch_sctp::wire::PathRole;

/// `milliseconds` after the start.
pub(crate) fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

/// A link without losses that holds 10,000 packets, equal in both directions.
pub(crate) fn link(name: &str, mbps: u64, delay_ms: u64) -> Link {
    let mut config = LinkConfig::new(BitRate::from_mbps(mbps), Duration::from_millis(delay_ms));
    config.queue = QueueConfig::DropTail(QueueLimit::Packets(10_000));
    Link { name: name.to_owned(), forward: config.clone(), reverse: config }
}

/// `link` with these losses in the forward direction.
pub(crate) fn losing(mut link: Link, kind: LossKind) -> Link {
    link.forward.loss = LossConfig { kind, ..LossConfig::NONE };
    link
}

/// A scenario of these links, and of paths over the links with these numbers.
pub(crate) fn scenario(links: Vec<Link>, paths: &[&[usize]]) -> Scenario {
    let paths = paths.iter().enumerate();
    Scenario {
        radios: Vec::new(),
        nodes: Vec::new(),
        title: String::new(),
        run: RunSettings { time: None, warmup: Duration::ZERO, seed: 1, runs: 1 },
        links,
        paths: paths
            .map(|(index, links)| Path {
                name: format!("path {index}"),
                links: links.to_vec(),
                air: None,
                role: PathRole::Ordinary,
            })
            .collect(),
        events: Vec::new(),
        node_events: Vec::new(),
        flows: Vec::new(),
        registry: registry(),
    }
}

/// An event on both directions of the first link.
pub(crate) fn event(milliseconds: u64, change: Change) -> Event {
    Event { at: at(milliseconds), link: 0, direction: Direction::Both, change }
}
