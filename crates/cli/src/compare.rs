//! `anabranch compare`: predicts, simulates and really transfers over each path of a scenario alone, and over all together.

mod document;
mod endpoint_pair;
mod progress;
mod real;
mod table;
mod variant;

use anabranch_base::Duration;
use anabranch_models::RoundLoss;
use anabranch_sctp::config::Encapsulation;
use anabranch_sim::predict::{Model, ModelFlow, forecast};
use anabranch_sim::{Estimate, FlowSummary, Plan, Replications, Stop, Watcher, replicate, summarise};

use crate::arguments::{CompareArguments, Output};
use crate::clock::since_start;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::report::Outcome;
use crate::scenario::{Loaded, load};
use crate::threads;
pub(crate) use endpoint_pair::Emulation;
use progress::{Steps, pulse};
use real::{Attempt, transfer};
pub(crate) use variant::VariantChoice;
use variant::{PathVariant, variants};

/// One line of the comparison.
#[derive(Clone, Debug)]
pub(crate) struct ComparisonRow {
    /// The paths that carried it.
    variant: PathVariant,
    /// The goodput in bits per second by the Markov model, or the reason why it has none.
    predicted: Result<f64, String>,
    /// The result of the simulator, over several seeds.
    simulated: FlowSummary,
    /// The real transfers, with those that are void.
    attempts: Vec<Attempt>,
}

/// The subject and the method of a comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ComparisonPlan {
    /// The selected variants.
    pub scope: VariantChoice,
    /// The encapsulation of packets.
    pub encapsulation: Encapsulation,
    /// The emulation of links for the real transfers.
    pub emulation: Emulation,
    /// The number of real transfers over all paths together; the median counts.
    pub repeats: usize,
}

/// Prepares the process before there are threads.
///
/// # Errors
/// The system does not allow the emulation.
pub(crate) fn prepare(arguments: &CompareArguments) -> Result<(), Failure> {
    emulation(arguments).prepare()
}

/// Runs the command.
///
/// # Errors
/// The scenario is invalid or cannot be compared, or a socket cannot be opened.
pub(crate) async fn run(arguments: &CompareArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let loaded = load(&arguments.scenario, &arguments.settings, interrupt).await?;
    let scope = if arguments.together { VariantChoice::Together } else { VariantChoice::AloneAndTogether };
    let plan = ComparisonPlan {
        scope,
        encapsulation: arguments.encapsulation.encapsulation(),
        emulation: emulation(arguments),
        repeats: 1,
    };
    compare(&loaded, plan, arguments.output, interrupt).await
}

/// Compares prediction, simulation and real transfers, for each path alone and for all together.
///
/// # Errors
/// As [`run`].
pub(crate) async fn compare(
    loaded: &Loaded,
    plan: ComparisonPlan,
    output: Output,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let variants = variants(&loaded.scenario, plan.scope, plan.encapsulation).map_err(Failure::Arguments)?;
    let wanted = |number: usize| if number + 1 == variants.len() { plan.repeats } else { 1 };
    let steps: usize = (0..variants.len()).map(|number| 1 + wanted(number)).sum();
    let steps = Steps::new(output, steps as u64);
    let mut pulse = pulse();
    let mut ticks = tokio::time::interval(TICK);
    let mut rows = Vec::new();
    let mut failure = None;
    'variants: for (number, variant) in variants.iter().enumerate() {
        let work = compare_one(variant.clone(), plan.emulation, wanted(number), &steps);
        tokio::pin!(work);
        loop {
            tokio::select! {
                row = &mut work => {
                    rows.push(row?);
                    break;
                }
                _ = pulse.tick() => steps.tell(),
                _ = ticks.tick() => steps.tick(),
                () = interrupt.pressed() => {
                    failure = Some(Failure::Interrupted);
                    break 'variants;
                }
            }
        }
    }
    steps.finish();
    Ok(Outcome {
        document: Some(document::comparison(loaded, &rows)),
        summary: table::comparison(&loaded.scenario, &rows),
        failure,
        ..Outcome::default()
    })
}

fn emulation(arguments: &CompareArguments) -> Emulation {
    if arguments.tun { Emulation::Interfaces } else { Emulation::Relay }
}

/// Compares one variant, with `wanted` real transfers.
async fn compare_one(
    variant: PathVariant,
    emulation: Emulation,
    wanted: usize,
    steps: &Steps,
) -> Result<ComparisonRow, Failure> {
    let predicted = predict(&variant).await?;
    steps.begin(format!("{}, simulated", variant.name));
    let simulated = simulate(&variant).await?;
    steps.advance();
    steps.begin(format!("{}, really", variant.name));
    let mut attempts: Vec<Attempt> = Vec::new();
    let mut valid = 0;
    while valid < wanted && attempts.len() < wanted + REPEATS {
        let attempt = transfer(&variant, emulation).await?;
        if !attempt.is_void() {
            valid += 1;
            steps.advance();
        }
        attempts.push(attempt);
    }
    Ok(ComparisonRow { variant, predicted, simulated, attempts })
}

