//! The queue of a path over the last seconds, and its likeness to the queue of another path.

use anabranch_base::{Duration, Time};

/// The one-way delays of one path's packets, by time of arrival.
#[derive(Clone, Debug)]
pub(super) struct QueueTrace {
    /// The delays of [`BINS`] consecutive spans; span `n` is at `n % BINS`.
    bins: [Bin; BINS],
    /// The number of the newest span, once there is one.
    newest: Option<u64>,
    /// The least one-way delay.
    least: Duration,
}

/// The delays of the packets that arrived within one span.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    /// In seconds.
    sum: f64,
    count: u32,
}

/// The likeness of two queues within a second, 1 for equal changes.
#[derive(Clone, Copy, Debug)]
struct Block {
    spans: f64,
    /// The likeness of all changes.
    likeness: f64,
    /// The likeness of the changes besides a steady rise or fall: the queues of any two links without other traffic rise alike.
    unsteady: f64,
}

/// Sums of products of two queues and of time, each less its mean, over the spans of a block.
#[derive(Clone, Copy, Debug, Default)]
struct Products {
    one: f64,
    two: f64,
    both: f64,
    time: f64,
    one_by_time: f64,
    two_by_time: f64,
}

impl QueueTrace {
    /// The trace of a path that carried nothing.
    pub(super) fn new() -> QueueTrace {
        QueueTrace { bins: [Bin::default(); BINS], newest: None, least: Duration::ZERO }
    }

    /// A packet arrived at `arrived` after `delay`, on a path with a one-way delay of at least `least`.
    pub(super) fn on_delay(&mut self, arrived: Time, delay: Duration, least: Duration) {
        self.least = least;
        let number = arrived.as_nanos() / SPAN.as_nanos();
        let newest = self.newest.unwrap_or(number);
        if number + BINS as u64 <= newest {
            return;
        }
        let first_new = (newest + 1).max((number + 1).saturating_sub(BINS as u64));
        (first_new..=number).for_each(|new| self.bins[index(new)] = Bin::default());
        self.newest = Some(newest.max(number));
        let bin = &mut self.bins[index(number)];
        bin.sum += delay.as_secs_f64();
        bin.count += 1;
    }

    /// The likeness of both queues in the seconds before `now`, 1 for the same queue and 0 for unrelated queues: a
    /// lower bound, by its variation from second to second. `None` if too little is known.
    ///
    /// Packets that leave the bottleneck at the same time arrive at different times if the delays behind it differ.
    /// Each of these is shorter than the whole one-way delay, and the difference that makes the queues most alike is
    /// taken.
    pub(crate) fn likeness(&self, other: &QueueTrace, now: Time) -> Option<f64> {
        let spans_of = |delay: Duration| (delay.as_nanos() / SPAN.as_nanos()).min(LARGEST_LAG) as i64 + 1;
        let lags = -spans_of(self.least)..=spans_of(other.least);
        lags.filter_map(|lag| self.likeness_at(other, lag, now)).reduce(f64::max)
    }

    /// The likeness if the other path's packets arrive `lag` spans later.
    fn likeness_at(&self, other: &QueueTrace, lag: i64, now: Time) -> Option<f64> {
        let end = now.as_nanos() / SPAN.as_nanos() + 1;
        let last = end / PER_BLOCK;
        let blocks: Vec<Block> = (last.saturating_sub(BLOCKS - 1)..=last)
            .filter_map(|block| self.block(other, block * PER_BLOCK..(block + 1) * PER_BLOCK, lag, end))
            .collect();
        let spans: f64 = blocks.iter().map(|block| block.spans).sum();
        if blocks.len() < FEWEST_BLOCKS || spans < FEWEST_SPANS {
            return None;
        }
        let of_all = believed(&blocks, spans, |block| block.likeness);
        Some(of_all.min(believed(&blocks, spans, |block| block.unsteady)))
    }

