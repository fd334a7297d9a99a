//! TCP and Multipath TCP over whole networks.

use anabranch_sim::result::FlowResult;

use crate::worlds::{only, run, scenario};

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

/// Two links of 10 Mbit/s, of 10 ms and of 50 ms, and a flow over both; then more.
fn two_paths(tcp: &str, more: &str) -> String {
    format!(
        r#"
        [run]
        time = "60 s"
        [[link]]
        name = "a"
        rate = "10 Mbit/s"
        delay = "10 ms"
        [[link]]
        name = "b"
        rate = "10 Mbit/s"
        delay = "50 ms"
        {more}
        [[flow]]
        protocol = "tcp"
        [flow.tcp]
        {tcp}
        "#
    )
}

fn flow_of(text: &str, seed: u64) -> FlowResult {
    only(&run(&scenario(text), seed)).clone()
}

#[test]
fn a_greedy_flow_fills_its_link() {
    for tcp in [
        "variant = \"sack\"",
        "variant = \"cubic\"",
        "variant = \"sack\"\nack_every = 1\ngrowth = \"per-ack\"",
    ] {
        let flow = flow_of(&one_path("", tcp), 1);
        assert!(flow.goodput_bps > 9.5e6, "{tcp}: {flow:#?}");
        assert_eq!(
            flow.paths[0].counters.retransmitted_chunks, flow.paths[0].lost_packets,
            "{tcp}: no more than was lost"
        );
        assert_eq!(flow.protocol, "tcp");
    }
    // Without selective acknowledgements the overshoot of slow start ends with a time-out.
    let flow = flow_of(&one_path("", ""), 1);
    assert!(flow.goodput_bps > 9.3e6 && flow.paths[0].counters.timeouts == 1, "{flow:#?}");
}

#[test]
fn data_leave_a_round_trip_after_the_start() {
    let flow = flow_of(&one_path("", ""), 1);
    let first = flow.first_data.expect("data arrive");
    // 40 ms to open, 20 ms on the way, and 1.2 ms on the line.
    assert_eq!(first.as_nanos(), 61_200_000);
}

#[test]
fn a_window_limits_what_is_outstanding() {
    let flow = flow_of(&one_path("", "window = \"10 packets\"\nack_every = 1"), 1);
    // Ten packets each round trip of 41.2 ms and an acknowledgement's time on the line.
    let expected = 10.0 * 1_448.0 * 8.0 / 0.041_232;
    assert!((flow.goodput_bps / expected - 1.0).abs() < 0.01, "{} and {expected}", flow.goodput_bps);
    assert!(flow.paths[0].rwnd_limited.as_secs_f64() > 50.0, "{flow:#?}");
}

#[test]
fn over_one_path_multipath_tcp_is_tcp() {
    let lossy = "loss = 0.01";
    let plain = flow_of(&one_path(lossy, "congestion_control = \"reno\""), 3);
    for control in ["lia", "olia", "balia"] {
        let tcp = format!(
            "congestion_control = \"{control}\"\nreceive_buffer = \"5 packets\"\ntimeout_retransmission = \"same\""
        );
        assert_eq!(flow_of(&one_path(lossy, &tcp), 3), plain, "{control}");
    }
}

#[test]
fn equal_seeds_give_equal_runs() {
    for variant in ["newreno", "sack", "cubic"] {
        let text = two_paths(&format!("variant = \"{variant}\""), "loss = 0.02");
        assert_eq!(flow_of(&text, 5), flow_of(&text, 5), "{variant}");
        assert_ne!(flow_of(&text, 5), flow_of(&text, 6), "{variant}");
    }
}

#[test]
fn selective_acknowledgements_repair_several_losses_of_a_window_at_once() {
    let burst = "loss = { kind = \"list\", packets = [400, 402, 404, 406, 408, 410, 412, 414] }\nqueue = \"1000 packets\"";
    let delay = |variant| {
        let tcp = format!("variant = \"{variant}\"\nwindow = \"60 packets\"\nmin_rto = \"2 s\"");
        let flow = flow_of(&one_path(burst, &tcp), 1);
        assert_eq!(
            (flow.paths[0].counters.retransmitted_chunks, flow.paths[0].counters.timeouts),
            (8, 0),
            "{variant}"
        );
        flow.delay.expect("data arrive").max.as_secs_f64()
    };
    // NewReno repairs one in each round trip of at least 41 ms.
    assert!(delay("newreno") > delay("sack") + 6.0 * 0.041, "{} and {}", delay("newreno"), delay("sack"));
}

#[test]
fn cubic_returns_to_a_large_window_sooner_than_reno() {
    let text = |control| {
        let tcp = format!("variant = \"sack\"\ncongestion_control = \"{control}\"\nwindow = \"64 MiB\"");
        one_path("queue = \"200 packets\"\nloss = { kind = \"every\", n = 100000 }", &tcp)
            .replace("10 Mbit/s", "200 Mbit/s")
            .replace("20 ms", "100 ms")
    };
    let (reno, cubic) = (flow_of(&text("reno"), 1), flow_of(&text("cubic"), 1));
    assert!(cubic.goodput_bps > 1.2 * reno.goodput_bps, "{} and {}", cubic.goodput_bps, reno.goodput_bps);
}

