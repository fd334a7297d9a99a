//! Settings of the command line: their effect, and the errors for invalid ones.

use anabranch_base::setting::Named as _;
use anabranch_base::{BitRate, ByteCount, Duration, Time};
use anabranch_link::ChunkKind;
use anabranch_link::config::{LossKind, LossPlace, QueueConfig, QueueLimit, Rate};
use anabranch_scenario::model::{Protocol, Sctp};
use anabranch_scenario::{
    Assignment, Location, NoFiles, ParsedDocument, Scenario, ScenarioError, Source, registry,
};
use anabranch_sctp::config::Failover;
use anabranch_sctp::wire;

const FILE: &str = r#"
[run]
time = "60 s"

[[link]]
name = "wifi"
rate = "21 Mbit/s"
loss = 0.001
queue = "100 packets"

[[link]]
name = "lte"
rate = "10 Mbit/s"
private = true

[[event]]
at = "10 s"
link = "wifi"
state = "down"
"#;

fn with(file: &str, settings: &[&str]) -> Result<Scenario, ScenarioError> {
    let settings: Result<Vec<_>, _> = settings.iter().map(|text| Assignment::parse(text)).collect();
    Scenario::parse(&Source::new("a.toml", file), &NoFiles, &settings?, &registry())
}

fn set(settings: &[&str]) -> Scenario {
    with(FILE, settings).expect("sound settings")
}

fn sctp(scenario: &Scenario) -> &Sctp {
    match &scenario.flows[0].protocol {
        Protocol::Sctp(sctp) => sctp,
        Protocol::Udp | Protocol::Tcp(_) => panic!("no SCTP"),
    }
}

#[test]
fn a_value_may_be_toml_or_a_bare_text() {
    for value in ["12 Mbit/s", "\"12 Mbit/s\"", "'12 Mbit/s'", " 12 Mbit/s "] {
        let rate = &set(&[&format!("link.wifi.rate={value}")]).links[0].forward.rate;
        assert_eq!(*rate, Rate::Fixed(BitRate::from_mbps(12)), "{value}");
    }
    let loss = &set(&["link.wifi.loss={ kind = \"every\", n = 7, at = \"exit\" }"]).links[0].forward.loss;
    assert_eq!((&loss.kind, loss.at), (&LossKind::Every(7), LossPlace::Exit));
    assert_eq!(set(&["link.wifi.loss=0"]).links[0].forward.loss.kind, LossKind::None);
    assert_eq!(set(&["flow.main.paths=[\"lte\"]"]).flows[0].paths, [1]);
    assert_eq!(set(&["title=a title"]).title, "a title");
}

#[test]
fn a_table_that_is_not_there_is_made() {
    let scenario = set(&[
        "flow.main.sctp.rto.min=200 ms",
        "flow.main.sctp.failover=off",
        "flow.main.sctp.max_burst.packets=8",
        "link.wifi.reverse.loss=0.5",
        "flow.main.transfer=8 MB",
    ]);
    assert_eq!(sctp(&scenario).config.rto.min, Duration::from_millis(200));
    assert_eq!(sctp(&scenario).config.failover, Failover::OFF);
    assert_eq!(sctp(&scenario).config.max_burst.packets, 8);
    assert_eq!(scenario.links[0].reverse.loss.kind, LossKind::Bernoulli { probability: 0.5 });
    assert_eq!(scenario.flows[0].transfer, Some(ByteCount::new(8_000_000)));
}

#[test]
fn settings_of_implied_paths_can_be_changed_too() {
    let scenario = set(&["path.lte.copies=3"]);
    let names: Vec<_> = scenario.paths.iter().map(|path| path.name.as_str()).collect();
    assert_eq!(names, ["wifi", "lte-1", "lte-2", "lte-3"]);
    assert_eq!(scenario.links.len(), 4, "the private link is copied with its path");
    assert_eq!(
        scenario.flows.iter().map(|flow| flow.paths.clone()).collect::<Vec<_>>(),
        [[0, 1], [0, 2], [0, 3]]
    );
}

#[test]
fn an_event_is_set_by_its_number() {
    assert_eq!(set(&["event.1.at=2 s"]).events[0].at, Time::ZERO + Duration::from_secs(2));
}

#[test]
fn a_flow_in_single_brackets_is_the_main_one() {
    let file = format!("{FILE}\n[flow.sctp]\nscheduler = \"fill\"\n");
    let scenario = with(&file, &["flow.main.sctp.window_floor=2"]).expect("one flow");
    assert_eq!((sctp(&scenario).config.scheduler.as_str(), sctp(&scenario).config.window_floor), ("fill", 2));
}

#[test]
fn later_settings_rule_over_earlier_ones() {
    let scenario = set(&["link.wifi.queue=5 packets", "link.wifi.queue=64 KiB"]);
    assert_eq!(
        scenario.links[0].forward.queue,
        QueueConfig::DropTail(QueueLimit::Bytes(ByteCount::from_kib(64)))
    );
}

