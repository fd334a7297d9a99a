//! Opens an association from this end: sends INIT, then COOKIE-ECHO, and repeats each until it is answered (RFC 9260
//! §5.1).

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use anabranch_base::{ByteCount, Duration, Seed, Time};

use super::agreement::{Agreement, Settings};
use super::authentication::{AuthKeys, RandomNumber};
use super::extensions::{Extensions, PeerExtensions};
use super::ground::{Timer, Timers};
use super::init::{InitRefusal, MAX_PATHS, acceptable, address_parameters, announced_socket, check_init};
use super::packet_auth::PacketAuth;
use super::peer_addresses::{Pairs, Routes};
use super::race::Race;
use super::session::Session;
use crate::config::{Config, EcnUse};
use crate::path::{PathAddresses, PathTable};
use crate::policy::{PathId, PathState};
use crate::seq::Tsn;
use crate::wire::{
    Cause, CommonHeader, CookieEcho, ErrorChunk, Heartbeat, Init, InitAck, PacketBuilder, Parameter,
    VerificationTag,
};

/// An association that this end is opening.
#[derive(Debug)]
pub(super) struct Handshake {
    pub(super) settings: Arc<Settings>,
    pub(super) seed: Seed,
    pub(super) identity: LocalIdentity,
    pub(super) paths: PathTable,
    pub(super) timers: Timers,
    /// The local addresses that are announced to the peer.
    announced: Vec<IpAddr>,
    stage: HandshakeStage,
    /// The path of the next INIT or COOKIE-ECHO.
    path: PathId,
    /// The number of leading paths that INIT may use; the peer announced the others.
    given: usize,
    race: Race,
    attempts: u32,
    /// The number of consecutive rounds over all paths in which INIT or COOKIE-ECHO was not answered.
    rounds: u32,
    rto: Duration,
    is_due: bool,
    /// The number of times the peer refused a cookie as stale.
    stale_cookies: u32,
    /// The staleness that the peer reported when it refused a cookie.
    staleness: Option<Duration>,
}

/// The values that identify this end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalIdentity {
    /// This end's SCTP port.
    pub local_port: u16,
    /// The peer's SCTP port.
    pub peer_port: u16,
    /// The verification tag that this end chose.
    pub tag: VerificationTag,
    /// This end's initial TSN.
    pub tsn: Tsn,
    /// This end's part of the key that authenticates chunks.
    pub random: RandomNumber,
}

#[derive(Debug)]
enum HandshakeStage {
    /// COOKIE-WAIT: INIT is not answered yet.
    CookieWait,
    /// COOKIE-ECHOED: COOKIE-ECHO is not answered yet; all other values are agreed.
    CookieEchoed { cookie: Vec<u8>, reports: Vec<Cause>, session: Box<Session> },
}

/// The peer did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoAnswer {
    /// The number of times INIT or COOKIE-ECHO was sent.
    pub attempts: u32,
}

impl Handshake {
    /// Starts the handshake over `routes`, beginning with the first path.
    pub(super) fn new(
        settings: Arc<Settings>,
        identity: LocalIdentity,
        announced: Vec<IpAddr>,
        routes: Routes<'_>,
        seed: Seed,
    ) -> Handshake {
        let (table, race) = Race::begin(routes, &settings.config);
        Handshake {
            rto: settings.config.rto.initial.min(longest_init_rto(&settings.config)),
            settings,
            seed,
            identity,
            timers: Timers::default(),
            announced,
            stage: HandshakeStage::CookieWait,
            path: PathId::FIRST,
            given: table.len(),
            paths: table,
            race,
            attempts: 0,
            rounds: 0,
            is_due: true,
            stale_cookies: 0,
            staleness: None,
        }
    }

    /// Handles the expiry of T1-init or T1-cookie: retransmits on the next path, with a doubled RTO (RFC 9260 §5.1,
    /// §6.3.3).
    pub(super) fn on_timeout(&mut self) -> Result<(), NoAnswer> {
        if self.is_cookie_echoed() || self.race.is_round_over() {
            self.rounds += 1;
            if self.rounds > self.settings.config.max_init_retransmits {
                return Err(NoAnswer { attempts: self.attempts });
            }
            self.race.begin_round();
            let config = &self.settings.config;
            let longest = if self.is_cookie_echoed() { config.rto.max } else { longest_init_rto(config) };
            self.rto = (self.rto * 2).min(longest);
        }
        self.path = self.next_path();
        self.is_due = true;
        Ok(())
    }

