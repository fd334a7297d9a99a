//! The laws of every link, whatever its settings: nothing appears or vanishes, order is kept, no packet is faster than
//! the link, and the queue obeys Little's law to the nanosecond.

use anabranch_base::{BitRate, ByteCount, Duration, Machine, Seed, Time};
use anabranch_link::config::{
    ChannelSharing, CoDelConfig, Delay, FqCoDelConfig, Jitter, LossConfig, LossKind, LossPlace, PieConfig,
    QueueConfig, QueueLimit, Rate, RedConfig, RedRule,
};
use anabranch_link::{Change, ChunkKind, Fate, Link, LinkConfig, LinkSeed, Packet};
use proptest::prelude::*;

/// A packet that is offered to a link: the time after the one before, and its length.
#[derive(Clone, Debug)]
struct Offered {
    gap: Duration,
    size: ByteCount,
}

/// A packet that arrived: which, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Arrival {
    number: usize,
    at: Time,
}

fn link(config: &LinkConfig, seed: u64) -> Link<usize> {
    Link::new(config, LinkSeed::of(&Seed::from_number(seed), "tested").0)
}

/// Offers the packets, makes the changes (each before the packet with that number), and lets everything arrive. After
/// each step the books are balanced.
fn run(link: &mut Link<usize>, packets: &[Offered], changes: &[(usize, Change)]) -> Vec<Arrival> {
    let mut arrivals = Vec::new();
    let mut now = Time::ZERO;
    for (number, packet) in packets.iter().enumerate() {
        let next = now + packet.gap;
        wake(link, next, &mut arrivals);
        now = next;
        for (_, change) in changes.iter().filter(|(at, _)| *at == number) {
            link.change(now, change.clone());
            drain(link, now, &mut arrivals);
        }
        link.handle(now, Packet::new(packet.size, number));
        drain(link, now, &mut arrivals);
    }
    wake(link, Time::from_nanos(u64::MAX), &mut arrivals);
    arrivals
}

/// Lets every timer act until `until`.
fn wake(link: &mut Link<usize>, until: Time, arrivals: &mut Vec<Arrival>) {
    while let Some(at) = link.poll_timeout().filter(|at| *at <= until) {
        link.handle_timeout(at);
        drain(link, at, arrivals);
    }
}

fn drain(link: &mut Link<usize>, now: Time, arrivals: &mut Vec<Arrival>) {
    while let Some(fate) = link.poll(now) {
        if let Fate::Arrived { packet, .. } = fate {
            arrivals.push(Arrival { number: packet.load, at: now });
        }
    }
    let books = link.counters();
    let gone = books.arrived + books.lost + books.queue_drops;
    assert_eq!(books.offered + books.duplicated, gone + link.holds(), "{books:?}");
}

fn offered() -> impl Strategy<Value = Vec<Offered>> {
    let one = (0_u64..3_000_000, 40_u64..1_500)
        .prop_map(|(gap, size)| Offered { gap: Duration::from_nanos(gap), size: ByteCount::new(size) });
    prop::collection::vec(one, 1..400)
}

fn loss() -> impl Strategy<Value = LossConfig> {
    let kind = prop_oneof![
        Just(LossKind::None),
        (0.0..=1.0).prop_map(|probability| LossKind::Bernoulli { probability }),
        (0.0..0.2).prop_map(|probability| LossKind::Correlated { probability }),
        (1_u64..200, 1_u64..50, 0.0..0.1, 0.5..=1.0).prop_map(|(good, bad, loss_good, loss_bad)| {
            LossKind::GilbertElliott {
                good: Duration::from_millis(good),
                bad: Duration::from_millis(bad),
                loss_good,
                loss_bad,
                channel: ChannelSharing::Own,
            }
        }),
        (0_u64..200, 1_u64..100)
            .prop_map(|(from, span)| LossKind::Outages(vec![(millis(from), millis(from + span))])),
        (0.0..0.1, 1_u64..50).prop_map(|(probability, ms)| LossKind::Burst {
            probability,
            duration: Duration::from_millis(ms)
        }),
        (1_u64..20).prop_map(LossKind::Every),
        prop::collection::vec(1_u64..400, 0..20).prop_map(LossKind::List),
        (0.0..=1.0).prop_map(|share| LossKind::Chunk { kind: ChunkKind::CWR, share }),
    ];
    let place = prop_oneof![Just(LossPlace::Entry), Just(LossPlace::Exit)];
    (kind, 0_u64..100, place).prop_map(|(kind, after, at)| LossConfig { kind, after: millis(after), at })
}

