//! The losses below the knee, by chance: neither by a queue nor by an outage.

use std::collections::VecDeque;

use super::interval::{of_runs, of_share};
use super::plateau::OUTAGE;
use super::runs::Pairs;
use super::sample::{Sample, Series};
use super::view::View;
use crate::estimated::Estimated;
use crate::link_estimate::LossRuns;

/// The losses by chance of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ChanceLoss {
    pub(super) share: Option<Estimated>,
    pub(super) runs: Option<LossRuns>,
}

/// The packets of one flight that count, in order.
#[derive(Clone, Debug, Default)]
struct Counted {
    total: usize,
    lost: usize,
    pairs: Pairs,
    /// The time in seconds.
    seconds: f64,
    /// Packets and losses in blocks of time.
    blocks: Vec<(f64, f64)>,
}

/// The number of blocks of time of a flight.
const BLOCKS: f64 = 40.0;

/// The events of a Poisson process of which 2.5 % of such times show none.
const NO_EVENT: f64 = 3.689;

/// The length, in seconds, of a run of losses of which a time without losses may have shown none.
const SHORT_RUN: f64 = 0.01;

/// The queue up to which a loss is by chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Quiet {
    /// The growth of the delay in seconds.
    pub(super) growth: f64,
    /// The time of a byte on the link in seconds; 0 if it is not known.
    pub(super) per_byte: f64,
    /// The packets that the sender's own bursts may put into the queue.
    pub(super) backlog: f64,
}

/// The losses of `flights`. Packets whose neighbours' delay grew met a queue and do not count, nor do those that the sender
/// put behind too many of its own: the choice takes lost and other packets alike.
pub(super) fn by_chance<'a>(
    view: &View,
    flights: impl Iterator<Item = &'a Series>,
    quiet: Quiet,
) -> ChanceLoss {
    let counted: Vec<Counted> = flights.map(|flight| count(view, &flight.samples, quiet)).collect();
    let total: usize = counted.iter().map(|flight| flight.total).sum();
    let lost: usize = counted.iter().map(|flight| flight.lost).sum();
    // The densest flight shows runs best.
    let densest = counted.iter().max_by_key(|flight| flight.total);
    let pairs = densest.map(|flight| flight.pairs).unwrap_or_default();
    let runs = pairs.runs();
    let are_together = pairs.are_together();
    let effective: f64 = counted.iter().map(|flight| flight.effective(are_together.then_some(pairs))).sum();
    let share = lost as f64 / total as f64;
    let (low, high) = if are_together {
        // As many runs have the relative variance 1 / (share × effective).
        let (low, high) = of_runs(2.0 * share * effective);
        (low * share, (high * share).min(1.0))
    } else if lost == 0 {
        let seconds: f64 = counted.iter().map(|flight| flight.seconds).sum();
        (0.0, of_share(0.0, effective).1.max(NO_EVENT * SHORT_RUN / seconds.max(SHORT_RUN)).min(1.0))
    } else {
        of_share(share * effective, effective)
    };
    ChanceLoss { share: Estimated::of(share, low, high, total), runs }
}

impl Counted {
    /// The number of independent packets that would show the share as well.
    fn effective(&self, runs: Option<Pairs>) -> f64 {
        let of_runs = runs.map_or(1.0, |pairs| {
            let distance = self.pairs.spacing() / pairs.spacing().max(1e-9);
            let correlation = pairs.correlation().clamp(0.0, 0.999).powf(distance.clamp(0.0, 1e6));
            (1.0 + correlation) / (1.0 - correlation)
        });
        self.total as f64 / of_runs.max(self.dispersion())
    }

