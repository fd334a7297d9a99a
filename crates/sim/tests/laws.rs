//! The laws of simple networks, and what the simulator gives.

use crate::worlds::{only, run, scenario};
use anabranch_sim::Summary;

/// A Poisson source of datagrams before one link: M/D/1, whose mean wait is ρ s / (2 (1 − ρ)) (Pollaczek and Khinchine).
#[test]
fn a_poisson_source_waits_as_long_as_in_m_d_1() {
    // 1,250 bytes with IP and UDP headers take 1 ms at 10 Mbit/s; at 7 of 10 such packets a millisecond ρ is 0.7.
    let scenario = scenario(
        r#"
        [run]
        time = "100 s"
        [[link]]
        name = "a"
        rate = "10 Mbit/s"
        delay = "1 ms"
        queue = "1000000 packets"
        [[flow]]
        protocol = "udp"
        traffic = { kind = "poisson", rate = "6843200 bit/s", message = "1222 B" }
        "#,
    );
    let mean_wait = |seed| {
        let result = run(&scenario, seed);
        let link = &result.links[0].forward;
        // Little's law: the mean wait is the mean queue over the rate of arrivals.
        link.mean_queue_packets * 100.0 / link.offered as f64
    };
    let waits = (1..=40).map(mean_wait).collect::<Summary>().estimate().expect("there were runs");
    let (rho, service) = (0.7, 1e-3);
    let expected = rho * service / (2.0 * (1.0 - rho));
    // Forty independent runs: the true mean lies within 2.6 half-widths of 95 % (five standard errors).
    let error = waits.ci95.expect("there were many") * 2.6;
    assert!((waits.mean - expected).abs() < error, "{waits:?}, and theory says {expected}");
    assert!(error < 0.05 * expected, "the runs say too little: {waits:?}");
}

/// A window of w packets on an empty network moves w packets a round trip (M-MOD-9's upper end).
#[test]
fn a_receive_buffer_bounds_the_rate_to_one_buffer_a_round_trip() {
    let scenario = scenario(
        r#"
        [run]
        time = "30 s"
        warmup = "10 s"
        [[link]]
        name = "a"
        rate = "1 Gbit/s"
        delay = "50 ms"
        queue = "1000 packets"
        [flow.sctp]
        receive_buffer = "145200 B"
        sack = { every = 1 }
        "#,
    );
    let result = run(&scenario, 1);
    let expected = 145_200.0 * 8.0 / 0.1;
    let goodput = only(&result).goodput_bps;
    // Serialisation of 100 packets at 1 Gbit/s adds up to 1.2 ms to the round trip of 100 ms.
    assert!(goodput > expected * 0.98 && goodput < expected * 1.001, "{goodput} beside {expected}");
}

/// A datagram's delay is transmission and propagation, and nothing else on an idle link.
#[test]
fn an_idle_link_delays_by_transmission_and_propagation() {
    let scenario = scenario(
        r#"
        [run]
        time = "10 s"
        [[link]]
        name = "a"
        rate = "10 Mbit/s"
        delay = "20 ms"
        [[link]]
        name = "b"
        rate = "1 Mbit/s"
        delay = "30 ms"
        [[path]]
        name = "both"
        links = ["a", "b"]
        [[flow]]
        protocol = "udp"
        traffic = { kind = "cbr", rate = "97760 bit/s", message = "1222 B" }
        "#,
    );
    let result = run(&scenario, 1);
    let delay = only(&result).delay.expect("something arrived");
    // 1 ms on the first link, 10 ms on the second.
    assert_eq!(delay.max.as_nanos(), 61_000_000);
    assert_eq!(only(&result).longest_stall.as_nanos(), 100_000_000);
    assert_eq!(only(&result).delivered.get(), 100 * 1_222);
}
