//! Limits the rate at which packets leave a path: trains, with gaps that follow from a rate.

use anabranch_base::{BitRate, ByteCount, Duration, Time};

/// The pacer of one path.
///
/// Each packet that leaves counts as the time that it takes at the rate. When the packets are ahead of time by a train,
/// or by the amount that the rate carries in a millisecond if that is more, the pacer closes until time has caught up.
/// So it never delays a window that one round trip of less than half a millisecond carries, and it seldom delays a
/// sender that receives acknowledgements evenly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacer {
    /// The rate when sending began; `None` without pacing.
    pace: Option<PacerState>,
    /// The time at which all packets would have left at the rate.
    free_at: Time,
    is_closed: bool,
}

#[derive(Clone, Copy, Debug)]
struct PacerState {
    unit: ByteCount,
    unit_time: Duration,
    train: Duration,
}

impl Pacer {
    /// A pacer that never closes.
    pub(super) fn new() -> Pacer {
        Pacer { pace: None, free_at: Time::ZERO, is_closed: false }
    }

    /// Sending begins: from `now` on packets of size `unit` leave at `rate`, in trains of at least `packets` packets.
    ///
    /// If only the pacer held packets back (`alone`) and it opens too late, because a timer was late, it allows the
    /// packets that were missed, up to one train. Time in which the window was full or nothing was sent is not made up.
    pub(super) fn begin(
        &mut self,
        now: Time,
        rate: Option<BitRate>,
        unit: ByteCount,
        packets: u32,
        alone: bool,
    ) {
        let unit_time = rate.and_then(|rate| rate.time_for(unit));
        self.pace = unit_time.map(|unit_time| {
            let train = (unit_time * u64::from(packets)).max(SHORTEST_TRAIN);
            PacerState { unit, unit_time, train }
        });
        let Some(PacerState { train, .. }) = self.pace else {
            self.is_closed = false;
            self.free_at = now;
            return;
        };
        if self.free_at <= now {
            let missed = if self.is_closed && alone { train } else { Duration::ZERO };
            self.free_at = self.free_at.max(now - missed);
            self.is_closed = false;
        }
    }

    /// A packet of weight `weight` left.
    pub(super) fn on_packet(&mut self, now: Time, weight: ByteCount) {
        let Some(PacerState { unit, unit_time, train }) = self.pace else { return };
        self.free_at += unit_time * weight.get() / unit.get().max(1);
        self.is_closed = self.free_at.since(now) >= train;
    }

    /// One packet may leave even if a train has just left.
    pub(crate) fn allow_one_packet(&mut self) {
        self.is_closed = false;
    }

    /// The time at which packets may leave again; `None` if they may leave now.
    pub(crate) fn opens_at(&self) -> Option<Time> {
        self.is_closed.then_some(self.free_at)
    }
}

/// A timer with a resolution of a millisecond, as tokio's, must not make the pacer slower than the rate. Linux sizes
/// its trains by the same time: `sk_pacing_shift` is 10, a 1024th of what the rate carries in a second.
const SHORTEST_TRAIN: Duration = Duration::from_millis(1);

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: ByteCount = ByteCount::new(1500);
    /// 1,500 B in a millisecond.
    const RATE: Option<BitRate> = Some(BitRate::from_mbps(12));

    fn ms(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    /// The number of packets, up to 100, that leave at `now`.
    fn train(pacer: &mut Pacer, now: Time, rate: Option<BitRate>) -> u32 {
        train_after(pacer, now, rate, true)
    }

    /// The number of packets that leave, where only the pacer held them back (`alone`), or the window too.
    fn train_after(pacer: &mut Pacer, now: Time, rate: Option<BitRate>, alone: bool) -> u32 {
        pacer.begin(now, rate, UNIT, 16, alone);
        let mut packets = 0;
        while pacer.opens_at().is_none() && packets < 100 {
            pacer.on_packet(now, UNIT);
            packets += 1;
        }
        packets
    }

    #[test]
    fn a_train_leaves_and_the_next_waits_as_long_as_it_takes_at_the_rate() {
        let mut pacer = Pacer::new();
        assert_eq!((train(&mut pacer, ms(0), RATE), pacer.opens_at()), (16, Some(ms(16))));
        assert_eq!(train(&mut pacer, ms(15), RATE), 0, "too early");
        assert_eq!((train(&mut pacer, ms(16), RATE), pacer.opens_at()), (16, Some(ms(32))));
    }

    #[test]
    fn what_a_late_timer_missed_leaves_up_to_a_train() {
        let mut pacer = Pacer::new();
        train(&mut pacer, ms(0), RATE);
        assert_eq!((train(&mut pacer, ms(18), RATE), pacer.opens_at()), (18, Some(ms(34))));
        assert_eq!(train(&mut pacer, ms(900), RATE), 32);
    }

    #[test]
    fn a_window_that_was_full_saves_nothing_up() {
        let mut pacer = Pacer::new();
        train(&mut pacer, ms(0), RATE);
        assert_eq!((train_after(&mut pacer, ms(18), RATE, false), pacer.opens_at()), (16, Some(ms(34))));
        assert_eq!(train_after(&mut pacer, ms(900), RATE, false), 16);
    }

    #[test]
    fn silence_saves_nothing_up() {
        let mut pacer = Pacer::new();
        pacer.begin(ms(0), RATE, UNIT, 16, true);
        pacer.on_packet(ms(0), UNIT);
        assert_eq!(train(&mut pacer, ms(900), RATE), 16);
    }

    #[test]
    fn a_fast_path_sends_a_millisecond_at_once_and_one_without_a_rate_all() {
        let mut pacer = Pacer::new();
        assert_eq!(train(&mut pacer, ms(0), Some(BitRate::from_mbps(960))), 80);
        assert_eq!(train(&mut pacer, ms(0), Some(BitRate::from_mbps(960))), 0);
        assert_eq!(train(&mut pacer, ms(0), None), 100);
    }

    #[test]
    fn one_packet_leaves_out_of_turn_and_delays_the_next_train() {
        let mut pacer = Pacer::new();
        train(&mut pacer, ms(0), RATE);
        pacer.allow_one_packet();
        pacer.on_packet(ms(1), UNIT);
        assert_eq!(pacer.opens_at(), Some(ms(17)));
    }
}
