//! Cases on which specialists agree, each given by its numbers.

use super::*;
use crate::path_seen::PathSeen;
use crate::remedy::Remedy;
use crate::transfer::Control;

/// A path that carried `mbps` in ten seconds of 40 ms round trips, limited by its window alone.
fn path(name: &str, mbps: f64) -> PathSeen {
    PathSeen {
        name: name.to_owned(),
        is_active: true,
        goodput_bps: mbps * 1e6,
        sent_packets: (mbps * 860.0) as u64,
        mean_rtt_s: Some(0.04),
        cwnd_limited_s: 10.0,
        ..PathSeen::default()
    }
}

fn resent(retransmitted_chunks: u64, path: PathSeen) -> PathSeen {
    PathSeen { retransmitted_chunks, ..path }
}

fn alone(name: &str, mbps: f64) -> Alone {
    Alone { name: name.to_owned(), goodput_bps: mbps * 1e6, path: path(name, mbps) }
}

fn run(paths: Vec<PathSeen>) -> Transfer {
    Transfer {
        goodput_bps: paths.iter().map(|path| path.goodput_bps).sum(),
        receive_buffer_bytes: Some(16 << 20),
        send_buffer_bytes: Some(16 << 20),
        scheduler: Some("fill".to_owned()),
        paths,
        ..Transfer::default()
    }
}

fn control(name: &str) -> Control {
    Control { name: name.to_owned(), tells_losses_apart: name != "reno" }
}

fn uneven() -> [Alone; 2] {
    [alone("wifi", 48.0), alone("lte", 9.5)]
}

fn judged(run: &Transfer, alone: &[Alone]) -> Diagnosis {
    let verdict = judge(run, alone, Remedy::to_string);
    assert!(!verdict.advice.is_empty());
    verdict
}

#[test]
fn the_sum_of_all_links_is_limited_by_nothing() {
    let verdict = judged(&run(vec![path("wifi", 47.0), path("lte", 9.2)]), &uneven());
    assert_eq!(verdict.limited_by, "nothing");
    assert_eq!((verdict.best_alone_bps, verdict.sum_alone_bps), (Some(48e6), Some(57.5e6)));
    assert!(verdict.share_of_sum.is_some_and(|share| (share - 56.2 / 57.5).abs() < 1e-9));
}

/// Without tests of each path alone, standing queues show that the links are full.
#[test]
fn full_queues_say_that_the_links_are_full_where_no_path_was_measured_alone() {
    let share = |path: PathSeen, share| PathSeen { share, ..path };
    let queued = |name: &str, mbps, part| PathSeen { min_rtt_s: Some(0.02), ..share(path(name, mbps), part) };
    let full = [queued("wifi", 47.0, 0.84), queued("lte", 9.2, 0.16)];
    let verdict = judged(&run(full.to_vec()), &[]);
    assert_eq!(verdict.limited_by, "nothing");
    assert!(verdict.advice.contains("each path alone"), "{}", verdict.advice);
    let empty = PathSeen { min_rtt_s: Some(0.039), ..full[1].clone() };
    let verdict = judged(&run(vec![full[0].clone(), empty]), &[]);
    assert_eq!(verdict.limited_by, "congestion window");
    assert!(verdict.advice.contains("lost nothing"), "{}", verdict.advice);
    let spare = share(PathSeen { min_rtt_s: Some(0.04), ..path("third", 0.0) }, 0.0);
    assert_eq!(judged(&run(vec![full[0].clone(), full[1].clone(), spare]), &[]).limited_by, "nothing");
    let starved = PathSeen { cwnd_limited_s: 5.0, ..full[0].clone() };
    let starved = PathSeen { app_limited_s: 5.0, ..starved };
    assert_ne!(judged(&run(vec![starved]), &[]).limited_by, "nothing");
}

/// A path of 20 Mbit/s that loses one packet in a hundred: its window is full, its queue is empty.
fn lossy(name: &str, mbps: f64) -> PathSeen {
    let path = path(name, mbps);
    PathSeen {
        min_rtt_s: Some(0.0404),
        mean_rtt_s: Some(0.0419),
        mean_cwnd_bytes: mbps * 1e6 / 8.0 * 0.0419,
        share: 0.5,
        ..resent(path.sent_packets / 100, path)
    }
}

