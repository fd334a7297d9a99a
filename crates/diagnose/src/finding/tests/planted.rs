//! Each cause alone, as a measurement or a transfer shows it.

use super::*;

fn first(evidence: &Evidence) -> Finding {
    findings(evidence).into_iter().next().expect("a finding")
}

/// The first finding is `cause`, and says each of `parts`.
fn assert_named(evidence: &Evidence, cause: Cause, parts: &[&str]) {
    let finding = first(evidence);
    let text = finding.text(Remedy::to_string);
    assert_eq!(finding.cause, cause, "{text}");
    parts.iter().for_each(|part| assert!(text.contains(part), "{part}: {text}"));
}

fn reno() -> Evidence {
    Evidence { here: limits("reno"), there: limits("reno"), ..measured() }
}

#[test]
fn two_good_links_have_no_finding() {
    assert_eq!(findings(&measured()), []);
    let full = transfer(vec![path("wlan0", 18.3), path("wwan0", 9.1)]);
    assert_eq!(findings(&Evidence { forward: Some(full.clone()), ..measured() }), []);
    assert_eq!(findings(&Evidence { forward: Some(full), ..Evidence::default() }), []);
    assert_eq!(findings(&Evidence::default()), []);
}

#[test]
fn losses_below_the_knee_are_named_with_what_a_halving_window_carries() {
    let mut lossy = reno();
    lossy.links[0].forward.chance_loss =
        Some(Estimated { value: 0.012, low: 0.009, high: 0.016, samples: 3_000 });
    let parts = ["wlan0 loses 1.2 % with an empty queue", "carries 3.0", "of 18.6 Mbit/s", "westwood"];
    assert_named(&lossy, Cause::ChanceLoss, &parts);
    // In runs of ten, they halve the window a tenth as often.
    let single = first(&lossy).cost_bps.expect("a cost");
    let runs = LossRuns { good_to_bad: about(0.001), bad_to_good: about(0.1), spacing_s: 0.001 };
    lossy.links[0].forward.loss_runs = Some(runs);
    assert!(first(&lossy).cost_bps.expect("a cost") < single * 0.8);
    // A control that tells losses apart is judged by what it carried.
    let mut apart = Evidence { here: limits("westwood"), ..lossy };
    assert_eq!(findings(&apart), []);
    apart.forward = Some(transfer(vec![path("wlan0", 9.0), path("wwan0", 9.1)]));
    assert_named(&apart, Cause::ChanceLoss, &["carried 9.00 Mbit/s of 18.6 Mbit/s", "bbr"]);
    apart.forward = Some(transfer(vec![path("wlan0", 18.0), path("wwan0", 9.1)]));
    assert_eq!(findings(&apart), [], "a transfer that misses nothing refutes it");
}

#[test]
fn queues_that_are_deep_shallow_or_none_are_told_apart() {
    let with = |depth_s: f64, is_policer, evidence: Evidence| {
        let mut evidence = evidence;
        let depth_bytes = about(20e6 / 8.0 * depth_s);
        let queue = Queue { depth_s: about(depth_s), depth_bytes, is_at_least: false, is_policer };
        evidence.links[0].forward.queue = Some(queue);
        evidence
    };
    assert_named(&with(1.2, false, measured()), Cause::DeepQueue, &["wlan0 queues 1.2 s", "bbr"]);
    assert_named(&with(0.003, false, reno()), Cause::ShallowQueue, &["only 3.0 ms (5 packets)", "bbr"]);
    assert_eq!(findings(&with(0.003, false, measured())), [], "this control does not halve");
    let resent = PathSeen { retransmitted_chunks: 200, ..path("wlan0", 12.0) };
    let forward = Some(transfer(vec![resent, path("wwan0", 9.1)]));
    let seen = Evidence { forward, ..with(0.003, false, measured()) };
    assert_named(&seen, Cause::ShallowQueue, &["carries 12.0 Mbit/s of 18.6 Mbit/s"]);
    assert_named(&with(0.01, true, measured()), Cause::Policer, &["drops what exceeds 18.6 Mbit/s"]);
    assert_named(&with(0.01, true, reno()), Cause::Policer, &["a policer"]);
    let forward = Some(transfer(vec![path("wlan0", 18.5), path("wwan0", 9.1)]));
    let seen = Evidence { forward, ..with(0.01, true, measured()) };
    assert_named(&seen, Cause::Policer, &["a policer"]);
}

