//! All paths of an association: their addresses, windows and health. The samples that policies see are stored in this
//! table.

mod answering;
mod backup;
mod bursts;
mod ends;
mod failure;
mod flight;
mod measuring;
mod mtu;
mod records;
mod windows;

use std::net::SocketAddr;

use anabranch_base::{ByteCount, Duration, Ecn, Time};

use self::backup::Backup;
use self::ends::Gone;
use super::addresses::PathAddresses;
use super::after_loss::LossState;
use super::bandwidth::Bandwidth;
use super::burst::BurstAllowance;
use super::counters::{PathCounters, SackCounters};
use super::ecn::EcnTrial;
use super::health::Health;
use super::limits::{BlockedClock, LimitClock};
use super::loss_rate::LossRate;
use super::measured::Measured;
use super::memory::Remembered;
use super::mtu::MtuSearch;
use super::pacer::Pacer;
use super::rtt::RoundTrip;
use super::share::Shares;
use super::silence::Silence;
use crate::config::Config;
use crate::policy::{Blocker, Hints, PathId, PathSample, PathState};

/// The table of paths. A removed path keeps its place, so that no id is used twice, except that another path may take
/// the place of a path on which only probes were sent.
#[derive(Debug)]
pub struct PathTable {
    samples: Vec<PathSample>,
    paths: Vec<Path>,
    primary: PathId,
    last_resort: PathId,
    has_failed_path: bool,
    /// The local ends of paths that are kept as backups.
    backup_locals: Vec<SocketAddr>,
    /// Whether a path works that is no backup.
    rests_backups: bool,
    blocked: BlockedClock,
    sacks: SackCounters,
    address_changes: u64,
    /// Errors in a row, on all paths together.
    errors_in_row: u32,
}

#[derive(Debug)]
struct Path {
    addresses: PathAddresses,
    health: Health,
    silence: Silence,
    round_trip: RoundTrip,
    burst: BurstAllowance,
    mtu: MtuSearch,
    pacer: Pacer,
    /// Whether only one packet may be in flight until a chunk is acknowledged, after a time-out (RFC 9260 §7.2.3).
    is_probing_window: bool,
    /// Expiries of T3-rtx since a chunk was last acknowledged.
    timeouts_in_row: u32,
    /// What left before says nothing about whether the path works: its time-out expired since then.
    doubtful_before: Time,
    after_loss: LossState,
    ecn_trial: EcnTrial,
    last_data: Option<Time>,
    last_arrival: Option<Time>,
    /// How many rounds of its window have ended: a round lasts from its first packet to the first acknowledgement of
    /// a packet sent in it, or to a time-out.
    round: u64,
    loss_rate: LossRate,
    bandwidth: Bandwidth,
    measured: Measured,
    /// What it carried for another association, until its first round trip is measured.
    remembered: Option<Remembered>,
    /// The path of the SACK that gave the least way there.
    least_by: Option<PathId>,
    counters: PathCounters,
    limits: LimitClock,
    backup: Backup,
    gone: Gone,
    /// Whether it is only a candidate: it was not announced, and nothing has proved that it leads to the peer.
    is_candidate: bool,
}

impl PathTable {
    /// A table without paths.
    pub fn new() -> PathTable {
        PathTable {
            samples: Vec::new(),
            paths: Vec::new(),
            primary: PathId::FIRST,
            last_resort: PathId::FIRST,
            has_failed_path: false,
            backup_locals: Vec::new(),
            rests_backups: false,
            blocked: BlockedClock::default(),
            sacks: SackCounters::default(),
            address_changes: 0,
            errors_in_row: 0,
        }
    }

    /// Adds a path in `state`; the first one added is the primary path.
    pub fn add(&mut self, addresses: PathAddresses, state: PathState, config: &Config) -> PathId {
        let id = PathId::from_index(self.paths.len());
        let (sample, path) = fresh(id, addresses, state, config);
        self.address_changes += 1;
        self.samples.push(sample);
        self.paths.push(path);
        self.settle_new(id);
        id
    }

    /// Gives each path what is `known` of it.
    pub fn remember(&mut self, known: impl Fn(PathAddresses) -> Option<Remembered>) {
        for path in &mut self.paths {
            path.remembered = known(path.addresses);
        }
    }