    /// The time to wait for an answer to the INIT or COOKIE-ECHO that is sent now.
    fn answer_timeout(&self) -> Duration {
        if self.is_cookie_echoed() { self.rto } else { self.race.answer_timeout(self.rto) }
    }

    /// Handles the INIT-ACK. The COOKIE-ECHO follows, with a report of the parameters that were not recognized.
    pub(crate) fn on_init_ack(&mut self, path: PathId, ack: &InitAck) -> Result<(), InitRefusal> {
        if !matches!(self.stage, HandshakeStage::CookieWait) {
            // RFC 9260 §5.2.3: "If an INIT ACK chunk is received in any state other than the COOKIE-WAIT
            // or CLOSED state, the endpoint SHOULD discard it."
            return Ok(());
        }
        let body = check_init(ack, &self.settings.config)?;
        let cookie = body.cookie.ok_or_else(|| InitRefusal {
            cause: Some(Cause::MissingMandatoryParameter(vec![Parameter::STATE_COOKIE])),
            peer_tag: ack.initiate_tag,
            what: "its INIT-ACK has no state cookie".to_owned(),
        })?;
        let config = &self.settings.config;
        let offer =
            PeerExtensions::read(config, &ack.parameters).map_err(|wrong| wrong.refusal(ack.initiate_tag))?;
        let agreement = Agreement {
            local_port: self.identity.local_port,
            peer_port: self.identity.peer_port,
            local_tag: self.identity.tag,
            peer_tag: ack.initiate_tag,
            local_tsn: self.identity.tsn,
            peer_tsn: ack.initial_tsn,
            peer_window: ByteCount::new(u64::from(ack.a_rwnd)),
            outbound_streams: config.outbound_streams.min(ack.inbound_streams),
            inbound_streams: config.inbound_streams.min(ack.outbound_streams),
            ecn: config.ecn != EcnUse::Off && body.ecn,
            features: body.features,
            receiver: self.settings.receiver.and(body.receiver),
        };
        let mut paths = std::mem::take(&mut self.paths);
        let (path, pairs) = self.race.finish(path, &mut paths, &body.addresses);
        self.given = paths.len();
        paths.set_primary(path);
        paths.confirm(path);
        self.trust_given(&mut paths, &pairs);
        join_announced(&mut paths, path, &body.addresses, &self.settings);
        let mut session = Session::new(self.settings.clone(), agreement, paths, &self.seed);
        session.set_pairs(pairs);
        session.enable_extensions(Extensions::agree(&self.settings.config, &self.identity.random, &offer));
        self.stage =
            HandshakeStage::CookieEchoed { cookie, reports: body.reports, session: Box::new(session) };
        self.path = path;
        (self.attempts, self.rounds) = (0, 0);
        self.rto = self.settings.config.rto.initial;
        self.is_due = true;
        Ok(())
    }

    /// RFC 9260 §5.4: "Any addresses passed to the sender of the INIT chunk by its upper layer [...] are automatically
    /// considered to be CONFIRMED." With quick failover each path is verified first: an unreachable one would delay
    /// data.
    fn trust_given(&self, paths: &mut PathTable, pairs: &Pairs) {
        let config = &self.settings.config;
        if !pairs.were_tried || !config.trusts_given_addresses || config.failover.quick {
            return;
        }
        let given: Vec<PathId> =
            paths.ids().filter(|&id| pairs.asked.contains(&paths.addresses(id))).collect();
        given.into_iter().for_each(|id| _ = paths.confirm(id));
    }

    /// Handles the COOKIE-ACK: returns the session of the open association.
    pub(crate) fn on_cookie_ack(&mut self) -> Option<Session> {
        match std::mem::replace(&mut self.stage, HandshakeStage::CookieWait) {
            HandshakeStage::CookieEchoed { session, .. } => Some(*session),
            HandshakeStage::CookieWait => None,
        }
    }

    /// Keeps a HEARTBEAT that overtook the COOKIE-ACK on another path: it is answered as soon as the association is
    /// open, not after the peer's next attempt.
    pub(crate) fn on_heartbeat(&mut self, path: PathId, heartbeat: &Heartbeat) {
        if let HandshakeStage::CookieEchoed { session, .. } = &mut self.stage {
            session.ground_mut().on_heartbeat(path, heartbeat);
        }
    }

