//! The share of a path's packets that is lost without a queue.

use anabranch_base::{ByteCount, Time};

use crate::policy::PathSample;

/// The share of what left one path that was lost while nothing waited, of the last eight windows or 128 packets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChanceLosses {
    share: f64,
    /// The time until which losses are still those of slow start, which filled the queue.
    excused_until: Time,
}

impl ChanceLosses {
    /// The share, 0 to 1.
    pub(super) fn share(&self) -> f64 {
        self.share
    }

    /// `bytes` were acknowledged.
    pub(super) fn on_acked(&mut self, bytes: ByteCount, sample: &PathSample) {
        self.share *= 1.0 - weight(bytes, sample);
    }

    /// `bytes` were lost, while no queue was seen.
    pub(super) fn on_lost(&mut self, bytes: ByteCount, sample: &PathSample, now: Time) {
        if now >= self.excused_until {
            self.share += (1.0 - self.share) * weight(bytes, sample);
        }
    }

    /// A cut ended slow start.
    pub(crate) fn on_slow_start_cut(&mut self, sample: &PathSample, now: Time) {
        let excused_until = now + sample.srtt.unwrap_or(sample.rto) * EXCUSED;
        *self = ChanceLosses { share: 0.0, excused_until };
    }
}

fn weight(bytes: ByteCount, sample: &PathSample) -> f64 {
    let memory = (sample.unit * PACKETS).max(sample.cwnd * WINDOWS);
    (bytes.get() as f64 / memory.get().max(1) as f64).min(1.0)
}

/// The least number of packets that are remembered: of fewer, a single loss would be a twentieth.
const PACKETS: u64 = 128;
/// The least number of windows that are remembered.
const WINDOWS: u64 = 8;
/// The number of round trips after slow start in which its losses are still found.
const EXCUSED: u64 = 4;

#[cfg(test)]
mod tests {
    use anabranch_base::Duration;

    use super::*;
    use crate::policy::testing::sample;

    /// A window of ten packets: 128 count.
    fn lose(losses: &mut ChanceLosses, packets: u64, millis: u64) -> f64 {
        let path = PathSample { srtt: Some(Duration::from_millis(100)), ..sample(0) };
        let path = PathSample { cwnd: path.unit * 10, ..path };
        let now = Time::ZERO + Duration::from_millis(millis);
        (0..packets).for_each(|_| losses.on_lost(path.unit, &path, now));
        losses.share()
    }

    #[test]
    fn a_loss_is_one_of_128_packets_and_what_arrives_makes_it_less() {
        let mut losses = ChanceLosses::default();
        assert!((lose(&mut losses, 1, 0) - 1.0 / 128.0).abs() < 1e-12);
        let path = PathSample { cwnd: sample(0).unit * 10, ..sample(0) };
        losses.on_acked(path.unit * 64, &path);
        assert!((losses.share() - 0.5 / 128.0).abs() < 1e-12);
    }

    #[test]
    fn what_slow_start_lost_is_excused_for_four_round_trips() {
        let mut losses = ChanceLosses::default();
        assert!(lose(&mut losses, 20, 0) > 0.1);
        let path = PathSample { srtt: Some(Duration::from_millis(100)), ..sample(0) };
        losses.on_slow_start_cut(&path, Time::ZERO);
        assert_eq!(lose(&mut losses, 20, 399), 0.0);
        assert!(lose(&mut losses, 20, 400) > 0.1);
    }
}
