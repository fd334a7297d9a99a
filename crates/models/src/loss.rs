//! The loss rule within a round, and the rounding when an odd window is halved: the choices that the models of rounds share.

/// Which packets of a round get lost (WS (6), (7)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RoundLoss {
    /// Each independently: g of x with probability C(x, g) pᵍ qˣ⁻ᵍ.
    #[default]
    Independent,
    /// The after the first lost one, too: none with probability qˣ, g ≥ 1 with p qˣ⁻ᵍ.
    Correlated,
}

/// The window after a fast retransmit, where half a window is not a whole number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Halving {
    /// ⌈w / 2⌉, as adopted.
    #[default]
    Ceil,
    /// ⌊w / 2⌋, for comparison.
    Floor,
}

impl RoundLoss {
    /// Both, in the order of the documents.
    pub const ALL: [RoundLoss; 2] = [RoundLoss::Independent, RoundLoss::Correlated];

    /// The name in commands and documents.
    pub const fn name(self) -> &'static str {
        match self {
            RoundLoss::Independent => "independent",
            RoundLoss::Correlated => "correlated",
        }
    }
}

impl Halving {
    /// Half of `window`.
    pub const fn half(self, window: u32) -> u32 {
        match self {
            Halving::Ceil => window.div_ceil(2),
            Halving::Floor => window / 2,
        }
    }
}
