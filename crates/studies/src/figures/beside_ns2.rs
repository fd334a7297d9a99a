//! Puts ns-2's curves beside a record's own, panel by panel. They decide about no claim. WS-F5 to F8 compare with ns-2, and
//! have its curves in their record.

use anabranch_comparisons::ns2::{Ns2Curve, TableError};

use super::figure::{Figure, FigureCurve, Origin, ValueSource};

/// ns-2's curves beside a panel, with their names.
pub(super) type Ns2Curves = Vec<(&'static str, Ns2Curve)>;

/// Gives ns-2's curves beside the panel of this name: none where ns-2 ran nothing like it.
pub(super) type Ns2CurvesBeside = fn(&str) -> Result<Ns2Curves, TableError>;

/// The record with `curves` of each of its panels.
///
/// # Errors
/// A table that cannot be read.
pub(super) fn add(curves: Ns2CurvesBeside, mut figure: Figure) -> Result<Figure, TableError> {
    for panel in &mut figure.panels {
        let given = |(name, curve): (&'static str, Ns2Curve)| FigureCurve {
            name,
            points: curve
                .into_iter()
                .map(|(x, values)| (x, ValueSource::Given(Origin::Ns2, values)))
                .collect(),
        };
        panel.series.extend(curves(panel.name)?.into_iter().map(given));
    }
    Ok(figure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::FigureEntry;
    use crate::scale::StudyScale;

    fn ns2_points(name: &str, scale: StudyScale) -> Vec<(&'static str, usize)> {
        let figure = FigureEntry::named(name).expect("a figure");
        let record = figure.record(scale).unwrap_or_else(|error| panic!("{error}"));
        let is_ns2 = |source: &ValueSource| matches!(source, ValueSource::Given(Origin::Ns2, _));
        let of_panel = |panel: &super::super::figure::Panel| {
            let points = panel.series.iter().flat_map(|series| &series.points);
            (panel.name, points.filter(|(_, source)| is_ns2(source)).count())
        };
        record.panels.iter().map(of_panel).filter(|(_, points)| *points > 0).collect()
    }

    #[test]
    fn each_panel_has_points_of_ns2_at_full_scale_and_none_at_quick() {
        let found = ns2_points("IY-F5", StudyScale::Full);
        assert_eq!(found, [("a", 12), ("b", 12), ("c", 12), ("d", 12)]);
        assert_eq!(ns2_points("IY-F4", StudyScale::Full), [("delayed", 12), ("each", 12)]);
        assert_eq!(ns2_points("BERP-F5", StudyScale::Full), [("floor 4", 6), ("floor 2", 6)]);
        assert_eq!(ns2_points("YE-F7-F9", StudyScale::Full), [("mean", 13)]);
        // Its transfers are a tenth as long.
        assert_eq!(ns2_points("IY-F5", StudyScale::Quick), []);
    }
}
