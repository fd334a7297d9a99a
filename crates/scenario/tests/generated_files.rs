//! Generated scenarios: any key with any valid value reads back unchanged after it is written as resolved.

mod hostile;

use anabranch_scenario::{Scenario, Source};
use hostile::{check_scenario, registry, trace};
use proptest::prelude::*;
use proptest::sample::select;

/// A key with one of its values, or nothing.
fn maybe(key: &'static str, value: impl Strategy<Value = String> + 'static) -> BoxedStrategy<String> {
    prop_oneof![Just(String::new()), value.prop_map(move |value| format!("{key} = {value}\n"))].boxed()
}

/// Lines in any number, in the order given.
fn lines(all: Vec<BoxedStrategy<String>>) -> BoxedStrategy<String> {
    all.prop_map(|lines| lines.concat()).boxed()
}

fn word(words: &'static [&'static str]) -> BoxedStrategy<String> {
    select(words).prop_map(|word| format!("{word:?}")).boxed()
}

fn quantity(least: u32, units: &'static [&'static str]) -> BoxedStrategy<String> {
    let number = prop_oneof![
        (least..5_000).prop_map(|number| number.to_string()),
        (least..90, 0_u32..1_000).prop_map(|(whole, thousandths)| format!("{whole}.{thousandths:03}")),
    ];
    (number, select(units)).prop_map(|(number, unit)| format!("\"{number} {unit}\"")).boxed()
}

fn span(least: u32) -> BoxedStrategy<String> {
    quantity(least, &["ns", "us", "ms", "s", "min"])
}

fn size() -> BoxedStrategy<String> {
    quantity(1, &["B", "kB", "KiB", "MB", "MiB"])
}

fn boolean() -> BoxedStrategy<String> {
    any::<bool>().prop_map(|value| value.to_string()).boxed()
}

fn probability() -> BoxedStrategy<String> {
    prop_oneof![Just("0".to_owned()), Just("1".to_owned()), (0.0..1.0_f64).prop_map(|p| format!("{p:?}"))]
        .boxed()
}

/// `{ steps = … }` with values of this kind.
fn steps(value: BoxedStrategy<String>) -> BoxedStrategy<String> {
    let all = (value.clone(), prop::collection::vec((1_u32..10, value), 0..4));
    all.prop_map(|(first, rest)| {
        let mut at = 0;
        let rest = rest.into_iter().map(|(later, value)| {
            at += later;
            format!(", [\"{at} s\", {value}]")
        });
        format!("{{ steps = [[\"0 s\", {first}]{}] }}", rest.collect::<String>())
    })
    .boxed()
}

fn fixed_rate() -> BoxedStrategy<String> {
    quantity(1, &["bit/s", "kbit/s", "Mbit/s", "Gbit/s"])
}

fn rate() -> BoxedStrategy<String> {
    let trace = boolean().prop_map(|repeat| format!("{{ trace = \"four\", repeat = {repeat} }}"));
    prop_oneof![4 => fixed_rate(), 1 => steps(fixed_rate()), 1 => trace].boxed()
}

fn loss() -> BoxedStrategy<String> {
    let of_kind = |kind: &'static str, keys: Vec<(&'static str, BoxedStrategy<String>)>| {
        let (names, values): (Vec<_>, Vec<_>) = keys.into_iter().unzip();
        (values, span(0), word(&["entry", "exit"]), 0_u8..4).prop_map(move |(values, after, at, which)| {
            let keys = names.iter().zip(values).map(|(name, value)| format!(", {name} = {value}"));
            let after = if which & 1 > 0 { format!(", after = {after}") } else { String::new() };
            let at = if which & 2 > 0 { format!(", at = {at}") } else { String::new() };
            format!("{{ kind = {kind:?}{}{after}{at} }}", keys.collect::<String>())
        })
    };
    let times = Just("[[\"0 s\", \"1 ms\"], [\"1 ms\", \"2.5 s\"], [\"9 s\", \"10 s\"]]".to_owned()).boxed();
    let packets = prop::collection::vec(1_u64..100, 0..5).prop_map(|packets| format!("{packets:?}")).boxed();
    prop_oneof![
        3 => probability(),
        1 => of_kind("bernoulli", vec![("probability", probability())]),
        1 => of_kind("correlated", vec![("probability", probability())]),
        1 => two_states(),
        1 => of_kind("outages", vec![("times", times)]),
        1 => of_kind("burst", vec![("probability", probability()), ("duration", span(1))]),
        1 => of_kind("every", vec![("n", (1..u64::MAX).prop_map(|n| n.to_string()).boxed())]),
        1 => of_kind("list", vec![("packets", packets)]),
    ]
    .boxed()
}

