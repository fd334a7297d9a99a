//! TCP and Multipath TCP over whole networks.

use crate::worlds::{balance, only, run, scenario};

/// A link of 10 Mbit/s and 20 ms each way with these keys, and a TCP flow with those.
fn one_path(link: &str, tcp: &str) -> String {
    format!(
        r#"
        [run]
        time = "60 s"
        [[link]]
        name = "line"
        rate = "10 Mbit/s"
        delay = "20 ms"
        {link}
        [[flow]]
        protocol = "tcp"
        [flow.tcp]
        {tcp}
        "#
    )
}

#[test]
fn a_greedy_flow_fills_its_link() {
    for tcp in ["", "variant = \"sack\"", "variant = \"sack\"\nack_every = 1\ngrowth = \"per-ack\""] {
        let result = run(&scenario(&one_path("", tcp)), 1);
        let flow = only(&result);
        println!("{tcp}: {flow:#?}");
        assert!(flow.goodput_bps > 9.2e6, "{tcp}: {flow:#?}");
        balance(&result);
    }
}