fn config() -> impl Strategy<Value = LinkConfig> {
    let faults = (jitter(), any::<bool>(), 0.0..0.3, 0.0..0.3);
    (1_u64..100_000_000, 0_u64..50, loss(), (queue(), mtu()), faults).prop_map(
        |(rate, delay, loss, (queue, mtu), (jitter, reorder, duplicate, corrupt))| LinkConfig {
            jitter,
            reorder,
            loss,
            queue,
            mtu,
            duplicate,
            corrupt,
            ..LinkConfig::new(BitRate::from_bits_per_second(rate), Duration::from_millis(delay))
        },
    )
}

fn jitter() -> impl Strategy<Value = Jitter> {
    let span = || (0_u64..5).prop_map(Duration::from_millis);
    prop_oneof![span().prop_map(Jitter::Uniform), span().prop_map(Jitter::Normal)]
}

fn queue() -> impl Strategy<Value = QueueConfig> {
    let limit = || {
        prop_oneof![
            (0_u64..30).prop_map(QueueLimit::Packets),
            (0_u64..30_000).prop_map(|bytes| QueueLimit::Bytes(ByteCount::new(bytes))),
        ]
    };
    let span = || (1_u64..20).prop_map(Duration::from_millis);
    let red = (limit(), 0.0..10.0, 0.5..10.0, 0.0..=1.0, any::<bool>()).prop_map(
        |(limit, min, more, weight, is_enhanced)| {
            let rule = if is_enhanced { RedRule::Enhanced } else { RedRule::Plain };
            RedConfig { limit, min, max: min + more, weight, rule, ..RedConfig::DEFAULT }
        },
    );
    let codel = (limit(), span(), span()).prop_map(|(limit, target, interval)| CoDelConfig {
        limit,
        target,
        interval,
        ecn: true,
    });
    let pie = (limit(), span(), span(), span()).prop_map(|(limit, target, update, max_burst)| PieConfig {
        limit,
        target,
        update,
        max_burst,
        ecn: true,
    });
    let fq_codel = (limit(), 1_u64..20, 64_u64..3_000, span(), span()).prop_map(
        |(limit, flows, quantum, target, interval)| FqCoDelConfig {
            limit,
            flows,
            quantum: ByteCount::new(quantum),
            target,
            interval,
            ecn: true,
        },
    );
    prop_oneof![
        limit().prop_map(QueueConfig::DropTail),
        red.prop_map(QueueConfig::Red),
        codel.prop_map(QueueConfig::CoDel),
        pie.prop_map(QueueConfig::Pie),
        fq_codel.prop_map(QueueConfig::FqCoDel),
    ]
}

fn mtu() -> impl Strategy<Value = Option<ByteCount>> {
    prop::option::weighted(0.2, (68_u64..1_500).prop_map(ByteCount::new))
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        Just(Change::Up),
        Just(Change::Down),
        (1_u64..50_000_000).prop_map(|rate| Change::Rate(Rate::Fixed(BitRate::from_bits_per_second(rate)))),
        Just(Change::Rate(Rate::Steps(vec![
            (Time::ZERO, BitRate::from_mbps(1)),
            (millis(40), BitRate::from_bits_per_second(0)),
            (millis(60), BitRate::from_mbps(9)),
        ]))),
        loss().prop_map(Change::Loss),
        mtu().prop_map(Change::Mtu),
    ]
}

