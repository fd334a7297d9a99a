//! The prediction of each model for one flow, or the reason why it gives none.

use anabranch_models::{
    Halving, LimitedPath, Markov, ModelError, Mptcp, Pftk, Renewal, RoundLoss, ThroughputModel,
};
use anabranch_scenario::Scenario;

use super::{Inexpressible, ModelFlow, ModelPath, Windows};

/// A model of throughput.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Windows round by round, exactly (Wallace and Shami).
    Markov,
    /// The mean sawtooth of a window (Wallace and Shami).
    Renewal,
    /// The formula for TCP of Padhye and others; a send rate.
    Pftk,
    /// Coupled windows in one receive buffer (Liu and others); a send rate.
    Mptcp,
}

/// The predictions of the models for a flow.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// The flow's name.
    pub flow: String,
    /// The basis; `None` where the models have no place for the flow.
    pub basis: Option<Basis>,
    /// The prediction of each model, or the reason for its absence.
    pub models: Vec<(Model, Result<Prediction, String>)>,
    /// The omissions and assumptions, each a sentence.
    pub notes: Vec<String>,
}

/// The basis of a prediction.
#[derive(Clone, Debug)]
pub struct Basis {
    /// The receive buffer in packets.
    pub receive_buffer: u32,
    /// The paths' names.
    pub paths: Vec<String>,
    /// The largest windows in packets; `None` where there are none.
    pub limits: Option<Vec<u32>>,
    /// Where they come from.
    pub windows: Windows,
}

/// The prediction of one model.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Whole packets of each path, in bits a second.
    pub throughput_bps: Vec<f64>,
    /// User data of each path, in bits a second.
    pub goodput_bps: Vec<f64>,
}

impl Model {
    /// The models, in the order of documents.
    pub const ALL: [Model; 4] = [Model::Markov, Model::Renewal, Model::Pftk, Model::Mptcp];

    /// The name in commands and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Model::Markov => "markov",
            Model::Renewal => "renewal",
            Model::Pftk => "pftk",
            Model::Mptcp => "mptcp",
        }
    }
}

impl Prediction {
    /// Whole packets of all paths, in bits a second.
    pub fn total_bps(&self) -> f64 {
        self.throughput_bps.iter().sum()
    }

    /// User data of all paths, in bits a second.
    pub fn total_goodput_bps(&self) -> f64 {
        self.goodput_bps.iter().sum()
    }
}

/// Predicts every flow of a scenario by these models, in the order of the flows.
pub fn forecasts(scenario: &Scenario, wanted: &[Model], loss: RoundLoss) -> Vec<Forecast> {
    let names = scenario.flows.iter().map(|flow| flow.name.as_str());
    let said = |(name, flow): (&str, &Result<ModelFlow, Inexpressible>)| match flow {
        Ok(flow) => forecast(flow, wanted, loss),
        Err(why) => none(name, wanted, why),
    };
    names.zip(&ModelFlow::all(scenario)).map(said).collect()
}

/// Predicts a flow by these models.
pub fn forecast(flow: &ModelFlow, wanted: &[Model], loss: RoundLoss) -> Forecast {
    let limits = flow.limits(&markov(loss)).map_err(|error| error.to_string());
    let models: Vec<(Model, Result<Prediction, String>)> =
        wanted.iter().map(|model| (*model, prediction(flow, *model, loss, &limits))).collect();
    let mut notes = flow.notes.clone();
    notes.extend(flow.supposed());
    notes.extend(limits.as_ref().ok().and_then(|limits| flow.overfull(limits)));
    let found = models.iter().filter_map(|(model, found)| Some((*model, found.as_ref().ok()?)));
    notes.extend(found.filter_map(|(model, found)| beyond_the_links(flow, model, found)));
    Forecast {
        flow: flow.name.clone(),
        basis: Some(Basis {
            receive_buffer: flow.receive_buffer,
            paths: flow.paths.iter().map(|path| path.name.clone()).collect(),
            limits: limits.ok(),
            windows: flow.windows.clone(),
        }),
        models,
        notes,
    }
}

/// Returns the forecast of a flow that the models have no place for.
fn none(name: &str, wanted: &[Model], why: &Inexpressible) -> Forecast {
    Forecast {
        flow: name.to_owned(),
        basis: None,
        models: wanted.iter().map(|model| (*model, Err(why.to_string()))).collect(),
        notes: Vec::new(),
    }
}

fn prediction(
    flow: &ModelFlow,
    name: Model,
    loss: RoundLoss,
    limits: &Result<Vec<u32>, String>,
) -> Result<Prediction, String> {
    let rates = match name {
        Model::Markov => markov(loss).throughput(&limited(flow, limits)?),
        Model::Renewal => Renewal::default().throughput(&limited(flow, limits)?),
        Model::Pftk => {
            let model = Pftk { acks: flow.packets_per_ack, ..Pftk::default() };
            model.throughput(&limited(flow, limits)?)
        }
        Model::Mptcp => mptcp(flow),
    };
    let rates = rates.map_err(|error| error.to_string())?;
    Ok(Prediction {
        throughput_bps: rates.iter().map(|rate| flow.throughput_bps(*rate)).collect(),
        goodput_bps: rates.iter().map(|rate| flow.goodput_bps(*rate)).collect(),
    })
}

/// The Markov model of predictions and plans: windows are halved upwards, as adopted.
pub fn markov(loss: RoundLoss) -> Markov {
    Markov { loss, halving: Halving::Ceil }
}

fn limited(flow: &ModelFlow, limits: &Result<Vec<u32>, String>) -> Result<Vec<LimitedPath>, String> {
    limits.as_ref().map(|limits| flow.limited(limits)).map_err(Clone::clone)
}

/// The windows share the buffer and have no limits.
fn mptcp(flow: &ModelFlow) -> Result<Vec<f64>, ModelError> {
    let buffer = (flow.windows != Windows::Whole).then_some(flow.receive_buffer);
    let model = Mptcp { acks: flow.packets_per_ack, buffer, ..Mptcp::default() };
    model.throughput(&flow.limited(&vec![flow.receive_buffer.max(1); flow.paths.len()]))
}

/// A model without links may say more than they carry.
fn beyond_the_links(flow: &ModelFlow, model: Model, found: &Prediction) -> Option<String> {
    let is_beyond =
        |(path, bps): (&ModelPath, &f64)| *bps > flow.throughput_bps(path.parameters.rate) * (1.0 + 1e-9);
    let is_any = flow.paths.iter().zip(&found.throughput_bps).any(is_beyond);
    is_any.then(|| {
        format!("{} does not use the rates of links, and predicts more than they carry", model.name())
    })
}
