//! The standard's single window: the free part of the buffer, for data in order and out of order.

use anabranch_base::ByteCount;

use super::flow_control::{BufferSample, FlowControl};

/// The receiver advertises the free part of the buffer, and the sender subtracts its flight (RFC 9260 §6.2, §6.2.1).
///
/// To avoid the silly window syndrome (RFC 1122 §4.2.3.3, which RFC 9260 §6.2 refers to), a window below min(buffer/2,
/// one full chunk) never grows to another value below that. An empty buffer is always above it, and reading the last
/// data makes an update due: so neither end waits forever.
#[derive(Clone, Copy, Debug, Default)]
pub struct StandardFlow;

impl FlowControl for StandardFlow {
    fn advertise(&self, buffer: &BufferSample) -> ByteCount {
        let free = free(buffer);
        if free >= least_useful(buffer) { free } else { free.min(buffer.offered) }
    }

    fn is_update_due(&self, buffer: &BufferSample) -> bool {
        let least_useful = least_useful(buffer);
        buffer.offered < least_useful && free(buffer) >= least_useful
    }

    /// RFC 9260 §6.2.1 D: "the newly received a_rwnd minus the number of bytes still outstanding".
    fn peer_window(&self, a_rwnd: ByteCount, flight: ByteCount) -> ByteCount {
        a_rwnd.saturating_sub(flight)
    }
}

fn free(buffer: &BufferSample) -> ByteCount {
    let held = buffer.in_order + buffer.out_of_order;
    buffer.capacity.saturating_sub(held).min(buffer.holdable)
}

/// The smallest window that justifies a SACK. It is never zero, because a window of zero would then count as open.
pub(super) fn least_useful(buffer: &BufferSample) -> ByteCount {
    buffer.full_chunk.min(buffer.capacity / 2).max(ByteCount::new(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A buffer for four full chunks of 1,500 B.
    fn buffer(in_order: u64, out_of_order: u64, offered: u64) -> BufferSample {
        BufferSample {
            capacity: ByteCount::new(6000),
            in_order: ByteCount::new(in_order),
            out_of_order: ByteCount::new(out_of_order),
            holdable: ByteCount::MAX,
            offered: ByteCount::new(offered),
            full_chunk: ByteCount::new(1500),
        }
    }

    fn advertised(buffer: BufferSample) -> u64 {
        StandardFlow.advertise(&buffer).get()
    }

    #[test]
    fn what_is_held_in_and_out_of_order_is_taken_off_the_window() {
        assert_eq!(advertised(buffer(0, 0, 6000)), 6000);
        assert_eq!(advertised(buffer(1000, 2000, 6000)), 3000);
        assert_eq!(advertised(buffer(4000, 4000, 0)), 0);
    }

    /// G22, YE Fig 14: TSN 21 of 21–24 is lost, 22–24 are in the buffer.
    #[test]
    fn four_chunks_in_a_buffer_of_four_leave_the_sender_no_window() {
        let a_rwnd = StandardFlow.advertise(&buffer(0, 4500, 1500));
        assert_eq!(a_rwnd, ByteCount::new(1500));
        assert_eq!(StandardFlow.peer_window(a_rwnd, ByteCount::new(1500)), ByteCount::ZERO);
    }

    #[test]
    fn more_in_flight_than_advertised_leaves_no_window_rather_than_a_negative_one() {
        assert!(StandardFlow.peer_window(ByteCount::new(100), ByteCount::new(1500)).is_zero());
    }

    #[test]
    fn a_small_window_shrinks_as_it_is_used() {
        assert_eq!(advertised(buffer(5000, 0, 1000)), 1000);
        assert_eq!(advertised(buffer(5900, 0, 100)), 100);
    }

    #[test]
    fn a_closed_window_opens_by_a_full_chunk_or_not_at_all() {
        assert_eq!(advertised(buffer(4501, 0, 0)), 0);
        assert!(!StandardFlow.is_update_due(&buffer(4501, 0, 0)));
        assert_eq!(advertised(buffer(4500, 0, 0)), 1500);
        assert!(StandardFlow.is_update_due(&buffer(4500, 0, 0)));
    }

    #[test]
    fn an_open_window_needs_no_update() {
        assert!(!StandardFlow.is_update_due(&buffer(0, 0, 1500)));
    }

    #[test]
    fn half_a_buffer_is_enough_where_a_full_chunk_is_more() {
        let small = BufferSample { capacity: ByteCount::new(2000), ..buffer(1000, 0, 0) };
        assert_eq!(advertised(small), 1000);
        assert!(StandardFlow.is_update_due(&small));
    }

    #[test]
    fn a_window_is_not_larger_than_the_memory_behind_it() {
        let crowded = BufferSample { holdable: ByteCount::new(1600), ..buffer(100, 0, 5900) };
        assert_eq!(advertised(crowded), 1600);
    }
}
