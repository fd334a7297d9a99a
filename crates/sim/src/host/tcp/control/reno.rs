//! Reno: a packet more each round trip, half the window after a loss (RFC 5681 §3.1, §3.2).

use super::{AckedPackets, Control, SubflowLoss, SubflowView, half};

/// Each subflow by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reno;

impl Control for Reno {
    fn increase(&mut self, acked: &AckedPackets, subflows: &[SubflowView]) -> f64 {
        acked.packets / subflows[acked.of].window
    }

    fn on_loss(&mut self, loss: &SubflowLoss, _: &[SubflowView]) -> f64 {
        half(loss.flight)
    }
}