#[test]
fn a_sweep_reads_one_document_many_times() {
    let document = ParsedDocument::parse(&Source::new("a.toml", FILE)).expect("sound TOML");
    let loss = |value: &str| {
        let assignment = Assignment::new("link.wifi.loss", value);
        let scenario = document.scenario(&NoFiles, &[assignment], &registry());
        scenario.expect("a sound value").links[0].forward.loss.kind.clone()
    };
    assert_eq!(loss("0.1"), LossKind::Bernoulli { probability: 0.1 });
    assert_eq!(loss("0.2"), LossKind::Bernoulli { probability: 0.2 });
    let plain = document.scenario(&NoFiles, &[], &registry()).expect("the file alone");
    assert_eq!(plain.links[0].forward.loss.kind, LossKind::Bernoulli { probability: 0.001 });
}

#[test]
fn a_wrong_setting_is_shown_and_explained() {
    let mut all = String::new();
    for wrong in [
        "link.wifi.los=0.01",
        "link.wfi.loss=0.01",
        "link.eth.loss=0.01",
        "link.lte-2.loss=0.01",
        "link.wifi=0.01",
        "link.wifi.loss=1.5",
        "link.wifi.loss={ kind = \"every\" n = 7 }",
        "link.wifi.loss.probability=0.1",
        "link.wifi.rate=10 mbs",
        "link.wifi.rate=10",
        "link..rate=10",
        "links.wifi.rate=10 Mbit/s",
        "flow.main.sctp.retransmission=both",
        "flow.main.sctp.congestion_control=cubix",
        "flow.other.start=1 s",
        "event.2.at=1 s",
        "run.tim=1 s",
        "run=1 s",
        "time=1 s",
        "congestion_control=lia",
        "flow.main.congestion_control=lia",
        "loss=0.1",
        "tcp.mss=1000 B",
        "sctp.shceduler=fill",
        "path.wifi.copies=0",
        "a.b.c.d.e.f.g.h.i=1",
        "no setting",
        "=1",
        "link.wifi.rate=",
    ] {
        let error = with(FILE, &[wrong]).expect_err(wrong);
        assert_eq!(*error.place(), Location::Setting(wrong.to_owned()));
        assert!(error.to_string().starts_with(&format!("--set {wrong}: ")), "{error}");
        all.push_str(&format!("{error}\n\n"));
    }
    insta::assert_snapshot!(all);
}

/// Like `send --set sctp.KEY=VALUE`, which has one association.
#[test]
fn a_key_of_a_protocol_is_set_in_all_flows_of_that_protocol() {
    let flow = |name: &str, more: &str| format!("[[flow]]\nname = \"{name}\"\n{more}\n");
    let tcp = flow("t", "protocol = \"tcp\"");
    let file =
        [FILE, &flow("a", "paths = [\"wifi\"]"), &flow("b", "[flow.sctp]\nscheduler = \"fill\""), &tcp]
            .concat();
    let settings = ["sctp.congestion_control=lia", "flow.b.sctp.congestion_control=olia", "tcp.mss=1000 B"];
    let scenario = with(&file, &settings).unwrap_or_else(|error| panic!("{error}"));
    let controls: Vec<Option<&str>> = scenario
        .flows
        .iter()
        .map(|flow| match &flow.protocol {
            Protocol::Sctp(sctp) => Some(sctp.config.congestion_control.as_str()),
            _ => None,
        })
        .collect();
    let named = |name: &str| scenario.flows.iter().position(|flow| flow.name == name).expect("a flow");
    assert_eq!((controls[named("a")], controls[named("b")]), (Some("lia"), Some("olia")), "the later wins");
    assert_eq!(controls[named("t")], None);
    let Protocol::Tcp(tcp) = &scenario.flows[named("t")].protocol else { panic!("TCP") };
    assert_eq!(tcp.mss.get(), 1_000);
    let implied = "[run]\ntime = \"1 s\"\n[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"\n";
    let scenario = with(implied, &["sctp.scheduler=fill"]).expect("the implied flow");
    assert_eq!(sctp(&scenario).config.scheduler, "fill");
}

/// Links know only the types of SCTP's chunks: they must be those of the codec.
#[test]
fn a_loss_knows_the_chunks_of_the_codec() {
    let of_codec = [
        ("DATA", wire::Data::KIND),
        ("INIT", wire::Init::KIND),
        ("INIT-ACK", wire::InitAck::KIND),
        ("SACK", wire::Sack::KIND),
        ("HEARTBEAT", wire::Heartbeat::KIND),
        ("HEARTBEAT-ACK", wire::HeartbeatAck::KIND),
        ("ABORT", wire::Abort::KIND),
        ("SHUTDOWN", wire::Shutdown::KIND),
        ("SHUTDOWN-ACK", wire::ShutdownAck::KIND),
        ("ERROR", wire::ErrorChunk::KIND),
        ("COOKIE-ECHO", wire::CookieEcho::KIND),
        ("COOKIE-ACK", wire::CookieAck::KIND),
        ("ECNE", wire::EcnEcho::KIND),
        ("CWR", wire::CongestionWindowReduced::KIND),
        ("SHUTDOWN-COMPLETE", wire::ShutdownComplete::KIND),
        ("AUTH", wire::Auth::KIND),
        ("NR-SACK", wire::NrSack::KIND),
        ("ASCONF-ACK", wire::AsconfAck::KIND),
        ("PAD", wire::Pad::KIND),
        ("FORWARD-TSN", wire::ForwardTsn::KIND),
        ("ASCONF", wire::Asconf::KIND),
    ];
    let of_links: Vec<_> = ChunkKind::NAMES.iter().map(|(name, kind)| (*name, kind.number())).collect();
    assert_eq!(of_links, of_codec);
}
