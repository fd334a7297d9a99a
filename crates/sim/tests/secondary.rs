//! A secondary path beside an ordinary one: it carries next to nothing of a flow that the ordinary path carries alone, and
//! its part of one that fills both.

use crate::worlds::{only, run, scenario};
use anabranch_sim::result::FlowResult;

const FITS: &str = r#"traffic = { kind = "cbr", rate = "10 Mbit/s", message = "1316 B" }"#;
const BULK: &str = "";

/// 30 s of a flow over 20 Mbit/s and 8 Mbit/s, of which the second path has `role`, and `faults` of the first.
fn flow(profile: &str, scheduler: &str, role: &str, traffic: &str, faults: &str) -> FlowResult {
    let text = format!(
        r#"
        [run]
        time = "30 s"
        warmup = "5 s"
        [[link]]
        name = "main"
        rate = "20 Mbit/s"
        delay = "15 ms"
        queue = "60 packets"
        [[link]]
        name = "metered"
        rate = "8 Mbit/s"
        delay = "30 ms"
        queue = "60 packets"
        [[path]]
        name = "main"
        links = ["main"]
        [[path]]
        name = "metered"
        links = ["metered"]
        role = "{role}"
        {faults}
        [[flow]]
        name = "main"
        {traffic}
        [flow.sctp]
        profile = "{profile}"
        scheduler = "{scheduler}"
        "#
    );
    only(&run(&scenario(&text), 1)).clone()
}

/// The part of the data that arrived on the second path, after the warm-up.
fn share(flow: &FlowResult) -> f64 {
    let [first, second] = [0, 1].map(|path| flow.paths[path].goodput_bps);
    second / (first + second)
}

const SCHEDULERS: [(&str, &str); 5] = [
    ("tuned-2", "in-order-arrival"),
    ("tuned-2", "lowest-rtt"),
    ("tuned-1", "fill"),
    ("rfc9260", "round-robin"),
    ("tuned-1", "blest"),
];

#[test]
fn a_flow_that_fits_the_ordinary_path_leaves_the_secondary_one_alone() {
    println!("| profile | scheduler | ordinary: part of the second path | secondary |\n|---|---|---:|---:|");
    for (profile, scheduler) in SCHEDULERS {
        let [without, with] =
            ["ordinary", "secondary"].map(|role| share(&flow(profile, scheduler, role, FITS, "")));
        println!("| {profile} | {scheduler} | {without:.3} | {with:.4} |");
        assert!(with <= 0.01, "{profile}, {scheduler}: {with}");
    }
}

#[test]
fn a_bulk_flow_gets_the_sum_of_an_ordinary_and_a_secondary_path() {
    println!("| profile | scheduler | ordinary: Mbit/s | secondary |\n|---|---|---:|---:|");
    for (profile, scheduler) in SCHEDULERS {
        let [without, with] =
            ["ordinary", "secondary"].map(|role| flow(profile, scheduler, role, BULK, "").goodput_bps / 1e6);
        println!("| {profile} | {scheduler} | {without:.2} | {with:.2} |");
        assert!(with >= 0.95 * without, "{profile}, {scheduler}: {with} of {without} Mbit/s");
    }
}

#[test]
fn the_secondary_path_carries_everything_while_the_ordinary_one_is_cut() {
    let cut = r#"
        [[event]]
        at = "5 s"
        link = "main"
        state = "down"
    "#;
    let slow = r#"traffic = { kind = "cbr", rate = "5 Mbit/s", message = "1316 B" }"#;
    let flow = flow("tuned-2", "in-order-arrival", "secondary", slow, cut);
    assert!(share(&flow) > 0.98, "{}", share(&flow));
    assert!(flow.goodput_bps > 4.9e6, "{}", flow.goodput_bps);
}