#[test]
fn losses_that_hold_windows_of_empty_queues_are_named_with_the_rate_that_they_allow() {
    let both = run(vec![lossy("wifi", 3.6), lossy("lte", 3.8)]);
    for alone in [&[alone("wifi", 3.9), alone("lte", 3.0)][..], &[]] {
        let verdict = judged(&both, alone);
        assert_eq!(verdict.limited_by, "losses", "as much as each alone is not full: {alone:?}");
        for said in ["wifi lost about 1.0 %", "window of 18.9 kB allows 3.60 Mbit/s", "; lte lost about"] {
            assert!(verdict.advice.contains(said), "{said}: {}", verdict.advice);
        }
        assert!(verdict.advice.contains("congestion_control = \"westwood\""), "{}", verdict.advice);
    }
    let queued = |path: PathSeen| PathSeen { mean_rtt_s: Some(0.06), ..path };
    let full = run(vec![queued(lossy("wifi", 18.0)), queued(lossy("lte", 7.6))]);
    assert_eq!(judged(&full, &[]).limited_by, "nothing", "losses of full queues");
    let one = run(vec![queued(lossy("wifi", 18.0)), lossy("lte", 3.8)]);
    assert_eq!(judged(&one, &[]).limited_by, "losses");
    assert!(!judged(&one, &[]).advice.contains("wifi"), "a full link needs nothing");
}

#[test]
fn losses_hold_no_window_that_is_not_full_or_that_follows_a_model() {
    let idle = |path: PathSeen| PathSeen { app_limited_s: 20.0, ..path };
    let offered = Transfer { offered_bps: Some(7e6), ..run(vec![idle(lossy("wifi", 3.6))]) };
    assert_eq!(judged(&offered, &[]).limited_by, "application");
    let few = resent(2, lossy("wifi", 3.6));
    assert_eq!(judged(&run(vec![few]), &[]).limited_by, "congestion window");
    let bbr = Transfer { control: Some(control("bbr")), ..run(vec![lossy("wifi", 18.3)]) };
    let verdict = judged(&bbr, &[]);
    assert_eq!(verdict.limited_by, "nothing", "it sends what the link delivers, and leaves no queue");
    assert!(!verdict.advice.contains("congestion_control"), "it is set: {}", verdict.advice);
    assert_eq!(judged(&bbr, &[alone("wifi", 40.0)]).limited_by, "congestion window", "alone it carries more");
}

#[test]
fn a_transfer_is_told_of_losses_without_a_queue_and_of_nothing_else() {
    let told = |path: PathSeen, control| {
        losses::advice(&losses::held_by_losses(&[path], Some(&self::control(control))), Remedy::to_string)
    };
    let said = told(lossy("wifi", 3.6), "reno").expect("losses hold it");
    assert!(said.contains("wifi lost about 1.0 %") && said.contains("westwood"), "{said}");
    assert_eq!([told(lossy("wifi", 3.6), "bbr"), told(lossy("wifi", 3.6), "westwood")], [None, None]);
    assert_eq!(told(PathSeen { mean_rtt_s: Some(0.08), ..lossy("wifi", 18.0) }, "reno"), None);
    assert_eq!(told(PathSeen { min_rtt_s: None, ..lossy("wifi", 18.0) }, "reno"), None, "not known");
    assert_eq!(told(path("wifi", 18.0), "reno"), None);
}

/// A slow path's round trip includes its own packets: two that wait are not a queue, whatever part of the round trip
/// they are.
#[test]
fn a_train_that_waits_for_a_slow_line_is_no_queue() {
    let slow = resent(5, lossy("lte", 0.3));
    let slow = PathSeen { mean_rtt_s: Some(0.1), min_rtt_s: Some(0.05), ..slow };
    assert_eq!(judged(&run(vec![slow.clone()]), &[]).limited_by, "losses");
    let deep = PathSeen { mean_rtt_s: Some(0.5), ..slow };
    assert_eq!(judged(&run(vec![deep]), &[]).limited_by, "nothing");
}

#[test]
fn a_path_that_is_dead_alone_is_named_and_adds_nothing_to_the_sum() {
    let verdict =
        judged(&run(vec![path("wifi", 47.0), path("lte", 0.0)]), &[alone("wifi", 48.0), alone("lte", 0.0)]);
    assert_eq!((verdict.limited_by, verdict.sum_alone_bps), ("outage", Some(48e6)));
    assert!(verdict.advice.starts_with("lte carried nothing, not even alone"), "{}", verdict.advice);
}

