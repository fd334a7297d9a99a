//! Anything can happen: random places, ways, traffic and absences. Each packet has one fate, and it ends.

mod field;

use anabranch_base::{ByteCount, Distance, Duration, Machine, Seed, Speed};
use anabranch_link::Fate;
use anabranch_link::fabric::Station;
use anabranch_wireless::Mesh;
use anabranch_wireless::config::{Movement, Position, RadioConfig, RetryCount, StationConfig};
use proptest::prelude::*;

use field::{Field, seconds};

/// A step of the walk.
#[derive(Clone, Copy, Debug)]
enum Step {
    Send(u16, u16, u64),
    Burst(u16, u16),
    Vanish(u16),
    ComeBack(u16),
}

fn step() -> impl Strategy<Value = (u64, Step)> {
    let station = || 0_u16..10;
    let what = prop_oneof![
        12 => (station(), station(), 40_u64..1_500).prop_map(|(from, to, size)| Step::Send(from, to, size)),
        1 => (station(), station()).prop_map(|(from, to)| Step::Burst(from, to)),
        1 => station().prop_map(Step::Vanish),
        2 => station().prop_map(Step::ComeBack),
    ];
    (0_u64..60_000, what)
}

fn radio() -> impl Strategy<Value = RadioConfig> {
    let threshold = prop_oneof![Just(None), (0_u64..600).prop_map(|bytes| Some(ByteCount::new(bytes)))];
    (threshold, any::<bool>(), prop_oneof![Just(None), (0.0..20.0).prop_map(Some)], 300_u64..600, 1_u32..8)
        .prop_map(|(rts_threshold, is_standard, capture, sense, retries)| RadioConfig {
            rts_threshold,
            retry_count: if is_standard { RetryCount::Standard } else { RetryCount::Every },
            capture,
            carrier_sense: Distance::from_metres(sense),
            short_retry: retries,
            long_retry: retries,
            ..RadioConfig::default()
        })
}

fn stations() -> impl Strategy<Value = Vec<StationConfig>> {
    let place = || {
        (0_u64..800, 0_u64..400)
            .prop_map(|(x, y)| Position { x: Distance::from_metres(x), y: Distance::from_metres(y) })
    };
    let walk =
        (place(), 1_u64..200_000, 0_u64..3_000).prop_map(|(area, speed, pause)| Movement::RandomWaypoint {
            area,
            slowest: Speed::from_millimetres_per_second(speed),
            fastest: Speed::from_millimetres_per_second(speed * 2),
            pause: Duration::from_millis(pause),
        });
    let movement = prop_oneof![3 => Just(Movement::Still), 1 => walk];
    let station = (place(), movement).prop_map(|(position, movement)| StationConfig { position, movement });
    proptest::collection::vec(station, 1..12)
}

fn apply(field: &mut Field, step: Step) {
    match step {
        Step::Send(from, to, size) => {
            field.send(from, to, size);
        }
        Step::Burst(from, to) => {
            for _ in 0..80 {
                field.send(from, to, 544);
            }
        }
        Step::Vanish(station) => field.mesh.vanish(field.now, Station::new(station)),
        Step::ComeBack(station) => field.mesh.come_back(field.now, Station::new(station)),
    }
    field.collect();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_packet_has_one_fate_and_the_mesh_falls_silent(
        radio in radio(),
        stations in stations(),
        fixed in proptest::collection::vec((0_u16..10, 0_u16..10), 0..3),
        steps in proptest::collection::vec(step(), 0..150),
        seed in any::<u64>(),
    ) {
        prop_assert_eq!(radio.check(), Ok(()));
        let mut field = Field::of(Mesh::new(&radio, &stations, &Seed::from_number(seed)));
        for (from, to) in fixed {
            field.mesh.route_statically(Station::new(from), Station::new(to));
        }
        for (wait, step) in steps {
            field.run_until(field.now + Duration::from_micros(wait));
            apply(&mut field, step);
            let firsts = field.fates.iter().filter(|(_, fate)| !is_second(fate)).count() as u64;
            prop_assert_eq!(firsts + field.mesh.held(), field.sent);
        }
        field.run_until(seconds(400));
        prop_assert_eq!(field.mesh.held(), 0);
        prop_assert_eq!(field.mesh.poll_timeout(), None);
        let mut loads: Vec<u64> =
            field.fates.iter().filter(|(_, fate)| !is_second(fate)).map(|(_, fate)| load(fate)).collect();
        loads.sort_unstable();
        prop_assert_eq!(loads, (0..field.sent).collect::<Vec<u64>>());
    }
}

fn is_second(fate: &Fate<u64>) -> bool {
    matches!(fate, Fate::Arrived { is_duplicate: true, .. })
}

fn load(fate: &Fate<u64>) -> u64 {
    match fate {
        Fate::Arrived { packet, .. } | Fate::Lost { packet, .. } => packet.load,
    }
}
