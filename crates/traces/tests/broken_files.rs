//! The errors for invalid recordings, with their places and what was expected.

use anabranch_scenario::{Source, Style};
use anabranch_traces::{Choices, Recording, TraceKind};

fn error(kind: TraceKind, text: &str) -> String {
    let read = Recording::read(&Source::new("f", text), Some(kind), &Choices::default());
    read.expect_err(text).show(Style::Plain)
}

/// The message with its place.
fn first_line(kind: TraceKind, text: &str) -> String {
    error(kind, text).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn faults_of_tables_have_the_line_and_the_column_of_the_cell() {
    for (text, expected) in [
        ("", "f:1:1: the table is empty"),
        ("time_s,rate_mbps\n", "f:2:1: the table has no row"),
        ("1,2\n2,3\n", "f:1:1: the first line does not name the columns"),
        ("time_s,colour\n1,red\n", "f:1:1: there is no column of rates, delays or losses"),
        ("rate_mbps\n1\n", "f:1:1: there is no column of times"),
        ("time_s,rate_mb/s\n", "f:1:8: the column \"rate_mb/s\": the unit \"mb/s\" could mean bits or bytes"),
        ("time_s,delay_ms,rtt_ms\n", "f:1:17: the columns \"delay_ms\" and \"rtt_ms\" say the same"),
        ("time_s,rate_mbps\n0, 5\n1, x\n", "f:3:4: \"x\" is not a number"),
        ("time_s,rate_mbps\n0,5\n\n# later\n1,-5\n", "f:5:3: \"-5\" is outside its domain"),
        ("time_s,rate_mbps\n0,5\n0,5\n", "f:3:1: this time is not after that of the row before"),
        ("time_s,rate_mbps\n,5\n", "f:2:1: this row has no time"),
        ("time_s,loss\n0,2\n", "f:2:3: \"2\" is outside its domain"),
        ("time_s,rate\n0,2\n", "f:2:3: 2 has no unit"),
        ("time_s,loss\n0,0,7\n", "f:2:5: this row has 3 cells, and the first line names 2"),
    ] {
        assert_eq!(first_line(TraceKind::Csv, text), expected, "{text:?}");
    }
}

#[test]
fn faults_of_other_kinds_have_their_places_too() {
    for (kind, text, expected) in [
        (TraceKind::Mahimahi, "1\n2\nx\n", "f:3:1: \"x\" is not a time in milliseconds"),
        (TraceKind::Mahimahi, "5\n3\n", "f:2:1: 3 ms is less than the line before"),
        (TraceKind::Mahimahi, "0\n0\n", "f:1:1: the trace lasts 0 ms"),
        (TraceKind::Ping, "hello\n", "f:2:1: ping printed no round trip"),
        (TraceKind::Ping, "Request timeout for icmp_seq 0\n", "f:2:1: ping printed no round trip"),
        (
            TraceKind::Ping,
            "PING a\n64 bytes from a: icmp_seq=1 ttl=9 time=1.2.3 ms\n",
            "f:2:1: \"1.2.3\" is not a round trip in milliseconds",
        ),
        (
            TraceKind::Ping,
            "3 packets transmitted, 0 received, 100% packet loss",
            "f:1:52: no probe was answered",
        ),
        (TraceKind::Iperf3, "{", "f:1:1: EOF while parsing an object"),
        (TraceKind::Iperf3, "{}", "f:1:1: this JSON has no `start` and `intervals`"),
        (
            TraceKind::Iperf3,
            "{\"event\":\"start\"}\n{}",
            "f:1:1: this is the output of `iperf3 --json-stream`",
        ),
        (
            TraceKind::Iperf3,
            "{\"start\": {},\n \"intervals\": []}",
            "f:2:2: there is no interval to read a rate from",
        ),
        (
            TraceKind::Iperf3,
            "{\"start\": {}, \"intervals\": [\n {\"sum\": {\"start\": \"x\"}}]}",
            "f:2:22: invalid type: string \"x\", expected f64",
        ),
        (TraceKind::Iperf3, "{\"start\": {},\n\"intervals\": [\n {}]}", "f:3:2: this interval has no `sum`"),
        (
            TraceKind::Iperf3,
            "{\"start\":{},\"intervals\":[{\"sum\":{\"start\":0,\"end\":1,\"bits_per_second\":-1}}]}",
            "f:1:26: this interval has a number that is negative or too large",
        ),
        (
            TraceKind::Iperf3,
            include_str!("samples/iperf3-failed.json"),
            "f:9:2: iperf3 reports a failure: \"error - unable to connect to server: Con\"…",
        ),
    ] {
        assert_eq!(first_line(kind, text), expected, "{text:?}");
    }
}

#[test]
fn an_error_shows_the_line_and_what_would_be_right() {
    let shown = error(TraceKind::Csv, "time_s,rate_mbps\n0, x\n");
    assert_eq!(
        shown,
        "f:2:4: \"x\" is not a number\n  |\n2 | 0, x\n  |    ^\n  |\n  = expected a number with a point, such as 12.5"
    );
    let unknown =
        Recording::read(&Source::new("f", "hello\n"), None, &Choices::default()).expect_err("no kind");
    assert!(unknown.to_string().contains("this is not a known kind of recording"), "{unknown}");
    assert!(unknown.expected().is_some_and(|expected| expected.contains("--kind")), "{unknown}");
}
