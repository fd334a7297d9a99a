//! All paths of an association: their addresses, windows and health. The samples that policies see are stored in this
//! table.

mod bursts;
mod ends;
mod measuring;
mod mtu;
mod records;
mod windows;

use std::net::SocketAddr;

use anabranch_base::{ByteCount, Duration, Ecn, Time};

use self::ends::Gone;
use super::addresses::PathAddresses;
use super::after_loss::LossState;
use super::bandwidth::Bandwidth;
use super::burst::BurstAllowance;
use super::counters::{PathCounters, SackCounters};
use super::health::{Health, HealthChange};
use super::limits::{BlockedClock, LimitClock};
use super::loss_rate::LossRate;
use super::measured::Measured;
use super::mtu::MtuSearch;
use super::pacer::Pacer;
use super::rtt::RoundTrip;
use super::share::Shares;
use super::silence::Silence;
use crate::config::{Config, Failover};
use crate::policy::loss_detection::AckedChunk;
use crate::policy::{Blocker, Hints, PathId, PathSample, PathState};
use crate::seq::Tsn;

/// The table of paths. A removed path keeps its place, so that no id is used twice, except that another path may take
/// the place of a path on which only probes were sent.
#[derive(Debug)]
pub struct PathTable {
    samples: Vec<PathSample>,
    paths: Vec<Path>,
    primary: PathId,
    last_resort: PathId,
    has_failed_path: bool,
    blocked: BlockedClock,
    sacks: SackCounters,
    address_changes: u64,
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
    after_loss: LossState,
    last_data: Option<Time>,
    last_arrival: Option<Time>,
    /// How many rounds of its window have ended: a round lasts from its first packet to the first acknowledgement of
    /// a packet sent in it, or to a time-out.
    round: u64,
    loss_rate: LossRate,
    bandwidth: Bandwidth,
    measured: Measured,
    counters: PathCounters,
    limits: LimitClock,
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
            blocked: BlockedClock::default(),
            sacks: SackCounters::default(),
            address_changes: 0,
        }
    }

    /// Adds a path in `state`; the first one added is the primary path.
    pub fn add(&mut self, addresses: PathAddresses, state: PathState, config: &Config) -> PathId {
        let id = PathId::from_index(self.paths.len());
        let (sample, path) = fresh(id, addresses, state, config);
        self.address_changes += 1;
        self.samples.push(sample);
        self.paths.push(path);
        id
    }

    /// Puts a new path in `state` in the place of the removed path `id`.
    pub fn replace(&mut self, id: PathId, addresses: PathAddresses, state: PathState, config: &Config) {
        (self.samples[id.index()], self.paths[id.index()]) = fresh(id, addresses, state, config);
        self.address_changes += 1;
        self.weigh_failures();
    }

    /// Keeps only the first `count` paths; the others were never used.
    pub fn truncate(&mut self, count: usize) {
        self.samples.truncate(count);
        self.paths.truncate(count);
        self.address_changes += 1;
        self.weigh_failures();
    }

    /// Path `id` is only a candidate until it is verified.
    pub fn set_candidate(&mut self, id: PathId) {
        self.paths[id.index()].is_candidate = true;
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

    /// The path's new address must be verified before it carries data.
    pub fn doubt(&mut self, id: PathId) {
        self.paths[id.index()].health.doubt();
        self.show_health(id);
        self.weigh_failures();
    }

    /// Data goes to path `id` when only one path is used.
    pub fn set_primary(&mut self, id: PathId) {
        self.primary = id;
        self.weigh_failures();
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
        path.after_loss = LossState::default();
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
        self.show_health(id);
        self.weigh_failures();
        self.show_round_trip(id);
        self.change_after_loss(id, |_| ());
    }

    /// A chunk of weight `weight` left on path `id`.
    pub fn on_chunk_sent(&mut self, id: PathId, weight: ByteCount, now: Time) {
        let flight = &mut self.samples[id.index()].flight;
        let path = &mut self.paths[id.index()];
        let was_idle = flight.is_zero();
        if was_idle {
            path.silence.begin(now);
        }
        *flight += weight;
        path.measured.on_sent(*flight, was_idle, now);
        path.last_data = Some(now);
        path.loss_rate.on_sent();
        self.show_blocker(id);
    }

    /// A chunk left for the first time: it may be timed.
    pub fn on_first_sent(&mut self, id: PathId, tsn: Tsn, now: Time) {
        let path = &mut self.paths[id.index()];
        path.round_trip.on_sent(tsn, now);
        path.health.on_used();
    }

    /// A copy of a chunk that was first sent on path `id` left on another path.
    pub fn on_copied(&mut self, id: PathId, tsn: Tsn) {
        self.paths[id.index()].round_trip.on_copied(tsn);
    }

    /// A chunk was marked lost: no chunk is timed any more.
    pub fn on_loss(&mut self, id: PathId) {
        let path = &mut self.paths[id.index()];
        path.round_trip.cancel_probe();
        path.loss_rate.on_lost();
    }

    /// The chunk `tsn` was marked lost; other chunks may still be timed
    /// ([`Ns2Rule::Accounts`](crate::policy::ns2::Ns2Rule::Accounts)).
    pub fn on_loss_without_cut(&mut self, id: PathId, tsn: Tsn) {
        let path = &mut self.paths[id.index()];
        path.round_trip.on_copied(tsn);
        path.loss_rate.on_lost();
    }

    /// The window was cut: cancels the round-trip measurement.
    pub fn cancel_measurement(&mut self, id: PathId) {
        self.paths[id.index()].round_trip.cancel_probe();
    }

    /// Everything in flight was marked lost: this window of chunks ends.
    pub fn on_all_lost(&mut self, id: PathId) {
        self.end_window(id);
    }

    /// Subtracts `weight` from the path's flight size.
    pub fn on_left_flight(&mut self, id: PathId, weight: ByteCount) {
        self.samples[id.index()].flight -= weight;
        self.show_blocker(id);
    }

    /// Adds `weight` to the path's flight size again.
    pub fn on_returned(&mut self, id: PathId, weight: ByteCount) {
        self.samples[id.index()].flight += weight;
        self.show_blocker(id);
    }

    /// A chunk last sent on path `id` was acknowledged. Returns the round-trip time if the chunk was timed.
    pub fn on_acked(&mut self, id: PathId, chunk: &AckedChunk, now: Time) -> Option<Duration> {
        let path = &mut self.paths[id.index()];
        path.counters.acked_bytes += chunk.payload;
        let ends_round = chunk.round == path.round;
        path.round += u64::from(ends_round);
        path.timeouts_in_row = 0;
        path.is_probing_window = false;
        // It is not known which of several paths delivered a copied chunk.
        if !chunk.was_copied {
            path.silence.begin(now);
        }
        let sample = path.round_trip.on_acked(chunk.tsn, now);
        if let Some(sample) = sample {
            path.count_round_trip(sample);
            self.show_round_trip(id);
        }
        self.show_blocker(id);
        if ends_round {
            self.end_window(id);
        }
        sample
    }

    /// A packet with codepoint `ecn` arrived on path `id`.
    pub fn on_arrival(&mut self, id: PathId, ecn: Ecn, now: Time) {
        let path = &mut self.paths[id.index()];
        path.counters.received_ecn.count(ecn);
        path.last_arrival = Some(now);
        path.counters.received_packets += 1;
    }

    /// The T3-rtx timer expired: the round of packets that it covered ends.
    pub fn on_timeout(&mut self, id: PathId) {
        self.paths[id.index()].round += 1;
    }

    /// Counts the expiry as a time-out.
    pub fn count_timeout(&mut self, id: PathId) {
        let path = &mut self.paths[id.index()];
        path.timeouts_in_row = path.timeouts_in_row.saturating_add(1);
        path.counters.timeouts += 1;
    }

    /// Whether time-outs were counted since a chunk was last acknowledged.
    pub fn has_timed_out(&self, id: PathId) -> bool {
        self.paths[id.index()].timeouts_in_row > 0
    }

    /// Allows only one packet in flight until a chunk is acknowledged (RFC 9260 §7.2.3).
    pub fn try_one_packet(&mut self, id: PathId) {
        self.paths[id.index()].is_probing_window = true;
        self.show_blocker(id);
    }

    /// Changes the state that loss responses keep on path `id`.
    pub fn change_after_loss<T>(&mut self, id: PathId, change: impl FnOnce(&mut LossState) -> T) -> T {
        let state = &mut self.paths[id.index()].after_loss;
        let changed = change(state);
        let sample = &mut self.samples[id.index()];
        (sample.cut_open, sample.ecn_open) = (state.is_cut_open(), state.is_ecn_open());
        self.show_blocker(id);
        changed
    }

    /// The state that loss responses keep on path `id`.
    pub fn after_loss(&self, id: PathId) -> &LossState {
        &self.paths[id.index()].after_loss
    }

    /// The duration of a timer of path `id` that starts now: the RTO, unless another time was drawn.
    pub fn take_timer(&mut self, id: PathId) -> Duration {
        self.paths[id.index()].after_loss.take_timer().unwrap_or(self.samples[id.index()].rto)
    }

    /// The HEARTBEAT of path `id` was answered: the path is alive. The answer gives no round-trip time.
    pub fn on_probe_answered(&mut self, id: PathId, now: Time) {
        let path = &mut self.paths[id.index()];
        path.silence.begin(now);
        path.health.on_sign(now);
    }

    /// Doubles the retransmission time-out of path `id`.
    pub fn back_off(&mut self, id: PathId) {
        self.paths[id.index()].round_trip.back_off();
        self.show_round_trip(id);
    }

    /// A SACK acknowledged `weight` that was last sent on path `id`.
    pub fn on_delivered(&mut self, id: PathId, weight: ByteCount, now: Time) {
        let bandwidth = &mut self.paths[id.index()].bandwidth;
        bandwidth.on_delivered(weight, now);
        self.samples[id.index()].bandwidth = bandwidth.estimate();
    }

    /// Notes whether path `id`, which holds `sent` in this end's buffer and `received` in the peer's, has used up its
    /// share.
    pub fn show_share(&mut self, id: PathId, shares: &Shares, sent: ByteCount, received: ByteCount) {
        self.samples[id.index()].has_spent_share = !shares.has_room(sent, received);
    }

    /// Counts an error against path `id`.
    pub fn on_error(&mut self, id: PathId, limits: &Failover) -> Option<HealthChange> {
        let change = self.change_health(id, |health| health.on_error(limits));
        self.weigh_failures();
        change
    }

    /// Path `id` has potentially failed, because of its silence.
    pub fn suspect(&mut self, id: PathId) -> Option<HealthChange> {
        self.paths[id.index()].silence.on_suspected();
        self.change_health(id, Health::suspect)
    }

    /// Path `id` delivered a chunk that was sent only on it, and only once.
    pub fn on_alive(&mut self, id: PathId, now: Time) -> Option<HealthChange> {
        self.paths[id.index()].health.on_sign(now);
        let change = self.change_health(id, Health::on_alive);
        if change.is_some() {
            self.paths[id.index()].silence.on_acquitted();
        }
        change
    }

    /// The path is verified.
    pub fn confirm(&mut self, id: PathId) -> Option<HealthChange> {
        self.paths[id.index()].is_candidate = false;
        self.change_health(id, Health::confirm)
    }

    /// The health of path `id`, for its HEARTBEATs. Changes of its state go through the table.
    pub fn heartbeat(&mut self, id: PathId) -> &mut Health {
        &mut self.paths[id.index()].health
    }

    /// The silence of path `id`, mutable.
    pub fn silence_mut(&mut self, id: PathId) -> &mut Silence {
        &mut self.paths[id.index()].silence
    }

    /// The silence of a path.
    pub fn silence(&self, id: PathId) -> &Silence {
        &self.paths[id.index()].silence
    }

    /// Whether a packet arrived on path `id` since data last left on it.
    pub fn is_heard(&self, id: PathId) -> bool {
        let path = &self.paths[id.index()];
        path.last_arrival > path.last_data
    }

    /// The round of a path's window, for observers.
    pub fn round(&self, id: PathId) -> u64 {
        self.paths[id.index()].round
    }

    /// The health of a path.
    pub fn health(&self, id: PathId) -> &Health {
        &self.paths[id.index()].health
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

    /// The path for data when only one path is used.
    pub fn primary(&self) -> PathId {
        self.primary
    }

    /// The path for data when no path is active (RFC 7829 §3.2): of the potentially failed ones, the one with the
    /// fewest errors; among equals, the one that was alive last. If there are none, the primary path.
    pub fn last_resort(&self) -> PathId {
        self.last_resort
    }

    /// Whether one of the paths has failed or potentially failed.
    pub fn has_failed_path(&self) -> bool {
        self.has_failed_path
    }

    /// The path that replaces `wanted` when no path is active: `wanted` itself, unless it is removed, or another path
    /// has potentially failed and `wanted` has not.
    pub fn resort_of(&self, wanted: PathId) -> PathId {
        let may_live = |id: PathId| self.sample(id).state == PathState::PotentiallyFailed;
        let is_better = may_live(self.last_resort) && !may_live(wanted);
        if is_better || self.is_removed(wanted) { self.last_resort } else { wanted }
    }

    /// How many paths there are, including removed ones.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    fn end_window(&mut self, id: PathId) {
        let estimate = &mut self.paths[id.index()].loss_rate;
        estimate.on_window();
        self.samples[id.index()].loss_rate = estimate.rate();
    }

    fn change_health(
        &mut self,
        id: PathId,
        change: impl FnOnce(&mut Health) -> Option<HealthChange>,
    ) -> Option<HealthChange> {
        let changed = change(&mut self.paths[id.index()].health);
        self.show_health(id);
        if changed.is_some() {
            self.weigh_failures();
        }
        changed
    }

    fn weigh_failures(&mut self) {
        self.has_failed_path = self.samples.iter().any(|sample| sample.state.has_failed());
        let may_live = |id: &PathId| self.sample(*id).state == PathState::PotentiallyFailed;
        let rank = |id: &PathId| {
            let health = self.health(*id);
            (std::cmp::Reverse(health.errors()), health.alive_at())
        };
        // `max_by_key` takes the last of equals, so the search goes from the back to find the first.
        self.last_resort = self.ids().rev().filter(may_live).max_by_key(rank).unwrap_or(self.primary);
    }

    fn show_health(&mut self, id: PathId) {
        self.samples[id.index()].state = self.paths[id.index()].health.state();
    }

    fn show_round_trip(&mut self, id: PathId) {
        let (round_trip, sample) = (&self.paths[id.index()].round_trip, &mut self.samples[id.index()]);
        sample.srtt = round_trip.srtt();
        sample.min_rtt = round_trip.min();
        sample.rttvar = round_trip.rttvar();
        sample.rto = round_trip.rto();
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
        has_spent_share: false,
        srtt: None,
        min_rtt: None,
        rttvar: Duration::ZERO,
        rto: round_trip.rto(),
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
        after_loss: LossState::default(),
        last_data: None,
        last_arrival: None,
        round: 0,
        loss_rate: LossRate::default(),
        bandwidth: Bandwidth::default(),
        measured: Measured::new(),
        counters: PathCounters::default(),
        limits: LimitClock::new(),
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

    fn count_round_trip(&mut self, sample: Duration) {
        self.counters.round_trips += 1;
        self.counters.round_trip_sum += sample;
    }
}

impl Default for PathTable {
    fn default() -> PathTable {
        PathTable::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> PathTable {
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

    fn acked(path: PathId) -> AckedChunk {
        let (tsn, weight, payload) = (Tsn::new(1), ByteCount::new(100), ByteCount::new(84));
        AckedChunk {
            tsn,
            path,
            round: 0,
            departure: 0,
            sent_at: Time::ZERO,
            weight,
            payload,
            is_retransmitted: false,
            was_copied: false,
        }
    }

    const WEIGHT: ByteCount = ByteCount::new(1460);

    /// M-SCTP-3: the overshoot rule would allow a second packet, because a chunk weighs less than a unit.
    #[test]
    fn after_a_time_out_one_packet_may_be_in_flight() {
        let mut table = table();
        let id = PathId::FIRST;
        table.on_chunk_sent(id, WEIGHT, Time::ZERO);
        table.on_left_flight(id, WEIGHT);
        table.try_one_packet(id);
        table.count_timeout(id);
        assert!(table.sample(id).may_send());
        table.on_chunk_sent(id, ByteCount::new(100), Time::ZERO);
        assert!(!table.sample(id).may_send(), "cwnd has room, but the single packet is unanswered");
        table.on_left_flight(id, ByteCount::new(100));
        table.on_acked(id, &acked(id), Time::ZERO);
        assert!(table.sample(id).may_send());
        assert!(!table.has_timed_out(id), "an ack ends the row");
    }

    /// The chunk that is timed has TSN 1.
    #[test]
    fn a_loss_that_does_not_cut_ends_the_measurement_of_the_lost_chunk_alone() {
        let measured = |lose: fn(&mut PathTable)| {
            let mut table = table();
            table.on_first_sent(PathId::FIRST, Tsn::new(1), Time::ZERO);
            lose(&mut table);
            table.on_acked(PathId::FIRST, &acked(PathId::FIRST), Time::from_nanos(1)).is_some()
        };
        assert!(!measured(|table| table.on_loss(PathId::FIRST)));
        assert!(measured(|table| table.on_loss_without_cut(PathId::FIRST, Tsn::new(2))));
        assert!(!measured(|table| table.on_loss_without_cut(PathId::FIRST, Tsn::new(1))));
        assert!(!measured(|table| table.cancel_measurement(PathId::FIRST)));
    }

    #[test]
    fn a_round_ends_with_the_first_acknowledgement_of_one_of_its_packets() {
        let mut table = table();
        assert_eq!(table.round(PathId::FIRST), 0);
        let rounds = [(); 2].map(|()| {
            table.on_acked(PathId::FIRST, &acked(PathId::FIRST), Time::ZERO);
            table.round(PathId::FIRST)
        });
        assert_eq!(rounds, [1, 1], "the second packet of round 0 ends nothing");
    }

    /// Otherwise a chunk that is sent again would belong to the lost round, and losses that take the rest of a round
    /// (M-NET-4) would never end.
    #[test]
    fn a_round_of_which_nothing_is_acknowledged_ends_with_the_time_out() {
        let mut table = table();
        table.on_timeout(PathId::FIRST);
        assert_eq!(table.round(PathId::FIRST), 1);
        table.on_acked(PathId::FIRST, &acked(PathId::FIRST), Time::ZERO);
        assert_eq!(table.round(PathId::FIRST), 1, "a packet of round 0 after all");
    }

    #[test]
    fn the_last_resort_may_live_has_the_fewest_errors_and_lived_last() {
        let mut table = table();
        let limits = Failover { potentially_failed: 1, path_max: 2, ..Config::rfc9260().failover };
        let [first, second] = [0, 1].map(PathId::from_index);
        table.on_alive(first, Time::from_nanos(1));
        table.on_alive(second, Time::from_nanos(2));
        assert_eq!(table.last_resort(), first, "the primary, while nothing has failed");
        let resorts = [first, second, second, second, first, first].map(|id| {
            table.on_error(id, &limits);
            (table.last_resort().index(), table.has_failed_path())
        });
        // The second was alive last; it has more errors; it is inactive; the first is inactive too.
        assert_eq!(resorts.map(|(index, _)| index), [0, 1, 0, 0, 0, 0]);
        assert!(resorts.iter().all(|(_, has_failed)| *has_failed));
        table.set_primary(second);
        assert_eq!(table.last_resort(), second, "the primary, when all have failed for certain");
        table.on_alive(second, Time::from_nanos(3));
        table.suspect(first);
        assert_eq!(table.resort_of(second), second);
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
        table.on_chunk_sent(id, WEIGHT, at(10));
        assert_eq!(table.take_idle_rtos(id, at(13)), 0, "data is in flight");
        table.on_left_flight(id, WEIGHT);
        assert_eq!(table.take_idle_rtos(id, at(13)), 3);
        assert_eq!(table.take_idle_rtos(id, at(13)), 0);
    }
}
