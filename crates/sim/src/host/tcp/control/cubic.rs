//! CUBIC (RFC 9438): each subflow by itself, by the curve that SCTP's paths may follow too.

use anabranch_base::Time;
use anabranch_sctp::policy::congestion::cubic::CubicCurve;

use super::{AckedPackets, Control, LEAST, LossSign, SubflowLoss, SubflowView};

/// A curve for each subflow.
#[derive(Debug)]
pub(super) struct Cubic {
    subflows: Vec<CubicSubflow>,
}

#[derive(Clone, Debug)]
struct CubicSubflow {
    curve: CubicCurve,
    last_acked: Option<Time>,
}

impl Cubic {
    /// For `count` subflows.
    pub(super) fn new(count: usize) -> Cubic {
        Cubic { subflows: vec![CubicSubflow { curve: CubicCurve::new(), last_acked: None }; count] }
    }
}

impl Control for Cubic {
    /// The time in which the window was not full does not count (RFC 9438 §5.8).
    fn on_acked(&mut self, acked: &AckedPackets) {
        let subflow = &mut self.subflows[acked.of];
        let last = subflow.last_acked.replace(acked.at).unwrap_or(acked.at);
        if !acked.was_full {
            subflow.curve.pause(acked.at.since(last));
        }
    }

    fn increase(&mut self, acked: &AckedPackets, subflows: &[SubflowView]) -> f64 {
        let SubflowView { window, srtt } = subflows[acked.of];
        self.subflows[acked.of].curve.growth(acked.at, srtt, window, acked.packets)
    }

    fn on_loss(&mut self, loss: &SubflowLoss, subflows: &[SubflowView]) -> f64 {
        let window = subflows[loss.of].window;
        let curve = &mut self.subflows[loss.of].curve;
        let left = match loss.sign {
            LossSign::Missing => curve.on_cut(window),
            LossSign::Timeout => curve.on_timeout(window),
        };
        left.max(LEAST)
    }
}
