//! The state machine of a path: its states and its data. The steps are in the files of the states; all of them see this one.

use anabranch_base::{Duration, Time};

use super::loss::LossJudge;
use super::model::BbrModel;

/// The state of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
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
pub(super) struct Flight {
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
pub(super) type Chance<'a> = dyn FnMut() -> f64 + 'a;

/// The state machine of one path.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    /// The state.
    pub state: State,
    /// `BBR.idle_restart`: true until something is acknowledged after the path was idle.
    pub is_idle_restart: bool,
    /// The part of one flow's share of a bottleneck that the path takes: 1 if no other path of the association shares
    /// it. It scales the demand beyond the path's rate (docs/sharing.md).
    pub share: f64,
    pub(super) full: FullPipe,
    pub(super) drain_start_round: u64,
    pub(super) cycle: Cycle,
    pub(super) probe_rtt: ProbeRtt,
}

/// Detects that a higher rate no longer delivers more (`BBR.full_bw`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullPipe {
    pub(super) bw: f64,
    pub(super) count: u32,
    pub(super) is_now: bool,
    /// True once it was full.
    pub(super) was_reached: bool,
}

impl Machine {
    /// A machine in Startup.
    pub(super) fn new(now: Time) -> Machine {
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

    /// `BBR.full_bw_reached`: returns true once the path was filled.
    pub(crate) fn has_filled(&self) -> bool {
        self.full.was_reached
    }

    /// `IsInAProbeBWState`
    pub(crate) fn is_in_probe_bw(&self) -> bool {
        matches!(self.state, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// `IsProbingBW`: returns true if the sender exceeds what the path delivered, so that losses are expected.
    pub(crate) fn is_probing_bw(&self) -> bool {
        matches!(self.state, State::Startup | State::Refill | State::Up)
    }

    /// `ResetFullBW`, starting from the rate `bw`.
    pub(super) fn reset_full(&mut self, bw: f64) {
        self.full = FullPipe { bw, was_reached: self.full.was_reached, ..FullPipe::default() };
    }
}

/// The cycle of probes for bandwidth.
#[derive(Clone, Debug)]
pub(super) struct Cycle {
    pub(super) since: Time,
    pub(super) wait: Duration,
    pub(super) rounds_since_probe: u64,
    pub(super) up_rounds: u32,
    pub(super) up_acked: f64,
    pub(super) up_acked_per_unit: f64,
    pub(super) ack_phase: AckPhase,
    pub(super) is_probe_sample: bool,
    pub(super) was_too_high: bool,
    pub(super) was_precautionary: bool,
}

/// The relation of arriving acknowledgements to the last probe for bandwidth (`BBR.ack_phase`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

impl Cycle {
    /// A cycle before its first probe.
    pub(super) fn new(now: Time) -> Cycle {
        Cycle {
            since: now,
            wait: Duration::ZERO,
            rounds_since_probe: 0,
            up_rounds: 0,
            up_acked: 0.0,
            up_acked_per_unit: f64::INFINITY,
            ack_phase: AckPhase::Init,
            is_probe_sample: false,
            was_too_high: false,
            was_precautionary: false,
        }
    }

    /// A round trip begins.
    pub(super) fn on_round(&mut self) {
        self.rounds_since_probe += 1;
    }

    /// Ends the probe; its last acknowledgements may still arrive.
    pub(super) fn stop(&mut self) {
        self.ack_phase = AckPhase::ProbeStopping;
    }

    /// `BBR.is_bw_probe_sample`: returns true if losses may be those of a probe.
    pub(super) fn is_probe_sample(&self) -> bool {
        self.is_probe_sample
    }
}

/// The progress of ProbeRTT on a path.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProbeRtt {
    /// The time since which it is due, while another path is in ProbeRTT.
    pub(super) due_since: Option<Time>,
    /// The earliest end, set when the flight is small enough.
    pub(super) done_at: Option<Time>,
    pub(super) is_round_done: bool,
}

/// The changes of the window that follow from a SACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Steps {
    /// ProbeRTT begins: the window has to be saved.
    pub(crate) begins_probe_rtt: bool,
    /// ProbeRTT ends: the window has to be restored.
    pub(crate) ends_probe_rtt: bool,
}

/// Returns true if the flight is at most `Inflight(rate, 1.0)`.
pub(super) fn fits(model: &BbrModel, rate: f64, flight: &Flight) -> bool {
    let least = least_window(flight.unit).max(flight.offload_budget);
    model.bdp_at(rate, 1.0).is_some_and(|bdp| flight.in_flight <= bdp.max(least))
}

/// `BBR.MinPipeCwnd`
pub(crate) fn least_window(unit: f64) -> f64 {
    4.0 * unit
}
