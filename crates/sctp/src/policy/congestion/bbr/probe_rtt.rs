//! ProbeRTT: halves the flight every five seconds, to measure the least round trip (draft-ietf-ccwg-bbr, "ProbeRTT").

use anabranch_base::Duration;

use super::machine::{Chance, Flight, Machine, State, Steps, least_window};
use super::model::BbrModel;

impl Machine {
    /// `CheckProbeRTTDone`, when a path that was idle sends again. Returns true if ProbeRTT ends.
    pub(crate) fn check_probe_rtt_done(
        &mut self,
        model: &mut BbrModel,
        flight: &Flight,
        chance: &mut Chance<'_>,
    ) -> bool {
        let is_done =
            self.state == State::ProbeRtt && self.probe_rtt.done_at.is_some_and(|at| flight.now > at);
        if is_done {
            model.min_rtt.on_probed(flight.now);
            self.leave_probe_rtt(model, flight, chance);
        }
        is_done
    }

    /// `CheckProbeRTT`
    pub(super) fn check_probe_rtt(
        &mut self,
        model: &mut BbrModel,
        flight: &Flight,
        chance: &mut Chance<'_>,
    ) -> Steps {
        let begins = self.state != State::ProbeRtt && self.is_time_for_probe_rtt(model, flight);
        if begins {
            self.state = State::ProbeRtt;
            self.probe_rtt.due_since = None;
            self.probe_rtt.done_at = None;
            self.cycle.stop();
            model.start_round(flight.delivered);
        }
        let ends = self.state == State::ProbeRtt && self.follow_probe_rtt(model, flight, chance);
        Steps { begins_probe_rtt: begins, ends_probe_rtt: ends }
    }

    /// Returns true if the least round trip has to be measured and no other path measures its own. It waits at most a
    /// second for another path.
    pub(super) fn is_time_for_probe_rtt(&mut self, model: &BbrModel, flight: &Flight) -> bool {
        if model.min_rtt.is_expired && !self.is_idle_restart {
            self.probe_rtt.due_since.get_or_insert(flight.now);
        }
        let Some(since) = self.probe_rtt.due_since else { return false };
        flight.may_probe_rtt || flight.now > since + LONGEST_WAIT
    }

    /// `HandleProbeRTT`. Returns true if ProbeRTT ends.
    pub(super) fn follow_probe_rtt(
        &mut self,
        model: &mut BbrModel,
        flight: &Flight,
        chance: &mut Chance<'_>,
    ) -> bool {
        if self.probe_rtt.done_at.is_none() {
            if flight.in_flight <= probe_rtt_window(model, flight.unit) {
                self.probe_rtt.done_at = Some(flight.now + PROBE_RTT_DURATION);
                self.probe_rtt.is_round_done = false;
                model.start_round(flight.delivered);
            }
            return false;
        }
        self.probe_rtt.is_round_done |= model.is_round_start();
        self.probe_rtt.is_round_done && self.check_probe_rtt_done(model, flight, chance)
    }

    /// `ExitProbeRTT`
    pub(super) fn leave_probe_rtt(&mut self, model: &mut BbrModel, flight: &Flight, chance: &mut Chance<'_>) {
        model.reset_short_term();
        if self.full.was_reached {
            self.go_down(model, flight, chance);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }
}

/// `ProbeRTTCwnd`
pub(crate) fn probe_rtt_window(model: &BbrModel, unit: f64) -> f64 {
    model.bdp(PROBE_RTT_GAIN).unwrap_or(0.0).max(least_window(unit))
}

/// `BBR.ProbeRTTCwndGain`
pub(crate) const PROBE_RTT_GAIN: f64 = 0.5;
/// `BBR.ProbeRTTDuration`
const PROBE_RTT_DURATION: Duration = Duration::from_millis(200);
/// The longest time for which a path waits until another has left ProbeRTT.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::super::sampler::RateSample;
    use super::super::state::tests::{Bench, RATE, UNIT};
    use super::*;

    /// A bench whose least round trip was last seen `rounds` rounds of 40 ms ago: each later sample took 41 ms.
    fn bench(rounds: u32) -> Bench {
        let mut bench = Bench::in_state(State::Cruise);
        let begun = bench.flight.now;
        bench.sack(RateSample { round_trip: Some(Duration::from_millis(39)), ..bench.sample() });
        (0..rounds).for_each(|_| _ = bench.round(RATE));
        assert_eq!(bench.flight.now.since(begun), Duration::from_millis(40) * u64::from(rounds + 1));
        bench
    }

    /// 5 s are 125 round trips of 40 ms.
    #[test]
    fn it_begins_when_the_least_round_trip_was_not_seen_for_five_seconds() {
        let mut bench = bench(125);
        assert_ne!(bench.machine.state, State::ProbeRtt);
        let steps = bench.sack(bench.sample());
        assert_eq!(steps, Steps { begins_probe_rtt: true, ends_probe_rtt: false });
        assert_eq!((bench.machine.state, bench.machine.cwnd_gain()), (State::ProbeRtt, 0.5));
    }

    /// Half of what fills the path in 39 ms, 97,500 B, is 48,750. The 200 ms begin with the SACK that finds the flight
    /// that small; the SACK 240 ms after it is the first that comes later.
    #[test]
    fn it_lasts_for_200_ms_from_when_little_is_in_flight_and_for_a_round_trip() {
        let mut bench = bench(126);
        assert_eq!(probe_rtt_window(&bench.model, UNIT), 48_750.0);
        (0..10).for_each(|_| _ = bench.round(RATE));
        assert_eq!(bench.machine.state, State::ProbeRtt, "too much is in flight");
        bench.flight.in_flight = 48_000.0;
        bench.round(RATE);
        let states = [(); 6].map(|()| bench.round(RATE));
        assert_eq!(states[..5], [State::ProbeRtt; 5]);
        assert_eq!(states[5], State::Cruise);
    }

    #[test]
    fn it_waits_for_another_path_for_a_second_at_most() {
        let mut bench = bench(125);
        bench.flight.may_probe_rtt = false;
        let waited = (0..100).take_while(|_| bench.round(RATE) != State::ProbeRtt).count();
        assert_eq!(waited, 26, "25 round trips of 40 ms are a second, after the first that found it due");
        let mut waits = self::bench(125);
        waits.flight.may_probe_rtt = false;
        assert_ne!(waits.round(RATE), State::ProbeRtt);
        waits.flight.may_probe_rtt = true;
        assert_eq!(waits.round(RATE), State::ProbeRtt);
    }

    #[test]
    fn a_path_that_was_idle_needs_none() {
        let mut bench = bench(125);
        bench.machine.is_idle_restart = true;
        assert_ne!(bench.round(RATE), State::ProbeRtt);
        assert!(!bench.machine.is_idle_restart, "data was delivered");
    }
}
