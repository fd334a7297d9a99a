//! The numbers on which a verdict rests.

use crate::path_seen::PathSeen;

use super::ALL_OF_IT;
use super::losses::{self, QueueState};
use crate::transfer::{Alone, Transfer};

/// The measurements, weighted by the capacity of the paths.
#[derive(Clone, Debug)]
pub(crate) struct Weighed<'a> {
    /// The test over all paths.
    pub run: &'a Transfer,
    /// Each path alone.
    pub alone: &'a [Alone],
    /// The sum of the goodputs of each path alone, if measured.
    pub sum_alone: Option<f64>,
    /// The part of the paths' capacity without data to send.
    pub application: f64,
    /// The part limited by the receive window.
    pub receive_window: f64,
    /// The part that the scheduler left unused.
    pub scheduler: f64,
}

impl<'a> Weighed<'a> {
    /// Weights each path's time by its goodput alone, or all paths equally if that is not known.
    pub(crate) fn of(run: &'a Transfer, alone: &'a [Alone]) -> Weighed<'a> {
        let mut evidence = Weighed {
            run,
            alone,
            sum_alone: (!alone.is_empty()).then(|| alone.iter().map(|path| path.goodput_bps).sum()),
            application: 0.0,
            receive_window: 0.0,
            scheduler: 0.0,
        };
        evidence.application = evidence.weighed(|path| path.app_limited_s);
        evidence.receive_window = evidence.weighed(|path| path.rwnd_limited_s);
        evidence.scheduler = evidence.weighed(|path| path.scheduler_limited_s);
        evidence
    }

    /// The goodput as a part of the sum of the paths alone.
    pub(crate) fn share_of_sum(&self) -> Option<f64> {
        self.sum_alone.filter(|sum| *sum > 0.0).map(|sum| self.run.goodput_bps / sum)
    }

    /// The goodput of a path alone.
    pub(crate) fn alone_bps(&self, name: &str) -> Option<f64> {
        self.alone.iter().find(|alone| alone.name == name).map(|alone| alone.goodput_bps)
    }

    /// The paths that carried nothing even alone.
    pub(crate) fn dead(&self) -> impl Iterator<Item = &Alone> {
        self.alone.iter().filter(|alone| alone.is_dead())
    }

    /// The path with the highest goodput alone.
    pub(crate) fn best_alone(&self) -> Option<&Alone> {
        self.alone.iter().max_by(|a, b| a.goodput_bps.total_cmp(&b.goodput_bps))
    }

    /// Returns true if the requested rate was kept: the data arrived in time, or the paths were idle for most of the
    /// test.
    pub(crate) fn is_rate_kept(&self) -> bool {
        let is_kept =
            |offered: f64| self.run.goodput_bps >= ALL_OF_IT * offered || self.application >= MOSTLY;
        self.run.unsent_messages == 0 && self.run.offered_bps.is_some_and(is_kept)
    }

    /// The path with the longest down time, and the share of its time.
    pub(crate) fn longest_down(&self) -> Option<(&PathSeen, f64)> {
        let downs = self.run.paths.iter().map(|path| (path, part(path, path.down_s)));
        downs.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, share)| *share > 0.0)
    }

    /// Returns true if down time explains at least half of the missing goodput.
    pub(crate) fn is_gap_an_outage(&self) -> bool {
        let lost = self.weighed(|path| path.down_s);
        let missing = self.share_of_sum().map_or(NO_SUM_KNOWN, |share| 1.0 - share);
        lost >= SHORTEST_OUTAGE && lost >= missing / 2.0
    }

    /// Returns true if together the paths carry about as much as the best alone, and at least two of them less than
    /// alone.
    pub(crate) fn share_a_link(&self) -> bool {
        let Some(best) = self.best_alone().filter(|_| self.alone.len() > 1) else { return false };
        let carry_less =
            self.run.paths.iter().filter(|path| {
                self.alone_bps(&path.name).is_some_and(|alone| path.goodput_bps < LESS * alone)
            });
        let ratio = self.run.goodput_bps / best.goodput_bps.max(1.0);
        (ALIKE..1.0 / ALIKE).contains(&ratio) && carry_less.count() > 1
    }

    /// Returns true if every path that carried data had a full window and a standing queue. Such links are fully
    /// used.
    pub(crate) fn has_standing_queues(&self) -> bool {
        let mut used = self.run.paths.iter().filter(|path| path.share >= USED).peekable();
        let is_full = |path: &PathSeen| {
            QueueState::of(path) == QueueState::Standing && part(path, path.cwnd_limited_s) >= ALL_THE_TIME
        };
        used.peek().is_some() && used.all(is_full)
    }

    /// The paths whose windows losses keep small without a standing queue.
    pub(crate) fn held_by_losses(&self) -> Vec<&'a PathSeen> {
        losses::held_by_losses(&self.run.paths, self.run.control.as_ref())
    }

    /// Returns true if losses limit the window of every path that carried data.
    pub(crate) fn is_each_held_by_losses(&self) -> bool {
        let held = self.held_by_losses();
        let mut used = self.run.paths.iter().filter(|path| path.share >= USED);
        !held.is_empty() && used.all(|path| held.iter().any(|held| held.name == path.name))
    }

    /// Returns true if a model-based congestion control, which leaves no queue, sent at the measured delivery rate
    /// all the time.
    pub(crate) fn fill_without_queue(&self) -> bool {
        let mut used = self.run.paths.iter().filter(|path| path.share >= USED).peekable();
        let heeds_queues = self.run.control.as_ref().is_some_and(|control| control.tells_losses_apart);
        heeds_queues
            && used.peek().is_some()
            && used.all(|path| part(path, path.cwnd_limited_s) >= ALL_THE_TIME)
    }

    /// The path with the largest loss of goodput against its test alone, and that loss in bits a second.
    pub(crate) fn widest_gap(&self) -> Option<(&PathSeen, f64)> {
        let gaps = self
            .run
            .paths
            .iter()
            .filter_map(|path| Some((path, self.alone_bps(&path.name)? - path.goodput_bps)));
        gaps.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, gap)| *gap > 0.0)
    }

    /// The receive buffer that the paths need, "2 * sum(BW_i) * RTT_max" (RFC 6182 §5.3), in bytes, with the sum in
    /// bits a second and the round-trip time in seconds. The first round trip covers the recovery of a loss, the
    /// second the data in order.
    pub(crate) fn needed_buffer(&self) -> (f64, f64, f64) {
        let rates = self.sum_alone.unwrap_or(self.run.goodput_bps).max(self.run.goodput_bps);
        let paths = self.run.paths.iter().chain(self.alone.iter().map(|alone| &alone.path));
        let longest = paths.filter_map(|path| path.mean_rtt_s).fold(0.0, f64::max);
        (2.0 * rates * longest / 8.0, rates, longest)
    }

    /// Returns true if the receive buffer limited a path even alone.
    pub(crate) fn is_alone_blocked(&self) -> bool {
        self.alone.iter().any(|alone| part(&alone.path, alone.path.rwnd_limited_s) >= super::NOTEWORTHY)
    }

    fn weighed(&self, seconds: impl Fn(&PathSeen) -> f64) -> f64 {
        let weight = |path: &PathSeen| match self.sum_alone {
            Some(_) => self.alone_bps(&path.name).unwrap_or(0.0),
            None => 1.0,
        };
        let all: f64 = self.run.paths.iter().map(weight).sum();
        if all <= 0.0 {
            return 0.0;
        }
        let parts = self.run.paths.iter().map(|path| weight(path) * part(path, seconds(path)));
        parts.sum::<f64>() / all
    }
}

/// The part of the path's time that `seconds` is.
fn part(path: &PathSeen, seconds: f64) -> f64 {
    let all = path.limited_s();
    if all > 0.0 { seconds / all } else { 0.0 }
}

/// The missing share assumed without tests of each path alone.
const NO_SUM_KNOWN: f64 = 0.1;
/// A path with less than this share of the data was probed, not used.
const USED: f64 = 0.02;
/// A path whose window was full for this part of the time always had data to send.
const ALL_THE_TIME: f64 = 0.9;
/// More than half of the time.
const MOSTLY: f64 = 0.5;
/// Shorter outages come from paths that were verified a little late.
const SHORTEST_OUTAGE: f64 = 0.03;
/// Two rates are similar if neither is below this part of the other.
const ALIKE: f64 = 0.85;
/// A path below this part of its goodput alone was slowed by the others.
const LESS: f64 = 0.85;
