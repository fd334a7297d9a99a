//! A record cut down to some of its points, and those that they are computed from.

use super::figure::{Figure, Panel, ValueSource};

/// A point of a record: its panel, its series and its place.
pub(super) type PointName<'n> = (&'n str, &'n str, f64);

impl Figure {
    /// The record with these points alone, and without claims.
    pub(super) fn reduced_to(mut self, points: &[PointName<'_>]) -> Figure {
        let mut selection: Vec<(String, String, f64)> =
            points.iter().map(|(panel, series, x)| ((*panel).to_owned(), (*series).to_owned(), *x)).collect();
        // What a point is computed from stands in an earlier panel.
        for panel in self.panels.iter().rev() {
            for (source, x) in sources(panel, &selection) {
                let of = match source {
                    ValueSource::Gain { of, over } => vec![of, over],
                    ValueSource::Sum(both) => both.to_vec(),
                    _ => Vec::new(),
                };
                selection
                    .extend(of.into_iter().map(|(panel, series)| (panel.to_owned(), series.to_owned(), x)));
            }
        }
        for panel in &mut self.panels {
            let name = panel.name;
            for series in &mut panel.series {
                let is_wanted = |x: f64| {
                    selection.iter().any(|(panel, of, at)| panel == name && of == series.name && *at == x)
                };
                series.points.retain(|(x, _)| is_wanted(*x));
            }
        }
        self.claims.clear();
        self
    }
}

/// The sources of a panel's points that are wanted, with their places.
fn sources(panel: &Panel, selection: &[(String, String, f64)]) -> Vec<(ValueSource, f64)> {
    let all = panel
        .series
        .iter()
        .flat_map(|series| series.points.iter().map(move |(x, source)| (series.name, *x, source)));
    let is_wanted = |name: &str, at: f64| {
        selection.iter().any(|(of, series, x)| of == panel.name && series == name && *x == at)
    };
    all.filter(|(name, x, _)| is_wanted(name, *x)).map(|(_, x, source)| (source.clone(), x)).collect()
}
