//! Hidden and exposed stations, reservations, lost ACKs, and what a large mesh costs.

mod field;

use anabranch_base::{ByteCount, Duration, Machine, Seed, Time};
use anabranch_link::fabric::Station;
use anabranch_link::{Fate, LossCause};
use anabranch_wireless::config::{Movement, Position, RadioConfig, RetryCount};
use anabranch_wireless::{FrameKind, FrameSeen, Mesh, RoutingEvent};

use field::{Field, micros, seconds, still};

fn station(number: u16) -> Station {
    Station::new(number)
}

fn without_rts() -> RadioConfig {
    RadioConfig { rts_threshold: None, ..RadioConfig::default() }
}

/// M-MAC-5 (a): stations 0 and 2 both send to station 1, and do not hear each other.
fn hidden(radio: &RadioConfig) -> Field {
    let mut field = Field::string(radio, 3, 5);
    for (number, sender) in [0, 2].into_iter().enumerate() {
        assert!(field.mesh.route_statically(station(sender), station(1)));
        field.source(sender, 1, 544, Duration::from_millis(12), micros(1_000 * number as u64));
    }
    field.run_until(seconds(20));
    field
}

#[test]
fn hidden_stations_destroy_each_others_data_and_with_rts_mostly_each_others_rtss() {
    let plain = hidden(&without_rts());
    let asked = hidden(&RadioConfig::default());
    let failures = |field: &Field| {
        let counters = [0, 2].map(|sender| field.mesh.counters(station(sender)));
        [
            counters[0].data_failures + counters[1].data_failures,
            counters[0].rts_failures + counters[1].rts_failures,
        ]
    };
    let ([plain_data, plain_rts], [asked_data, asked_rts]) = (failures(&plain), failures(&asked));
    assert!(plain_data > 500 && plain_rts == 0, "{plain_data}");
    assert!(asked_rts > 100 && asked_data * 20 < plain_data, "{asked_rts} and {asked_data}");
    assert!(plain.mesh.counters(station(1)).collisions >= plain_data);
    assert!(asked.fates.len() > plain.fates.len(), "collisions of short frames cost less");
}

/// M-MAC-5 (b): while 2 sends to 3, station 1 can hardly answer station 0. An RTS is answered only if it fits between the
/// data that 1 hears and the next RTS of 2: some 5 % of the time.
#[test]
fn an_exposed_station_answers_few_rtss_so_that_its_neighbour_gives_up() {
    let radio = RadioConfig { rts_threshold: Some(ByteCount::new(20)), ..RadioConfig::default() };
    let mut field = Field::string(&radio, 4, 1);
    for (from, to) in [(0, 1), (2, 3)] {
        assert!(field.mesh.route_statically(station(from), station(to)));
    }
    field.mesh.watch();
    field.source(2, 3, 544, Duration::from_millis(4), Time::ZERO);
    field.source(0, 1, 544, Duration::from_millis(100), seconds(1));
    field.run_until(seconds(21));
    let counters = field.mesh.counters(station(0));
    let asked = counters.sent(FrameKind::Rts);
    let answered = asked - counters.rts_failures;
    println!("{asked} RTSs, {answered} answered, {} given up", counters.retry_drops);
    assert!(asked > 600 && answered * 10 < asked, "{answered} of {asked}");
    assert!(counters.retry_drops > 140, "most of 200 packets");
    let failures = field.mesh.take_routing().into_iter().filter(|event| {
        matches!(event, RoutingEvent::LinkFailure { station: from, next, .. } if [*from, *next] == [0, 1].map(station))
    });
    assert_eq!(failures.count() as u64, counters.retry_drops);
}

/// Until when a station must not begin an exchange because of the frames it received, at the time `now`.
fn reserved(heard: &[&FrameSeen], sensed: &[Time], me: Station, now: Time) -> Time {
    let release = Duration::from_micros(2 * 10 + 304 + 2 * 20);
    let others = heard.iter().filter(|frame| frame.to.is_some_and(|to| to != me) && frame.end <= now);
    let until = others.map(|frame| {
        let until = frame.end + frame.duration;
        let follows = |start: &Time| (frame.end..=frame.end + release).contains(start);
        let is_released = frame.kind == FrameKind::Rts && !sensed.iter().any(follows);
        if is_released { until.min(frame.end + release) } else { until }
    });
    until.max().unwrap_or(Time::ZERO)
}

