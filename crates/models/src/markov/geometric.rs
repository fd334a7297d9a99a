//! Powers of q and their sums in tables, by count. Formulas would lose digits by cancellation.

/// Tables for n = 0, 1, … up to the largest window.
#[derive(Debug)]
pub(super) struct Geometric {
    /// p.
    pub loss: f64,
    /// q.
    pub through: f64,
    /// qⁿ: n packets get through.
    pub all: Vec<f64>,
    /// 1 − qⁿ: at least one of n does not.
    pub not_all: Vec<f64>,
    /// q (1 − qⁿ) / p: the mean number of n packets that get through if all after the first lost one are lost.
    pub delivered: Vec<f64>,
    /// Σ p qᵏ (1 − qᵏ) over k = 1 … n.
    pub neither: Vec<f64>,
    /// Σ p qᵏ k over k = 1 … n.
    pub packets: Vec<f64>,
}

impl Geometric {
    pub(super) fn new(loss: f64, largest: usize) -> Geometric {
        let (through, logarithm) = (1.0 - loss, libm::log1p(-loss));
        let exponents = || (0..=largest).map(|n| n as f64 * logarithm);
        let all: Vec<f64> = exponents().map(libm::exp).collect();
        let not_all: Vec<f64> = exponents().map(|exponent| -libm::expm1(exponent)).collect();
        let delivered = not_all.iter().map(|not_all| through * not_all / loss).collect();
        let mut neither = Vec::with_capacity(largest + 1);
        let mut packets = Vec::with_capacity(largest + 1);
        let (mut missed, mut counted) = (0.0, 0.0);
        for (n, (all, not_all)) in all.iter().zip(&not_all).enumerate() {
            missed += loss * all * not_all;
            counted += loss * all * n as f64;
            neither.push(missed);
            packets.push(counted);
        }
        Geometric { loss, through, all, not_all, delivered, neither, packets }
    }
}
