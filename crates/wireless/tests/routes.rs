//! Dialogues of DSR: a line a frame.

mod field;

use anabranch_base::{ByteCount, Duration, Machine, Time};
use anabranch_link::fabric::{Crossing, Station};
use anabranch_link::{Fate, LossCause, Packet};
use anabranch_wireless::config::RadioConfig;
use anabranch_wireless::{FrameKind, FrameSeen, RoutingEvent};

use field::{Field, micros, seconds};

fn station(number: u16) -> Station {
    Station::new(number)
}

fn watched(stations: u64) -> Field {
    let mut field = Field::string(&RadioConfig::default(), stations, 1);
    field.mesh.watch();
    field
}

/// The frames that were on air, without RTS, CTS and ACK: sender, receiver and kind.
fn dialogue(field: &mut Field) -> Vec<String> {
    let line = |frame: &FrameSeen| {
        let to = frame.to.map_or("all".to_owned(), |to| to.index().to_string());
        format!("{} -> {to} {:?}", frame.from.index(), frame.kind)
    };
    field.mesh.take_seen().iter().filter(|frame| frame.kind.is_data()).map(line).collect()
}

#[test]
fn a_source_asks_the_target_answers_and_the_packet_follows_the_route() {
    let mut field = watched(4);
    field.send(0, 3, 544);
    field.run_until(seconds(1));
    let frames = field.mesh.take_seen();
    let data: Vec<&FrameSeen> = frames.iter().filter(|frame| frame.kind == FrameKind::Data).collect();
    assert_eq!(data[0].size, ByteCount::new(544 + 16 + 8 + 34), "two stations between the ends");
    let kinds: Vec<String> = frames
        .iter()
        .filter(|frame| frame.kind.is_data())
        .map(|frame| format!("{} {:?}", frame.from.index(), frame.kind))
        .collect();
    let expected = [
        "0 RouteRequest",
        "1 RouteRequest",
        "2 RouteRequest",
        "3 RouteReply",
        "2 RouteReply",
        "1 RouteReply",
        "0 Data",
        "1 Data",
        "2 Data",
    ];
    assert_eq!(kinds, expected);
    let events = field.mesh.take_routing();
    let route: Vec<Station> = (0..4).map(station).collect();
    assert!(matches!(&events[0], RoutingEvent::DiscoveryStarted { at: Time::ZERO, .. }));
    assert!(
        matches!(&events[1], RoutingEvent::RouteFound { route: found, .. } if *found == route),
        "{events:?}"
    );
    assert_eq!(field.arrived(Time::ZERO, seconds(1)), 1);
    assert_eq!(field.fates[0].0, data[2].end);
}

#[test]
fn the_way_back_is_known_without_another_search() {
    let mut field = watched(3);
    field.send(0, 2, 544);
    field.run_until(seconds(1));
    field.mesh.take_seen();
    field.send(2, 0, 68);
    field.run_until(field.now + Duration::from_millis(50));
    field.send(1, 2, 68);
    field.run_until(seconds(2));
    let lines = dialogue(&mut field);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines.iter().all(|line| line.ends_with("Data")));
}