    /// 1 − mean((q₁ − q₂ − mean difference)²) / (var₁ + var₂) over the spans in which packets of both arrived; `None` if these
    /// are few, or if one of the queues did not change.
    fn block(&self, other: &QueueTrace, numbers: std::ops::Range<u64>, lag: i64, end: u64) -> Option<Block> {
        let both = || {
            numbers.clone().filter(|number| *number < end).filter_map(|number| {
                let delays = self.mean_delay(number).zip(other.mean_delay(number.checked_add_signed(lag)?));
                delays.map(|(one, two)| ((number % PER_BLOCK) as f64, one, two))
            })
        };
        let spans = both().count() as f64;
        if spans < FEWEST_IN_BLOCK {
            return None;
        }
        let sums = both().fold([0.0; 3], |[at, one, two], (number, first, second)| {
            [at + number, one + first, two + second]
        });
        let [time, one, two] = sums.map(|sum| sum / spans);
        let mut products = Products::default();
        both().for_each(|(number, first, second)| products.add(number - time, first - one, second - two));
        let least = LEAST_VARIANCE * spans;
        let is_known = products.one.min(products.two) >= least;
        let without_slope = products.without_slope();
        let is_unsteady = without_slope.one + without_slope.two >= LEAST_REST * spans;
        (is_known && is_unsteady).then(|| Block {
            spans,
            likeness: products.likeness(),
            unsteady: without_slope.likeness(),
        })
    }

    /// The mean delay of the packets that arrived in the span of this number, if it is still known and there are some.
    fn mean_delay(&self, number: u64) -> Option<f64> {
        let newest = self.newest?;
        let bin = self.bins[index(number)];
        let is_known = number <= newest && number + BINS as u64 > newest && bin.count > 0;
        is_known.then(|| bin.sum / f64::from(bin.count))
    }
}

impl Products {
    fn add(&mut self, time: f64, one: f64, two: f64) {
        self.one += one * one;
        self.two += two * two;
        self.both += one * two;
        self.time += time * time;
        self.one_by_time += one * time;
        self.two_by_time += two * time;
    }

    /// Subtracts from each queue the straight line that fits it best.
    fn without_slope(self) -> Products {
        let Products { time, one_by_time, two_by_time, .. } = self;
        Products {
            one: self.one - one_by_time * one_by_time / time,
            two: self.two - two_by_time * two_by_time / time,
            both: self.both - one_by_time * two_by_time / time,
            ..self
        }
    }

    fn likeness(self) -> f64 {
        2.0 * self.both / (self.one + self.two)
    }
}

/// The mean over the blocks, weighted by their parts of all `spans`, less a margin for chance.
fn believed(blocks: &[Block], spans: f64, likeness: fn(&Block) -> f64) -> f64 {
    let mean_of = |value: &dyn Fn(&Block) -> f64| {
        blocks.iter().map(|block| block.spans * value(block)).sum::<f64>() / spans
    };
    let mean = mean_of(&likeness);
    let variance = mean_of(&|block| (likeness(block) - mean).powi(2));
    mean - STANDARD_ERRORS * (variance / (blocks.len() - 1) as f64).sqrt()
}

fn index(number: u64) -> usize {
    (number % BINS as u64) as usize
}

/// The length of a span, over which delays are averaged.
const SPAN: Duration = Duration::from_millis(50);
/// Twelve seconds.
const BINS: usize = 240;
/// The spans of a block of one second.
const PER_BLOCK: u64 = 20;
/// The blocks that are compared.
const BLOCKS: u64 = 10;
/// The fewest spans with packets of both paths in a block, and in all of them.
const FEWEST_IN_BLOCK: f64 = 5.0;
const FEWEST_SPANS: f64 = 25.0;
const FEWEST_BLOCKS: usize = 4;
/// The number of standard errors that are subtracted from the mean.
const STANDARD_ERRORS: f64 = 1.5;
/// Half a millisecond, squared: a smaller variance is noise of the measurement.
const LEAST_VARIANCE: f64 = 2.5e-7;
/// A tenth of that for both queues together: a smaller variance besides a steady rise proves nothing.
const LEAST_REST: f64 = 5e-8;
/// The largest difference of the delays behind the bottleneck, in spans: half a second.
const LARGEST_LAG: u64 = 10;
