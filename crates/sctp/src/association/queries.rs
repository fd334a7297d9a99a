//! The read access to an association: its state, its buffers, and its paths.

use anabranch_base::{ByteCount, Duration, Time};

use super::agreement::Agreement;
use super::session::{Session, ShutdownState};
use super::{Association, LocalIdentity, State};
use crate::path::{PathAddresses, PathCounters, SackCounters, TimeInLimit};
use crate::policy::{PathId, PathSample};
use crate::seq::Tsn;
use crate::wire::{self, VerificationTag};

/// The state of an association (RFC 9260 §4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssociationState {
    /// The association is closed.
    Closed,
    /// INIT is not answered yet.
    CookieWait,
    /// COOKIE-ECHO is not answered yet.
    CookieEchoed,
    /// The association is open.
    Established,
    /// The association closes when all data is acknowledged.
    ShutdownPending,
    /// This end sent SHUTDOWN.
    ShutdownSent,
    /// The peer sent SHUTDOWN.
    ShutdownReceived,
    /// This end sent SHUTDOWN-ACK.
    ShutdownAckSent,
}

impl Association {
    /// The cumulative TSN ack points, once the association is open: of data that arrived, and of data that was sent.
    pub fn ack_points(&self) -> Option<(Tsn, Tsn)> {
        self.session().map(Session::ack_points)
    }

    /// The state of the association.
    pub fn state(&self) -> AssociationState {
        match &self.state {
            State::Closed(_) => AssociationState::Closed,
            State::Opening(handshake) if handshake.is_cookie_echoed() => AssociationState::CookieEchoed,
            State::Opening(_) => AssociationState::CookieWait,
            State::Open(_) => AssociationState::Established,
            State::Closing(_, ShutdownState::Pending) => AssociationState::ShutdownPending,
            State::Closing(_, ShutdownState::Sent) => AssociationState::ShutdownSent,
            State::Closing(_, ShutdownState::Received { .. }) => AssociationState::ShutdownReceived,
            State::Closing(_, ShutdownState::AckSent) => AssociationState::ShutdownAckSent,
        }
    }

