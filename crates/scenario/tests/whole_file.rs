//! Whole scenario files and the values read from them.

use anabranch_base::{BitRate, ByteCount, Distance, Duration, Time};
use anabranch_link::ChunkKind;
use anabranch_link::config::{
    Change, ChannelSharing, Delay, Jitter, LossConfig, LossKind, LossPlace, QueueConfig, QueueLimit, Rate,
};
use anabranch_policies::ipcc::IpccRules;
use anabranch_scenario::model::{Air, Direction, Messages, Multipath, Protocol, Sctp, Traffic};
use anabranch_scenario::{ErrorKind, NoFiles, Scenario, Source, registry};
use anabranch_sctp::config::{Charge, Config, Encapsulation, OutOfOrder, PROFILES};
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;
use anabranch_wireless::config::{Movement, RadioConfig, Routing};

fn parse(text: &str) -> Scenario {
    Scenario::parse(&Source::new("a.toml", text), &NoFiles, &[], &registry()).expect("a sound scenario")
}

fn wrong(text: &str) -> ErrorKind {
    Scenario::parse(&Source::new("a.toml", text), &NoFiles, &[], &registry())
        .expect_err("a wrong scenario")
        .kind()
}

/// A scenario with one link that has these keys, and then more tables.
fn with_link(keys: &str) -> Scenario {
    parse(&format!("run.time = \"60 s\"\n[[link]]\nname = \"a\"\nrate = \"10 Mbit/s\"\n{keys}\n"))
}

fn with_sctp(keys: &str) -> Sctp {
    match with_link(&format!("[flow.sctp]\n{keys}")).flows.remove(0).protocol {
        Protocol::Sctp(sctp) => *sctp,
        Protocol::Udp | Protocol::Tcp(_) => panic!("no SCTP"),
    }
}

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

#[test]
fn a_link_alone_is_a_path_and_a_flow() {
    let scenario = with_link("");
    assert_eq!((scenario.paths[0].name.as_str(), &scenario.paths[0].links[..]), ("a", &[0][..]));
    let flow = &scenario.flows[0];
    assert_eq!((flow.name.as_str(), &flow.paths[..], flow.direction), ("main", &[0][..], Direction::Forward));
    assert_eq!((flow.start, flow.transfer, &flow.traffic), (Time::ZERO, None, &Traffic::Bulk));
    assert_eq!((scenario.run.warmup, scenario.run.seed, scenario.run.runs), (Duration::ZERO, 1, 1));
    let link = &scenario.links[0].forward;
    assert_eq!(link.queue, QueueConfig::DropTail(QueueLimit::Packets(50)));
    assert_eq!((&link.delay, link.jitter), (&Delay::Fixed(Duration::ZERO), Jitter::NONE));
    assert_eq!(link.loss, LossConfig::NONE);
}

/// Three stations; `keys` are those of the flow.
fn with_nodes(tables: &str, keys: &str) -> Scenario {
    parse(&format!(
        "run.time = \"60 s\"\n{tables}\n[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\nx = \"250 m\"\n\
         [[node]]\nname = \"c\"\nx = \"0.5 km\"\nmovement = {{ kind = \"random-waypoint\", x = \"1 km\", y = \"1 \
         km\" }}\n[[flow]]\nfrom = \"a\"\nto = \"c\"\n{keys}\n"
    ))
}

#[test]
fn nodes_have_a_radio_and_a_flow_between_two_of_them_a_path() {
    let scenario = with_nodes("", "");
    assert_eq!(scenario.radios.len(), 1);
    assert_eq!(scenario.radios[0].config, RadioConfig::default());
    assert_eq!(scenario.nodes[2].config.position.x, Distance::from_metres(500));
    assert!(matches!(scenario.nodes[2].config.movement, Movement::RandomWaypoint { .. }));
    let [path] = &scenario.paths[..] else { panic!("{:?}", scenario.paths) };
    assert_eq!((path.name.as_str(), path.links.len()), ("a-c", 0));
    assert_eq!(path.air, Some(Air { radio: 0, from: 0, to: 2, routing: Routing::Dsr }));
    assert_eq!(scenario.flows[0].paths, [0]);
}

