//! Independent losses of a round (WS (6)): P(g|x) = C(x, g) pᵍ qˣ⁻ᵍ.

use crate::burst::exactly;

/// P(0|x), P(1|x), … P(x|x): by the ratio of neighbours, from the end that is likelier; by logarithms where that is too
/// small for a double.
pub(super) fn row(loss: f64, packets: usize) -> Vec<f64> {
    if loss > 0.5 {
        let mut row = row(1.0 - loss, packets);
        row.reverse();
        return row;
    }
    let none = packets as f64 * libm::log1p(-loss);
    if none < SMALLEST_LOGARITHM {
        return (0..=packets).map(|lost| exactly(lost as u32, packets as u32, loss)).collect();
    }
    let odds = loss / (1.0 - loss);
    let mut row = Vec::with_capacity(packets + 1);
    let mut probability = libm::exp(none);
    for lost in 0..=packets {
        row.push(probability);
        probability *= (packets - lost) as f64 / (lost + 1) as f64 * odds;
    }
    row
}

/// The least g, 8 or more, such that more than g losses among `packets` are too unlikely to count; not above `packets`.
pub(crate) fn most_losses(loss: f64, packets: usize) -> usize {
    let none = packets as f64 * libm::log1p(-loss);
    if none < SMALLEST_LOGARITHM {
        return packets;
    }
    let (mean, odds) = (packets as f64 * loss, loss / (1.0 - loss));
    let mut probability = libm::exp(none);
    for lost in 0..packets {
        let ratio = (packets - lost) as f64 / (lost + 1) as f64 * odds;
        probability *= ratio;
        // Ratios fall, so that all that is left is less than a geometric series.
        if lost >= FEWEST && lost as f64 > mean && probability < NEGLIGIBLE * (1.0 - ratio) {
            return lost;
        }
    }
    packets
}

/// 1 − P(x|x), exact to the last digit even where nearly all packets are lost.
pub(crate) fn not_all(loss: f64, packets: usize) -> f64 {
    -libm::expm1(packets as f64 * libm::log(loss))
}

/// P(g|x) by g to `most`, then by x to `largest_window`, by P(g + 1|x) = P(g|x) (x − g) / (g + 1) p / q. P(0|x) must not be too
/// small for a double; no pass goes that far.
pub(super) fn columns(loss: f64, most: usize, largest_window: usize) -> Vec<Vec<f64>> {
    let (through, odds) = (libm::log1p(-loss), loss / (1.0 - loss));
    let mut columns = Vec::with_capacity(most + 1);
    columns
        .push((0..=largest_window).map(|packets| libm::exp(packets as f64 * through)).collect::<Vec<f64>>());
    for lost in 0..most {
        let ratio = odds / (lost + 1) as f64;
        let fewer = columns[lost].iter().enumerate();
        columns.push(
            fewer.map(|(packets, fewer)| fewer * packets.saturating_sub(lost) as f64 * ratio).collect(),
        );
    }
    columns
}

/// ln of a probability that is still a normal double.
const SMALLEST_LOGARITHM: f64 = -700.0;

/// A smaller probability changes no digit of any result.
const NEGLIGIBLE: f64 = 1e-22;

/// At least this many losses of a round are followed, so that the rates of rare events are right, too.
const FEWEST: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_sums_to_one() {
        for loss in [1e-12, 1e-6, 1e-3, 0.1, 0.5, 0.9, 1.0 - 1e-12] {
            for packets in [1, 2, 3, 17, 64, 400, 2000] {
                let sum: f64 = row(loss, packets).iter().sum();
                // The exponent x ln q has an error of x roundings; logarithms of factorials are larger still.
                let tolerance = if packets <= 64 { 1e-14 } else { 1e-11 };
                assert!((sum - 1.0).abs() < tolerance, "p {loss}, x {packets}: {sum}");
            }
        }
    }

    #[test]
    fn logarithms_take_over_where_no_loss_is_too_unlikely() {
        let row = row(0.4, 4000);
        assert_eq!(row[0], 0.0);
        let mean: f64 = row.iter().enumerate().map(|(lost, probability)| lost as f64 * probability).sum();
        assert!((mean - 1600.0).abs() < 1e-7, "{mean}");
    }

    #[test]
    fn few_losses_are_enough_where_few_are_likely() {
        assert_eq!(most_losses(1e-6, 5000), 8);
        assert_eq!(most_losses(1e-3, 5), 5);
        assert!((20..50).contains(&most_losses(1e-2, 200)));
    }
}
