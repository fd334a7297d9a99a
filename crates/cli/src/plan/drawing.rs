//! Draws a plan in two panels: the throughput of each path by its limit, and of all paths by the receive buffer.

use std::ops::Range;

use anabranch_planner::{PlanError, Problem, by_buffer, hull};
use anabranch_sim::predict::{ModelFlow, PlanReport};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::{
    BLACK, Cartesian2d, ChartBuilder, ChartContext, Circle, DrawingArea, IntoDrawingArea, LineSeries,
    PathElement, RGBColor, SVGBackend, SeriesLabelPosition, ShapeStyle, Text, WHITE,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont};

use crate::failure::{Failure, printable};

/// The drawing, as an SVG document.
///
/// # Errors
/// The planner cannot compute a curve.
pub(super) fn draw(title: &str, plan: &PlanReport) -> Result<String, Failure> {
    let marginal_gain = throughput_by_buffer(plan)?;
    let mut text = String::new();
    let root = SVGBackend::with_string(&mut text, (WIDTH, HEIGHT)).into_drawing_area();
    let drawn = panels(&root, title, plan, &marginal_gain)
        .and_then(|()| root.present().map_err(|error| error.to_string()));
    drop(root);
    drawn.map_err(|error| Failure::System(std::io::Error::other(error)))?;
    Ok(text)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
type Points = Vec<(f64, f64)>;

fn panels(root: &Area<'_>, title: &str, plan: &PlanReport, marginal_gain: &Points) -> Result<(), String> {
    root.fill(&WHITE).map_err(|error| error.to_string())?;
    let title = if title.is_empty() { "Window limits".to_owned() } else { printable(title) };
    let below = root.margin(8, 0, 0, 0);
    let below = below.titled(&title, ("sans-serif", 22)).map_err(|error| error.to_string())?;
    let (left, right) = below.split_horizontally(WIDTH / 2);
    by_limit(&left, plan)?;
    by_receive_buffer(&right, plan, marginal_gain)
}

/// Draws the throughput of each path by its window limit, with the chosen limits.
fn by_limit(area: &Area<'_>, plan: &PlanReport) -> Result<(), String> {
    let flow = &plan.flow;
    let curves: Vec<Points> = plan.problem.curves().iter().map(|curve| points(flow, 1, curve)).collect();
    let all = || curves.iter().flatten();
    let widest = all().map(|(limit, _)| *limit).fold(2.0, f64::max);
    let most = all().map(|(_, rate)| *rate).fold(0.0, f64::max);
    let mut chart = chart(area, "Each path by its window limit", 0.0..widest * 1.02, most)?;
    axes(&mut chart, "window limit (packets)")?;
    for (index, curve) in curves.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let drawn = chart.draw_series(LineSeries::new(curve.clone(), colour.stroke_width(2)));
        let drawn = drawn.map_err(|error| error.to_string())?;
        if index < MOST_NAMES {
            let limit = plan.best.limits.get(index).copied().unwrap_or_default();
            drawn
                .label(format!("{}, limit {limit}", printable(&flow.paths[index].name)))
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)));
        }
    }
    for (index, limit) in plan.best.limits.iter().enumerate() {
        let at = (f64::from(*limit), megabits(flow, plan.carried(index)));
        mark(&mut chart, at, COLOURS[index % COLOURS.len()])?;
    }
    let mut legend = chart.configure_series_labels();
    legend.position(SeriesLabelPosition::LowerRight).label_font(("sans-serif", 15));
    legend.background_style(WHITE.mix(0.85)).border_style(BLACK.mix(0.3));
    legend.draw().map_err(|error| error.to_string())
}

