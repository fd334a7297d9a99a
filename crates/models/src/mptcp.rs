//! Liu and others' model of multipath TCP with a shared receive buffer (LIU), as corrected. The model has losses, times
//! and one buffer; no window is limited, and no rate bounds a subflow.

mod all_but;
mod blocking;
mod coupled;
mod rate;
mod window;

pub use blocking::Blocking;

use crate::error::{check_first_timeout, check_loss, check_round_trip};
use crate::{LimitedPath, ModelError, ThroughputModel};
use blocking::BlockingInputs;
use window::SubflowWindow;

/// The model: a **send rate**, which counts lost packets as well as those that arrive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mptcp {
    /// Data packets per acknowledgement, 1 or more. The closed form does not depend on it (L-3).
    pub acks: u32,
    /// The rule of the subflows' windows.
    pub coupling: Coupling,
    /// The rule by which the receive buffer blocks subflows.
    pub blocking: Blocking,
    /// The receive buffer that the subflows share, in packets, 1 or more; endless without one.
    pub buffer: Option<u32>,
}

/// The rule for the window of a subflow at a loss, W, and for its rounds for one packet of growth, m.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Coupling {
    /// W = √(2 (1 − p) / (3 p)), m = 4 (LIU (18), L-2): what the paper computes with. It is coupled in name only: each
    /// subflow is one of two equal ones.
    #[default]
    ClosedForm,
    /// LIU (18) as printed with a ratio t of the mean window to W other than √3 / 2.
    PrintedQuadratic {
        /// t, above 0 and at most 1.
        mean_to_peak: f64,
    },
    /// The windows that LIU (2) and (3) settle at, each by those of all others (models of section 4.1): 1 packet or more.
    FixedPoint,
}

/// A subflow as the model sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subflow {
    /// p: the probability that a packet is lost; above 0 and below 1.
    pub loss: f64,
    /// RTT, in seconds; above 0.
    pub round_trip: f64,
    /// RTO: the first time-out after a loss, in seconds; above 0. 3 RTT, 200 ms or more, is nearest to what LIU report
    /// (L-5).
    pub timeout: f64,
}

/// The throughput of a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct MptcpThroughput {
    /// Of all subflows, in packets/s.
    pub total: f64,
    /// Of each, in their order.
    pub subflows: Vec<SubflowThroughput>,
}

/// The throughput of one subflow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SubflowThroughput {
    /// P(j, ∗) TP: packets/s.
    pub throughput: f64,
    /// TP: packets/s while nothing blocks it.
    pub unblocked_rate: f64,
    /// P(j, ∗): the probability that nothing blocks it (LIU (37)).
    pub unblocked: f64,
    /// W: the window when a loss comes, in packets.
    pub window: f64,
    /// m: rounds in which the window grows by one packet.
    pub growth: f64,
    /// Q: the probability that a loss ends in a time-out (LIU (25)).
    pub timeout_probability: f64,
}

impl Default for Mptcp {
    /// As adopted, with an acknowledgement of each packet and an endless buffer.
    fn default() -> Mptcp {
        Mptcp { acks: 1, coupling: Coupling::ClosedForm, blocking: Blocking::Adopted, buffer: None }
    }
}

impl Subflow {
    /// Returns true if every value is in its domain.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check(&self) -> Result<(), ModelError> {
        check_loss(self.loss)?;
        check_round_trip(self.round_trip)?;
        check_first_timeout(self.timeout)?;
        if self.loss < f64::MIN_POSITIVE || self.loss >= 1.0 {
            let why = format!("subflows need a loss probability above 0 and below 1, not {}", self.loss);
            return Err(ModelError::Domain { model: Mptcp::NAME, why });
        }
        Ok(())
    }
}

impl Mptcp {
    const NAME: &'static str = "mptcp";

