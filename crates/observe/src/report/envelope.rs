//! Values over time in bounded memory: time steps, each with its first, lowest, highest and last value.

use anabranch_base::Time;

/// A value at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimedValue {
    /// The time.
    pub at: Time,
    /// The value.
    pub value: i64,
}

/// Values over time, thinned without losing a peak. Every value is kept while they are few; then time is cut into
/// steps, whose length doubles each time they become too many, and of each step four values are kept. A line through
/// those four covers the same pixels as one through all, where a step is not wider than a pixel (Jugel et al., "M4",
/// VLDB 2014).
#[derive(Clone, Debug)]
pub(super) struct ThinnedSeries {
    /// A step is 2^shift nanoseconds long.
    shift: u32,
    limit: usize,
    steps: Vec<TimeStep>,
    count: u64,
}

#[derive(Clone, Copy, Debug)]
struct TimeStep {
    first: NumberedPoint,
    low: NumberedPoint,
    high: NumberedPoint,
    last: NumberedPoint,
}

/// A point and its number, which orders points of the same time.
#[derive(Clone, Copy, Debug)]
struct NumberedPoint {
    point: TimedValue,
    number: u64,
}

impl ThinnedSeries {
    /// An empty series of at most `limit` steps, which is at least one.
    pub(super) fn new(limit: usize) -> ThinnedSeries {
        ThinnedSeries { shift: 0, limit: limit.max(1), steps: Vec::new(), count: 0 }
    }

    /// Adds a value that holds until the next one. A repeated value is left out.
    pub(super) fn hold(&mut self, at: Time, value: i64) {
        if self.steps.last().is_none_or(|step| step.last.point.value != value) {
            self.mark(at, value);
        }
    }

    /// Adds a value for this time only. A late value is inserted in its place.
    pub(super) fn mark(&mut self, at: Time, value: i64) {
        let entry = NumberedPoint { point: TimedValue { at, value }, number: self.count };
        self.count += 1;
        let step = TimeStep { first: entry, low: entry, high: entry, last: entry };
        match self.steps.last_mut().filter(|last| last.index(self.shift) == step.index(self.shift)) {
            Some(last) if self.shift > 0 => last.append(&step),
            _ => self.steps.push(step),
        }
        while self.steps.len() > self.limit {
            self.coarsen();
        }
    }

    /// The kept points in order of time.
    pub(super) fn points(&self) -> Vec<TimedValue> {
        let kept = self.steps.iter().flat_map(|step| [step.first, step.low, step.high, step.last]);
        let mut kept: Vec<NumberedPoint> = kept.collect();
        kept.sort_by_key(|entry| (entry.point.at, entry.number));
        kept.dedup_by_key(|entry| entry.number);
        kept.into_iter().map(|entry| entry.point).collect()
    }

    /// The number of values added.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    fn coarsen(&mut self) {
        self.shift += 1;
        let shift = self.shift;
        self.steps.dedup_by(|next, step| {
            let is_same = step.index(shift) == next.index(shift);
            if is_same {
                step.append(next);
            }
            is_same
        });
    }
}

impl TimeStep {
    fn index(&self, shift: u32) -> u64 {
        self.first.point.at.as_nanos().checked_shr(shift).unwrap_or(0)
    }

    fn append(&mut self, next: &TimeStep) {
        if next.low.point.value < self.low.point.value {
            self.low = next.low;
        }
        if next.high.point.value > self.high.point.value {
            self.high = next.high;
        }
        self.last = next.last;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn envelope(limit: usize, values: &[(u64, i64)]) -> ThinnedSeries {
        let mut envelope = ThinnedSeries::new(limit);
        values.iter().for_each(|(at, value)| envelope.mark(Time::from_nanos(*at), *value));
        envelope
    }

    fn points(envelope: &ThinnedSeries) -> Vec<(u64, i64)> {
        envelope.points().into_iter().map(|point| (point.at.as_nanos(), point.value)).collect()
    }

    #[test]
    fn few_values_are_all_kept_even_at_one_moment() {
        let values = [(5, 1), (5, 3), (5, 2), (9, 2)];
        assert_eq!(points(&envelope(4, &values)), values);
    }

    #[test]
    fn of_many_values_each_step_keeps_first_lowest_highest_and_last() {
        let values = [(0, 5), (1, 9), (2, 1), (3, 7), (4, 7), (5, 4), (6, 6), (7, 8)];
        // Two steps of four nanoseconds.
        let expected = [(0, 5), (1, 9), (2, 1), (3, 7), (4, 7), (5, 4), (7, 8)];
        assert_eq!(points(&envelope(2, &values)), expected);
    }

    #[test]
    fn what_is_told_late_finds_its_place() {
        assert_eq!(points(&envelope(9, &[(5, 1), (9, 2), (7, 3)])), [(5, 1), (7, 3), (9, 2)]);
    }

    #[test]
    fn a_value_that_stays_the_same_is_kept_once() {
        let mut envelope = ThinnedSeries::new(9);
        [(1, 4), (2, 4), (3, 5), (4, 5), (5, 4)].iter().for_each(|(at, value)| {
            envelope.hold(Time::from_nanos(*at), *value);
        });
        assert_eq!(points(&envelope), [(1, 4), (3, 5), (5, 4)]);
    }

    proptest! {
        #[test]
        fn memory_is_bounded_and_extremes_survive(
            limit in 1_usize..20,
            gaps in prop::collection::vec((0_u64..1 << 40, -50_i64..50), 1..300),
        ) {
            let mut at = 0;
            let values: Vec<(u64, i64)> = gaps.iter().map(|(gap, value)| { at += gap; (at, *value) }).collect();
            let kept = points(&envelope(limit, &values));
            prop_assert!(kept.len() <= 4 * limit);
            prop_assert_eq!(kept.first(), values.first());
            prop_assert_eq!(kept.last(), values.last());
            let range = |points: &[(u64, i64)]| {
                let values = points.iter().map(|point| point.1);
                (values.clone().min(), values.max())
            };
            prop_assert_eq!(range(&kept), range(&values));
            prop_assert!(kept.iter().all(|point| values.contains(point)));
            prop_assert!(kept.is_sorted_by_key(|point| point.0));
        }
    }
}
