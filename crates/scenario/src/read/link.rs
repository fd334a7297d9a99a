//! One `[[link]]`: the way there and the way back. It knows no path and no copies.

use anabranch_link::config::{Delay, LinkConfig, LossConfig, QueueConfig, QueueLimit, Rate};

use anabranch_base::{BitRate, ByteCount, Duration};

use super::fields::Fields;
use super::name::{Name, name};
use super::{loss, rate, shapes, value};
use crate::fault::{Fault, Read};
use crate::files::Files;
use crate::quantity;
use crate::tree::{Node, Span, Value};
use crate::words;

/// A link as the file has it, before copies are made.
#[derive(Debug)]
pub(crate) struct LinkDraft {
    pub name: Name,
    /// It is copied with the path that names it.
    pub private: bool,
    pub forward: LinkConfig,
    pub reverse: LinkConfig,
    /// Where the losses of each way are told.
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
    faults(&fields, &mut forward)?;

    let mut reverse = LinkConfig { loss: LossConfig::NONE, duplicate: 0.0, corrupt: 0.0, ..forward.clone() };
    let mut reverse_loss = fields.span();
    if let Some(node) = fields.find("reverse") {
        let fields = Fields::of(&shapes::REVERSE, node)?;
        fields.set("rate", &mut reverse.rate, |node| rate::rate(node, files))?;
        timing(&fields, &mut reverse)?;
        fields.set("loss", &mut reverse.loss, |node| loss::reverse_loss(node, &forward.loss))?;
        faults(&fields, &mut reverse)?;
        reverse_loss = fields.span_of("loss");
    }
    let private = fields.or("private", false, value::boolean)?;
    Ok(LinkDraft { name, private, forward, reverse, forward_loss: fields.span_of("loss"), reverse_loss })
}

/// What both ways have alike unless told otherwise.
fn timing(fields: &Fields<'_>, config: &mut LinkConfig) -> Read<()> {
    fields.set("delay", &mut config.delay, rate::delay)?;
    fields.set("jitter", &mut config.jitter, value::span)?;
    fields.set("reorder", &mut config.reorder, value::boolean)?;
    fields.set("queue", &mut config.queue, queue)?;
    fields.set("mtu", &mut config.mtu, mtu)
}

/// A size, or `"none"`.
pub(crate) fn mtu(node: &Node) -> Read<Option<ByteCount>> {
    match &node.value {
        Value::Text(text) if text == NO_MTU => Ok(None),
        _ => value::size_within(node, 68, 65_535).map(Some),
    }
}

/// A link that carries packets of any size.
pub(crate) const NO_MTU: &str = "none";

/// What the way back does not take over.
fn faults(fields: &Fields<'_>, config: &mut LinkConfig) -> Read<()> {
    fields.set("duplicate", &mut config.duplicate, value::probability)?;
    fields.set("corrupt", &mut config.corrupt, value::probability)
}

/// `"100 packets"`, `"64 KiB"` or `{ kind = "drop-tail", limit = "100 packets" }`.
fn queue(node: &Node) -> Read<QueueConfig> {
    let Value::Table(table) = &node.value else { return limit(node).map(QueueConfig::DropTail) };
    let Some(kind) = table.find("kind") else {
        let fault = Fault::missing(node.span, "a table of a queue needs a key `kind`");
        return Err(fault.help("for example kind = \"drop-tail\""));
    };
    words::QUEUE.meaning(kind)?;
    let fields = Fields::of(&shapes::DROP_TAIL, node)?;
    let most = fields.maybe("limit", limit)?.unwrap_or(DEFAULT_LIMIT);
    Ok(QueueConfig::DropTail(most))
}

fn limit(node: &Node) -> Read<QueueLimit> {
    const EXPECTED: &str = "a limit in packets or bytes, such as \"100 packets\" or \"64 KiB\"";
    let Value::Text(text) = &node.value else { return Err(value::wrong(node, EXPECTED)) };
    let packets = text.strip_suffix("packets").or_else(|| text.strip_suffix("packet"));
    if let Some(number) = packets {
        let packets = number.trim().parse().map(QueueLimit::Packets);
        return packets.map_err(|_| value::wrong(node, EXPECTED));
    }
    let is_size = text.contains(|c: char| c.is_ascii_digit());
    match quantity::size(text) {
        Ok(bytes) => Ok(QueueLimit::Bytes(bytes)),
        Err(error) if is_size => Err(value::refused(node, error).expected(EXPECTED)),
        Err(_) => Err(value::wrong(node, EXPECTED)),
    }
}

/// ns-2's default (M-NET-2).
const DEFAULT_LIMIT: QueueLimit = QueueLimit::Packets(50);

/// How many single values a way has: steps, opportunities, spans; what copies cost.
pub(crate) fn weight(config: &LinkConfig) -> usize {
    use anabranch_link::config::LossKind;
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