    /// The window with which path `id` may go on, once its round trip is known: asked once.
    pub fn take_remembered_window(&mut self, id: PathId, now: Time) -> Option<ByteCount> {
        let round_trip = self.samples[id.index()].min_rtt?;
        self.paths[id.index()].remembered.take()?.window(round_trip, now)
    }

    /// Puts a new path in `state` in the place of the removed path `id`.
    pub fn replace(&mut self, id: PathId, addresses: PathAddresses, state: PathState, config: &Config) {
        (self.samples[id.index()], self.paths[id.index()]) = fresh(id, addresses, state, config);
        self.address_changes += 1;
        self.settle_new(id);
    }

    /// Keeps only the paths `kept`, in this order and with new ids. Nothing but the handshake used them.
    pub fn select(&mut self, kept: &[PathId]) {
        let mut old: Vec<Option<(PathSample, Path)>> =
            self.samples.drain(..).zip(self.paths.drain(..)).map(Some).collect();
        for id in kept {
            if let Some((sample, path)) = old.get_mut(id.index()).and_then(Option::take) {
                self.samples.push(PathSample { id: PathId::from_index(self.samples.len()), ..sample });
                self.paths.push(path);
            }
        }
        (self.primary, self.last_resort) = (PathId::FIRST, PathId::FIRST);
        self.address_changes += 1;
        self.weigh_failures();
    }

    /// Path `id` is only a candidate until it is verified.
    pub fn set_candidate(&mut self, id: PathId) {
        self.paths[id.index()].is_candidate = true;
    }

    /// Path `id` keeps its place after it is removed, so that its addresses stay known.
    pub fn keep_place(&mut self, id: PathId) {
        self.paths[id.index()].is_candidate = false;
    }

    /// Whether path `id` is, or was when it was removed, only a candidate.
    pub fn is_candidate(&self, id: PathId) -> bool {
        self.paths[id.index()].is_candidate
    }

    /// When a packet last arrived on path `id`.
    pub fn last_arrival(&self, id: PathId) -> Option<Time> {
        self.paths[id.index()].last_arrival
    }

    /// Whether a packet ever arrived on path `id`.
    pub fn has_heard(&self, id: PathId) -> bool {
        self.last_arrival(id).is_some()
    }

    /// The path's peer now sends from `remote`.
    pub fn move_to(&mut self, id: PathId, remote: SocketAddr) {
        self.address_changes += 1;
        self.paths[id.index()].addresses.remote = remote;
    }

    /// Sets what the user or the scenario says about path `id`.
    pub fn set_hints(&mut self, id: PathId, hints: Hints) {
        self.samples[id.index()].hints = hints;
    }

    /// Resets path `id` to the windows and the health of a new path, in `state`.
    pub fn reset(&mut self, id: PathId, state: PathState, config: &Config) {
        let path = &mut self.paths[id.index()];
        let ip = path.addresses.ip_version();
        path.health = Health::new(state);
        path.silence = Silence::new();
        path.round_trip = RoundTrip::new(config.rto);
        path.pacer = Pacer::new();
        path.is_probing_window = false;
        path.timeouts_in_row = 0;
        path.doubtful_before = Time::ZERO;
        path.after_loss = LossState::default();
        path.ecn_trial = EcnTrial::default();
        path.backup = Backup::default();
        path.loss_rate = LossRate::default();
        path.bandwidth = Bandwidth::default();
        path.measured = Measured::new();
        let sample = &mut self.samples[id.index()];
        sample.cwnd = config.first_window(ip);
        sample.ssthresh = config.initial_ssthresh.unwrap_or(ByteCount::MAX);
        sample.flight = ByteCount::ZERO;
        sample.loss_rate = 0.0;
        sample.bandwidth = None;
        (sample.one_way, sample.delivery, sample.drain_to) = (None, None, None);
        self.settle_new(id);
        self.show_round_trip(id);
        self.change_after_loss(id, |_| ());
    }

