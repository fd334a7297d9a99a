//! `[flow.sctp]`: the settings of an association on top of their profile. It knows domains and which keys
//! contradict one another, and not what a setting does.

use anabranch_base::{ByteCount, Duration};

use super::fields::Fields;
use super::profile::{self, profile};
use super::sctp_tables::{buffer, cmt, failover, max_burst, rto, sack};
use super::{shapes, value};
use crate::fault::{Fault, Read};
use crate::model::{Charge, Encapsulation, Multipath, Sctp, WindowManagement};
use crate::quantity::exact_size;
use crate::tree::{Node, Span, Table, Value};
use crate::words;

/// Reads `[flow.sctp]`; without one, the defaults.
pub(crate) fn sctp(node: Option<&Node>) -> Read<Sctp> {
    let none = Table::default();
    let fields = match node {
        Some(node) => Fields::of(&shapes::SCTP, node)?,
        None => Fields::new(&shapes::SCTP, &none, Span::START)?,
    };
    refuse_planned(&fields)?;
    let name = fields.or("profile", profile::DEFAULT.to_owned(), |node| words::PROFILE.name(node))?;
    let mut sctp = profile(&name);
    policies(&fields, &mut sctp)?;
    counting(&fields, &mut sctp)?;
    windows(&fields, &mut sctp)?;
    rto(&fields, &mut sctp)?;
    sack(&fields, &mut sctp)?;
    fields.set("dac_wire", &mut sctp.dac_wire, |node| words::DAC_WIRE.meaning(node))?;
    fields.set("missing_reports", &mut sctp.missing_reports, |node| value::whole(node, 1, u8::MAX))?;
    fields.set("ordered", &mut sctp.ordered, value::boolean)?;
    let of_profile = sctp.failover;
    fields.set("failover", &mut sctp.failover, |node| failover(node, of_profile))?;
    fields.set("handshake", &mut sctp.handshake, |node| words::HANDSHAKE.meaning(node))?;
    packets(&fields, &mut sctp)?;
    Ok(sctp)
}

/// Keys from which nothing follows yet.
fn refuse_planned(fields: &Fields<'_>) -> Read<()> {
    for key in shapes::SCTP_PLANNED {
        if let Some(entry) = fields.entry(key) {
            return Err(Fault::not_built(entry.key_span, format!("`{key}` is not built yet")));
        }
    }
    fields.maybe("small_window_recovery", |node| match value::boolean(node)? {
        true => {
            Err(Fault::not_built(node.span, "small_window_recovery is not built yet; there is only false"))
        }
        false => Ok(()),
    })?;
    fields.maybe("ecn", |node| words::ECN.meaning(node)).map(|_| ())
}

fn policies(fields: &Fields<'_>, sctp: &mut Sctp) -> Read<()> {
    fields.set("multipath", &mut sctp.multipath, |node| words::MULTIPATH.meaning(node))?;
    cmt(fields, &mut sctp.cmt)?;
    if sctp.multipath != Multipath::Off {
        // The profiles' places are those of standard SCTP on several paths (M-SCTP-18); over all paths at once a chunk
        // is sent again where it was lost, unless somebody says otherwise.
        "same".clone_into(&mut sctp.retransmission);
        "same".clone_into(&mut sctp.fast_retransmission);
    }
    fields.set("congestion_control", &mut sctp.congestion_control, |node| {
        words::CONGESTION_CONTROL.name(node)
    })?;
    fields.set("scheduler", &mut sctp.scheduler, |node| words::SCHEDULER.name(node))?;
    if let Some(node) = fields.find("retransmission") {
        sctp.retransmission = words::RETRANSMISSION.name(node)?;
        // An experiment's policy is for both unless it says otherwise.
        sctp.fast_retransmission.clone_from(&sctp.retransmission);
    }
    fields
        .set("fast_retransmission", &mut sctp.fast_retransmission, |node| words::RETRANSMISSION.name(node))?;
    fields.set("window_management", &mut sctp.window_management, window_management)?;
    fields.set("loss_response", &mut sctp.loss_response, |node| words::LOSS_RESPONSE.name(node))
}

fn window_management(node: &Node) -> Read<WindowManagement> {
    match &node.value {
        Value::List(limits) => {
            let limit = |node| value::whole(node, 1, u32::MAX);
            Ok(WindowManagement::Limits(limits.iter().map(limit).collect::<Read<_>>()?))
        }
        _ => Ok(WindowManagement::Rule(words::WINDOW_MANAGEMENT.name(node)?)),
    }
}

