//! How the congestion windows of a connection grow and shrink. One control serves all subflows, because coupled rules
//! need the windows of the others. Windows are in packets of full size.

mod reno;

pub use reno::Reno;

use std::fmt::Debug;

use anabranch_base::{Duration, Time};
use anabranch_scenario::model::TcpControl;

/// A subflow as a control sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SubflowView {
    /// The congestion window in packets.
    pub window: f64,
    /// The smoothed round-trip time, once measured.
    pub srtt: Option<Duration>,
}

/// Packets that were acknowledged on a subflow.
#[derive(Clone, Copy, Debug)]
pub struct AckedPackets {
    /// When.
    pub at: Time,
    /// The index of the subflow.
    pub of: usize,
    /// How many, as growth counts them.
    pub packets: f64,
}

/// A rule for the growth and the cuts of congestion windows.
pub trait Control: Debug + Send {
    /// Packets were acknowledged on a subflow, in whichever phase it is.
    fn on_acked(&mut self, _acked: &AckedPackets) {}

    /// By how many packets the window of the subflow grows in congestion avoidance.
    fn increase(&mut self, acked: &AckedPackets, subflows: &[SubflowView]) -> f64;

    /// The slow-start threshold of subflow `of` after a loss, with `flight` packets outstanding; after fast recovery the
    /// window is as large.
    fn threshold(&mut self, now: Time, of: usize, flight: f64, subflows: &[SubflowView]) -> f64;

    /// The retransmission timer of subflow `of` expired, after [`threshold`](Control::threshold).
    fn on_timeout(&mut self, _now: Time, _of: usize) {}
}

/// The control of this name for `count` subflows. Over one path the coupled controls are Reno's.
pub fn control(_name: TcpControl, _count: usize) -> Box<dyn Control> {
    Box::new(Reno)
}

/// Half of what is outstanding, two packets at least (RFC 5681 (4)).
fn half(flight: f64) -> f64 {
    (flight / 2.0).max(2.0)
}
