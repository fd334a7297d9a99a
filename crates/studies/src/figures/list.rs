//! The figures, each named once, in the order in which commands run and list them.

use super::entry::FigureEntry;
use super::{berp, iy, liu, ws, ye};

/// The figures.
pub static FIGURES: &[&FigureEntry] = &[
    &iy::zero_loss::ENTRY,
    &iy::delayed::ENTRY,
    &iy::immediate::ENTRY,
    &iy::alternate::ENTRY,
    &iy::ablation::ENTRY,
    &ws::one_path::ENTRY,
    &ws::windows::ENTRY,
    &ws::heuristic::ENTRY,
    &liu::ENTRY,
    &berp::disjoint::ENTRY,
    &berp::disjoint_windows::ENTRY,
    &berp::shared::ENTRY,
    &berp::shared_windows::ENTRY,
    &berp::datagrams::ENTRY,
    &berp::loaded_windows::ENTRY,
    &berp::friendliness::ENTRY,
    &ye::string::throughput::ENTRY,
    &ye::string::first_starves::ENTRY,
    &ye::string::second_starves::ENTRY,
    &ye::string::small_window::ENTRY,
    &ye::string::ten_hops::ENTRY,
    &ye::string::channels::ENTRY,
    &ye::string::marks::ENTRY,
    &ye::cwr::ENTRY,
    &ye::lowest_window::ENTRY,
    &ye::epochs::ENTRY,
    &ye::policies::ENTRY,
    &ye::fractions::ENTRY,
    &ye::flows::ENTRY,
    &ye::unsampled::ENTRY,
    &ye::lossy_windows::ENTRY,
    &ye::without_congestion::ENTRY,
    &ye::with_congestion::ENTRY,
    &ye::least_timeouts::ENTRY,
    &ye::resend_and_backoff::ENTRY,
    &ye::after_timeouts::ENTRY,
    &ye::retransmission_path::ENTRY,
    &ye::load_sharing::ENTRY,
    &ye::lossy_load_sharing::ENTRY,
];

impl FigureEntry {
    /// The figure with this name or alias.
    pub fn named(name: &str) -> Option<&'static FigureEntry> {
        let is_named = |figure: &&FigureEntry| figure.id == name || figure.aliases.contains(&name);
        FIGURES.iter().copied().find(is_named)
    }

    /// The place among all figures.
    pub(super) fn position(&self) -> Option<usize> {
        FIGURES.iter().position(|figure| figure.id == self.id)
    }
}