    /// The variance of the losses of blocks against that of independent losses, if that is too large for chance (at 1 %).
    fn dispersion(&self) -> f64 {
        let share = self.lost as f64 / (self.total as f64).max(1.0);
        let wanted = |packets: f64| packets * share * (1.0 - share);
        let square = |block: &(f64, f64)| (block.1 - block.0 * share).powi(2) / wanted(block.0);
        let blocks: Vec<f64> = self.blocks.iter().filter(|block| wanted(block.0) > 0.2).map(square).collect();
        let freedom = blocks.len() as f64 - 1.0;
        let found = blocks.iter().sum::<f64>();
        let most = freedom + 2.326 * (2.0 * freedom).sqrt() + 3.0;
        if freedom >= 5.0 && found > most { found / freedom } else { 1.0 }
    }
}

fn count(view: &View, samples: &[Sample], quiet: Quiet) -> Counted {
    let counts = countable(view, samples, quiet);
    let mut counted = Counted::default();
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else { return counted };
    counted.blocks = vec![(0.0, 0.0); BLOCKS as usize];
    counted.seconds = last.sent - first.sent;
    let length = (counted.seconds / BLOCKS).max(1e-9);
    let mut before: Option<&Sample> = None;
    for (sample, _) in samples.iter().zip(&counts).filter(|(_, counts)| **counts) {
        let is_lost = sample.delay.is_none();
        counted.total += 1;
        counted.lost += usize::from(is_lost);
        let place = (((sample.sent - first.sent) / length) as usize).min(counted.blocks.len() - 1);
        counted.blocks[place].0 += 1.0;
        counted.blocks[place].1 += f64::from(u8::from(is_lost));
        if let Some(before) = before {
            counted.pairs.count(before.delay.is_none(), is_lost, sample.sent - before.sent);
        }
        before = Some(sample);
    }
    counted
}

/// Which packets count.
fn countable(view: &View, samples: &[Sample], quiet: Quiet) -> Vec<bool> {
    let growth: Vec<Option<f64>> = samples.iter().map(|sample| view.growth(sample, quiet.per_byte)).collect();
    let backlog = backlogs(samples, quiet.per_byte);
    let before = last_known(growth.iter());
    let mut after = last_known(growth.iter().rev());
    after.reverse();
    let met_queue = |index: usize| {
        before[index].max(after[index]) > quiet.growth || backlog[index] as f64 > quiet.backlog
    };
    let mut counts: Vec<bool> = (0..samples.len()).map(|index| !met_queue(index)).collect();
    for outage in outages(samples) {
        counts[outage].fill(false);
    }
    counts
}

/// For each packet the number of those before it that a link of this rate had not sent yet.
fn backlogs(samples: &[Sample], per_byte: f64) -> Vec<usize> {
    let (mut free, mut queue) = (f64::NEG_INFINITY, VecDeque::new());
    let step = |sample: &Sample| {
        while queue.front().is_some_and(|sent: &f64| *sent <= sample.sent) {
            queue.pop_front();
        }
        let waiting = queue.len();
        free = f64::max(free, sample.sent) + sample.bytes * per_byte;
        queue.push_back(free);
        waiting
    };
    samples.iter().map(step).collect()
}

/// For each packet the growth of the last one before it that arrived.
fn last_known<'a>(growth: impl Iterator<Item = &'a Option<f64>>) -> Vec<f64> {
    let mut known = f64::NEG_INFINITY;
    let step = |growth: &Option<f64>| {
        let earlier = known;
        known = growth.unwrap_or(known);
        earlier
    };
    growth.map(step).collect()
}

