//! Draws a panel: curves with their intervals over the axis.

use std::fmt::Write;

use super::FigureResult;
use super::by_seed::ConfidenceInterval;
use super::figure::{Panel, Spacing};

/// The panel's curves, as an SVG document.
pub fn panel(outcome: &FigureResult, panel: &Panel) -> String {
    let curves: Vec<(&str, Vec<(f64, ConfidenceInterval)>)> = panel
        .series
        .iter()
        .map(|series| {
            let point = |x: f64| outcome.results.point(panel.name, series.name, panel.metric, x);
            let points = series.points.iter().filter_map(|(x, _)| Some((*x, point(*x)?.interval())));
            (series.name, points.collect())
        })
        .collect();
    let all = || curves.iter().flat_map(|(_, points)| points);
    let top = all().map(|(_, found)| found.high()).fold(0.0, f64::max) * 1.05;
    let bottom = all().map(|(_, found)| found.low()).fold(0.0, f64::min) * 1.05;
    let spacing = panel.axis.spacing;
    let places = || all().map(|(x, _)| spacing.along(*x));
    let (left, right) = match spacing {
        Spacing::Even => (places().fold(0.0, f64::min), places().fold(1.0, f64::max)),
        Spacing::Logarithmic => {
            (places().fold(f64::INFINITY, f64::min), places().fold(f64::NEG_INFINITY, f64::max))
        }
    };
    let plane = Plane { left, right, bottom, top, spacing };
    let mut drawing = frame(outcome, panel, &plane);
    let mut legend = 150;
    for ((name, points), colour) in curves.iter().zip(COLOURS.iter().cycle()) {
        drawing.push_str(&curve(&plane, colour, points));
        let _ = writeln!(
            drawing,
            "<text x=\"{legend}\" y=\"42\" font-size=\"11\" fill=\"{colour}\">{name}</text>"
        );
        legend += 10 + 6 * name.len();
    }
    drawing.push_str("</svg>\n");
    drawing
}

/// Where values lie on the page.
struct Plane {
    left: f64,
    right: f64,
    bottom: f64,
    top: f64,
    spacing: Spacing,
}

impl Spacing {
    /// Where a value lies along the axis.
    fn along(self, x: f64) -> f64 {
        match self {
            Spacing::Even => x,
            Spacing::Logarithmic => x.log10(),
        }
    }

    /// The value that lies there, as a label has it.
    fn label(self, along: f64) -> String {
        match self {
            Spacing::Even => format!("{along:.0}"),
            Spacing::Logarithmic => format!("{:.1e}", 10_f64.powf(along)),
        }
    }
}

impl Plane {
    fn x(&self, value: f64) -> f64 {
        60.0 + (self.spacing.along(value) - self.left) / (self.right - self.left) * 560.0
    }

    fn y(&self, value: f64) -> f64 {
        350.0 - (value - self.bottom) / (self.top - self.bottom) * 300.0
    }
}

const COLOURS: [&str; 6] = ["#1b6ca8", "#c8553d", "#6a994e", "#7b4fa3", "#b8860b", "#555555"];

fn frame(outcome: &FigureResult, panel: &Panel, plane: &Plane) -> String {
    let figure = &outcome.figure;
    let mut drawing = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 400\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"640\" height=\"400\" fill=\"white\"/>\n",
    );
    let _ = writeln!(drawing, "<text x=\"60\" y=\"20\">{} {}: {}</text>", figure.id, panel.name, panel.title);
    let _ = writeln!(drawing, "<text x=\"340\" y=\"392\" text-anchor=\"middle\">{}</text>", panel.axis.label);
    let _ = writeln!(drawing, "<text x=\"60\" y=\"42\">{}</text>", panel.metric.label());
    for step in 0..=5 {
        let value = plane.bottom + (plane.top - plane.bottom) * f64::from(step) / 5.0;
        let y = plane.y(value);
        let _ = writeln!(drawing, "<path d=\"M60 {y:.1}H620\" stroke=\"#ddd\"/>");
        let _ =
            writeln!(drawing, "<text x=\"54\" y=\"{:.1}\" text-anchor=\"end\">{value:.1}</text>", y + 4.0);
    }
    for step in 0..=4 {
        let x = 60.0 + 140.0 * f64::from(step);
        let value = plane.spacing.label(plane.left + (plane.right - plane.left) * f64::from(step) / 4.0);
        let _ = writeln!(drawing, "<text x=\"{x:.1}\" y=\"368\" text-anchor=\"middle\">{value}</text>");
    }
    drawing
}

/// Points with their intervals, and a line through them where they are a curve.
fn curve(plane: &Plane, colour: &str, points: &[(f64, ConfidenceInterval)]) -> String {
    let corner =
        |(x, found): &(f64, ConfidenceInterval)| format!("{:.1},{:.1}", plane.x(*x), plane.y(found.mean));
    let line: Vec<String> = points.iter().map(corner).collect();
    let mut drawing = match points.len() {
        0..=2 => String::new(),
        _ => format!("<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\"/>\n", line.join(" ")),
    };
    for (x, found) in points {
        let (x, high, low) = (plane.x(*x), plane.y(found.high()), plane.y(found.low()));
        let _ = writeln!(drawing, "<path d=\"M{x:.1} {low:.1}V{high:.1}\" stroke=\"{colour}\"/>");
        let _ = writeln!(
            drawing,
            "<circle cx=\"{x:.1}\" cy=\"{:.1}\" r=\"2\" fill=\"{colour}\"/>",
            plane.y(found.mean)
        );
    }
    drawing
}