fn two_states() -> BoxedStrategy<String> {
    let all = (span(1), span(1), probability(), probability());
    all.prop_map(|(good, bad, p, q)| {
        format!(
            "{{ kind = \"gilbert-elliott\", good = {good}, bad = {bad}, loss_good = {p}, loss_bad = {q} }}"
        )
    })
    .boxed()
}

fn mtu() -> BoxedStrategy<String> {
    prop_oneof![word(&["none"]), (68_u32..65_535).prop_map(|n| format!("\"{n} B\""))].boxed()
}

fn queue() -> BoxedStrategy<String> {
    let table = limit().prop_map(|limit| format!("{{ kind = \"drop-tail\", limit = {limit} }}"));
    prop_oneof![limit(), table, active_queue()].boxed()
}

fn limit() -> BoxedStrategy<String> {
    prop_oneof![(0_u64..9_000).prop_map(|n| format!("\"{n} packets\"")), size()].boxed()
}

/// Queues that drop or mark packets before they are full.
fn active_queue() -> BoxedStrategy<String> {
    let of_kind = |head: BoxedStrategy<String>, keys: Vec<(&'static str, BoxedStrategy<String>)>| {
        let keys: Vec<_> = keys.into_iter().map(|(key, value)| maybe(key, value)).collect();
        let beside = vec![maybe("limit", limit()), maybe("ecn", boolean())];
        (head, keys, beside).prop_map(|(head, keys, beside)| {
            let keys: String = keys.iter().chain(&beside).map(|line| line.replace('\n', ", ")).collect();
            format!("{{ {head}, {} }}", keys.trim_end_matches(", ")).replace(",  }", " }")
        })
    };
    let kind = |kind: &'static str| Just(format!("kind = {kind:?}")).boxed();
    let thresholds = (0_u32..100, 1_u32..100);
    let red =
        thresholds.prop_map(|(min, more)| format!("kind = \"red\", min = {min}, max = {}.5", min + more));
    let red_keys = vec![
        ("weight", probability()),
        ("max_probability", probability()),
        ("mean_packet", size()),
        ("rule", word(&["plain", "enhanced"])),
    ];
    let flows = (1_u32..65_536).prop_map(|flows| flows.to_string()).boxed();
    prop_oneof![
        of_kind(red.boxed(), red_keys),
        of_kind(kind("codel"), vec![("target", span(1)), ("interval", span(1))]),
        of_kind(kind("pie"), vec![("target", span(1)), ("update", span(1)), ("max_burst", span(0))]),
        of_kind(kind("fq-codel"), vec![("flows", flows), ("quantum", quantity(64, &["B", "KiB"]))]),
    ]
    .boxed()
}

/// Jitter and reordering, both or neither: the reverse direction inherits what it does not set, and normal jitter
/// without reordering needs a drop-tail queue.
fn jitter() -> BoxedStrategy<String> {
    let uniform =
        prop_oneof![span(0), span(0).prop_map(|most| format!("{{ kind = \"uniform\", most = {most} }}"))];
    let normal =
        |deviation| format!("jitter = {{ kind = \"normal\", deviation = {deviation} }}\nreorder = true\n");
    prop_oneof![
        Just(String::new()),
        (uniform, boolean())
            .prop_map(|(jitter, reorder)| format!("jitter = {jitter}\nreorder = {reorder}\n")),
        span(0).prop_map(normal),
    ]
    .boxed()
}

