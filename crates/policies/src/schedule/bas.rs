//! Bandwidth-aware scheduler: each chunk is bound to the path that is estimated to deliver it first when it comes near
//! the head of the queue (M-SCH-2; WS 2.2, from Westwood-SCTP).

use anabranch_base::Duration;
use anabranch_sctp::policy::{PathSample, Registry};

use super::virtual_queues::VirtualQueues;

/// Assigns a chunk of `s` bytes to the path `d` with the least
///
/// ```text
/// T_d = (Q_d + O_d + s) / BWE_d + D_d
/// ```
///
/// where `Q_d` is assigned to `d` and waits, `O_d` is in flight on it, and `D_d` is its delay one way: half of the least
/// round trip, else the configured delay, else half of the smoothed round trip. Chunks are not assigned anew, so that a
/// path that becomes slower holds up what follows.
pub(crate) fn bas() -> VirtualQueues {
    VirtualQueues::new(one_way_delay)
}

/// D_d.
fn one_way_delay(sample: &PathSample) -> Duration {
    let half = |round_trip: Duration| round_trip / 2;
    let known = sample.min_rtt.map(half).or(sample.hints.delay).or(sample.srtt.map(half));
    known.unwrap_or(Duration::ZERO)
}

pub(crate) fn add(registry: &mut Registry) {
    registry.schedulers.add("bas", |_| Box::new(bas()));
}

#[cfg(test)]
mod tests {
    use anabranch_base::BitRate;

    use super::*;
    use anabranch_sctp::policy::schedule::Scheduler;
    use anabranch_sctp::policy::testing::{QUEUE, sample, view};

    /// Paths of 12 Mbit/s, on which a packet takes 1 ms, and of 10 and 14 ms one way: the second one takes its first
    /// chunk when five wait for the first.
    #[test]
    fn the_shorter_path_gets_what_it_delivers_before_the_longer_one_delivers_its_first() {
        let mut paths = [sample(0), sample(1)];
        for (path, milliseconds) in paths.iter_mut().zip([20, 28]) {
            path.min_rtt = Some(Duration::from_millis(milliseconds));
            path.bandwidth = Some(BitRate::from_mbps(12));
            path.cwnd = path.unit * 10;
        }
        let mut bas = bas();
        bas.on_queued(&QUEUE, &view(&paths));
        assert_eq!(bas.assigned(), [vec![1, 2, 3, 4, 5, 7, 9], vec![6, 8]]);
    }

    #[test]
    fn the_delay_is_half_of_the_least_round_trip_else_what_is_configured_else_half_of_the_present_one() {
        let mut path = sample(0);
        assert_eq!(one_way_delay(&path), Duration::ZERO);
        path.srtt = Some(Duration::from_millis(60));
        assert_eq!(one_way_delay(&path), Duration::from_millis(30));
        path.hints.delay = Some(Duration::from_millis(25));
        assert_eq!(one_way_delay(&path), Duration::from_millis(25));
        path.min_rtt = Some(Duration::from_millis(40));
        assert_eq!(one_way_delay(&path), Duration::from_millis(20));
    }
}
