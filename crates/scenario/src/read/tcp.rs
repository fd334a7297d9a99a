//! Reads `[flow.tcp]`, the settings of a TCP connection.

use anabranch_base::ByteCount;

use super::fields::Fields;
use super::reader::SettingReader;
use super::shapes;
use crate::fault::{Fault, Read};
use crate::model::{Tcp, TcpControl};
use crate::settings::{CUBIC, TCP};
use crate::tree::{Node, TreeValue};

/// Reads `[flow.tcp]`; without one, the defaults.
pub(crate) fn tcp(node: Option<&Node>) -> Read<Tcp> {
    let mut tcp = Tcp::default();
    let Some(node) = node else { return Ok(tcp) };
    let fields = Fields::of(&shapes::TCP, node)?;
    SettingReader::PLAIN.set_all(TCP.iter(), fields.table(), &mut tcp)?;
    let says_cubic = fields
        .find("variant")
        .is_some_and(|node| matches!(&node.value, TreeValue::Text(word) if word == CUBIC));
    if says_cubic && tcp.control != TcpControl::Cubic {
        let message = "variant \"cubic\" is recovery by SACK with the congestion control \"cubic\"";
        let fault = Fault::value(fields.span_of("congestion_control"), message);
        return Err(fault.help("leave `congestion_control` out, or choose variant = \"sack\""));
    }
    for (key, limit) in [
        ("window", tcp.window),
        ("receive_buffer", tcp.receive_buffer),
        ("initial_window", tcp.initial_window),
    ] {
        refuse_small_window(&fields, key, tcp.bytes(limit), tcp.mss)?;
    }
    Ok(tcp)
}

/// Refuses a window of less than a segment, which sends nothing.
fn refuse_small_window(fields: &Fields<'_>, key: &'static str, bytes: ByteCount, mss: ByteCount) -> Read<()> {
    if bytes >= mss {
        return Ok(());
    }
    let message = format!("`{key}` has no room for a segment of {} B", mss.get());
    Err(Fault::value(fields.span_of(key), message).expected("at least 1 packet"))
}