/// Draws the throughput of all paths together by receive buffer, with the present buffer and the smallest sufficient one.
fn by_receive_buffer(area: &Area<'_>, plan: &PlanReport, marginal_gain: &Points) -> Result<(), String> {
    let flow = &plan.flow;
    let widest = marginal_gain.last().map_or(1.0, |(buffer, _)| *buffer);
    let most = marginal_gain.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
    let mut chart = chart(area, "All paths by receive buffer", 0.0..widest * 1.02, most)?;
    axes(&mut chart, &format!("receive buffer (packets of {})", flow.packet))?;
    let line = LineSeries::new(marginal_gain.clone(), COLOURS[0].stroke_width(2));
    chart.draw_series(line).map_err(|error| error.to_string())?;
    let given = f64::from(flow.receive_buffer);
    let arrow = if given > widest { " →" } else { "" };
    let chosen = (given.min(widest), megabits(flow, plan.best.throughput));
    let enough = plan.marginal_gain.as_ref().map(|gain| {
        let at = (f64::from(gain.enough), megabits(flow, gain.most));
        (at, COLOURS[2], format!("enough: {}", gain.enough), 0.05)
    });
    let chosen = (chosen, COLOURS[1], format!("this buffer: {}{arrow}", flow.receive_buffer), 0.11);
    for (at, colour, text, height) in [chosen].into_iter().chain(enough) {
        let vertical = PathElement::new([(at.0, 0.0), at], colour.mix(0.6));
        chart.draw_series([vertical]).map_err(|error| error.to_string())?;
        mark(&mut chart, at, colour)?;
        // Below the curve, on the side of the line with more room.
        let (side, shift) = if at.0 > widest / 2.0 { (HPos::Right, -0.012) } else { (HPos::Left, 0.012) };
        let style = ("sans-serif", 15).into_font().color(&colour).pos(Pos::new(side, VPos::Center));
        let label = Text::new(text, (at.0 + shift * widest, height * most), style);
        chart.draw_series([label]).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn chart<'a, 'b>(
    area: &'a Area<'b>,
    caption: &str,
    across: Range<f64>,
    most: f64,
) -> Result<Chart<'a, 'b>, String> {
    let mut builder = ChartBuilder::on(area);
    builder.caption(caption, ("sans-serif", 17)).margin(12).x_label_area_size(44).y_label_area_size(64);
    let up = 0.0..if most > 0.0 { most * 1.08 } else { 1.0 };
    builder.build_cartesian_2d(across, up).map_err(|error| error.to_string())
}

fn axes(chart: &mut Chart<'_, '_>, across: &str) -> Result<(), String> {
    let mut mesh = chart.configure_mesh();
    mesh.x_desc(across)
        .y_desc("throughput (Mbit/s)")
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 15));
    mesh.x_label_formatter(&|value| format!("{value}")).y_label_formatter(&|value| format!("{value}"));
    mesh.light_line_style(WHITE).bold_line_style(BLACK.mix(0.12)).max_light_lines(0);
    mesh.draw().map_err(|error| error.to_string())
}

fn mark(chart: &mut Chart<'_, '_>, at: (f64, f64), colour: RGBColor) -> Result<(), String> {
    let ring = Circle::new(at, 6, colour.stroke_width(2));
    let point = Circle::new(at, 3, ShapeStyle::from(&colour).filled());
    chart.draw_series([ring, point]).map(|_| ()).map_err(|error| error.to_string())
}

/// The maximum throughput for every buffer, up to somewhat more than the sufficient one: exact, or by hulls if that would
/// take too long.
fn throughput_by_buffer(plan: &PlanReport) -> Result<Points, PlanError> {
    let flow = &plan.flow;
    let least = u32::try_from(flow.paths.len()).unwrap_or(u32::MAX);
    let widest = match plan.marginal_gain.as_ref().map(|gain| gain.enough) {
        // A much larger buffer would squeeze the curve into a corner.
        Some(enough) => {
            (enough.saturating_add(enough / 4)).max(flow.receive_buffer.min(enough.saturating_mul(8)))
        }
        None => flow.receive_buffer,
    }
    .max(least.saturating_add(1));
    let problem = Problem::new(&flow.parameters(), widest, plan.question.window_model().as_ref())?;
    match by_buffer(&problem) {
        Ok(found) => Ok(points(flow, found.least(), found.values())),
        Err(PlanError::TooMuch { .. }) => by_hulls(flow, &problem, least),
        Err(other) => Err(other),
    }
}

fn by_hulls(flow: &ModelFlow, problem: &Problem, least: u32) -> Result<Points, PlanError> {
    let step = ((problem.buffer() - least) as usize / HULLS).max(1);
    let buffers = (least..=problem.buffer()).step_by(step);
    let found = |buffer: u32| {
        let problem = Problem::from_curves(problem.curves().to_vec(), buffer)?;
        Ok((f64::from(buffer), megabits(flow, hull(&problem).allocation.throughput)))
    };
    buffers.map(found).collect()
}

/// The points at `first`, `first` + 1, …, thinned to [`MOST_POINTS`].
fn points(flow: &ModelFlow, first: u32, values: &[f64]) -> Points {
    let step = values.len().div_ceil(MOST_POINTS).max(1);
    let point = |index: usize| (f64::from(first) + index as f64, megabits(flow, values[index]));
    let last = values.len().checked_sub(1).filter(|last| last % step != 0);
    (0..values.len()).step_by(step).chain(last).map(point).collect()
}

fn megabits(flow: &ModelFlow, rate: f64) -> f64 {
    flow.throughput_bps(rate) / 1e6
}

const WIDTH: u32 = 1080;
const HEIGHT: u32 = 460;

/// The maximum number of points of a curve; a panel has fewer pixels.
const MOST_POINTS: usize = 1000;

/// The number of buffers of a curve by hulls.
const HULLS: usize = 64;

/// The maximum number of paths in the legend.
const MOST_NAMES: usize = 12;

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
