//! A link as values of the file.

use anabranch_base::setting::{Settable as _, Variant};
use anabranch_base::{BitRate, ByteCount, Duration, Time};
use anabranch_link::config::{
    Channel, Delay, LOSSES, LinkConfig, LossConfig, LossKind, LossPlace, QueueConfig, Rate, loss_settings,
    settings,
};

use super::{Table, Value, moment};
use crate::model::Link;
use crate::quantity::{exact_rate, exact_span};
use crate::read::SAME_CHANNEL;

/// One `[[link]]`.
pub fn link(link: &Link) -> Table {
    let reverse = ways(Table::default(), &link.reverse);
    ways(Table::default().with("name", link.name.as_str()), &link.forward).with("reverse", reverse)
}

/// One direction of a link.
pub fn way(config: &LinkConfig) -> Table {
    ways(Table::default(), config)
}

fn ways(table: Table, config: &LinkConfig) -> Table {
    settings().fold(table, |table, setting| {
        let shaped = match setting.key {
            "rate" => Some(rate(&config.rate)),
            "delay" => Some(delay(&config.delay)),
            "loss" => Some(loss(&config.loss)),
            "queue" => Some(queue(&config.queue)),
            _ => (setting.get)(config).map(Value::from),
        };
        table.with_some(setting.key, shaped)
    })
}

/// A size, or `none`.
pub fn mtu(mtu: Option<ByteCount>) -> Value {
    let link = LinkConfig { mtu, ..LinkConfig::new(BitRate::default(), Duration::ZERO) };
    let setting = settings().find(|setting| setting.key == "mtu");
    setting.and_then(|setting| (setting.get)(&link)).map_or(Value::Text(String::new()), Value::from)
}

/// A limit alone, for a queue that has nothing else to say, or a table of its kind.
fn queue(queue: &QueueConfig) -> Value {
    let QueueConfig::DropTail(limit) = queue;
    limit.value().into()
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
    match &loss.kind {
        LossKind::None => return 0.0.into(),
        LossKind::Bernoulli { probability } if loss.after == Time::ZERO && loss.at == LossPlace::Entry => {
            return (*probability).into();
        }
        LossKind::GilbertElliott { channel: Channel::Shared, .. } => return SAME_CHANNEL.into(),
        _ => {}
    }
    let kind = LOSSES.iter().find(|variant| (variant.is)(&loss.kind));
    let table = kind.map_or_else(Table::default, |kind| variant(kind, &loss.kind));
    loss_settings()
        .fold(table, |table, setting| table.with_some(setting.key, (setting.get)(loss).map(Value::from)))
        .into()
}

/// A table with its kind and the settings of that.
fn variant<T>(variant: &Variant<T>, value: &T) -> Table {
    let table = Table::default().with("kind", variant.name);
    variant
        .settings
        .iter()
        .fold(table, |table, setting| table.with_some(setting.key, (setting.get)(value).map(Value::from)))
}
