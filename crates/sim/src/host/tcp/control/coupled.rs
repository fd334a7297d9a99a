//! The subflows grow together, by a rule that SCTP's paths may have too (M-MP-2).

use anabranch_sctp::policy::congestion::coupled::Progress;
use anabranch_sctp::policy::congestion::coupled::{CoupledRule, Member};

use super::{AckedPackets, Control, LEAST, SubflowLoss, SubflowView, half};

/// The subflows grow by a common rule.
#[derive(Debug)]
pub(super) struct Coupled<R> {
    rule: R,
    progress: Vec<Progress>,
    /// The members of the event that is handled. It is kept for its memory.
    members: Vec<Member>,
}

impl<R: CoupledRule> Coupled<R> {
    /// For `count` subflows.
    pub(super) fn new(rule: R, count: usize) -> Coupled<R> {
        Coupled { rule, progress: vec![Progress::default(); count], members: Vec::with_capacity(count) }
    }

    fn collect(&mut self, subflows: &[SubflowView]) {
        let Coupled { members, progress, .. } = self;
        members.clear();
        members.extend(subflows.iter().zip(progress).map(|(subflow, progress)| Member {
            window: subflow.window,
            srtt: subflow.srtt.as_secs_f64(),
            progress: progress.longest(),
            bandwidth: None,
        }));
    }
}

impl<R: CoupledRule> Control for Coupled<R> {
    fn on_acked(&mut self, acked: &AckedPackets) {
        self.progress[acked.of].on_acked(acked.packets);
    }

    fn increase(&mut self, acked: &AckedPackets, subflows: &[SubflowView]) -> f64 {
        self.collect(subflows);
        self.rule.growth(&self.members, acked.of) * acked.packets
    }

    fn on_loss(&mut self, loss: &SubflowLoss, subflows: &[SubflowView]) -> f64 {
        self.collect(subflows);
        self.progress[loss.of].on_loss();
        self.rule.after_loss(&self.members, loss.of, LEAST).unwrap_or_else(|| half(loss.flight))
    }
}