/// M-MAC-3, read from the log of frames alone.
#[test]
fn no_station_begins_an_exchange_inside_a_reservation_that_it_heard() {
    let mut field = Field::string(&RadioConfig::default(), 6, 3);
    field.mesh.watch();
    for (from, to, spacing) in [(0, 5, 30), (5, 0, 35), (2, 3, 20), (4, 1, 50)] {
        field.source(from, to, 544, Duration::from_millis(spacing), Time::ZERO);
        field.source(to, from, 68, Duration::from_millis(spacing), micros(500));
    }
    field.run_until(seconds(5));
    let frames = field.mesh.take_seen();
    let sifs = Duration::from_micros(10);
    let (mut begun, mut answered) = (0, 0);
    for me in (0..6).map(station) {
        let heard: Vec<&FrameSeen> = frames.iter().filter(|frame| frame.received.contains(&me)).collect();
        let in_range = |frame: &&FrameSeen| frame.received.contains(&me) || frame.collided.contains(&me);
        let sensed: Vec<Time> = frames.iter().filter(in_range).map(|frame| frame.start).collect();
        let mut last_cts = Time::ZERO;
        for frame in frames.iter().filter(|frame| frame.from == me || frame.to == Some(me)) {
            if frame.from != me {
                if frame.kind == FrameKind::Cts && frame.received.contains(&me) {
                    last_cts = frame.end;
                }
                continue;
            }
            let asked_at = match frame.kind {
                FrameKind::Ack => continue,
                FrameKind::Cts => frame.start - sifs,
                kind if kind.is_data() && frame.start == last_cts + sifs => continue,
                _ => frame.start,
            };
            answered += u32::from(frame.kind == FrameKind::Cts);
            begun += u32::from(frame.kind != FrameKind::Cts);
            let until = reserved(&heard, &sensed, me, asked_at);
            assert!(until <= asked_at, "{me:?} sends {frame:?} before {until}");
        }
    }
    assert!(begun > 1_000 && answered > 200, "{begun} and {answered}");
}

/// Station 1 sends to station 0; station 2, which was away during the data and does not hear station 0, destroys
/// the ACK at station 1.
fn lose_acks(radio: &RadioConfig, is_static: bool) -> Field {
    let mut field = Field::string(radio, 3, 8);
    if is_static {
        assert!(field.mesh.route_statically(station(1), station(0)));
    }
    assert!(field.mesh.route_statically(station(2), station(1)));
    field.send(1, 0, 544);
    field.run_until(seconds(1));
    field.mesh.watch();
    for round in 2..40 {
        field.mesh.vanish(field.now, station(2));
        field.collect();
        field.send(1, 0, 544);
        let data_end =
            field.now + Duration::from_micros(192 + 8 * (544 + 42 + if is_static { 0 } else { 8 }));
        field.run_until(data_end + Duration::from_micros(5));
        field.mesh.come_back(field.now, station(2));
        field.send(2, 1, 200);
        field.run_until(seconds(round));
    }
    field
}

#[test]
fn a_retried_frame_whose_ack_was_lost_is_acknowledged_again_and_delivered_once() {
    let mut field = lose_acks(&without_rts(), true);
    let is_retry = |frame: &FrameSeen| {
        frame.is_retry && frame.from == station(1) && frame.received.contains(&station(0))
    };
    let retries = field.mesh.take_seen().iter().filter(|frame| is_retry(frame)).count();
    assert!(retries > 5, "{retries}");
    let arrived = |fate: &Fate<u64>| matches!(fate, Fate::Arrived { is_duplicate: false, .. });
    assert_eq!(field.fates.len() as u64, field.sent);
    assert!(field.fates.iter().all(|(_, fate)| arrived(fate)));
}

#[test]
fn a_packet_that_arrived_and_was_given_up_arrives_again_as_a_duplicate() {
    let field = lose_acks(&RadioConfig { short_retry: 1, long_retry: 1, ..without_rts() }, false);
    let is_second = |fate: &Fate<u64>| matches!(fate, Fate::Arrived { is_duplicate: true, .. });
    let duplicates = field.fates.iter().filter(|(_, fate)| is_second(fate)).count() as u64;
    assert!(duplicates > 5, "{duplicates}");
    let firsts = field.arrived(Time::ZERO, seconds(100));
    let lost = field.fates.len() as u64 - duplicates - firsts;
    assert_eq!(firsts + lost, field.sent);
    assert_eq!(field.mesh.held(), 0);
}

