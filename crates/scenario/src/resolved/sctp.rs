//! `[flow.sctp]` as values of the file. It knows every key of it that is built.

use super::{Table, Value};
use crate::model::{Cmt, Failover, Multipath, Sctp, WindowManagement};
use crate::quantity::{exact_size, exact_span};
use crate::read::largest_payload;
use crate::words;

/// Every setting of an association, in the order of the contract.
pub fn sctp(sctp: &Sctp) -> Table {
    let failover: Value = match sctp.failover {
        Failover::Off => "off".into(),
        Failover::On { potentially_failed, path_max, association_max, heartbeat, quick } => Table::default()
            .with("potentially_failed", potentially_failed)
            .with("path_max", path_max)
            .with("association_max", association_max)
            .with("heartbeat", exact_span(heartbeat))
            .with("quick", quick)
            .into(),
    };
    let max_burst = Table::default()
        .with("packets", sctp.max_burst.packets)
        .with("rule", words::BURST_RULE.word(sctp.max_burst.rule));
    let payload = sctp.payload.unwrap_or_else(|| largest_payload(sctp.mtu, sctp.encapsulation));
    policies(Table::default(), sctp)
        .with("missing_reports", u64::from(sctp.missing_reports))
        .with("sack", sack(sctp))
        .with("rto", rto(sctp))
        .with("initial_window", sctp.initial_window.map_or("rfc".to_owned(), exact_size))
        .with("initial_ssthresh", sctp.initial_ssthresh.map_or("receive-buffer".to_owned(), exact_size))
        .with("window_floor", sctp.window_floor)
        .with("mtu", exact_size(sctp.mtu))
        .with("mtu_discovery", words::MTU_DISCOVERY.word(sctp.mtu_discovery))
        .with("payload", exact_size(payload))
        .with("max_burst", max_burst)
        .with("strict_window", sctp.strict_window)
        .with("ordered", sctp.ordered)
        .with("dac_wire", words::DAC_WIRE.word(sctp.dac_wire))
        .with("failover", failover)
        .with("handshake", words::HANDSHAKE.word(sctp.handshake))
}

fn policies(table: Table, sctp: &Sctp) -> Table {
    table
        .with("profile", sctp.profile.as_str())
        .with("charge", words::CHARGE.word(sctp.charge))
        .with("unit", words::UNIT.word(sctp.unit))
        .with("rwnd_charge", words::CHARGE.word(sctp.rwnd_charge))
        .with("encapsulation", words::ENCAPSULATION.word(sctp.encapsulation))
        .with("multipath", words::MULTIPATH.word(sctp.multipath))
        .with_some("cmt", (sctp.multipath == Multipath::Cmt).then(|| cmt(sctp.cmt)))
        .with("congestion_control", sctp.congestion_control.as_str())
        .with("scheduler", sctp.scheduler.as_str())
        .with("retransmission", sctp.retransmission.as_str())
        .with("fast_retransmission", sctp.fast_retransmission.as_str())
        .with("receive_buffer", receive_buffer(sctp))
        .with("send_buffer", exact_size(sctp.send_buffer))
        .with("buffer_split", words::BUFFER_SPLIT.word(sctp.buffer_split))
        .with("window_management", window_management(&sctp.window_management))
        .with("loss_response", sctp.loss_response.as_str())
        .with("small_window_recovery", false)
        .with("ecn", "off")
}

fn receive_buffer(sctp: &Sctp) -> Value {
    let size = exact_size(sctp.receive_buffer);
    match sctp.receive_growth {
        None => size.into(),
        Some(growth) => Table::default()
            .with("initial", size)
            .with("limit", exact_size(growth.limit))
            .with("endpoint", exact_size(growth.endpoint))
            .into(),
    }
}

fn window_management(management: &WindowManagement) -> Value {
    match management {
        WindowManagement::Rule(name) => name.as_str().into(),
        WindowManagement::Limits(limits) => {
            limits.iter().map(|limit| u64::from(*limit).into()).collect::<Vec<Value>>().into()
        }
    }
}

fn cmt(rules: Cmt) -> Table {
    Table::default()
        .with("split_fast_retransmit", rules.split_fast_retransmit)
        .with("window_update", rules.window_update)
        .with("delayed_ack", rules.delayed_ack)
}

fn sack(sctp: &Sctp) -> Table {
    Table::default()
        .with("every", sctp.sack_every)
        .with("delay", exact_span(sctp.sack_delay))
        .with("batch", sctp.sack_batch)
        .with("when", "standard")
        .with("gaps", "all")
}

fn rto(sctp: &Sctp) -> Table {
    Table::default()
        .with("initial", exact_span(sctp.rto_initial))
        .with("min", exact_span(sctp.rto_min))
        .with("max", exact_span(sctp.rto_max))
        .with("variation", exact_span(sctp.rto_variation))
}
