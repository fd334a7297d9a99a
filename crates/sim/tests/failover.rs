//! The time a transfer stands still when a path is cut, and the time until one that heals carries data again.

use crate::worlds::{only, run, scenario};
use anabranch_sim::result::FlowResult;
use rayon::prelude::*;

/// A cut at 4 s, and its end.
struct Cut {
    /// Mbit/s of each path; 25 ms each way.
    rates: &'static [u32],
    /// Numbers of the links, from 0.
    links: &'static [usize],
    direction: &'static str,
    until_s: u64,
}

const TWO: &[u32] = &[10, 20];
const THREE: &[u32] = &[10, 20, 5];

const SINGLE: [Cut; 7] = [
    Cut { rates: TWO, links: &[0], direction: "both", until_s: 7 },
    Cut { rates: TWO, links: &[1], direction: "both", until_s: 7 },
    Cut { rates: TWO, links: &[1], direction: "forward", until_s: 7 },
    Cut { rates: TWO, links: &[1], direction: "reverse", until_s: 7 },
    Cut { rates: THREE, links: &[0], direction: "both", until_s: 7 },
    Cut { rates: THREE, links: &[1], direction: "both", until_s: 7 },
    Cut { rates: THREE, links: &[0, 1], direction: "both", until_s: 7 },
];

/// A transfer by the tools' time-outs. Each seed has its cut at another moment, and each packet up to 0.1 ms of jitter.
fn transfer(cut: &Cut, failover: &str, seed: u64) -> FlowResult {
    let link = |(number, rate): (usize, &u32)| {
        format!(
            "[[link]]\nname = \"{number}\"\nrate = \"{rate} Mbit/s\"\ndelay = \"25 ms\"\njitter = \"0.1 ms\"\n"
        )
    };
    let links: String = cut.rates.iter().enumerate().map(link).collect();
    let event = |number: &usize| {
        let (later, direction) = (11 * seed, cut.direction);
        [(4, "down"), (cut.until_s, "up")]
            .map(|(second, state)| {
                format!(
                    "[[event]]\nat = \"{} ms\"\nlink = \"{number}\"\nstate = \"{state}\"\ndirection = \"{direction}\"\n",
                    1_000 * second + later
                )
            })
            .concat()
    };
    let events: String = cut.links.iter().map(event).collect();
    let text = format!(
        "[run]\ntime = \"{} s\"\n{links}{events}[flow.sctp]\nreceive_buffer = \"4 MiB\"\nsend_buffer = \"8 MiB\"\n\
         rto = {{ initial = \"500 ms\", min = \"200 ms\" }}\nfailover = {{ path_max = 2, heartbeat = \"1 s\", {failover} }}\n",
        cut.until_s + 2
    );
    only(&run(&scenario(&text), seed)).clone()
}

const QUICK: &str = "potentially_failed = 1, quick = true";

#[test]
fn a_cut_stalls_a_running_transfer_for_less_than_300_ms() {
    let runs: Vec<(&Cut, u64)> = SINGLE.iter().flat_map(|cut| (1..=5).map(move |seed| (cut, seed))).collect();
    runs.par_iter().for_each(|(cut, seed)| {
        let stall = transfer(cut, QUICK, *seed).longest_stall.as_millis();
        let Cut { rates, links, direction, .. } = cut;
        assert!(stall < 300, "{stall} ms, seed {seed}: {rates:?}, {links:?} cut ({direction})");
    });
}

/// The time-outs alone: one until the first is suspected, three until it has failed.
#[test]
fn without_it_the_same_cut_stalls_for_more_than_a_second() {
    let stall = transfer(&SINGLE[1], "quick = false", 1).longest_stall.as_millis();
    assert!(stall > 1_000, "{stall} ms");
}

/// A path is down from its suspicion until it is known to have healed.
#[test]
fn a_path_that_heals_carries_data_again_within_a_second() {
    let runs: Vec<u64> = (1..=10).collect();
    runs.par_iter().for_each(|&seed| {
        let flow = transfer(&SINGLE[1], QUICK, seed);
        let down = flow.paths[1].down.as_millis();
        // At least what is left of the cut after 300 ms; at most two probes and a round trip more than the cut.
        assert!((2_700..3_600).contains(&down), "down for {down} ms of a cut of 3 s, seed {seed}");
    });
}

#[test]
fn when_all_paths_are_cut_for_a_second_the_transfer_goes_on_within_another() {
    let cut = Cut { rates: TWO, links: &[0, 1], direction: "both", until_s: 5 };
    let runs: Vec<u64> = (1..=5).collect();
    runs.par_iter().for_each(|&seed| {
        let flow = transfer(&cut, QUICK, seed);
        let stall = flow.longest_stall.as_millis();
        assert!((1_000..2_000).contains(&stall), "{stall} ms, seed {seed}");
        assert_eq!(flow.failure, None);
    });
}