    /// Handles a Stale Cookie error: restarts with INIT and requests a longer lifetime (RFC 9260 §5.2.6). `Err` if this
    /// happened as often as INIT may be retransmitted.
    pub(crate) fn on_stale_cookie(&mut self, staleness: Duration) -> Result<(), NoAnswer> {
        let Some(session) = self.on_cookie_ack() else { return Ok(()) };
        let (paths, pairs) = session.into_paths();
        self.paths = paths;
        self.race.keep(pairs);
        self.stale_cookies += 1;
        if self.stale_cookies > self.settings.config.max_init_retransmits {
            return Err(NoAnswer { attempts: self.stale_cookies });
        }
        self.staleness = Some(staleness);
        self.is_due = true;
        Ok(())
    }

    /// Takes the paths, to open the association by the peer's own INIT, which arrived from `remote` at `local` (RFC
    /// 9260 §5.2.4 B).
    pub(crate) fn take_paths(&mut self, local: SocketAddr, remote: SocketAddr) -> (PathTable, Pairs) {
        if let Some(session) = self.on_cookie_ack() {
            return session.into_paths();
        }
        let mut paths = std::mem::take(&mut self.paths);
        let answered = paths.find(local, remote).unwrap_or(self.path);
        let (answered, pairs) = self.race.finish(answered, &mut paths, &[]);
        if pairs.were_tried {
            paths.set_primary(answered);
            paths.confirm(answered);
        }
        (paths, pairs)
    }

    /// The paths that were tried.
    pub(crate) fn into_paths(self) -> PathTable {
        match self.stage {
            HandshakeStage::CookieWait => self.paths,
            HandshakeStage::CookieEchoed { session, .. } => session.into_paths().0,
        }
    }

    /// Appends the due packet to `buf`, and returns its path and length.
    pub(super) fn poll_transmit(&mut self, now: Time, buf: &mut Vec<u8>) -> Option<(PathId, usize)> {
        if !std::mem::replace(&mut self.is_due, false) {
            return None;
        }
        self.attempts += 1;
        self.race.on_sent();
        self.timers.set(Timer::Request, now + self.answer_timeout());
        let limit = self.paths().sample(self.path).packet_limit.as_len();
        let len = match &self.stage {
            HandshakeStage::CookieWait => {
                let mut builder = PacketBuilder::new(buf, self.header(VerificationTag::ZERO), limit);
                builder.push(&self.init()).expect("an INIT fits the least MTU");
                builder.finish(self.settings.config.checksum)
            }
            HandshakeStage::CookieEchoed { cookie, reports, session } => {
                let header = self.header(session.ground().agreement.peer_tag);
                let mut builder = PacketBuilder::new(buf, header, limit.max(cookie.len() + 128));
                let (keys, mut auth) = (session.keys(), PacketAuth::default());
                let echo = CookieEcho { cookie };
                auth.push(keys, &mut builder, &echo).expect("room was made for the cookie");
                if !reports.is_empty() {
                    // Reports that do not fit beside the cookie are left out: they are optional.
                    let _ = auth.push(keys, &mut builder, &ErrorChunk { causes: reports.clone() });
                }
                auth.sign(keys, &mut builder);
                builder.finish(self.settings.config.checksum)
            }
        };
        Some((self.path, len))
    }

    /// The keys that authenticate chunks, once the peer has answered.
    pub(super) fn keys(&self) -> Option<&AuthKeys> {
        match &self.stage {
            HandshakeStage::CookieWait => None,
            HandshakeStage::CookieEchoed { session, .. } => session.keys(),
        }
    }

    /// Returns true if the cookie was sent.
    pub(crate) fn is_cookie_echoed(&self) -> bool {
        matches!(self.stage, HandshakeStage::CookieEchoed { .. })
    }

    /// The peer's tag, once it is known.
    pub(super) fn peer_tag(&self) -> Option<VerificationTag> {
        match &self.stage {
            HandshakeStage::CookieWait => None,
            HandshakeStage::CookieEchoed { session, .. } => Some(session.ground().agreement.peer_tag),
        }
    }

    /// Changes the settings of the association.
    pub(super) fn change_settings(&mut self, change: impl FnOnce(&mut Config)) {
        change(&mut Arc::make_mut(&mut self.settings).config);
        if let HandshakeStage::CookieEchoed { session, .. } = &mut self.stage {
            session.ground_mut().settings = self.settings.clone();
        }
    }

