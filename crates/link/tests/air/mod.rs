//! A medium for tests alone, which three stations share. The tests of links and of the simulator include this file.

use std::collections::VecDeque;

use anabranch_base::{BitRate, Machine, Time};
use anabranch_link::fabric::Crossing;
use anabranch_link::{Fate, LossCause};

/// One packet at a time, whichever station has it: the others wait, and stations take turns in their order. One is lost
/// where it would go to the station that sends it.
#[derive(Debug)]
pub(crate) struct SharedAir<L> {
    rate: BitRate,
    waiting: [VecDeque<Crossing<L>>; 3],
    /// The station that had the last turn.
    last: usize,
    on_air: Option<(Time, Crossing<L>)>,
    fates: VecDeque<Fate<L>>,
}

impl<L> SharedAir<L> {
    /// A medium on which nothing is sent yet.
    pub(crate) fn new(rate: BitRate) -> SharedAir<L> {
        SharedAir { rate, waiting: Default::default(), last: 2, on_air: None, fates: VecDeque::new() }
    }

    fn begin(&mut self, now: Time) {
        if self.on_air.is_some() {
            return;
        }
        let order = (1..=3).map(|step| (self.last + step) % 3);
        let Some(station) = order.into_iter().find(|station| !self.waiting[*station].is_empty()) else {
            return;
        };
        self.last = station;
        let crossing = self.waiting[station].pop_front().expect("it has one");
        let span = self.rate.time_for(crossing.packet.size).expect("a rate");
        self.on_air = Some((now + span, crossing));
    }
}

impl<L> Machine for SharedAir<L> {
    type Input = Crossing<L>;
    type Output = Fate<L>;

    fn handle(&mut self, now: Time, crossing: Crossing<L>) {
        if crossing.from == crossing.to {
            let lost = Fate::Lost { at: now, packet: crossing.packet, cause: LossCause::Medium };
            return self.fates.push_back(lost);
        }
        self.waiting[crossing.from.index()].push_back(crossing);
        self.begin(now);
    }

    fn handle_timeout(&mut self, now: Time) {
        if let Some((_, crossing)) = self.on_air.take_if(|(end, _)| *end <= now) {
            let arrived = Fate::Arrived { packet: crossing.packet, is_duplicate: false, damage: None };
            self.fates.push_back(arrived);
            self.begin(now);
        }
    }

    fn poll(&mut self, _: Time) -> Option<Fate<L>> {
        self.fates.pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.on_air.as_ref().map(|(end, _)| *end)
    }
}