#[test]
fn a_flow_has_a_path_on_each_channel_or_on_those_it_names() {
    let channels = "[[radio]]\nname = \"one\"\nrts_threshold = \"never\"\n[[radio]]\nname = \"two\"";
    let scenario = with_nodes(channels, "routing = \"static\"");
    let names: Vec<&str> = scenario.paths.iter().map(|path| path.name.as_str()).collect();
    assert_eq!(names, ["a-c-one", "a-c-two"]);
    assert_eq!(scenario.radios[0].config.rts_threshold, None);
    assert_eq!(scenario.paths[1].air.map(|air| (air.radio, air.routing)), Some((1, Routing::Static)));
    let scenario =
        with_nodes(channels, "paths = [\"two\"]\n[[flow]]\nname = \"again\"\nfrom = \"a\"\nto = \"c\"");
    assert_eq!(scenario.flows.iter().map(|flow| &flow.paths[..]).collect::<Vec<_>>(), [&[0][..], &[1, 0]]);
}

#[test]
fn a_flow_may_use_the_mesh_and_a_link() {
    let link = "[[link]]\nname = \"lte\"\nrate = \"1 Mbit/s\"";
    let scenario = with_nodes(link, "paths = [\"radio\", \"lte\"]\n[[flow]]\nname = \"wired\"");
    assert_eq!(scenario.flows.iter().map(|flow| &flow.paths[..]).collect::<Vec<_>>(), [&[1, 0][..], &[0]]);
}

#[test]
fn a_mesh_written_down_as_resolved_is_the_same_mesh() {
    let channels = "[[radio]]\nname = \"one\"\ncapture = 10.0\n[[radio]]\nname = \"two\"\nqueue = \"9 kB\"";
    let scenario = with_nodes(channels, "");
    assert_eq!(parse(&scenario.resolved().to_toml()), scenario);
}

#[test]
fn jitter_is_a_time_or_a_kind() {
    let jitter = |lines: &str| {
        let scenario = with_link(lines);
        assert_eq!(parse(&scenario.resolved().to_toml()), scenario);
        let link = &scenario.links[0];
        assert_eq!(link.forward.jitter, link.reverse.jitter);
        link.forward.jitter
    };
    let span = Duration::from_millis(5);
    assert_eq!(jitter("jitter = \"5 ms\""), Jitter::Uniform(span));
    assert_eq!(jitter("jitter = { kind = \"uniform\", most = \"5 ms\" }"), Jitter::Uniform(span));
    assert_eq!(jitter("jitter = { kind = \"normal\", deviation = \"5 ms\" }"), Jitter::Normal(span));
    // Packets that may overtake are transmitted first, behind any queue.
    let behind =
        "reorder = true\nqueue = { kind = \"codel\" }\njitter = { kind = \"normal\", deviation = \"5 ms\" }";
    assert_eq!(jitter(behind), Jitter::Normal(span));
}

#[test]
fn the_way_back_is_alike_without_the_losses() {
    let link = &with_link(
        "delay = \"20 ms\"\njitter = \"1 ms\"\nreorder = true\nloss = 0.1\nqueue = \"9 \
                           kB\"\nduplicate = 0.2\ncorrupt = 0.3",
    )
    .links[0];
    assert_eq!(
        (&link.forward.delay, link.forward.duplicate),
        (&Delay::Fixed(Duration::from_millis(20)), 0.2)
    );
    let mut alike = link.forward.clone();
    (alike.loss, alike.duplicate, alike.corrupt) = (LossConfig::NONE, 0.0, 0.0);
    assert_eq!(link.reverse, alike);
    let link = &with_link("reverse = { rate = \"1 Mbit/s\", loss = 0.25, corrupt = 0.5 }").links[0];
    assert_eq!(link.reverse.rate, Rate::Fixed(BitRate::from_mbps(1)));
    assert_eq!(
        (&link.reverse.loss.kind, link.reverse.corrupt),
        (&LossKind::Bernoulli { probability: 0.25 }, 0.5)
    );
    assert_eq!(link.forward.loss, LossConfig::NONE);
}

