//! Draws of named quantities from a seed. Each has a stream of its own, so that it is the same whichever others are drawn.

use anabranch_base::Seed;

/// The draws of one network.
pub(crate) struct Draws(pub Seed);

impl Draws {
    /// Uniform on 0 ≤ u < 1, for the quantity of this name.
    pub(crate) fn unit(&self, name: &str) -> f64 {
        let bytes = self.0.child(name).bytes();
        let word = bytes.iter().take(8).fold(0, |word, byte| word << 8 | u64::from(*byte));
        (word >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform between these bounds.
    pub(crate) fn uniform(&self, name: &str, [least, most]: [f64; 2]) -> f64 {
        least + (most - least) * self.unit(name)
    }

    /// Uniform on a scale of logarithms.
    pub(crate) fn any_size(&self, name: &str, [least, most]: [f64; 2]) -> f64 {
        least * libm::pow(most / least, self.unit(name))
    }

    /// One of these, each as likely.
    pub(crate) fn one_of<T: Copy>(&self, name: &str, choices: &[T]) -> T {
        choices[(self.unit(name) * choices.len() as f64) as usize]
    }
}