#[test]
fn small_buffers_are_named_with_their_end_and_the_size_that_is_needed() {
    let mut small = measured();
    small.there.receive_buffer_bytes = Some(64 << 10);
    let parts =
        ["receive buffer (64 KiB) of the other end", "receive_buffer = \"512 KiB\"", "at the other end"];
    assert_named(&small, Cause::SmallReceiveBuffer, &parts);
    let mut small = measured();
    small.here.send_buffer_bytes = Some(64 << 10);
    assert_named(&small, Cause::SmallSendBuffer, &["send buffer (64 KiB) of this end", "512 KiB"]);
    let blocked =
        |name: &str, mbps| PathSeen { rwnd_limited_s: 6.0, cwnd_limited_s: 4.0, ..path(name, mbps) };
    let seen = Evidence {
        forward: Some(Transfer {
            receive_buffer_bytes: Some(64 << 10),
            ..transfer(vec![blocked("wlan0", 5.0), blocked("wwan0", 4.0)])
        }),
        ..Evidence::default()
    };
    assert_named(&seen, Cause::SmallReceiveBuffer, &["64 KiB", "receive_buffer"]);
}

#[test]
fn paths_that_ran_dry_blame_the_buffer_if_it_was_full_and_the_disk_otherwise() {
    let dry = |name: &str, mbps| PathSeen { app_limited_s: 5.0, cwnd_limited_s: 5.0, ..path(name, mbps) };
    let files = Transfer { is_of_files: true, ..transfer(vec![dry("wlan0", 9.0), dry("wwan0", 5.0)]) };
    let seen = |forward| Evidence { forward: Some(forward), ..Evidence::default() };
    assert_named(&seen(files.clone()), Cause::SlowDisk, &["waited for files", "50.0 % of the time"]);
    let full = Transfer { send_buffer_bytes: Some(128 << 10), ..files.clone() };
    assert_named(&seen(full), Cause::SmallSendBuffer, &["128 KiB"]);
    assert_named(&seen(Transfer { cpu_share: 1.1, ..files }), Cause::SlowProcessor, &["1.1 of its cores"]);
}

#[test]
fn links_that_are_one_are_named_by_what_joins_them() {
    let mut shared = measured();
    shared.links[0].shares_forward = vec!["wwan0".to_owned()];
    shared.links[1].shares_forward = vec!["wlan0".to_owned()];
    assert_named(&shared, Cause::SharedLink, &["wlan0 and wwan0 share a link on the way there"]);
    assert_eq!(findings(&shared).len(), 1);
    shared.lanes[1].carried_by = Some("wlan0".to_owned());
    assert_named(&shared, Cause::OneInterface, &["wlan0 and wwan0 both leave by the interface wlan0"]);
    assert_eq!(findings(&shared).len(), 1, "the interface explains the shared link");
}

