//! The ranges that a figure's claims state for the values of a panel, for its picture: a range of the axis, at some
//! places. Claims about ratios, orders and shares have no place there; the table of claims has all of them.

use super::claim::{Claim, Expression, Number, PointTest};
use super::figure::{Figure, Panel};
use super::results::CurvePoints;

/// A range in which a claim wants values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StatedRange {
    /// The claim.
    pub claim: &'static str,
    /// Of which curves.
    pub series: Vec<&'static str>,
    /// Where: from the first place to the last.
    pub places: (f64, f64),
    /// From where to where, the tolerance in it; infinite where one end is open.
    pub range: (f64, f64),
}

/// The ranges of a panel of a figure.
pub(crate) fn ranges(figure: &Figure, panel: &Panel) -> Vec<StatedRange> {
    let mut found: Vec<StatedRange> = Vec::new();
    for range in figure.claims.iter().flat_map(|claim| of_expression(claim, &claim.expression, panel)) {
        if !found.contains(&range) {
            found.push(range);
        }
    }
    found
}

fn of_expression(claim: &Claim, expression: &Expression, panel: &Panel) -> Vec<StatedRange> {
    let of_number = |number: &Number, range| {
        of_curves(claim, number.curves_in_their_unit(), range, panel).into_iter().collect()
    };
    match expression {
        Expression::All(parts) => parts.iter().flat_map(|part| of_expression(claim, part, panel)).collect(),
        Expression::OrPartly(full, _) => of_expression(claim, full, panel),
        Expression::Points { test: PointTest::Within(series, low, high), panel: of, metric, x, .. } => {
            let curve = CurvePoints { panel: of, series, metric: *metric, x: x.clone() };
            of_curves(claim, &[curve], (*low, *high), panel).into_iter().collect()
        }
        Expression::Number { number, range, .. } => of_number(number, *range),
        Expression::More(number, bound) => of_number(number, (*bound, f64::INFINITY)),
        Expression::Less(number, bound) => of_number(number, (f64::NEG_INFINITY, *bound)),
        Expression::Points { .. }
        | Expression::Rising(_)
        | Expression::Untestable(_)
        | Expression::NotBuilt(_)
        | Expression::Tested(_) => Vec::new(),
    }
}

/// `None` where the panel does not show these curves.
fn of_curves(claim: &Claim, curves: &[CurvePoints], range: (f64, f64), panel: &Panel) -> Option<StatedRange> {
    let is_shown = |curve: &&CurvePoints| curve.panel == panel.name && curve.metric == panel.metric;
    let shown: Vec<&CurvePoints> = curves.iter().filter(is_shown).collect();
    let places = || shown.iter().flat_map(|curve| curve.x.iter().copied());
    Some(StatedRange {
        claim: claim.id,
        series: shown.iter().map(|curve| curve.series).collect(),
        places: (places().min_by(f64::total_cmp)?, places().max_by(f64::total_cmp)?),
        range,
    })
}

impl Number {
    /// The curves whose values it is, where it is in their unit: a mean of theirs, or the greatest or least of their values.
    fn curves_in_their_unit(&self) -> &[CurvePoints] {
        match self {
            Number::Mean(curves) | Number::Greatest(curves) | Number::Least(curves) => curves,
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::{FigureEntry, iy, ye};
    use crate::scale::StudyScale;

    fn of(figure: &FigureEntry, panel: &str) -> Vec<StatedRange> {
        let record = figure.record(StudyScale::Quick).unwrap_or_else(|error| panic!("{error}"));
        let panel = record.panels.iter().find(|one| one.name == panel).expect("the panel");
        ranges(&record, panel)
    }

    #[test]
    fn a_claim_about_values_has_a_range_in_the_panel_that_shows_them() {
        let smooth = StatedRange {
            claim: "C1",
            series: vec!["1 hop, 256"],
            places: (2.0, 2.0),
            range: (530.0, 730.0),
        };
        let found = of(&ye::string::throughput::ENTRY, "mean");
        assert!(found.contains(&smooth), "{found:?}");
        assert!(
            of(&ye::string::throughput::ENTRY, "variation").iter().all(|range| range.range == (0.0, 0.05))
        );
    }

    #[test]
    fn claims_about_ratios_have_none() {
        assert_eq!(of(&iy::zero_loss::ENTRY, "delayed"), []);
    }
}