/// The runs of lost packets that lasted too long for chance.
pub(super) fn outages(samples: &[Sample]) -> Vec<std::ops::Range<usize>> {
    let mut outages = Vec::new();
    let mut index = 0;
    for run in samples.chunk_by(|a, b| a.delay.is_none() == b.delay.is_none()) {
        let spans = run.len() >= 3 && run[run.len() - 1].sent - run[0].sent > OUTAGE;
        if run[0].delay.is_none() && spans {
            outages.push(index..index + run.len());
        }
        index += run.len();
    }
    outages
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::Purpose;

    /// A packet each millisecond with this delay, or a loss.
    fn chance(delay: impl Fn(usize) -> Option<f64>) -> ChanceLoss {
        let one = |n: usize| Sample { sent: n as f64 * 0.001, delay: delay(n), bytes: 100.0 };
        let flight = Series { purpose: Purpose::Chance, samples: (0..8_000).map(one).collect() };
        let view = View::new(vec![flight.clone()]);
        by_chance(&view, std::iter::once(&flight), QUIET)
    }

    const QUIET: Quiet = Quiet { growth: 0.01, per_byte: 0.0, backlog: 2.0 };

    /// A timer that is late lets eight packets leave together, of which a queue of three packets takes four.
    #[test]
    fn losses_of_the_senders_own_bursts_are_no_chance() {
        let per_byte = 8.0 / 25e6;
        let one = |n: usize| {
            let sent = (n / 8) as f64 * 0.008;
            let delay = (n % 8 < 4 && n % 97 != 50).then_some((n % 8) as f64 * 100.0 * per_byte);
            Sample { sent, delay, bytes: 100.0 }
        };
        let flight = Series { purpose: Purpose::Chance, samples: (0..16_000).map(one).collect() };
        let view = View::new(vec![flight.clone()]);
        let share = |backlog| {
            let found = by_chance(&view, std::iter::once(&flight), Quiet { per_byte, backlog, ..QUIET });
            found.share.expect("packets").value
        };
        assert!(share(100.0) > 0.5, "without the rule");
        assert!((share(2.0) - 1.0 / 97.0).abs() < 0.002, "{}", share(2.0));
    }

    #[test]
    fn single_losses_have_the_exact_interval() {
        let found = chance(|n| (n % 97 != 50).then_some(0.0));
        let share = found.share.expect("packets");
        let lost = share.value * 8_000.0;
        assert_eq!((lost.round(), share.samples), (82.0, 8_000));
        assert_eq!((share.low, share.high), of_share(82.0, 8_000.0));
        assert_eq!(found.runs, None);
    }

    #[test]
    fn one_run_of_three_is_one_event() {
        let found = chance(|n| (!(4_000..4_003).contains(&n)).then_some(0.0));
        let share = found.share.expect("packets");
        assert!(share.low < 0.1 * share.value && share.high > 20.0 * share.value, "{share:?}");
        assert_eq!(found.runs, None);
    }

    #[test]
    fn without_a_loss_a_run_may_have_been_missed() {
        let share = chance(|_| Some(0.0)).share.expect("packets");
        assert_eq!((share.value, share.low), (0.0, 0.0));
        assert!((share.high / (3.689 * 0.01 / 8.0) - 1.0).abs() < 0.01, "{share:?}");
    }

    #[test]
    fn runs_widen_the_interval() {
        let single = chance(|n| (n % 100 != 50).then_some(0.0)).share.expect("packets");
        let runs = chance(|n| (n * 7_919 % 1_000 >= 10 && n / 10 % 97 != 0).then_some(0.0));
        let wide = runs.share.expect("packets");
        let fit = runs.runs.expect("runs");
        assert!(wide.high - wide.low > 2.0 * (single.high - single.low), "{single:?} {wide:?}");
        assert!(fit.bad_to_good.value < 0.6, "{fit:?}");
    }

    #[test]
    fn an_outage_is_no_loss_by_chance() {
        let found = chance(|n| (!(2_000..2_400).contains(&n)).then_some(0.0)).share.expect("packets");
        assert_eq!((found.value, found.samples), (0.0, 7_600));
    }

    #[test]
    fn a_queue_that_loses_is_no_chance() {
        let found = chance(|n| match n {
            3_000..5_000 if n % 3 == 0 => None,
            3_000..5_000 => Some(0.05),
            _ => Some(0.0),
        });
        let share = found.share.expect("packets");
        assert!(share.value < 0.001 && share.samples > 5_900, "{share:?}");
    }

    #[test]
    fn without_packets_nothing_is_known() {
        let view = View::new(Vec::new());
        assert_eq!(by_chance(&view, std::iter::empty(), QUIET), ChanceLoss::default());
    }
}
