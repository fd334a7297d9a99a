//! A panel as a drawing: curves with their intervals over the axis. It knows shapes, and judges nothing.

use std::fmt::Write;

use super::Outcome;
use super::by_seed::Interval;
use super::figure::{Metric, Panel};

/// The panel's curves of times, as an SVG document.
pub fn panel(outcome: &Outcome, panel: &Panel) -> String {
    let curves: Vec<(&str, Vec<(f64, Interval)>)> = panel
        .series
        .iter()
        .map(|series| {
            let point = |x: i32| outcome.results.point(panel.name, series.name, Metric::Time, x);
            let points =
                series.points.iter().filter_map(|(x, _)| Some((f64::from(*x), point(*x)?.interval())));
            (series.name, points.collect())
        })
        .collect();
    let all = || curves.iter().flat_map(|(_, points)| points);
    let top = all().map(|(_, found)| found.high()).fold(0.0, f64::max) * 1.05;
    let left = all().map(|(x, _)| *x).fold(0.0, f64::min);
    let right = all().map(|(x, _)| *x).fold(1.0, f64::max);
    let plane = Plane { left, right, top };
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
    top: f64,
}

impl Plane {
    fn x(&self, value: f64) -> f64 {
        60.0 + (value - self.left) / (self.right - self.left) * 560.0
    }

    fn y(&self, value: f64) -> f64 {
        350.0 - value / self.top * 300.0
    }
}

const COLOURS: [&str; 6] = ["#1b6ca8", "#c8553d", "#6a994e", "#7b4fa3", "#b8860b", "#555555"];

fn frame(outcome: &Outcome, panel: &Panel, plane: &Plane) -> String {
    let figure = &outcome.figure;
    let mut drawing = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 400\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"640\" height=\"400\" fill=\"white\"/>\n",
    );
    let _ = writeln!(drawing, "<text x=\"60\" y=\"20\">{} {}: {}</text>", figure.id, panel.name, panel.title);
    let _ = writeln!(drawing, "<text x=\"340\" y=\"392\" text-anchor=\"middle\">{}</text>", figure.sweep);
    let _ = writeln!(drawing, "<text x=\"60\" y=\"42\">{}</text>", figure.metric);
    for step in 0..=5 {
        let value = plane.top * f64::from(step) / 5.0;
        let y = plane.y(value);
        let _ = writeln!(drawing, "<path d=\"M60 {y:.1}H620\" stroke=\"#ddd\"/>");
        let _ =
            writeln!(drawing, "<text x=\"54\" y=\"{:.1}\" text-anchor=\"end\">{value:.1}</text>", y + 4.0);
    }
    for step in 0..=4 {
        let value = plane.left + (plane.right - plane.left) * f64::from(step) / 4.0;
        let x = plane.x(value);
        let _ = writeln!(drawing, "<text x=\"{x:.1}\" y=\"368\" text-anchor=\"middle\">{value:.0}</text>");
    }
    drawing
}

/// Points with their intervals, and a line through them where they are a curve.
fn curve(plane: &Plane, colour: &str, points: &[(f64, Interval)]) -> String {
    let corner = |(x, found): &(f64, Interval)| format!("{:.1},{:.1}", plane.x(*x), plane.y(found.mean));
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
