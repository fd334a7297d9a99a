//! The values from which the registry builds policies. They stand alone, because policies check them, and the registry knows
//! the policies.

use anabranch_base::{Duration, Seed};

use super::acknowledge::DacWire;
use super::congestion::reno::RenoRules;
use super::loss_detection::cmt::CmtRules;
use super::registry::own::OwnSettings;

/// The values that the constructors of policies need.
#[derive(Clone, Debug)]
pub struct StandardRules {
    /// The rules of the standard congestion control.
    pub reno: RenoRules,
    /// True if packets leave at the control's rate, and not in bursts.
    pub is_paced: bool,
    /// The number of missing reports that make a chunk lost.
    pub missing_reports: u8,
    /// The rules of CMT for the loss detection `cmt`.
    pub cmt: CmtRules,
    /// The fixed limit of each path's window, in full packets, in the order of the paths.
    pub window_limits: Vec<u32>,
    /// The number of packets that a SACK answers.
    pub sack_every: u32,
    /// The longest delay of a SACK.
    pub sack_delay: Duration,
    /// The encoding of the number of packets in SACKs.
    pub dac_wire: DacWire,
    /// The least retransmission time-out.
    pub rto_min: Duration,
    /// The largest retransmission time-out.
    pub rto_max: Duration,
    /// The settings of policies' own.
    pub own: OwnSettings,
    /// The seed for rules that draw random numbers: each uses the child with its name.
    pub seed: Seed,
}
