//! Delays, stalls and losses at the start leave nothing behind. A path that is not full carries what its link allows
//! within two seconds of the last of them.

use std::fmt::Write;

use crate::worlds::{only, run, scenario};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use rayon::prelude::*;

const RATES: [f64; 2] = [20e6, 8e6];

/// The part of its link's rate that each path carries from 7 to 12 s, where all is well from 5 s on.
fn parts(delays: [f64; 2], queues: [u64; 2], buffer: &str, events: &str) -> [f64; 2] {
    let mut text = String::from("[run]\ntime = \"12 s\"\nwarmup = \"7 s\"\n");
    for index in [0, 1] {
        let (rate, delay, queue) = (RATES[index] / 1e6, delays[index], queues[index]);
        let _ = write!(
            text,
            "[[link]]\nname = \"{index}\"\nrate = \"{rate} Mbit/s\"\ndelay = \"{delay} ms\"\nqueue = \"{queue} packets\"\n"
        );
    }
    text += events;
    for index in [0, 1] {
        let (rate, delay) = (RATES[index] / 1e6, delays[index]);
        let rate = format!("rate = \"{rate} Mbit/s\"");
        for whole in ["state = \"up\"", "loss = 0.0", &rate, &format!("delay = \"{delay} ms\"")] {
            text += &event(5_001, index, whole, "both");
        }
    }
    let _ = write!(text, "[flow]\n[flow.sctp]\nprofile = \"tuned-2\"\nreceive_buffer = \"{buffer}\"\n");
    let result = run(&scenario(&text), 1);
    let paths = &only(&result).paths;
    [0, 1].map(|index| paths[index].goodput_bps / RATES[index])
}

fn event(at: u64, link: usize, what: &str, direction: &str) -> String {
    format!("[[event]]\nat = \"{at} ms\"\nlink = \"{link}\"\n{what}\ndirection = \"{direction}\"\n")
}

/// A chunk of one path was sent on the other too, and arrived on the first with a mark. The answers to its report went by
/// the other, where they ended nothing: the other path's window was cut in every round trip, to two packets, for good.
#[test]
fn a_spike_of_delay_at_the_start_does_not_leave_a_path_with_two_packets() {
    for end in [200, 500, 2_000] {
        let spike =
            event(90, 1, "delay = \"100 ms\"", "forward") + &event(end, 1, "delay = \"5 ms\"", "forward");
        let found = parts([20.0, 5.0], [100, 100], "1 MiB", &spike);
        assert!(found.iter().all(|part| *part > 0.8), "{found:?}, until {end} ms");
        let spike = event(116, 0, "delay = \"100 ms\"", "both") + &event(end, 0, "delay = \"25 ms\"", "both");
        let found = parts([25.0, 5.0], [50, 200], "4 MiB", &spike);
        assert!(found.iter().all(|part| *part > 0.8), "{found:?}, until {end} ms");
    }
}

/// Something that happens to a link, and is over.
fn trouble() -> impl Strategy<Value = String> {
    let kind = prop_oneof![
        Just("state = \"down\"".to_owned()),
        select(vec![30, 60, 100, 200, 400, 800]).prop_map(|ms| format!("delay = \"{ms} ms\"")),
        select(vec![200, 500, 1_000, 3_000]).prop_map(|rate| format!("rate = \"{rate} kbit/s\"")),
        select(vec![0.05, 0.2, 0.5]).prop_map(|loss| format!("loss = {loss:?}")),
    ];
    let direction = select(vec!["both", "forward", "reverse"]);
    (prop_oneof![0_u64..600, 0_u64..4_000], 0_usize..2, kind, direction)
        .prop_map(|(at, link, what, direction)| event(at, link, &what, direction))
}

/// Delays, queues and the receive buffer, and what happens to the links.
fn history() -> impl Strategy<Value = ([f64; 2], [u64; 2], &'static str, String)> {
    let delay = || select(vec![0.5, 5.0, 10.0, 20.0]);
    let queue = || select(vec![50, 100, 200]);
    let events = prop::collection::vec(trouble(), 1..6).prop_map(|events| events.concat());
    ([delay(), delay()], [queue(), queue()], select(vec!["1 MiB", "4 MiB"]), events)
}

/// The number of histories: `ANABRANCH_OUTAGES` for more.
fn cases() -> usize {
    std::env::var("ANABRANCH_OUTAGES").ok().and_then(|text| text.parse().ok()).unwrap_or(60)
}

/// Not after every history: fewer than ten of a thousand leave a window of a few packets, which grows by a packet a round
/// trip, and need three seconds.
#[test]
fn a_path_carries_what_its_link_allows_within_two_seconds_after_nearly_any_history() {
    let mut runner = TestRunner::deterministic();
    let mut draw = || history().new_tree(&mut runner).expect("nothing is rejected").current();
    let histories: Vec<_> = (0..cases()).map(|_| draw()).collect();
    let judged = histories.par_iter().map(|history| {
        let (delays, queues, buffer, events) = history;
        (parts(*delays, *queues, buffer, events), history)
    });
    let exceptions: Vec<_> = judged.filter(|(found, _)| found.iter().any(|part| *part <= 0.8)).collect();
    assert!(exceptions.len() * 100 <= cases(), "{exceptions:#?}");
}
