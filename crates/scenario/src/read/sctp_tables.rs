//! The tables within `[flow.sctp]`. It knows their keys and domains, and not what follows from them.

use anabranch_base::{ByteCount, Duration};

use super::fields::Fields;
use super::sctp::LONGEST_SACK_DELAY;
use super::{shapes, value};
use crate::fault::{Fault, Read};
use crate::model::{Cmt, Failover, Growth, MaxBurst, Sctp};
use crate::quantity::{exact_size, exact_span};
use crate::tree::{Node, Value};
use crate::words;

/// `rto = { initial, min, max, variation }`, with min ≤ initial ≤ max.
pub(crate) fn rto(sctp_fields: &Fields<'_>, sctp: &mut Sctp) -> Read<()> {
    let Some(node) = sctp_fields.find("rto") else { return Ok(()) };
    let fields = Fields::of(&shapes::RTO, node)?;
    fields.set("initial", &mut sctp.rto_initial, value::some_span)?;
    fields.set("min", &mut sctp.rto_min, value::some_span)?;
    fields.set("max", &mut sctp.rto_max, value::some_span)?;
    fields.set("variation", &mut sctp.rto_variation, value::span)?;
    let (min, initial, max) = (("min", sctp.rto_min), ("initial", sctp.rto_initial), ("max", sctp.rto_max));
    for ((lower, least), (upper, most)) in [(min, max), (min, initial), (initial, max)] {
        if least > most {
            let key = if fields.find(lower).is_some() { lower } else { upper };
            let (least, most) = (exact_span(least), exact_span(most));
            let message = format!("rto.{lower} is {least}, more than rto.{upper}, which is {most}");
            return Err(Fault::value(fields.span_of(key), message).expected("min ≤ initial ≤ max"));
        }
    }
    Ok(())
}

/// `sack = { every, delay, batch, when, gaps }`.
pub(crate) fn sack(sctp_fields: &Fields<'_>, sctp: &mut Sctp) -> Read<()> {
    let Some(node) = sctp_fields.find("sack") else { return Ok(()) };
    let fields = Fields::of(&shapes::SACK, node)?;
    fields.set("every", &mut sctp.sack_every, |node| value::whole(node, 1, 1_000))?;
    fields.set("delay", &mut sctp.sack_delay, sack_delay)?;
    fields.set("batch", &mut sctp.sack_batch, value::boolean)?;
    fields.maybe("when", |node| words::SACK_WHEN.meaning(node))?;
    fields.maybe("gaps", |node| words::SACK_GAPS.meaning(node))?;
    Ok(())
}

fn sack_delay(node: &Node) -> Read<Duration> {
    let delay = value::span(node)?;
    if delay > LONGEST_SACK_DELAY {
        let fault = Fault::value(node.span, format!("a SACK may not wait for {}", exact_span(delay)));
        return Err(fault.expected(format!("at most {} (RFC 9260 §6.2)", exact_span(LONGEST_SACK_DELAY))));
    }
    Ok(delay)
}

/// `cmt = { split_fast_retransmit, window_update, delayed_ack }`: those that are not named are on.
pub(crate) fn cmt(sctp_fields: &Fields<'_>, cmt: &mut Cmt) -> Read<()> {
    let Some(node) = sctp_fields.find("cmt") else { return Ok(()) };
    let fields = Fields::of(&shapes::CMT, node)?;
    fields.set("split_fast_retransmit", &mut cmt.split_fast_retransmit, value::boolean)?;
    fields.set("window_update", &mut cmt.window_update, value::boolean)?;
    fields.set("delayed_ack", &mut cmt.delayed_ack, value::boolean)
}

/// `4`, or `{ packets = 4, rule = "event" }`.
pub(crate) fn max_burst(node: &Node, profile: MaxBurst) -> Read<MaxBurst> {
    let packets = |node: &Node| value::whole(node, 1, u32::MAX);
    if !matches!(node.value, Value::Table(_)) {
        return Ok(MaxBurst { packets: packets(node)?, ..profile });
    }
    let fields = Fields::of(&shapes::MAX_BURST, node)?;
    let rule = fields.or("rule", profile.rule, |node| words::BURST_RULE.meaning(node))?;
    Ok(MaxBurst { packets: fields.or("packets", profile.packets, packets)?, rule })
}

/// `"off"`, or a table whose keys are each optional: the others are the profile's.
pub(crate) fn failover(node: &Node, profile: Failover) -> Read<Failover> {
    match &node.value {
        Value::Table(_) => {}
        Value::Text(word) if word == "off" => return Ok(Failover::Off),
        _ => return Err(value::wrong(node, "\"off\" or a table such as { path_max = 2 }")),
    }
    let Failover::On { mut potentially_failed, mut path_max, mut association_max, mut heartbeat, mut quick } =
        profile
    else {
        return Ok(profile);
    };
    let fields = Fields::of(&shapes::FAILOVER, node)?;
    fields.set("potentially_failed", &mut potentially_failed, |node| value::whole(node, 0, u32::MAX))?;
    fields.set("path_max", &mut path_max, |node| value::whole(node, 0, u32::MAX))?;
    fields.set("association_max", &mut association_max, |node| value::whole(node, 0, u32::MAX))?;
    fields.set("heartbeat", &mut heartbeat, value::some_span)?;
    fields.set("quick", &mut quick, value::boolean)?;
    Ok(Failover::On { potentially_failed, path_max, association_max, heartbeat, quick })
}

/// `receive_buffer`: one size for all paths, or `{ initial, limit, endpoint }` for one that grows.
pub(crate) fn buffer(sctp_fields: &Fields<'_>, sctp: &mut Sctp) -> Read<()> {
    let Some(node) = sctp_fields.find("receive_buffer") else { return Ok(()) };
    let Value::Table(table) = &node.value else {
        sctp.receive_growth = None;
        sctp.receive_buffer = buffer_size(node)?;
        return Ok(());
    };
    if table.find("in_order").or(table.find("out_of_order")).is_some() {
        let fault = Fault::not_built(node.span, "a receive buffer in two parts is not built yet");
        return Err(
            fault.expected("one size, such as \"1 MiB\", or { initial = \"1 MiB\", limit = \"16 MiB\" }")
        );
    }
    let fields = Fields::of(&shapes::BUFFER, node)?;
    fields.set("initial", &mut sctp.receive_buffer, buffer_size)?;
    let limit = buffer_size(fields.require("limit", "\"16 MiB\"")?)?;
    if limit < sctp.receive_buffer {
        let (limit, initial) = (exact_size(limit), exact_size(sctp.receive_buffer));
        let message =
            format!("the limit of {limit} is less than the buffer of {initial} that it begins with");
        return Err(Fault::value(fields.span_of("limit"), message).expected("initial ≤ limit"));
    }
    let endpoint = fields.or("endpoint", limit * 4, |node| value::size_within(node, 1, u64::MAX))?;
    sctp.receive_growth = Some(Growth { limit, endpoint });
    Ok(())
}

/// Less than a packet could never be filled, more could not be advertised.
fn buffer_size(node: &Node) -> Read<ByteCount> {
    value::size_within(node, 1_500, u64::from(u32::MAX))
}