    /// The paths.
    pub(super) fn paths(&self) -> &PathTable {
        match &self.stage {
            HandshakeStage::CookieWait => &self.paths,
            HandshakeStage::CookieEchoed { session, .. } => &session.ground().paths,
        }
    }

    /// The paths, mutable.
    pub(crate) fn paths_mut(&mut self) -> &mut PathTable {
        match &mut self.stage {
            HandshakeStage::CookieWait => &mut self.paths,
            HandshakeStage::CookieEchoed { session, .. } => &mut session.ground_mut().paths,
        }
    }

    /// The header of a packet to the peer.
    pub(super) fn header(&self, tag: VerificationTag) -> CommonHeader {
        CommonHeader {
            source_port: self.identity.local_port,
            destination_port: self.identity.peer_port,
            verification_tag: tag,
        }
    }

    /// The path of the next attempt. RFC 9260 §5.4: INIT goes to the addresses that the application gave, COOKIE-ECHO
    /// only to confirmed ones of them.
    fn next_path(&self) -> PathId {
        let next = |step| PathId::from_index((self.path.index() + step) % self.given.max(1));
        let may_take = |path: &PathId| match self.stage {
            HandshakeStage::CookieWait => true,
            HandshakeStage::CookieEchoed { .. } => self.paths().sample(*path).state.carries_data(),
        };
        (1..=self.given).map(next).find(may_take).unwrap_or(self.path)
    }

    /// The address types that this end can use (RFC 9260 §3.3.2.1.5): those of its sockets, and all if it may gain
    /// addresses later.
    fn address_types(&self) -> Parameter {
        let gains = self.settings.config.dynamic_addresses;
        let has = |is_wanted: fn(&SocketAddr) -> bool| {
            gains || self.paths.ids().any(|path| is_wanted(&self.paths.addresses(path).local))
        };
        let types = [
            (has(SocketAddr::is_ipv4), Parameter::IPV4_ADDRESS),
            (has(SocketAddr::is_ipv6), Parameter::IPV6_ADDRESS),
        ];
        let supported = types.into_iter().filter(|(is_there, _)| *is_there).map(|(_, kind)| kind);
        Parameter::SupportedAddressTypes(supported.collect())
    }

    fn init(&self) -> Init {
        let local = self.paths.addresses(self.path).local;
        let mut parameters = address_parameters(&self.race.announced(&self.announced, local));
        parameters.push(self.address_types());
        if let Some(staleness) = self.staleness {
            parameters.push(Parameter::CookiePreservative(staleness * 2));
        }
        let config = &self.settings.config;
        if config.ecn != EcnUse::Off {
            parameters.push(Parameter::EcnCapable);
        }
        if config.partial_reliability {
            parameters.push(Parameter::ForwardTsnSupported);
        }
        parameters.extend(self.settings.receiver.parameter());
        parameters.extend(Extensions::announced(config, &self.identity.random));
        Init {
            initiate_tag: self.identity.tag,
            a_rwnd: u32::try_from(config.receive_buffer.get()).unwrap_or(u32::MAX),
            outbound_streams: config.outbound_streams,
            inbound_streams: config.inbound_streams,
            initial_tsn: self.identity.tsn,
            parameters,
        }
    }
}

/// Adds paths to those announced addresses of the peer that no path leads to: from the local addresses in rotation, to
/// the UDP port from which the peer answered.
fn join_announced(paths: &mut PathTable, answered: PathId, announced: &[IpAddr], settings: &Settings) {
    let source = paths.addresses(answered).remote;
    let locals: Vec<SocketAddr> = paths.ids().map(|id| paths.addresses(id).local).collect();
    for &ip in acceptable(announced, source.ip()) {
        let is_known = paths.ids().any(|id| paths.addresses(id).remote.ip() == ip);
        let fitting: Vec<SocketAddr> =
            locals.iter().copied().filter(|local| local.is_ipv4() == ip.is_ipv4()).collect();
        if is_known || fitting.is_empty() || paths.len() >= MAX_PATHS {
            continue;
        }
        let local = fitting[paths.len() % fitting.len()];
        let remote = announced_socket(source, ip);
        paths.add(PathAddresses { local, remote }, PathState::Unconfirmed, &settings.config);
    }
}

/// The upper bound of the retransmission time-out of INIT.
fn longest_init_rto(config: &Config) -> Duration {
    config.max_init_rto.unwrap_or(Duration::MAX).min(config.rto.max)
}
