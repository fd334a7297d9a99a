//! The body of the fuzz target on random bytes, damaged scenarios and deep nests. Findings of the fuzzer are kept here
//! by name.

mod hostile;

use hostile::scenario;
use proptest::prelude::*;

const GOOD: &[&str] = &[
    include_str!("../../../scenarios/wifi-lte.toml"),
    include_str!("../../../scenarios/background.toml"),
    include_str!("../../../scenarios/dumbbell.toml"),
    include_str!("../../../scenarios/fading.toml"),
    include_str!("../../../scenarios/failover.toml"),
    include_str!("../../../scenarios/outages.toml"),
    include_str!("../../../scenarios/stairs.toml"),
    include_str!("../../../scenarios/trace.toml"),
    include_str!("../../../scenarios/both-ways.toml"),
];

/// A mutation of a text.
#[derive(Clone, Debug)]
enum Damage {
    Remove(usize, usize),
    Insert(usize, String),
    Copy(usize, usize, usize),
    Swap(usize, u8),
}

fn damage() -> impl Strategy<Value = Damage> {
    const PIECES: &[&str] = &[
        "[",
        "]",
        "{",
        "}",
        "=",
        "\"",
        "'",
        "\n",
        ".",
        ",",
        "0",
        "-1",
        "1e9",
        "nan",
        "\"0 s\"",
        "[[link]]",
        "[flow.sctp]",
        "name = \"a\"",
        "copies = 9",
        "private = true",
        "loss = 1",
        "→",
        "\t",
        "\u{202e}",
        "\0link.wifi.loss=0.5",
        "\0path.wifi.copies=4",
        "\0flow.main.sctp.mtu=600 B",
        "\0run.time=1 s",
    ];
    let at = any::<prop::sample::Index>().prop_map(|index| index.index(1 << 16));
    let span = (at.clone(), 0_usize..60);
    prop_oneof![
        span.clone().prop_map(|(at, length)| Damage::Remove(at, length)),
        (at.clone(), prop::sample::select(PIECES))
            .prop_map(|(at, piece)| Damage::Insert(at, piece.to_owned())),
        (at.clone(), "\\PC{0,8}").prop_map(|(at, piece)| Damage::Insert(at, piece)),
        (span, at.clone()).prop_map(|((from, length), to)| Damage::Copy(from, length, to)),
        (at, any::<u8>()).prop_map(|(at, byte)| Damage::Swap(at, byte)),
    ]
}

fn damaged(mut bytes: Vec<u8>, all: &[Damage]) -> Vec<u8> {
    for one in all {
        let length = bytes.len().max(1);
        match one {
            Damage::Remove(at, most) => {
                let at = (at % length).min(bytes.len());
                bytes.drain(at..(at + most).min(bytes.len()));
            }
            Damage::Insert(at, piece) => {
                let at = (at % length).min(bytes.len());
                bytes.splice(at..at, piece.bytes());
            }
            Damage::Copy(from, most, to) => {
                let (from, to) = ((from % length).min(bytes.len()), (to % length).min(bytes.len()));
                let piece = bytes[from..(from + most).min(bytes.len())].to_vec();
                bytes.splice(to..to, piece);
            }
            Damage::Swap(at, byte) => {
                if let Some(old) = bytes.get_mut(at % length) {
                    *old = *byte;
                }
            }
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn bytes_of_any_kind_are_refused_with_a_place(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        scenario(&bytes);
    }

    #[test]
    fn text_of_any_kind_is_refused_with_a_place(text in "[\\[\\]{}=\"'a-c0-9. \n#,]{0,80}") {
        scenario(text.as_bytes());
    }

    #[test]
    fn damaged_scenarios_are_read_or_refused(
        good in prop::sample::select(GOOD),
        damages in prop::collection::vec(damage(), 0..5),
    ) {
        scenario(&damaged(good.as_bytes().to_vec(), &damages));
    }
}

#[test]
fn a_megabyte_of_anything_is_refused_without_running_out_of_stack() {
    for piece in [
        "[", "]", "{", "}", "a={", "a=[", "[a.", "a.", "a.a=", "\"", "'''", "[[a]]\n", "{}", "a=1\n", "\0",
        "#",
    ] {
        scenario(piece.repeat((1 << 20) / piece.len()).as_bytes());
    }
    for open in ["[", "{a=", "{a.a.a=", "[{a="] {
        scenario(format!("a = {}", open.repeat((1 << 20) / open.len())).as_bytes());
    }
}

/// Seventy-nine dots a key in eighty brackets: 13 kB that made six thousand tables within one another.
#[test]
fn keys_with_many_dots_in_many_brackets_are_refused() {
    let key = format!("{}a", "a.".repeat(78));
    let nest = format!("[{key}]\n{key} = {}1{}", format!("{{{key} = ").repeat(79), "}".repeat(79));
    scenario(nest.as_bytes());
    scenario(format!("\0link.{key}={}", &nest[nest.find('{').unwrap_or(0)..]).as_bytes());
}

#[test]
fn many_names_are_refused_or_read_in_time() {
    let link = |n: usize| format!("[[link]]\nname = \"l{n}\"\nrate = \"1 Mbit/s\"\n");
    let flow = |n: usize| format!("[[flow]]\nname = \"f{n}\"\ntransfer = \"1 MB\"\n");
    let links: String = (0..9_000).map(link).collect();
    scenario(links.as_bytes());
    let flows: String = (0..9_000).map(flow).collect();
    scenario(format!("{links}{flows}").as_bytes());
    scenario(
        format!(
            "{}[[flow]]\ntransfer = \"1 MB\"\n[[path]]\nname=\"p\"\nlinks=[\"l0\"]\ncopies=10000\n",
            link(0)
        )
        .as_bytes(),
    );
}
