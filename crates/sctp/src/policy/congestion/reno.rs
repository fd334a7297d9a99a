//! The standard rule: slow start, congestion avoidance by partial_bytes_acked, halving (RFC 9260 §7.2;
//! M-SCTP-4, -5, -17), each path by itself. It knows no chunk: weights come in, window changes go out.

use anabranch_base::ByteCount;

use super::{Acked, Cause, CongestionControl, SentData, Window};
use crate::policy::{PathId, PathSample, View};

/// What the RFCs do differently (M-SCTP-18).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenoRules {
    /// ssthresh after a loss is never lower than so many units.
    pub window_floor: u64,
    /// Idle decay stops at so many units.
    pub idle_floor: u64,
    /// Growth needs an advance of the cumulative TSN (RFC 2960, RFC 4960).
    pub growth_needs_advance: bool,
    /// partial_bytes_acked is cut to cwnd when the window was not fully used (RFC 9260 §7.2.2).
    pub clamp_partial_bytes: bool,
    /// ssthresh takes the window's value before the first idle decay (RFC 9260 §7.2.1).
    pub idle_keeps_ssthresh: bool,
    /// cwnd may not be passed by a last packet, so "fully used" means "no room for one more unit"
    /// (M-SCTP-4).
    pub strict_window: bool,
    /// By how much a SACK lets the window grow in slow start.
    pub slow_start: SlowStart,
}

/// By how much a SACK lets a window grow in slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlowStart {
    /// What it acknowledges, a unit at most (RFC 9260 §7.2.1 with L = 1).
    Unit,
    /// Half of what it acknowledges: the same where every second packet is acknowledged, and no slower where a SACK stands
    /// for more. For such SACKs it is an L larger than 1, which the RFC allows.
    HalfOfAcked,
}

/// The standard rule with its memory of each path.
#[derive(Debug)]
pub struct Reno {
    rules: RenoRules,
    paths: Vec<PathMemory>,
}

#[derive(Clone, Copy, Debug, Default)]
struct PathMemory {
    partial_bytes_acked: ByteCount,
    is_decaying: bool,
}

impl Reno {
    /// The rule as `rules` has it.
    pub fn new(rules: RenoRules) -> Reno {
        Reno { rules, paths: Vec::new() }
    }

    fn is_fully_used(&self, sample: &PathSample, flight_before: ByteCount) -> bool {
        let is_full = match self.rules.strict_window {
            true => flight_before + sample.unit > sample.cwnd,
            false => flight_before >= sample.cwnd,
        };
        is_full || sample.is_paced
    }

    /// What slow start wants for so much that was acknowledged. It ends where the threshold is passed, however much that
    /// is.
    fn slow_start(&self, sample: &PathSample, acked: ByteCount) -> ByteCount {
        let to_threshold = sample.ssthresh.saturating_sub(sample.cwnd).max(sample.unit);
        match self.rules.slow_start {
            SlowStart::Unit => acked.min(sample.unit),
            SlowStart::HalfOfAcked => (acked / 2).min(to_threshold),
        }
    }
}

impl CongestionControl for Reno {
    fn add_path(&mut self, path: PathId) {
        self.paths.resize(self.paths.len().max(path.index() + 1), PathMemory::default());
    }

    fn remove_path(&mut self, path: PathId) {
        self.paths[path.index()] = PathMemory::default();
    }

    fn on_sent(&mut self, path: PathId, _sent: &SentData, _view: &View<'_>) {
        self.paths[path.index()].is_decaying = false;
    }

