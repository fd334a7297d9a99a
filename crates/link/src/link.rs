//! One direction of a link, composed of its parts: loss, queue, line and wire, in the order in which a packet passes
//! them. From the queue to the other end a packet stays in one place of the ring, unless a discipline keeps those that
//! wait, or packets may overtake one another.

use std::collections::VecDeque;

use anabranch_base::{ByteCount, Duration, Machine, Seed, Time};

use crate::config::{Change, Delay, Jitter, LinkConfig, LossConfig, LossPlace, QueueConfig};
use crate::hold::Hold;
use crate::line::{Line, work_of};
use crate::loss::{LossModel, LossSeeds, PacketInfo, bad_periods, build};
use crate::packet::{Backlog, Damage, Fate, LinkCounters, LossCause, Packet, Payload};
use crate::queue::{LineView, Queue, Taken};
use crate::random::Random;
use crate::ring::{Fault, Place, Ring};
use crate::standing::Standing;
use crate::waits::Waits;
use crate::wire::Wire;

/// One direction of a link.
///
/// A packet may be lost (before the queue), waits, is transmitted, may be lost (after transmission), propagates, and
/// arrives. Transmissions are computed only when a caller asks for values or a packet enters the link, so that a
/// packet costs only one timer, that of its arrival.
#[derive(Debug)]
pub struct Link<L> {
    loss: Loss,
    standing: Standing<L>,
    line: Line,
    ring: Ring<L>,
    wire: Wire<L>,
    /// In place of queue and wire, where packets are delayed before their transmission.
    hold: Option<Box<Hold<L>>>,
    faults: Faults,
    is_up: bool,
    mtu: Option<ByteCount>,
    fates: VecDeque<Fate<L>>,
    counters: LinkCounters,
    load: LineLoad,
    waits: Option<Box<Waits>>,
    /// True if the queue gives packets in the order in which they came.
    keeps_order: bool,
    /// The time until which the waiting packets are counted.
    waited_until: Time,
    seed: Box<LinkSeed>,
    changes: u64,
}

/// The seeds from which a direction of a link draws random numbers.
#[derive(Clone, Debug)]
pub struct LinkSeed {
    /// This direction's seed.
    pub own: Seed,
    /// The forward direction's seed, for a shared two-state channel.
    pub forward: Seed,
}

/// The current loss rule.
#[derive(Debug)]
struct Loss {
    rule: Option<Box<dyn LossModel>>,
    after: Time,
    at: LossPlace,
}

/// The other faults of packets on the wire.
#[derive(Debug)]
struct Faults {
    jitter: Jitter,
    duplicate: f64,
    corrupt: f64,
    random: Box<Random>,
}

/// The bytes that were transmitted, and those that could have been.
#[derive(Clone, Copy, Debug, Default)]
struct LineLoad {
    /// Bits times 10⁹.
    transmitted: u128,
    /// Bits times 10⁹, until `counted`.
    possible: u128,
    counted: Time,
}

impl LinkSeed {
    /// The seeds of the forward and the reverse direction of the link `name`.
    pub fn of(root: &Seed, name: &str) -> (LinkSeed, LinkSeed) {
        let link = root.child("link").child(name);
        let forward = LinkSeed { own: link.child("forward"), forward: link.child("forward") };
        let reverse = LinkSeed { own: link.child("reverse"), forward: link.child("forward") };
        (forward, reverse)
    }

    /// The seed of the queue, for a discipline that draws random numbers.
    pub fn queue(&self) -> Seed {
        self.own.child("queue")
    }

    /// When a link with this rule, from the start of the run on, is in an outage or in the bad state of its two: at most
    /// `most` periods that begin before `end`. A run with this seed has the same.
    pub fn bad_periods(&self, config: &LossConfig, end: Time, most: usize) -> Vec<(Time, Time)> {
        bad_periods(&config.kind, &self.loss(0), end, most)
    }

    fn loss(&self, changes: u64) -> LossSeeds {
        let name = format!("loss/{changes}");
        LossSeeds {
            own: self.own.child(&name),
            channel: self.own.child("channel").child(&name),
            forward_channel: self.forward.child("channel").child(&name),
        }
    }
}

