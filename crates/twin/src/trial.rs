//! One simulated run: the goodput of the bond, and the delay of an echo beside it.

use anabranch_base::{BitRate, ByteCount, Duration, Time};
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Direction, Flow, Messages, Traffic};
use anabranch_sim::result::{FlowResult, RunResult};
use anabranch_sim::{BuildError, Run, RunProgress, Watch};

/// The measurements of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measured {
    /// The goodput in both directions together, in bits a second.
    pub goodput_bps: f64,
    /// The median delay there and back of a small message beside it, in seconds.
    pub echo_s: Option<f64>,
}

/// `scenario` with a second association that carries small messages both ways, and with the noise of real links: in a
/// network with exact timing, drops depend on the phase of packets, and repeat.
pub(crate) fn with_echoes(scenario: &Scenario, warmup: Duration, time: Duration) -> Scenario {
    let mut scenario = scenario.clone();
    for link in &mut scenario.links {
        for direction in [&mut link.forward, &mut link.reverse] {
            direction.jitter = direction.jitter.at_least(NOISE);
        }
    }
    scenario.run.warmup = warmup;
    scenario.run.time = Some(warmup + time);
    if let Some(main) = scenario.flows.first() {
        let messages = Messages { rate: ECHO_RATE, size: ECHO_SIZE };
        scenario.flows.push(Flow {
            name: ECHO.to_owned(),
            start: Time::ZERO,
            transfer: None,
            direction: Direction::Both,
            traffic: Traffic::Cbr(messages),
            ..main.clone()
        });
    }
    scenario
}

/// Runs a scenario of [`with_echoes`]; `None` if `is_over` says that it comes too late.
///
/// # Errors
/// The scenario cannot be run.
pub(crate) fn trial(
    scenario: &Scenario,
    seed: u64,
    is_over: &dyn Fn() -> bool,
) -> Result<Option<Measured>, BuildError> {
    let mut run = Run::new(scenario, seed, Watch::default())?;
    loop {
        if is_over() {
            return Ok(None);
        }
        if run.advance(SLICE) == RunProgress::Ended {
            return Ok(Some(Measured::of(&run.finish())));
        }
    }
}

impl Measured {
    fn of(result: &RunResult) -> Measured {
        let is_echo = |flow: &&FlowResult| flow.name.split('/').next() == Some(ECHO);
        let (echoes, main): (Vec<_>, Vec<_>) = result.flows.iter().partition(is_echo);
        let delays: Option<Vec<f64>> =
            echoes.iter().map(|flow| flow.delay.map(|delay| delay.p50.as_secs_f64())).collect();
        Measured {
            goodput_bps: main.iter().map(|flow| flow.goodput_bps).sum(),
            echo_s: delays.filter(|delays| delays.len() == 2).map(|delays| delays.iter().sum()),
        }
    }
}

/// The name of the association of echoes. The twin's own flow has the default name.
const ECHO: &str = "echo";

/// Twenty messages a second, each way.
const ECHO_SIZE: ByteCount = ByteCount::new(100);
const ECHO_RATE: BitRate = BitRate::from_bits_per_second(16_000);

const NOISE: Duration = Duration::from_micros(100);

/// The simulated time between two looks at the clock: short, as a link may be said to be very fast.
const SLICE: Duration = Duration::from_millis(1);
