//! The largest packet that a path carries, searched by probes (RFC 8899, "DPLPMTUD").

mod size_search;
mod sizes;

use anabranch_base::{ByteCount, Duration, Time};

use size_search::{ProbeOutcome, SizeSearch};

use crate::config::MtuBounds;

/// The search on one path, and the packet size to use meanwhile.
///
/// A size is used only after a probe of it was answered, except for the base (RFC 8899 §3 item 1). A size is given up
/// only if a smaller probe is answered and two earlier probes of at least that size are not: silence alone proves
/// nothing about the size.
#[derive(Clone, Debug)]
pub(crate) struct MtuSearch {
    state: MtuState,
    bounds: MtuBounds,
    /// The bounds at the start; an interface may carry less for some time.
    allowed: MtuBounds,
    current: ByteCount,
    size_search: Option<SizeSearch>,
    /// The probes of this attempt were sent: their answers are awaited.
    is_waiting: bool,
    /// Probes of at least the current size that were sent since it was last confirmed.
    doubts: u32,
    /// Probes that may still be answered, oldest first.
    under_way: Vec<(u64, ByteCount)>,
    /// The time at which the last probe was sent, until that probe is answered.
    last_probe: Option<Time>,
    due: Option<Time>,
    raise_at: Option<Time>,
    /// True if the last time-out lost only packets that the network may fragment, which proves nothing about the size.
    is_excused: bool,
    /// True if a HEARTBEAT was not answered, so that probes without an answer meanwhile prove nothing about the size.
    was_silent: bool,
}

/// The state of the search (RFC 8899 §5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MtuState {
    /// Nothing is probed: the size is fixed, or connectivity is lost.
    Disabled,
    /// No probe was answered yet.
    Base,
    /// Larger sizes are tried.
    Searching,
    /// The largest size is found.
    SearchComplete,
    /// Not even the base arrives.
    Error,
}

/// The rate of probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProbePace {
    /// The time from one probe to the next: a round trip and its variation.
    pub gap: Duration,
    /// PROBE_TIMER: the time for which an answer is awaited, at least one second (RFC 8899 §5.1.1).
    pub answer_timeout: Duration,
}

impl MtuSearch {
    /// A path whose size is always `mtu`.
    pub(crate) fn off(mtu: ByteCount) -> MtuSearch {
        let bounds = MtuBounds { least: mtu, base: mtu, largest: mtu };
        MtuSearch { current: mtu, ..MtuSearch::within(bounds) }
    }

    /// A path whose size is searched within `bounds` when it has connectivity.
    pub(crate) fn within(bounds: MtuBounds) -> MtuSearch {
        MtuSearch {
            state: MtuState::Disabled,
            bounds,
            allowed: bounds,
            current: bounds.base,
            size_search: None,
            is_waiting: false,
            doubts: 0,
            under_way: Vec::new(),
            last_probe: None,
            due: None,
            raise_at: None,
            is_excused: false,
            was_silent: false,
        }
    }

    /// The path has connectivity, for the first time or again: a size that was found before is checked first.
    pub(crate) fn on_connected(&mut self, now: Time) {
        let is_excused = std::mem::take(&mut self.is_excused);
        let was_silent = std::mem::take(&mut self.was_silent);
        match self.state {
            _ if self.is_off() || is_excused => {}
            _ if was_silent && self.is_checking() => {
                self.begin(SizeSearch::check(self.bounds, self.current), now);
            }
            MtuState::Disabled | MtuState::Base => {
                self.state = MtuState::Base;
                self.begin(SizeSearch::search(self.bounds, None), now);
            }
            _ => self.doubt(now),
        }
    }

    /// A time-out lost only packets above the current size. Neither it nor what follows from it is a reason to doubt
    /// the size: the search continues.
    pub(crate) fn excuse(&mut self) {
        self.is_excused = true;
    }

    /// A time-out lost packets of at most the current size.
    pub(crate) fn on_timeout(&mut self, now: Time) {
        self.is_excused = false;
        self.doubt(now);
    }

    /// A HEARTBEAT was not answered. If the path answers later, a check that is under way begins anew.
    pub(crate) fn on_silence(&mut self) {
        self.was_silent = true;
    }

    /// Packets of the current size may no longer arrive (RFC 8899 §4.3).
    pub(crate) fn doubt(&mut self, now: Time) {
        if self.is_excused {
            return;
        }
        let is_checking = self.size_search.is_some_and(|size_search| size_search.is_check());
        let has_smaller = self.bounds.least < self.current;
        if self.state != MtuState::Disabled && has_smaller && !is_checking {
            self.begin(SizeSearch::check(self.bounds, self.current), now);
        }
    }

    /// The size of the probe to send at `now`, if one is due, and the last one was answered or was sent a round trip
    /// ago: "the interval between probe packets MUST be at least one RTT" (RFC 8899 §3 item 7). Call it at the time
    /// that [`due`](MtuSearch::due) gives.
    pub(crate) fn take_due(&mut self, now: Time, pace: ProbePace) -> Option<ByteCount> {
        self.due.take_if(|due| *due <= now)?;
        if let Some(earliest) = self.last_probe.map(|sent| sent + pace.gap).filter(|time| now < *time) {
            self.due = Some(earliest);
            return None;
        }
        if self.size_search.is_none() {
            self.begin_larger(now);
        }
        if std::mem::take(&mut self.is_waiting) {
            self.size_search = self.size_search.and_then(SizeSearch::on_unanswered);
        }
        let Some(size_search) = &mut self.size_search else {
            self.rest(now);
            return None;
        };
        let size = size_search.next_size();
        match size {
            Some(size) => {
                self.doubts += u32::from(size >= self.current);
                self.last_probe = Some(now);
                self.due = Some(now + pace.gap);
            }
            None => {
                self.is_waiting = true;
                self.due = Some(now + pace.answer_timeout);
            }
        }
        size
    }

