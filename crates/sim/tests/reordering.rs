//! Packets that overtake one another, by jitter or by two queues in one link: a sender that counts time carries as much as
//! without (RFC 8985).

use std::fmt::Write;

use crate::worlds::{only, run, scenario};

/// The goodput over one link of 20 Mbit/s and 20 ms with these keys, in bit/s.
fn goodput(link: &str, order: &str) -> f64 {
    let mut text = String::from("[run]\ntime = \"20 s\"\nwarmup = \"4 s\"\n");
    let _ = write!(
        text,
        "[[link]]\nname = \"l\"\nrate = \"20 Mbit/s\"\ndelay = \"20 ms\"\nqueue = \"200 packets\"\n{link}\n\
         [[flow]]\n[flow.sctp]\nprofile = \"tuned-2\"\ncmt.order = \"{order}\"\n"
    );
    only(&run(&scenario(&text), 1)).goodput_bps
}

#[test]
fn jitter_that_lets_packets_overtake_costs_nothing() {
    let plain = goodput("", "time");
    for jitter in [1, 3, 10, 20, 30] {
        let late = format!("jitter = \"{jitter} ms\"\nreorder = true");
        let carried = goodput(&late, "time");
        assert!(carried >= 0.98 * plain, "{jitter} ms: {carried} of {plain}");
    }
}

/// The reason for detection by time.
#[test]
fn by_the_order_of_departures_jitter_costs_most_of_the_link() {
    let late = "jitter = \"30 ms\"\nreorder = true";
    let (counted, timed) = (goodput(late, "departure"), goodput(late, "time"));
    assert!(counted < 0.5 * timed, "{counted}, {timed}");
}
