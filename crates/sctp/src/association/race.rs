//! Schedules INITs over pairs of addresses, and selects the pairs that become paths when one is answered.

use std::net::{IpAddr, SocketAddr};

use anabranch_base::Duration;

use super::init::MAX_PATHS;
use super::peer_addresses::{Alternatives, InitPace, Pairs, Routes};
use crate::config::Config;
use crate::path::{PathAddresses, PathTable};
use crate::policy::{PathId, PathState};

/// The pairs to which INITs are sent, until one answers.
#[derive(Debug)]
pub(super) struct Race {
    pace: InitPace,
    /// The number of leading pairs that the application requested.
    asked: usize,
    /// The number of pairs in a round.
    count: usize,
    /// The number of INITs sent in this round.
    sent: usize,
    /// The alternatives among the addresses, and the pairs to which no INIT is sent.
    pairs: Pairs,
}

impl Race {
    /// The table of the paths for INITs, and their race.
    pub(super) fn begin(routes: Routes<'_>, config: &Config) -> (PathTable, Race) {
        let Routes { paths, further, pace, alternatives } = routes;
        // RFC 9260 §5.4: "Any addresses passed to the sender of the INIT chunk by its upper layer [...] are
        // automatically considered to be CONFIRMED."
        let given = if config.trusts_given_addresses { PathState::Active } else { PathState::Unconfirmed };
        let is_raced = pace == InitPace::Raced;
        let in_race = if is_raced { further } else { &[] };
        let mut table = PathTable::new();
        for (index, &addresses) in paths.iter().chain(in_race).take(MAX_PAIRS).enumerate() {
            let state = match (is_raced, index) {
                (true, _) => PathState::Unconfirmed,
                (false, 0) => PathState::Active,
                (false, _) => given,
            };
            table.add(addresses, state, config);
        }
        let pairs = Pairs {
            asked: paths.to_vec(),
            untried: if is_raced { Vec::new() } else { further.to_vec() },
            were_tried: is_raced,
            alternatives: alternatives.clone(),
        };
        let race = Race { pace, asked: paths.len(), count: table.len(), sent: 0, pairs };
        (table, race)
    }

    /// Counts an INIT that was sent.
    pub(super) fn on_sent(&mut self) {
        self.sent += 1;
    }

    /// Begins the next round over all pairs.
    pub(crate) fn begin_round(&mut self) {
        self.sent = 0;
    }

    /// Returns true if an INIT was sent on every pair in this round. With [`InitPace::OneByOne`], each path is a round
    /// of its own.
    pub(crate) fn is_round_over(&self) -> bool {
        self.pace == InitPace::OneByOne || self.sent >= self.count
    }

    /// The time to wait for an answer to the INIT that is sent now: in a race, the time until the next pair's INIT;
    /// after the last pair, the rest of the time-out that began with the round.
    pub(crate) fn answer_timeout(&self, rto: Duration) -> Duration {
        if self.pace == InitPace::OneByOne {
            return rto;
        }
        let delay = ATTEMPT_DELAY.min(ROUND / self.count.max(1) as u64);
        let before = delay * (self.sent as u64).saturating_sub(1);
        let rest = if self.is_round_over() { rto.saturating_sub(before) } else { Duration::ZERO };
        rest.max(delay)
    }

    /// The addresses of `all` to announce in an INIT from `local`. Of a link with both IP versions, only the version of
    /// that INIT is announced: both would be two paths that share the link.
    pub(super) fn announced(&self, all: &[IpAddr], local: SocketAddr) -> Vec<IpAddr> {
        let is_left_out = |ip: &IpAddr| {
            let groups = &self.pairs.alternatives.local;
            let mut links = groups.iter().filter(|link| link.iter().any(|one| one.ip() == *ip));
            let has_other = |link: &Vec<SocketAddr>| link.iter().any(|one| one.is_ipv4() == local.is_ipv4());
            ip.is_ipv4() != local.is_ipv4() && links.any(has_other)
        };
        all.iter().copied().filter(|ip| !is_left_out(ip)).collect()
    }

    /// Ends the race: INIT was answered on path `answered` by a peer with the `announced` addresses. Keeps the paths of
    /// the requested pairs, for alternatives the one whose address the peer has shown to have, and the one that
    /// answered. Returns that one, and the remaining pairs.
    pub(super) fn finish(
        &mut self,
        answered: PathId,
        paths: &mut PathTable,
        announced: &[IpAddr],
    ) -> (PathId, Pairs) {
        let mut pairs = std::mem::take(&mut self.pairs);
        if std::mem::replace(&mut self.pace, InitPace::OneByOne) == InitPace::OneByOne {
            return (answered, pairs);
        }
        let winner = paths.addresses(answered);
        let mut kept: Vec<PathId> = Vec::new();
        for asked in paths.ids().take(self.asked) {
            let fitting = Fitting { winner, announced, alternatives: &pairs.alternatives };
            let best = fitting.best(asked, paths).filter(|best| !kept.contains(best));
            kept.extend(best);
        }
        pairs.asked = kept.iter().map(|&id| paths.addresses(id)).collect();
        if !kept.contains(&answered) {
            kept.truncate(MAX_PATHS - 1);
            kept.push(answered);
        }
        kept.truncate(MAX_PATHS);
        if !kept.contains(&answered) {
            kept[MAX_PATHS - 1] = answered;
        }
        let left = paths.ids().filter(|id| !kept.contains(id));
        pairs.untried = left.map(|id| paths.addresses(id)).collect();
        let place = kept.iter().position(|&id| id == answered).unwrap_or_default();
        paths.select(&kept);
        (PathId::from_index(place), pairs)
    }

    /// Restores the race after a stale cookie: the INIT is sent on the path that has answered.
    pub(super) fn keep(&mut self, pairs: Pairs) {
        self.pairs = pairs;
    }
}

/// Selects the pair that becomes a path among alternatives.
struct Fitting<'a> {
    winner: PathAddresses,
    announced: &'a [IpAddr],
    alternatives: &'a Alternatives,
}

impl Fitting<'_> {
    /// The best of the alternatives for the pair `asked`: the one that answered, else one to the address that answered,
    /// else one to an announced address. A host name may have addresses of other hosts.
    fn best(&self, asked: PathId, paths: &PathTable) -> Option<PathId> {
        let wanted = paths.addresses(asked);
        let alike = paths.ids().filter(|&id| self.alternatives.is_same_path(paths.addresses(id), wanted));
        alike.min_by_key(|&id| {
            let pair = paths.addresses(id);
            let is_announced = self.announced.contains(&pair.remote.ip());
            (pair != self.winner, pair.remote != self.winner.remote, !is_announced, id != asked)
        })
    }
}

/// The time after an INIT at which the next pair of addresses is tried too. RFC 8305 §5 recommends 250 ms between
/// connections; This is shorter, because an INIT costs the server no state, and a host with several links often has
/// unreachable ones.
const ATTEMPT_DELAY: Duration = Duration::from_millis(40);
/// The time in which the first INIT is sent on every pair, even on many.
const ROUND: Duration = Duration::from_millis(600);
/// The maximum number of pairs to which INITs are sent.
pub const MAX_PAIRS: usize = 64;