/// Wake-ups, comparisons and frames of a chain of four in a field of so many stations.
fn cost(stations: u64, moves: bool) -> [u64; 3] {
    let area = Position { x: still((10_000, 0)).position.x, y: still((8_000, 0)).position.x };
    let speed = anabranch_base::Speed::from_millimetres_per_second(1);
    let movement =
        Movement::RandomWaypoint { area, slowest: speed, fastest: speed, pause: Duration::from_secs(1) };
    let place = |n: u64| still((n % 40 * 250, n / 40 * 250));
    let all: Vec<_> = (0..stations)
        .map(|n| anabranch_wireless::config::StationConfig {
            movement: if moves { movement } else { Movement::Still },
            ..place(n)
        })
        .collect();
    let mut field = Field::of(Mesh::new(&RadioConfig::default(), &all, &Seed::from_number(1)));
    assert!(field.mesh.route_statically(station(0), station(3)));
    let before = field.mesh.comparisons();
    field.source(0, 3, 544, Duration::from_millis(30), Time::ZERO);
    field.run_until(seconds(10));
    let frames =
        (0..stations).map(|n| field.mesh.counters(station(n as u16)).frames.iter().sum::<u64>()).sum();
    [field.steps, field.mesh.comparisons() - before, frames]
}

#[test]
fn a_transmission_costs_as_much_as_there_are_stations_in_range() {
    for moves in [false, true] {
        let [few, many] = [cost(200, moves), cost(1_000, moves)];
        assert!(many[2] > 3_000, "{many:?}");
        assert_eq!(few, many, "stations far away cost nothing");
        assert!(many[1] <= many[2] * 21, "the cells around: {many:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_frames_and_another_seed_others() {
    let run = |seed| {
        let mut field = Field::string(&RadioConfig::default(), 5, seed);
        field.mesh.watch();
        field.source(0, 4, 544, Duration::from_millis(20), Time::ZERO);
        field.source(4, 0, 544, Duration::from_millis(25), Time::ZERO);
        field.run_until(seconds(3));
        (field.mesh.take_seen(), field.mesh.take_routing(), field.fates)
    };
    let first = run(1);
    assert!(first.0.len() > 1_000);
    assert!(first == run(1));
    assert!(first != run(2));
}

#[test]
fn the_queue_of_a_station_refuses_and_marks_packets() {
    use anabranch_base::Ecn;
    use anabranch_link::Packet;
    use anabranch_link::config::{CoDelConfig, QueueConfig};
    use anabranch_link::fabric::Crossing;

    let radio = RadioConfig { retry_count: RetryCount::Standard, ..RadioConfig::default() };
    let mut field = Field::string(&radio, 2, 1);
    assert!(field.mesh.route_statically(station(0), station(1)));
    for _ in 0..60 {
        field.send(0, 1, 544);
    }
    assert_eq!(field.lost(LossCause::Queue), 9, "one is in service, 50 wait");
    assert_eq!(field.mesh.counters(station(0)).queue_drops, 9);

    let queue = QueueConfig::CoDel(CoDelConfig { ecn: true, ..CoDelConfig::DEFAULT });
    let mut field = Field::string(&RadioConfig { queue, ..radio }, 2, 1);
    assert!(field.mesh.route_statically(station(0), station(1)));
    for number in 0..60 {
        let packet = Packet { ecn: Ecn::Ect0, ..Packet::new(ByteCount::new(544), number) };
        field.mesh.handle(Time::ZERO, Crossing { from: station(0), to: station(1), packet });
    }
    field.run_until(seconds(2));
    let marked = |fate: &Fate<u64>| matches!(fate, Fate::Arrived { packet, .. } if packet.ecn == Ecn::Ce);
    let marks = field.fates.iter().filter(|(_, fate)| marked(fate)).count() as u64;
    assert!(marks > 0);
    assert_eq!(marks, field.mesh.counters(station(0)).marked);
    assert!(field.fates.iter().all(|(_, fate)| match fate {
        Fate::Arrived { packet, .. } | Fate::Lost { packet, .. } => packet.size == ByteCount::new(544),
    }));
}
