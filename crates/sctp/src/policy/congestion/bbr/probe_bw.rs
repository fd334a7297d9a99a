//! Probing for bandwidth: more than the path delivered, then less, then as much (draft-ietf-ccwg-bbr, "ProbeBW", and "Probing
//! for Bandwidth In ProbeBW").

use anabranch_base::Duration;

use super::loss::LOSS_THRESHOLD;
use super::machine::{AckPhase, Chance, Flight, Machine, State, fits, least_window};
use super::model::{BETA, BbrModel};
use super::sampler::{RateSample, SentPacket};

impl Machine {
    /// `HandleLostPacket`: `size` bytes of `packet` were lost; `lost` bytes since it left, including these.
    pub(super) fn on_lost(
        &mut self,
        packet: &SentPacket,
        size: f64,
        lost: f64,
        model: &mut BbrModel,
        flight: &Flight,
        chance: &mut Chance<'_>,
    ) {
        if self.cycle.is_probe_sample && flight.losses.is_too_high(lost, packet.in_flight) {
            let in_flight = in_flight_at_loss(packet.in_flight, size, lost);
            self.handle_too_high((!packet.is_app_limited).then_some(in_flight), model, flight, chance);
        }
    }

    /// `StartProbeBW_DOWN`, `PickProbeWait`
    pub(super) fn go_down(&mut self, model: &mut BbrModel, flight: &Flight, chance: &mut Chance<'_>) {
        model.reset_congestion_signals();
        self.cycle.up_acked_per_unit = f64::INFINITY;
        self.cycle.rounds_since_probe = u64::from(chance() < 0.5);
        self.cycle.wait = Duration::from_nanos(((2.0 + chance()) * 1e9) as u64);
        self.cycle.since = flight.now;
        self.cycle.ack_phase = AckPhase::ProbeStopping;
        model.start_round(flight.delivered);
        self.state = State::Down;
    }

    /// `StartProbeBW_REFILL`
    pub(super) fn refill(&mut self, model: &mut BbrModel, flight: &Flight) {
        model.reset_short_term();
        (self.cycle.up_rounds, self.cycle.up_acked) = (0, 0.0);
        self.cycle.was_precautionary = false;
        self.cycle.ack_phase = AckPhase::Refilling;
        model.start_round(flight.delivered);
        self.state = State::Refill;
    }

    /// `StartProbeBW_UP`
    pub(super) fn go_up(&mut self, sample: &RateSample, model: &mut BbrModel, flight: &Flight) {
        self.cycle.ack_phase = AckPhase::ProbeStarting;
        model.start_round(flight.delivered);
        self.reset_full(sample.rate);
        self.state = State::Up;
        self.raise_slope(flight);
    }

    /// `UpdateProbeBWCyclePhase`
    pub(super) fn follow_cycle(
        &mut self,
        sample: &RateSample,
        model: &mut BbrModel,
        flight: &Flight,
        chance: &mut Chance<'_>,
    ) {
        if !self.full.was_reached || self.adapt_long_term(sample, model, flight) {
            return;
        }
        let state = self.state;
        match state {
            State::Down | State::Cruise if self.is_time_to_probe(model, flight) => self.refill(model, flight),
            State::Down if is_time_to_cruise(model, flight) => self.state = State::Cruise,
            State::Refill if model.is_round_start() => {
                self.cycle.is_probe_sample = true;
                self.go_up(sample, model, flight);
            }
            State::Up if self.is_time_to_go_down(sample, model, flight) => {
                self.cycle.was_too_high = false;
                self.go_down(model, flight, chance);
            }
            _ => {}
        }
    }

    /// `IsTimeToProbeBW`: after two to three seconds, or after as many round trips as Reno needs to grow by the flight.
    pub(super) fn is_time_to_probe(&self, model: &BbrModel, flight: &Flight) -> bool {
        let reno_rounds = (target_inflight(model, flight) / flight.unit).min(MOST_RENO_ROUNDS) as u64;
        flight.now > self.cycle.since + self.cycle.wait || self.cycle.rounds_since_probe >= reno_rounds
    }

    /// `IsTimeToGoDown`
    pub(super) fn is_time_to_go_down(
        &mut self,
        sample: &RateSample,
        model: &BbrModel,
        flight: &Flight,
    ) -> bool {
        if self.cycle.was_too_high && flight.in_flight >= model.inflight_longterm {
            self.cycle.was_precautionary = true;
            return true;
        }
        if flight.is_cwnd_limited && flight.cwnd >= model.inflight_longterm {
            self.reset_full(sample.rate);
            return false;
        }
        self.full.is_now
    }

    /// `RaiseInflightLongtermSlope`
    pub(super) fn raise_slope(&mut self, flight: &Flight) {
        let growth = f64::from(1_u32 << self.cycle.up_rounds);
        self.cycle.up_rounds = (self.cycle.up_rounds + 1).min(30);
        self.cycle.up_acked_per_unit = (flight.cwnd / growth).max(flight.unit);
    }

