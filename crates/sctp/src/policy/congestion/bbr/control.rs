//! A path's pacing rate and window from its model and state (draft-ietf-ccwg-bbr, "Updating Control Parameters").

use anabranch_base::{BitRate, ByteCount, Duration};

use super::machine::{Machine, State, least_window};
use super::model::BbrModel;
use super::probe_rtt::probe_rtt_window;
use super::state::STARTUP_PACING_GAIN;
use crate::policy::PathSample;

/// The control parameters of one path.
#[derive(Clone, Debug)]
pub(super) struct Control {
    /// `C.InitialCwnd`
    initial_cwnd: f64,
    /// `C.pacing_rate`, once it follows from samples.
    pacing_rate: Option<f64>,
    /// `BBR.prior_cwnd`: the last good window.
    prior_cwnd: f64,
}

impl Control {
    /// The parameters of a path that begins with the window `initial_cwnd`.
    pub(super) fn new(initial_cwnd: f64) -> Control {
        Control { initial_cwnd, pacing_rate: None, prior_cwnd: 0.0 }
    }

    /// `SetPacingRate`
    pub(crate) fn set_pacing_rate(&mut self, model: &BbrModel, machine: &Machine, path: &PathSample) {
        self.set_pacing_rate_with_gain(machine.pacing_gain(), model, machine, path);
    }

    /// `SetPacingRateWithGain`. Before the path was filled the rate only grows.
    pub(crate) fn set_pacing_rate_with_gain(
        &mut self,
        gain: f64,
        model: &BbrModel,
        machine: &Machine,
        path: &PathSample,
    ) {
        let rate = gain * model.bw * PACING_MARGIN;
        let before = self.pacing_rate.or_else(|| Some(first_rate(self.initial_cwnd, path.srtt?)));
        let is_taken = machine.has_filled() || before.is_none_or(|before| rate > before);
        self.pacing_rate = if is_taken && rate > 0.0 { Some(rate) } else { before };
    }

    /// The rate at which packets leave. `InitPacingRate` before the first sample: the initial window in a millisecond, or in
    /// a round trip as soon as one was measured.
    pub(super) fn pacing_rate(&self, path: &PathSample) -> BitRate {
        let round_trip = path.srtt.unwrap_or(SHORTEST_ROUND_TRIP);
        let rate = self.pacing_rate.unwrap_or_else(|| first_rate(self.initial_cwnd, round_trip));
        BitRate::from_bits_per_second((rate * 8.0) as u64)
    }

    /// `SetSendQuantum`, which is the offload budget too, as in QUIC ("QUIC Offload Budget").
    pub(crate) fn send_quantum(&self, unit: f64) -> f64 {
        (self.pacing_rate.unwrap_or(0.0) * 0.001).clamp(2.0 * unit, LARGEST_QUANTUM.max(2.0 * unit))
    }

    /// `SetCwnd`: the window after a SACK for `newly_acked` bytes, where it was `cwnd` and `delivered` bytes arrived so far.
    pub(crate) fn next_cwnd(
        &self,
        cwnd: f64,
        newly_acked: f64,
        delivered: f64,
        unit: f64,
        model: &BbrModel,
        machine: &Machine,
    ) -> f64 {
        let most = self.max_inflight(unit, model, machine);
        let grown = cwnd + newly_acked;
        let wanted = match machine.has_filled() {
            true => grown.min(most),
            false if cwnd < most || delivered < self.initial_cwnd => grown,
            false => cwnd,
        };
        bounded(wanted.max(least_window(unit)), unit, model, machine)
    }

    /// `UpdateMaxInflight`
    fn max_inflight(&self, unit: f64, model: &BbrModel, machine: &Machine) -> f64 {
        let filling = model.bdp(machine.cwnd_gain()).unwrap_or(self.initial_cwnd);
        let budget = (filling + model.extra_acked()).max(self.send_quantum(unit)).max(least_window(unit));
        budget + if machine.state == State::Up { 2.0 * unit } else { 0.0 }
    }

    /// `SaveCwnd`; `is_reduced` if a loss recovery or ProbeRTT reduces the window.
    pub(crate) fn save_cwnd(&mut self, cwnd: f64, is_reduced: bool) {
        self.prior_cwnd = if is_reduced { self.prior_cwnd.max(cwnd) } else { cwnd };
    }

    /// `RestoreCwnd`
    pub(crate) fn restored(&self, cwnd: f64) -> f64 {
        cwnd.max(self.prior_cwnd)
    }
}

/// `BoundCwndForProbeRTT`, `BoundCwndForModel`
fn bounded(cwnd: f64, unit: f64, model: &BbrModel, machine: &Machine) -> f64 {
    let least = least_window(unit);
    let cap = match machine.state {
        State::ProbeRtt => model.with_headroom(unit, least).min(probe_rtt_window(model, unit)),
        State::Cruise => model.with_headroom(unit, least),
        State::Down | State::Refill | State::Up => model.inflight_longterm,
        State::Startup | State::Drain => f64::INFINITY,
    };
    cwnd.min(cap.min(model.inflight_shortterm).max(least))
}

/// `InitPacingRate`, in byte/s.
fn first_rate(initial_cwnd: f64, round_trip: Duration) -> f64 {
    STARTUP_PACING_GAIN * initial_cwnd / round_trip.max(SHORTEST_ROUND_TRIP).as_secs_f64()
}