#[test]
fn a_shared_channel_loses_on_the_way_back_only_while_it_is_bad() {
    let loss = "loss = { kind = \"gilbert-elliott\", good = \"9.9 s\", bad = \"0.1 s\", loss_good = 0.01, \
                loss_bad = 0.9 }";
    let link = &with_link(&format!("{loss}\nreverse = {{ loss = \"same-channel\" }}")).links[0];
    let (good, bad) = (Duration::from_millis(9_900), Duration::from_millis(100));
    let channel =
        |loss_good, channel| LossKind::GilbertElliott { good, bad, loss_good, loss_bad: 0.9, channel };
    assert_eq!(link.forward.loss.kind, channel(0.01, ChannelSharing::Own));
    assert_eq!(link.reverse.loss.kind, channel(0.0, ChannelSharing::Shared));
}

#[test]
fn losses_can_be_written_in_many_ways() {
    let loss = |text: &str| with_link(&format!("loss = {text}")).links[0].forward.loss.clone();
    assert_eq!(loss("0"), LossConfig::NONE);
    assert_eq!(
        loss("{ kind = \"chunk\", type = \"CWR\", rate = 0.5 }").kind,
        LossKind::Chunk { kind: ChunkKind::CWR, share: 0.5 }
    );
    assert_eq!(loss("{ kind = \"list\", packets = [9, 3, 9] }").kind, LossKind::List(vec![3, 9]));
    assert_eq!(
        loss("{ kind = \"outages\", times = [[\"1 s\", \"2 s\"], [\"2 s\", \"3 s\"]] }").kind,
        LossKind::Outages(vec![(at(1_000), at(2_000)), (at(2_000), at(3_000))])
    );
    assert_eq!(
        loss(
            "{ kind = \"burst\", probability = 0.1, duration = \"5 ms\", after = \"200 ms\", at = \"exit\" }"
        ),
        LossConfig {
            kind: LossKind::Burst { probability: 0.1, duration: Duration::from_millis(5) },
            after: at(200),
            at: LossPlace::Exit,
        }
    );
}

#[test]
fn rates_and_delays_change_by_steps() {
    let link = with_link("delay = { steps = [[\"0 s\", \"5 ms\"], [\"1 s\", \"9 ms\"]] }").links.remove(0);
    let steps = vec![(at(0), Duration::from_millis(5)), (at(1_000), Duration::from_millis(9))];
    assert_eq!(link.forward.delay, Delay::Steps(steps));
    let rate = "run.time = \"9 s\"\n[[link]]\nname = \"a\"\nrate = { steps = [[\"0 s\", \"0 bit/s\"], [\"1 \
                s\", \"8 bit/s\"]] }";
    let steps = vec![(at(0), BitRate::default()), (at(1_000), BitRate::from_bits_per_second(8))];
    assert_eq!(parse(rate).links[0].forward.rate, Rate::Steps(steps));
    assert_eq!(wrong(&rate.replace("8 bit/s", "0 bit/s")), ErrorKind::Value, "it would never carry anything");
}

