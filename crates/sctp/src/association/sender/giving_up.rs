//! Gives up messages that expired, were lost too often, or make room for more important ones (RFC 3758, RFC 7496).

use anabranch_base::{ByteCount, Duration, Time};

use super::Sender;
use crate::association::ground::{Ground, Timer};
use crate::event::Event;
use crate::policy::PathSample;
use crate::send::{GivenUp, Left, Outgoing, Reliability};

impl Sender {
    /// Gives up the messages that are due, on all paths at once, and tells the peer to skip what it need not wait for.
    pub(super) fn give_up_due(&mut self, ground: &mut Ground, now: Time) {
        let mut left = Vec::new();
        let paths = &ground.paths;
        let waits = ground.settings.config.give_up_at_loss;
        let answer = |path| if waits { LONG } else { answer_time(paths.sample(path)) };
        let delay = least_delay(paths.samples());
        let mut given_up = Vec::new();
        while let Some(message) = self.buffer.give_up_due(now, delay, &answer, &mut left) {
            given_up.push(message);
        }
        for given_up in given_up {
            report(ground, given_up);
        }
        self.on_given_up(ground, &left);
        probe_emptied(ground, &left, now);
        self.forward(ground, now);
        let expires = self.buffer.next_due(delay).into_iter().chain(self.forwarding.due()).min();
        match expires {
            Some(at) => ground.timers.set(Timer::GivingUp, at),
            None => ground.timers.stop(Timer::GivingUp),
        }
    }

    /// Gives up less important messages until one of `wanted` bytes and this `reliability` has room, unless all of them
    /// have not as many.
    pub(crate) fn make_room(&mut self, ground: &mut Ground, wanted: ByteCount, reliability: Reliability) {
        let Reliability::Priority(value) = reliability else { return };
        let lacking = wanted.saturating_sub(self.send_space(ground));
        if lacking.is_zero() || !self.buffer.has_below(value, lacking) {
            return;
        }
        let mut left = Vec::new();
        while self.send_space(ground) < wanted
            && let Some(given_up) = self.buffer.give_up_below(value, &mut left)
        {
            report(ground, given_up);
        }
        self.on_given_up(ground, &left);
    }

    /// Updates the paths whose chunks in flight, `left`, were given up. The scheduler picks anew.
    fn on_given_up(&mut self, ground: &mut Ground, left: &[Left]) {
        for chunk in left {
            ground.paths.on_left_flight(chunk.path, chunk.weight);
            ground.paths.cancel_measurement(chunk.path);
            if ground.paths.sample(chunk.path).flight.is_zero() {
                ground.timers.stop(Timer::Retransmission(chunk.path));
            }
        }
        self.picked = None;
        self.planned_copy = None;
        self.run = None;
        if self.wanted_room.is_some_and(|room| self.send_space(ground) >= room) {
            self.wanted_room = None;
            ground.log.event(Event::Writable);
        }
    }
}

/// Returns true if a message that leaves at `now` is too late on every path: it gets no TSN.
pub(super) fn is_too_late(ground: &Ground, reliability: Reliability, now: Time) -> bool {
    let Reliability::Until(deadline) = reliability else { return false };
    deadline <= now + least_delay(ground.paths.samples())
}

/// Reports a message that was given up before it was queued.
pub(super) fn report_unsent(ground: &mut Ground, message: &Outgoing) {
    let (stream, ppid, bytes) = (message.stream, message.ppid, message.length());
    report(ground, GivenUp { stream, ppid, bytes, was_sent: false });
}

/// The time in which an acknowledgement usually returns; none before a round trip was measured.
fn answer_time(sample: &PathSample) -> Duration {
    sample.srtt.map_or(Duration::ZERO, |srtt| srtt * 3 / 2 + ALLOWANCE)
}

/// The time that a packet takes at least on the best path: half of the least round trip, or none where nothing was measured.
/// Queues are not counted: they may have drained, and what is never sent would not show it.
fn least_delay(paths: &[PathSample]) -> Duration {
    let usable = paths.iter().filter(|path| path.state.carries_data());
    let delays = usable.map(|path| path.min_rtt.map_or(Duration::ZERO, |rtt| rtt / 2));
    delays.min().unwrap_or_default()
}

/// Probes the paths on which everything in flight was given up: no time-out of data will tell that they are dead.
fn probe_emptied(ground: &mut Ground, left: &[Left], now: Time) {
    for chunk in left {
        let sample = ground.paths.sample(chunk.path);
        let is_empty = sample.flight.is_zero() && sample.state.carries_data();
        if is_empty && !ground.paths.health(chunk.path).awaits_heartbeat() {
            ground.send_heartbeat(chunk.path, now);
        }
    }
}

fn report(ground: &mut Ground, given_up: GivenUp) {
    let GivenUp { stream, ppid, bytes, was_sent } = given_up;
    ground.log.event(Event::GivenUp { stream, ppid, bytes, was_sent });
}

/// Longer than any acknowledgement takes.
const LONG: Duration = Duration::from_secs(1 << 30);
/// Covers delays of an acknowledgement at the other end.
const ALLOWANCE: Duration = Duration::from_millis(25);
