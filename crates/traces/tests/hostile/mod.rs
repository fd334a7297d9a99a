//! The body of the fuzz target `trace`: any bytes yield a scenario that can be read, or an error with a place. The
//! scenario agrees with the file's own summary, or a remark says that it does not.

use anabranch_base::Duration;
use anabranch_scenario::{NoFiles, Scenario, Source, registry};
use anabranch_traces::{Choices, RecordedLink, Recording, TraceKind, Written};
use serde_json::Value;

/// The first byte selects the kind and the options, the others are the file.
pub(crate) fn trace(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let kind = TraceKind::ALL.get(usize::from(first % 5)).copied();
    let choices = Choices {
        step: (first & 0x40 != 0).then_some(Duration::from_millis(500)),
        interval: None,
        delay_steps: first & 0x80 != 0,
    };
    let source = Source::new("any", String::from_utf8_lossy(bytes));
    let recording = match Recording::read(&source, kind, &choices) {
        Ok(recording) => recording,
        Err(error) => {
            assert!(error.line() >= Some(1) && error.column() >= Some(1), "{error}");
            assert!(error.line() <= Some(source.text.matches('\n').count() + 1), "{error}");
            return;
        }
    };
    let kind = recording.kind;
    let link = RecordedLink::join("any", vec![recording]).expect("one recording is of one link");
    match kind {
        TraceKind::Ping => agrees(&link, of_ping(&source.text), "probes"),
        TraceKind::Iperf3 => agrees(&link, of_iperf3(&source.text), "datagrams"),
        TraceKind::Mahimahi | TraceKind::Csv => {}
    }
    let Ok(written) = Written::of(&[link], &choices) else { return };
    let file = Source::new("made.toml", written.text.clone());
    let read = Scenario::parse(&file, &NoFiles, &[], &registry());
    let scenario = read.unwrap_or_else(|error| panic!("{error}\n{}", written.text));
    assert_eq!((scenario.title, scenario.links.len()), (written.title, 1));
}

/// The numbers of packets sent and lost, where the file has them.
type Summary = Option<(u64, u64)>;

/// Returns true if a link has the losses of the summary, or a remark on the difference.
fn agrees(link: &RecordedLink, summary: Summary, what: &str) {
    let Some((sent, lost)) = summary else { return };
    let facts = link.facts();
    let how = facts.iter().find(|fact| fact.what == "loss").map(|fact| fact.how.as_str()).unwrap_or_default();
    let counted = format!("{lost} of {sent} {what}");
    let is_counted = how.strip_prefix("none: ").unwrap_or(how).starts_with(&counted)
        || lost == 0 && how.starts_with(&format!("all {sent} {what}"));
    let is_remark = |remark: &String| {
        ["summary", "report's end", "which cannot be", "some more"].iter().any(|word| remark.contains(word))
    };
    assert!(
        is_counted || link.remarks().iter().any(is_remark),
        "{counted} by the summary: {how:?}, {:?}",
        link.remarks()
    );
}

/// The sum of all lines such as `10 packets transmitted, 9 received, 10% packet loss`; `None` where some are damaged.
fn of_ping(text: &str) -> Summary {
    let counted = |line: &str| {
        let (sent, rest) = line.trim().split_once(" packets transmitted, ")?;
        let (received, rest) = rest.split_once(' ')?;
        let is_counted = rest.starts_with("received,") || rest.starts_with("packets received,");
        let (sent, received) = (sent.parse::<u32>().ok()?, received.parse::<u32>().ok()?);
        is_counted.then_some((u64::from(sent), u64::from(sent.saturating_sub(received))))
    };
    // A line with a share is a summary in some language.
    let lines = text.lines().filter(|line| line.contains("packets transmitted") || line.contains('%'));
    lines
        .map(counted)
        .reduce(|sum, one| sum.zip(one).map(|(sum, one)| (sum.0 + one.0, sum.1 + one.1)))
        .flatten()
}

/// The end of a UDP report, counted by the receiver or by both ends.
fn of_iperf3(text: &str) -> Summary {
    let report: Value = serde_json::from_str(text).ok()?;
    if !report["start"]["test_start"]["protocol"].as_str()?.eq_ignore_ascii_case("udp") {
        return None;
    }
    let count = |name: &str| {
        let sum = &report["end"][name];
        let (lost, packets) = (sum["lost_packets"].as_i64()?, sum["packets"].as_i64()?);
        (packets != 0).then_some((packets, lost.max(0)))
    };
    let (packets, lost) = count("sum_received").or_else(|| count("sum"))?;
    // A negative count is written as it is; the remark has it.
    Some((u64::try_from(packets).unwrap_or(u64::MAX), lost.unsigned_abs()))
}