impl<L: Payload + Clone + 'static> Link<L> {
    /// A link that is up and empty.
    pub fn new(config: &LinkConfig, seed: LinkSeed) -> Link<L> {
        let is_held = matches!(config.jitter, Jitter::Normal(_)) && !config.reorder;
        let hold = is_held.then(|| Box::new(Hold::new(config.delay.clone(), config.queue.limit())));
        let delay = if is_held { Delay::Fixed(Duration::ZERO) } else { config.delay.clone() };
        Link {
            loss: Loss::new(&config.loss, &seed.loss(0)),
            standing: Standing::new(&config.queue, &seed.queue()),
            line: Line::new(config.rate.clone()),
            ring: Ring::new(),
            wire: Wire::new(delay, config.reorder, config.jitter),
            hold,
            faults: Faults {
                jitter: config.jitter,
                duplicate: config.duplicate,
                corrupt: config.corrupt,
                random: Box::new(Random::new(&seed.own.child("faults"))),
            },
            is_up: true,
            mtu: config.mtu,
            fates: VecDeque::new(),
            counters: LinkCounters::default(),
            load: LineLoad::default(),
            waits: None,
            keeps_order: !matches!(config.queue, QueueConfig::FqCoDel(_)),
            waited_until: Time::ZERO,
            seed: Box::new(seed),
            changes: 0,
        }
    }

    /// Replaces the configured queue by `queue`, for a discipline that no configuration names.
    ///
    /// # Panics
    /// A packet already waits.
    pub fn set_queue(&mut self, queue: Box<dyn Queue<L>>) {
        assert_eq!(
            self.standing.backlog(),
            Backlog::default(),
            "no packet may wait when the queue is replaced"
        );
        self.standing = Standing::Apart(queue);
        self.keeps_order = false;
    }

    /// Records from now on for how long packets wait before their transmission, without the delay before which a link
    /// holds them. A queue that does not keep their order records nothing.
    pub fn record_waits(&mut self) {
        self.waits = self.keeps_order.then(Box::default);
    }

    /// The waits recorded since the last call, in the order of transmissions.
    pub fn take_waits(&mut self) -> Vec<Duration> {
        self.waits.as_mut().map(|waits| waits.take()).unwrap_or_default()
    }

    /// Applies `change` to the link.
    pub fn change(&mut self, now: Time, change: Change) {
        self.advance(now);
        match change {
            Change::Up => self.is_up = true,
            Change::Down => self.go_down(now),
            Change::Rate(rate) => {
                self.load.count(&self.line, now);
                self.line.change(now, rate, self.ring.is_sending());
            }
            Change::Delay(delay) => match &mut self.hold {
                Some(hold) => hold.change(delay),
                None => self.wire.change(delay),
            },
            Change::Loss(loss) => {
                self.changes += 1;
                self.loss = Loss::new(&loss, &self.seed.loss(self.changes));
            }
            Change::Mtu(mtu) => self.mtu = mtu,
        }
    }

    /// The next packet that has arrived at `now`, if nothing else is to be told before it.
    #[inline]
    pub(crate) fn take_arrived(&mut self, now: Time) -> Option<Place<L>> {
        if !self.fates.is_empty() {
            return None;
        }
        let arrived = match self.wire.overtaking() {
            None => self.ring.take_arrived(now),
            Some(overtaking) => overtaking.take(now),
        };
        if let Some(place) = &arrived {
            self.counters.arrived += 1;
            self.counters.arrived_bytes += place.packet.size;
        }
        arrived
    }

    /// The next packet that was lost.
    #[inline]
    pub(crate) fn take_lost(&mut self) -> Option<Fate<L>> {
        self.fates.pop_front()
    }

    /// The counters, for a report.
    pub fn counters(&self) -> LinkCounters {
        LinkCounters { marked: self.standing.apart().map_or(0, Queue::marked), ..self.counters }
    }

    /// The packets that wait for transmission at `now`, without the packet in transmission.
    pub fn backlog(&mut self, now: Time) -> Backlog {
        self.advance(now);
        self.waiting()
    }

    /// The average number of waiting packets by which the queue decides; `None` for a discipline without one. It is that
    /// of the last packet that arrived.
    pub fn average_queue(&self) -> Option<f64> {
        self.standing.apart()?.average()
    }

    /// The packets that waited, were in transmission or propagated when the link was last computed, including second
    /// copies.
    pub fn holds(&self) -> u64 {
        let sending = u64::from(self.ring.is_sending());
        self.waiting().packets + sending + (self.ring.travelling() + self.wire.len()) as u64
    }

    /// The amount it transmitted until `now`, as a fraction of what it could have transmitted.
    pub fn utilisation(&mut self, now: Time) -> f64 {
        self.advance(now);
        self.load.count(&self.line, now);
        if self.load.possible == 0 { 0.0 } else { self.load.transmitted as f64 / self.load.possible as f64 }
    }

    /// The number of packets that waited, averaged over the time until `now`.
    pub fn mean_queue(&mut self, now: Time) -> f64 {
        self.advance(now);
        self.count_waiting(now);
        let span = now.since(Time::ZERO).as_nanos();
        if span == 0 { 0.0 } else { self.counters.waited as f64 / span as f64 }
    }

    fn go_down(&mut self, now: Time) {
        self.is_up = false;
        self.count_waiting(now);
        for packet in self.ring.take_untransmitted() {
            self.lose(now, packet, LossCause::Down);
        }
        while let Some(packet) = self.next_discarded() {
            self.lose(now, packet, LossCause::Down);
        }
        if let Some(waits) = &mut self.waits {
            waits.clear();
        }
    }

    /// The next of the packets that wait outside the ring; those in the ring are forgotten.
    fn next_discarded(&mut self) -> Option<Packet<L>> {
        let waiting = match &mut self.standing {
            Standing::Apart(queue) => queue.discard(),
            Standing::InRing(queue) => {
                queue.clear();
                None
            }
        };
        waiting.or_else(|| self.hold.as_mut()?.take())
    }

    /// The packets before the line.
    #[inline]
    fn waiting(&self) -> Backlog {
        match &self.hold {
            None => self.standing.backlog(),
            Some(hold) => hold.backlog(),
        }
    }

    /// Completes and starts all transmissions until `now`.
    fn advance(&mut self, now: Time) {
        if self.hold.is_some() && !self.ring.is_sending() {
            self.begin_held(now);
        }
        while let Some(end) = self.line.end().filter(|end| *end <= now) {
            let Some(Place { packet, at: begun, .. }) = self.ring.sending() else { return };
            self.load.transmitted += u128::from(work_of(packet.size));
            if self.loss.takes(LossPlace::Exit, *begun..end, packet) {
                self.lose_sending(end);
            } else {
                self.launch(end);
            }
            self.count_waiting(end);
            if self.hold.is_some() {
                self.follow_held(end, now);
                continue;
            }
            let Some(size) = self.begin_next(end) else { return };
            self.line.follow(end, size);
        }
    }

    #[cold]
    fn lose_sending(&mut self, end: Time) {
        if let Some(packet) = self.ring.take_sending() {
            self.lose(end, packet, LossCause::Medium);
        }
    }

    /// The line is free at `end`: starts the first packet that is held, if its delay is over by `now`. Not inlined: it stands
    /// beside what runs for every packet, and few links hold any.
    #[cold]
    #[inline(never)]
    fn follow_held(&mut self, end: Time, now: Time) {
        let Some(hold) = &mut self.hold else { return };
        let Some(ready) = hold.ready().filter(|ready| *ready <= end) else { return self.begin_held(now) };
        let Some(packet) = hold.take() else { return };
        if let Some(waits) = &mut self.waits {
            waits.on_pass(end.since(ready));
        }
        self.line.follow(end, packet.size);
        self.ring.push(end, packet);
    }

    /// The line is idle: starts the first packet that is held, if its delay is over by `now`.
    #[cold]
    #[inline(never)]
    fn begin_held(&mut self, now: Time) {
        let ready = self.hold.as_ref().and_then(|hold| hold.ready());
        let Some(ready) = ready.filter(|ready| *ready <= now) else { return };
        self.count_waiting(ready);
        let Some(packet) = self.hold.as_mut().and_then(|hold| hold.take()) else { return };
        if let Some(waits) = &mut self.waits {
            waits.on_pass(Duration::ZERO);
        }
        self.line.begin(ready, packet.size);
        self.ring.push(ready, packet);
    }

    /// The next packet of the queue is in transmission from `now` on. Returns its size; `None` if none waits.
    #[inline]
    fn begin_next(&mut self, now: Time) -> Option<ByteCount> {
        let Standing::InRing(queue) = &mut self.standing else { return self.begin_given(now) };
        let size = self.ring.begin(now)?;
        queue.leave(size);
        if let Some(waits) = &mut self.waits {
            waits.on_leave(now);
        }
        Some(size)
    }

    /// The next packet that a discipline gives to the line. Packets that it refuses before it are lost.
    fn begin_given(&mut self, now: Time) -> Option<ByteCount> {
        let line = self.line_view(now);
        loop {
            let Standing::Apart(queue) = &mut self.standing else { return None };
            match queue.take(line)? {
                Taken::Next(packet) => {
                    self.waits.iter_mut().for_each(|waits| waits.on_leave(now));
                    let size = packet.size;
                    self.ring.push(now, packet);
                    return Some(size);
                }
                Taken::Refused(packet) => {
                    self.waits.iter_mut().for_each(|waits| waits.on_refuse());
                    self.lose(now, packet, LossCause::Queue);
                }
            }
        }
    }

    fn line_view(&self, now: Time) -> LineView {
        LineView { now, rate: self.line.rate_at(now) }
    }

    /// The transmitted packet starts to propagate.
    #[inline]
    fn launch(&mut self, at: Time) {
        let span = self.travel(at);
        if self.faults.are_none() && self.wire.overtaking().is_none() {
            let arrival = self.wire.arrival(at, span);
            return self.ring.launch(arrival);
        }
        self.launch_with_faults(at, span);
    }

    /// Likewise, where packets are damaged, duplicated or overtake one another.
    #[inline(never)]
    fn launch_with_faults(&mut self, at: Time, span: Duration) {
        let damage = self.faults.damage();
        let is_copied = self.faults.duplicates();
        self.counters.corrupted += u64::from(damage.is_some());
        self.counters.duplicated += u64::from(is_copied);
        let copy = is_copied.then(|| self.ring.sending().map(|place| place.packet.clone())).flatten();
        if let Some(overtaking) = self.wire.overtaking() {
            let Some(packet) = self.ring.take_sending() else { return };
            overtaking.send(at + span, packet, damage.map(Fault::Damaged));
            copy.into_iter().for_each(|packet| overtaking.send(at + span, packet, Some(Fault::Duplicate)));
            return;
        }
        let arrival = self.wire.arrival(at, span);
        self.ring.launch(arrival);
        damage.into_iter().for_each(|damage| self.ring.damage(damage));
        copy.into_iter().for_each(|packet| self.ring.insert_copy(arrival, packet));
    }

    /// For how long a packet propagates whose transmission ended at `at`.
    fn travel(&mut self, at: Time) -> Duration {
        let delay = self.wire.delay_at(at);
        match self.faults.jitter {
            Jitter::Uniform(most) if most.is_zero() => delay,
            Jitter::Uniform(most) => delay + self.faults.random.up_to(most),
            Jitter::Normal(_) if self.hold.is_some() => delay,
            Jitter::Normal(deviation) => self.faults.random.normal(delay, deviation),
        }
    }

    /// The queue is about to change: counts the waiting time until `now`.
    fn count_waiting(&mut self, now: Time) {
        let span = now.since(std::mem::replace(&mut self.waited_until, now));
        self.counters.waited += u128::from(self.waiting().packets) * u128::from(span.as_nanos());
    }

    fn lose(&mut self, at: Time, packet: Packet<L>, cause: LossCause) {
        match cause {
            LossCause::Queue => self.counters.queue_drops += 1,
            _ => self.counters.lost += 1,
        }
        self.fates.push_back(Fate::Lost { at, packet, cause });
    }

    /// A packet begins its delay before the line.
    #[cold]
    #[inline(never)]
    fn enter_hold(&mut self, now: Time, packet: Packet<L>) {
        self.count_waiting(now);
        let (Some(hold), Jitter::Normal(deviation)) = (&mut self.hold, self.faults.jitter) else { return };
        let ready = now + self.faults.random.normal(hold.delay_at(now), deviation);
        let sending = self.ring.sending().map(|place| &place.packet);
        match hold.offer(ready, packet, sending) {
            Err(refused) => self.lose(now, refused, LossCause::Queue),
            Ok(()) => self.advance(now),
        }
    }

    fn enter(&mut self, now: Time, mut packet: Packet<L>) {
        if self.hold.is_some() {
            return self.enter_hold(now, packet);
        }
        if self.ring.is_sending() {
            self.count_waiting(now);
            return self.stand(now, packet);
        }
        if let Standing::Apart(queue) = &mut self.standing {
            let line = LineView { now, rate: self.line.rate_at(now) };
            if !queue.passes(line, &mut packet) {
                return self.lose(now, packet, LossCause::Queue);
            }
        }
        if let Some(waits) = &mut self.waits {
            waits.on_pass(Duration::ZERO);
        }
        self.line.begin(now, packet.size);
        self.ring.push(now, packet);
    }

    /// A packet comes while the line is busy.
    fn stand(&mut self, now: Time, packet: Packet<L>) {
        let Standing::InRing(queue) = &mut self.standing else { return self.offer(now, packet) };
        if !queue.admits(packet.size) {
            return self.lose(now, packet, LossCause::Queue);
        }
        self.ring.push(now, packet);
        if let Some(waits) = &mut self.waits {
            waits.on_enter(now);
        }
    }

    /// Likewise, for a discipline that keeps packets itself.
    fn offer(&mut self, now: Time, packet: Packet<L>) {
        let line = self.line_view(now);
        let Standing::Apart(queue) = &mut self.standing else { return };
        match queue.offer(line, packet) {
            Err(refused) => self.lose(now, refused, LossCause::Queue),
            Ok(()) => self.waits.iter_mut().for_each(|waits| waits.on_enter(now)),
        }
        while let Standing::Apart(queue) = &mut self.standing
            && let Some(dropped) = queue.shed()
        {
            self.lose(now, dropped, LossCause::Queue);
        }
    }
}

