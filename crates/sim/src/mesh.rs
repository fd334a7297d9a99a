//! Only for tests: an association whose packets cross a link, and a medium that three stations share.

use anabranch_base::{BitRate, Seed};
use anabranch_link::Way;
use anabranch_link::fabric::{Hop, Station};
use anabranch_scenario::{NoFiles, Scenario, Source, registry};

use crate::load::Routes;
use crate::network::Network;
use crate::observe::Watch;
use crate::pairs::{ends_of, meters_of};
use crate::run::{Run, fabric_of};

#[path = "../../link/tests/air/mod.rs"]
mod air;
use air::SharedAir;

const TEXT: &str = r#"
    [run]
    time = "60 s"
    [[link]]
    name = "wire"
    rate = "100 Mbit/s"
    delay = "5 ms"
    [[flow]]
    name = "bulk"
    transfer = "500 KiB"
    [[flow]]
    name = "last"
    transfer = "1 KiB"
    start = "30 s"
"#;

#[test]
fn an_association_sends_a_transfer_over_two_hops_of_a_shared_medium() {
    let scenario =
        Scenario::parse(&Source::new("test.toml", TEXT), &NoFiles, &[], &registry()).expect("a sound file");
    let root = Seed::from_number(1);
    let (mut fabric, _) = fabric_of(&scenario, &root).expect("links");
    let air = fabric.add_medium(Box::new(SharedAir::new(BitRate::from_mbps(6))));
    let hop = |from, to| Hop::medium(air, Station::new(from), Station::new(to));
    let there = fabric.add_route(vec![Hop::link(0, Way::Forward), hop(0, 1), hop(1, 2)]);
    let back = fabric.add_route(vec![hop(2, 1), hop(1, 0), Hop::link(0, Way::Reverse)]);
    let routes = Routes::of(&scenario, vec![[there, back]]);
    let ends = ends_of(&scenario, &root).expect("sound settings");
    let network = Network::new(fabric, ends, meters_of(&scenario), routes, Watch::default());
    let result = Run::of(&scenario, 1, network).to_end();
    let flow = &result.flows[0];
    assert_eq!(flow.delivered.get(), 500 * 1_024);
    assert!(flow.completion.is_some() && flow.failure.is_none());
    // The medium has one line for all: each packet uses it twice, and SACKs use it too.
    assert!(flow.goodput_bps > 1.5e6 && flow.goodput_bps < 3.0e6, "{}", flow.goodput_bps);
    assert_eq!(flow.paths[0].lost_packets, 0);
    // Each packet crosses three nodes. The run ends with the small transfer, long after all data of the large one has
    // arrived: only a SACK for the last packet may still be in the network.
    let crossings = 3 * result.end_to_end_packets;
    assert!((crossings - 3..=crossings).contains(&result.packets), "{} of {crossings}", result.packets);
}
