//! The body of the fuzz target on files of our own: random bytes, and real files that were damaged.

mod hostile;

use hostile::trace;
use proptest::prelude::*;

const GOOD: [&str; 13] = [
    include_str!("samples/cell.down"),
    include_str!("samples/cell.up"),
    include_str!("samples/walk.csv"),
    include_str!("samples/semicolons.csv"),
    include_str!("samples/ping-linux.txt"),
    include_str!("samples/ping-macos.txt"),
    include_str!("samples/ping-quiet.txt"),
    include_str!("samples/iperf3-tcp.json"),
    include_str!("samples/iperf3-udp.json"),
    include_str!("samples/iperf3-udp-reverse.json"),
    include_str!("samples/iperf3-bidir.json"),
    include_str!("samples/iperf3-failed.json"),
    include_str!("samples/README.md"),
];

/// Pieces that lead somewhere.
const PIECES: [&str; 16] = [
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
}