impl<L: Payload + Clone + 'static> Machine for Link<L> {
    type Input = Packet<L>;
    type Output = Fate<L>;

    fn handle(&mut self, now: Time, mut packet: Packet<L>) {
        self.advance(now);
        self.counters.offered += 1;
        let is_carried = self.mtu.is_none_or(|mtu| packet.fit(mtu));
        if !self.is_up {
            self.lose(now, packet, LossCause::Down);
        } else if !is_carried {
            self.lose(now, packet, LossCause::TooLarge);
        } else if self.loss.takes(LossPlace::Entry, now..now, &packet) {
            self.lose(now, packet, LossCause::Medium);
        } else {
            self.enter(now, packet);
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        self.advance(now);
    }

    fn poll(&mut self, now: Time) -> Option<Fate<L>> {
        if let Some(fate) = self.take_lost() {
            return Some(fate);
        }
        let Place { packet, fault, .. } = self.take_arrived(now)?;
        let (is_duplicate, damage) = match fault.as_deref() {
            None => (false, None),
            Some(Fault::Duplicate) => (true, None),
            Some(Fault::Damaged(damage)) => (false, Some(*damage)),
        };
        Some(Fate::Arrived { packet, is_duplicate, damage })
    }

    fn poll_timeout(&self) -> Option<Time> {
        let sending = if self.ring.is_sending() { self.line.end() } else { None };
        let transmitted = match (sending, &self.hold) {
            (Some(end), _) => Some(self.wire.earliest_arrival(end)),
            (None, None) => None,
            (None, Some(hold)) => hold.ready().filter(|_| !self.ring.is_sending()),
        };
        // At most one of the two has packets.
        match (self.ring.next_arrival().or_else(|| self.wire.next_arrival()), transmitted) {
            (Some(first), Some(second)) => Some(first.min(second)),
            (first, second) => first.or(second),
        }
    }
}

impl Loss {
    fn new(config: &LossConfig, seeds: &LossSeeds) -> Loss {
        Loss { rule: build(&config.kind, seeds), after: config.after, at: config.at }
    }

    fn takes<L: Payload>(&mut self, at: LossPlace, sent: std::ops::Range<Time>, packet: &Packet<L>) -> bool {
        let Some(rule) = self.rule.as_mut().filter(|_| self.at == at && sent.start >= self.after) else {
            return false;
        };
        rule.loses(sent, &PacketInfo { size: packet.size, load: &packet.load })
    }
}

impl Faults {
    /// Returns true if packets are neither damaged nor duplicated, for which nothing is drawn.
    fn are_none(&self) -> bool {
        self.corrupt <= 0.0 && self.duplicate <= 0.0
    }

    fn damage(&mut self) -> Option<Damage> {
        self.random.happens(self.corrupt).then(|| Damage(self.random.bits()))
    }

    fn duplicates(&mut self) -> bool {
        self.random.happens(self.duplicate)
    }
}

impl LineLoad {
    fn count(&mut self, line: &Line, now: Time) {
        self.possible += line.work_between(self.counted, now);
        self.counted = now;
    }
}
