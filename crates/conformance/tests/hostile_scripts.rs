//! The body of the fuzz target on random bytes, and on damaged scripts of our own.

mod hostile;

use std::fs;
use std::path::Path;

use anabranch_conformance::{Symbols, Verdict, find, run};
use hostile::script;
use proptest::prelude::*;

fn good() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    let files = find(&folder).expect("the scripts of this crate");
    files.iter().map(|file| fs::read_to_string(file).expect("a script")).collect()
}

/// A damage to a script.
#[derive(Clone, Debug)]
enum Damage {
    RemoveLine(prop::sample::Index),
    CopyLine(prop::sample::Index, prop::sample::Index),
    /// Another number, of the script's numbers.
    Number(prop::sample::Index, &'static str),
    Insert(prop::sample::Index, &'static str),
    Swap(prop::sample::Index, u8),
}

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "15",
    "255",
    "256",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "99999999999999999999",
    "0.0",
    "86400.0",
    "31536000.0",
    "18446744073.0",
    "1e9",
    "0xffffffff",
];

const PIECES: &[&str] = &[
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "...",
    ",",
    "=",
    "\"",
    "`",
    "/*",
    "*/",
    "|",
    "|",
    "~",
    "+",
    "*",
    "\n",
    "[1] ",
    "#ifdef FreeBSD\n",
    "#else\n",
    "#endif\n",
    "nothing",
    "val=...",
    "len=0",
    "gaps=[0:0]",
    "\n+0.0 `sysctl -w net.inet.sctp.rto_min=0`\n",
    "\n+0.0 `sysctl anabranch.mtu=0`\n",
    "\n+0.0 `sysctl net.inet.sctp.initial_cwnd=18446744073709551615`\n",
    "\n+0.0 `sysctl net.inet.sctp.heartbeat_interval=0`\n",
    "\n--paths=8\n",
    "\n--tolerance_usecs=18446744073709551615\n",
    "\n+0.0 [0] down\n",
    "\n+0.0 close(3) = 0\n",
    "\n+0.0 write(3, ..., 9223372036854775807) = -1 EMSGSIZE\n",
    "\u{202e}",
    "\0",
];

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        at().prop_map(Damage::RemoveLine),
        (at(), at()).prop_map(|(from, to)| Damage::CopyLine(from, to)),
        (at(), prop::sample::select(NUMBERS)).prop_map(|(at, number)| Damage::Number(at, number)),
        (at(), prop::sample::select(PIECES)).prop_map(|(at, piece)| Damage::Insert(at, piece)),
        (at(), any::<u8>()).prop_map(|(at, byte)| Damage::Swap(at, byte)),
    ]
}

fn damaged(text: &str, damages: &[Damage]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for damage in damages.iter().filter(|damage| !damage.is_of_lines()) {
        damage.apply(&mut bytes);
    }
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    for damage in damages {
        match damage {
            Damage::RemoveLine(at) => drop(lines.remove(at.index(lines.len()))),
            Damage::CopyLine(from, to) => {
                lines.insert(to.index(lines.len()), lines[from.index(lines.len())]);
            }
            _ => {}
        }
        if lines.is_empty() {
            return Vec::new();
        }
    }
    lines.join(&b'\n')
}

impl Damage {
    fn is_of_lines(&self) -> bool {
        matches!(self, Damage::RemoveLine(_) | Damage::CopyLine(..))
    }

    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Damage::Number(at, number) => {
                let starts: Vec<usize> = (1..bytes.len())
                    .filter(|at| bytes[*at].is_ascii_digit() && !bytes[*at - 1].is_ascii_digit())
                    .collect();
                if starts.is_empty() {
                    return;
                }
                let start = starts[at.index(starts.len())];
                let digits = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                bytes.splice(start..start + digits, number.bytes());
            }
            Damage::Insert(at, piece) => {
                let at = at.index(bytes.len() + 1);
                bytes.splice(at..at, piece.bytes());
            }
            Damage::Swap(at, byte) if !bytes.is_empty() => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

    #[test]
    fn bytes_of_any_kind_are_refused_with_a_line(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        script(&bytes);
    }

    #[test]
    fn damaged_scripts_end_with_a_verdict(
        text in prop::sample::select(good()),
        damages in prop::collection::vec(damage(), 1..5),
    ) {
        script(&damaged(&text, &damages));
    }
}

#[test]
fn a_megabyte_of_anything_is_refused_without_running_out_of_stack() {
    for piece in [
        "[",
        "{",
        "(",
        "+0.0 ",
        "a[",
        "a(",
        "\"",
        "`",
        "/*",
        "#ifdef a\n",
        "#if ",
        "(",
        "!",
        "a|",
        "+0.0 < sctp: A[",
    ] {
        script(piece.repeat((1 << 20) / piece.len()).as_bytes());
        script(format!("+0.0 < sctp: {}", piece.repeat((1 << 20) / piece.len())).as_bytes());
        script(format!("+0.0 f({}", piece.repeat((1 << 20) / piece.len())).as_bytes());
    }
}

const HANDSHAKE: &str = "
 0.0 socket(..., SOCK_STREAM, IPPROTO_SCTP) = 3
+0.0 fcntl(3, F_SETFL, O_RDWR|O_NONBLOCK) = 0
+0.0 connect(3, ..., ...) = -1 EINPROGRESS
+0.0 > sctp: INIT[flgs=0, tag=1, a_rwnd=..., os=..., is=..., tsn=1, ...]
+0.0 < sctp: INIT_ACK[flgs=0, tag=2, a_rwnd=1500, os=1, is=1, tsn=1, STATE_COOKIE[len=4, val=...]]
+0.0 > sctp: COOKIE_ECHO[flgs=0, len=4, val=...]
+0.0 < sctp: COOKIE_ACK[flgs=0]
";

/// The verdict on an association with `after`.
fn after_handshake(before: &str, after: &str) -> Verdict {
    run(&format!("{before}{HANDSHAKE}{after}\n"), &Symbols::new(["FreeBSD"]))
}

#[test]
fn a_peer_that_answers_nothing_for_years_needs_few_timers() {
    assert_eq!(after_handshake("", "+31536000.0 close(3) = 0"), Verdict::Passed);
}

#[test]
fn timers_without_end_are_refused_at_the_event_before_which_they_run() {
    let fast = "+0.0 `sysctl net.inet.sctp.rto_min=1 net.inet.sctp.heartbeat_interval=1`";
    let patient = "+0.0 setsockopt(3, IPPROTO_SCTP, SCTP_ASSOCINFO, {sasoc_asocmaxrxt=4294967295}, 16) = 0";
    let Verdict::NotApplicable(lacking) =
        after_handshake(fast, &format!("{patient}\n+31536000.0 close(3) = 0"))
    else {
        panic!("a year of timers was played")
    };
    assert!(lacking.what.starts_with("patience"), "{}", lacking.what);
    assert_eq!(lacking.line, 10);
}

#[test]
fn a_message_that_no_buffer_holds_is_refused_by_its_size() {
    let write = "+0.0 write(3, ..., 9223372036854775807) = -1 EMSGSIZE";
    assert_eq!(after_handshake("", write), Verdict::Passed);
    let endless = "{iov_base=..., iov_len=9223372036854775807}";
    let send =
        format!("+0.0 sctp_sendv(3, [{endless}, {endless}], 2, NULL, 0, ..., ..., 0, 0) = -1 EMSGSIZE");
    assert_eq!(after_handshake("", &send), Verdict::Passed);
}