    /// `ProbeInflightLongtermUpward`
    pub(super) fn probe_upward(&mut self, sample: &RateSample, model: &mut BbrModel, flight: &Flight) {
        if !flight.is_cwnd_limited || flight.cwnd < model.inflight_longterm {
            return;
        }
        self.cycle.up_acked += sample.newly_acked;
        if self.cycle.up_acked >= self.cycle.up_acked_per_unit {
            let units = (self.cycle.up_acked / self.cycle.up_acked_per_unit).floor();
            self.cycle.up_acked -= units * self.cycle.up_acked_per_unit;
            model.inflight_longterm += units * flight.unit;
        }
        if model.is_round_start() {
            self.raise_slope(flight);
        }
    }

    /// `AdaptLongTermModel`. Returns true if it changed the state.
    pub(super) fn adapt_long_term(
        &mut self,
        sample: &RateSample,
        model: &mut BbrModel,
        flight: &Flight,
    ) -> bool {
        if self.cycle.ack_phase == AckPhase::ProbeStarting && model.is_round_start() {
            self.cycle.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.cycle.ack_phase == AckPhase::ProbeStopping && model.is_round_start() {
            self.cycle.is_probe_sample = false;
            self.cycle.ack_phase = AckPhase::Init;
            if self.is_in_probe_bw() && !sample.is_app_limited {
                model.advance_cycle();
            }
            if self.is_in_probe_bw() && self.cycle.was_precautionary && !self.cycle.was_too_high {
                self.refill(model, flight);
                return true;
            }
        }
        let is_safe = !flight.losses.is_too_high(sample.lost, sample.in_flight_then);
        if is_safe && model.inflight_longterm.is_finite() {
            model.inflight_longterm = model.inflight_longterm.max(sample.in_flight_then);
            if self.state == State::Up {
                self.probe_upward(sample, model, flight);
            }
        }
        false
    }

    /// `HandleInflightTooHigh`. `in_flight` is the flight at the loss, unless the application limited it.
    pub(super) fn handle_too_high(
        &mut self,
        in_flight: Option<f64>,
        model: &mut BbrModel,
        flight: &Flight,
        chance: &mut Chance<'_>,
    ) {
        self.cycle.was_too_high = true;
        self.cycle.is_probe_sample = false;
        if let Some(in_flight) = in_flight {
            model.inflight_longterm = in_flight.max(target_inflight(model, flight) * BETA);
        }
        if self.state == State::Up {
            self.go_down(model, flight, chance);
        }
    }
}

/// `InflightAtLoss`: the flight at which losses crossed the threshold, within the `size` bytes at the end of
/// `in_flight`.
fn in_flight_at_loss(in_flight: f64, size: f64, lost: f64) -> f64 {
    let (in_flight_before, lost_before) = (in_flight - size, lost - size);
    in_flight_before + (LOSS_THRESHOLD * in_flight_before - lost_before) / (1.0 - LOSS_THRESHOLD)
}

/// `TargetInflight`
fn target_inflight(model: &BbrModel, flight: &Flight) -> f64 {
    model.bdp(1.0).unwrap_or(f64::INFINITY).min(flight.cwnd)
}

/// `IsTimeToCruise`
fn is_time_to_cruise(model: &BbrModel, flight: &Flight) -> bool {
    let headroom = model.with_headroom(flight.unit, least_window(flight.unit));
    flight.in_flight <= headroom && fits(model, model.max_bw, flight)
}

/// `IsRenoCoexistenceProbeTime`: the most round trips between probes.
const MOST_RENO_ROUNDS: f64 = 63.0;

#[cfg(test)]
mod tests {
    use anabranch_base::Time;

    use super::super::sampler::DeliverySampler;
    use super::super::state::tests::{Bench, RATE, UNIT};
    use super::*;

    /// The number of rounds until the state is `state`.
    fn until(bench: &mut Bench, state: State) -> u32 {
        (1..=200).find(|_| bench.round(RATE) == state).expect("it is reached")
    }

    /// Loses 1,500 B of a packet that left as the last of 150,000, as the last of `lost`.
    fn lose(bench: &mut Bench, lost: f64, is_app_limited: bool) -> State {
        let mut sampler = DeliverySampler::new();
        if is_app_limited {
            sampler.on_app_limited(150_000.0);
        }
        sampler.on_sent(1, 150_000.0, false, Time::ZERO);
        let packet = sampler.on_lost(1, UNIT).expect("it left");
        bench.machine.on_lost(&packet, UNIT, lost, &mut bench.model, &bench.flight, &mut || 0.9);
        bench.machine.state
    }

