//! Reads values of one kind each: text, numbers, quantities, with their domains.

use anabranch_base::exact::exact_size;
use anabranch_base::{BitRate, ByteCount, Distance, Duration, Speed, Time};

use crate::fault::{Fault, Read};
use crate::quantity::{self, QuantityError};
use crate::tree::{Node, TreeValue};

/// Reads any text.
pub(crate) fn text(node: &Node) -> Read<&str> {
    match &node.value {
        TreeValue::Text(text) => Ok(text),
        _ => Err(wrong(node, "a text in quotes")),
    }
}

/// Reads `true` or `false`.
pub(crate) fn boolean(node: &Node) -> Read<bool> {
    match &node.value {
        TreeValue::Boolean(value) => Ok(*value),
        _ => Err(wrong(node, "true or false")),
    }
}

/// Reads a list.
pub(crate) fn list<'n>(node: &'n Node, example: &str) -> Read<&'n [Node]> {
    match &node.value {
        TreeValue::List(values) => Ok(values),
        _ => Err(wrong(node, &format!("a list such as {example}"))),
    }
}

/// Reads a list of two.
pub(crate) fn pair<'n>(node: &'n Node, example: &str) -> Read<(&'n Node, &'n Node)> {
    match list(node, example)? {
        [first, second] => Ok((first, second)),
        other => {
            let fault = Fault::value(node.span, format!("this list has {} values, not two", other.len()));
            Err(fault.expected(format!("a list such as {example}")))
        }
    }
}

/// Reads a whole number from `least` to `most`.
pub(crate) fn whole<T>(node: &Node, least: T, most: T) -> Read<T>
where
    T: Copy + Into<u64> + TryFrom<u64>,
{
    let (least, most) = (least.into(), most.into());
    let bounds = match (least, most) {
        (0, u64::MAX) => "a whole number".to_owned(),
        (_, u64::MAX) => format!("a whole number from {least}"),
        _ => format!("a whole number from {least} to {most}"),
    };
    let TreeValue::Integer(number) = node.value else { return Err(wrong(node, &bounds)) };
    let fits = u64::try_from(number).ok().filter(|number| (least..=most).contains(number));
    let how = if number < i128::from(least) { "small" } else { "large" };
    let refused = || Fault::value(node.span, format!("{number} is too {how}")).expected(bounds);
    fits.and_then(|number| T::try_from(number).ok()).ok_or_else(refused)
}

/// Reads a number from 0 to 1.
pub(crate) fn probability(node: &Node) -> Read<f64> {
    const EXPECTED: &str = "a number from 0 to 1";
    let number = match node.value {
        TreeValue::Integer(number) => number as f64,
        TreeValue::Float(number) => number,
        _ => return Err(wrong(node, EXPECTED)),
    };
    if (0.0..=1.0).contains(&number) {
        // -0.0 is 0.
        return Ok(number.abs());
    }
    Err(Fault::value(node.span, format!("{number} is not a probability")).expected(EXPECTED))
}

/// Reads a finite number of at least `least`.
pub(crate) fn number(node: &Node, least: f64) -> Read<f64> {
    let expected = format!("a number from {least}");
    let number = match node.value {
        TreeValue::Integer(number) => number as f64,
        TreeValue::Float(number) => number,
        _ => return Err(wrong(node, &expected)),
    };
    if number.is_finite() && number >= least {
        // -0.0 is 0.
        return Ok(if number == 0.0 { 0.0 } else { number });
    }
    Err(Fault::value(node.span, format!("{number} is too small or infinite")).expected(expected))
}

/// Reads a duration.
pub(crate) fn span(node: &Node) -> Read<Duration> {
    quantity(node, "a time", "\"200 ms\"", quantity::span)
}

/// Reads a duration above zero.
pub(crate) fn some_span(node: &Node) -> Read<Duration> {
    let span = span(node)?;
    if span.is_zero() {
        return Err(Fault::value(node.span, "this time is 0").expected("more than 0 s"));
    }
    Ok(span)
}

/// Reads a time, counted from the start of the run.
pub(crate) fn moment(node: &Node) -> Read<Time> {
    span(node).map(|span| Time::ZERO + span)
}

/// Reads a number of bytes.
pub(crate) fn size(node: &Node) -> Read<ByteCount> {
    quantity(node, "a size", "\"64 KiB\"", quantity::size)
}

/// Reads a number of bytes from `least` to `most`.
pub(crate) fn size_within(node: &Node, least: u64, most: u64) -> Read<ByteCount> {
    let size = size(node)?;
    if (least..=most).contains(&size.get()) {
        return Ok(size);
    }
    let (how, expected) = if size.get() > most {
        ("large", format!("at most {most} B"))
    } else if least == 1 {
        ("small", "more than 0 B".to_owned())
    } else {
        ("small", format!("at least {least} B"))
    };
    Err(Fault::value(node.span, format!("{} is too {how}", exact_size(size))).expected(expected))
}

/// Reads a distance, or a coordinate.
pub(crate) fn distance(node: &Node) -> Read<Distance> {
    quantity(node, "a distance", "\"250 m\"", quantity::distance)
}

/// Reads a speed.
pub(crate) fn speed(node: &Node) -> Read<Speed> {
    quantity(node, "a speed", "\"1.5 m/s\"", quantity::speed)
}

/// Reads a rate, which may be zero.
pub(crate) fn any_rate(node: &Node) -> Read<BitRate> {
    quantity(node, "a rate", "\"10 Mbit/s\"", quantity::rate)
}

/// Reads a rate above zero.
pub(crate) fn some_rate(node: &Node) -> Read<BitRate> {
    let rate = any_rate(node)?;
    if rate.bits_per_second() == 0 {
        return Err(Fault::value(node.span, "this rate is 0").expected("more than 0 bit/s"));
    }
    Ok(rate)
}

/// The error for a value of the wrong kind.
pub(crate) fn wrong(node: &Node, expected: &str) -> Box<Fault> {
    Fault::value(node.span, format!("expected {expected}, found {}", node.value.describe()))
}

/// The error for a text that is not a quantity.
pub(crate) fn refused(node: &Node, error: QuantityError) -> Box<Fault> {
    let nearest = error.nearest.map(|unit| format!("{unit:?}"));
    Fault::value(node.span, error.message).expected(error.expected).nearest(nearest)
}

fn quantity<T>(
    node: &Node,
    what: &str,
    example: &str,
    read: impl Fn(&str) -> Result<T, QuantityError>,
) -> Read<T> {
    match &node.value {
        TreeValue::Text(text) => read(text).map_err(|error| refused(node, error)),
        number @ (TreeValue::Integer(_) | TreeValue::Float(_)) => {
            let fault = Fault::value(node.span, format!("{} has no unit", number.describe()));
            Err(fault.expected(format!("{what} with its unit in quotes, such as {example}")))
        }
        _ => Err(wrong(node, &format!("{what} such as {example}"))),
    }
}
