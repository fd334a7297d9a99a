//! The state machine of a path: the sender is alternately faster than the path delivers, slower, and as fast
//! (draft-ietf-ccwg-bbr, "State Machine Operation").

use super::machine::{Chance, Flight, Machine, State, Steps, fits, least_window};
use super::model::{BbrModel, EndedRound};
use super::probe_rtt::PROBE_RTT_GAIN;
use super::sampler::RateSample;

impl Machine {
    /// `CheckFullBWReached` to `CheckProbeRTT` of `UpdateModelAndState`, after the model has read `sample`. `ended` is
    /// the round trip with a loss that ended with it.
    pub(super) fn on_sample(
        &mut self,
        sample: &RateSample,
        model: &mut BbrModel,
        flight: &Flight,
        ended: Option<EndedRound>,
        chance: &mut Chance<'_>,
    ) -> Steps {
        if model.is_round_start() {
            self.cycle.on_round();
        }
        self.check_full(sample, model);
        self.check_startup(sample, model, flight, ended);
        self.check_drain(model, flight, chance);
        self.follow_cycle(sample, model, flight, chance);
        model.min_rtt.on_sample(sample.round_trip, flight.now);
        let steps = self.check_probe_rtt(model, flight, chance);
        self.is_idle_restart &= sample.delivered <= 0.0;
        steps
    }

    /// The peer reports a congestion mark (M-BBR-7). In Startup the path is full; in a probe too much is in flight.
    pub(super) fn on_mark(&mut self, model: &mut BbrModel, flight: &Flight, chance: &mut Chance<'_>) {
        if self.state == State::Startup {
            self.end_startup(model, flight);
        } else if self.cycle.is_probe_sample() {
            self.handle_too_high(Some(flight.in_flight), model, flight, chance);
        }
    }

    /// The gain of the pacing rate.
    pub(crate) fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => STARTUP_PACING_GAIN,
            State::Drain => 0.5,
            State::Down => 0.9,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
            State::Up => 1.0 + 0.25 * self.share,
        }
    }

    /// The gain of the window.
    pub(crate) fn cwnd_gain(&self) -> f64 {
        match self.state {
            State::Up => 1.0 + 1.25 * self.share,
            State::ProbeRtt => PROBE_RTT_GAIN,
            _ => 1.0 + self.share,
        }
    }

    fn check_full(&mut self, sample: &RateSample, model: &BbrModel) {
        if self.full.is_now || !model.is_round_start() || sample.is_app_limited {
            return;
        }
        if sample.rate >= self.full.bw * FULL_GROWTH {
            self.reset_full(sample.rate);
            return;
        }
        self.full.count += 1;
        self.full.is_now = self.full.count >= FULL_ROUNDS;
        self.full.was_reached |= self.full.is_now;
    }

    /// `CheckStartupDone`, `CheckStartupHighLoss`
    fn check_startup(
        &mut self,
        sample: &RateSample,
        model: &mut BbrModel,
        flight: &Flight,
        ended: Option<EndedRound>,
    ) {
        if self.state != State::Startup {
            return;
        }
        let has_many = ended.is_some_and(|round| round.lost_ranges >= STARTUP_LOSSES);
        if has_many && flight.losses.is_too_high(sample.lost, sample.in_flight_then) {
            self.end_startup(model, flight);
        } else if self.full.was_reached {
            self.enter_drain(model);
        }
    }

    /// Ends Startup because of losses or marks.
    fn end_startup(&mut self, model: &mut BbrModel, flight: &Flight) {
        self.full.was_reached = true;
        model.inflight_longterm =
            model.bdp(1.0).unwrap_or(0.0).max(model.inflight_latest).max(least_window(flight.unit));
        self.enter_drain(model);
    }

    fn enter_drain(&mut self, model: &BbrModel) {
        self.state = State::Drain;
        self.drain_start_round = model.round_count();
    }

    /// `CheckDrainDone`
    fn check_drain(&mut self, model: &mut BbrModel, flight: &Flight, chance: &mut Chance<'_>) {
        let is_late = model.round_count() > self.drain_start_round + DRAIN_ROUNDS;
        if self.state == State::Drain && (is_late || fits(model, model.bw, flight)) {
            self.go_down(model, flight, chance);
        }
    }
}

/// `BBR.StartupPacingGain`: 4 ln 2
pub(crate) const STARTUP_PACING_GAIN: f64 = 2.77;
/// The number of round trips without growth by a quarter after which a path counts as full.
const FULL_ROUNDS: u32 = 3;
const FULL_GROWTH: f64 = 1.25;
/// `BBRStartupFullLossCnt`
const STARTUP_LOSSES: u32 = 6;
/// The most round trips that Drain takes.
const DRAIN_ROUNDS: u64 = 3;

#[cfg(test)]
pub(super) mod tests {
    use anabranch_base::{Duration, Time};

    use super::super::loss::{LossJudge, LossRule};
    use super::*;

    /// A machine and a model by the letter of the draft, with round trips of 40 ms.
    pub(crate) struct Bench {
        pub machine: Machine,
        pub model: BbrModel,
        pub flight: Flight,
        /// The result of each draw.
        pub chance: f64,
    }

    pub(crate) const UNIT: f64 = 1500.0;
    /// 100,000 B in a round trip.
    pub(crate) const RATE: f64 = 2.5e6;

    impl Bench {
        pub(crate) fn new() -> Bench {
            let now = Time::ZERO;
            let losses = LossJudge { rule: LossRule::Draft, unit: UNIT, is_queueing: false };
            let flight = Flight {
                now,
                in_flight: 200_000.0,
                cwnd: 300_000.0,
                is_cwnd_limited: false,
                losses,
                may_probe_rtt: true,
                unit: UNIT,
                delivered: 0.0,
                offload_budget: 2.0 * UNIT,
            };
            Bench { machine: Machine::new(now), model: BbrModel::new(now), flight, chance: 0.9 }
        }

