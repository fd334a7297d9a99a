//! A link as values of a file.

use anabranch_base::Time;
use anabranch_base::setting::{Settable as _, Variant};
use anabranch_link::config::{
    ChannelSharing, Delay, JITTERS, Jitter, LOSSES, LinkConfig, LossConfig, LossKind, LossPlace, QUEUES,
    QueueConfig, Rate, loss_settings, settings,
};

use super::{ResolvedTable, ResolvedValue, moment, shown};
use crate::model::Link;
use crate::read::SAME_CHANNEL;
use anabranch_base::exact::{exact_rate, exact_span};

/// One `[[link]]`.
pub(super) fn link(link: &Link) -> ResolvedTable {
    let reverse = add_settings(ResolvedTable::default(), &link.reverse);
    add_settings(ResolvedTable::default().with("name", link.name.as_str()), &link.forward)
        .with("reverse", reverse)
}

/// One direction of a link.
pub(crate) fn direction(config: &LinkConfig) -> ResolvedTable {
    add_settings(ResolvedTable::default(), config)
}

fn add_settings(table: ResolvedTable, config: &LinkConfig) -> ResolvedTable {
    let shaped = |key: &str| match key {
        "rate" => Some(rate(&config.rate)),
        "delay" => Some(delay(&config.delay)),
        "jitter" => Some(jitter(&config.jitter)),
        "loss" => Some(loss(&config.loss)),
        "queue" => Some(queue(&config.queue)),
        _ => None,
    };
    let shown = shown(settings(), config, shaped);
    ResolvedTable(table.0.into_iter().chain(shown.0).collect())
}

/// A limit alone for a drop-tail queue, or a table of its kind.
pub(super) fn queue(queue: &QueueConfig) -> ResolvedValue {
    if let QueueConfig::DropTail(limit) = queue {
        return limit.value().into();
    }
    let kind = QUEUES.iter().find(|variant| (variant.is)(queue));
    kind.map_or_else(ResolvedTable::default, |kind| variant(kind, queue)).into()
}

/// A rate, its steps, or the name of its trace.
pub(super) fn rate(rate: &Rate) -> ResolvedValue {
    match rate {
        Rate::Fixed(rate) => exact_rate(*rate).into(),
        Rate::Steps(steps) => steps_table(steps.iter().map(|(at, rate)| (*at, exact_rate(*rate)))),
        Rate::Trace(trace) => {
            ResolvedTable::default().with("trace", trace.name.as_str()).with("repeat", trace.repeat).into()
        }
    }
}

/// A delay or its steps.
pub(super) fn delay(delay: &Delay) -> ResolvedValue {
    match delay {
        Delay::Fixed(delay) => exact_span(*delay).into(),
        Delay::Steps(steps) => steps_table(steps.iter().map(|(at, delay)| (*at, exact_span(*delay)))),
    }
}

/// The greatest additional delay of a uniform jitter, or a table of the kind.
fn jitter(jitter: &Jitter) -> ResolvedValue {
    if let Jitter::Uniform(most) = jitter {
        return exact_span(*most).into();
    }
    let kind = JITTERS.iter().find(|variant| (variant.is)(jitter));
    kind.map_or_else(ResolvedTable::default, |kind| variant(kind, jitter)).into()
}

fn steps_table(steps: impl Iterator<Item = (Time, String)>) -> ResolvedValue {
    let steps: Vec<ResolvedValue> =
        steps.map(|(at, value)| vec![moment(at).into(), value.into()].into()).collect();
    ResolvedTable::default().with("steps", steps).into()
}

/// A probability, or a table of its kind.
pub(super) fn loss(loss: &LossConfig) -> ResolvedValue {
    match &loss.kind {
        LossKind::None => return 0.0.into(),
        LossKind::Bernoulli { probability } if loss.after == Time::ZERO && loss.at == LossPlace::Entry => {
            return (*probability).into();
        }
        LossKind::GilbertElliott { channel: ChannelSharing::Shared, .. } => return SAME_CHANNEL.into(),
        _ => {}
    }
    let kind = LOSSES.iter().find(|variant| (variant.is)(&loss.kind));
    let table = kind.map_or_else(ResolvedTable::default, |kind| variant(kind, &loss.kind));
    loss_settings()
        .fold(table, |table, setting| {
            table.with_some(setting.key, (setting.get)(loss).map(ResolvedValue::from))
        })
        .into()
}

/// A table with the kind and its settings.
pub(super) fn variant<T>(variant: &Variant<T>, value: &T) -> ResolvedTable {
    let table = ResolvedTable::default().with("kind", variant.name);
    variant.settings.iter().fold(table, |table, setting| {
        table.with_some(setting.key, (setting.get)(value).map(ResolvedValue::from))
    })
}
