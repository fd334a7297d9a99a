//! The gains of changes on networks whose trouble is known.

// The budget is of wall-clock time, and the table is for who runs a test with --nocapture.
#![expect(clippy::disallowed_methods, clippy::print_stdout)]

use std::sync::LazyLock;
use std::time::Instant;

use anabranch_base::{ByteCount, Duration};
use anabranch_diagnose::{DirectionEstimate, Estimated, LinkEstimate, Queue};
use anabranch_sctp::config::Config;
use anabranch_twin::{Change, Effort, Observer, Twin, TwinChoices, WhatIfs, what_ifs};

static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

fn clock() -> Duration {
    Duration::from_nanos(u64::try_from(BEGIN.elapsed().as_nanos()).expect("a short test"))
}

fn exactly(value: f64) -> Estimated {
    Estimated { value, low: value, high: value, samples: 20 }
}

fn link(name: &str, megabits: f64, trip_s: f64, depth_s: f64, loss: f64) -> LinkEstimate {
    let direction = |loss| DirectionEstimate {
        rate_bps: Some(exactly(megabits * 1e6)),
        queue: Some(Queue {
            depth_s: exactly(depth_s),
            depth_bytes: exactly(depth_s * megabits * 1e6 / 8.0),
            is_at_least: false,
            is_policer: false,
        }),
        chance_loss: Some(exactly(loss)),
        ..DirectionEstimate::default()
    };
    LinkEstimate {
        name: name.to_owned(),
        round_trip_s: Some(exactly(trip_s)),
        mtu_bytes: Some(1500),
        forward: direction(loss),
        reverse: direction(0.0),
        ..LinkEstimate::default()
    }
}

fn tried(links: &[LinkEstimate], config: Config) -> WhatIfs {
    let twin = Twin::of(links, &TwinChoices::new(config)).expect("measured links");
    let observer =
        Observer { on_progress: &|share| assert!((0.0..=1.0).contains(&share)), is_cancelled: &|| false };
    let begin = Instant::now();
    let effort = Effort { budget: Duration::from_secs(60), ..Effort::new(clock) };
    let found = what_ifs(&twin, &effort, &observer).expect("it can be run").expect("there is time");
    println!(
        "{:.1} s, {} runs of {:.1} s, untried {:?}",
        begin.elapsed().as_secs_f64(),
        found.runs,
        found.time_s,
        found.untried
    );
    let echo = |echo: Option<Estimated>| echo.map_or(f64::NAN, |echo| echo.value * 1e3);
    let goodput = found.baseline.goodput_bps;
    println!("{:>8.2} Mbit/s {:>8.1} ms  as it is", goodput.value / 1e6, echo(found.baseline.echo_s));
    for change in &found.changes {
        let (gain, of) = (change.gain_bps, change.outcome);
        println!(
            "{:>8.2} Mbit/s {:>8.1} ms {:>+7.2} ({:+.2} to {:+.2}, {}) {} {}",
            of.goodput_bps.value / 1e6,
            echo(of.echo_s),
            gain.value / 1e6,
            gain.low / 1e6,
            gain.high / 1e6,
            gain.samples,
            if change.is_gain { "*" } else { " " },
            change.set
        );
    }
    found
}

#[test]
fn on_a_lossy_link_a_control_that_does_not_halve_is_first() {
    let config = Config { congestion_control: "reno".to_owned(), ..Config::tuned_2() };
    let found = tried(&[link("wwan0", 20.0, 0.04, 0.05, 0.012)], config);
    let best = &found.changes[0];
    let names = ["westwood", "bbr"].map(|name| Change::CongestionControl(name.to_owned()));
    assert!(names.contains(&best.change) && best.is_gain, "{best:?}");
    assert!(best.outcome.goodput_bps.value > 1.5 * found.baseline.goodput_bps.value);
}

#[test]
fn a_small_buffer_is_named() {
    let config =
        Config { receive_buffer: ByteCount::from_kib(64), receive_growth: None, ..Config::tuned_2() };
    let found = tried(&[link("eth0", 20.0, 0.08, 0.05, 0.0), link("eth1", 10.0, 0.06, 0.05, 0.0)], config);
    let best = &found.changes[0];
    assert!(best.is_gain, "{best:?}");
    assert_eq!(best.change, Change::ReceiveBuffer("2MiB".to_owned()));
}

#[test]
fn on_healthy_links_nothing_gains() {
    let found = tried(
        &[link("eth0", 20.0, 0.03, 0.06, 0.0), link("wwan0", 10.0, 0.05, 0.08, 0.0)],
        Config::tuned_2(),
    );
    assert!(found.untried.is_empty() && found.changes.len() > 10, "{:?}", found.untried);
    let gains: Vec<_> = found.changes.iter().filter(|change| change.is_gain).collect();
    assert!(gains.is_empty(), "{gains:?}");
    assert!(found.baseline.goodput_bps.value > 26e6, "{:?}", found.baseline);
    let left_out = Change::WithoutPath("wwan0".to_owned());
    let without = found.changes.iter().find(|change| change.change == left_out).expect("it is tried");
    assert!(without.gain_bps.high < -5e6, "{without:?}");
}

#[test]
fn a_link_that_is_said_to_be_endlessly_fast_takes_no_more_than_the_budget() {
    let twin = Twin::of(&[link("eth0", 1e9, 0.0, 2.0, 0.0)], &TwinChoices::new(Config::tuned_2()));
    let observer = Observer { on_progress: &|_| (), is_cancelled: &|| false };
    let begin = Instant::now();
    let effort = Effort { budget: Duration::from_secs(1), ..Effort::new(clock) };
    what_ifs(&twin.expect("a link"), &effort, &observer).expect("it can be run");
    assert!(begin.elapsed().as_secs_f64() < 10.0, "{:?}", begin.elapsed());
}

#[test]
fn cancelled_simulations_return_nothing() {
    let twin = Twin::of(&[link("eth0", 100.0, 0.03, 0.06, 0.0)], &TwinChoices::new(Config::tuned_2()));
    let observer = Observer { on_progress: &|_| (), is_cancelled: &|| true };
    let found = what_ifs(&twin.expect("a link"), &Effort::new(clock), &observer);
    assert_eq!(found.expect("it can be run"), None);
}
