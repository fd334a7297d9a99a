//! Draws a panel: curves with their intervals over the axis.

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::{
    BLACK, Cartesian2d, ChartBuilder, ChartContext, Circle, IntoDrawingArea, LineSeries, PathElement,
    RGBColor, SVGBackend, SeriesLabelPosition, ShapeStyle, WHITE,
};
use plotters::style::Color;

use super::FigureResult;
use super::by_seed::ConfidenceInterval;
use super::figure::{Panel, Spacing};

/// The panel's curves, as an SVG document.
///
/// # Errors
/// What the drawing library says.
pub fn panel(outcome: &FigureResult, panel: &Panel) -> Result<String, String> {
    let mut text = String::new();
    let root = SVGBackend::with_string(&mut text, (WIDTH, HEIGHT)).into_drawing_area();
    root.fill(&WHITE).map_err(|error| error.to_string())?;
    let curves = curves(outcome, panel);
    let frame = PlotRange::around(&curves, panel.axis.spacing);
    let mut builder = ChartBuilder::on(&root);
    let caption = format!("{} {}: {}", outcome.figure.id, panel.name, panel.title);
    builder.caption(caption, ("sans-serif", 17)).margin(12).x_label_area_size(44).y_label_area_size(64);
    let chart = builder.build_cartesian_2d(frame.left..frame.right, frame.bottom..frame.top);
    let mut chart = chart.map_err(|error| error.to_string())?;
    axes(&mut chart, panel)?;
    for ((name, points), colour) in curves.iter().zip(COLOURS.iter().cycle()) {
        curve(&mut chart, name, points, *colour, panel.axis.spacing)?;
    }
    let mut legend = chart.configure_series_labels();
    legend.position(SeriesLabelPosition::UpperRight).label_font(("sans-serif", 13));
    legend.background_style(WHITE.mix(0.85)).border_style(BLACK.mix(0.3));
    legend.draw().map_err(|error| error.to_string())?;
    root.present().map_err(|error| error.to_string())?;
    drop(legend);
    drop(chart);
    drop(root);
    Ok(text)
}

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
type IntervalPoints = Vec<(f64, ConfidenceInterval)>;

/// The names of the series that have points, and those.
fn curves(outcome: &FigureResult, panel: &Panel) -> Vec<(&'static str, IntervalPoints)> {
    let point = |series, x: f64| outcome.results.point(panel.name, series, panel.metric, x);
    let series = panel.series.iter().map(|series| {
        let points = series.points.iter();
        let found = points.filter_map(|(x, _)| Some((*x, point(series.name, *x)?.interval())));
        (series.name, found.collect())
    });
    series.collect()
}

/// The part of the plane that is drawn.
struct PlotRange {
    left: f64,
    right: f64,
    bottom: f64,
    top: f64,
}

impl PlotRange {
    /// Around all intervals, and from zero where the axis has one.
    fn around(curves: &[(&str, IntervalPoints)], spacing: Spacing) -> PlotRange {
        let all = || curves.iter().flat_map(|(_, points)| points);
        let top = all().map(|(_, found)| found.high()).fold(0.0, f64::max) * 1.05;
        let bottom = all().map(|(_, found)| found.low()).fold(0.0, f64::min) * 1.05;
        let places = || all().map(|(x, _)| spacing.along(*x));
        let (left, right) = match spacing {
            Spacing::Even => (places().fold(0.0, f64::min), places().fold(1.0, f64::max)),
            Spacing::Logarithmic => {
                (places().fold(f64::INFINITY, f64::min), places().fold(f64::NEG_INFINITY, f64::max))
            }
        };
        PlotRange { left, right, bottom, top }
    }
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
            Spacing::Even => format!("{along}"),
            Spacing::Logarithmic => format!("{:.1e}", 10_f64.powf(along)),
        }
    }
}

fn axes(chart: &mut Chart<'_, '_>, panel: &Panel) -> Result<(), String> {
    let mut mesh = chart.configure_mesh();
    mesh.x_desc(panel.axis.label).y_desc(panel.metric.label());
    mesh.label_style(("sans-serif", 13)).axis_desc_style(("sans-serif", 14));
    let label = |along: &f64| panel.axis.spacing.label(*along);
    mesh.x_label_formatter(&label)
        .light_line_style(WHITE)
        .bold_line_style(BLACK.mix(0.12))
        .max_light_lines(0);
    mesh.draw().map_err(|error| error.to_string())
}

/// IntervalPoints with their intervals, and a line through them where they are a curve.
fn curve(
    chart: &mut Chart<'_, '_>,
    name: &str,
    points: &IntervalPoints,
    colour: RGBColor,
    spacing: Spacing,
) -> Result<(), String> {
    let line = points.iter().filter(|_| points.len() > 2).map(|(x, found)| (spacing.along(*x), found.mean));
    let drawn = chart.draw_series(LineSeries::new(line, colour.stroke_width(1)));
    let drawn = drawn.map_err(|error| error.to_string())?;
    drawn.label(name).legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)));
    let interval = |(x, found): &(f64, ConfidenceInterval)| {
        let along = spacing.along(*x);
        PathElement::new([(along, found.low()), (along, found.high())], colour)
    };
    chart.draw_series(points.iter().map(interval)).map_err(|error| error.to_string())?;
    let dot = |(x, found): &(f64, ConfidenceInterval)| {
        Circle::new((spacing.along(*x), found.mean), 2, ShapeStyle::from(&colour).filled())
    };
    chart.draw_series(points.iter().map(dot)).map(|_| ()).map_err(|error| error.to_string())
}

const WIDTH: u32 = 720;
const HEIGHT: u32 = 440;

/// Okabe and Ito's colours, which colour-blind people can distinguish; without yellow, which is hard to see on white.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
];