fn millis(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

proptest! {
    #[test]
    fn nothing_appears_or_vanishes(
        config in config(), packets in offered(), changes in prop::collection::vec((0_usize..400, change()), 0..6),
        seed in any::<u64>(),
    ) {
        let mut link = link(&config, seed);
        let arrivals = run(&mut link, &packets, &changes);
        // With every packet gone, the link is empty, and each arrived at most once more than it was copied.
        prop_assert_eq!(link.holds(), 0);
        prop_assert_eq!(arrivals.len() as u64, link.counters().arrived);
    }

    #[test]
    fn the_same_seed_gives_the_same_arrivals(config in config(), packets in offered(), seed in any::<u64>()) {
        let once = run(&mut link(&config, seed), &packets, &[]);
        prop_assert_eq!(once, run(&mut link(&config, seed), &packets, &[]));
    }

    #[test]
    fn order_is_kept_and_nothing_is_faster_than_the_link(config in config(), packets in offered()) {
        // Each packet is a flow here, and the queues of flows take turns.
        prop_assume!(!matches!(config.queue, QueueConfig::FqCoDel(_)));
        let config = LinkConfig { reorder: false, ..config };
        let Rate::Fixed(rate) = config.rate else { unreachable!("the strategy makes no other") };
        let arrivals = run(&mut link(&config, 1), &packets, &[]);
        prop_assert!(arrivals.is_sorted_by_key(|arrival| (arrival.at, arrival.number)));
        let mut offered_at = Time::ZERO;
        let times: Vec<Time> = packets.iter().map(|packet| { offered_at += packet.gap; offered_at }).collect();
        for arrival in arrivals {
            let least = rate.time_for(packets[arrival.number].size).unwrap_or_default();
            // The time on the line is rounded up once a busy period, not once a packet.
            prop_assert!(arrival.at + Duration::from_nanos(1) >= times[arrival.number] + least);
        }
    }

    /// L = λ W, as an equality of integers: the queue's length integrated over time is the sum of what each packet
    /// waited.
    #[test]
    fn littles_law_holds_on_every_queue(
        rate in 100_000_u64..100_000_000, limit in 0_u64..60, packets in offered(), probability in 0.0..0.3,
    ) {
        let rate = BitRate::from_bits_per_second(rate);
        let config = LinkConfig {
            loss: LossConfig { kind: LossKind::Bernoulli { probability }, ..LossConfig::NONE },
            queue: QueueConfig::DropTail(QueueLimit::Packets(limit)),
            ..LinkConfig::new(rate, Duration::ZERO)
        };
        let mut link = link(&config, 7);
        let arrivals = run(&mut link, &packets, &[]);
        let mut offered_at = Time::ZERO;
        let times: Vec<Time> = packets.iter().map(|packet| { offered_at += packet.gap; offered_at }).collect();
        // Without delay a packet arrives when its transmission ends; it began when the one before it ended, or when
        // it came.
        let mut free = Time::ZERO;
        let mut waited = 0_u128;
        for arrival in arrivals {
            let begun = free.max(times[arrival.number]);
            waited += u128::from(begun.since(times[arrival.number]).as_nanos());
            free = arrival.at;
        }
        prop_assert_eq!(link.counters().waited, waited);
    }
}

/// 400,000 packets a millisecond apart through a two-state channel.
#[test]
fn a_gilbert_elliott_link_loses_its_share_in_bursts_of_its_length() {
    let (good, bad) = (Duration::from_millis(900), Duration::from_millis(100));
    let kind =
        LossKind::GilbertElliott { good, bad, loss_good: 0.01, loss_bad: 1.0, channel: ChannelSharing::Own };
    let config = LinkConfig {
        loss: LossConfig { kind, ..LossConfig::NONE },
        ..LinkConfig::new(BitRate::from_mbps(100), Duration::ZERO)
    };
    let count = 4_000_000;
    let packets = vec![Offered { gap: Duration::from_millis(1), size: ByteCount::new(100) }; count];
    let mut link = link(&config, 3);
    let arrivals = run(&mut link, &packets, &[]);
    let mut lost = vec![true; count];
    arrivals.iter().for_each(|arrival| lost[arrival.number] = false);
    let share = link.counters().lost as f64 / count as f64;
    // f + (1 − f) p = 0.1 + 0.9 × 0.01. About 4,000 spells of each state: the share of bad time has a standard error
    // of f (1 − f) √(2 / 4,000) = 0.002; five of them are allowed.
    assert!((share - 0.109).abs() < 0.01, "{share}");
    // A run of losses longer than five in the good state has probability 10⁻¹²: longer runs are bad spells. Their
    // mean, without the first five packets (sojourns are memoryless), is 100 packets; five standard errors of about
    // 3,800 exponential spells are 8 %.
    let runs: Vec<f64> = lost
        .chunk_by(|a, b| a == b)
        .filter(|run| run[0] && run.len() > 5)
        .map(|run| run.len() as f64 - 5.0)
        .collect();
    let mean = runs.iter().sum::<f64>() / runs.len() as f64;
    assert!((mean / 100.0 - 1.0).abs() < 0.08, "{mean} over {} spells", runs.len());
}

/// The driver learns in time of a packet that overtakes the previous one.
#[test]
fn a_packet_that_overtakes_when_the_delay_falls_is_not_late() {
    let steps = vec![(Time::ZERO, Duration::from_millis(100)), (millis(2), Duration::ZERO)];
    let config = LinkConfig {
        delay: Delay::Steps(steps),
        reorder: true,
        ..LinkConfig::new(BitRate::from_mbps(12), Duration::ZERO)
    };
    let packets = vec![Offered { gap: Duration::ZERO, size: ByteCount::new(1_500) }; 2];
    let arrivals = run(&mut link(&config, 1), &packets, &[]);
    assert_eq!(arrivals, [Arrival { number: 1, at: millis(2) }, Arrival { number: 0, at: millis(101) }]);
}

#[test]
fn a_link_that_goes_down_loses_what_waits_and_delivers_what_travels() {
    let config = LinkConfig::new(BitRate::from_mbps(12), Duration::from_millis(10));
    let mut link = link(&config, 1);
    let packets: Vec<Offered> = (0..8)
        .map(|_| Offered { gap: Duration::ZERO, size: ByteCount::new(1_500) })
        .chain([Offered { gap: Duration::from_millis(3), size: ByteCount::new(1_500) }])
        .chain([Offered { gap: Duration::from_millis(30), size: ByteCount::new(1_500) }])
        .collect();
    // One millisecond a packet: three have left when the link goes down; it is up again for the last.
    let arrivals = run(&mut link, &packets, &[(8, Change::Down), (9, Change::Up)]);
    let numbers: Vec<usize> = arrivals.iter().map(|arrival| arrival.number).collect();
    assert_eq!(numbers, [0, 1, 2, 9]);
    assert_eq!(arrivals.iter().map(|arrival| arrival.at).collect::<Vec<_>>(), [11, 12, 13, 44].map(millis));
}

#[test]
fn what_is_larger_than_the_link_carries_is_lost_until_it_carries_more() {
    let config = LinkConfig {
        mtu: Some(ByteCount::new(1_400)),
        ..LinkConfig::new(BitRate::from_mbps(12), Duration::ZERO)
    };
    let mut link = link(&config, 1);
    let sizes = [1_400, 1_404, 1_500, 1_500];
    let packets: Vec<Offered> = sizes
        .iter()
        .map(|&size| Offered { gap: Duration::from_millis(3), size: ByteCount::new(size) })
        .collect();
    let arrivals =
        run(&mut link, &packets, &[(2, Change::Mtu(None)), (3, Change::Mtu(Some(ByteCount::new(576))))]);
    let numbers: Vec<usize> = arrivals.iter().map(|arrival| arrival.number).collect();
    assert_eq!((numbers, link.counters().lost), (vec![0, 2], 2));
}
