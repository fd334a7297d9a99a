//! Links that carry smaller packets than others, in the simulated network: the cost of the search for the largest
//! packet (RFC 8899), and what happens to a transfer when links shrink and grow.

use crate::worlds::{only, run, scenario};
use anabranch_sim::result::FlowResult;

/// Two links of 10 and 20 Mbit/s, 25 ms each way, with keys of their own, and a transfer by tuned-1 that begins by the
/// handshake.
fn transfer(first: &str, second: &str, events: &str, discovery: &str) -> FlowResult {
    let link = |name: &str, rate: u32, keys: &str| {
        format!("[[link]]\nname = \"{name}\"\nrate = \"{rate} Mbit/s\"\ndelay = \"25 ms\"\n{keys}\n")
    };
    let text = format!(
        "[run]\ntime = \"60 s\"\n{}{}{events}[flow]\ntransfer = \"20 MB\"\n[flow.sctp]\nprofile = \"tuned-1\"\n\
         mtu_discovery = \"{discovery}\"\n",
        link("a", 10, first),
        link("b", 20, second)
    );
    only(&run(&scenario(&text), 1)).clone()
}

fn event(at: &str, link: &str, mtu: &str) -> String {
    format!("[[event]]\nat = \"{at}\"\nlink = \"{link}\"\nmtu = \"{mtu}\"\n")
}

/// The same in one direction of the link.
fn one_way(at: &str, link: &str, mtu: &str, direction: &str) -> String {
    format!("{}direction = \"{direction}\"\n", event(at, link, mtu))
}

fn seconds(flow: &FlowResult) -> f64 {
    flow.completion.unwrap_or_else(|| panic!("it did not end: {flow:?}")).as_secs_f64()
}

const WIDE: &str = "";
const NARROW: &str = "mtu = \"1400 B\"";

/// The choice of the tools: the search costs a transfer over links that carry all packets less than one part in fifty.
#[test]
fn searching_costs_the_common_network_next_to_nothing() {
    let [given, searched] = ["off", "on"].map(|discovery| seconds(&transfer(WIDE, WIDE, "", discovery)));
    assert!(searched < 1.02 * given, "{searched} s, {given} s when it is given");
}

#[test]
fn a_narrow_link_on_one_of_two_paths_stalls_nothing() {
    for (first, second) in [(NARROW, WIDE), (WIDE, NARROW), (NARROW, NARROW)] {
        let flow = transfer(first, second, "", "on");
        assert!(flow.longest_stall.as_millis() < 400, "{:?}", flow.longest_stall);
        assert!(seconds(&flow) < 9.0, "{} s", seconds(&flow));
        assert!(flow.paths.iter().all(|path| path.counters.sent_bytes.get() > 4_000_000), "{:?}", flow.paths);
    }
}

#[test]
fn links_that_shrink_in_a_transfer_stall_it_for_less_than_a_second() {
    for links in [&["a"][..], &["b"], &["a", "b"]] {
        for mtu in ["1300 B", "1400 B"] {
            let events: String = links.iter().map(|link| event("3 s", link, mtu)).collect();
            let flow = transfer(WIDE, WIDE, &events, "on");
            assert!(flow.longest_stall.as_millis() < 1_000, "{links:?}, {mtu}: {:?}", flow.longest_stall);
            assert!(seconds(&flow) < 12.0, "{links:?}, {mtu}: {} s", seconds(&flow));
        }
    }
}

#[test]
fn a_link_that_shrinks_and_grows_again_carries_data_all_the_time() {
    let events =
        [event("2 s", "b", "1300 B"), event("4 s", "b", "none"), event("5 s", "b", "700 B")].concat();
    let flow = transfer(WIDE, WIDE, &events, "on");
    assert!(flow.longest_stall.as_millis() < 1_000, "{:?}", flow.longest_stall);
    assert!(seconds(&flow) < 14.0, "{} s", seconds(&flow));
}

/// Half a second for a time-out with a queue, twice, and two round trips of probes.
#[test]
fn holes_of_any_size_at_any_time_on_any_links_stall_a_transfer_for_less_than_two_seconds() {
    let mut state = 40_u64;
    let mut draw = |choices: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % choices
    };
    for _ in 0..40 {
        let [size, begins, ends] = [576 + draw(920), 50 + draw(6_000), 500 + draw(20_000)];
        let direction = ["forward", "reverse", "both"][draw(3) as usize];
        let links = [&["a"][..], &["b"], &["a", "b"]][draw(3) as usize];
        let hole = |link: &&str| {
            let event = |at: u64, mtu: &str| one_way(&format!("{at} ms"), link, mtu, direction);
            event(begins, &format!("{size} B")) + &event(begins + ends, "none")
        };
        let events: String = links.iter().map(hole).collect();
        let flow = transfer(WIDE, WIDE, &events, "on");
        let stall = flow.longest_stall.as_millis();
        assert!(stall < 2_000, "{stall} ms: {size} B from {begins} ms for {ends} ms, {links:?} {direction}");
        assert!(seconds(&flow) < 20.0, "{} s: {events}", seconds(&flow));
    }
}