#[test]
fn messages_in_time_are_delivered_as_they_come() {
    let on_off = "traffic = { kind = \"on-off\", rate = \"4 Mbit/s\", message = \"4000 B\", on = \"1 s\", off = \"1 s\" }";
    // The last segment of a burst is acknowledged after 200 ms.
    let text = one_path("", "min_rto = \"1 s\"")
        .replace("protocol = \"tcp\"", &format!("protocol = \"tcp\"\n{on_off}"));
    let flow = flow_of(&text, 1);
    assert!(
        (flow.goodput_bps / 2e6 - 1.0).abs() < 0.02,
        "half of the time at 4 Mbit/s: {}",
        flow.goodput_bps
    );
    assert_eq!(flow.paths[0].counters.retransmitted_chunks, 0);
    assert!(flow.paths[0].app_limited.as_secs_f64() > 30.0, "{flow:#?}");
}

#[test]
fn a_transfer_both_ways_ends_with_its_last_byte() {
    let text = one_path("loss = 0.02\nreverse = { loss = 0.02 }", "variant = \"sack\"")
        .replace("protocol = \"tcp\"", "protocol = \"tcp\"\ntransfer = \"1 MB\"\ndirection = \"both\"");
    let result = run(&scenario(&text), 1);
    assert_eq!(result.flows.len(), 2);
    for flow in &result.flows {
        assert_eq!(flow.delivered.get(), 1_000_000);
        assert!(flow.completion.is_some() && flow.failure.is_none());
    }
}

#[test]
fn several_paths_give_their_sum_where_the_buffer_allows() {
    let goodput = |buffer: &str| {
        let tcp = format!("variant = \"sack\"\ncongestion_control = \"lia\"\nreceive_buffer = \"{buffer}\"");
        let flow = flow_of(&two_paths(&tcp, ""), 1);
        (flow.goodput_bps, flow.blocked.as_secs_f64())
    };
    let ((large, _), (small, blocked)) = (goodput("4 MiB"), goodput("64 KiB"));
    assert!(large > 17e6, "{large}");
    assert!(small < 12e6 && blocked > 20.0, "{small}, blocked for {blocked} s");
}

#[test]
fn the_receive_buffer_bounds_what_waits() {
    for packets in [10, 100] {
        let tcp = format!("receive_buffer = \"{packets} packets\"");
        let flow = flow_of(&two_paths(&tcp, "loss = 0.02"), 2);
        let most = flow.reorder_bytes_max.get();
        assert!(most > 0 && most <= packets * 1_448, "{most} in {packets} packets");
    }
}

/// M-MP-3: a path falls silent, and the segments that it lost hold up the others until they leave elsewhere.
#[test]
fn what_times_out_on_one_path_leaves_on_another() {
    let silent = "[[event]]\nat = \"10 s\"\nlink = \"b\"\nstate = \"down\"\n";
    let delivered = |place: &str, buffer: &str| {
        let tcp = format!("timeout_retransmission = \"{place}\"\nreceive_buffer = \"{buffer}\"");
        flow_of(&two_paths(&tcp, silent), 1).delivered.get()
    };
    let (same, both) = (delivered("same", "100 packets"), delivered("both", "100 packets"));
    assert!(both > same, "{both} and {same}");
    assert!(both > 10_000_000, "{both}");
}

/// The share of a bottleneck of 10 Mbit/s that two subflows take beside a flow over one path.
fn share_of_two(control: &str) -> f64 {
    let text = format!(
        r#"
        [run]
        time = "200 s"
        warmup = "20 s"
        [[link]]
        name = "first"
        rate = "100 Mbit/s"
        delay = "5 ms"
        [[link]]
        name = "second"
        rate = "100 Mbit/s"
        delay = "5 ms"
        [[link]]
        name = "third"
        rate = "100 Mbit/s"
        delay = "5 ms"
        [[link]]
        name = "bottleneck"
        rate = "10 Mbit/s"
        delay = "15 ms"
        loss = 0.002
        [[path]]
        name = "one"
        links = ["first", "bottleneck"]
        [[path]]
        name = "two"
        links = ["second", "bottleneck"]
        [[path]]
        name = "other"
        links = ["third", "bottleneck"]
        [[flow]]
        protocol = "tcp"
        paths = ["one", "two"]
        [flow.tcp]
        variant = "sack"
        congestion_control = "{control}"
        receive_buffer = "4 MiB"
        [[flow]]
        name = "single"
        protocol = "tcp"
        paths = ["other"]
        [flow.tcp]
        variant = "sack"
        "#
    );
    let result = run(&scenario(&text), 1);
    let [multi, single] = &result.flows[..] else { panic!("two flows") };
    multi.goodput_bps / (multi.goodput_bps + single.goodput_bps)
}

#[test]
fn coupled_subflows_take_less_of_a_shared_bottleneck_than_uncoupled_ones() {
    let uncoupled = share_of_two("reno");
    assert!((0.58..0.75).contains(&uncoupled), "{uncoupled}: two thirds would be even");
    for control in ["lia", "olia", "balia"] {
        let coupled = share_of_two(control);
        assert!((0.35..uncoupled - 0.03).contains(&coupled), "{control}: {coupled}, uncoupled {uncoupled}");
    }
}

/// Losses by rounds need a sender that tells its rounds.
#[test]
fn correlated_losses_take_the_rest_of_a_round() {
    let flow =
        flow_of(&one_path("loss = { kind = \"correlated\", probability = 0.001 }", "variant = \"sack\""), 1);
    let path = &flow.paths[0];
    assert!(path.lost_packets as f64 > 8.0 * 0.001 * path.counters.sent_packets as f64, "{path:#?}");
}
