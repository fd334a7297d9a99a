//! Tables of a comparison, for people and for programs.

use std::fmt::Write;

use super::differences::Difference;
use super::judgement::PointVerdict;
use super::point::Judged;

/// The number of points that hold, of those that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HoldingShare {
    /// The number of points that hold.
    pub holding: usize,
    /// The number of points that count.
    pub counted: usize,
}

impl HoldingShare {
    /// Of these points.
    pub fn of<'a>(points: impl IntoIterator<Item = &'a Judged>) -> HoldingShare {
        points.into_iter().filter(|judged| judged.point.is_counted).fold(
            HoldingShare::default(),
            |sum, judged| {
                let holds = usize::from(judged.judgement.verdict == PointVerdict::Holds);
                HoldingShare { holding: sum.holding + holds, counted: sum.counted + 1 }
            },
        )
    }

    /// As a number from 0 to 1; 1 if no point counts.
    pub fn value(self) -> f64 {
        if self.counted == 0 { 1.0 } else { self.holding as f64 / self.counted as f64 }
    }
}

impl std::fmt::Display for HoldingShare {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:>4} of {:>4}  {:>5.1}%", self.holding, self.counted, self.value() * 100.0)
    }
}

/// A line a figure.
pub fn summary(points: &[Judged]) -> String {
    let mut figures: Vec<&str> = Vec::new();
    for judged in points {
        if !figures.contains(&judged.point.figure.as_str()) {
            figures.push(&judged.point.figure);
        }
    }
    let mut text = String::new();
    for figure in figures {
        let of_figure = || points.iter().filter(|judged| judged.point.figure == figure);
        let ratios: Vec<f64> = of_figure().filter_map(|judged| judged.judgement.ratio()).collect();
        let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        let mean = (logarithms / ratios.len() as f64).exp();
        let _ =
            writeln!(text, "  {figure:<22} {}   ours / theirs {mean:>6.3}", HoldingShare::of(of_figure()));
    }
    text
}

/// A line for each point.
pub fn verbose(points: &[Judged]) -> String {
    points.iter().map(line).collect()
}

/// A line for each point that does not hold.
pub fn outside(points: &[Judged]) -> String {
    points.iter().filter(|judged| judged.judgement.verdict != PointVerdict::Holds).map(line).collect()
}

fn line(judged: &Judged) -> String {
    let (point, judgement) = (&judged.point, &judged.judgement);
    let ours = judgement.ours.map_or_else(|| "-".to_owned(), |ours| format!("{:.3}", ours.mean));
    let ratio = judgement.ratio().map_or_else(String::new, |ratio| format!("{ratio:.3}"));
    let deviations = judgement.deviations().map_or_else(String::new, |z| format!("{z:+.1}"));
    let reported = if point.is_counted { "" } else { " (reported only)" };
    let named = match (judgement.verdict, Difference::reaching(point)) {
        (PointVerdict::Outside, Some(difference)) => format!(": {difference}"),
        _ => String::new(),
    };
    format!(
        "  {:<20} {:<64} {ours:>9} {:>9.3} {ratio:>7} {deviations:>6}  {}{reported}{named}\n",
        point.figure, point.label, judgement.theirs.mean, judgement.verdict
    )
}

/// The points as a table for other programs.
///
/// # Errors
/// None: the table is written to memory.
pub(crate) fn csv_text(points: &[Judged]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "figure",
        "point",
        "ours",
        "ours_se",
        "ours_n",
        "theirs",
        "theirs_se",
        "theirs_n",
        "ratio",
        "verdict",
        "counted",
    ])?;
    for Judged { point, judgement } in points {
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.6}"));
        writer.write_record([
            point.figure.clone(),
            point.label.clone(),
            number(judgement.ours.map(|ours| ours.mean)),
            number(judgement.ours.map(|ours| ours.error)),
            judgement.ours.map_or(0, |ours| ours.count).to_string(),
            number(Some(judgement.theirs.mean)),
            number(Some(judgement.theirs.error)),
            judgement.theirs.count.to_string(),
            number(judgement.ratio()),
            judgement.verdict.to_string(),
            point.is_counted.to_string(),
        ])?;
    }
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
