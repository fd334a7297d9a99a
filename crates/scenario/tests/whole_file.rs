//! Whole scenario files, and what they mean.

use anabranch_base::{BitRate, ByteCount, Duration};
use anabranch_link::config::{Delay, LossKind, Rate};
use anabranch_scenario::model::Protocol;
use anabranch_scenario::{NoFiles, Scenario, Setting, Source};

fn parse(text: &str, settings: &[&str]) -> Scenario {
    let settings: Vec<_> = settings.iter().map(|text| Setting::parse(text).expect("KEY=VALUE")).collect();
    Scenario::parse(&Source::new("a.toml", text), &NoFiles, &settings).expect("a sound scenario")
}

const TWO_LINKS: &str = include_str!("../../../scenarios/wifi-lte.toml");

#[test]
fn the_demonstration_says_what_it_shows() {
    let scenario = parse(TWO_LINKS, &[]);
    assert_eq!(scenario.title, "Phone with Wi-Fi and LTE");
    assert_eq!(scenario.links[0].forward.rate, Rate::Fixed(BitRate::from_mbps(21)));
    assert_eq!(scenario.links[1].reverse.delay, Delay::Fixed(Duration::from_millis(40)));
    assert_eq!(scenario.links[1].reverse.loss.kind, LossKind::None);
    assert_eq!(scenario.paths.len(), 2);
    let [flow] = &scenario.flows[..] else { panic!("one flow") };
    assert_eq!((flow.name.as_str(), &flow.paths[..]), ("main", &[0, 1][..]));
    assert_eq!(flow.transfer, Some(ByteCount::new(32_000_000)));
}

#[test]
fn any_value_is_set_from_the_command_line() {
    let scenario =
        parse(TWO_LINKS, &["link.wifi.loss=0.25", "flow.main.sctp.scheduler=fill", "run.time=10 s"]);
    assert_eq!(scenario.links[0].forward.loss.kind, LossKind::Bernoulli { probability: 0.25 });
    assert_eq!(scenario.run.time, Some(Duration::from_secs(10)));
    let Protocol::Sctp(sctp) = &scenario.flows[0].protocol else { panic!("SCTP") };
    assert_eq!(sctp.scheduler, "fill");
}
