//! `[flow.tcp]`: loss detection, congestion control and retransmission of a TCP flow.

use anabranch_base::field;
use anabranch_base::setting::{Kind, Named, Refusal, Scope, Setting, Value, Words, put, put_some, shown};

use crate::model::{Tcp, TcpControl, TcpGrowth, TcpRecovery, TcpScheduler, TcpTimeoutPlace};

pub(crate) const TCP_HEADER: &str = "[flow.tcp]";

pub(crate) static TCP: [Setting<Tcp>; 12] = [
    Setting {
        key: "variant",
        scope: Scope::Scenarios,
        kind: Kind::Word(Words { what: "variant of TCP", built: variants, planned: &[] }),
        doc: "loss recovery: `newreno` (RFC 6582), `sack` (RFC 6675); `cubic` is `sack` with the congestion \
            control `cubic`",
        get: |tcp| shown(&tcp.recovery),
        set: set_variant,
    },
    Setting {
        key: "congestion_control",
        scope: Scope::Scenarios,
        kind: TcpControl::KIND,
        doc: "growth and cuts of windows, on each path: `reno` (RFC 5681), `cubic` (RFC 9438); together, so that \
            paths in one bottleneck take about one share: `lia` (RFC 6356), `olia`, `balia`; over one path these \
            are `reno`",
        get: |tcp| shown(&tcp.control),
        set: |tcp, value| put(&mut tcp.control, value),
    },
    field!(
        receive_buffer,
        Scenarios,
        Kind::PacketsOrSize,
        "receive buffer of several paths, in full segments; a single path's is `window`"
    ),
    field!(scheduler, Scenarios, TcpScheduler::KIND, "path of new data"),
    field!(
        timeout_retransmission,
        Scenarios,
        TcpTimeoutPlace::KIND,
        "path of a segment after a time-out; `both`: its own and the one with the least loss of the others"
    ),
    field!(
        growth,
        Scenarios,
        TcpGrowth::KIND,
        "windows grow by acknowledged `bytes`, or for each acknowledgement"
    ),
    field!(
        ack_every,
        Scenarios,
        Kind::Whole { least: 1, most: 1_000 },
        "segments after which an acknowledgement is sent, at the latest 200 ms after the first"
    ),
    field!(window, Scenarios, Kind::PacketsOrSize, "maximum of unacknowledged data on a path"),
    field!(initial_window, Scenarios, Kind::PacketsOrSize, "initial congestion window of a path"),
    Setting {
        key: "initial_ssthresh",
        scope: Scope::Scenarios,
        kind: Kind::WordOr(&["window"], &Kind::SOME_SIZE),
        doc: "initial slow-start threshold of a path: its `window`, or a size",
        get: |tcp| Some(tcp.initial_ssthresh.map_or_else(|| Value::word("window"), Value::Size)),
        set: |tcp, value| match value {
            Value::Word(_) => {
                tcp.initial_ssthresh = None;
                Ok(())
            }
            size => put_some(&mut tcp.initial_ssthresh, size),
        },
    },
    field!(min_rto, Scenarios, Kind::ANY_SPAN, "minimum retransmission time-out"),
    field!(
        mss,
        Scenarios,
        Kind::Size { least: 1, most: 65_000 },
        "user data in a full segment; its packet has 52 bytes more, an acknowledgement 40"
    ),
];

/// The word that sets the congestion control and the recovery at once.
pub(crate) const CUBIC: &str = "cubic";

fn variants() -> Vec<&'static str> {
    TcpRecovery::words().into_iter().chain([CUBIC]).collect()
}

fn set_variant(tcp: &mut Tcp, value: Value) -> Result<(), Refusal> {
    if value == Value::word(CUBIC) {
        (tcp.recovery, tcp.control) = (TcpRecovery::Sack, TcpControl::Cubic);
        return Ok(());
    }
    put(&mut tcp.recovery, value)
}

impl Named for TcpRecovery {
    const WHAT: &'static str = "variant of TCP";
    const NAMES: &'static [(&'static str, TcpRecovery)] =
        &[("newreno", TcpRecovery::NewReno), ("sack", TcpRecovery::Sack)];
}

impl Named for TcpControl {
    const WHAT: &'static str = "congestion control of TCP";
    const NAMES: &'static [(&'static str, TcpControl)] = &[
        ("reno", TcpControl::Reno),
        ("lia", TcpControl::Lia),
        ("olia", TcpControl::Olia),
        ("balia", TcpControl::Balia),
        ("cubic", TcpControl::Cubic),
    ];
}

impl Named for TcpScheduler {
    const WHAT: &'static str = "scheduler of TCP";
    const NAMES: &'static [(&'static str, TcpScheduler)] = &[("round-robin", TcpScheduler::RoundRobin)];
}

impl Named for TcpTimeoutPlace {
    const WHAT: &'static str = "place of retransmissions after a time-out";
    const NAMES: &'static [(&'static str, TcpTimeoutPlace)] =
        &[("same", TcpTimeoutPlace::Same), ("both", TcpTimeoutPlace::Both)];
}

impl Named for TcpGrowth {
    const WHAT: &'static str = "growth of windows";
    const NAMES: &'static [(&'static str, TcpGrowth)] =
        &[("bytes", TcpGrowth::Bytes), ("per-ack", TcpGrowth::PerAck)];
}