#[test]
fn more_than_the_sum_says_that_alone_the_paths_had_too_little_time() {
    let verdict = judged(&run(vec![path("wifi", 54.0), path("lte", 9.2)]), &uneven());
    assert_eq!(verdict.limited_by, "nothing");
    assert!(verdict.advice.contains("for 30 s"), "{}", verdict.advice);
}

#[test]
fn a_small_receive_buffer_is_named_with_the_size_that_is_needed() {
    let blocked =
        |name: &str, mbps| PathSeen { cwnd_limited_s: 6.0, rwnd_limited_s: 4.0, ..path(name, mbps) };
    let slow = PathSeen { mean_rtt_s: Some(0.12), ..blocked("lte", 1.0) };
    let small = Transfer { receive_buffer_bytes: Some(64 << 10), ..run(vec![blocked("wifi", 2.0), slow]) };
    let verdict = judged(&small, &uneven());
    assert_eq!(verdict.limited_by, "receive buffer");
    // 2 × 57.5 Mbit/s × 120 ms = 1.7 MB.
    assert!(verdict.advice.contains("receive_buffer = \"2 MiB\""), "{}", verdict.advice);
    assert!(verdict.advice.contains("buffer of 64 KiB is too small"), "{}", verdict.advice);
    assert!(verdict.advice.contains("do not use lte: wifi alone carries 48.0 Mbit/s"), "{}", verdict.advice);
    // The scheduler that needs the least buffer.
    assert!(verdict.advice.contains("scheduler = \"in-order-arrival\""), "{}", verdict.advice);
    let verdict = judged(&Transfer { scheduler: Some("in-order-arrival".to_owned()), ..small }, &uneven());
    assert!(!verdict.advice.contains("scheduler = "), "{}", verdict.advice);
    assert!(verdict.advice.contains("which is set"), "{}", verdict.advice);
}

#[test]
fn a_receive_buffer_that_is_full_and_large_enough_waits_for_lost_packets() {
    let blocked = |name: &str, mbps| PathSeen { rwnd_limited_s: 3.0, ..path(name, mbps) };
    let verdict = judged(&run(vec![blocked("wifi", 44.0), blocked("lte", 8.0)]), &uneven());
    assert_eq!(verdict.limited_by, "receive buffer");
    assert!(verdict.advice.contains("scheduler = \"in-order-arrival\""), "{}", verdict.advice);
    assert!(verdict.advice.contains("receive_buffer = \"32 MiB\""), "{}", verdict.advice);
    assert!(!verdict.advice.contains("leave out"), "it does no harm: {}", verdict.advice);
}

#[test]
fn a_path_that_was_cut_is_named_with_how_long() {
    let cut = PathSeen { down_s: 6.0, cwnd_limited_s: 4.0, is_active: false, ..path("wifi", 19.0) };
    let verdict = judged(&run(vec![cut, path("lte", 9.4)]), &uneven());
    assert_eq!(verdict.limited_by, "outage");
    assert!(
        verdict.advice.starts_with("wifi carried nothing for 6.0 s (60 % of the test), and is still down")
    );
}

#[test]
fn a_path_that_was_verified_a_little_late_does_not_count_as_an_outage() {
    let late = PathSeen { down_s: 0.1, cwnd_limited_s: 9.9, ..resent(90, path("lte", 5.0)) };
    let verdict = judged(&run(vec![path("wifi", 47.0), late]), &uneven());
    assert_eq!(verdict.limited_by, "congestion window");
    assert!(verdict.advice.contains("lte carried 5.00 Mbit/s of the 9.50 Mbit/s"), "{}", verdict.advice);
}

#[test]
fn a_rate_that_was_kept_is_the_applications_limit() {
    let idle = |name: &str, mbps| PathSeen { app_limited_s: 9.0, cwnd_limited_s: 1.0, ..path(name, mbps) };
    let offered = Transfer { offered_bps: Some(10e6), ..run(vec![idle("wifi", 8.0), idle("lte", 2.0)]) };
    let verdict = judged(&offered, &[]);
    assert_eq!((verdict.limited_by, verdict.share_of_sum), ("application", None));
    assert!(verdict.advice.contains("set no rate"), "{}", verdict.advice);
    let too_much = Transfer { offered_bps: Some(100e6), unsent_messages: 9, ..run(vec![path("wifi", 40.0)]) };
    assert_eq!(judged(&too_much, &[]).limited_by, "congestion window");
    let idle_at_first = PathSeen { app_limited_s: 1.0, cwnd_limited_s: 9.0, ..path("wifi", 33.0) };
    let late = Transfer { offered_bps: Some(42e6), ..run(vec![idle_at_first]) };
    assert_eq!(judged(&late, &[]).limited_by, "congestion window", "a larger send buffer helps nothing");
}