    fn increase(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> ByteCount {
        let sample = view.path(path);
        let (cwnd, unit) = (sample.cwnd, sample.unit);
        let is_fully_used = self.is_fully_used(sample, acked.flight_before);
        let may_grow = acked.advanced || !self.rules.growth_needs_advance;
        let memory = &mut self.paths[path.index()];

        if cwnd <= sample.ssthresh {
            // RFC 9260 §7.2.1: "increase cwnd by the lesser of the total size of the previously outstanding
            // DATA chunk(s) acknowledged and L times the destination's PMDCS".
            let may_grow = may_grow && is_fully_used;
            return if may_grow { self.slow_start(sample, acked.bytes) } else { ByteCount::ZERO };
        }
        // RFC 9260 §7.2.2.
        let mut growth = ByteCount::ZERO;
        if may_grow {
            memory.partial_bytes_acked += acked.bytes;
            if memory.partial_bytes_acked >= cwnd && is_fully_used {
                memory.partial_bytes_acked -= cwnd;
                growth = unit;
            } else if self.rules.clamp_partial_bytes && !is_fully_used {
                memory.partial_bytes_acked = memory.partial_bytes_acked.min(cwnd);
            }
        }
        if acked.emptied {
            memory.partial_bytes_acked = ByteCount::ZERO;
        }
        growth
    }

    fn on_refused(&mut self, path: PathId, acked: &Acked, view: &View<'_>) {
        let sample = view.path(path);
        if sample.cwnd > sample.ssthresh && !acked.emptied {
            self.paths[path.index()].partial_bytes_acked = sample.cwnd;
        }
    }

    fn decrease(&mut self, path: PathId, cause: Cause, view: &View<'_>) -> Window {
        let sample = view.path(path);
        let memory = &mut self.paths[path.index()];
        memory.partial_bytes_acked = ByteCount::ZERO;
        let halved = (sample.cwnd / 2).max(sample.unit * self.rules.window_floor);
        match cause {
            Cause::Missing | Cause::EcnEcho => Window { cwnd: halved.min(sample.cwnd), ssthresh: halved },
            Cause::Timeout | Cause::TimeoutAgain => {
                Window { cwnd: sample.unit.min(sample.cwnd), ssthresh: halved }
            }
            Cause::Idle => {
                let is_first = !std::mem::replace(&mut memory.is_decaying, true);
                let keeps = self.rules.idle_keeps_ssthresh && is_first;
                let floor = (sample.unit * self.rules.idle_floor).min(sample.cwnd);
                Window {
                    cwnd: (sample.cwnd / 2).max(floor),
                    ssthresh: if keeps { sample.cwnd } else { sample.ssthresh },
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::Time;

    use super::*;
    use crate::policy::view::tests::{sample, view};

    const RULES: RenoRules = RenoRules {
        window_floor: 4,
        idle_floor: 4,
        growth_needs_advance: true,
        clamp_partial_bytes: false,
        idle_keeps_ssthresh: false,
        strict_window: false,
        slow_start: SlowStart::Unit,
    };

    fn reno(rules: RenoRules) -> Reno {
        let mut reno = Reno::new(rules);
        reno.add_path(PathId::FIRST);
        reno
    }

    /// `bytes` acknowledged with the window fully used.
    fn acked(path: &PathSample, bytes: u64) -> Acked {
        Acked {
            at: Time::ZERO,
            bytes: ByteCount::new(bytes),
            advanced: true,
            flight_before: path.cwnd,
            emptied: false,
            rtt: None,
        }
    }

    #[test]
    fn slow_start_grows_by_what_was_acked_up_to_one_unit() {
        let path = sample(0);
        let mut reno = reno(RULES);
        let paths = [path.clone()];
        let grown = [100, 1500, 3000].map(|n| reno.increase(path.id, &acked(&path, n), &view(&paths)).get());
        assert_eq!(grown, [100, 1500, 1500]);
    }

    #[test]
    fn slow_start_by_half_of_what_was_acked_ends_at_the_threshold() {
        let mut path = sample(0);
        (path.cwnd, path.ssthresh) = (ByteCount::new(6000), ByteCount::new(15_000));
        let paths = [path.clone()];
        let mut reno = reno(RenoRules { slow_start: SlowStart::HalfOfAcked, ..RULES });
        let grown =
            [3000, 9000, 90_000].map(|n| reno.increase(path.id, &acked(&path, n), &view(&paths)).get());
        assert_eq!(grown, [1500, 4500, 9000]);
        let near = [PathSample { cwnd: ByteCount::new(14_900), ..path.clone() }];
        assert_eq!(reno.increase(path.id, &acked(&near[0], 9000), &view(&near)).get(), 1500);
    }

    #[test]
    fn a_window_that_only_the_pacer_left_unused_grows() {
        let mut path = sample(0);
        path.is_paced = true;
        let mut half = acked(&path, 1500);
        half.flight_before = path.cwnd / 2;
        assert_eq!(reno(RULES).increase(path.id, &half, &view(&[path.clone()])).get(), 1500);
    }

    #[test]
    fn slow_start_needs_a_fully_used_window_and_an_advance() {
        let path = sample(0);
        let paths = [path.clone()];
        let mut idle = acked(&path, 1500);
        idle.flight_before = path.cwnd - ByteCount::new(1);
        assert_eq!(reno(RULES).increase(path.id, &idle, &view(&paths)), ByteCount::ZERO);

        let mut stuck = acked(&path, 1500);
        stuck.advanced = false;
        assert_eq!(reno(RULES).increase(path.id, &stuck, &view(&paths)), ByteCount::ZERO);
        let rfc9260 = RenoRules { growth_needs_advance: false, ..RULES };
        assert_eq!(reno(rfc9260).increase(path.id, &stuck, &view(&paths)).get(), 1500);
    }

    #[test]
    fn congestion_avoidance_grows_one_unit_when_a_full_window_is_acked() {
        let mut path = sample(0);
        path.cwnd = ByteCount::new(6000);
        path.ssthresh = ByteCount::new(5999);
        let paths = [path.clone()];
        let mut reno = reno(RULES);
        let grown = [3000, 3000, 3000].map(|n| reno.increase(path.id, &acked(&path, n), &view(&paths)).get());
        assert_eq!(grown, [0, 1500, 0]);
    }

    #[test]
    fn growth_that_was_refused_is_asked_for_again_at_the_next_ack() {
        let mut path = sample(0);
        path.cwnd = ByteCount::new(6000);
        path.ssthresh = ByteCount::new(1500);
        let paths = [path.clone()];
        let mut reno = reno(RULES);
        let grown = [4500, 1500, 1500].map(|n| {
            let acked = acked(&path, n);
            let wanted = reno.increase(path.id, &acked, &view(&paths));
            reno.on_refused(path.id, &acked, &view(&paths));
            wanted.get()
        });
        assert_eq!(grown, [0, 1500, 1500]);
    }

    #[test]
    fn partial_bytes_are_clamped_when_the_window_was_not_used() {
        let mut path = sample(0);
        path.cwnd = ByteCount::new(6000);
        path.ssthresh = ByteCount::new(1500);
        let paths = [path.clone()];
        let mut reno = reno(RenoRules { clamp_partial_bytes: true, ..RULES });
        let mut unused = acked(&path, 20_000);
        unused.flight_before = ByteCount::ZERO;
        assert!(reno.increase(path.id, &unused, &view(&paths)).is_zero());
        let grown = [1500, 1500].map(|n| reno.increase(path.id, &acked(&path, n), &view(&paths)).get());
        assert_eq!(grown, [1500, 0], "only one window's worth was kept");
    }

    #[test]
    fn a_loss_halves_down_to_the_floor_and_a_time_out_leaves_one_unit() {
        let mut path = sample(0);
        path.cwnd = ByteCount::new(30_000);
        let paths = [path.clone()];
        let cut = reno(RULES).decrease(path.id, Cause::Missing, &view(&paths));
        assert_eq!((cut.cwnd.get(), cut.ssthresh.get()), (15_000, 15_000));
        let cut = reno(RULES).decrease(path.id, Cause::Timeout, &view(&paths));
        assert_eq!((cut.cwnd.get(), cut.ssthresh.get()), (1500, 15_000));

        let mut small = sample(0);
        small.cwnd = ByteCount::new(4500);
        let paths = [small];
        let cut = reno(RULES).decrease(PathId::FIRST, Cause::Missing, &view(&paths));
        assert_eq!((cut.cwnd.get(), cut.ssthresh.get()), (4500, 6000), "a cut never raises cwnd");
    }

    #[test]
    fn idle_decay_remembers_the_window_once_in_ssthresh() {
        let mut path = sample(0);
        path.cwnd = ByteCount::new(30_000);
        path.ssthresh = ByteCount::new(6000);
        let mut reno = reno(RenoRules { idle_keeps_ssthresh: true, ..RULES });
        let first = reno.decrease(path.id, Cause::Idle, &view(&[path.clone()]));
        assert_eq!((first.cwnd.get(), first.ssthresh.get()), (15_000, 30_000));
        path.cwnd = first.cwnd;
        path.ssthresh = first.ssthresh;
        let second = reno.decrease(path.id, Cause::Idle, &view(&[path.clone()]));
        assert_eq!((second.cwnd.get(), second.ssthresh.get()), (7500, 30_000));
    }
}
