//! The measurements of a run beside its result: the times of deliveries, and the waits of packets for their links.

use anabranch_base::Time;
use anabranch_runs::grid::RunGauge;
use anabranch_scenario::Scenario;
use anabranch_sim::observe::{Host, Observation, Seen, Watch};

use super::course::Course;
use super::found::{Deliveries, Found};

/// A run of a network, seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    course: Course,
    deliveries: Deliveries,
    /// Nanoseconds, of the packets that the sender sent after the warm-up.
    waits: Vec<u64>,
}

impl Measured {
    /// The time it took to find the rates after events.
    pub fn found(&self) -> Found {
        self.deliveries.found(&self.course)
    }

    /// The time that 95 % of the packets did not exceed in waiting for the line of a link, in milliseconds; without
    /// propagation and jitter. 0 without packets.
    pub(crate) fn queue_ms(&mut self) -> f64 {
        let Some(last) = self.waits.len().checked_sub(1) else { return 0.0 };
        // At least 95 % of them are not longer than the one at this place.
        let place = (self.waits.len() * 95).div_ceil(100) - 1;
        let (_, nanos, _) = self.waits.select_nth_unstable(place.min(last));
        *nanos as f64 / 1e6
    }
}

impl RunGauge for Measured {
    const WATCH: Watch =
        Watch { paths: false, queues: false, waits: true, packets: false, deliveries: true, frames: false };

    fn new(scenario: &Scenario) -> Result<Measured, String> {
        let course = Course::of(scenario).map_err(|error| error.to_string())?;
        Ok(Measured { course, deliveries: Deliveries::default(), waits: Vec::new() })
    }

    fn see(&mut self, observation: &Observation) {
        let at = observation.at.since(Time::ZERO).as_secs_f64();
        match &observation.what {
            Seen::Delivery(seen) if seen.from == Host::First => {
                self.deliveries.add(at, seen.bytes.get() as f64);
            }
            Seen::Wait(seen) if seen.from == Host::First && at >= self.course.warmup_s => {
                self.waits.push(seen.waited.as_nanos());
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::{ByteCount, Duration};
    use anabranch_sim::observe::{DeliverySeen, WaitSeen};

    use super::super::network::{Network, parse};
    use super::*;

    fn measured() -> Measured {
        let network = Network::find("core-50").expect("there is one");
        Measured::new(&parse(&network.toml).expect("a scenario")).expect("it has a bound")
    }

    fn wait(measured: &mut Measured, from: Host, at_s: u64, ms: u64) {
        let what = Seen::Wait(WaitSeen { link: 0, from, waited: Duration::from_millis(ms) });
        measured.see(&Observation { at: Time::ZERO + Duration::from_secs(at_s), what });
    }

    #[test]
    fn the_queueing_delay_is_that_of_the_data_after_the_warm_up() {
        let mut measured = measured();
        assert_eq!(measured.queue_ms(), 0.0);
        for number in 1..=100 {
            wait(&mut measured, Host::First, 6, number);
            wait(&mut measured, Host::First, 4, 1_000);
            wait(&mut measured, Host::Second, 6, 1_000);
        }
        assert_eq!(measured.queue_ms(), 95.0);
    }

    #[test]
    fn deliveries_tell_when_a_rate_was_found() {
        let mut measured = measured();
        for tenth in 0..250 {
            let at = Time::ZERO + Duration::from_millis(100 * tenth + 5);
            let seen = DeliverySeen {
                flow: 0,
                from: Host::First,
                bytes: ByteCount::new(363_000),
                delay: Duration::from_millis(1),
            };
            measured.see(&Observation { at, what: Seen::Delivery(seen) });
        }
        assert_eq!((measured.found().mean_s, measured.found().missed), (0.5, 0));
    }
}