fn link(name: &'static str) -> BoxedStrategy<String> {
    let direction = || {
        vec![
            maybe("delay", prop_oneof![span(0), steps(span(0))]),
            jitter(),
            maybe("queue", queue()),
            maybe("mtu", mtu()),
            maybe("duplicate", probability()),
            maybe("corrupt", probability()),
        ]
    };
    let losses = prop_oneof![
        3 => (maybe("loss", loss()), maybe("loss", loss())),
        1 => two_states().prop_map(|loss| (format!("loss = {loss}\n"), "loss = \"same-channel\"\n".to_owned())),
    ];
    (
        rate(),
        lines(direction()),
        losses,
        lines(direction()),
        maybe("rate", rate()),
        maybe("private", boolean()),
    )
        .prop_map(move |(rate, there, (loss, loss_back), back, rate_back, private)| {
            let link = format!("[[link]]\nname = {name:?}\nrate = {rate}\n{there}{loss}{private}");
            format!("{link}[link.reverse]\n{rate_back}{back}{loss_back}\n")
        })
        .boxed()
}

fn event() -> BoxedStrategy<String> {
    let change = prop_oneof![
        word(&["up", "down"]).prop_map(|state| format!("state = {state}")),
        fixed_rate().prop_map(|rate| format!("rate = {rate}")),
        span(0).prop_map(|delay| format!("delay = {delay}")),
        loss().prop_map(|loss| format!("loss = {loss}")),
    ];
    let direction = maybe("direction", word(&["forward", "reverse", "both"]));
    (span(0), word(&["a", "b", "c"]), change, direction)
        .prop_map(|(at, link, change, direction)| {
            format!("[[event]]\nat = {at}\nlink = {link}\n{change}\n{direction}\n")
        })
        .boxed()
}

fn traffic() -> BoxedStrategy<String> {
    let messages = (fixed_rate(), 1_u32..65_000)
        .prop_map(|(rate, size)| format!("rate = {rate}, message = \"{size} B\""));
    prop_oneof![
        Just("\"bulk\"".to_owned()),
        messages.clone().prop_map(|m| format!("{{ kind = \"cbr\", {m} }}")),
        messages.clone().prop_map(|m| format!("{{ kind = \"poisson\", {m} }}")),
        (messages, span(1), span(0))
            .prop_map(|(m, on, off)| format!("{{ kind = \"on-off\", {m}, on = {on}, off = {off} }}")),
    ]
    .boxed()
}

