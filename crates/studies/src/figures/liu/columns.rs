//! The values of a point: simulated, by the model, and by formula (1), in Mbit/s of packets of 592 bytes.

use anabranch_models::Mptcp;
use anabranch_models::mptcp::{Coupling, Subflow};
use anabranch_models::square_root::{SquareRoot, SquareRootParameters};

use super::super::FigureError;
use super::super::figure::{ComputedValue, Origin, ValueSource};
use super::super::run_values::RunValues;
use super::choice::{PACKET, PAYLOAD, SubflowLink};

/// The data that the connection delivered in order.
pub(super) fn simulated(scenario: String) -> ValueSource {
    // Runs count packets of 1500 bytes with 1452 bytes of user data.
    let compute =
        |run: &RunValues, _: &[f64]| Ok(run.first_flow * (1452.0 / 1500.0) * (PACKET / f64::from(PAYLOAD)));
    ValueSource::Computed(ComputedValue { scenario, compute, with: Vec::new() })
}

/// The model by the nominal losses and round trips.
///
/// # Errors
/// It has no answer.
pub(crate) fn nominal(
    links: &[SubflowLink],
    least_timeout: f64,
    buffer: Option<u32>,
    is_coupled: bool,
) -> Result<ValueSource, FigureError> {
    let coupling = if is_coupled { Coupling::FixedPoint } else { Coupling::ClosedForm };
    let subflow = |link: &SubflowLink| subflow(link.loss, link.round_trip_ms / 1e3, least_timeout);
    let subflows: Vec<Subflow> = links.iter().map(subflow).collect();
    let model = Mptcp { coupling, buffer, ..Mptcp::default() };
    Ok(ValueSource::Given(Origin::Model, vec![megabits(model.solve(&subflows)?.total)]))
}

/// The model by what each run met on its subflows.
pub(crate) fn as_measured(
    scenario: String,
    subflows: usize,
    least_timeout: f64,
    buffer: Option<u32>,
) -> ValueSource {
    let with = vec![subflows as f64, least_timeout, buffer.map_or(0.0, f64::from)];
    ValueSource::Computed(ComputedValue { scenario, compute: by_run, with })
}

/// `with` has the number of subflows, the least time-out, and the buffer, 0 without one. Not a number where a run's losses are
/// beyond the model's domain.
fn by_run(run: &RunValues, with: &[f64]) -> Result<f64, FigureError> {
    let (count, least, packets) = (with[0] as usize, with[1], with[2] as u32);
    let met = run.paths.iter().take(count);
    let subflows: Vec<Subflow> = met.map(|path| subflow(path.loss, path.round_trip, least)).collect();
    let model = Mptcp { buffer: (packets > 0).then_some(packets), ..Mptcp::default() };
    Ok(model.solve(&subflows).map_or(f64::NAN, |found| megabits(found.total)))
}

/// Formula (1).
///
/// # Errors
/// A value outside its domain.
pub(crate) fn formula(links: &[SubflowLink]) -> Result<ValueSource, FigureError> {
    let path =
        |link: &SubflowLink| SquareRootParameters { loss: link.loss, round_trip: link.round_trip_ms / 1e3 };
    let rate = SquareRoot::default().connection(&links.iter().map(path).collect::<Vec<_>>())?;
    Ok(ValueSource::Given(Origin::Model, vec![megabits(rate)]))
}

/// RTO = 3 RTT, `least` or more.
fn subflow(loss: f64, round_trip: f64, least: f64) -> Subflow {
    Subflow { loss, round_trip, timeout: least.max(3.0 * round_trip) }
}

/// Packets/s as Mbit/s.
fn megabits(packets_per_second: f64) -> f64 {
    packets_per_second * PACKET * 8.0 / 1e6
}