#[test]
fn single_paths_are_named_with_what_is_wrong_with_them() {
    let mut dead = measured();
    dead.links[1] = LinkEstimate {
        status: LinkStatus::Dead,
        ..LinkEstimate { name: "wwan0".into(), ..LinkEstimate::default() }
    };
    assert_named(&dead, Cause::DeadPath, &["wwan0 carries nothing"]);
    let mut hole = measured();
    (hole.links[0].mtu_bytes, hole.links[0].mtu_hole_bytes) = (Some(1_400), Some(1_500));
    let parts = ["packets of 1500 bytes vanish on wlan0 on the way there", "mtu = \"1400 B\""];
    assert_named(&hole, Cause::MtuHole, &parts);
    hole.links[0].mtu_hole_reverse_bytes = Some(1_452);
    let both: Vec<_> = findings(&hole).iter().map(|finding| (finding.direction, finding.place)).collect();
    let (there, back) = ((Direction::Forward, Place::Here), (Direction::Reverse, Place::There));
    assert_eq!(both, [there, back].map(|(direction, place)| (Some(direction), Some(place))));
    hole.links[0].mtu_hole_bytes = None;
    let parts = ["packets of 1452 bytes vanish on wlan0 on the way back", "at the other end"];
    assert_named(&hole, Cause::MtuHole, &parts);
    let mut used = measured();
    used.lanes[0].others_bps = Some(6e6);
    assert_named(&used, Cause::OtherTraffic, &["other programs moved 6.00 Mbit/s over wlan0"]);
    let mut busy = measured();
    busy.lanes.iter_mut().for_each(|lane| lane.others_there_bps = Some(6e6));
    assert_named(&busy, Cause::OtherTraffic, &["others moved 6.00 Mbit/s over eth0 of the other end"]);
    let found = findings(&busy);
    assert_eq!((found.len(), &found[0].links, found[0].cost_bps), (1, &Vec::new(), None));
    busy.lanes[1].interface_there = Some("eth1".to_owned());
    busy.lanes[1].others_there_bps = Some(0.0);
    assert_eq!(findings(&busy)[0].links, ["wlan0"], "one interface a link");
    busy.lanes[0].interface_there = None;
    assert_eq!(findings(&busy), [], "an unknown interface accuses no one");
    let mut varies = measured();
    varies.links[0].forward.rate_steps =
        Some((0..20).map(|n| (f64::from(n), if n % 10 < 5 { 27e6 } else { 11e6 })).collect());
    assert_named(&varies, Cause::VaryingRate, &["varies from 11.0 Mbit/s to 27.0 Mbit/s"]);
    let mut starved = measured();
    starved.links[0].reverse.rate_bps = Some(about(0.25e6));
    assert_named(
        &starved,
        Cause::StarvedAcknowledgements,
        &["carries 250 kbit/s", "sack.every = \"11\"", "other end"],
    );
}

#[test]
fn a_translator_that_forgets_is_named_with_a_shorter_period_of_heartbeats() {
    let mut forgets = measured();
    forgets.lanes[1].forgot_within_s = Some(25.0);
    let advised = |heartbeat_s: Option<f64>, evidence: &Evidence| {
        let here = Limits { heartbeat_s, ..evidence.here.clone() };
        first(&Evidence { here, ..evidence.clone() }).text(Remedy::to_string)
    };
    let parts =
        ["before wwan0 forgets a silent path within 25 s", "each 40 s", "failover.heartbeat = \"10 s\""];
    let text = advised(Some(40.0), &forgets);
    parts.iter().for_each(|part| assert!(text.contains(part), "{part}: {text}"));
    assert!(advised(Some(15.0), &forgets).contains("\"7 s\""));
    assert!(advised(None, &forgets).contains("this end sends no heartbeats"));
    assert_eq!(findings(&forgets), [], "heartbeats each second keep every translator awake");
    forgets.here.heartbeat_s = Some(40.0);
    assert_named(&forgets, Cause::ForgetfulNat, &["the translator (NAT)"]);
    forgets.links[1].status = LinkStatus::Dead;
    assert_named(&forgets, Cause::DeadPath, &["wwan0"]);
    assert_eq!(findings(&forgets).len(), 1, "a path that never works is not forgotten");
}

#[test]
fn ends_that_are_too_slow_are_named_before_what_they_disturb() {
    for slow in [
        Limits { lateness_s: Some(0.08), ..limits("westwood") },
        Limits { processor_share: Some(0.99), ..limits("westwood") },
        Limits { least_sent_share: Some(0.4), ..limits("westwood") },
    ] {
        let mut evidence = Evidence { there: slow, ..measured() };
        assert_named(&evidence, Cause::SlowProcessor, &["the other end is too slow"]);
        evidence.links[0].status = LinkStatus::TooLate;
        evidence.links[1].status = LinkStatus::Dead;
        assert_named(&evidence, Cause::SlowProcessor, &["the other end is too slow"]);
    }
    let mut drops = reno();
    drops.there.socket_drops = Some(2_000);
    assert_named(&drops, Cause::SocketDrops, &["dropped 2000 datagrams", "net.core.rmem_max"]);
}

