//! The gain of schedulers that take round trips into account: messages that a slow path does not hold up, and more of
//! a small buffer.

use crate::worlds::{only, run, scenario};
use anabranch_base::Duration;

/// 50 Mbit/s beside 10, both of 5 ms, with a queue that holds 17 ms of the one and 84 of the other.
fn text(scheduler: &str, flow: &str) -> String {
    format!(
        r#"
        [run]
        time = "10 s"
        warmup = "2 s"
        [[link]]
        name = "quick"
        rate = "50 Mbit/s"
        delay = "5 ms"
        queue = "70 packets"
        [[link]]
        name = "slow"
        rate = "10 Mbit/s"
        delay = "5 ms"
        queue = "70 packets"
        [[flow]]
        name = "main"
        {flow}
        [flow.sctp]
        profile = "tuned-1"
        scheduler = "{scheduler}"
        "#
    )
}

/// 42 Mbit/s in messages, which the quick path carries alone: half of them are there within twice its delay, while turns let
/// them wait for the slow path's queue.
#[test]
fn messages_below_the_quick_paths_rate_do_not_wait_for_the_slow_one() {
    let median = |scheduler| {
        let flow = r#"traffic = { kind = "cbr", rate = "42 Mbit/s", message = "1316 B" }"#;
        let result = run(&scenario(&text(scheduler, flow)), 1);
        only(&result).delay.expect("messages arrived").p50
    };
    let (by_round_trip, in_turns) = (median("lowest-rtt"), median("fill"));
    assert!(by_round_trip < Duration::from_millis(10), "{by_round_trip}");
    assert!(in_turns > Duration::from_millis(30), "{in_turns}");
}

/// In 128 KiB turns let the slow path's queue hold most of the buffer: less arrives than by the quick path alone, and by round
/// trips at least half as much again as in turns.
#[test]
fn of_a_small_buffer_the_quick_path_gets_more_than_its_turn() {
    let goodput = |scheduler| {
        let text = text(scheduler, "") + "receive_buffer = \"128 KiB\"\n";
        only(&run(&scenario(&text), 1)).goodput_bps
    };
    let (by_round_trip, in_turns) = (goodput("lowest-rtt"), goodput("fill"));
    assert!(by_round_trip > 1.5 * in_turns, "{by_round_trip} and {in_turns} bit/s");
}

/// 10 Mbit/s beside 1 Mbit/s, whose delay is five times as long, in 64 KiB. Data of the quick path waits for the slow
/// one, until the buffer is full of it; a scheduler that estimates this leaves the slow path unused, and carries at least
/// nine tenths of the quick path's 9.68 Mbit/s.
#[test]
fn an_estimate_of_what_a_slow_path_holds_up_keeps_the_quick_ones_goodput() {
    let goodput = |scheduler: &str| {
        let text = format!(
            r#"
            [run]
            time = "12 s"
            warmup = "2 s"
            [[link]]
            name = "quick"
            rate = "10 Mbit/s"
            delay = "20 ms"
            queue = "50 packets"
            [[link]]
            name = "slow"
            rate = "1 Mbit/s"
            delay = "100 ms"
            queue = "50 packets"
            [flow]
            [flow.sctp]
            profile = "tuned-1"
            receive_buffer = "64 KiB"
            scheduler = "{scheduler}"
            "#
        );
        only(&run(&scenario(&text), 1)).goodput_bps / 1e6
    };
    for scheduler in ["ecf", "blest"] {
        let carried = goodput(scheduler);
        assert!(carried > 8.7, "{scheduler}: {carried} Mbit/s");
    }
    for scheduler in ["fill", "lowest-rtt", "window-regulated"] {
        let carried = goodput(scheduler);
        assert!(carried < 4.8, "{scheduler}: {carried} Mbit/s, half of the quick path's");
    }
}
