//! The lateness of timers: counts by size, so that quantiles need bounded memory.

use anabranch_base::Duration;

/// The lateness of the pauses so far.
#[derive(Clone, Debug)]
pub(super) struct Lateness {
    /// The pauses by the lateness in steps of [`STEP`]; the last one has all that were later.
    counts: Vec<u64>,
}

impl Lateness {
    /// No pauses yet.
    pub(super) fn new() -> Lateness {
        Lateness { counts: vec![0; STEPS + 1] }
    }

    /// A pause ended this much later than asked.
    pub(super) fn add(&mut self, late: Duration) {
        let step = usize::try_from(late.as_nanos() / STEP.as_nanos()).unwrap_or(STEPS);
        self.counts[step.min(STEPS)] += 1;
    }

    /// The lateness that the share `at` of the pauses did not exceed; zero without pauses.
    pub(super) fn quantile(&self, at: f64) -> Duration {
        let all: u64 = self.counts.iter().sum();
        let wanted = (all as f64 * at).ceil().max(1.0) as u64;
        let mut seen = 0;
        let place = self.counts.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        place.map_or(Duration::ZERO, |place| STEP * (place as u64 + 1))
    }
}

/// The resolution.
const STEP: Duration = Duration::from_micros(20);
/// Up to 200 ms.
const STEPS: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_exact_to_a_step() {
        let mut lateness = Lateness::new();
        assert_eq!(lateness.quantile(0.5), Duration::ZERO);
        (0..99).for_each(|_| lateness.add(Duration::from_micros(110)));
        lateness.add(Duration::from_secs(9));
        assert_eq!(lateness.quantile(0.5), Duration::from_micros(120));
        assert_eq!(lateness.quantile(0.99), Duration::from_micros(120));
        assert!(lateness.quantile(1.0) >= Duration::from_millis(200));
    }
}
