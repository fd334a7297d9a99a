//! Reads rates and delays: fixed, in steps, or by a trace.

use anabranch_base::{BitRate, Duration, Time};
use anabranch_link::config::{Delay, Rate, Trace};

use super::fields::Fields;
use super::{shapes, value};
use crate::fault::{Fault, Read};
use crate::files::Files;
use crate::source::Source;
use crate::trace::{EXPECTED, TraceFault, opportunities};
use crate::tree::{Node, Span, TextOrigin, TreeValue, quoted};

/// Reads `"10 Mbit/s"`, `{ steps = [["0 s", "10 Mbit/s"], …] }` or `{ trace = "up.mahimahi", repeat = true }`.
pub(crate) fn rate(node: &Node, files: &dyn Files) -> Read<Rate> {
    match &node.value {
        TreeValue::Table(table) if table.find("trace").is_some() || table.find("repeat").is_some() => {
            trace(node, files).map(Rate::Trace)
        }
        TreeValue::Table(_) => {
            let steps = steps(node, value::any_rate, "[[\"0 s\", \"10 Mbit/s\"], [\"20 s\", \"2 Mbit/s\"]]")?;
            refuse_standstill(node, &steps)?;
            Ok(Rate::Steps(steps))
        }
        _ => value::some_rate(node).map(Rate::Fixed),
    }
}

/// Reads `"40 ms"` or `{ steps = [["0 s", "40 ms"], …] }`.
pub(crate) fn delay(node: &Node) -> Read<Delay> {
    match &node.value {
        TreeValue::Table(_) => {
            steps(node, value::span, "[[\"0 s\", \"40 ms\"], [\"20 s\", \"80 ms\"]]").map(Delay::Steps)
        }
        _ => value::span(node).map(Delay::Fixed),
    }
}

fn steps<T>(node: &Node, read: fn(&Node) -> Read<T>, example: &str) -> Read<Vec<(Time, T)>> {
    let fields = Fields::of(&shapes::STEPS, node)?;
    let given = fields.require("steps", example)?;
    let mut steps: Vec<(Time, T)> = Vec::new();
    for step in value::list(given, example)? {
        let (when, what) = value::pair(step, &example[1..example.find(']').map_or(1, |at| at + 1)])?;
        let at = value::moment(when)?;
        match steps.last() {
            None if at != Time::ZERO => {
                let fault = Fault::value(when.span, "the first step is not at 0 s");
                return Err(fault.expected("a first step at \"0 s\""));
            }
            Some((before, _)) if at <= *before => {
                let fault = Fault::value(when.span, "this step is not after the one before it");
                return Err(fault.expected("steps in order of time, each at a different time"));
            }
            _ => steps.push((at, read(what)?)),
        }
    }
    if steps.is_empty() {
        let fault = Fault::value(given.span, "there are no steps");
        return Err(fault.expected(format!("a list such as {example}")));
    }
    Ok(steps)
}

/// Refuses a link that never carries anything.
fn refuse_standstill(node: &Node, steps: &[(Time, BitRate)]) -> Read<()> {
    if steps.iter().all(|(_, rate)| rate.bits_per_second() == 0) {
        let fault = Fault::value(node.span, "the rate is 0 at every step");
        return Err(fault.expected("at least one step with more than 0 bit/s"));
    }
    Ok(())
}

fn trace(node: &Node, files: &dyn Files) -> Read<Trace> {
    let fields = Fields::of(&shapes::TRACE, node)?;
    let named = fields.require("trace", "\"up.mahimahi\"")?;
    let name = value::text(named)?;
    let repeat = fields.or("repeat", true, value::boolean)?;
    let text = files.read(name).map_err(|why| {
        let fault = Fault::value(named.span, format!("the trace {} cannot be read: {why}", quoted(name)));
        fault.expected("a file beside the scenario, with a time in milliseconds on each line")
    })?;
    let opportunities = opportunities(&text).map_err(|TraceFault { at, message }| {
        let file = Source::new(name, text.clone());
        let span = Span { origin: TextOrigin::File, start: at.start, end: at.end };
        Fault::trace(file, named.span, span, message).expected(EXPECTED)
    })?;
    let period = opportunities.last().map_or(Duration::ZERO, |last| last.since(Time::ZERO));
    if repeat && period.is_zero() {
        let fault = Fault::value(named.span, format!("the trace {} lasts 0 ms", quoted(name)));
        return Err(fault.expected("a trace longer than 0 ms, or repeat = false"));
    }
    Ok(Trace { name: name.to_owned(), opportunities, repeat })
}
