//! An open association and its parts, which do not access one another. The files beside this one combine them, one file
//! for each kind of event.

mod application;
mod dispatch;
mod on_asconf;
mod on_heartbeat;
mod on_re_config;
mod on_timeout;
mod paths;
mod reconfiguring;
mod shutdown;
mod transmit;

use std::collections::VecDeque;
use std::sync::Arc;

use anabranch_base::Seed;

pub(super) use shutdown::ShutdownState;

use super::agreement::{Agreement, Settings};
use super::extensions::Extensions;
use super::ground::Ground;
use super::peer_addresses::PeerAddresses;
use super::receiver::{AckRules, Receiver};
use super::reconfiguration::Reconfiguration;
use super::sender::{Sender, SenderRules};
use super::test_packets::TestInbox;
use crate::association::receiver_rules::ReceiverRules;
use crate::config::Config;
use crate::event::Event;
use crate::path::PathTable;
use crate::policy::{PathId, Registry, UnknownPolicy};
use crate::receive::ReadyMessages;
use crate::record::Record;

/// An open association.
#[derive(Debug)]
pub(super) struct Session {
    ground: Ground,
    sender: Sender,
    receiver: Receiver,
    peer: PeerAddresses,
    /// The state of changes of streams, if both ends support them.
    reconfiguration: Option<Box<Reconfiguration>>,
    /// The test packets that arrived; `None` without a reader.
    tests: Option<Box<TestInbox>>,
}

/// The values that outlive a session.
#[derive(Debug)]
pub(super) struct Remains {
    /// The complete unread messages.
    pub ready: ReadyMessages,
    /// The events that were not polled.
    pub events: VecDeque<Event>,
    /// The records that were not polled; `None` if recording is off.
    pub records: Option<VecDeque<Record>>,
    /// The test packets that were not polled; `None` without a reader.
    pub tests: Option<Box<TestInbox>>,
    /// The state of the paths.
    pub paths: PathTable,
    /// The settings of the endpoint.
    pub settings: Arc<Settings>,
    /// The last verified path, if its address was removed.
    pub departed: Option<PathId>,
}

/// Checks that every policy that `config` names can be built. Returns the receiver rules that they need.
///
/// # Errors
/// `registry` does not have one of the names.
pub(crate) fn build_policies(
    registry: &Registry,
    config: &Config,
    seed: &Seed,
) -> Result<ReceiverRules, UnknownPolicy> {
    SenderRules::build(registry, config, seed)?;
    let new_gaps = AckRules::build(registry, config, seed)?.reports_new_gaps();
    Ok(ReceiverRules {
        two_levels: config.has_two_levels(),
        new_gaps,
        stream_credits: config.stream_credits,
        test_packets: config.test_packets,
    })
}

impl Session {
    /// Opens an association over `paths`.
    pub(super) fn new(
        settings: Arc<Settings>,
        agreement: Agreement,
        mut paths: PathTable,
        seed: &Seed,
    ) -> Session {
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
        let reconfiguration = ground
            .agreement
            .features
            .reconfiguration
            .then(|| Box::new(Reconfiguration::new(&ground.agreement, seed)));
        Session { ground, sender, receiver, peer: PeerAddresses::default(), reconfiguration, tests: None }
    }

    /// Enables the extensions both ends support.
    pub(crate) fn enable_extensions(&mut self, extensions: Extensions) {
        self.peer.enable_extensions(extensions, &self.ground.agreement);
    }
}
