//! The moment in a flight from which losses are more frequent.

use super::sample::Sample;

/// The index from which losses are more frequent than before, by the greatest likelihood; 0 if that is not much greater
/// than without a change.
pub(super) fn change_point(samples: &[Sample]) -> usize {
    let count = samples.len() as f64;
    let all = samples.iter().filter(|sample| sample.delay.is_none()).count() as f64;
    let mut lost = 0.0;
    let mut best = (MUCH, 0);
    for (index, sample) in samples.iter().enumerate() {
        let before = index as f64;
        if sample.delay.is_none() {
            let gain =
                likelihood(lost, before) + likelihood(all - lost, count - before) - likelihood(all, count);
            if gain > best.0 && (all - lost) * before > lost * (count - before) {
                best = (gain, index);
            }
            lost += 1.0;
        }
    }
    best.1
}

/// The gain of log-likelihood that a change needs.
const MUCH: f64 = 8.0;

/// The log-likelihood of `lost` of `count` at the share that makes it greatest.
fn likelihood(lost: f64, count: f64) -> f64 {
    let term = |part: f64| if part > 0.0 { part * (part / count).ln() } else { 0.0 };
    term(lost) + term(count - lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The change in 1,000 packets of which those are lost.
    fn found(is_lost: impl Fn(usize) -> bool) -> usize {
        let one = |n: usize| Sample { sent: n as f64, delay: (!is_lost(n)).then_some(0.0), bytes: 100.0 };
        change_point(&(0..1_000).map(one).collect::<Vec<_>>())
    }

    #[test]
    fn the_change_is_the_first_of_the_frequent_losses() {
        let change = found(|n| n % 100 == 0 || (n >= 600 && n % 5 == 0));
        assert!((595..=610).contains(&change), "{change}");
    }

    #[test]
    fn losses_that_do_not_become_more_frequent_do_not_change() {
        assert_eq!(found(|n| n % 7 == 3), 0);
        assert_eq!(found(|n| n < 500 && n % 5 == 0), 0);
        assert_eq!(found(|_| false), 0);
    }
}
