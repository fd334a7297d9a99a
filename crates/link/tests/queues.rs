//! The interface between a link and its queue: marks, refusals on the way in and out, random draws of its own, and the
//! line's rate.

mod marking;

use std::collections::VecDeque;

use anabranch_base::{BitRate, ByteCount, Duration, Ecn, Machine, Seed, Time};
use anabranch_link::config::{Jitter, Rate};
use anabranch_link::queue::{LineView, Queue, Taken};
use anabranch_link::{Backlog, Change, Fate, Link, LinkConfig, LinkSeed, LossCause, Packet, Random};
use marking::MarkEach;

/// With 1,500 bytes a packet: one a millisecond.
const RATE: BitRate = BitRate::from_mbps(12);

fn millis(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

fn seed(number: u64) -> LinkSeed {
    LinkSeed::of(&Seed::from_number(number), "tested").0
}

/// A link of 12 Mbit/s without delay, and with this queue.
fn link(queue: impl Queue<u64> + 'static) -> Link<u64> {
    let mut link = Link::new(&LinkConfig::new(RATE, Duration::ZERO), seed(1));
    link.set_queue(Box::new(queue));
    link
}

fn packet(number: u64, ecn: Ecn) -> Packet<u64> {
    Packet { ecn, ..Packet::new(ByteCount::new(1_500), number) }
}

/// Everything that a link hands over until `until`.
fn fates(link: &mut Link<u64>, until: Time) -> Vec<Fate<u64>> {
    let mut fates = Vec::new();
    while let Some(at) = link.poll_timeout().filter(|at| *at <= until) {
        link.handle_timeout(at);
        fates.extend(std::iter::from_fn(|| link.poll(at)));
    }
    fates.extend(std::iter::from_fn(|| link.poll(until)));
    fates
}

fn arrived(fates: &[Fate<u64>]) -> Vec<(u64, Ecn)> {
    let arrived = fates.iter().filter_map(|fate| match fate {
        Fate::Arrived { packet, .. } => Some((packet.load, packet.ecn)),
        Fate::Lost { .. } => None,
    });
    arrived.collect()
}

#[test]
fn a_mark_reaches_the_other_end_on_exactly_the_packets_that_the_queue_marked() {
    let mut link = link(MarkEach::new(3));
    for number in 1..=9 {
        link.handle(Time::ZERO, packet(number, Ecn::Ect1));
    }
    let arrived = arrived(&fates(&mut link, millis(20)));
    let expected = |number: u64| if number.is_multiple_of(3) { Ecn::Ce } else { Ecn::Ect1 };
    assert_eq!(arrived, (1..=9).map(|number| (number, expected(number))).collect::<Vec<_>>());
    assert_eq!(link.counters().marked, 3);
}

#[test]
fn what_cannot_be_marked_arrives_as_it_was() {
    let mut link = link(MarkEach::new(1));
    for number in 1..=3 {
        link.handle(Time::ZERO, packet(number, Ecn::NotEct));
    }
    let arrived = arrived(&fates(&mut link, millis(20)));
    assert_eq!(arrived, [(1, Ecn::NotEct), (2, Ecn::NotEct), (3, Ecn::NotEct)]);
    assert_eq!(link.counters().marked, 0);
}

/// Refuses, when the line is free, what has waited longer than `most`, as CoDel does in principle; and by the toss of a
/// coin what would pass an idle line. Notes the rates that it sees.
#[derive(Debug)]
struct Impatient {
    most: Duration,
    coin: Option<Random>,
    waiting: VecDeque<(Time, Packet<u64>)>,
    rates: std::sync::Arc<std::sync::Mutex<Vec<Option<BitRate>>>>,
}

impl Impatient {
    fn new(most: Duration, coin: Option<Random>) -> Impatient {
        Impatient { most, coin, waiting: VecDeque::new(), rates: Default::default() }
    }

    fn see(&self, line: LineView) {
        self.rates.lock().expect("one thread").push(line.rate);
    }
}

impl Queue<u64> for Impatient {
    fn offer(&mut self, line: LineView, packet: Packet<u64>) -> Result<(), Packet<u64>> {
        self.see(line);
        self.waiting.push_back((line.now, packet));
        Ok(())
    }

    fn passes(&mut self, line: LineView, _: &mut Packet<u64>) -> bool {
        self.see(line);
        self.coin.as_mut().is_none_or(|coin| coin.happens(0.5))
    }

    fn take(&mut self, line: LineView) -> Option<Taken<u64>> {
        self.see(line);
        let (since, packet) = self.waiting.pop_front()?;
        let is_late = line.now.since(since) > self.most;
        Some(if is_late { Taken::Refused(packet) } else { Taken::Next(packet) })
    }

    fn discard(&mut self) -> Option<Packet<u64>> {
        self.waiting.pop_front().map(|(_, packet)| packet)
    }

    fn backlog(&self) -> Backlog {
        let bytes: ByteCount = self.waiting.iter().map(|(_, packet)| packet.size).sum();
        Backlog { packets: self.waiting.len() as u64, bytes }
    }
}

#[test]
fn a_queue_that_refuses_on_the_way_out_loses_these_packets_at_that_moment_and_the_line_goes_on() {
    let mut link = link(Impatient::new(Duration::from_millis(2), None));
    for number in 1..=5 {
        link.handle(Time::ZERO, packet(number, Ecn::NotEct));
    }
    link.handle(millis(2), packet(6, Ecn::NotEct));
    let fates = fates(&mut link, millis(20));
    // The first three are through at 1, 2 and 3 ms; at 3 ms the next two have waited too long, and the last one has not.
    assert_eq!(arrived(&fates).iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 2, 3, 6]);
    let lost: Vec<(Time, u64, LossCause)> = fates
        .iter()
        .filter_map(|fate| match fate {
            Fate::Lost { at, packet, cause } => Some((*at, packet.load, *cause)),
            Fate::Arrived { .. } => None,
        })
        .collect();
    assert_eq!(lost, [(millis(3), 4, LossCause::Queue), (millis(3), 5, LossCause::Queue)]);
    let books = link.counters();
    assert_eq!((books.offered, books.arrived, books.queue_drops, link.holds()), (6, 4, 2, 0));
}

