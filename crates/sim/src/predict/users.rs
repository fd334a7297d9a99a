//! Which flows send data over each link of a scenario, and in which direction.

use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Direction, Multipath, Protocol};

/// For each link, the flows whose data crosses it.
#[derive(Debug)]
pub(super) struct LinkUsers {
    forward: Vec<Few>,
    reverse: Vec<Few>,
}

/// The first two flows of a link, the last, and their number.
#[derive(Clone, Copy, Debug, Default)]
struct Few {
    first: Option<usize>,
    second: Option<usize>,
    last: Option<usize>,
    all: usize,
}

impl LinkUsers {
    /// The users of every link.
    pub(super) fn of(scenario: &Scenario) -> LinkUsers {
        let none = vec![Few::default(); scenario.links.len()];
        let mut users = LinkUsers { forward: none.clone(), reverse: none };
        for (number, flow) in scenario.flows.iter().enumerate() {
            let is_failover =
                matches!(&flow.protocol, Protocol::Sctp(sctp) if sctp.multipath == Multipath::Off);
            let carrying = if is_failover { 1 } else { flow.paths.len() };
            for path in flow.paths.iter().take(carrying) {
                for link in &scenario.paths[*path].links {
                    if flow.direction != Direction::Reverse {
                        users.forward[*link].add(number);
                    }
                    if flow.direction != Direction::Forward {
                        users.reverse[*link].add(number);
                    }
                }
            }
        }
        users
    }

    /// Another flow than that with this name whose data crosses the link in this direction, and how many other flows
    /// do.
    pub(super) fn other<'s>(
        &self,
        scenario: &'s Scenario,
        link: usize,
        direction: Direction,
        name: &str,
    ) -> Option<(&'s str, usize)> {
        let few = match direction {
            Direction::Forward | Direction::Both => &self.forward[link],
            Direction::Reverse => &self.reverse[link],
        };
        let mut names =
            [few.first, few.second].into_iter().flatten().map(|flow| scenario.flows[flow].name.as_str());
        names.find(|other| *other != name).map(|other| (other, few.all - 1))
    }
}

impl Few {
    /// Counts a flow, only once if several of its paths cross the link. Flows are added in order.
    fn add(&mut self, flow: usize) {
        if self.last == Some(flow) {
            return;
        }
        match (self.first, self.second) {
            (None, _) => self.first = Some(flow),
            (Some(_), None) => self.second = Some(flow),
            _ => {}
        }
        self.last = Some(flow);
        self.all += 1;
    }
}
