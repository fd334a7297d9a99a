//! What a link loses, as a number or a table. It knows no link but its way there, whose channel may be shared.

use anabranch_base::Time;
use anabranch_link::config::{Channel, LossConfig, LossKind, LossPlace};

use super::fields::{Fields, Shape};
use super::{shapes, value};
use crate::fault::{Fault, Read};
use crate::tree::{Node, Value, quoted};
use crate::words::{self, LossWord};

/// A probability or `{ kind = …, … }`; a loss of probability 0 is none.
pub(crate) fn loss(node: &Node) -> Read<LossConfig> {
    match &node.value {
        Value::Integer(_) | Value::Float(_) => {
            let kind = bernoulli(value::probability(node)?);
            Ok(LossConfig { kind, ..LossConfig::NONE })
        }
        Value::Table(_) => table(node),
        _ => {
            let fault = value::wrong(node, "a probability or a table");
            Err(fault.help("for example loss = 0.01, or loss = { kind = \"every\", n = 100 }"))
        }
    }
}

/// The same for the way back, where `"same-channel"` is a loss too: the two-state channel of `forward`,
/// without its losses in the good state (M-NET-5).
pub(crate) fn reverse_loss(node: &Node, forward: &LossConfig) -> Read<LossConfig> {
    let Value::Text(word) = &node.value else { return loss(node) };
    if word != SAME_CHANNEL {
        let fault = Fault::value(node.span, format!("{} is no loss of the way back", quoted(word)));
        return Err(fault.expected(format!("a probability, a table, or {SAME_CHANNEL:?}")));
    }
    same_channel(forward).ok_or_else(|| {
        let fault = Fault::value(node.span, "the way there has no two-state channel to share");
        fault.expected("a link whose `loss` is of kind \"gilbert-elliott\"")
    })
}

/// What the way back loses when it shares the channel of `forward`, if that has one.
fn same_channel(forward: &LossConfig) -> Option<LossConfig> {
    let LossKind::GilbertElliott { good, bad, loss_bad, .. } = forward.kind else { return None };
    let kind = LossKind::GilbertElliott { good, bad, loss_good: 0.0, loss_bad, channel: Channel::Shared };
    Some(LossConfig { kind, ..forward.clone() })
}

/// The word for it.
pub(crate) const SAME_CHANNEL: &str = "same-channel";

fn table(node: &Node) -> Read<LossConfig> {
    let (word, fields) = kind(node)?;
    let kind = match word {
        LossWord::Bernoulli => bernoulli(probability(&fields)?),
        LossWord::Correlated => LossKind::Correlated { probability: probability(&fields)? },
        LossWord::GilbertElliott => LossKind::GilbertElliott {
            good: value::some_span(fields.require("good", "\"9.9 s\"")?)?,
            bad: value::some_span(fields.require("bad", "\"0.1 s\"")?)?,
            loss_good: value::probability(fields.require("loss_good", "0.01")?)?,
            loss_bad: value::probability(fields.require("loss_bad", "1.0")?)?,
            channel: Channel::Own,
        },
        LossWord::Outages => LossKind::Outages(outages(fields.require("times", OUTAGES)?)?),
        LossWord::Burst => LossKind::Burst {
            probability: probability(&fields)?,
            duration: value::some_span(fields.require("duration", "\"200 ms\"")?)?,
        },
        LossWord::Every => LossKind::Every(value::whole(fields.require("n", "100")?, 1, u64::MAX)?),
        LossWord::List => LossKind::List(packets(fields.require("packets", PACKETS)?)?),
    };
    if kind == LossKind::None {
        return Ok(LossConfig::NONE);
    }
    let after = fields.or("after", Time::ZERO, value::moment)?;
    let at = fields.or("at", LossPlace::Entry, |node| words::LOSS_PLACE.meaning(node))?;
    Ok(LossConfig { kind, after, at })
}

/// The table's kind, and its other keys.
fn kind(node: &Node) -> Read<(LossWord, Fields<'_>)> {
    let Value::Table(table) = &node.value else { return Err(value::wrong(node, "a table")) };
    let Some(kind) = table.find("kind") else {
        let fault = Fault::missing(node.span, "a table of losses needs a key `kind`");
        return Err(fault.help("for example kind = \"gilbert-elliott\""));
    };
    let word = words::LOSS.meaning(kind)?;
    Ok((word, Fields::of(shape(word), node)?))
}

fn shape(word: LossWord) -> &'static Shape {
    match word {
        LossWord::Bernoulli => &shapes::BERNOULLI,
        LossWord::Correlated => &shapes::CORRELATED,
        LossWord::GilbertElliott => &shapes::GILBERT_ELLIOTT,
        LossWord::Outages => &shapes::OUTAGES,
        LossWord::Burst => &shapes::BURST,
        LossWord::Every => &shapes::EVERY,
        LossWord::List => &shapes::LIST,
    }
}

fn bernoulli(probability: f64) -> LossKind {
    if probability == 0.0 { LossKind::None } else { LossKind::Bernoulli { probability } }
}

fn probability(fields: &Fields<'_>) -> Read<f64> {
    value::probability(fields.require("probability", "0.01")?)
}

/// Spans `[from, to)` in order.
fn outages(node: &Node) -> Read<Vec<(Time, Time)>> {
    let mut spans: Vec<(Time, Time)> = Vec::new();
    for span in value::list(node, OUTAGES)? {
        let (first, last) = value::pair(span, "[\"40.4 s\", \"41.5 s\"]")?;
        let (from, to) = (value::moment(first)?, value::moment(last)?);
        if to <= from {
            let fault = Fault::value(span.span, "this outage ends before it begins");
            return Err(fault.expected("the beginning, then a later end"));
        }
        if spans.last().is_some_and(|(_, end)| from < *end) {
            let fault = Fault::value(first.span, "this outage begins before the one before it is over");
            return Err(fault.expected("outages in order of time, apart from one another"));
        }
        spans.push((from, to));
    }
    Ok(spans)
}

/// Numbers of packets, counted from 1; their order and repetitions mean nothing.
fn packets(node: &Node) -> Read<Vec<u64>> {
    let given = value::list(node, PACKETS)?;
    let numbers: Read<Vec<u64>> = given.iter().map(|number| value::whole(number, 1, u64::MAX)).collect();
    let mut numbers = numbers?;
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

const OUTAGES: &str = "[[\"40.4 s\", \"41.5 s\"]]";
const PACKETS: &str = "[10, 11, 250]";