    /// Returns true if messages may be sent.
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Open(_))
    }

    /// The amount of user data that may be sent now.
    pub fn send_space(&self) -> ByteCount {
        match &self.state {
            State::Open(session) => session.send_space(),
            _ => ByteCount::ZERO,
        }
    }

    /// The user data passed to [`send`](Association::send) that is not acknowledged; after the end of the association,
    /// the user data that was never acknowledged.
    pub fn unacknowledged(&self) -> ByteCount {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => session.unacknowledged(),
            State::Opening(_) => ByteCount::ZERO,
            State::Closed(closed) => closed.undelivered,
        }
    }

    /// The user data that was not sent yet.
    pub fn waiting(&self) -> ByteCount {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => session.waiting_bytes(),
            _ => ByteCount::ZERO,
        }
    }

    /// The received user data that the application has not read, including incomplete messages.
    pub fn received_bytes_held(&self) -> ByteCount {
        self.session().map_or(ByteCount::ZERO, Session::received_bytes_held)
    }

    /// The numbers of outbound and inbound streams. `None` without a session.
    pub fn streams(&self) -> Option<(u16, u16)> {
        let agreement = &self.session()?.ground().agreement;
        Some((agreement.outbound_streams, agreement.inbound_streams))
    }

    /// Returns true if both ends support partial reliability: only then are messages given up (RFC 3758).
    pub fn has_partial_reliability(&self) -> bool {
        self.session().is_some_and(|session| session.ground().agreement.features.forward_tsn)
    }

    /// Returns true if both ends set [`Config::test_packets`](crate::config::Config::test_packets): the association is for a
    /// measurement.
    pub fn has_test_packets(&self) -> bool {
        self.session().is_some_and(|session| session.ground().agreement.receiver.test_packets)
    }

    /// The receive buffers that this end and the peer advertised in the handshake, if both ends agreed on credits for
    /// single streams.
    pub fn stream_credits(&self) -> Option<(ByteCount, ByteCount)> {
        let ground = self.session()?.ground();
        let own = ground.settings.config.receive_buffer.min(ByteCount::new(u64::from(u32::MAX)));
        ground.agreement.receiver.stream_credits.then_some((own, ground.agreement.peer_window))
    }

    /// The size of the receive buffer in user data: as configured, or as grown.
    pub fn receive_buffer(&self) -> ByteCount {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => session.receive_buffer(),
            State::Opening(handshake) => handshake.settings.config.receive_buffer,
            State::Closed(closed) => closed.receive_buffer,
        }
    }

    /// The amount of user data in these packets, which arrived together, that will certainly be stored.
    pub(crate) fn data_to_keep<'a>(&self, packets: impl Iterator<Item = &'a wire::Packet<'a>>) -> ByteCount {
        match &self.state {
            State::Open(session) => session.data_to_keep(packets),
            _ => ByteCount::ZERO,
        }
    }

    /// Every path, including removed ones, as policies see it.
    pub fn paths(&self) -> &[PathSample] {
        self.path_table().samples()
    }

    /// The addresses of a path.
    ///
    /// # Panics
    /// `path` is not one of [`paths`](Association::paths).
    pub fn path_addresses(&self, path: PathId) -> PathAddresses {
        self.path_table().addresses(path)
    }

    /// The values that identify this association's packets without our tag: the peer's port and tag, once known, and a
    /// count of added and moved paths, which changes whenever the addresses of paths change.
    #[inline]
    pub(crate) fn peer_identity(&self) -> (Option<u16>, Option<VerificationTag>, u64) {
        let (port, tag) = match &self.state {
            State::Open(session) | State::Closing(session, _) => {
                let Agreement { peer_port, peer_tag, .. } = session.ground().agreement;
                return (Some(peer_port), Some(peer_tag), session.ground().paths.address_changes());
            }
            State::Opening(handshake) => (Some(handshake.identity.peer_port), handshake.peer_tag()),
            State::Closed(closed) => (None, Some(closed.tags.1)),
        };
        (port, tag, self.path_table().address_changes())
    }

    /// The counters of a path.
    ///
    /// # Panics
    /// `path` is not one of [`paths`](Association::paths).
    pub fn path_counters(&self, path: PathId) -> PathCounters {
        self.path_table().counters(path)
    }

    /// The first other path that was found to share the bottleneck of `path`, where `coupled` is `auto`; `None` if none was.
    pub fn shares_with(&self, path: PathId) -> Option<PathId> {
        self.session().and_then(|session| session.shares_with(path))
    }

    /// The SACKs that this end sent and received.
    pub fn sack_counters(&self) -> SackCounters {
        self.path_table().sacks()
    }

    /// The time that each factor limited a path, from the association's opening until `now`. The last limit before the
    /// end of an association continues to count.
    ///
    /// # Panics
    /// `path` is not one of [`paths`](Association::paths).
    pub fn time_in_limit(&self, now: Time, path: PathId) -> TimeInLimit {
        self.path_table().time_in_limit(path, now)
    }

    /// The congestion window of a path in bytes, averaged over the same time as
    /// [`time_in_limit`](Association::time_in_limit).
    ///
    /// # Panics
    /// `path` is not one of [`paths`](Association::paths).
    pub fn mean_cwnd(&self, now: Time, path: PathId) -> f64 {
        self.path_table().mean_cwnd(path, now)
    }

    /// The total time in which sending was blocked by the peer's receive window: there was data, and congestion window
    /// on a path.
    pub fn blocked(&self, now: Time) -> Duration {
        self.path_table().blocked(now)
    }

    /// Our verification tag, and the peer's once it is known.
    pub fn tags(&self) -> (VerificationTag, Option<VerificationTag>) {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => {
                let Agreement { local_tag, peer_tag, .. } = session.ground().agreement;
                (local_tag, Some(peer_tag))
            }
            State::Opening(handshake) => (handshake.identity.tag, handshake.peer_tag()),
            State::Closed(closed) => (closed.tags.0, Some(closed.tags.1)),
        }
    }

    /// The peer's SCTP port.
    pub fn peer_port(&self) -> Option<u16> {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => Some(session.ground().agreement.peer_port),
            State::Opening(handshake) => Some(handshake.identity.peer_port),
            State::Closed(_) => None,
        }
    }

    /// Returns true if a SACK is due: reading may have made room for which the peer waits.
    pub(crate) fn is_sack_due(&self) -> bool {
        self.session().is_some_and(Session::is_sack_due)
    }

    /// The values in this end's INIT, while the INIT is not answered (RFC 9260 §5.2.1).
    pub fn identity(&self) -> Option<LocalIdentity> {
        match &self.state {
            State::Opening(handshake) => Some(handshake.identity),
            _ => None,
        }
    }
}
