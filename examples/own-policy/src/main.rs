//! A scheduler of one's own, chosen by its name: in a scenario file, by `--set`, and as a value of a program. The one line
//! that makes it known adds it to a registry.
//!
//! ```sh
//! cargo run --manifest-path examples/own-policy/Cargo.toml
//! ```

use std::error::Error;

use anabranch_scenario::model::Protocol;
use anabranch_scenario::{Assignment, NoFiles, Registry, Scenario, Source, tools};
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::schedule::{Index, QueueView, Scheduler, may_carry};
use anabranch_sctp::policy::{PathId, View};
use anabranch_sim::{Run, Watch};

/// Three packets over the first path for each over another.
#[derive(Debug, Default)]
struct ThreeToOne {
    sent: u64,
}

impl Scheduler for ThreeToOne {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        let fits = |path: PathId| may_carry(view.path(path), queue).then_some(path);
        let path = match self.sent % 4 {
            3 => view.next_after(PathId::FIRST, |sample| may_carry(sample, queue)),
            _ => fits(PathId::FIRST),
        }?;
        self.sent += 1;
        Some((path, Index::OLDEST))
    }
}

/// The shipped policies and our own.
fn registry() -> Registry {
    let mut registry = Registry::standard();
    registry.schedulers.add("three-to-one", |_| Box::new(ThreeToOne::default()));
    registry
}

fn main() -> Result<(), Box<dyn Error>> {
    let chosen = format!("{NETWORK}[flow.sctp]\nscheduler = \"three-to-one\"\n");
    expect("shipped: round-robin", share_of_first(NETWORK, &[])?, 0.5)?;
    expect("in a scenario file", share_of_first(&chosen, &[])?, 0.75)?;
    expect(
        "by --set of a scenario",
        share_of_first(NETWORK, &["flow.main.sctp.scheduler=three-to-one"])?,
        0.75,
    )?;
    expect("by a program", share_by_program()?, 0.75)?;

    let setting = Assignment::parse("sctp.scheduler=three-to-one")?;
    let config = tools::configure(Config::tuned_1(), &[setting], &registry())?;
    println!("by --set of send, recv and bench: {}", config.scheduler);

    let unknown = Scenario::parse(&Source::new("own.toml", chosen), &NoFiles, &[], &Registry::standard());
    let error = unknown.err().ok_or("a registry without the policy must not know it")?;
    println!("\nwithout the line that adds it:\n{error}");
    Ok(())
}

/// Which part of the bytes of a flow's data goes over the first path.
fn share_of_first(file: &str, settings: &[&str]) -> Result<f64, Box<dyn Error>> {
    let settings =
        settings.iter().map(|setting| Assignment::parse(setting)).collect::<Result<Vec<_>, _>>()?;
    simulated(&Scenario::parse(&Source::new("own.toml", file), &NoFiles, &settings, &registry())?)
}

/// The same of a scenario whose settings a program has changed as values.
fn share_by_program() -> Result<f64, Box<dyn Error>> {
    let mut scenario = Scenario::parse(&Source::new("own.toml", NETWORK), &NoFiles, &[], &registry())?;
    if let Protocol::Sctp(sctp) = &mut scenario.flows[0].protocol {
        sctp.config.scheduler = "three-to-one".to_owned();
    }
    simulated(&scenario)
}

fn simulated(scenario: &Scenario) -> Result<f64, Box<dyn Error>> {
    let result = Run::new(scenario, 1, Watch::default())?.to_end();
    let sent: Vec<f64> =
        result.flows[0].paths.iter().map(|path| path.counters.sent_bytes.get() as f64).collect();
    Ok(sent[0] / sent.iter().sum::<f64>())
}

/// What is sent beside data, to open the association and to probe idle paths, is less than a hundredth.
fn expect(how: &str, share: f64, wanted: f64) -> Result<(), String> {
    println!("{how}: {share:.3} of the bytes over the first path");
    if (share - wanted).abs() < 0.01 { Ok(()) } else { Err(format!("{how}: {share:.3}, not {wanted}")) }
}

/// Two links that carry the flow with room to spare, so that the scheduler alone decides.
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