#[test]
fn a_broken_link_is_reported_to_the_source_which_looks_for_a_new_route() {
    let mut field = watched(4);
    field.send(0, 3, 544);
    field.run_until(seconds(1));
    field.mesh.take_seen();
    field.mesh.vanish(field.now, station(3));
    field.send(0, 3, 544);
    field.run_until(seconds(2));
    let expected = ["0 -> 1 Data", "1 -> 2 Data", "2 -> 1 RouteError", "1 -> 0 RouteError"];
    assert_eq!(dialogue(&mut field), expected);
    assert_eq!(field.lost(LossCause::Retries), 1);
    let counters = field.mesh.counters(station(2));
    assert_eq!((counters.rts_failures, counters.retry_drops, counters.link_failures), (4, 1, 1));
    let broken = [2, 3].map(station);
    let events = field.mesh.take_routing();
    assert!(
        matches!(events.last(), Some(RoutingEvent::RouteError { broken: link, station: at, .. })
            if *link == broken && *at == station(0)),
        "{events:?}"
    );

    field.send(0, 3, 544);
    field.run_until(seconds(2) + Duration::from_millis(300));
    field.mesh.come_back(field.now, station(3));
    field.run_until(seconds(4));
    let lines = dialogue(&mut field);
    let expected = [
        "0 -> all RouteRequest",
        "1 -> all RouteRequest",
        "2 -> all RouteRequest",
        "0 -> all RouteRequest",
        "1 -> all RouteRequest",
        "2 -> all RouteRequest",
        "3 -> 2 RouteReply",
        "2 -> 1 RouteReply",
        "1 -> 0 RouteReply",
        "0 -> 1 Data",
        "1 -> 2 Data",
        "2 -> 3 Data",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn a_forwarder_that_fails_drops_what_waits_for_the_same_hop_and_reports_once() {
    let mut field = watched(3);
    field.send(0, 2, 544);
    field.run_until(seconds(1));
    field.mesh.take_seen();
    field.mesh.vanish(field.now, station(2));
    for _ in 0..10 {
        field.send(0, 2, 100);
    }
    field.run_until(seconds(3));
    let errors = field.mesh.counters(station(1)).sent(FrameKind::RouteError);
    let failures = field.mesh.counters(station(1)).link_failures;
    assert!(errors <= failures, "{errors} reports of {failures} failures");
    assert_eq!(field.lost(LossCause::Retries) as u64, failures);
    assert!(field.lost(LossCause::NoRoute) > 0);
    let lost = field.lost(LossCause::Retries) + field.lost(LossCause::NoRoute);
    assert_eq!(lost as u64 + field.mesh.held(), 10);
}

#[test]
fn the_source_keeps_what_it_could_not_send_until_the_link_is_back() {
    let mut field = watched(2);
    field.send(0, 1, 544);
    field.run_until(seconds(1));
    field.mesh.vanish(field.now, station(1));
    for _ in 0..5 {
        field.send(0, 1, 544);
    }
    field.run_until(seconds(3));
    assert_eq!(field.fates.len(), 1);
    assert_eq!(field.mesh.held(), 5);
    assert_eq!(field.mesh.counters(station(0)).link_failures, 1, "one failure takes all back");
    field.mesh.come_back(field.now, station(1));
    field.run_until(seconds(20));
    let order: Vec<u64> = field
        .fates
        .iter()
        .map(|(_, fate)| match fate {
            Fate::Arrived { packet, .. } | Fate::Lost { packet, .. } => packet.load,
        })
        .collect();
    assert_eq!((order, field.arrived(Time::ZERO, seconds(20))), (vec![0, 1, 2, 3, 4, 5], 6));
}

#[test]
fn a_search_repeats_after_half_a_second_doubled_up_to_ten_and_the_packet_is_lost_after_thirty() {
    let mut field = Field::new(&RadioConfig::default(), &[(0, 0), (5_000, 0)], 1);
    field.mesh.watch();
    field.send(0, 1, 544);
    field.run_until(seconds(100));
    let starts: Vec<u64> =
        field.mesh.take_seen().iter().map(|frame| frame.start.as_nanos() / 1_000_000).collect();
    let expected = [0, 500, 1_500, 3_500, 7_500, 15_500, 25_500];
    assert_eq!(starts.len(), expected.len(), "{starts:?}");
    assert!(
        starts.iter().zip(expected).all(|(start, time)| (time..=time + 10).contains(start)),
        "{starts:?}"
    );
    assert_ne!(starts, expected, "repeated requests have a jitter");
    assert_eq!(field.lost(LossCause::NoRoute), 1);
    assert_eq!(field.fates[0].0, seconds(30));
    assert_eq!(field.mesh.poll_timeout(), None, "the search ends with its packets");
}

#[test]
fn the_send_buffer_keeps_the_last_64_packets() {
    let mut field = Field::new(&RadioConfig::default(), &[(0, 0), (5_000, 0)], 1);
    for _ in 0..70 {
        field.send(0, 1, 544);
    }
    assert_eq!((field.lost(LossCause::NoRoute), field.mesh.held()), (6, 64));
    assert!(matches!(&field.fates[0].1, Fate::Lost { packet, .. } if packet.load == 0));
}

#[test]
fn of_two_routes_the_one_with_the_lower_numbers_is_fixed_and_carries_no_header() {
    let square = [(0, 0), (250, 0), (0, 250), (250, 250)];
    let mut field = Field::new(&RadioConfig { range: distance(260), ..RadioConfig::default() }, &square, 1);
    assert!(field.mesh.route_statically(station(0), station(3)));
    field.mesh.watch();
    field.send(0, 3, 544);
    field.send(3, 0, 544);
    field.run_until(seconds(1));
    let frames = field.mesh.take_seen();
    let data: Vec<&FrameSeen> = frames.iter().filter(|frame| frame.kind == FrameKind::Data).collect();
    assert!(data.iter().all(|frame| frame.size == ByteCount::new(544 + 42)));
    assert!(data.iter().all(|frame| frame.from == station(1) || frame.to == Some(station(1))));
    assert_eq!(field.arrived(Time::ZERO, seconds(1)), 2);

    let mut apart = Field::new(&RadioConfig::default(), &[(0, 0), (5_000, 0)], 1);
    assert!(!apart.mesh.route_statically(station(0), station(1)));
    assert!(!apart.mesh.route_statically(station(0), station(9)));
}

#[test]
fn strange_packets_have_a_fate_at_once() {
    let mut field = watched(2);
    for (from, to) in [(0, 7), (7, 0), (1, 1)] {
        let packet = Packet::new(ByteCount::new(100), 0);
        field.mesh.handle(micros(1), Crossing { from: station(from), to: station(to), packet });
    }
    field.mesh.vanish(micros(1), station(9));
    field.mesh.vanish(micros(1), station(0));
    field.send(0, 1, 100);
    assert_eq!((field.lost(LossCause::NoRoute), field.lost(LossCause::Down)), (2, 1));
    assert_eq!(field.arrived(Time::ZERO, seconds(1)), 1, "a packet to its own station");
}

fn distance(metres: u64) -> anabranch_base::Distance {
    anabranch_base::Distance::from_metres(metres)
}
