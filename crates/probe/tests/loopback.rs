//! A light measurement over real sockets, on two paths of the loopback interface.

use anabranch_base::Duration;
use anabranch_diagnose::recording::{Purpose, Recording};
use anabranch_net::{Config, Endpoint, Key, Options, Security};
use anabranch_probe::{
    Host, Limits, Phase, Plan, ProbeError, Progress, fall_silent, is_hello, is_quiet, measure, respond,
};

fn options(key: &Key, accepts: bool, test_packets: bool) -> Options {
    let local = ["127.0.0.1:0", "127.0.0.2:0"].map(|address| address.parse().expect("an address")).to_vec();
    let config = Config { test_packets, ..Config::tuned_2() };
    Options { local, accepts, config, ..Options::with(Security::Sealed(key.clone())) }
}

/// The results of both ends, and the progress.
async fn measured(
    limits: Limits,
    test_packets: bool,
) -> (Result<Recording, ProbeError>, Result<(), ProbeError>, Vec<Progress>) {
    let key = Key::fresh().expect("a key");
    let server = Endpoint::bind(options(&key, true, test_packets)).expect("sockets");
    let client = Endpoint::bind(options(&key, false, test_packets)).expect("sockets");
    let addresses = server.local_addresses();
    let serving = tokio::spawn(async move {
        let association = server.accept().await.expect("a client");
        let first = association.recv().await.map_err(ProbeError::Closed)?;
        assert!(is_hello(first.ppid, &first.clone().into_bytes()));
        let result = respond(&server, &association, &first.into_bytes(), &limits, &Host::default()).await;
        association.closed().await;
        result
    });
    let association = client.connect(&addresses).await.expect("an answer");
    let mut progress = Vec::new();
    let plan = Plan { is_light: true, host: Host::default() };
    let result = measure(&client, &association, &plan, |step| progress.push(step)).await;
    match &result {
        Ok(_) => association.close().await.expect("a close"),
        Err(error) => association.abort(&error.to_string()),
    }
    (result, serving.await.expect("no panic"), progress)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_paths_are_measured_over_real_sockets() {
    let (recording, served, progress) = measured(Limits::default(), true).await;
    assert_eq!(served, Ok(()));
    let recording = recording.expect("a recording");
    assert_eq!(recording.lanes.len(), 2);
    for lane in &recording.lanes {
        assert!(!lane.is_dead && lane.name.starts_with("127.0.0."), "{}", lane.name);
        for sizes in [&lane.sizes, &lane.sizes_reverse] {
            assert!(sizes.iter().any(|size| size.size.get() == 1_500 && size.arrived > 0), "{sizes:?}");
        }
        assert!(lane.mtu_there.get() >= 1_200, "{}", lane.mtu_there);
        for flights in [&lane.forward, &lane.reverse] {
            let rest =
                flights.iter().find(|flight| flight.purpose == Purpose::Rest).expect("a flight at rest");
            let arrived = rest.packets.iter().filter(|packet| packet.arrived.is_some()).count();
            assert!(
                rest.packets.len() > 50 && arrived * 10 > rest.packets.len() * 9,
                "{arrived} of {}",
                rest.packets.len()
            );
            assert!(flights.iter().any(|flight| flight.purpose == Purpose::Fill));
        }
        let least = lane.round_trips.iter().map(|trip| trip.took).min().expect("round trips");
        assert!(least.as_secs_f64() < 0.02, "{least}");
        if cfg!(target_os = "linux") {
            assert_eq!(lane.carried_by.as_deref(), Some("lo"));
        }
    }
    assert!(!recording.there.socket_receive_buffer.is_zero() && recording.here.processor_share > 0.0);
    assert!(!recording.here.lateness.is_zero());
    for end in [&recording.here, &recording.there] {
        assert_eq!((end.lanes.len(), end.disk_write), (2, None), "no end has a folder");
        let names = end.lanes.iter().map(|lane| lane.interface.as_deref());
        assert!(!cfg!(target_os = "linux") || names.clone().all(|name| name == Some("lo")));
    }
    assert_eq!(progress.last().map(|progress| progress.phase), Some(Phase::End));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silence_over_real_sockets_leaves_both_paths_open() {
    let key = Key::fresh().expect("a key");
    let server = Endpoint::bind(options(&key, true, true)).expect("sockets");
    let client = Endpoint::bind(options(&key, false, true)).expect("sockets");
    let addresses = server.local_addresses();
    let serving = tokio::spawn(async move {
        let association = server.accept().await.expect("a client");
        let first = association.recv().await.expect("a message");
        assert!(is_quiet(first.ppid, &first.clone().into_bytes()));
        let first = first.into_bytes();
        let result = respond(&server, &association, &first, &Limits::default(), &Host::default()).await;
        association.closed().await;
        result
    });
    let association = client.connect(&addresses).await.expect("an answer");
    let silent = fall_silent(&client, &association, Duration::from_secs(1)).await.expect("a silence");
    association.close().await.expect("a close");
    assert_eq!(serving.await.expect("no panic"), Ok(()));
    assert_eq!(silent.paths.len(), 2);
    for path in &silent.paths {
        assert!(path.local.starts_with("127.0.0."), "{}", path.local);
        assert!(path.heard.before > 5 && path.heard.is_forgotten() == Some(false), "{path:?}");
    }
}

#[tokio::test]
async fn without_test_packets_the_client_says_so() {
    let (recording, served, _) = measured(Limits::default(), false).await;
    assert_eq!(recording, Err(ProbeError::TestsOff));
    assert!(served.is_err());
}
