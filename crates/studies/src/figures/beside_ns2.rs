//! Which of ns-2's curves stand beside a record's own, panel by panel. They decide about no claim. WS-F5 to F8 compare with
//! ns-2, and have its curves in their record.

use super::FigureName;
use super::figure::{Figure, FigureCurve, Origin, ValueSource};
use crate::ns2::{self, Ns2Curve, Ns2Transfers, TableError};

/// The panels of a record that ns-2's runs fit, with its curves.
///
/// # Errors
/// A table that cannot be read.
pub(super) fn add(name: FigureName, mut figure: Figure) -> Result<Figure, TableError> {
    for panel in &mut figure.panels {
        let given = |(name, curve): (&'static str, Ns2Curve)| FigureCurve {
            name,
            points: curve
                .into_iter()
                .map(|(x, values)| (x, ValueSource::Given(Origin::Ns2, values)))
                .collect(),
        };
        panel.series.extend(curves(name, panel.name)?.into_iter().map(given));
    }
    Ok(figure)
}

/// The curves beside a panel, with their names.
fn curves(name: FigureName, panel: &str) -> Result<Vec<(&'static str, Ns2Curve)>, TableError> {
    match name {
        FigureName::IyF4 => transfers([("fig4", CMT), ("fig4", APP)], 0.0, panel == "delayed"),
        FigureName::IyF5 => transfers([("fig5-floor4", CMT), ("fig5", APP)], loss_of(panel), true),
        FigureName::IyF6 => transfers([("fig6-floor4", CMT), ("fig6", APP)], loss_of(panel), false),
        FigureName::BerpF2 => chains(panel, false),
        FigureName::BerpF5 => chains(panel, true),
        FigureName::YeF7ToF9 if panel == "mean" => {
            let curve = |(hops, threshold, name)| Ok((name, ns2::string(hops, threshold)?));
            STRING.into_iter().map(curve).collect()
        }
        _ => Ok(Vec::new()),
    }
}

/// CMT's and AppStripe's transfer times. Both have a window floor of four packets, as ours both have one of two: ns-2's
/// AppStripe can have no other.
fn transfers(
    sets: [(&str, (&str, &'static str)); 2],
    loss: f64,
    is_delayed: bool,
) -> Result<Vec<(&'static str, Ns2Curve)>, TableError> {
    let curve = |(figure, (protocol, name)): (&str, (&str, &'static str))| {
        Ok((name, Ns2Transfers { figure, protocol, loss, is_delayed }.curve()?))
    };
    sets.into_iter().map(curve).collect()
}

/// What CMT without BERP takes for 60 MiB over links of 5 ms, with the panel's window floor.
fn chains(panel: &str, is_shared: bool) -> Result<Vec<(&'static str, Ns2Curve)>, TableError> {
    let config = if panel == "floor 2" { "plain-cmt" } else { "floor4" };
    Ok(vec![(CHAINS, ns2::chains(config, is_shared)?)])
}

/// The losses of the panels of IY-F5 and F6.
fn loss_of(panel: &str) -> f64 {
    match panel {
        "a" => 0.001,
        "b" => 0.02,
        "c" => 0.05,
        _ => 0.1,
    }
}

/// A protocol of ns-2, and the name of its curve.
const CMT: (&str, &str) = ("CMT", "CMT, ns-2");
const APP: (&str, &str) = ("AppStripe", "AppStripe, ns-2");
const CHAINS: &str = "CMT-CC, ns-2, 5 ms a link";
/// Hops, threshold in bytes, and the name of the curve.
const STRING: [(usize, u32, &str); 6] = [
    (1, 20, "1 hop, 20, ns-2"),
    (1, 256, "1 hop, 256, ns-2"),
    (2, 20, "2 hops, 20, ns-2"),
    (2, 256, "2 hops, 256, ns-2"),
    (3, 20, "3 hops, 20, ns-2"),
    (3, 256, "3 hops, 256, ns-2"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::StudyScale;

    fn ns2_points(name: FigureName, scale: StudyScale) -> Vec<(&'static str, usize)> {
        let record = name.record(scale).unwrap_or_else(|error| panic!("{error}"));
        let is_ns2 = |source: &ValueSource| matches!(source, ValueSource::Given(Origin::Ns2, _));
        let of_panel = |panel: &super::super::figure::Panel| {
            let points = panel.series.iter().flat_map(|series| &series.points);
            (panel.name, points.filter(|(_, source)| is_ns2(source)).count())
        };
        record.panels.iter().map(of_panel).filter(|(_, points)| *points > 0).collect()
    }

    #[test]
    fn each_panel_has_points_of_ns2_at_full_scale_and_none_at_quick() {
        let found = ns2_points(FigureName::IyF5, StudyScale::Full);
        assert_eq!(found, [("a", 12), ("b", 12), ("c", 12), ("d", 12)]);
        assert_eq!(ns2_points(FigureName::IyF4, StudyScale::Full), [("delayed", 12), ("each", 12)]);
        assert_eq!(ns2_points(FigureName::BerpF5, StudyScale::Full), [("floor 4", 6), ("floor 2", 6)]);
        assert_eq!(ns2_points(FigureName::YeF7ToF9, StudyScale::Full), [("mean", 13)]);
        // Its transfers are a tenth as long.
        assert_eq!(ns2_points(FigureName::IyF5, StudyScale::Quick), []);
    }
}
