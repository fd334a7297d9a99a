//! Flow control by the first of two levels of the receive buffer (M-IPCC-7, YE 6.6): what waits for missing chunks is in
//! the second one, and does not close the window.

use anabranch_base::ByteCount;

use super::flow_control::{BufferSample, FlowControl};
use super::standard::least_useful;

/// The receiver advertises the room for data in order. While there is some, the sender assumes that there is room for
/// all it sends: flight is not subtracted.
#[derive(Clone, Copy, Debug, Default)]
pub struct TwoLevelFlow;

impl FlowControl for TwoLevelFlow {
    /// A window that was closed stays so until there is room for a full chunk: any window opens it wholly.
    fn advertise(&self, buffer: &BufferSample) -> ByteCount {
        let free = free(buffer);
        let stays_closed = buffer.offered.is_zero() && free < least_useful(buffer);
        if stays_closed { ByteCount::ZERO } else { free }
    }

    fn is_update_due(&self, buffer: &BufferSample) -> bool {
        buffer.offered.is_zero() && free(buffer) >= least_useful(buffer)
    }

    fn peer_window(&self, a_rwnd: ByteCount, _flight: ByteCount) -> ByteCount {
        if a_rwnd.is_zero() { ByteCount::ZERO } else { ByteCount::MAX }
    }
}

fn free(buffer: &BufferSample) -> ByteCount {
    buffer.capacity.saturating_sub(buffer.in_order)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(in_order: u64, out_of_order: u64, offered: u64) -> BufferSample {
        BufferSample {
            capacity: ByteCount::new(6000),
            in_order: ByteCount::new(in_order),
            out_of_order: ByteCount::new(out_of_order),
            holdable: ByteCount::ZERO,
            offered: ByteCount::new(offered),
            full_chunk: ByteCount::new(1500),
        }
    }

    #[test]
    fn what_waits_for_missing_chunks_takes_nothing_off_the_window() {
        let advertised = |buffer| TwoLevelFlow.advertise(&buffer).get();
        assert_eq!(advertised(buffer(0, 1_000_000, 6000)), 6000);
        assert_eq!(advertised(buffer(4000, 1_000_000, 6000)), 2000);
        assert_eq!(advertised(buffer(6000, 0, 10)), 0);
    }

    #[test]
    fn an_open_window_is_open_whatever_is_in_flight() {
        let flight = ByteCount::from_mib(64);
        assert_eq!(TwoLevelFlow.peer_window(ByteCount::new(1), flight), ByteCount::MAX);
        assert_eq!(TwoLevelFlow.peer_window(ByteCount::ZERO, ByteCount::ZERO), ByteCount::ZERO);
    }

    #[test]
    fn a_closed_window_opens_by_a_full_chunk() {
        assert_eq!(TwoLevelFlow.advertise(&buffer(4501, 0, 0)), ByteCount::ZERO);
        assert!(!TwoLevelFlow.is_update_due(&buffer(4501, 0, 0)));
        assert!(TwoLevelFlow.is_update_due(&buffer(4500, 0, 0)));
        assert!(!TwoLevelFlow.is_update_due(&buffer(4500, 0, 1)), "the peer may send");
    }
}
