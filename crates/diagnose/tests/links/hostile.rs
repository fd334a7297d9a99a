//! Recordings that no measurement made: an end may tell any numbers. And the time that a long one takes.

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_diagnose::recording::{
    End, Flight, Lane, Purpose, Recording, RoundTrip, SizeTried, TestPacket,
};
use anabranch_diagnose::{Estimated, estimate_links, rate_of_trains};
use proptest::prelude::*;

fn time() -> impl Strategy<Value = Time> {
    let nanos = prop_oneof![
        4 => 0_u64..5_000_000_000,
        2 => (0_u64..300).prop_map(|n| n * 1_000_000),
        1 => any::<u64>(),
        1 => Just(u64::MAX),
    ];
    nanos.prop_map(Time::from_nanos)
}

fn purpose() -> impl Strategy<Value = Purpose> {
    prop_oneof![
        Just(Purpose::Rest),
        (prop_oneof![0_usize..3, any::<usize>()], any::<bool>())
            .prop_map(|(filled, is_forward)| Purpose::Beside { filled, is_forward }),
        any::<u32>().prop_map(|length| Purpose::Trains { length: length >> (length % 32) }),
        Just(Purpose::Fill),
        Just(Purpose::Chance),
        Just(Purpose::Together),
    ]
}

fn size() -> impl Strategy<Value = ByteCount> {
    prop_oneof![Just(1_500), Just(100), any::<u64>()].prop_map(ByteCount::new)
}

fn packet() -> impl Strategy<Value = TestPacket> {
    (any::<u32>(), time(), size(), prop::option::weighted(0.8, time()))
        .prop_map(|(number, sent, size, arrived)| TestPacket { number, sent, size, arrived })
}

fn flights() -> impl Strategy<Value = Vec<Flight>> {
    let one = (purpose(), prop::collection::vec(packet(), 0..120), any::<bool>()).prop_map(
        |(purpose, mut packets, is_in_order)| {
            if is_in_order {
                packets.sort_by_key(|packet| packet.sent);
            }
            Flight { purpose, packets }
        },
    );
    prop::collection::vec(one, 0..5)
}

fn lane() -> impl Strategy<Value = Lane> {
    let trip = (time(), time()).prop_map(|(at, took)| RoundTrip { at, took: took.since(Time::ZERO) });
    let tried = (size(), any::<u32>(), any::<u32>()).prop_map(|(size, sent, arrived)| SizeTried {
        size,
        sent,
        arrived,
    });
    let lists = (prop::collection::vec(trip, 0..20), prop::collection::vec(tried, 0..5));
    (flights(), flights(), lists, size(), any::<bool>()).prop_map(
        |(forward, reverse, lists, mtu, is_dead)| Lane {
            forward,
            reverse,
            round_trips: lists.0,
            sizes: lists.1,
            mtu,
            is_dead,
            ..Lane::default()
        },
    )
}

fn an_end() -> impl Strategy<Value = End> {
    (any::<u64>(), any::<f64>()).prop_map(|(late, processor_share)| End {
        lateness_p99: Duration::from_nanos(late >> (late % 64)),
        processor_share,
        ..End::default()
    })
}

/// Returns true if each number of a link's estimate is finite, as its text shows them.
fn has_only_finite_numbers(text: &str) -> bool {
    !text.contains("NaN") && !text.contains("inf")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn any_recording_gives_finite_numbers(
        lanes in prop::collection::vec(lane(), 0..4),
        here in an_end(),
        there in an_end(),
    ) {
        let count = lanes.len();
        let trains: Vec<Option<Estimated>> =
            lanes.iter().flat_map(|lane| &lane.forward).map(|flight| rate_of_trains(flight, 20)).collect();
        let found = estimate_links(&Recording { lanes, here, there });
        prop_assert_eq!(found.len(), count);
        let text = format!("{found:?} {trains:?}");
        prop_assert!(has_only_finite_numbers(&text), "{}", text);
    }
}

#[test]
fn a_hundred_thousand_packets_a_lane_take_little_time() {
    let packet = |n: u32| TestPacket {
        number: n,
        sent: Time::from_nanos(u64::from(n) * 80_000),
        size: ByteCount::new(1_500),
        arrived: (n % 5 != 3)
            .then(|| Time::from_nanos(u64::from(n) * 100_000 + u64::from(n * 7_919 % 1_000))),
    };
    let flight = |purpose, count| Flight { purpose, packets: (0..count).map(packet).collect() };
    let all =
        || vec![flight(Purpose::Rest, 500), flight(Purpose::Fill, 59_500), flight(Purpose::Chance, 40_000)];
    let lane = Lane { forward: all(), reverse: all(), ..Lane::default() };
    let recording = Recording { lanes: vec![lane], ..Recording::default() };
    // The clock of a test may stop; the estimate of the fastest of three runs does not depend on that.
    let took = (0..3).map(|_| timed(&recording)).min().expect("three");
    println!("200,000 packets: {took:?}");
    // Twice the packets of the goal, and ten times its time: tests run beside others on busy machines.
    assert!(took < std::time::Duration::from_secs(2), "{took:?}");
}

#[expect(clippy::disallowed_methods, reason = "the time that the estimate takes is what is tested")]
fn timed(recording: &Recording) -> std::time::Duration {
    let begun = std::time::Instant::now();
    assert_eq!(estimate_links(recording).len(), 1);
    begun.elapsed()
}
