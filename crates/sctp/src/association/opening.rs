//! Opens an association by the peer's cookie: as acceptor, in a collision with our own INIT, or as a restart (RFC 9260
//! §5.1, §5.2.4).

use std::sync::Arc;

use anabranch_base::{ByteCount, Seed, Time};

use super::agreement::{Agreement, Settings};
use super::cookie::StateCookie;
use super::extensions::{Extensions, OfferedExtensions};
use super::peer_addresses::Pairs;
use super::session::{Remains, Session};
use super::{Association, State};
use crate::event::Event;
use crate::path::{PathAddresses, PathTable};
use crate::policy::PathState;

impl Association {
    /// Opens the association that the peer's `cookie` describes, over `paths`. The cookie arrived on the first of
    /// them.
    pub fn accept(
        now: Time,
        settings: Arc<Settings>,
        cookie: &StateCookie,
        paths: &[PathAddresses],
        seed: &Seed,
    ) -> Association {
        let mut table = PathTable::new();
        for &addresses in paths {
            // RFC 9260 §5.4: of the acceptor's paths, only the path of its INIT-ACK is confirmed. A cookie that
            // arrived on another path does not confirm that path.
            let is_proven = addresses.is_of(cookie.local, cookie.remote);
            let state = if is_proven { PathState::Active } else { PathState::Unconfirmed };
            table.add(addresses, state, &settings.config);
        }
        let mut session = session_of(settings, cookie, table, seed);
        // Which of the peer's other addresses matches which of ours is unknown: the pairs are guesses.
        session.set_pairs(Pairs { were_tried: true, ..Pairs::default() });
        let mut association = Association::in_state(State::Open(Box::new(session)));
        association.on_open(now);
        association
    }

    /// Opens an association without a handshake, over `paths`, which are all confirmed.
    pub fn joined(
        now: Time,
        settings: Arc<Settings>,
        agreement: Agreement,
        paths: &[PathAddresses],
        seed: &Seed,
    ) -> Association {
        let mut table = PathTable::new();
        for &addresses in paths {
            table.add(addresses, PathState::Active, &settings.config);
        }
        let session = Session::new(settings, agreement, table, seed);
        let mut association = Association::in_state(State::Open(Box::new(session)));
        association.on_open(now);
        association
    }

    /// Opens the association in a collision of both INITs, by the peer's cookie, which arrived first (RFC 9260 §5.2.4
    /// B).
    pub(crate) fn on_collision(&mut self, now: Time, cookie: &StateCookie) {
        match &mut self.state {
            State::Opening(handshake) => {
                let (paths, pairs) = handshake.take_paths(cookie.local, cookie.remote);
                let (settings, seed) = (handshake.settings.clone(), handshake.seed.clone());
                let mut session = session_of(settings, cookie, paths, &seed);
                session.set_pairs(pairs);
                self.state = State::Open(Box::new(session));
                self.on_open(now);
            }
            State::Open(session) | State::Closing(session, _) => {
                session.ground_mut().agreement.peer_tag = cookie.peer_tag;
            }
            State::Closed(_) => {}
        }
    }

    /// Returns true if the peer may restart. The application must first read the messages from before the last restart:
    /// otherwise repeated restarts could exhaust the memory. The peer retransmits a COOKIE-ECHO that is refused here.
    pub(crate) fn may_restart(&self) -> bool {
        self.unread.is_empty()
    }

    /// Restarts the association on the same paths, because the peer restarted (RFC 9260 §5.2.4 A).
    pub fn on_restart(&mut self, now: Time, cookie: &StateCookie, seed: &Seed) {
        let state = std::mem::replace(&mut self.state, State::vacant());
        let (State::Open(session) | State::Closing(session, _)) = state else {
            self.state = state;
            return;
        };
        let Remains { ready, mut events, records, tests, settings, mut paths, departed } =
            session.into_remains();
        self.unread.append(ready);
        self.events.append(&mut events);
        self.records = records;
        self.tests = tests;
        for id in paths.ids() {
            let is_source = paths.addresses(id).is_of(cookie.local, cookie.remote);
            let state = if is_source { PathState::Active } else { PathState::Unconfirmed };
            if !paths.is_removed(id) {
                paths.reset(id, state, &settings.config);
            }
            if is_source && !paths.is_removed(id) {
                paths.set_primary(id);
            }
        }
        let mut session = session_of(settings, cookie, paths, seed);
        session.take_over(std::mem::take(&mut self.events), departed);
        self.state = State::Open(Box::new(session));
        self.start_watching(now);
    }

    /// Completes the handshake.
    pub(super) fn on_open(&mut self, now: Time) {
        if let Some(session) = self.session_mut() {
            session.ground_mut().log.event(Event::Connected);
        }
        self.start_watching(now);
        self.apply_changes(now);
    }

    /// Starts a session: turns recording and test packets on if they were requested before, and starts HEARTBEATs.
    pub(super) fn start_watching(&mut self, now: Time) {
        let (records, tests) = (self.records.take(), self.tests.take());
        if let Some(session) = self.session_mut() {
            *session.tests_mut() = tests;
            *session.ground_mut().log.records_mut() = records;
            session.begin_event();
            session.start_heartbeats(now);
        }
    }
}

/// The session that a cookie describes.
fn session_of(settings: Arc<Settings>, cookie: &StateCookie, paths: PathTable, seed: &Seed) -> Session {
    let mut session = Session::new(settings, agreement_of(cookie), paths, seed);
    if let Some(OfferedExtensions { random, offer }) = &cookie.extensions {
        session.enable_extensions(Extensions::agree(&session.ground().settings.config, random, offer));
    }
    session
}

/// The agreement in a cookie, from the viewpoint of the end that created it.
fn agreement_of(cookie: &StateCookie) -> Agreement {
    Agreement {
        local_port: cookie.local_port,
        peer_port: cookie.peer_port,
        local_tag: cookie.local_tag,
        peer_tag: cookie.peer_tag,
        local_tsn: cookie.local_tsn,
        peer_tsn: cookie.peer_tsn,
        peer_window: ByteCount::new(u64::from(cookie.peer_window)),
        outbound_streams: cookie.outbound_streams,
        inbound_streams: cookie.inbound_streams,
        ecn: cookie.ecn,
        features: cookie.features,
        receiver: cookie.receiver,
    }
}