#[test]
fn paths_that_run_dry_want_a_larger_send_buffer_unless_a_core_is_full() {
    let dry = |name: &str, mbps| PathSeen { app_limited_s: 5.0, cwnd_limited_s: 5.0, ..path(name, mbps) };
    let small =
        Transfer { send_buffer_bytes: Some(64 << 10), ..run(vec![dry("wifi", 20.0), dry("lte", 5.0)]) };
    let verdict = judged(&small, &uneven());
    assert_eq!(verdict.limited_by, "send buffer");
    assert!(verdict.advice.contains("send_buffer = \"1 MiB\""), "{}", verdict.advice);
    let busy = Transfer { cpu_share: 1.1, ..small };
    assert_eq!(judged(&busy, &uneven()).limited_by, "processor");
}

#[test]
fn a_scheduler_that_leaves_a_path_unused_is_named_with_one_that_does_not() {
    let unused = PathSeen { scheduler_limited_s: 10.0, cwnd_limited_s: 0.0, ..path("wifi", 0.0) };
    for (set, advised) in [("primary", "fill"), ("fill", "round-robin"), ("mine", "fill")] {
        let scheduler = Some(set.to_owned());
        let run = Transfer { scheduler, ..run(vec![unused.clone(), path("lte", 9.4)]) };
        let verdict = judged(&run, &uneven());
        assert_eq!(verdict.limited_by, "scheduler");
        assert!(verdict.advice.contains(&format!("{set} left room on wifi")), "{}", verdict.advice);
        assert!(verdict.advice.contains(&format!("scheduler = \"{advised}\"")), "{}", verdict.advice);
    }
}

#[test]
fn two_ways_to_one_link_carry_what_one_does() {
    let lossy = |name: &str, mbps| resent(50, path(name, mbps));
    let both = [alone("eth0", 94.0), alone("eth1", 93.0)];
    let verdict = judged(&run(vec![lossy("eth0", 48.0), lossy("eth1", 44.0)]), &both);
    assert_eq!(verdict.limited_by, "shared link");
    // A window limited by losses does not show a full link, which would have a queue.
    let [wifi, lte] = ["wifi", "lte"].map(|name| self::lossy(name, 2.6));
    let both = [alone("wifi", 5.2), alone("lte", 3.1)];
    assert_eq!(judged(&run(vec![wifi, lte]), &both).limited_by, "losses");
}

#[test]
fn a_window_that_never_lost_anything_was_still_growing() {
    let verdict = judged(&run(vec![path("wifi", 22.0), path("lte", 9.0)]), &uneven());
    assert_eq!(verdict.limited_by, "congestion window");
    assert!(
        verdict.advice.contains("still growing") && verdict.advice.contains("for 30 s"),
        "{}",
        verdict.advice
    );
    let mut lossy = resent(400, path("wifi", 22.0));
    lossy.timeouts = 2;
    let verdict = judged(&run(vec![lossy, path("lte", 9.0)]), &uneven());
    assert!(verdict.advice.contains("losses of about 2.1 % and 2 time-outs"), "{}", verdict.advice);
}

#[test]
fn a_path_that_did_not_work_alone_and_no_path_at_all_are_judged_without_panic() {
    let dead = [alone("wifi", 48.0), Alone { name: "lte".to_owned(), ..Alone::default() }];
    let verdict = judged(&run(vec![path("wifi", 47.5), path("lte", 0.0)]), &dead);
    assert_eq!(verdict.limited_by, "outage");
    let nothing = judge(&Transfer::default(), &[], Remedy::to_string);
    assert_eq!((nothing.limited_by, nothing.share_of_sum), ("congestion window", None));
    assert_eq!(judge(&Transfer::default(), &[Alone::default()], Remedy::to_string).share_of_sum, None);
}