/// Predicts a variant. The inner error is the reason why the models cannot express it.
async fn predict(variant: &PathVariant) -> Result<Result<f64, String>, Failure> {
    let flow = ModelFlow::first(&variant.scenario).map_err(|why| why.to_string());
    let work = move || {
        let forecast = forecast(&flow?, &[Model::Markov], RoundLoss::Independent);
        let (_, found) = forecast.models.into_iter().next().ok_or("no model was asked")?;
        found.map(|found| found.total_goodput_bps())
    };
    Ok(threads::spawn(work)?.ended().await?)
}

/// Simulates a variant with several seeds. A seed does not lose the same packets as a real transfer, so that only the mean
/// over seeds is comparable, within the spread of single runs.
async fn simulate(variant: &PathVariant) -> Result<FlowSummary, Failure> {
    let mut scenario = variant.scenario.clone();
    for link in &mut scenario.links {
        for direction in [&mut link.forward, &mut link.reverse] {
            direction.jitter = direction.jitter.at_least(NOISE);
        }
    }
    let plan =
        Plan { seed: scenario.run.seed, stop: Stop::After(scenario.run.runs.max(SEEDS)), threads: None };
    let work = move || replicate(&scenario, plan, &Watcher::new(since_start));
    let done = threads::spawn(work)?.ended().await?;
    let Replications { runs, .. } = done?;
    summarise(&runs)
        .into_iter()
        .next()
        .ok_or_else(|| Failure::Arguments("the scenario has no flow".to_owned()))
}

impl ComparisonRow {
    /// The median of the valid transfers; of an even number, the slower one in the middle.
    fn real(&self) -> Option<&Attempt> {
        let mut valid: Vec<&Attempt> = self.attempts.iter().filter(|attempt| !attempt.is_void()).collect();
        valid.sort_by(|one, other| one.goodput_bps.total_cmp(&other.goodput_bps));
        valid.get(valid.len().saturating_sub(1) / 2).copied()
    }

    /// The number of valid transfers.
    fn valid(&self) -> usize {
        self.attempts.iter().filter(|attempt| !attempt.is_void()).count()
    }

    /// The prediction in bits per second.
    fn predicted_bps(&self) -> Option<f64> {
        self.predicted.as_ref().ok().copied()
    }

    /// The mean of the simulations in bits per second.
    fn simulated_bps(&self) -> f64 {
        self.simulated.goodput_bps.mean
    }

    /// The deviation of a single run from the mean that 95 of 100 do not exceed, as a share of the mean.
    fn chance(&self) -> f64 {
        let Estimate { mean, sd, .. } = self.simulated.goodput_bps;
        if mean > 0.0 { 1.96 * sd.unwrap_or(0.0) / mean } else { 0.0 }
    }

    /// The deviation of the real from the simulated goodput, as a share of the latter.
    fn difference(&self) -> Option<f64> {
        let simulated = self.simulated_bps();
        self.real().filter(|_| simulated > 0.0).map(|real| real.goodput_bps / simulated - 1.0)
    }
}

/// The goodput of all paths together, and of each alone.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AggregationGain {
    best_alone_bps: f64,
    sum_alone_bps: f64,
    together_bps: f64,
}

impl AggregationGain {
    /// The gain of a comparison whose last row is of all paths; `None` if a rate is missing.
    fn of(rows: &[ComparisonRow], rate: impl Fn(&ComparisonRow) -> Option<f64>) -> Option<AggregationGain> {
        let (together, alone) = rows.split_last().filter(|(last, _)| last.variant.paths().count() > 1)?;
        let alone: Vec<f64> = alone.iter().map(&rate).collect::<Option<_>>()?;
        let best_alone_bps = alone.iter().copied().reduce(f64::max)?;
        Some(AggregationGain {
            best_alone_bps,
            sum_alone_bps: alone.iter().sum(),
            together_bps: rate(together)?,
        })
    }

    fn share_of_sum(&self) -> f64 {
        self.together_bps / self.sum_alone_bps
    }
}

/// The maximum delay that is added to simulated packets, like the delay of the relay. In a network with exact timing, drops
/// depend on the phase of the packets (Floyd and Jacobson 1991, "traffic phase effects"), and repeat.
const NOISE: Duration = Duration::from_micros(100);

/// The interval at which the bar moves.
const TICK: std::time::Duration = std::time::Duration::from_millis(100);

/// The minimum number of seeds of the simulations.
const SEEDS: u64 = 20;

/// The maximum number of transfers that replace void ones.
const REPEATS: usize = 3;