        /// A bench after Startup and Drain, that has just reached `state`. ProbeRTT is not due for five seconds.
        pub(crate) fn in_state(state: State) -> Bench {
            let mut bench = Bench::new();
            (0..4).for_each(|_| _ = bench.round(RATE));
            assert_eq!(bench.machine.state, State::Drain);
            bench.flight.in_flight = 100_000.0;
            let most = (0..200).take_while(|_| bench.round(RATE) != state).count();
            assert!(most < 200, "{state:?} is not reached");
            bench.model.min_rtt.on_probed(bench.flight.now);
            bench
        }

        /// A SACK 40 ms later begins a round trip, with a sample of `rate`.
        pub(crate) fn round(&mut self, rate: f64) -> State {
            self.sack(RateSample { rate, ..self.sample() });
            self.machine.state
        }

        /// A sample that begins a round trip in which a window of 100,000 B was delivered.
        pub(crate) fn sample(&self) -> RateSample {
            RateSample {
                rate: RATE,
                round_trip: Some(Duration::from_millis(40)),
                delivered: 100_000.0,
                prior_delivered: self.flight.delivered,
                in_flight_then: self.flight.in_flight,
                lost: 0.0,
                newly_acked: 100_000.0,
                is_app_limited: false,
            }
        }

        pub(crate) fn sack(&mut self, sample: RateSample) -> Steps {
            self.flight.now += Duration::from_millis(40);
            self.flight.delivered += sample.newly_acked;
            self.model.on_sample(&sample, self.flight.delivered);
            let is_probed = self.machine.is_probing_bw();
            let ended = self.model.end_loss_round(&sample, self.flight.losses, is_probed, self.flight.cwnd);
            let chance = self.chance;
            let steps = self.machine.on_sample(&sample, &mut self.model, &self.flight, ended, &mut || chance);
            self.model.end_sample(&sample);
            steps
        }
    }

    #[test]
    fn a_path_with_half_of_a_bottleneck_asks_for_half_as_much_beyond_its_rate() {
        let gains = |state, share| {
            let mut bench = Bench::in_state(state);
            bench.machine.share = share;
            (bench.machine.pacing_gain(), bench.machine.cwnd_gain())
        };
        assert_eq!([gains(State::Up, 1.0), gains(State::Up, 0.5)], [(1.25, 2.25), (1.125, 1.625)]);
        assert_eq!([gains(State::Cruise, 1.0), gains(State::Cruise, 0.5)], [(1.0, 2.0), (1.0, 1.5)]);
    }

    #[test]
    fn startup_ends_after_three_round_trips_that_do_not_carry_a_quarter_more() {
        let mut bench = Bench::new();
        let states = [1.0e6, 2.0e6, 2.49e6, 2.0e6, 2.4e6].map(|rate| bench.round(rate));
        assert_eq!(states, [State::Startup, State::Startup, State::Startup, State::Startup, State::Drain]);
        assert!(bench.machine.has_filled());
    }

    #[test]
    fn samples_that_the_application_limits_never_end_startup() {
        let mut bench = Bench::new();
        for _ in 0..20 {
            bench.sack(RateSample { is_app_limited: true, ..bench.sample() });
        }
        assert_eq!(bench.machine.state, State::Startup);
    }

    /// Of 200,000 B in flight, 4,000 are 2 %. The path holds 100,000 B.
    #[test]
    fn six_ranges_of_losses_and_more_than_two_percent_end_startup() {
        let after = |ranges: u64, lost: f64| {
            let mut bench = Bench::new();
            bench.round(RATE);
            (1..=ranges).for_each(|range| _ = bench.model.note_loss(range * 10, bench.flight.delivered));
            bench.sack(RateSample { lost, is_app_limited: true, ..bench.sample() });
            (bench.machine.state, bench.model.inflight_longterm)
        };
        assert_eq!(after(6, 4_500.0), (State::Drain, 100_000.0));
        assert_eq!(after(5, 4_500.0), (State::Startup, f64::INFINITY));
        assert_eq!(after(6, 4_000.0), (State::Startup, f64::INFINITY));
    }

    #[test]
    fn drain_ends_when_what_fills_the_path_is_in_flight_or_after_three_round_trips() {
        let drained = |in_flight: f64| {
            let mut bench = Bench::new();
            (0..4).for_each(|_| _ = bench.round(RATE));
            assert_eq!((bench.machine.state, bench.machine.pacing_gain()), (State::Drain, 0.5));
            bench.flight.in_flight = in_flight;
            (1..=9).find(|_| bench.round(RATE) != State::Drain)
        };
        assert_eq!([drained(100_000.0), drained(100_001.0)], [Some(1), Some(4)]);
    }

    #[test]
    fn a_mark_ends_startup_and_a_probe() {
        let mark = |bench: &mut Bench| {
            bench.machine.on_mark(&mut bench.model, &bench.flight, &mut || 0.5);
            (bench.machine.state, bench.model.inflight_longterm)
        };
        let mut bench = Bench::new();
        bench.round(RATE);
        assert_eq!(mark(&mut bench), (State::Drain, 100_000.0));
        let mut bench = Bench::in_state(State::Up);
        bench.flight.in_flight = 120_000.0;
        assert_eq!(mark(&mut bench), (State::Down, 120_000.0));
        assert_eq!(mark(&mut bench), (State::Down, 120_000.0), "a probe is answered once");
    }
}