#[test]
fn a_trace_is_read_beside_the_file() {
    let text = "run.time = \"9 s\"\n[[link]]\nname = \"a\"\nrate = { trace = \"up\" }\nreverse = { rate = { \
                trace = \"down\", repeat = false } }";
    let files = |name: &str| match name {
        "up" => Ok("0\n5\n5\n9\n".to_owned()),
        _ => Ok("7\r\n8\r\n\r\n".to_owned()),
    };
    let scenario = Scenario::parse(&Source::new("a.toml", text), &files, &[], &registry());
    let link = scenario.expect("sound").links.remove(0);
    let (Rate::Trace(up), Rate::Trace(down)) = (link.forward.rate, link.reverse.rate) else {
        panic!("traces")
    };
    assert_eq!((up.opportunities, up.repeat), (vec![at(0), at(5), at(5), at(9)], true));
    assert_eq!((down.opportunities, down.repeat), (vec![at(7), at(8)], false));
}

const COPIES: &str = r#"
run.time = "9 s"
[[link]]
name = "own"
rate = "1 Mbit/s"
private = true
[[link]]
name = "common"
rate = "2 Mbit/s"
[[path]]
name = "many"
links = ["own", "common"]
copies = 3
[[path]]
name = "single"
links = ["common"]
[[event]]
at = "5 s"
link = "own-2"
state = "up"
[[event]]
at = "5 s"
link = "common"
rate = "3 Mbit/s"
[[event]]
at = "2 s"
link = "own"
state = "down"
direction = "reverse"
[[flow]]
start = "1 s"
stagger = "10 ms"
[[flow]]
name = "one"
paths = ["many-2"]
"#;

#[test]
fn copies_of_a_path_take_private_links_and_flows_with_them() {
    let scenario = parse(COPIES);
    let links: Vec<_> = scenario.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(links, ["own-1", "own-2", "own-3", "common"]);
    let paths: Vec<_> = scenario.paths.iter().map(|path| (path.name.as_str(), path.links.clone())).collect();
    assert_eq!(
        paths,
        [("many-1", vec![0, 3]), ("many-2", vec![1, 3]), ("many-3", vec![2, 3]), ("single", vec![3])]
    );
    let flows: Vec<_> =
        scenario.flows.iter().map(|flow| (flow.name.as_str(), flow.paths.clone(), flow.start)).collect();
    let main = [
        ("main-1", vec![0, 3], at(1_000)),
        ("main-2", vec![1, 3], at(1_010)),
        ("main-3", vec![2, 3], at(1_020)),
    ];
    assert_eq!(flows[..3], main);
    assert_eq!(flows[3], ("one", vec![1], at(0)), "a copy can be named by itself");
}

#[test]
fn events_are_in_order_of_time_and_then_of_the_file() {
    let events: Vec<_> =
        parse(COPIES).events.iter().map(|event| (event.at, event.link, event.change.clone())).collect();
    let down = |link| (at(2_000), link, Change::Down);
    let rate = Change::Rate(Rate::Fixed(BitRate::from_mbps(3)));
    assert_eq!(events, [down(0), down(1), down(2), (at(5_000), 1, Change::Up), (at(5_000), 3, rate)]);
}

#[test]
fn a_udp_flow_sends_messages_over_one_path() {
    let traffic =
        "{ kind = \"on-off\", rate = \"8 Mbit/s\", message = \"1316 B\", on = \"200 ms\", off = \"0 s\" }";
    let flow = with_link(&format!("[[flow]]\nprotocol = \"udp\"\ntraffic = {traffic}")).flows.remove(0);
    let messages = Messages { rate: BitRate::from_mbps(8), size: ByteCount::new(1316) };
    let (on, off) = (Duration::from_millis(200), Duration::ZERO);
    assert_eq!((flow.protocol, flow.traffic), (Protocol::Udp, Traffic::OnOff { messages, on, off }));
}

