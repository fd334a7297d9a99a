//! An open association: its parts, none of which sees another. The files beside this one combine them: each carries out
//! what one thing demands that can happen.

mod application;
mod dispatch;
mod on_asconf;
mod on_heartbeat;
mod on_timeout;
mod paths;
mod shutdown;
mod transmit;

use std::collections::VecDeque;
use std::sync::Arc;

use anabranch_base::Seed;

pub use shutdown::ShutdownState;

use super::agreement::{Agreement, Settings};
use super::extensions::Extensions;
use super::ground::Ground;
use super::peer_addresses::PeerAddresses;
use super::receiver::{AckRules, Receiver};
use super::sender::{Sender, SenderRules};
use crate::association::receiver_rules::ReceiverRules;
use crate::config::Config;
use crate::event::Event;
use crate::path::PathTable;
use crate::policy::{PathId, Registry, UnknownPolicy};
use crate::receive::ReadyMessages;
use crate::record::Record;

/// An open association.
#[derive(Debug)]
pub struct Session {
    ground: Ground,
    sender: Sender,
    receiver: Receiver,
    peer: PeerAddresses,
}

/// What remains of a session that ended.
#[derive(Debug)]
pub struct Remains {
    /// The complete messages that nobody has read.
    pub ready: ReadyMessages,
    /// The events that nobody has polled.
    pub events: VecDeque<Event>,
    /// The records that nobody has polled; `None` if recording is off.
    pub records: Option<VecDeque<Record>>,
    /// What is known of the paths.
    pub paths: PathTable,
    /// What does not change while the endpoint exists.
    pub settings: Arc<Settings>,
    /// The last verified path, if its address was lost.
    pub departed: Option<PathId>,
}

/// Builds every policy that `config` names once. Returns the rules of the receiver that they are.
///
/// # Errors
/// `registry` does not have one of the names.
pub fn build_policies(
    registry: &Registry,
    config: &Config,
    seed: &Seed,
) -> Result<ReceiverRules, UnknownPolicy> {
    SenderRules::build(registry, config, seed)?;
    let new_gaps = AckRules::build(registry, config, seed)?.reports_new_gaps();
    Ok(ReceiverRules { two_levels: config.has_two_levels(), new_gaps })
}

impl Session {
    /// Opens an association over `paths`.
    pub fn new(settings: Arc<Settings>, agreement: Agreement, mut paths: PathTable, seed: &Seed) -> Session {
        let Settings { config, registry, .. } = &*settings;
        let checked = "checked with the endpoint's settings";
        let mut sender_rules = SenderRules::build(registry, config, seed).expect(checked);
        sender_rules.agree(agreement.receiver, config);
        let mut ack_rules = AckRules::build(registry, config, seed).expect(checked);
        ack_rules.agree(agreement.receiver, config);
        paths.clear_errors_in_row();
        let mut ground = Ground::new(settings, agreement, paths, seed);
        let mut sender = Sender::new(&ground, sender_rules, seed);
        let receiver = Receiver::new(&ground, ack_rules);
        sender.add_first_paths(&mut ground);
        Session { ground, sender, receiver, peer: PeerAddresses::default() }
    }

    /// Enables the extensions both ends support.
    pub fn enable_extensions(&mut self, extensions: Extensions) {
        self.peer.enable_extensions(extensions, &self.ground.agreement);
    }
}
