//! BBR on one path: calls its parts for each event in the draft's order (draft-ietf-ccwg-bbr, "Algorithm
//! Organization").

use anabranch_base::{BitRate, ByteCount, Seed, Time};
use rand_chacha::ChaCha12Rng;
use rand_core::{Rng, SeedableRng};

use super::control::{Control, count};
use super::loss::{LossJudge, LossRule};
use super::machine::{Flight, Machine, State};
use super::model::{BbrModel, Bounds};
use super::sampler::DeliverySampler;
use crate::policy::congestion::{Acked, CutCause, GivenWindow, LostData, SentData};
use crate::policy::{OneWay, PathSample};

/// The state of BBR on one path.
#[derive(Debug)]
pub(super) struct PathBbr {
    rule: LossRule,
    sampler: DeliverySampler,
    model: BbrModel,
    machine: Machine,
    control: Control,
    use_of_window: WindowUse,
    /// The bounds before the last losses that began a recovery.
    before_losses: Option<Bounds>,
    /// True if a loss or a mark is not repaired yet (`InLossRecovery`).
    is_recovering: bool,
    rng: ChaCha12Rng,
}

/// `C.is_cwnd_limited`: whether the window was fully used, in this round trip and in the one before.
#[derive(Clone, Copy, Debug, Default)]
struct WindowUse {
    now: bool,
    before: bool,
}

impl PathBbr {
    /// The state of a path before its first packet. Random numbers come from a stream of `seed`.
    pub(super) fn new(rule: LossRule, path: &PathSample, seed: &Seed, now: Time) -> PathBbr {
        PathBbr {
            rule,
            sampler: DeliverySampler::new(),
            model: BbrModel::new(now),
            machine: Machine::new(now),
            control: Control::new(path.cwnd.get() as f64),
            use_of_window: WindowUse::default(),
            before_losses: None,
            is_recovering: false,
            rng: ChaCha12Rng::from_seed(seed.bytes()),
        }
    }

    /// A packet with data left: `OnTransmit`, `OnPacketSent`. Returns the window from now on, if it is a new one.
    pub(super) fn on_sent(&mut self, sent: &SentData, path: &PathSample) -> Option<GivenWindow> {
        let was_idle = path.flight <= sent.bytes;
        let is_restart = was_idle && self.sampler.is_app_limited();
        let given = if is_restart { self.restart_from_idle(path, sent.at) } else { None };
        self.sampler.on_sent(sent.departure, path.flight.get() as f64, was_idle, sent.at);
        self.use_of_window.now |= path.flight + path.unit > path.cwnd;
        given
    }

    /// A SACK acknowledged data: `UpdateOnACK`. ProbeRTT begins only if `may_probe_rtt`. Returns the window from now
    /// on.
    pub(super) fn on_acked(&mut self, acked: &Acked, path: &PathSample, may_probe_rtt: bool) -> GivenWindow {
        let now = acked.at;
        let newly_acked = acked.bytes.get() as f64;
        let sample = self.sampler.on_acked(acked.newest, newly_acked, now);
        let mut flight = Flight { may_probe_rtt, ..self.flight(path, now) };
        if self.is_recovering && !path.cut_open {
            self.is_recovering = false;
            flight.cwnd = self.control.restored(flight.cwnd);
        }
        self.model.on_sample(&sample, flight.delivered);
        if self.model.is_round_start() {
            self.use_of_window = WindowUse { now: false, before: self.use_of_window.now };
        }
        let is_probed = self.machine.is_probing_bw();
        let ended = self.model.end_loss_round(&sample, flight.losses, is_probed, flight.cwnd);
        self.model.on_aggregation(newly_acked, flight.cwnd, self.machine.has_filled(), now);
        let was_probe_rtt = self.machine.state == State::ProbeRtt;
        let rng = &mut self.rng;
        let steps = self.machine.on_sample(&sample, &mut self.model, &flight, ended, &mut || chance(rng));
        if steps.begins_probe_rtt {
            self.control.save_cwnd(flight.cwnd, self.is_recovering);
        }
        if was_probe_rtt || steps.begins_probe_rtt {
            self.sampler.on_app_limited(flight.in_flight);
        }
        if steps.ends_probe_rtt {
            flight.cwnd = self.control.restored(flight.cwnd);
        }
        self.model.end_sample(&sample);
        self.control.set_pacing_rate(&self.model, &self.machine, path);
        let (cwnd, unit) = (flight.cwnd, flight.unit);
        let next =
            self.control.next_cwnd(cwnd, newly_acked, flight.delivered, unit, &self.model, &self.machine);
        self.given(next)
    }

