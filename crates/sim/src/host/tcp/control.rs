//! The growth and the cuts of the congestion windows of a connection. One control serves all subflows, because
//! coupled rules need the windows of the others. Windows are in packets of full size; the rules that SCTP has too are
//! in its crate.

mod coupled;
mod cubic;
mod reno;

use std::fmt::Debug;

use anabranch_base::{Duration, Time};
use anabranch_policies::{Balia, Olia};
use anabranch_scenario::model::TcpControl;
use anabranch_sctp::policy::congestion::coupled::lia::Lia;

use coupled::Coupled;
use cubic::Cubic;
use reno::Reno;

/// A subflow as a control sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SubflowView {
    /// The congestion window in packets.
    pub window: f64,
    /// The smoothed round-trip time; before a measurement a third of the time-out.
    pub srtt: Duration,
}

/// Packets that were acknowledged on a subflow.
#[derive(Clone, Copy, Debug)]
pub(super) struct AckedPackets {
    /// When.
    pub at: Time,
    /// The index of the subflow.
    pub of: usize,
    /// The number of packets, as growth counts them.
    pub packets: f64,
    /// True if the window was full.
    pub was_full: bool,
}

/// A loss on a subflow.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubflowLoss {
    /// The index of the subflow.
    pub of: usize,
    /// The number of packets that were outstanding, of those that the window allows.
    pub flight: f64,
    /// The sign of the loss.
    pub sign: LossSign,
}

/// The sign by which a loss was detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LossSign {
    /// Later segments arrived.
    Missing,
    /// The retransmission timer expired.
    Timeout,
}

/// A rule for the growth and the cuts of congestion windows.
pub(super) trait Control: Debug + Send {
    /// Packets were acknowledged on a subflow, in whichever phase it is.
    fn on_acked(&mut self, _acked: &AckedPackets) {}

    /// By how many packets the window of the subflow grows in congestion avoidance.
    fn increase(&mut self, acked: &AckedPackets, subflows: &[SubflowView]) -> f64;

    /// The slow-start threshold of a subflow after a loss; in fast recovery it is the window too.
    fn on_loss(&mut self, loss: &SubflowLoss, subflows: &[SubflowView]) -> f64;
}

/// The control of this name for `count` subflows. Over one path the coupled controls are Reno's.
pub(super) fn control(name: TcpControl, count: usize) -> Box<dyn Control> {
    match name {
        TcpControl::Cubic => Box::new(Cubic::new(count)),
        TcpControl::Lia if count > 1 => Box::new(Coupled::new(Lia, count)),
        TcpControl::Olia if count > 1 => Box::new(Coupled::new(Olia, count)),
        TcpControl::Balia if count > 1 => Box::new(Coupled::new(Balia, count)),
        TcpControl::Reno | TcpControl::Lia | TcpControl::Olia | TcpControl::Balia => Box::new(Reno),
    }
}

/// The least threshold in packets (RFC 5681 (4)).
const LEAST: f64 = 2.0;

/// Half of what is outstanding (RFC 5681 (4)).
fn half(flight: f64) -> f64 {
    (flight / 2.0).max(LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subflows(windows: [f64; 2], milliseconds: [u64; 2]) -> Vec<SubflowView> {
        let view = |(window, srtt)| SubflowView { window, srtt: Duration::from_millis(srtt) };
        windows.into_iter().zip(milliseconds).map(view).collect()
    }

    fn growth(name: TcpControl, of: usize, subflows: &[SubflowView]) -> f64 {
        let acked = AckedPackets { at: Time::ZERO, of, packets: 1.0, was_full: true };
        control(name, subflows.len()).increase(&acked, subflows)
    }

    #[test]
    fn golden_g9_lia_grows_both_windows_by_a_fortieth_for_each_packet() {
        let subflows = subflows([10.0, 20.0], [100, 200]);
        for of in [0, 1] {
            assert!((growth(TcpControl::Lia, of, &subflows) - 0.025).abs() < 1e-12);
        }
    }

    #[test]
    fn balia_grows_and_cuts_as_in_its_paper() {
        let subflows = subflows([10.0, 20.0], [100, 400]);
        assert!((growth(TcpControl::Balia, 0, &subflows) - 0.044_44).abs() < 1e-5);
        assert!((growth(TcpControl::Balia, 1, &subflows) - 0.01).abs() < 1e-9);
        let loss = |of| SubflowLoss { of, flight: 10.0, sign: LossSign::Missing };
        let cut = |of| control(TcpControl::Balia, 2).on_loss(&loss(of), &subflows);
        assert_eq!([cut(0), cut(1)], [5.0, 5.0]);
    }

    #[test]
    fn olia_moves_growth_to_the_path_that_lost_least() {
        let subflows = subflows([10.0, 20.0], [100, 200]);
        let mut olia = control(TcpControl::Olia, 2);
        for (of, packets) in [(0, 400.0), (1, 100.0)] {
            olia.on_acked(&AckedPackets { at: Time::ZERO, of, packets, was_full: true });
        }
        let mut growth = |of| {
            let acked = AckedPackets { at: Time::ZERO, of, packets: 1.0, was_full: true };
            olia.increase(&acked, &subflows)
        };
        assert!((growth(0) - 0.075).abs() < 1e-12);
        assert!((growth(1) + 0.0125).abs() < 1e-12);
    }

    #[test]
    fn over_one_path_coupled_controls_are_reno() {
        let subflows = &subflows([10.0, 20.0], [100, 200])[..1];
        for name in [TcpControl::Reno, TcpControl::Lia, TcpControl::Olia, TcpControl::Balia] {
            assert!((growth(name, 0, subflows) - 0.1).abs() < 1e-12, "{name:?}");
            let loss = SubflowLoss { of: 0, flight: 3.0, sign: LossSign::Timeout };
            assert_eq!(control(name, 1).on_loss(&loss, subflows), LEAST);
        }
    }
}
