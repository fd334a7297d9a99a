//! Reception index: each chunk is bound to the path whose rate drains what it already has first (M-SCH-3; WS 2.2).

use anabranch_base::Duration;
use anabranch_sctp::policy::Registry;

use super::virtual_queues::VirtualQueues;

/// Assigns a chunk of `s` bytes to the path `d` with the least
///
/// ```text
/// RI_d = (s + outstanding_d + buffered_d) / BWE_d
/// ```
///
/// where `buffered_d` is assigned to `d` and waits. This is the rule of [`bas`](super::bas) without the delay.
pub(crate) fn reception_index() -> VirtualQueues {
    VirtualQueues::new(|_| Duration::ZERO)
}

pub(crate) fn add(registry: &mut Registry) {
    registry.schedulers.add("reception-index", |_| Box::new(reception_index()));
}

#[cfg(test)]
mod tests {
    use anabranch_base::BitRate;

    use super::*;
    use anabranch_sctp::policy::schedule::Scheduler;
    use anabranch_sctp::policy::testing::{QUEUE, sample, view};

    #[test]
    fn chunks_are_shared_out_by_rate_whatever_the_delay() {
        let mut paths = [sample(0), sample(1)];
        for (path, (milliseconds, mbps)) in paths.iter_mut().zip([(200, 20), (10, 10)]) {
            path.min_rtt = Some(Duration::from_millis(milliseconds));
            path.bandwidth = Some(BitRate::from_mbps(mbps));
            path.cwnd = path.unit * 10;
        }
        let mut index = reception_index();
        index.on_queued(&QUEUE, &view(&paths));
        assert_eq!(index.assigned(), [vec![1, 2, 4, 5, 7, 8], vec![3, 6, 9]], "ties go to the lower index");
    }

    #[test]
    fn what_is_in_flight_counts_as_what_waits() {
        let mut paths = [sample(0), sample(1)];
        for path in &mut paths {
            path.bandwidth = Some(BitRate::from_mbps(10));
            path.cwnd = path.unit * 10;
        }
        paths[0].flight = paths[0].unit * 3;
        let mut index = reception_index();
        index.on_queued(&QUEUE, &view(&paths));
        assert_eq!(index.assigned(), [vec![5, 7, 9], vec![1, 2, 3, 4, 6, 8]]);
    }
}
