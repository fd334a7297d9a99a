//! A link as values of the file.

use anabranch_base::{ByteCount, Time};
use anabranch_link::config::{
    Channel, Delay, LinkConfig, LossConfig, LossKind, LossPlace, QueueConfig, QueueLimit, Rate,
};

use super::{Table, Value, moment};
use crate::model::Link;
use crate::quantity::{exact_rate, exact_size, exact_span};
use crate::read::{NO_MTU, SAME_CHANNEL};
use crate::words;

/// One `[[link]]`.
pub fn link(link: &Link) -> Table {
    let reverse = ways(Table::default(), &link.reverse);
    ways(Table::default().with("name", link.name.as_str()), &link.forward).with("reverse", reverse)
}

fn ways(table: Table, config: &LinkConfig) -> Table {
    let QueueConfig::DropTail(limit) = config.queue;
    table
        .with("rate", rate(&config.rate))
        .with("delay", delay(&config.delay))
        .with("jitter", exact_span(config.jitter))
        .with("reorder", config.reorder)
        .with("loss", loss(&config.loss))
        .with("queue", queue_limit(limit))
        .with("mtu", mtu(config.mtu))
        .with("duplicate", config.duplicate)
        .with("corrupt", config.corrupt)
}

/// A size, or `none`.
pub fn mtu(mtu: Option<ByteCount>) -> String {
    mtu.map_or_else(|| NO_MTU.to_owned(), exact_size)
}

fn queue_limit(limit: QueueLimit) -> String {
    match limit {
        QueueLimit::Packets(1) => "1 packet".to_owned(),
        QueueLimit::Packets(packets) => format!("{packets} packets"),
        QueueLimit::Bytes(bytes) => exact_size(bytes),
    }
}

/// A rate, its steps, or its trace by name.
pub fn rate(rate: &Rate) -> Value {
    match rate {
        Rate::Fixed(rate) => exact_rate(*rate).into(),
        Rate::Steps(steps) => steps_table(steps.iter().map(|(at, rate)| (*at, exact_rate(*rate)))),
        Rate::Trace(trace) => {
            Table::default().with("trace", trace.name.as_str()).with("repeat", trace.repeat).into()
        }
    }
}

/// A delay or its steps.
pub fn delay(delay: &Delay) -> Value {
    match delay {
        Delay::Fixed(delay) => exact_span(*delay).into(),
        Delay::Steps(steps) => steps_table(steps.iter().map(|(at, delay)| (*at, exact_span(*delay)))),
    }
}

fn steps_table(steps: impl Iterator<Item = (Time, String)>) -> Value {
    let steps: Vec<Value> = steps.map(|(at, value)| vec![moment(at).into(), value.into()].into()).collect();
    Table::default().with("steps", steps).into()
}

/// A probability, or a table of its kind.
pub fn loss(loss: &LossConfig) -> Value {
    let kind = |name: &str| Table::default().with("kind", name);
    let table = match &loss.kind {
        LossKind::None => return 0.0.into(),
        LossKind::Bernoulli { probability } if loss.after == Time::ZERO && loss.at == LossPlace::Entry => {
            return (*probability).into();
        }
        LossKind::GilbertElliott { channel: Channel::Shared, .. } => return SAME_CHANNEL.into(),
        LossKind::Bernoulli { probability } => kind("bernoulli").with("probability", *probability),
        LossKind::Correlated { probability } => kind("correlated").with("probability", *probability),
        LossKind::GilbertElliott { good, bad, loss_good, loss_bad, channel: Channel::Own } => {
            kind("gilbert-elliott")
                .with("good", exact_span(*good))
                .with("bad", exact_span(*bad))
                .with("loss_good", *loss_good)
                .with("loss_bad", *loss_bad)
        }
        LossKind::Outages(spans) => {
            let span = |(from, to): &(Time, Time)| vec![moment(*from).into(), moment(*to).into()].into();
            kind("outages").with("times", spans.iter().map(span).collect::<Vec<Value>>())
        }
        LossKind::Burst { probability, duration } => {
            kind("burst").with("probability", *probability).with("duration", exact_span(*duration))
        }
        LossKind::Every(n) => kind("every").with("n", *n),
        LossKind::List(packets) => kind("list")
            .with("packets", packets.iter().map(|number| (*number).into()).collect::<Vec<Value>>()),
    };
    table.with("after", moment(loss.after)).with("at", words::LOSS_PLACE.word(loss.at)).into()
}