    /// The throughput of a connection of `subflows`. The computation takes time with the square of their number.
    ///
    /// # Errors
    /// No subflow, or a parameter outside its domain. A loss probability above 0.4 is outside that of the closed form,
    /// which would have windows below one packet there.
    pub fn solve(&self, subflows: &[Subflow]) -> Result<MptcpThroughput, ModelError> {
        self.check(subflows)?;
        let windows = self.windows(subflows)?;
        let elsewhere = rate::retransmitting(subflows);
        let unblocked = match (self.buffer, elsewhere.iter().copied().collect::<Option<Vec<f64>>>()) {
            (Some(buffer), Some(repairs)) => {
                let shared = BlockingInputs {
                    subflows,
                    windows: &windows,
                    repairs: &repairs,
                    buffer: f64::from(buffer),
                };
                shared.unblocked(self.blocking)
            }
            // With an endless buffer, or with no other subflow, nothing blocks.
            _ => vec![1.0; subflows.len()],
        };

        let each = subflows.iter().zip(&windows).zip(elsewhere).zip(unblocked);
        let carried = each.map(|(((subflow, window), elsewhere), unblocked)| {
            SubflowThroughput::of(window, rate::unblocked(subflow, window, elsewhere), unblocked)
        });
        let subflows = carried.collect::<Result<Vec<_>, _>>()?;
        let total = subflows.iter().map(|subflow| subflow.throughput).sum();
        Ok(MptcpThroughput { total: ModelError::unless_finite(Mptcp::NAME, total)?, subflows })
    }

    fn check(&self, subflows: &[Subflow]) -> Result<(), ModelError> {
        if subflows.is_empty() {
            return Err(ModelError::NoPath);
        }
        if self.acks == 0 {
            return Err(ModelError::NoAcknowledged);
        }
        if self.buffer == Some(0) {
            return Err(ModelError::NoBuffer);
        }
        if let Coupling::PrintedQuadratic { mean_to_peak } = self.coupling
            && !(mean_to_peak > 0.0 && mean_to_peak <= 1.0)
        {
            let why = format!("a mean window of {mean_to_peak} of the largest is not above 0 and at most 1");
            return Err(ModelError::Domain { model: Mptcp::NAME, why });
        }
        subflows.iter().try_for_each(Subflow::check)
    }

    fn windows(&self, subflows: &[Subflow]) -> Result<Vec<SubflowWindow>, ModelError> {
        let by_loss = |window: &dyn Fn(f64) -> SubflowWindow| {
            subflows.iter().map(|subflow| window(subflow.loss).check(Mptcp::NAME, subflow.loss)).collect()
        };
        match self.coupling {
            Coupling::ClosedForm => by_loss(&SubflowWindow::closed_form),
            Coupling::PrintedQuadratic { mean_to_peak } => {
                by_loss(&|loss| SubflowWindow::printed(loss, mean_to_peak))
            }
            Coupling::FixedPoint => coupled::windows(subflows, f64::from(self.acks)),
        }
    }
}

impl SubflowThroughput {
    fn of(
        window: &SubflowWindow,
        unblocked_rate: f64,
        unblocked: f64,
    ) -> Result<SubflowThroughput, ModelError> {
        for value in [window.peak, window.growth, unblocked_rate, unblocked] {
            ModelError::unless_finite(Mptcp::NAME, value)?;
        }
        Ok(SubflowThroughput {
            throughput: unblocked_rate * unblocked,
            unblocked_rate,
            unblocked,
            window: window.peak,
            growth: window.growth,
            timeout_probability: window.timeout_probability(),
        })
    }
}

impl ThroughputModel for Mptcp {
    fn name(&self) -> &'static str {
        Mptcp::NAME
    }

    /// The paths as the subflows of one connection, with RTT = d + 1/b and RTO = 3 RTT between the path's bounds. The
    /// model has no limits of windows, so that `limit` is not used. It has no rate either: a subflow's result is cut to
    /// b.
    fn throughput(&self, paths: &[LimitedPath]) -> Result<Vec<f64>, ModelError> {
        paths.iter().try_for_each(LimitedPath::check)?;
        let subflows = paths.iter().map(|LimitedPath { path, .. }| {
            let (round_trip, timeout) = (path.round(1.0), path.timeout(1.0));
            Subflow { loss: path.loss, round_trip, timeout }
        });
        let carried = self.solve(&subflows.collect::<Vec<_>>())?;
        let bounded = carried
            .subflows
            .iter()
            .zip(paths)
            .map(|(subflow, limited)| subflow.throughput.min(limited.path.rate));
        Ok(bounded.collect())
    }
}