fn counting(fields: &Fields<'_>, sctp: &mut Sctp) -> Read<()> {
    fields.set("charge", &mut sctp.charge, |node| words::CHARGE.meaning(node))?;
    if sctp.charge == Charge::Packet {
        // M-SCTP-18: "with `charge = packet` packets as well".
        sctp.rwnd_charge = Charge::Packet;
    }
    fields.set("rwnd_charge", &mut sctp.rwnd_charge, |node| words::CHARGE.meaning(node))?;
    fields.set("unit", &mut sctp.unit, |node| words::UNIT.meaning(node))?;
    fields.set("encapsulation", &mut sctp.encapsulation, |node| words::ENCAPSULATION.meaning(node))
}

fn windows(fields: &Fields<'_>, sctp: &mut Sctp) -> Read<()> {
    buffer(fields, sctp)?;
    fields.set("send_buffer", &mut sctp.send_buffer, |node| value::size_within(node, 1, u64::MAX))?;
    fields.set("buffer_split", &mut sctp.buffer_split, |node| words::BUFFER_SPLIT.meaning(node))?;
    fields.set("initial_window", &mut sctp.initial_window, |node| bytes_or(node, "rfc"))?;
    fields.set("initial_ssthresh", &mut sctp.initial_ssthresh, |node| bytes_or(node, "receive-buffer"))?;
    fields.set("window_floor", &mut sctp.window_floor, |node| value::whole(node, 1, 1_000_u64))?;
    fields.set("strict_window", &mut sctp.strict_window, value::boolean)?;
    let of_profile = sctp.max_burst;
    fields.set("max_burst", &mut sctp.max_burst, |node| max_burst(node, of_profile))
}

/// A size, or `None` for the word.
fn bytes_or(node: &Node, word: &str) -> Read<Option<ByteCount>> {
    match &node.value {
        Value::Text(text) if text == word => Ok(None),
        Value::Text(text) if !text.contains(|c: char| c.is_ascii_digit()) => {
            let fault = Fault::value(node.span, format!("{} is no size", crate::tree::quoted(text)));
            Err(fault.expected(format!("{word:?}, or a size such as \"64 KiB\"")))
        }
        _ => value::size_within(node, 1, u64::MAX).map(Some),
    }
}

/// The sizes of packets, and of chunks in them.
fn packets(fields: &Fields<'_>, sctp: &mut Sctp) -> Read<()> {
    fields.set("mtu", &mut sctp.mtu, |node| value::size_within(node, 576, 65_535))?;
    fields.set("mtu_discovery", &mut sctp.mtu_discovery, |node| words::MTU_DISCOVERY.meaning(node))?;
    let fits = largest_payload(sctp.mtu, sctp.encapsulation);
    let Some(node) = fields.find("payload") else { return Ok(()) };
    let payload = value::size_within(node, 1, 65_535)?;
    if payload > fits {
        let (payload, mtu) = (exact_size(payload), exact_size(sctp.mtu));
        let fault = Fault::value(node.span, format!("a payload of {payload} does not fit an MTU of {mtu}"));
        return Err(fault.expected(format!("at most {} in one DATA chunk", exact_size(fits))));
    }
    // What fits is the default: a scenario that says so is no other one.
    sctp.payload = (payload < fits).then_some(payload);
    Ok(())
}

/// The most user data in one DATA chunk over IPv4, a multiple of four: without the headers of IP (20 bytes), UDP
/// (8), the seal (32), SCTP (12) and the chunk (16).
pub(crate) fn largest_payload(mtu: ByteCount, encapsulation: Encapsulation) -> ByteCount {
    let around = match encapsulation {
        Encapsulation::None => 20 + 12,
        Encapsulation::Udp => 20 + 8 + 12,
        Encapsulation::Sealed => 20 + 8 + 32 + 12,
    };
    let chunk = mtu.saturating_sub(ByteCount::new(around)).get() & !3;
    ByteCount::new(chunk).saturating_sub(ByteCount::new(16))
}

/// RFC 9260 §6.2: "MUST NOT be more than 500 ms".
pub(crate) const LONGEST_SACK_DELAY: Duration = Duration::from_millis(500);
