//! The stationary law of a chain by the elimination of Grassmann, Taksar and Heyman (Operations Research 33, 1985):
//! Gaussian elimination without a subtraction, so that every probability keeps its digits, however small.

/// The law of the chain with these `size` × `size` probabilities, row by row. Zeros are skipped; this is fast if few
/// states lead to the last ones.
pub(super) fn stationary(mut matrix: Vec<f64>, size: usize) -> Vec<f64> {
    let mut leaving = vec![0.0; size];
    // Removes state by state from the last; the rest becomes the chain as observed outside the removed states.
    for gone in (1..size).rev() {
        let (rest, row) = matrix.split_at_mut(gone * size);
        let row = &row[..gone];
        leaving[gone] = row.iter().sum();
        for from in rest.chunks_exact_mut(size) {
            let weight = from[gone] / leaving[gone];
            if weight > 0.0 {
                for (probability, through) in from[..gone].iter_mut().zip(row) {
                    *probability += weight * through;
                }
            }
        }
    }
    let mut law = vec![0.0; size];
    law[0] = 1.0;
    for back in 1..size {
        let into: f64 = (0..back).map(|from| law[from] * matrix[from * size + back]).sum();
        law[back] = into / leaving[back];
    }
    let whole: f64 = law.iter().sum();
    law.iter().map(|share| share / whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_three_has_the_law_that_paper_gives() {
        let law = stationary(vec![0.0, 1.0, 0.0, 0.5, 0.0, 0.5, 0.0, 1.0, 0.0], 3);
        assert_eq!(law, [0.25, 0.5, 0.25]);
    }

    #[test]
    fn the_smallest_probability_keeps_its_digits() {
        let rare = 1e-200;
        let law = stationary(vec![1.0, rare, 0.0, 0.5, 0.5 - rare, rare, 0.5, 0.0, 0.5], 3);
        assert!((law[1] / (2.0 * rare) - 1.0).abs() < 1e-15, "{law:?}");
    }
}