#[test]
fn correlated_losses_trouble_a_udp_flow_only_where_it_sends() {
    let file = |direction: &str| {
        format!(
            "run.time = \"9 s\"\n[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"\nloss = {{ kind = \"correlated\", probability = 0.1 }}\n\
             [[flow]]\nprotocol = \"udp\"\ndirection = {direction:?}\ntraffic = {{ kind = \"cbr\", rate = \
                                    \"1 kbit/s\", message = \"9 B\" }}\n"
        )
    };
    assert_eq!(parse(&file("reverse")).flows[0].direction, Direction::Reverse);
    assert_eq!((wrong(&file("forward")), wrong(&file("both"))), (ErrorKind::Value, ErrorKind::Value));
}

/// The profiles retransmit by the rules of standard SCTP, on one path at a time.
#[test]
fn over_all_paths_at_once_a_chunk_is_sent_again_where_it_was_lost() {
    let places = |text: &str| {
        let config = with_sctp(text).config;
        (config.retransmission, config.fast_retransmission)
    };
    let pair = |after: &str, fast: &str| (after.to_owned(), fast.to_owned());
    assert_eq!(places("profile = \"rfc2960\""), pair("same", "same"));
    assert_eq!(places("profile = \"tuned-2\""), pair("in-order-arrival", "in-order-arrival"));
    assert_eq!(places("retransmission = \"alternate\""), pair("alternate", "alternate"));
    assert_eq!(places("fast_retransmission = \"alternate\""), pair("same", "alternate"));
    assert_eq!(places("multipath = \"off\""), pair("alternate", "same"));
}

#[test]
fn a_profile_is_the_protocols_own_on_ip_itself_and_with_the_rules_of_cmt() {
    for (name, profile) in PROFILES {
        let sctp = with_sctp(&format!("profile = {name:?}\nmultipath = \"off\""));
        let mut wanted = Config { encapsulation: Encapsulation::None, ..profile() };
        wanted.set_sender_cmt(CmtRules {
            by_departure: wanted.cmt.by_departure,
            by_time: wanted.cmt.by_time,
            ..CmtRules::ALL
        });
        assert_eq!(sctp.config, wanted);
    }
}

#[test]
fn an_association_on_one_path_at_a_time_has_a_primary_path_and_no_rule_of_cmt() {
    let off = with_sctp("multipath = \"off\"\nscheduler = \"fill\"");
    assert_eq!(off.config.scheduler, "fill", "what the file says is kept");
    let config = off.association();
    assert_eq!((config.scheduler.as_str(), config.loss_detection.as_str()), ("primary", "association"));
    assert_eq!((config.cmt, config.ack_timing.as_str()), (CmtRules::NONE, "standard"));
    let all = with_sctp("scheduler = \"fill\"\ncmt = { delayed_ack = false }").association();
    assert_eq!((all.scheduler.as_str(), all.loss_detection.as_str()), ("fill", "cmt"));
    assert_eq!((all.cmt.delayed_ack, all.ack_timing.as_str()), (false, "standard"));
}

#[test]
fn ipcc_fills_the_first_path_and_sends_again_on_another_unless_the_file_says_otherwise() {
    let config = with_sctp("multipath = \"ipcc\"\nipcc = { adjustment = false }").association();
    assert_eq!((config.loss_detection.as_str(), config.scheduler.as_str()), ("ipcc", "window-regulated"));
    let places = (config.retransmission.as_str(), config.fast_retransmission.as_str());
    assert_eq!(places, ("alternate", "alternate"));
    assert_eq!(
        (config.own.of::<IpccRules>().adjustment, config.cmt, config.ack_timing.as_str()),
        (false, CmtRules::NONE, "standard")
    );
    let given =
        with_sctp("profile = \"tuned-2\"\nmultipath = \"ipcc\"\nscheduler = \"primary\"").association();
    assert_eq!(
        (given.scheduler.as_str(), given.cmt, given.own.of::<IpccRules>().adjustment),
        ("primary", CmtRules::NONE, true)
    );
}

#[test]
fn a_receiver_may_have_two_levels_and_sacks_of_its_own() {
    let text = "profile = \"tuned-1\"\nreceive_buffer = { in_order = \"64 KiB\", out_of_order = \"1 MiB\" }\n\
                sack = { when = \"any-order\", gaps = \"new\" }";
    let config = with_sctp(text).association();
    assert!(config.has_two_levels());
    assert_eq!(config.sack_content, "new");
    assert_eq!(
        (config.receive_buffer, config.out_of_order),
        (ByteCount::from_kib(64), OutOfOrder::AtMost(ByteCount::from_mib(1)))
    );
    assert_eq!((config.receive_growth, config.sack_timing()), (None, "any-order"));
    let one = with_sctp("receive_buffer = \"64 KiB\"").association();
    assert!(!one.has_two_levels());
    assert_eq!(one.sack_content, "all");
    assert_eq!(with_sctp("sack = { when = \"standard\" }").association().ack_timing, "dac");
}

#[test]
fn one_setting_follows_from_another_unless_it_is_given() {
    let config = |text: &str| with_sctp(text).config;
    let both = config("retransmission = \"same\"");
    assert_eq!((both.retransmission.as_str(), both.fast_retransmission.as_str()), ("same", "same"));
    let apart = config("retransmission = \"same\"\nfast_retransmission = \"alternate\"");
    assert_eq!(apart.fast_retransmission, "alternate");
    assert_eq!(config("charge = \"packet\"").rwnd_charge, Charge::Packet);
    assert_eq!(config("charge = \"packet\"\nrwnd_charge = \"user\"").rwnd_charge, Charge::User);
    assert_eq!(config("payload = \"1452 B\"").payload, None, "what fits is the default");
    assert_eq!(config("payload = \"512 B\"").payload, Some(ByteCount::new(512)));
    let plain = "cmt = { split_fast_retransmit = false, window_update = false, delayed_ack = false }";
    assert_eq!(config(plain).cmt, CmtRules::NONE);
    assert_eq!(config("cmt = { delayed_ack = false }").cmt, CmtRules { delayed_ack: false, ..CmtRules::ALL });
    assert_eq!(config("multipath = \"cmt\"").cmt, CmtRules::ALL);
    assert_eq!(with_sctp("").multipath, Multipath::Cmt);
    assert_eq!(with_sctp("multipath = \"off\"").multipath, Multipath::Off);
    // Each association of AppStripe retransmits on its own path (M-CMT-8).
    let striped = with_sctp("profile = \"rfc2960\"\nmultipath = \"appstripe\"");
    assert_eq!((striped.multipath, striped.config.retransmission.as_str()), (Multipath::AppStripe, "same"));
}

#[test]
fn settings_of_sctp_belong_to_the_flow_above_them() {
    let text = "run.time = \"9 s\"\n[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"\n[[flow]]\n[[flow]]\nname = \
                \"b\"\n[flow.sctp]\nordered = false";
    let ordered: Vec<_> = parse(text)
        .flows
        .iter()
        .map(|flow| match &flow.protocol {
            Protocol::Sctp(sctp) => sctp.ordered,
            Protocol::Udp | Protocol::Tcp(_) => panic!("no SCTP"),
        })
        .collect();
    assert_eq!(ordered, [true, false]);
}

#[test]
fn each_kind_of_fault_has_its_name() {
    assert_eq!(
        (wrong("a"), wrong("a = 1"), wrong("")),
        (ErrorKind::Syntax, ErrorKind::Unknown, ErrorKind::Missing)
    );
    let link = "[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"\n";
    assert_eq!(wrong(&format!("{link}[flow.sctp]\nretransmission = \"both\"")), ErrorKind::NotBuilt);
    assert_eq!(wrong(&format!("{link}loss = 2")), ErrorKind::Value);
    let error = Scenario::parse(
        &Source::new("a", "[[link]]\nname=\"a\"\nrate={trace=\"t\"}"),
        &|_: &str| Ok("x".to_owned()),
        &[],
        &registry(),
    );
    assert_eq!(error.expect_err("no trace").kind().name(), "trace");
}
