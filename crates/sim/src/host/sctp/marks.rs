//! Only for tests: congestion marks from one association through its host, links and queues to the other association,
//! and the reports of them.

use std::any::Any;

use anabranch_base::{Ecn, Seed, Time};
use anabranch_scenario::model::Protocol;
use anabranch_scenario::{NoFiles, Scenario, Source, registry};
use anabranch_sctp::association::EcnCounters;
use anabranch_sctp::config::{Config, IpVersion};
use anabranch_sctp::record::{Happening, Record};

use super::{FlowSettings, SctpEnd, build};
use crate::host::{Draft, Transport};
use crate::load::Routes;
use crate::network::{Network, Opening, direction};
use crate::observe::{Host, Observation, Seen, Step, Watch};
use crate::pairs::meters_of;
use crate::run::fabric_of;

#[path = "../../../../link/tests/marking/mod.rs"]
mod marking;
use marking::MarkEach;

/// Data in both directions over two paths; the first path has two links.
const TEXT: &str = r#"
    [run]
    time = "3 s"
    [[link]]
    name = "a"
    rate = "4 Mbit/s"
    delay = "5 ms"
    [[link]]
    name = "b"
    rate = "3 Mbit/s"
    delay = "5 ms"
    [[link]]
    name = "c"
    rate = "2 Mbit/s"
    delay = "15 ms"
    [[path]]
    name = "long"
    links = ["a", "b"]
    [[path]]
    name = "short"
    links = ["c"]
    [[flow]]
    paths = ["long", "short"]
    direction = "both"
    transfer = "300 KiB"
"#;

/// For each path and sending host: the link whose queue marks packets, and how many it marks.
const MARKS: [(usize, Host, usize, u64); 4] =
    [(0, Host::First, 1, 3), (0, Host::Second, 1, 4), (1, Host::First, 2, 5), (1, Host::Second, 2, 2)];

/// The network of the text at the end of its run.
struct EndedNetwork {
    network: Network,
    seen: Vec<Observation>,
    /// The records of each host's association.
    records: [Vec<Record>; 2],
}

impl EndedNetwork {
    /// A network whose associations send with this `codepoint`.
    fn new(codepoint: Ecn) -> EndedNetwork {
        let source = Source::new("test.toml", TEXT);
        let scenario = Scenario::parse(&source, &NoFiles, &[], &registry()).expect("a sound file");
        let (mut fabric, ways) = fabric_of(&scenario, &Seed::from_number(1)).expect("links");
        for (_, from, link, every) in MARKS {
            fabric.link_mut(link, direction(from)).set_queue(Box::new(MarkEach::new(every)));
        }
        let (ends, meters) = (ends(&scenario, codepoint), meters_of(&scenario));
        let watch = Watch { packets: true, ..Watch::default() };
        let network = Network::new(fabric, ends, meters, Routes::of(&scenario, ways), watch);
        let mut world = EndedNetwork { network, seen: Vec::new(), records: Default::default() };
        world.network.start(Time::ZERO, 0, Opening::Handshake);
        world.run(Time::ZERO + scenario.run.time.expect("a limit"));
        world
    }

    fn run(&mut self, end: Time) {
        while self.network.step_until(end).is_some() {
            self.seen.extend(self.network.take_observations());
            for (host, records) in Host::BOTH.into_iter().zip(&mut self.records) {
                let end: &mut dyn Any = self.network.end_mut(0, host);
                let end: &mut SctpEnd = end.downcast_mut().expect("an SCTP end");
                let association = end.id.and_then(|id| end.endpoint.association_mut(id));
                let Some(association) = association else { continue };
                association.record();
                records.extend(std::iter::from_fn(|| association.poll_record()));
            }
        }
    }

