//! Draws a panel: curves with their intervals over the axis, and beside them what each curve is.

mod axis;

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::{
    BLACK, Cartesian2d, ChartBuilder, ChartContext, Circle, DashedLineSeries, DrawingArea, IntoDrawingArea,
    LineSeries, PathElement, RGBColor, SVGBackend, ShapeStyle, Text, WHITE,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont};

use self::axis::{PlotRange, TickedAxis};
use super::FigureResult;
use super::by_seed::ConfidenceInterval;
use super::figure::{FigureCurve, Panel, Spacing};

/// The panel's curves, as an SVG document.
///
/// # Errors
/// What the drawing library says.
pub fn panel(outcome: &FigureResult, panel: &Panel) -> Result<String, String> {
    let curves = curves(outcome, panel);
    let mut text = String::new();
    let root = SVGBackend::with_string(&mut text, (WIDTH, HEIGHT)).into_drawing_area();
    let drawn = draw(&root, &caption(outcome.figure.id, panel), panel, &curves);
    let drawn = drawn.and_then(|()| root.present().map_err(|error| error.to_string()));
    drop(root);
    drawn.map(|()| text)
}

/// The name of the panel's file: letters, digits and hyphens.
pub fn file_name(figure: &str, panel: &Panel) -> String {
    let name = format!("{figure} {}", panel.name).to_lowercase();
    let words = name.split(|character: char| !character.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!("{}.svg", words.join("-"))
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<TickedAxis, TickedAxis>>;
type IntervalPoints = Vec<(f64, ConfidenceInterval)>;

/// The drawing of a series.
struct Curve {
    name: &'static str,
    points: IntervalPoints,
    stroke: Stroke,
}

impl Curve {
    /// Returns true if any of its points has an interval.
    fn is_uncertain(&self) -> bool {
        self.points.iter().any(|(_, found)| found.half > 0.0)
    }
}

/// The stroke that distinguishes a curve from the others of its panel, also in print without colours and where two
/// coincide: the one below shows through the gaps.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stroke {
    colour: RGBColor,
    /// The length of dashes and gaps in pixels; `None` is a line without gaps.
    dashes: Option<(i32, i32)>,
}

impl Stroke {
    fn of(index: usize) -> Stroke {
        Stroke { colour: COLOURS[index % COLOURS.len()], dashes: DASHES[index % DASHES.len()] }
    }
}

fn caption(figure: &str, panel: &Panel) -> String {
    let place = if panel.name.is_empty() { figure.to_owned() } else { format!("{figure} {}", panel.name) };
    format!("{place}: {}", panel.title)
}

/// The series that have points.
fn curves(outcome: &FigureResult, panel: &Panel) -> Vec<Curve> {
    let point = |series, x: f64| outcome.results.point(panel.name, series, panel.metric, x);
    let curve = |(index, series): (usize, &FigureCurve)| {
        let points = series.points.iter();
        let points = points.filter_map(|(x, _)| Some((*x, point(series.name, *x)?.interval())));
        Curve { name: series.name, points: points.collect(), stroke: Stroke::of(index) }
    };
    let curves = panel.series.iter().enumerate().map(curve);
    curves.filter(|curve| !curve.points.is_empty()).collect()
}

fn draw(root: &Area<'_>, caption: &str, panel: &Panel, curves: &[Curve]) -> Result<(), String> {
    root.fill(&WHITE).map_err(|error| error.to_string())?;
    let below = root.margin(8, 8, 0, 8).titled(caption, ("sans-serif", 19));
    let (left, right) =
        below.map_err(|error| error.to_string())?.split_horizontally(WIDTH - legend_width(curves));
    let all: Vec<&IntervalPoints> = curves.iter().map(|curve| &curve.points).collect();
    let PlotRange { across, up } = PlotRange::around(&all, panel.axis.spacing);
    let mut builder = ChartBuilder::on(&left);
    builder.margin(12).x_label_area_size(44).y_label_area_size(64);
    let chart = builder.build_cartesian_2d(
        TickedAxis::over(across, panel.axis.spacing),
        TickedAxis::over(up, Spacing::Even),
    );
    let mut chart = chart.map_err(|error| error.to_string())?;
    let mut mesh = chart.configure_mesh();
    mesh.x_desc(panel.axis.label).y_desc(panel.metric.label());
    mesh.label_style(("sans-serif", 14)).axis_desc_style(("sans-serif", 15));
    mesh.light_line_style(WHITE).bold_line_style(BLACK.mix(0.12)).max_light_lines(0);
    mesh.draw().map_err(|error| error.to_string())?;
    let pixel =
        (chart.x_range().end - chart.x_range().start) / f64::from(chart.plotting_area().dim_in_pixel().0);
    let wide: Vec<&Curve> = curves.iter().filter(|curve| curve.is_uncertain()).collect();
    for (index, curve) in wide.iter().enumerate() {
        // The intervals of several curves at one place stand beside one another.
        let shift = (index as f64 - (wide.len() - 1) as f64 / 2.0) * 2.0 * pixel;
        intervals(&mut chart, curve, panel.axis.spacing, shift)?;
    }
    for curve in curves {
        line(&mut chart, curve, panel.axis.spacing)?;
    }
    legend(&right, curves)
}

/// The intervals of a curve, as far as the drawing reaches.
fn intervals(chart: &mut Chart<'_, '_>, curve: &Curve, spacing: Spacing, shift: f64) -> Result<(), String> {
    let up = chart.y_range();
    let bar = |(x, found): &(f64, ConfidenceInterval)| {
        let along = spacing.along(*x) + shift;
        let (low, high) = (found.low().max(up.start), found.high().min(up.end));
        PathElement::new([(along, low), (along, high)], curve.stroke.colour.mix(0.7))
    };
    let wide = curve.points.iter().filter(|(_, found)| found.half > 0.0);
    chart.draw_series(wide.map(bar)).map(|_| ()).map_err(|error| error.to_string())
}

/// The means, and a line through them if they are more than two.
fn line(chart: &mut Chart<'_, '_>, curve: &Curve, spacing: Spacing) -> Result<(), String> {
    let Stroke { colour, dashes } = curve.stroke;
    let means = curve.points.iter().map(|(x, found)| (spacing.along(*x), found.mean));
    let along = means.clone().filter(|_| curve.points.len() > 2);
    let drawn = match dashes {
        Some((dash, gap)) => {
            chart.draw_series(DashedLineSeries::new(along, dash, gap, colour.stroke_width(LINE)))
        }
        None => chart.draw_series(LineSeries::new(along, colour.stroke_width(LINE))),
    };
    drawn.map_err(|error| error.to_string())?;
    let dot = |at| Circle::new(at, 3, ShapeStyle::from(&colour).filled());
    chart.draw_series(means.map(dot)).map(|_| ()).map_err(|error| error.to_string())
}

/// Room for the longest text of the legend.
fn legend_width(curves: &[Curve]) -> u32 {
    let names = curves.iter().map(|curve| curve.name.chars().count() as u32 * LETTER + SAMPLE as u32 + 8);
    let note = curves.iter().any(Curve::is_uncertain).then(|| NOTE.chars().count() as u32 * LETTER);
    names.chain(note).max().unwrap_or(0) + 8
}

/// Draws the name of each curve, in their order.
fn legend(area: &Area<'_>, curves: &[Curve]) -> Result<(), String> {
    let style = ("sans-serif", 14).into_font().color(&BLACK).pos(Pos::new(HPos::Left, VPos::Center));
    let mut y = 24;
    for Curve { name, stroke, .. } in curves {
        let sample = [(0, y), (SAMPLE, y)];
        let width = stroke.colour.stroke_width(LINE);
        let drawn = match stroke.dashes {
            Some((dash, gap)) => area.draw(&DashedPathElement::new(sample, dash, gap, width)),
            None => area.draw(&PathElement::new(sample, width)),
        };
        drawn.map_err(|error| error.to_string())?;
        let text = Text::new((*name).to_owned(), (SAMPLE + 8, y), style.clone());
        area.draw(&text).map_err(|error| error.to_string())?;
        y += 20;
    }
    if curves.iter().any(Curve::is_uncertain) {
        let note = Text::new(NOTE, (0, y + 8), style.clone());
        area.draw(&note).map_err(|error| error.to_string())?;
    }
    Ok(())
}

const WIDTH: u32 = 960;
const HEIGHT: u32 = 460;

/// The note on the intervals.
const NOTE: &str = "bars: 95 % intervals";

/// The width of a letter of the legend, on average.
const LETTER: u32 = 7;

/// The length of the sample of a line in the legend.
const SAMPLE: i32 = 30;

/// The width of a line.
const LINE: u32 = 2;

/// Lines without gaps, of dashes, and of dots, in turns. Their number shares no factor with that of the colours, so that
/// 21 curves are all different.
const DASHES: [Option<(i32, i32)>; 3] = [None, Some((7, 4)), Some((2, 3))];

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::figure::Axis;
    use crate::figures::iy::zero_loss;
    use crate::figures::results::Metric;
    use crate::figures::{RunOptions, judge_default};
    use crate::scale::StudyScale;

    fn named(name: &'static str) -> Panel {
        let axis = Axis { label: "p", spacing: Spacing::Even };
        let title = "all of it".to_owned();
        Panel { name, title, axis, metric: Metric::Time, series: Vec::new(), seeds: 1, beside: &[] }
    }

    #[test]
    fn a_file_has_no_character_that_a_shell_or_a_link_needs_quoted() {
        assert_eq!(file_name("WS-F5–F8", &named("F5 differences")), "ws-f5-f8-f5-differences.svg");
        assert_eq!(file_name("YE-F30", &named("")), "ye-f30.svg");
    }

    #[test]
    fn the_only_panel_of_a_figure_needs_no_name_in_its_caption() {
        assert_eq!(caption("YE-F30", &named("")), "YE-F30: all of it");
        assert_eq!(caption("IY-F4", &named("each")), "IY-F4 each: all of it");
    }

    #[test]
    fn no_two_curves_of_a_panel_look_alike() {
        let strokes: Vec<Stroke> = (0..COLOURS.len() * DASHES.len()).map(Stroke::of).collect();
        for (index, stroke) in strokes.iter().enumerate() {
            assert!(!strokes[..index].contains(stroke), "{index}");
        }
    }

    #[test]
    fn what_each_curve_is_stands_beside_the_curves() {
        let mut options = RunOptions::of_scale(StudyScale::Quick);
        let outcome =
            judge_default(&zero_loss::ENTRY, &mut options).unwrap_or_else(|error| panic!("{error}"));
        let drawing = panel(&outcome, &outcome.figure.panels[0]).unwrap_or_else(|error| panic!("{error}"));
        let frame = WIDTH - legend_width(&curves(&outcome, &outcome.figure.panels[0]));
        for name in ["CMT", "AppStripe"] {
            let (before, _) = drawing.split_once(&format!("\n{name}\n")).unwrap_or_else(|| panic!("{name}"));
            let tag = before.rsplit("<text").next().unwrap_or_default();
            let x = tag.split('"').nth(1).and_then(|x| x.parse::<u32>().ok());
            assert!(x > Some(frame), "{name}: {tag}");
        }
    }
}