    /// A probe of `size` left with `nonce`.
    pub(crate) fn on_sent(&mut self, nonce: u64, size: ByteCount) {
        if self.under_way.len() >= MOST_UNDER_WAY {
            self.under_way.remove(0);
        }
        self.under_way.push((nonce, size));
    }

    /// An answer with `nonce` arrived. Returns true if the current size changed.
    pub(crate) fn on_answered(&mut self, nonce: u64, now: Time) -> bool {
        let Some(index) = self.under_way.iter().position(|(awaited, _)| *awaited == nonce) else {
            return false;
        };
        if index + 1 == self.under_way.len() {
            // The last probe has been under way for a whole round trip.
            self.last_probe = None;
        }
        let (_, size) = self.under_way.remove(index);
        let Some(size_search) = &mut self.size_search else { return false };
        let progress = size_search.on_answered(size);
        let is_largest = size_search.proven() == Some(size);
        let was_check = size_search.is_check();
        let before = self.current;
        if size >= before || (is_largest && self.doubts >= ENOUGH_DOUBTS) {
            self.current = size;
            self.doubts = 0;
        }
        if self.state == MtuState::Base || self.current != before {
            self.state = MtuState::Searching;
        }
        match progress {
            ProbeOutcome::Continues => {}
            ProbeOutcome::Narrowed(next) => self.pursue(next, now),
            ProbeOutcome::Finished if was_check && self.state == MtuState::Searching => {
                self.begin_larger(now);
            }
            ProbeOutcome::Finished => self.rest(now),
        }
        self.current != before
    }

    /// No packet larger than `largest` can leave this host now. Returns true if the current size changed.
    pub(crate) fn on_too_large(&mut self, largest: ByteCount, now: Time) -> bool {
        let largest = MtuBounds::whole_words(largest).max(self.bounds.least);
        if self.state == MtuState::Disabled || largest >= self.bounds.largest {
            return false;
        }
        self.bounds = MtuBounds { largest, base: self.bounds.base.min(largest), ..self.bounds };
        let before = self.current;
        self.current = before.min(largest);
        let proven = (self.state != MtuState::Base).then_some(self.current);
        if proven == Some(largest) {
            self.rest(now);
        } else {
            self.begin(SizeSearch::search(self.bounds, proven), now);
        }
        self.current != before
    }

    /// Stops probing, because connectivity is lost.
    pub(crate) fn stop(&mut self) {
        *self = MtuSearch {
            current: self.current,
            last_probe: self.last_probe,
            ..MtuSearch::within(self.allowed)
        };
    }

    /// The packet size that may be used.
    pub(crate) fn current(&self) -> ByteCount {
        self.current
    }

    /// The state of the search.
    pub(crate) fn state(&self) -> MtuState {
        self.state
    }

    /// The time at which [`take_due`](MtuSearch::take_due) is due.
    pub(crate) fn due(&self) -> Option<Time> {
        self.due
    }

    /// Returns true if it checks the current size, which is also useful on a failed path.
    pub(crate) fn is_checking(&self) -> bool {
        self.size_search.is_some_and(|size_search| size_search.is_check())
    }

    fn is_off(&self) -> bool {
        self.allowed.least == self.allowed.largest
    }

    fn begin(&mut self, size_search: SizeSearch, now: Time) {
        self.under_way.clear();
        self.doubts = 0;
        self.pursue(size_search, now);
    }

    fn pursue(&mut self, size_search: SizeSearch, now: Time) {
        self.size_search = Some(size_search);
        self.is_waiting = false;
        self.due = Some(now);
    }

    /// Tries sizes above the current one, which is assumed to arrive.
    fn begin_larger(&mut self, now: Time) {
        let proven = (self.state != MtuState::Base).then_some(self.current);
        if proven.is_some() {
            self.state = MtuState::Searching;
        }
        self.bounds = self.allowed;
        self.raise_at = None;
        if proven == Some(self.bounds.largest) {
            self.rest(now);
        } else {
            self.begin(SizeSearch::search(self.bounds, proven), now);
        }
    }

    /// The search ended: the next one begins when PMTU_RAISE_TIMER expires, or sooner if nothing was answered.
    fn rest(&mut self, now: Time) {
        self.size_search = None;
        self.under_way.clear();
        self.is_waiting = false;
        if self.state == MtuState::Base {
            self.due = Some(now + RETRY);
            return;
        }
        let is_error = self.current < self.allowed.base;
        self.state = if is_error { MtuState::Error } else { MtuState::SearchComplete };
        let next = self.raise_at.filter(|at| *at > now).unwrap_or(now + PMTU_RAISE_TIMER);
        self.raise_at = (self.current < self.allowed.largest).then_some(next);
        self.due = self.raise_at;
    }
}

/// RFC 8899 §5.1.2: "The default value of MAX_PROBES is 3."
const MAX_PROBES: u32 = 3;
/// RFC 8899 §5.1.1: "This timer has a period of 600 seconds".
const PMTU_RAISE_TIMER: Duration = Duration::from_secs(600);
/// The time until the next search if no probe was answered.
const RETRY: Duration = Duration::from_secs(15);
/// This number of unanswered probes, followed by the answer to a smaller one, shows a black hole.
const ENOUGH_DOUBTS: u32 = 2;
/// The number of probes that are kept; no more are sent within a second.
const MOST_UNDER_WAY: usize = 16;

#[cfg(test)]
mod tests;
