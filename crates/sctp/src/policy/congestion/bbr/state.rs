//! The state machine of a path: the sender is alternately faster than the path delivers, slower, and as fast
//! (draft-ietf-ccwg-bbr, "State Machine Operation").

use anabranch_base::Time;

use super::loss::LossJudge;
use super::model::{BbrModel, EndedRound};
use super::probe_bw::Cycle;
use super::probe_rtt::{PROBE_RTT_GAIN, ProbeRtt, Steps};
use super::sampler::RateSample;

/// The state of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Doubles its rate each round trip.
    Startup,
    /// Empties the queue that Startup built.
    Drain,
    /// ProbeBW_DOWN: leaves room.
    Down,
    /// ProbeBW_CRUISE: sends what the path delivers.
    Cruise,
    /// ProbeBW_REFILL: fills the path, without a queue, for a round trip.
    Refill,
    /// ProbeBW_UP: sends more than the path delivered, to see whether it delivers more.
    Up,
    /// Halves the flight, to measure the least round trip.
    ProbeRtt,
}

/// The state of a path when a SACK or a loss arrives.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    /// The time.
    pub now: Time,
    /// `C.inflight`
    pub in_flight: f64,
    /// `C.cwnd`
    pub cwnd: f64,
    /// `C.is_cwnd_limited`: true if the window was fully used in the last round trip.
    pub is_cwnd_limited: bool,
    /// The rule for losses.
    pub losses: LossJudge,
    /// True if no other path of the association is in ProbeRTT (M-BBR-5).
    pub may_probe_rtt: bool,
    /// `C.SMSS`
    pub unit: f64,
    /// `C.delivered`
    pub delivered: f64,
    /// `BBR.offload_budget`
    pub offload_budget: f64,
}

/// The source of chance: a number in [0, 1).
pub type Chance<'a> = dyn FnMut() -> f64 + 'a;

/// The state machine of one path.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The state.
    pub state: State,
    /// `BBR.idle_restart`: true until something is acknowledged after the path was idle.
    pub is_idle_restart: bool,
    /// The part of one flow's share of a bottleneck that the path takes: 1 if no other path of the association shares
    /// it. It scales the demand beyond the path's rate (docs/sharing.md).
    pub share: f64,
    pub(super) full: FullPipe,
    drain_start_round: u64,
    pub(super) cycle: Cycle,
    pub(super) probe_rtt: ProbeRtt,
}

/// Detects that a higher rate no longer delivers more (`BBR.full_bw`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullPipe {
    bw: f64,
    count: u32,
    pub(super) is_now: bool,
    /// True once it was full.
    pub(super) was_reached: bool,
}

impl Machine {
    /// A machine in Startup.
    pub fn new(now: Time) -> Machine {
        Machine {
            state: State::Startup,
            is_idle_restart: false,
            share: 1.0,
            full: FullPipe::default(),
            drain_start_round: 0,
            cycle: Cycle::new(now),
            probe_rtt: ProbeRtt::default(),
        }
    }

    /// `CheckFullBWReached` to `CheckProbeRTT` of `UpdateModelAndState`, after the model has read `sample`. `ended` is
    /// the round trip with a loss that ended with it.
    pub fn on_sample(
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
    pub fn on_mark(&mut self, model: &mut BbrModel, flight: &Flight, chance: &mut Chance<'_>) {
        if self.state == State::Startup {
            self.end_startup(model, flight);
        } else if self.cycle.is_probe_sample() {
            self.handle_too_high(Some(flight.in_flight), model, flight, chance);
        }
    }

    /// The gain of the pacing rate.
    pub fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => STARTUP_PACING_GAIN,
            State::Drain => 0.5,
            State::Down => 0.9,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
            State::Up => 1.0 + 0.25 * self.share,
        }
    }

    /// The gain of the window.
    pub fn cwnd_gain(&self) -> f64 {
        match self.state {
            State::Up => 1.0 + 1.25 * self.share,
            State::ProbeRtt => PROBE_RTT_GAIN,
            _ => 1.0 + self.share,
        }
    }

    /// `BBR.full_bw_reached`: returns true once the path was filled.
    pub fn has_filled(&self) -> bool {
        self.full.was_reached
    }

    /// `IsInAProbeBWState`
    pub fn is_in_probe_bw(&self) -> bool {
        matches!(self.state, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// `IsProbingBW`: returns true if the sender exceeds what the path delivered, so that losses are expected.
    pub fn is_probing_bw(&self) -> bool {
        matches!(self.state, State::Startup | State::Refill | State::Up)
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

    /// `ResetFullBW`, starting from the rate `bw`.
    pub(super) fn reset_full(&mut self, bw: f64) {
        self.full = FullPipe { bw, was_reached: self.full.was_reached, ..FullPipe::default() };
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

/// Returns true if the flight is at most `Inflight(rate, 1.0)`.
pub(super) fn fits(model: &BbrModel, rate: f64, flight: &Flight) -> bool {
    let least = least_window(flight.unit).max(flight.offload_budget);
    model.bdp_at(rate, 1.0).is_some_and(|bdp| flight.in_flight <= bdp.max(least))
}

/// `BBR.MinPipeCwnd`
pub fn least_window(unit: f64) -> f64 {
    4.0 * unit
}

/// `BBR.StartupPacingGain`: 4 ln 2
pub const STARTUP_PACING_GAIN: f64 = 2.77;
/// The number of round trips without growth by a quarter after which a path counts as full.
const FULL_ROUNDS: u32 = 3;
const FULL_GROWTH: f64 = 1.25;
/// `BBRStartupFullLossCnt`
const STARTUP_LOSSES: u32 = 6;
/// The most round trips that Drain takes.
const DRAIN_ROUNDS: u64 = 3;

#[cfg(test)]
pub(super) mod tests {
    use anabranch_base::Duration;

    use super::super::loss::LossRule;
    use super::*;

    /// A machine and a model by the letter of the draft, with round trips of 40 ms.
    pub struct Bench {
        pub machine: Machine,
        pub model: BbrModel,
        pub flight: Flight,
        /// The result of each draw.
        pub chance: f64,
    }

    pub const UNIT: f64 = 1500.0;
    /// 100,000 B in a round trip.
    pub const RATE: f64 = 2.5e6;

    impl Bench {
        pub fn new() -> Bench {
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
        pub fn in_state(state: State) -> Bench {
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
        pub fn round(&mut self, rate: f64) -> State {
            self.sack(RateSample { rate, ..self.sample() });
            self.machine.state
        }

        /// A sample that begins a round trip in which a window of 100,000 B was delivered.
        pub fn sample(&self) -> RateSample {
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

        pub fn sack(&mut self, sample: RateSample) -> Steps {
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
