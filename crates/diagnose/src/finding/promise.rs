//! Promises: results of remedies in a simulation of the links.

use serde::Serialize;

use super::Finding;
use crate::estimated::Estimated;
use crate::remedy::Remedy;

/// The result of a change in the simulator.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Promise {
    /// The option that makes the change: `--set sctp.congestion_control=westwood`.
    pub set: String,
    /// The goodput with it.
    pub goodput_bps: Estimated,
    /// The goodput with it less that without it.
    pub gain_bps: Estimated,
    /// The delay of an echo with it less that without it, in seconds.
    pub echo_change_s: Option<Estimated>,
}

/// Adds to each finding the best promise for its setting, with the value that was simulated. A remedy that was simulated and
/// brings nothing is taken away.
pub fn with_promises(mut findings: Vec<Finding>, promises: &[Promise]) -> Vec<Finding> {
    findings.iter_mut().for_each(|finding| promise(finding, promises));
    findings
}

fn promise(finding: &mut Finding, promises: &[Promise]) {
    let Some(Remedy::Set { key, .. }) = finding.remedy else { return };
    let simulated: Vec<(&Promise, &str)> =
        promises.iter().filter_map(|one| Some((one, value_of(&one.set, key)?))).collect();
    if simulated.is_empty() {
        return;
    }
    let is_delay = finding.cost_bps.is_none() && finding.delay_s.is_some();
    let helpful = simulated.into_iter().filter(|(one, _)| one.helps(is_delay));
    match helpful.max_by(|(one, _), (other, _)| one.merit(is_delay).total_cmp(&other.merit(is_delay))) {
        Some((best, value)) => {
            finding.remedy = Some(Remedy::Set { key, value: value.to_owned() });
            finding.promise = Some(best.clone());
        }
        None => {
            finding.evidence.push(format!("no value of {key} that was simulated brings more"));
            (finding.remedy, finding.place) = (None, None);
        }
    }
}

impl Promise {
    /// Returns true if the gain, or the shorter delay, is more than noise and leaves the goodput as it is.
    fn helps(&self, is_delay: bool) -> bool {
        if is_delay {
            self.echo_change_s.is_some_and(|change| change.high < 0.0)
                && self.gain_bps.value >= -MOST_LOST * self.goodput_bps.value
        } else {
            self.gain_bps.low > 0.0
        }
    }

    fn merit(&self, is_delay: bool) -> f64 {
        let gain = if is_delay {
            self.echo_change_s.map_or(0.0, |change| -change.value)
        } else {
            self.gain_bps.value
        };
        if gain.is_nan() { f64::NEG_INFINITY } else { gain }
    }
}

/// The value that `set` gives to `key`, if it makes one change, that of `key`.
fn value_of<'a>(set: &'a str, key: &str) -> Option<&'a str> {
    let change = set.strip_prefix("--set ")?.strip_prefix("sctp.")?;
    let value = change.strip_prefix(key)?.strip_prefix('=')?;
    (!value.contains("--set") && value.chars().all(|c| !c.is_control())).then_some(value)
}

/// A shorter delay may cost this part of the goodput.
const MOST_LOST: f64 = 0.02;