    /// A chunk was declared lost: `NoteLoss`, `HandleLostPacket`.
    pub(super) fn on_lost(&mut self, lost: &LostData, path: &PathSample) {
        let size = lost.bytes.get() as f64;
        let packet = self.sampler.on_lost(lost.departure, size);
        let flight = self.flight(path, lost.at);
        let serial = packet.map_or(0, |packet| packet.serial);
        if self.model.note_loss(serial, flight.delivered) {
            self.save_cwnd(flight.cwnd);
        }
        let Some(packet) = packet else { return };
        let lost = self.sampler.lost - packet.lost;
        let rng = &mut self.rng;
        self.machine.on_lost(&packet, size, lost, &mut self.model, &flight, &mut || chance(rng));
    }

    /// The path had room for more than it was given: `MarkConnectionAppLimited`.
    pub(super) fn on_withheld(&mut self, path: &PathSample) {
        self.sampler.on_app_limited(path.flight.get() as f64);
    }

    /// The window after a sign of loss. Only a time-out cuts it (`OnEnterRTO`); losses act through the model
    /// (`OnEnterFastRecovery`), and so do marks.
    pub(super) fn on_cut(&mut self, cause: CutCause, path: &PathSample, now: Time) -> ByteCount {
        if cause == CutCause::Idle {
            return path.cwnd;
        }
        self.save_cwnd(path.cwnd.get() as f64);
        if matches!(cause, CutCause::Missing | CutCause::Timeout) {
            self.before_losses = Some(self.model.bounds());
        }
        self.is_recovering = true;
        match cause {
            CutCause::Timeout | CutCause::TimeoutAgain | CutCause::TimeoutAfterEcn => {
                path.unit.min(path.cwnd)
            }
            CutCause::EcnEcho => {
                self.on_mark(path, now);
                path.cwnd
            }
            CutCause::Missing | CutCause::Idle => path.cwnd,
        }
    }

    /// Losses proved spurious: `HandleSpuriousLossDetection`, without its return to an earlier state. Returns the
    /// window from now on.
    pub(crate) fn on_undone(&mut self, path: &PathSample) -> GivenWindow {
        if let Some(before) = self.before_losses.take() {
            self.model.undo_losses(&before);
        }
        self.is_recovering = false;
        self.given(self.control.restored(path.cwnd.get() as f64))
    }

    /// Sets the part of one flow's share of a bottleneck that the path takes from now on.
    pub(crate) fn take_share(&mut self, share: f64) {
        self.machine.share = share;
    }

    /// The rate at which packets leave.
    pub(super) fn pacing_rate(&self, path: &PathSample) -> BitRate {
        self.control.pacing_rate(path)
    }

    /// Returns true if the path is in ProbeRTT.
    pub(crate) fn is_in_probe_rtt(&self) -> bool {
        self.machine.state == State::ProbeRtt
    }

    /// The draft has no rule for marks ("ECN"), only that they are congestion: M-BBR-7.
    fn on_mark(&mut self, path: &PathSample, now: Time) {
        let flight = self.flight(path, now);
        if !self.machine.is_probing_bw() {
            self.model.bound_short_term(flight.cwnd);
        }
        let rng = &mut self.rng;
        self.machine.on_mark(&mut self.model, &flight, &mut || chance(rng));
    }

    /// `HandleRestartFromIdle`
    fn restart_from_idle(&mut self, path: &PathSample, now: Time) -> Option<GivenWindow> {
        self.machine.is_idle_restart = true;
        self.model.restart_aggregation(now);
        if self.machine.is_in_probe_bw() {
            self.control.set_pacing_rate_with_gain(1.0, &self.model, &self.machine, path);
        }
        let flight = self.flight(path, now);
        let rng = &mut self.rng;
        let is_probed = self.machine.check_probe_rtt_done(&mut self.model, &flight, &mut || chance(rng));
        is_probed.then(|| self.given(self.control.restored(flight.cwnd)))
    }

    fn given(&self, cwnd: f64) -> GivenWindow {
        GivenWindow { cwnd: count(cwnd), is_starting: !self.machine.has_filled() }
    }

    fn save_cwnd(&mut self, cwnd: f64) {
        let is_reduced = self.is_recovering || self.machine.state == State::ProbeRtt;
        self.control.save_cwnd(cwnd, is_reduced);
    }

    fn flight(&self, path: &PathSample, now: Time) -> Flight {
        let unit = path.unit.get() as f64;
        Flight {
            now,
            in_flight: path.flight.get() as f64,
            cwnd: path.cwnd.get() as f64,
            is_cwnd_limited: self.use_of_window.now || self.use_of_window.before,
            losses: LossJudge {
                rule: self.rule,
                unit,
                is_queueing: path.one_way.is_none_or(OneWay::is_queueing),
            },
            unit,
            may_probe_rtt: true,
            delivered: self.sampler.delivered,
            offload_budget: self.control.send_quantum(unit),
        }
    }
}

/// A number in [0, 1): 53 random bits.
fn chance(rng: &mut ChaCha12Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}
