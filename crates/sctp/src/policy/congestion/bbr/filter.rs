//! The largest value of the last units of some clock: of bandwidth-probing cycles, or of round trips.

/// A windowed maximum. It keeps at most one candidate for each unit of its clock.
#[derive(Clone, Debug, Default)]
pub(super) struct MaxFilter {
    /// The candidates and the time at which each was seen. Later ones are smaller: the first is the maximum.
    candidates: Vec<(u64, f64)>,
}

impl MaxFilter {
    /// Adds `value`, seen at `time`. Returns the maximum of the last `length` units, including the current one
    /// (`UpdateWindowedMaxFilter`). Old values expire only when a new one is added.
    pub(super) fn update(&mut self, value: f64, time: u64, length: u64) -> f64 {
        while self.candidates.last().is_some_and(|(_, earlier)| *earlier <= value) {
            self.candidates.pop();
        }
        if self.candidates.last().is_none_or(|(seen, _)| *seen != time) {
            self.candidates.push((time, value));
        }
        self.candidates.retain(|(seen, _)| seen + length > time);
        self.candidates.first().map_or(value, |(_, largest)| *largest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_maximum_of_two_units_is_forgotten_in_the_third() {
        let mut filter = MaxFilter::default();
        let seen = [(9.0, 0), (5.0, 0), (6.0, 1), (4.0, 1), (3.0, 2), (1.0, 3), (2.0, 4)];
        let largest = seen.map(|(value, time)| filter.update(value, time, 2));
        assert_eq!(largest, [9.0, 9.0, 9.0, 9.0, 6.0, 3.0, 2.0]);
        assert_eq!(filter.update(1.0, 9, 2), 1.0);
    }

    #[test]
    fn a_unit_has_one_candidate() {
        let mut filter = MaxFilter::default();
        (0..1000).for_each(|step| _ = filter.update(1000.0 - f64::from(step), 7, 10));
        assert_eq!(filter.candidates, [(7, 1000.0)]);
    }

    #[test]
    fn a_window_that_becomes_longer_reaches_back_to_what_is_known() {
        let mut filter = MaxFilter::default();
        assert_eq!(
            [filter.update(5.0, 0, 1), filter.update(4.0, 1, 1), filter.update(3.0, 2, 10)],
            [5.0, 4.0, 4.0]
        );
    }
}
