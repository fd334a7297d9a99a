//! Which pair of addresses the next INIT takes, when it leaves, and which pairs become paths when one has answered.

use std::net::{IpAddr, SocketAddr};

use anabranch_base::Duration;

use super::init::MAX_PATHS;
use super::peer_addresses::{Alternatives, InitPace, Pairs, Routes};
use crate::config::Config;
use crate::path::{PathAddresses, PathTable};
use crate::policy::{PathId, PathState};

/// The pairs over which INIT goes, until one answers.
#[derive(Debug)]
pub(super) struct Race {
    pace: InitPace,
    /// The number of first pairs the application asked for.
    asked: usize,
    /// The number of pairs INIT goes over in a round.
    count: usize,
    /// The number of INITs that left in this round.
    sent: usize,
    /// Which addresses stand for one another, and the pairs that INIT does not go over.
    pairs: Pairs,
}

impl Race {
    /// The table of the paths that INIT may take, and their race.
    pub fn begin(routes: Routes<'_>, config: &Config) -> (PathTable, Race) {
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

    /// INIT left.
    pub fn on_sent(&mut self) {
        self.sent += 1;
    }

    /// Begins the next round over all pairs.
    pub fn begin_round(&mut self) {
        self.sent = 0;
    }

    /// Returns true if INIT has left on every pair since the last time-out that counted. One by one, each path is a round of its
    /// own.
    pub fn is_round_over(&self) -> bool {
        self.pace == InitPace::OneByOne || self.sent >= self.count
    }

    /// How long to wait for an answer to the INIT that leaves now: in a race until it is the next pair's turn; at its end
    /// for the rest of a time-out that began with the round.
    pub fn answer_timeout(&self, rto: Duration) -> Duration {
        if self.pace == InitPace::OneByOne {
            return rto;
        }
        let delay = ATTEMPT_DELAY.min(ROUND / self.count.max(1) as u64);
        let before = delay * (self.sent as u64).saturating_sub(1);
        let rest = if self.is_round_over() { rto.saturating_sub(before) } else { Duration::ZERO };
        rest.max(delay)
    }

    /// The addresses of `all` to announce in an INIT from `local`. Of a link with both IP versions it is the one of that
    /// INIT: two versions over one link would be two paths that share it.
    pub fn announced(&self, all: &[IpAddr], local: SocketAddr) -> Vec<IpAddr> {
        let is_left_out = |ip: &IpAddr| {
            let groups = &self.pairs.alternatives.local;
            let mut links = groups.iter().filter(|link| link.iter().any(|one| one.ip() == *ip));
            let has_other = |link: &Vec<SocketAddr>| link.iter().any(|one| one.is_ipv4() == local.is_ipv4());
            ip.is_ipv4() != local.is_ipv4() && links.any(has_other)
        };
        all.iter().copied().filter(|ip| !is_left_out(ip)).collect()
    }

    /// INIT was answered on path `answered` by a peer with the `announced` addresses. Keeps the paths of the pairs that
    /// were asked for, each with the address that its peer has shown to have where several stand for one another, and
    /// the one that answered. Returns that one, and the pairs that are left.
    pub fn finish(
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

    /// The cookie was stale: INIT goes to the path that has answered.
    pub fn keep(&mut self, pairs: Pairs) {
        self.pairs = pairs;
    }
}

/// Which of several pairs that stand for one another becomes a path.
struct Fitting<'a> {
    winner: PathAddresses,
    announced: &'a [IpAddr],
    alternatives: &'a Alternatives,
}

impl Fitting<'_> {
    /// The best of the pairs that stand for `asked`: the one that answered, else one that leads to the address that
    /// answered, else to one that its owner has announced. The same name may have addresses of other hosts.
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

/// How long after an INIT the next pair of addresses is tried as well. RFC 8305 §5 recommends 250 ms between connections;
/// INIT costs the server no state, and a host with several links often has some that lead nowhere.
const ATTEMPT_DELAY: Duration = Duration::from_millis(40);
/// The first INIT has left on every pair after this time, however many there are.
const ROUND: Duration = Duration::from_millis(600);
/// The most pairs that INIT goes over.
pub const MAX_PAIRS: usize = 64;