    /// 100,000 B are 66 packets, so that Reno needs more than 63 round trips; 63 of 40 ms are 2.52 s, less than the 2.9 s
    /// that are drawn.
    #[test]
    fn the_next_probe_comes_after_sixty_three_round_trips() {
        let mut bench = Bench::in_state(State::Down);
        assert_eq!(bench.machine.pacing_gain(), 0.9);
        assert_eq!(bench.round(RATE), State::Cruise);
        assert_eq!(until(&mut bench, State::Refill), 62);
        assert_eq!((bench.round(RATE), bench.machine.pacing_gain()), (State::Up, 1.25));
    }

    /// At 25,000 B, of 16 packets, after sixteen round trips, as many as Reno needs.
    #[test]
    fn on_a_short_path_it_comes_as_often_as_reno_fills_it() {
        let mut bench = Bench::in_state(State::Down);
        bench.flight.cwnd = 25_000.0;
        assert_eq!(until(&mut bench, State::Refill), 16);
    }

    /// With a draw of 0, 2 s: the SACK after 51 round trips of 40 ms is the first that comes later.
    #[test]
    fn on_a_long_path_it_comes_after_two_to_three_seconds() {
        let mut bench = Bench::in_state(State::Cruise);
        bench.chance = 0.0;
        until(&mut bench, State::Up);
        until(&mut bench, State::Down);
        assert_eq!(until(&mut bench, State::Refill), 51);
    }

    #[test]
    fn down_waits_for_an_empty_queue_and_headroom() {
        let mut bench = Bench::in_state(State::Down);
        bench.flight.in_flight = 100_001.0;
        assert_eq!(bench.round(RATE), State::Down, "100,000 B fill the path");
        bench.model.inflight_longterm = 110_000.0;
        bench.flight.in_flight = 93_501.0;
        assert_eq!(bench.round(RATE), State::Down, "85 % are 93,500 B");
        bench.flight.in_flight = 93_500.0;
        assert_eq!(bench.round(RATE), State::Cruise);
    }

    #[test]
    fn a_probe_ends_after_three_round_trips_that_carry_no_more() {
        let mut bench = Bench::in_state(State::Up);
        assert_eq!(until(&mut bench, State::Down), 3);
        let mut bench = Bench::in_state(State::Up);
        assert_eq!(
            [RATE * 1.25, RATE, RATE, RATE].map(|rate| bench.round(rate))[2..],
            [State::Up, State::Down]
        );
    }

    /// Before the packet, 148,500 B were in flight and 3,000 lost: (0.02 · 148,500 - 3,000) / 0.98 = -30.6.
    #[test]
    fn losses_above_two_percent_end_a_probe_and_bound_what_may_be_in_flight() {
        let mut bench = Bench::in_state(State::Up);
        assert_eq!(lose(&mut bench, 3_000.0, false), State::Up, "2 % of 150,000");
        assert_eq!(lose(&mut bench, 4_500.0, false), State::Down);
        assert!((bench.model.inflight_longterm - 148_469.4).abs() < 0.1, "{}", bench.model.inflight_longterm);
        bench.model.inflight_longterm = f64::INFINITY;
        lose(&mut bench, 9_000.0, false);
        assert!(bench.model.inflight_longterm.is_infinite(), "a probe is answered once");
    }

    #[test]
    fn losses_of_what_the_application_limits_end_a_probe_and_bound_nothing() {
        let mut bench = Bench::in_state(State::Up);
        assert_eq!(lose(&mut bench, 4_500.0, true), State::Down);
        assert!(bench.model.inflight_longterm.is_infinite());
    }

    #[test]
    fn after_a_probe_that_went_too_high_the_next_one_is_short_and_the_one_after_it_follows_at_once() {
        let mut bench = Bench::in_state(State::Up);
        lose(&mut bench, 4_500.0, false);
        until(&mut bench, State::Up);
        bench.flight.in_flight = 149_000.0;
        assert_eq!(bench.round(RATE), State::Down, "148,469 B are reached");
        bench.flight.in_flight = 100_000.0;
        assert_eq!([(); 2].map(|()| bench.round(RATE)), [State::Refill, State::Up]);
        bench.flight.in_flight = 149_000.0;
        assert_eq!(bench.round(RATE), State::Up, "this one stays");
    }

    /// Each SACK acknowledges a window, so that the bound grows by 1, 2 and 4 packets.
    #[test]
    fn a_bound_that_holds_a_probe_back_grows_twice_as_fast_each_round_trip() {
        let mut bench = Bench::in_state(State::Refill);
        bench.model.inflight_longterm = 100_000.0;
        (bench.flight.cwnd, bench.flight.is_cwnd_limited) = (100_000.0, true);
        bench.round(RATE);
        let grown = [(); 3].map(|()| {
            let before = bench.model.inflight_longterm;
            bench.flight.cwnd = before;
            bench.sack(RateSample { newly_acked: before, ..bench.sample() });
            (bench.model.inflight_longterm - before) / UNIT
        });
        assert_eq!(grown, [1.0, 2.0, 4.0]);
    }
}
