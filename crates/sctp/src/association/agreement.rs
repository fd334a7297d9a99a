//! What holds for a whole association: this end's settings, and what both ends agreed on.

use std::sync::Arc;

use anabranch_base::ByteCount;

use super::receiver_rules::ReceiverRules;
use crate::config::Config;
use crate::policy::Registry;
use crate::receive::Budget;
use crate::seq::Tsn;
use crate::wire::VerificationTag;

/// What does not change while an endpoint exists.
#[derive(Debug)]
pub struct Settings {
    /// The values and the policies' names.
    pub config: Config,
    /// The policies of these names.
    pub registry: Registry,
    /// The rules of the receiver that these policies are.
    pub receiver: ReceiverRules,
    /// The memory by which all receive buffers together may grow.
    pub budget: Arc<Budget>,
}

/// The result of the handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// This end's SCTP port.
    pub local_port: u16,
    /// The peer's SCTP port.
    pub peer_port: u16,
    /// The tag on packets that arrive.
    pub local_tag: VerificationTag,
    /// The tag on packets that leave.
    pub peer_tag: VerificationTag,
    /// The first TSN that leaves.
    pub local_tsn: Tsn,
    /// The first TSN that arrives.
    pub peer_tsn: Tsn,
    /// The peer's receive buffer.
    pub peer_window: ByteCount,
    /// The number of streams this end that may use.
    pub outbound_streams: u16,
    /// The number of streams the peer that may use.
    pub inbound_streams: u16,
    /// True if both ends support ECN.
    pub ecn: bool,
    /// The rules of the receiver that both ends have.
    pub receiver: ReceiverRules,
}