fn sctp() -> BoxedStrategy<String> {
    let charge = || word(&["user", "chunk", "packet"]);
    let place = || {
        word(&["same", "alternate", "asap", "cwnd", "ssthresh", "lossrate", "lossrate=oracle", "compound"])
    };
    let whole = |most: u32| (1..=most).prop_map(|n| n.to_string()).boxed();
    let striped =
        "\"cmt\"\ncmt = { split_fast_retransmit = false, window_update = false, delayed_ack = false }";
    lines(vec![
        maybe("profile", word(&["rfc2960", "rfc4960", "rfc9260", "tuned-1"])),
        maybe("charge", charge()),
        maybe("unit", word(&["mtu", "pmdcs", "bytes"])),
        maybe("rwnd_charge", charge()),
        maybe("encapsulation", word(&["none", "udp", "sealed"])),
        maybe("multipath", select(vec![striped.to_owned(), "\"off\"".to_owned()])),
        maybe("scheduler", word(&["round-robin", "fill", "lowest-rtt"])),
        maybe("window_management", word(&["none", "dynamic", "dynamic-unbounded", "static", "live"])),
        maybe("retransmission", place()),
        maybe("fast_retransmission", place()),
        maybe("receive_buffer", quantity(2, &["kB", "KiB"])),
        maybe("send_buffer", size()),
        maybe("buffer_split", word(&["none", "sender", "receiver", "both"])),
        maybe("missing_reports", whole(255)),
        maybe(
            "sack",
            (whole(1_000), 0_u32..=500).prop_map(|(n, ms)| format!("{{ every = {n}, delay = \"{ms} ms\" }}")),
        ),
        maybe(
            "rto",
            (1_u32..60, 0_u32..60, 0_u32..60).prop_map(|(a, b, c)| {
                format!("{{ min = \"{a} s\", initial = \"{} s\", max = \"{} s\" }}", a + b, a + b + c)
            }),
        ),
        // Where the window is strict, it has to be as large as a packet.
        maybe("initial_window", word(&["rfc", "64 KiB", "1.5 MB"])),
        maybe("initial_ssthresh", prop_oneof![Just("\"receive-buffer\"".to_owned()), size()]),
        maybe("window_floor", whole(1_000)),
        maybe("mtu_discovery", word(&["on", "off"])),
        maybe("mtu", (1_500_u32..65_535).prop_map(|n| format!("\"{n} B\""))),
        maybe("payload", (4_u32..1_413).prop_map(|n| format!("\"{n} B\""))),
        maybe(
            "max_burst",
            prop_oneof![
                whole(u32::MAX),
                word(&["event", "after-retransmission", "rfc"])
                    .prop_map(|rule| format!("{{ rule = {rule} }}")),
            ],
        ),
        maybe("strict_window", boolean()),
        maybe("ordered", boolean()),
        maybe(
            "failover",
            prop_oneof![
                Just("\"off\"".to_owned()),
                (whole(9), span(1)).prop_map(|(n, span)| format!("{{ path_max = {n}, heartbeat = {span} }}")),
                (whole(9), boolean())
                    .prop_map(|(n, quick)| format!("{{ potentially_failed = {n}, quick = {quick} }}")),
            ],
        ),
        maybe("handshake", word(&["on", "off"])),
    ])
}

fn flow(name: &'static str) -> BoxedStrategy<String> {
    let keys = lines(vec![
        maybe(
            "paths",
            select(vec!["[\"a\"]".to_owned(), "[\"many\", \"a\"]".to_owned(), "[\"many-2\"]".to_owned()]),
        ),
        maybe("start", span(0)),
        maybe("transfer", size()),
        maybe("direction", word(&["forward", "reverse", "both"])),
        maybe("stagger", span(0)),
        maybe("traffic", traffic()),
    ]);
    (keys, sctp())
        .prop_map(move |(keys, sctp)| format!("[[flow]]\nname = {name:?}\n{keys}[flow.sctp]\n{sctp}\n"))
        .boxed()
}

/// Link `c` and, where it is private, link `b` are copied with the path `many`.
fn file() -> BoxedStrategy<String> {
    let paths = "[[path]]\nname = \"a\"\nlinks = [\"a\"]\n[[path]]\nname = \"many\"\nlinks = [\"b\", \"c\"]\ncopies = 3\n";
    let run = lines(vec![
        maybe("seed", any::<u64>().prop_map(|n| n.to_string())),
        maybe("runs", Just("7".to_owned())),
    ]);
    let events = prop::collection::vec(event(), 0..4).prop_map(|events| events.concat());
    let flows =
        prop_oneof![Just(String::new()), (flow("one"), flow("two")).prop_map(|(one, two)| one + &two)];
    (run, "\\PC{0,9}", link("a"), link("b"), link("c"), events, flows)
        .prop_map(move |(run, title, a, b, c, events, flows)| {
            // A private link has one path, and `a` has two.
            let a = a.replace("private = true", "private = false");
            let title: String = title.chars().filter(|c| !"\"\\".contains(*c)).collect();
            format!("title = \"{title}\"\n[run]\ntime = \"60 s\"\n{run}\n{a}{b}{c}{paths}{events}{flows}")
        })
        .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

    #[test]
    fn what_was_used_says_the_same_scenario_again(text in file()) {
        let source = Source::new("generated.toml", text.as_str());
        let scenario = Scenario::parse(&source, &trace, &[], &registry());
        check_scenario(&scenario.unwrap_or_else(|error| panic!("{error}\n\n{text}")));
    }
}