/// A window as a count.
pub(super) fn count(volume: f64) -> ByteCount {
    ByteCount::new(volume as u64)
}

/// `BBR.PacingMarginPercent`: 1 % below the rate.
const PACING_MARGIN: f64 = 0.99;
/// The round trip of a path before it was measured.
const SHORTEST_ROUND_TRIP: Duration = Duration::from_millis(1);
/// The most that leaves at once.
const LARGEST_QUANTUM: f64 = 65_536.0;

#[cfg(test)]
mod tests {
    use super::super::state::tests::{Bench, RATE, UNIT};
    use super::*;
    use crate::policy::testing::sample;

    fn control() -> Control {
        Control::new(15_000.0)
    }

    /// The window after a SACK for 3,000 B where it was `cwnd`.
    fn next(bench: &Bench, cwnd: f64) -> f64 {
        control().next_cwnd(cwnd, 3_000.0, 1e6, UNIT, &bench.model, &bench.machine)
    }

    fn megabits(control: &Control, path: &PathSample) -> f64 {
        control.pacing_rate(path).bits_per_second() as f64 / 1e6
    }

    /// 2.77 · 15,000 B are 41,550: in a millisecond 332.4 Mbit/s, in a round trip of 100 ms 3.324.
    #[test]
    fn the_first_rate_is_the_initial_window_in_a_round_trip_times_the_gain_of_startup() {
        let (mut path, control) = (sample(0), control());
        assert_eq!(megabits(&control, &path), 332.4);
        path.srtt = Some(Duration::from_millis(100));
        assert_eq!(megabits(&control, &path), 3.324);
    }

    /// 2.5 MB/s are 20 Mbit/s; 1 % less is 19.8.
    #[test]
    fn the_rate_is_one_percent_below_the_gain_times_what_the_path_delivers() {
        let mut path = sample(0);
        path.srtt = Some(Duration::from_millis(40));
        let rate = |bench: &Bench| {
            let mut control = control();
            control.set_pacing_rate(&bench.model, &bench.machine, &path);
            (megabits(&control, &path) * 1e3).round() / 1e3
        };
        assert_eq!(rate(&Bench::in_state(State::Cruise)), 19.8);
        assert_eq!(rate(&Bench::in_state(State::Up)), 24.75);
        assert_eq!(rate(&Bench::in_state(State::Down)), 17.82);
    }

    #[test]
    fn in_startup_the_rate_only_grows() {
        let mut path = sample(0);
        path.srtt = Some(Duration::from_millis(40));
        let (mut bench, mut control) = (Bench::new(), control());
        let rates = [RATE, RATE / 50.0].map(|bw| {
            bench.model.bw = bw;
            control.set_pacing_rate(&bench.model, &bench.machine, &path);
            megabits(&control, &path)
        });
        assert!((rates[0] - 54.846).abs() < 1e-3 && rates[0] == rates[1], "2.77 · 19.8: {rates:?}");
    }

    #[test]
    fn a_quantum_is_a_millisecond_of_the_rate_between_two_packets_and_64_kib() {
        let quantum = |rate: f64| Control { pacing_rate: Some(rate), ..control() }.send_quantum(UNIT);
        assert_eq!([quantum(1e6), quantum(1e7), quantum(1e8)], [3_000.0, 10_000.0, 65_536.0]);
    }

    /// 100,000 B fill the path.
    #[test]
    fn the_window_grows_by_what_is_acknowledged_to_twice_what_fills_the_path() {
        let bench = Bench::in_state(State::Cruise);
        assert_eq!([next(&bench, 100_000.0), next(&bench, 199_000.0)], [103_000.0, 200_000.0]);
        assert_eq!(next(&bench, 900_000.0), 200_000.0, "and is cut to it at once");
        assert_eq!(next(&bench, 0.0), 6_000.0, "four packets");
        // 2.25 times, and two packets.
        assert_eq!(next(&Bench::in_state(State::Up), 900_000.0), 228_000.0);
    }

    #[test]
    fn the_window_is_bound_by_the_losses_of_the_last_probe_and_since_then() {
        let mut bench = Bench::in_state(State::Cruise);
        bench.model.inflight_longterm = 120_000.0;
        assert_eq!(next(&bench, 150_000.0), 102_000.0, "85 %, in Cruise");
        bench.machine.state = State::Refill;
        assert_eq!(next(&bench, 150_000.0), 120_000.0);
        bench.model.inflight_shortterm = 90_000.0;
        assert_eq!(next(&bench, 150_000.0), 90_000.0);
        bench.model.inflight_shortterm = 0.0;
        assert_eq!(next(&bench, 150_000.0), 6_000.0);
        bench.machine.state = State::ProbeRtt;
        bench.model.inflight_shortterm = f64::INFINITY;
        assert_eq!(next(&bench, 150_000.0), 50_000.0, "half of what fills the path");
    }

    #[test]
    fn the_last_good_window_comes_back_after_a_recovery() {
        let mut control = control();
        control.save_cwnd(80_000.0, false);
        control.save_cwnd(1_500.0, true);
        assert_eq!([control.restored(6_000.0), control.restored(90_000.0)], [80_000.0, 90_000.0]);
        control.save_cwnd(1_500.0, false);
        assert_eq!(control.restored(6_000.0), 6_000.0);
    }
}