#[test]
fn an_end_that_writes_slower_than_the_bond_carries_is_named() {
    let slow = || Limits { disk_write_bps: Some(8e6), ..limits("westwood") };
    let mut evidence = Evidence { there: slow(), ..measured() };
    // 30 Mbit/s of links carry 27.9 Mbit/s of data.
    let parts =
        ["the other end writes files at 1.0 MB/s to its disk", "carries 3.5 MB/s", "at the other end"];
    assert_named(&evidence, Cause::SlowDisk, &parts);
    assert!((first(&evidence).cost_bps.expect("a cost") - 19.9e6).abs() < 1e3);
    evidence.forward = Some(transfer(vec![path("wlan0", 14.0), path("wwan0", 6.0)]));
    let found = findings(&evidence);
    let disk = found.iter().find(|finding| finding.cause == Cause::SlowDisk).expect("a finding");
    assert_eq!((disk.direction, disk.cost_bps), (Some(Direction::Forward), Some(12e6)));
    let both = Evidence { here: slow(), there: slow(), ..measured() };
    let places: Vec<_> = findings(&both).iter().map(|finding| finding.place).collect();
    assert_eq!(places, [Some(Place::There), Some(Place::Here)], "each end has its disk");
    for rate in [None, Some(f64::NAN), Some(28e6)] {
        let there = Limits { disk_write_bps: rate, ..limits("westwood") };
        assert_eq!(findings(&Evidence { there, ..measured() }), [], "{rate:?}");
    }
}

#[test]
fn a_transfer_alone_shows_outages_schedulers_and_losses() {
    let seen = |transfer: Transfer| Evidence { forward: Some(transfer), ..Evidence::default() };
    let down = PathSeen { down_s: 6.0, cwnd_limited_s: 4.0, is_active: false, ..path("wlan0", 8.0) };
    assert_named(
        &seen(transfer(vec![down, path("wwan0", 9.0)])),
        Cause::DeadPath,
        &["wlan0 carried nothing for 6.0 s (60 % of the time) and is still down"],
    );
    let idle = PathSeen { scheduler_limited_s: 8.0, cwnd_limited_s: 2.0, ..path("wlan0", 4.0) };
    assert_named(
        &seen(transfer(vec![idle, path("wwan0", 9.0)])),
        Cause::Scheduler,
        &["in-order-arrival left room on wlan0", "scheduler = \"fill\""],
    );
    let lossy = PathSeen {
        retransmitted_chunks: 33,
        min_rtt_s: Some(0.0404),
        mean_rtt_s: Some(0.0419),
        mean_cwnd_bytes: 18_900.0,
        ..path("wlan0", 3.6)
    };
    let lossy = Transfer { control: Some(control("reno")), ..transfer(vec![lossy, path("wwan0", 9.0)]) };
    assert_named(&seen(lossy), Cause::ChanceLoss, &["wlan0 lost about 1.0 %", "allows 3.6", "westwood"]);
    let slow = Transfer { offered_bps: Some(1e6), ..transfer(vec![path("wlan0", 1.0)]) };
    assert_eq!(findings(&seen(slow)), [], "it was asked for no more");
}

#[test]
fn a_promise_replaces_the_value_and_a_remedy_that_brings_nothing_goes() {
    let mut lossy = reno();
    lossy.links[0].forward.chance_loss =
        Some(Estimated { value: 0.012, low: 0.009, high: 0.016, samples: 3_000 });
    let promise = |value: &str, gain: f64| Promise {
        set: format!("--set sctp.congestion_control={value}"),
        goodput_bps: Estimated { value: 17.8e6, low: 17.4e6, high: 18.2e6, samples: 8 },
        gain_bps: Estimated { value: gain, low: gain - 1e5, high: gain + 1e5, samples: 8 },
        echo_change_s: None,
    };
    let found =
        with_promises(findings(&lossy), &[promise("cubic", 2e6), promise("bbr", 9e6), promise("lia", -1e6)]);
    let text = found[0].text(Remedy::to_string);
    assert!(text.ends_with(": `congestion_control = \"bbr\"`, simulated 17.8 ± 0.40 Mbit/s"), "{text}");
    let found = with_promises(findings(&lossy), &[promise("bbr", -1e5)]);
    assert_eq!((&found[0].remedy, &found[0].promise), (&None, &None));
    let other = Promise { set: "--set sctp.mtu=1400B".to_owned(), ..promise("bbr", 1e6) };
    assert_eq!(with_promises(findings(&lossy), &[other]), findings(&lossy));
}