    /// A packet with codepoint `ecn` arrived on path `id`.
    pub fn on_arrival(&mut self, id: PathId, ecn: Ecn, now: Time) {
        let path = &mut self.paths[id.index()];
        path.counters.received_ecn.count(ecn);
        path.last_arrival = Some(now);
        path.counters.received_packets += 1;
    }

    /// Changes the state that loss responses keep on path `id`.
    pub fn change_after_loss<T>(&mut self, id: PathId, change: impl FnOnce(&mut LossState) -> T) -> T {
        let state = &mut self.paths[id.index()].after_loss;
        let changed = change(state);
        let sample = &mut self.samples[id.index()];
        (sample.cut_open, sample.ecn_open) = (state.is_cut_open(), state.is_ecn_open());
        sample.loss_open = state.is_loss_open();
        self.show_blocker(id);
        changed
    }

    /// The state that loss responses keep on path `id`.
    pub fn after_loss(&self, id: PathId) -> &LossState {
        &self.paths[id.index()].after_loss
    }

    /// The trial of ECN on path `id`.
    pub fn trial_mut(&mut self, id: PathId) -> &mut EcnTrial {
        &mut self.paths[id.index()].ecn_trial
    }

    /// The duration of a timer of path `id` that starts now: the RTO, unless another time was drawn.
    pub fn take_timer(&mut self, id: PathId) -> Duration {
        self.paths[id.index()].after_loss.take_timer().unwrap_or(self.samples[id.index()].rto)
    }

    /// Doubles the retransmission time-out of path `id`.
    pub fn back_off(&mut self, id: PathId) {
        self.paths[id.index()].round_trip.back_off();
        self.show_round_trip(id);
    }

    /// Notes whether path `id` repairs losses that the loss response takes for no congestion.
    pub fn set_recovering(&mut self, id: PathId, is_recovering: bool) {
        self.paths[id.index()].round_trip.set_recovering(is_recovering);
        self.show_round_trip(id);
    }

    /// Notes whether path `id`, which holds `sent` in this end's buffer and `received` in the peer's, has used up its
    /// share.
    pub fn show_share(&mut self, id: PathId, shares: &Shares, sent: ByteCount, received: ByteCount) {
        self.samples[id.index()].has_spent_share = !shares.has_room(sent, received);
    }

    /// All paths as policies see them.
    pub fn samples(&self) -> &[PathSample] {
        &self.samples
    }

    /// One path as policies see it.
    pub fn sample(&self, id: PathId) -> &PathSample {
        &self.samples[id.index()]
    }

    /// All ids.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = PathId> + use<> {
        (0..self.paths.len()).map(PathId::from_index)
    }

    /// The addresses of path `id`.
    pub fn addresses(&self, id: PathId) -> PathAddresses {
        self.paths[id.index()].addresses
    }

    /// How many paths there are, including removed ones.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Notes what is said of the addresses of a path that has just joined.
    fn settle_new(&mut self, id: PathId) {
        self.paths[id.index()].backup = self.note_backup(id);
        self.weigh_failures();
    }

    fn show_round_trip(&mut self, id: PathId) {
        let (round_trip, sample) = (&self.paths[id.index()].round_trip, &mut self.samples[id.index()]);
        sample.srtt = round_trip.srtt();
        sample.min_rtt = round_trip.min();
        sample.rttvar = round_trip.rttvar();
        sample.rto = round_trip.rto();
        sample.recovery_rto = round_trip.recovery_rto();
    }

    fn show_blocker(&mut self, id: PathId) {
        self.paths[id.index()].show_blocker(&mut self.samples[id.index()]);
    }

    /// Applies `change`, which may block or unblock a path, to every path.
    fn change_all(&mut self, change: impl Fn(&mut Path)) {
        for (path, sample) in self.paths.iter_mut().zip(&mut self.samples) {
            change(path);
            path.show_blocker(sample);
        }
    }
}

