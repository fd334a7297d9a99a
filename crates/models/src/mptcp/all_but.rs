//! Sums and products of all values but one, for each one.

/// For each index, the sum of all other values: without subtracting, which would lose the digits of small ones.
pub(super) fn sums(values: &[f64]) -> Vec<f64> {
    fold(values, 0.0, |left, right| left + right)
}

/// For each index, the product of all other values, some of which may be 0.
pub(super) fn products(values: &[f64]) -> Vec<f64> {
    fold(values, 1.0, |left, right| left * right)
}

fn fold(values: &[f64], neutral: f64, join: fn(f64, f64) -> f64) -> Vec<f64> {
    let mut others = Vec::with_capacity(values.len());
    let mut before = neutral;
    for value in values {
        others.push(before);
        before = join(before, *value);
    }
    let mut after = neutral;
    for (other, value) in others.iter_mut().zip(values).rev() {
        *other = join(*other, after);
        after = join(after, *value);
    }
    others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_left_out_once() {
        assert_eq!(sums(&[1.0, 20.0, 300.0]), [320.0, 301.0, 21.0]);
        assert_eq!(products(&[2.0, 0.0, 5.0]), [0.0, 10.0, 0.0]);
        assert_eq!((sums(&[7.0]), products(&[7.0])), (vec![0.0], vec![1.0]));
        assert!(sums(&[]).is_empty());
    }

    #[test]
    fn a_large_one_does_not_hide_the_small_ones_beside_it() {
        assert_eq!(sums(&[1e20, 1.0, 2.0])[0], 3.0);
    }
}
