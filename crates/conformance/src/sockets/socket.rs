//! One socket.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anabranch_sctp::association::Message;
use anabranch_sctp::endpoint::AssociationId;

use super::chosen::Chosen;
use super::notifications::{Kind, Notification};

/// A socket of the application.
#[derive(Debug, Default)]
pub(super) struct Socket {
    /// True for `SOCK_SEQPACKET`: it has many associations.
    pub(super) is_many: bool,
    pub(super) is_nonblocking: bool,
    pub(super) is_listening: bool,
    pub(super) phase: Phase,
    /// The associations, the newest last.
    pub(super) members: Vec<AssociationId>,
    /// Associations that wait for `accept`.
    pub(super) backlog: VecDeque<AssociationId>,
    /// The error that the next call reports.
    pub(super) error: Option<&'static str>,
    /// True after `shutdown` of the direction that sends.
    pub(super) is_shut: bool,
    /// The values of its options.
    pub(super) options: Chosen,
    /// Associations with messages that were not received.
    pub(super) readable: BTreeSet<AssociationId>,
    /// The rests of messages of which a part was read.
    pub(super) unread: BTreeMap<AssociationId, Unread>,
    /// Notifications, each with true if messages that arrived before it were not read then.
    pub(super) notifications: VecDeque<(AssociationId, Notification, bool)>,
    pub(super) subscribed: BTreeSet<Kind>,
}

/// The state of a socket with one association.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// No association was opened.
    #[default]
    New,
    /// It opens.
    Connecting(AssociationId),
    /// It is open.
    Connected(AssociationId),
    /// It ended.
    Ended,
}

/// A message of which a part was read.
#[derive(Debug)]
pub(super) struct Unread {
    pub(super) message: Message,
    /// The bytes that were read.
    pub(super) taken: usize,
}

impl Socket {
    /// A socket with the association `id` alone, with the options of the socket that accepted it.
    pub(super) fn accepted(listening: &Socket, id: AssociationId) -> Socket {
        Socket {
            phase: Phase::Connected(id),
            members: vec![id],
            options: listening.options.clone(),
            subscribed: listening.subscribed.clone(),
            ..Socket::default()
        }
    }

    pub(super) fn notify(&mut self, id: AssociationId, notification: Notification) {
        if self.subscribed.contains(&notification.kind) {
            let is_behind = self.readable.contains(&id);
            self.notifications.push_back((id, notification, is_behind));
        }
    }

    pub(super) fn on_connected(&mut self, id: AssociationId) {
        if self.phase == Phase::Connecting(id) {
            self.phase = Phase::Connected(id);
        }
    }

    /// The association `id` ended with `error`.
    pub(super) fn on_closed(&mut self, id: AssociationId, error: Option<&'static str>) {
        if !self.is_many && (self.phase == Phase::Connecting(id) || self.phase == Phase::Connected(id)) {
            self.phase = Phase::Ended;
            self.error = error;
        }
    }
}