    /// When packets from `from` arrived on `path`, and with which codepoint.
    fn arrivals(&self, from: Host, path: usize) -> Vec<(Time, Ecn)> {
        let arrived = self.seen.iter().filter_map(|seen| match &seen.what {
            Seen::Packet(packet)
                if (packet.from, packet.path) == (from, path)
                    && matches!(packet.step, Step::Arrived { .. }) =>
            {
                Some((seen.at, packet.ecn))
            }
            _ => None,
        });
        arrived.collect()
    }

    /// The ECN counters of the association at `host` for `path`, and the times of the marks that it recorded there.
    fn account(&self, host: Host, path: usize) -> (EcnCounters, Vec<Time>) {
        let end: &dyn Any = self.network.end(0, host);
        let end: &SctpEnd = end.downcast_ref().expect("an SCTP end");
        let association = end.association().expect("it is open");
        let mut ids = association.paths().iter().map(|sample| sample.id);
        let id = ids.find(|id| end.path_number(*id) == Some(path)).expect("a path of this number");
        let marks = self.records[host as usize]
            .iter()
            .filter(|record| (record.path, record.what) == (id, Happening::Marked));
        (association.path_counters(id).received_ecn, marks.map(|record| record.at).collect())
    }
}

fn ends(scenario: &Scenario, codepoint: Ecn) -> Vec<Box<dyn Transport>> {
    let flow = &scenario.flows[0];
    let Protocol::Sctp(sctp) = &flow.protocol else { panic!("an SCTP flow") };
    let seed = Seed::from_number(1).child("flow");
    let draft = Draft { scenario, flow, port: 49_152, paths: vec![0, 1], seed };
    let end = |host| -> Box<dyn Transport> {
        let settings = build::settings(&draft, host, sctp).expect("sound settings");
        let settings = FlowSettings { config: Config { codepoint, ..settings.config.clone() }, ..settings };
        let sender = draft.sender(host, settings.config.full_payload(IpVersion::V4));
        Box::new(SctpEnd::new(host, settings, sender, draft.seed_at(host)).expect("sound settings"))
    };
    Host::BOTH.map(end).into()
}

#[test]
fn an_association_sees_exactly_the_marks_that_queues_made_on_its_paths_both_ways() {
    for codepoint in [Ecn::Ect0, Ecn::Ect1] {
        let mut world = EndedNetwork::new(codepoint);
        for (path, from, link, every) in MARKS {
            let arrivals = world.arrivals(from, path);
            let capable = arrivals.iter().filter(|(_, ecn)| ecn.is_capable()).count();
            assert!(capable >= 40 && arrivals.len() - capable <= 2, "only the handshake is Not-ECT");
            for (number, (_, ecn)) in (1_u64..).zip(&arrivals) {
                let expected = if number.is_multiple_of(every) { Ecn::Ce } else { codepoint };
                assert!(*ecn == expected || *ecn == Ecn::NotEct, "packet {number} of {from:?} has {ecn}");
            }
            let with = |wanted: Ecn| -> Vec<Time> {
                arrivals.iter().filter(|(_, ecn)| *ecn == wanted).map(|(at, _)| *at).collect()
            };
            let (counted, recorded) = world.account(from.other(), path);
            assert_eq!(recorded, with(Ecn::Ce));
            let count = |wanted| with(wanted).len() as u64;
            let expected = EcnCounters { ect0: count(Ecn::Ect0), ect1: count(Ecn::Ect1), ce: count(Ecn::Ce) };
            assert_eq!(counted, expected);
            assert_eq!(world.network.link_mut(link, from).counters().marked, expected.ce);
        }
    }
}

#[test]
fn without_a_codepoint_of_its_own_an_association_sees_none() {
    let world = EndedNetwork::new(Ecn::NotEct);
    for (path, from, ..) in MARKS {
        assert!(world.arrivals(from, path).iter().all(|(_, ecn)| *ecn == Ecn::NotEct));
        assert_eq!(world.account(from.other(), path), (EcnCounters::default(), Vec::new()));
    }
}
