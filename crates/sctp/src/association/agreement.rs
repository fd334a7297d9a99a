//! Values that are constant for an association: this end's settings, and the result of the handshake.

use std::sync::Arc;

use anabranch_base::ByteCount;

use super::features::Features;
use super::receiver_rules::ReceiverRules;
use crate::config::Config;
use crate::policy::Registry;
use crate::receive::Budget;
use crate::seq::Tsn;
use crate::wire::VerificationTag;

/// The settings of an endpoint, constant while it exists. An association may have its own times.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The values, and the names of the policies.
    pub config: Config,
    /// The policies registered under these names.
    pub registry: Registry,
    /// The non-standard receiver rules that these policies need.
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
    /// The tag of received packets.
    pub local_tag: VerificationTag,
    /// The tag of sent packets.
    pub peer_tag: VerificationTag,
    /// This end's initial TSN.
    pub local_tsn: Tsn,
    /// The peer's initial TSN.
    pub peer_tsn: Tsn,
    /// The a_rwnd that the peer advertised: its receive buffer.
    pub peer_window: ByteCount,
    /// The number of streams that this end may use.
    pub outbound_streams: u16,
    /// The number of streams that the peer may use.
    pub inbound_streams: u16,
    /// True if both ends support ECN.
    pub ecn: bool,
    /// The extensions about user data that both ends support.
    pub features: Features,
    /// The receiver rules that both ends support.
    pub receiver: ReceiverRules,
}
