//! The example's policies and their settings are chosen like the shipped ones: in a scenario file, by `--set`, and as
//! values of a program.

use std::error::Error;

use anabranch_scenario::model::Protocol;
use anabranch_scenario::resolved::ResolvedValue;
use anabranch_scenario::{Assignment, NoFiles, Registry, Scenario, Source, tools};
use anabranch_sctp::config::Config;
use anabranch_sim::result::RunResult;
use anabranch_sim::{Run, Watch};

/// The shipped policies and the custom ones.
fn registry() -> Registry {
    let mut registry = anabranch_scenario::registry();
    own_policies::add_to(&mut registry);
    registry
}

fn read(file: &str, settings: &[&str]) -> Result<Scenario, Box<dyn Error>> {
    let settings =
        settings.iter().map(|setting| Assignment::parse(setting)).collect::<Result<Vec<_>, _>>()?;
    Ok(Scenario::parse(&Source::new("own.toml", file), &NoFiles, &settings, &registry())?)
}

fn simulated(scenario: &Scenario) -> Result<RunResult, Box<dyn Error>> {
    Ok(Run::new(scenario, 1, Watch::default())?.to_end())
}

/// The share of the bytes of a flow's data over the first path. The packets without data, for the handshake and probes
/// of idle paths, are less than a hundredth.
fn share_of_first(scenario: &Scenario) -> Result<f64, Box<dyn Error>> {
    let result = simulated(scenario)?;
    let sent: Vec<f64> =
        result.flows[0].paths.iter().map(|path| path.counters.sent_bytes.get() as f64).collect();
    Ok(sent[0] / sent.iter().sum::<f64>())
}

#[test]
fn the_scheduler_and_its_setting_are_chosen_as_the_shipped_ones_are() -> Result<(), Box<dyn Error>> {
    let in_file = format!("{NETWORK}[flow.sctp]\nscheduler = \"three-to-one\"\n");
    let with_setting = format!("{in_file}three_to_one = {{ first = 9 }}\n");
    let mut by_program = read(NETWORK, &[])?;
    if let Protocol::Sctp(sctp) = &mut by_program.flows[0].protocol {
        sctp.config.scheduler = "three-to-one".to_owned();
    }
    let set = ["flow.main.sctp.scheduler=three-to-one", "flow.main.sctp.three_to_one.first=1"];
    for (how, scenario, wanted) in [
        ("shipped: round-robin", read(NETWORK, &[])?, 0.5),
        ("in a file", read(&in_file, &[])?, 0.75),
        ("by a program", by_program, 0.75),
        ("its setting in a file", read(&with_setting, &[])?, 0.9),
        ("its setting by --set", read(NETWORK, &set)?, 0.5),
    ] {
        let share = share_of_first(&scenario)?;
        assert!((share - wanted).abs() < 0.01, "{how}: {share:.3}, not {wanted}");
    }
    Ok(())
}

/// On links that lose one packet in a hundred, a window that keeps more carries more.
#[test]
fn the_control_with_other_settings_does_something_else() -> Result<(), Box<dyn Error>> {
    let delivered = |keep: &str| -> Result<u64, Box<dyn Error>> {
        let settings = [
            "flow.main.sctp.congestion_control=gentle",
            &format!("flow.main.sctp.gentle.keep={keep}"),
            "flow.main.traffic=bulk",
            "link.one.loss=0.01",
            "link.two.loss=0.01",
        ];
        Ok(simulated(&read(NETWORK, &settings)?)?.flows[0].delivered.get())
    };
    let (more, less) = (delivered("0.9")?, delivered("0.3")?);
    assert!(more > less * 3 / 2, "{more} and {less} bytes");
    Ok(())
}

#[test]
fn the_tools_have_the_settings_and_the_check_is_asked() -> Result<(), Box<dyn Error>> {
    let set = |settings: &[&str]| {
        let settings: Vec<Assignment> =
            settings.iter().map(|setting| Assignment::parse(setting).expect("KEY=VALUE")).collect();
        tools::configure(Config::tuned_2(), &settings, &registry()).map_err(|error| error.to_string())
    };
    let config = set(&["sctp.congestion_control=gentle", "sctp.gentle.keep=0.7", "sctp.gentle.step=2"])?;
    let shown = tools::resolved(&config, &registry());
    assert_eq!(
        shown.find("gentle").map(ResolvedValue::to_toml),
        Some("{ step = 2.0, keep = 0.7 }".to_owned())
    );
    let refused =
        set(&["sctp.congestion_control=gentle", "sctp.gentle.keep=1"]).expect_err("it never shrinks");
    assert!(refused.contains("`gentle.keep` is 1") && refused.contains("less than 1"), "{refused}");
    assert!(set(&["sctp.gentle.keep=1"]).is_ok(), "the check is that of the policy which is chosen");
    let unknown = tools::configure(
        Config::tuned_2(),
        &[Assignment::parse("sctp.gentle.keep=0.5")?],
        &anabranch_scenario::registry(),
    );
    assert!(unknown.is_err(), "without the line that adds it, it is unknown");
    Ok(())
}

/// Two links with capacity to spare, so that the scheduler alone decides.
const NETWORK: &str = r#"
[run]
time = "20 s"

[[link]]
name = "one"
rate = "20 Mbit/s"
delay = "10 ms"

[[link]]
name = "two"
rate = "20 Mbit/s"
delay = "10 ms"

[[flow]]
traffic = { kind = "cbr", rate = "4 Mbit/s", message = "1400 B" }
"#;
