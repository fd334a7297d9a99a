//! Reno: a packet more each round trip, half the window after a loss (RFC 5681 §3.1, §3.2).

use anabranch_base::Time;

use super::{AckedPackets, Control, SubflowView, half};

/// Each subflow by itself.
#[derive(Clone, Copy, Debug)]
pub struct Reno;

impl Control for Reno {
    fn increase(&mut self, acked: &AckedPackets, subflows: &[SubflowView]) -> f64 {
        acked.packets / subflows[acked.of].window
    }

    fn threshold(&mut self, _: Time, _: usize, flight: f64, _: &[SubflowView]) -> f64 {
        half(flight)
    }
}
