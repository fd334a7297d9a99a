//! The body of the fuzz target on random bytes and on damaged real files.

mod hostile;
mod reports;

use hostile::trace;
use proptest::prelude::*;
use reports::Report;

const GOOD: [&str; 16] = [
    include_str!("samples/cell.down"),
    include_str!("samples/cell.up"),
    include_str!("samples/walk.csv"),
    include_str!("samples/semicolons.csv"),
    include_str!("samples/ping-linux.txt"),
    include_str!("samples/ping-macos.txt"),
    include_str!("samples/ping-quiet.txt"),
    include_str!("samples/ping-french.txt"),
    include_str!("samples/ping-windows.txt"),
    include_str!("samples/fping.txt"),
    include_str!("samples/iperf3-tcp.json"),
    include_str!("samples/iperf3-udp.json"),
    include_str!("samples/iperf3-udp-reverse.json"),
    include_str!("samples/iperf3-bidir.json"),
    include_str!("samples/iperf3-failed.json"),
    include_str!("samples/README.md"),
];

/// Pieces of valid recordings.
const PIECES: [&str; 21] = [
    " = ",
    "%, ",
    "64 bytes from a: icmp_seq=1 ttl=9",
    "5 packets transmitted, 3 received, 40% packet loss\n",
    "a : [0], 64 bytes, 12.1 ms (12.1 avg, 0% loss)\n",
    ",",
    "\n",
    "\"",
    "-1",
    "1e300",
    "99999999999999999999",
    "nan",
    "#",
    " ms",
    "time=",
    "icmp_seq=65535",
    "icmp_seq=0",
    "null",
    "}",
    "\u{feff}",
    "\u{1b}[2J",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_have_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        trace(&bytes);
    }

    #[test]
    fn any_lines_of_words_have_an_answer(
        first in any::<u8>(),
        words in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60),
    ) {
        trace(&[&[first], words.concat().as_bytes()].concat());
    }

    #[test]
    fn damaged_files_have_an_answer(
        file in prop::sample::select(&GOOD[..]),
        first in any::<u8>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..20, prop::sample::select(&PIECES[..])), 0..4),
    ) {
        let mut bytes = file.as_bytes().to_vec();
        for (at, length, piece) in damage {
            let at = at.index(bytes.len().max(1)).min(bytes.len());
            let end = (at + length).min(bytes.len());
            bytes.splice(at..end, piece.bytes());
        }
        trace(&[&[first], bytes.as_slice()].concat());
    }

    #[test]
    fn runs_of_ping_agree_with_their_summaries(
        runs in prop::collection::vec((prop::collection::btree_set(1_u32..12, 0..12), 0_u32..14, 0_u32..14, any::<bool>()), 1..4),
    ) {
        let run = |(answered, sent, received, is_headed): &(std::collections::BTreeSet<u32>, u32, u32, bool)| {
            let head = if *is_headed { "PING a (192.0.2.1) 56(84) bytes of data.\n" } else { "" };
            let line = |number: &u32| format!("64 bytes from 192.0.2.1: icmp_seq={number} ttl=57 time=12.3 ms\n");
            let lines: String = answered.iter().map(line).collect();
            let lost = 100 * sent.saturating_sub(*received) / sent.max(&1);
            format!("{head}{lines}{sent} packets transmitted, {received} received, {lost}% packet loss, time 9ms\n")
        };
        trace(format!("\u{4}{}", runs.iter().map(run).collect::<String>()).as_bytes());
    }

    #[test]
    fn reports_of_udp_agree_with_their_ends(
        lost in prop::collection::vec(-60_i64..60, 0..6),
        sent in 1_usize..6,
        end in (-10_i64..400, -10_i64..7_000),
        is_reverse in any::<bool>(),
        rates in prop::option::of((0.0..40e6, 0.0..40e6)),
        back in prop::collection::vec(-60_i64..60, 0..3),
    ) {
        let report = if is_reverse { Report::udp(&lost).reverse() } else { Report::udp(&[]).sent(sent) };
        let report = report.back(&back).end("sum", end.0, end.1);
        let report = rates.into_iter().fold(report, |report, (sent, received)| report.rates(sent, received));
        trace(format!("\u{4}{}", report.text()).as_bytes());
    }
}
