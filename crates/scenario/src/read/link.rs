//! Reads one `[[link]]`: its forward and reverse directions, before copies are made.

use anabranch_base::setting::Settable as _;
use anabranch_base::{BitRate, Duration};
use anabranch_link::config::{
    Delay, JITTERS, Jitter, LinkConfig, LossConfig, LossKind, PLANNED_QUEUES, QUEUES, QueueConfig,
    QueueLimit, Rate, settings,
};

use super::fields::Fields;
use super::name::{LocatedName, name};
use super::reader::{SettingReader, TableKinds, packets_or_size};
use super::{loss, rate, shapes, value};
use crate::fault::{Fault, Read};
use crate::files::Files;
use crate::settings::LINK;
use crate::tree::{Node, Span, TreeValue};

/// A link before copies are made.
#[derive(Debug)]
pub(crate) struct LinkDraft {
    pub name: LocatedName,
    /// True if the link is copied with the path that names it.
    pub private: bool,
    pub forward: LinkConfig,
    pub reverse: LinkConfig,
    /// The places of the losses of each direction.
    pub forward_loss: Span,
    pub reverse_loss: Span,
}

/// Reads one `[[link]]`.
pub(crate) fn link(node: &Node, files: &dyn Files) -> Read<LinkDraft> {
    let fields = Fields::of(&shapes::LINK, node)?;
    let name = name(fields.require("name", "\"wifi\"")?)?;
    let mut forward = LinkConfig::new(BitRate::default(), Duration::ZERO);
    forward.rate = rate::rate(fields.require("rate", "\"10 Mbit/s\"")?, files)?;
    timing(&fields, &mut forward)?;
    fields.set("loss", &mut forward.loss, loss::loss)?;

    let mut reverse = LinkConfig { loss: LossConfig::NONE, duplicate: 0.0, corrupt: 0.0, ..forward.clone() };
    let mut reverse_loss = fields.span();
    if let Some(node) = fields.find("reverse") {
        let fields = Fields::of(&shapes::REVERSE, node)?;
        fields.set("rate", &mut reverse.rate, |node| rate::rate(node, files))?;
        timing(&fields, &mut reverse)?;
        fields.set("loss", &mut reverse.loss, |node| loss::reverse_loss(node, &forward.loss))?;
        reverse_loss = fields.span_of("loss");
    }
    let mut private = false;
    SettingReader::PLAIN.set_all(LINK.iter(), fields.table(), &mut private)?;
    Ok(LinkDraft { name, private, forward, reverse, forward_loss: fields.span_of("loss"), reverse_loss })
}

/// Reads the settings listed in the link's table, and those with a reader of their own: `delay`, `jitter` and `queue`.
fn timing(fields: &Fields<'_>, config: &mut LinkConfig) -> Read<()> {
    fields.set("delay", &mut config.delay, rate::delay)?;
    fields.set("jitter", &mut config.jitter, jitter)?;
    fields.set("queue", &mut config.queue, queue)?;
    SettingReader::PLAIN.set_all(settings(), fields.table(), config)?;
    let is_held = matches!(config.jitter, Jitter::Normal(_)) && !config.reorder;
    if is_held && !matches!(config.queue, QueueConfig::DropTail(_)) {
        let fault = Fault::value(
            fields.span_of("queue"),
            "normal jitter without reordering, as in the kernel's netem, needs a drop-tail queue",
        );
        return Err(fault.expected("a drop-tail queue, or `reorder = true`"));
    }
    Ok(())
}

/// `"2 ms"`, or a table of a kind of jitter.
fn jitter(node: &Node) -> Read<Jitter> {
    match &node.value {
        TreeValue::Table(_) => SettingReader::PLAIN.variant(&JITTER_KINDS, &[], "jitter", node),
        _ => value::span(node).map(Jitter::Uniform),
    }
}

const JITTER_KINDS: TableKinds<Jitter> =
    TableKinds { what: "kind of jitter", table: "a table of jitter", variants: &JITTERS, planned: &[] };

/// `"100 packets"`, `"64 KiB"` or `{ kind = "drop-tail", limit = "100 packets" }`.
pub(crate) fn queue(node: &Node) -> Read<QueueConfig> {
    match &node.value {
        TreeValue::Table(_) => SettingReader::PLAIN.variant(&QUEUE_KINDS, &[], "queue", node),
        _ => limit(node).map(QueueConfig::DropTail),
    }
}

fn limit(node: &Node) -> Read<QueueLimit> {
    let value = packets_or_size(node)?;
    Ok(QueueLimit::of_value(value).expect("a number of packets or a size"))
}

const QUEUE_KINDS: TableKinds<QueueConfig> = TableKinds {
    what: "kind of queue",
    table: "a table of a queue",
    variants: &QUEUES,
    planned: PLANNED_QUEUES,
};

/// The number of values of a direction that a copy duplicates: steps, opportunities, spans.
pub(crate) fn weight(config: &LinkConfig) -> usize {
    let rate = match &config.rate {
        Rate::Fixed(_) => 1,
        Rate::Steps(steps) => steps.len(),
        Rate::Trace(trace) => trace.opportunities.len(),
    };
    let delay = match &config.delay {
        Delay::Fixed(_) => 1,
        Delay::Steps(steps) => steps.len(),
    };
    let loss = match &config.loss.kind {
        LossKind::Outages(spans) => spans.len(),
        LossKind::List(packets) => packets.len(),
        _ => 1,
    };
    rate + delay + loss
}
