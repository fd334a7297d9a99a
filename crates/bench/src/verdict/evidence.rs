//! The numbers that a judgement rests on. It draws no conclusion that needs words.

use crate::path_entry::PathEntry;

use super::losses::{self, QueueState};
use super::{ALL_OF_IT, Alone, TestSummary};

/// What was measured, weighed.
#[derive(Clone, Debug)]
pub struct Evidence<'a> {
    /// The test over all paths.
    pub run: &'a TestSummary,
    /// Each path alone.
    pub alone: &'a [Alone],
    /// What they would carry if none disturbed another.
    pub sum_alone: Option<f64>,
    /// The part of the paths' capacity during which there was no data,
    pub application: f64,
    /// the receiver had no room,
    pub receive_window: f64,
    /// or the scheduler sent nothing.
    pub scheduler: f64,
}

impl<'a> Evidence<'a> {
    /// Weighs each path's time by what it carries alone; all paths alike where that is not known.
    pub fn of(run: &'a TestSummary, alone: &'a [Alone]) -> Evidence<'a> {
        let mut evidence = Evidence {
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

    /// What arrived as a part of what would if no path disturbed another.
    pub fn share_of_sum(&self) -> Option<f64> {
        self.sum_alone.filter(|sum| *sum > 0.0).map(|sum| self.run.goodput_bps / sum)
    }

    /// What a path carried alone.
    pub fn alone_bps(&self, name: &str) -> Option<f64> {
        self.alone.iter().find(|alone| alone.name == name).map(|alone| alone.goodput_bps)
    }

    /// The paths by which nothing went, not even alone.
    pub fn dead(&self) -> impl Iterator<Item = &Alone> {
        self.alone.iter().filter(|alone| alone.is_dead())
    }

    /// The path that carries most alone.
    pub fn best_alone(&self) -> Option<&Alone> {
        self.alone.iter().max_by(|a, b| a.goodput_bps.total_cmp(&b.goodput_bps))
    }

    /// Returns true if all that was to be sent was: it arrived in time, or the paths had nothing to do for most of the test.
    pub fn is_rate_kept(&self) -> bool {
        let is_kept =
            |offered: f64| self.run.goodput_bps >= ALL_OF_IT * offered || self.application >= MOSTLY;
        self.run.unsent_messages == 0 && self.run.offered_bps.is_some_and(is_kept)
    }

    /// The path that was down for longest, and for how long.
    pub fn longest_down(&self) -> Option<(&PathEntry, f64)> {
        let downs = self.run.paths.iter().map(|path| (path, part(path, path.down_s)));
        downs.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, share)| *share > 0.0)
    }

    /// Returns true if paths that were down explain at least half of what is missing.
    pub fn is_gap_an_outage(&self) -> bool {
        let lost = self.weighed(|path| path.down_s);
        let missing = self.share_of_sum().map_or(NO_SUM_KNOWN, |share| 1.0 - share);
        lost >= SHORTEST_OUTAGE && lost >= missing / 2.0
    }

    /// Returns true if together they carry what the best does alone, each less than alone, and windows alone held them back.
    pub fn share_a_link(&self) -> bool {
        let Some(best) = self.best_alone().filter(|_| self.alone.len() > 1) else { return false };
        let carry_less =
            self.run.paths.iter().filter(|path| {
                self.alone_bps(&path.name).is_some_and(|alone| path.goodput_bps < LESS * alone)
            });
        let ratio = self.run.goodput_bps / best.goodput_bps.max(1.0);
        (ALIKE..1.0 / ALIKE).contains(&ratio) && carry_less.count() > 1
    }

    /// Returns true if every path that carried data has a queue that stands while its window is full. Such a link carries all that
    /// it can.
    pub fn has_standing_queues(&self) -> bool {
        let mut used = self.run.paths.iter().filter(|path| path.share >= USED).peekable();
        let is_full = |path: &PathEntry| {
            QueueState::of(path) == QueueState::Standing && part(path, path.cwnd_limited_s) >= ALL_THE_TIME
        };
        used.peek().is_some() && used.all(is_full)
    }

    /// The paths whose windows losses keep small while no queue stands.
    pub fn held_by_losses(&self) -> Vec<&'a PathEntry> {
        losses::held_by_losses(&self.run.paths, self.run.congestion_control.as_deref())
    }

    /// Returns true if losses hold the window of every path that carried data.
    pub fn is_each_held_by_losses(&self) -> bool {
        let held = self.held_by_losses();
        let mut used = self.run.paths.iter().filter(|path| path.share >= USED);
        !held.is_empty() && used.all(|path| held.iter().any(|held| held.name == path.name))
    }

    /// Returns true if a congestion control that measures what paths deliver, and leaves no queue, sent all the time as much as that.
    pub fn fill_without_queue(&self) -> bool {
        let mut used = self.run.paths.iter().filter(|path| path.share >= USED).peekable();
        let heeds_queues = self.run.congestion_control.as_deref().is_some_and(losses::tells_losses_apart);
        heeds_queues
            && used.peek().is_some()
            && used.all(|path| part(path, path.cwnd_limited_s) >= ALL_THE_TIME)
    }

    /// The path that misses most of what it carries alone, and how much it misses.
    pub fn widest_gap(&self) -> Option<(&PathEntry, f64)> {
        let gaps = self
            .run
            .paths
            .iter()
            .filter_map(|path| Some((path, self.alone_bps(&path.name)? - path.goodput_bps)));
        gaps.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, gap)| *gap > 0.0)
    }

    /// What the receiver must hold: "2 * sum(BW_i) * RTT_max" (RFC 6182 §5.3), in bytes, with the sum and the round
    /// trip in it. One round trip while a loss is mended, one in order.
    pub fn needed_buffer(&self) -> (f64, f64, f64) {
        let rates = self.sum_alone.unwrap_or(self.run.goodput_bps).max(self.run.goodput_bps);
        let paths = self.run.paths.iter().chain(self.alone.iter().map(|alone| &alone.path));
        let longest = paths.filter_map(|path| path.mean_rtt_s).fold(0.0, f64::max);
        (2.0 * rates * longest / 8.0, rates, longest)
    }

    /// Returns true if the receiver's buffer held paths back that were alone.
    pub fn is_alone_blocked(&self) -> bool {
        self.alone.iter().any(|alone| part(&alone.path, alone.path.rwnd_limited_s) >= super::NOTEWORTHY)
    }

    fn weighed(&self, seconds: impl Fn(&PathEntry) -> f64) -> f64 {
        let weight = |path: &PathEntry| match self.sum_alone {
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

/// `seconds` as a part of the path's time.
fn part(path: &PathEntry, seconds: f64) -> f64 {
    let all = path.limited_s();
    if all > 0.0 { seconds / all } else { 0.0 }
}

/// Where it is not known what the paths carry alone, an outage of this part of their time is one that matters.
const NO_SUM_KNOWN: f64 = 0.1;
/// A path with less than this share of the data was probed, not used.
const USED: f64 = 0.02;
/// A path whose window was full for this part of the time was never short of data.
const ALL_THE_TIME: f64 = 0.9;
/// More than half of the time.
const MOSTLY: f64 = 0.5;
/// Shorter ones are paths that were verified a little late.
const SHORTEST_OUTAGE: f64 = 0.03;
/// Two rates are alike if neither is less than this part of the other.
const ALIKE: f64 = 0.85;
/// A path that carries less than this part of what it does alone was disturbed.
const LESS: f64 = 0.85;
