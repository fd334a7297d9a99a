//! The probability that a window loses more than a few of its packets, each independently (M-MOD-10).

use crate::ModelError;
use crate::error::check_loss;

/// Smaller terms than this share of the sum do not change it.
const NEGLIGIBLE: f64 = 1e-18;

/// The probability that more than `few` of `window` packets are lost, each with probability `loss`.
///
/// # Errors
/// A loss probability outside 0 to 1.
pub fn more_lost_than(few: u32, window: u32, loss: f64) -> Result<f64, ModelError> {
    check_loss(loss)?;
    if few >= window || loss == 0.0 {
        return Ok(0.0);
    }
    if loss == 1.0 {
        return Ok(1.0);
    }
    // The sum begins at the border and goes away from the most likely number: terms only fall there, so that few count.
    let above = few + 1;
    Ok(if f64::from(above) > f64::from(window) * loss {
        sum(window, loss, above, |lost| (lost < window).then(|| lost + 1)).min(1.0)
    } else {
        1.0 - sum(window, loss, few, |lost| lost.checked_sub(1)).min(1.0)
    })
}

/// Adds the probabilities of `first` losses, of the `next` number and so on, while they change the sum.
fn sum(window: u32, loss: f64, first: u32, next: impl Fn(u32) -> Option<u32>) -> f64 {
    let (mut sum, mut lost) = (0.0, first);
    loop {
        let term = exactly(lost, window, loss);
        sum += term;
        match next(lost) {
            Some(after) if term > sum * NEGLIGIBLE => lost = after,
            _ => return sum,
        }
    }
}

/// C(n, g) pᵍ qⁿ⁻ᵍ, by logarithms, so that no factor is too small for a double; 0 < `loss` < 1.
pub(crate) fn exactly(lost: u32, window: u32, loss: f64) -> f64 {
    let log_factorial = |count: u32| libm::lgamma(f64::from(count) + 1.0);
    let through = window - lost;
    let ways = log_factorial(window) - log_factorial(lost) - log_factorial(through);
    libm::exp(ways + f64::from(lost) * libm::log(loss) + f64::from(through) * libm::log1p(-loss))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_four_losses_are_as_likely_as_computed_for_each_window() {
        // M-MOD-10, of 2 % lost.
        for (window, expected) in [(30, 0.0003), (50, 0.0032), (60, 0.0070), (80, 0.0224), (100, 0.0508)] {
            let more = more_lost_than(4, window, 0.02).expect("a probability");
            assert!((more - expected).abs() < 5e-5, "{window}: {more}");
        }
    }

    #[test]
    fn it_is_the_sum_of_pascals_triangle() {
        // Of five packets, half lost: 1, 5, 10, 10, 5, 1 of 32.
        let shares = [31.0, 26.0, 16.0, 6.0, 1.0, 0.0];
        for (few, share) in (0..).zip(shares) {
            let more = more_lost_than(few, 5, 0.5).expect("a probability");
            assert!((more - share / 32.0).abs() < 1e-14, "{few}: {more}");
        }
    }

    #[test]
    fn the_ends_are_exact_and_large_windows_end() {
        assert_eq!(more_lost_than(4, 4, 0.9), Ok(0.0));
        assert_eq!(more_lost_than(4, 10, 0.0), Ok(0.0));
        assert_eq!(more_lost_than(4, 10, 1.0), Ok(1.0));
        assert_eq!(more_lost_than(4, u32::MAX, 0.5), Ok(1.0));
        let middle = more_lost_than(u32::MAX / 2, u32::MAX, 0.5).expect("a probability");
        assert!((middle - 0.5).abs() < 1e-3, "{middle}");
        assert_eq!(more_lost_than(1, 2, -0.5), Err(ModelError::Loss(-0.5)));
    }
}