/// A path on which nothing was sent yet.
fn fresh(id: PathId, addresses: PathAddresses, state: PathState, config: &Config) -> (PathSample, Path) {
    let ip = addresses.ip_version();
    let round_trip = RoundTrip::new(config.rto);
    let sample = PathSample {
        id,
        state,
        mtu: config.first_mtu(ip),
        packet_limit: config.first_mtu(ip) - config.overhead(ip),
        unit: config.window_unit(ip),
        cwnd: config.first_window(ip),
        ssthresh: config.initial_ssthresh.unwrap_or(ByteCount::MAX),
        flight: ByteCount::ZERO,
        is_strict: config.strict_window,
        blocked_by: Some(Blocker::Burst),
        is_paced: false,
        cut_open: false,
        ecn_open: false,
        loss_open: false,
        has_spent_share: false,
        srtt: None,
        min_rtt: None,
        rttvar: Duration::ZERO,
        rto: round_trip.rto(),
        recovery_rto: round_trip.recovery_rto(),
        bandwidth: None,
        one_way: None,
        delivery: None,
        drain_to: None,
        loss_rate: 0.0,
        hints: Hints::default(),
    };
    let path = Path {
        addresses,
        health: Health::new(state),
        silence: Silence::new(),
        round_trip,
        burst: BurstAllowance::new(),
        mtu: config.mtu_bounds(ip).map_or_else(|| MtuSearch::off(config.mtu), MtuSearch::within),
        pacer: Pacer::new(),
        is_probing_window: false,
        timeouts_in_row: 0,
        doubtful_before: Time::ZERO,
        after_loss: LossState::default(),
        ecn_trial: EcnTrial::default(),
        last_data: None,
        last_arrival: None,
        round: 0,
        loss_rate: LossRate::default(),
        bandwidth: Bandwidth::default(),
        measured: Measured::new(),
        remembered: None,
        least_by: None,
        counters: PathCounters::default(),
        limits: LimitClock::new(),
        backup: Backup::default(),
        gone: Gone::default(),
        is_candidate: false,
    };
    (sample, path)
}

impl Path {
    fn show_blocker(&self, sample: &mut PathSample) {
        sample.blocked_by = if self.after_loss.holds_data {
            Some(Blocker::LossResponse)
        } else if self.is_probing_window && !sample.flight.is_zero() {
            Some(Blocker::TimeOut)
        } else if self.burst.is_spent() {
            Some(Blocker::Burst)
        } else {
            self.pacer.opens_at().map(|_| Blocker::Pacer)
        };
    }
}

impl Default for PathTable {
    fn default() -> PathTable {
        PathTable::new()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Two paths, each with addresses of its own.
    pub fn table() -> PathTable {
        let config = Config::rfc9260();
        let mut table = PathTable::new();
        for host in 1..=2u8 {
            let local = SocketAddr::from(([10, 0, host, 1], 9899));
            let remote = SocketAddr::from(([10, 0, host, 2], 9899));
            table.add(PathAddresses { local, remote }, PathState::Active, &config);
        }
        table.on_event(config.max_burst);
        table
    }

    #[test]
    fn a_path_is_found_by_both_addresses_and_a_wildcard_stands_for_all() {
        let mut table = table();
        let address = |text: &str| text.parse::<SocketAddr>().expect("an address");
        let second = table.find(address("10.0.2.1:9899"), address("10.0.2.2:9899"));
        assert_eq!(second, Some(PathId::from_index(1)));
        assert_eq!(table.find(address("10.0.2.1:9899"), address("10.0.1.2:9899")), None);
        let (local, remote) = (address("0.0.0.0:5000"), address("10.0.9.9:9899"));
        let wild = table.add(PathAddresses { local, remote }, PathState::Active, &Config::rfc9260());
        assert_eq!(table.find(address("192.168.0.1:5000"), remote), Some(wild));
        assert_eq!(table.find(address("192.168.0.1:5001"), remote), None);
    }

    #[test]
    fn idle_rtos_are_counted_once_and_only_with_nothing_in_flight() {
        let mut table = table();
        let id = PathId::FIRST;
        let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
        assert_eq!(table.take_idle_rtos(id, at(9)), 0, "no data ever left");
        table.on_chunk_sent(id, ByteCount::new(1_460), at(10));
        assert_eq!(table.take_idle_rtos(id, at(13)), 0, "data is in flight");
        table.on_left_flight(id, ByteCount::new(1_460));
        assert_eq!(table.take_idle_rtos(id, at(13)), 3);
        assert_eq!(table.take_idle_rtos(id, at(13)), 0);
    }
}
