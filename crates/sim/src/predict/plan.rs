//! The plan of a flow's window limits, and what is to be known of it: how good it is, what buffer is worth, and what
//! mistakes cost.

use anabranch_base::Duration;
use anabranch_models::{PathParameters, Renewal, RoundLoss, WindowModel};
use anabranch_planner::{
    Allocation, Certificate, MarginalGain, Method, Misplan, PlanError, Problem, hull, marginal_gain,
    sensitivity,
};

use super::{ModelFlow, markov};

/// A model of a path for every limit of its window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LimitModel {
    /// Windows round by round, exactly.
    #[default]
    Markov,
    /// The mean sawtooth of a window.
    Renewal,
}

/// The method and the model of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanQuestion {
    /// The method that chooses limits.
    pub method: Method,
    /// The model that computes the throughput of a path at a limit.
    pub model: LimitModel,
    /// Which packets of a round get lost, for the Markov model.
    pub loss: RoundLoss,
}

/// A plan, and what is to be known of it.
#[derive(Debug)]
pub struct PlanReport {
    /// The method and the model.
    pub question: PlanQuestion,
    /// The flow that it is for.
    pub flow: ModelFlow,
    /// The throughput of each path at each limit.
    pub problem: Problem,
    /// The limits.
    pub best: Allocation,
    /// The time the curves and the choice among them took, by the caller's clock.
    pub took: Duration,
    /// The amount of better other limits that could be.
    pub certificate: Certificate,
    /// `None` where it was too much work.
    pub marginal_gain: Option<MarginalGain>,
    /// Empty where it was too much work.
    pub misplans: Vec<Misplan>,
    /// The omissions and assumptions, each a sentence.
    pub notes: Vec<String>,
}

impl LimitModel {
    /// Both, in the order of documents.
    pub const ALL: [LimitModel; 2] = [LimitModel::Markov, LimitModel::Renewal];

    /// The name in commands and documents.
    pub const fn name(self) -> &'static str {
        match self {
            LimitModel::Markov => "markov",
            LimitModel::Renewal => "renewal",
        }
    }
}

impl PlanQuestion {
    /// The model itself.
    pub fn window_model(&self) -> Box<dyn WindowModel + Send + Sync> {
        match self.model {
            LimitModel::Markov => Box::new(markov(self.loss)),
            LimitModel::Renewal => Box::new(Renewal::default()),
        }
    }
}

impl PlanReport {
    /// Plans for `flow`. `clock` gives how long the program has been running: nothing here reads one.
    ///
    /// # Errors
    /// The method has no answer, or a path is outside the model's domain.
    pub fn of(
        flow: ModelFlow,
        question: PlanQuestion,
        clock: fn() -> Duration,
    ) -> Result<PlanReport, PlanError> {
        let (paths, model) = (flow.parameters(), question.window_model());
        let begun = clock();
        let problem = flow.problem(model.as_ref())?;
        let best = question.method.solve(&problem)?;
        let took = clock().saturating_sub(begun);
        let mut notes = flow.notes.clone();
        let misplans = misplans(&problem, &best, &paths, model.as_ref()).unwrap_or_else(|why| {
            notes.push(format!("the cost of errors in the parameters of a path is not computed: {why}"));
            Vec::new()
        });
        let marginal_gain = gain_of_buffer(&best, &paths, flow.receive_buffer, model.as_ref());
        notes.extend(
            marginal_gain
                .as_ref()
                .err()
                .map(|why| format!("the gain of a larger receive buffer is not computed: {why}")),
        );
        let marginal_gain = marginal_gain.ok();
        let certificate = hull(&problem);
        Ok(PlanReport { question, flow, problem, best, took, certificate, marginal_gain, misplans, notes })
    }

    /// Which part of the upper bound the limits may miss.
    pub fn gap(&self) -> f64 {
        let bound = self.certificate.upper_bound;
        if bound > 0.0 { (1.0 - self.best.throughput / bound).max(0.0) } else { 0.0 }
    }

    /// Returns the throughput of a path at its limit, in packets/s.
    pub fn carried(&self, path: usize) -> f64 {
        let limit = self.best.limits.get(path).copied().unwrap_or_default() as usize;
        let curve = self.problem.curves().get(path);
        curve.and_then(|curve| curve.get(limit.checked_sub(1)?)).copied().unwrap_or_default()
    }
}

/// Returns the cost of mistakes, or the reason why it was not computed.
fn misplans(
    problem: &Problem,
    best: &Allocation,
    paths: &[PathParameters],
    model: &dyn WindowModel,
) -> Result<Vec<Misplan>, String> {
    let points: usize = problem.curves().iter().map(Vec::len).sum();
    match paths.len() {
        many if many > MOST_PATHS => Err(format!("the plan has {many} paths, more than {MOST_PATHS}")),
        _ if best.evaluations > MOST_EVALUATIONS => Err("the plan itself was work enough".to_owned()),
        paths if points.saturating_mul(paths) > MOST_POINTS => {
            Err("the paths are too long and too fast".to_owned())
        }
        _ => sensitivity(paths, problem.buffer(), model).map_err(|why| why.to_string()),
    }
}

/// Returns the gain of a larger buffer, or the reason why it was not computed: it needs some twenty plans with curves up
/// to where all paths are full.
fn gain_of_buffer(
    best: &Allocation,
    paths: &[PathParameters],
    buffer: u32,
    model: &dyn WindowModel,
) -> Result<MarginalGain, String> {
    let points: u64 = paths.iter().map(|path| u64::from(path.cap())).sum();
    match best.evaluations {
        many if many > MOST_EVALUATIONS => Err("the plan itself was work enough".to_owned()),
        _ if points > MOST_POINTS as u64 => Err("the paths are too long and too fast".to_owned()),
        _ => marginal_gain(paths, buffer, model).map_err(|why| why.to_string()),
    }
}

/// For more paths, four plans for each are more than anyone waits for or reads.
const MOST_PATHS: usize = 16;

/// For more points of curves, times paths, it would take seconds.
const MOST_POINTS: usize = 2_000_000;

/// After a plan that compared more sums than this, twenty others would take seconds.
const MOST_EVALUATIONS: u64 = 100_000_000;