#[test]
fn a_queue_sees_the_rate_of_the_line_at_each_moment() {
    let queue = Impatient::new(Duration::from_secs(1), None);
    let rates = queue.rates.clone();
    let mut link = link(queue);
    link.handle(Time::ZERO, packet(1, Ecn::NotEct));
    link.change(Time::ZERO, Change::Rate(Rate::Fixed(BitRate::from_mbps(6))));
    link.handle(Time::ZERO, packet(2, Ecn::NotEct));
    let steps = vec![(Time::ZERO, BitRate::from_mbps(6)), (millis(1), BitRate::from_mbps(24))];
    link.change(Time::ZERO, Change::Rate(Rate::Steps(steps)));
    fates(&mut link, millis(20));
    let seen: Vec<u64> =
        rates.lock().expect("one thread").iter().flatten().map(|rate| rate.bits_per_second()).collect();
    // Coming, coming, and twice when the line is free: half of the first packet is sent at 6 Mbit/s.
    assert_eq!(seen, [12_000_000, 6_000_000, 24_000_000, 24_000_000]);
}

#[test]
fn a_queue_that_draws_from_its_own_stream_moves_no_other_draw_of_its_link() {
    let run = |coin: bool| {
        let seeds = seed(7);
        let config = LinkConfig {
            jitter: Jitter::Uniform(Duration::from_millis(5)),
            ..LinkConfig::new(RATE, Duration::ZERO)
        };
        let mut link = Link::new(&config, seeds.clone());
        let coin = coin.then(|| Random::new(&seeds.queue()));
        link.set_queue(Box::new(Impatient::new(Duration::from_secs(1), coin)));
        let mut arrivals = Vec::new();
        for number in 0..50 {
            let begun = millis(number * 20);
            link.handle(begun, packet(number, Ecn::NotEct));
            while let Some(at) = link.poll_timeout().filter(|at| *at < begun + Duration::from_millis(20)) {
                link.handle_timeout(at);
                let came = std::iter::from_fn(|| link.poll(at));
                arrivals.extend(
                    came.filter(|fate| matches!(fate, Fate::Arrived { .. })).map(|_| at.since(begun)),
                );
            }
        }
        arrivals
    };
    let (all, half) = (run(false), run(true));
    assert!(all.len() == 50 && (15..=35).contains(&half.len()), "{} of {}", half.len(), all.len());
    // The n-th packet that is carried has the n-th jitter, whatever the queue drew before it.
    assert_eq!(half, all[..half.len()]);
    assert_eq!(run(true), half);
}
