//! One random walk: what can happen, and what must hold whatever happened.
#![allow(dead_code, reason = "each test file uses its own part of the walk")]

mod account;
mod copying;
mod dice;
mod ledger;
pub(crate) mod many;
mod plan;

use std::borrow::Cow;

use crate::pair::{End, Faults, Middlebox, Pair, Variant, outgoing};
use account::Account;
use anabranch_base::{ByteCount, Duration, Time};
use anabranch_sctp::association::{Association, ReconfigurationError, Reliability, SendError};
use anabranch_sctp::config::{
    BufferSplit, BurstRule, Config, Coupling, EcnUse, Failover, MaxBurst, MessageLimit, NrGaps, OutOfOrder,
    StreamScheduler,
};
use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::policy::PathState;
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;
use anabranch_sctp::wire::StreamId;
pub(crate) use dice::Dice;
pub(crate) use ledger::Ledger;
#[allow(unused_imports, reason = "each test file uses its own part of the walk")]
pub(crate) use plan::{plan, plan_with, with_resets};

/// Something that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// An end sends a message.
    Send { end: End, stream: u16, unordered: bool, length: usize },
    /// An end sends many small ones, ordered.
    Burst { end: End, stream: u16, count: u32, length: usize },
    /// An end reads all that waits.
    Receive(End),
    /// Time passes.
    Run { milliseconds: u64 },
    /// A path is cut.
    Cut(usize),
    /// It is healed.
    Heal(usize),
    /// The chances of packets change.
    Fortune { loss: u32, duplication: u32, corruption: u32, jitter_ms: u64 },
    /// An end's host loses its address on a path.
    Leave(End, usize),
    /// The host has the address again.
    Return(End, usize),
    /// An end closes.
    Close(End),
    /// An end aborts the association.
    Abort(End),
    /// An end resets its streams from this one to another, or all.
    Reset(End, Option<(u16, u16)>),
    /// An end requests that the other resets such streams.
    ResetOther(End, Option<(u16, u16)>),
    /// An end resets the association.
    ResetAll(End),
    /// An end adds streams, for itself and the other.
    Add(End, u16, u16),
}

/// The setting of a walk.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) seed: u64,
    pub(crate) pipes: usize,
    pub(crate) delays_ms: Vec<u64>,
    pub(crate) profile: &'static str,
    pub(crate) scheduler: Cow<'static, str>,
    /// Where lost chunks go; as the profile says if it is empty.
    pub(crate) retransmission: Cow<'static, str>,
    pub(crate) cmt: CmtRules,
    pub(crate) variant: Variant,
    /// Which packets may be answered late; as CMT's rules say if it is empty.
    pub(crate) ack_timing: Cow<'static, str>,
    pub(crate) buffer_split: BufferSplit,
    pub(crate) window_management: Cow<'static, str>,
    /// In packets, where limits are given.
    pub(crate) window_limits: Vec<u32>,
    pub(crate) receive_buffer: u64,
    /// With two levels: how much the second one holds.
    pub(crate) second_level: Option<u64>,
    /// SACKs report new gaps alone.
    pub(crate) has_new_gaps: bool,
    pub(crate) send_buffer: u64,
    pub(crate) mtu: u64,
    /// Errors in a row after which data leaves a path; 0 never.
    pub(crate) potentially_failed: u32,
    /// Data leaves a path that is silent while another delivers.
    pub(crate) quick: bool,
    pub(crate) marks: MarkSetting,
    /// The congestion control; `bbr` paces.
    pub(crate) congestion: &'static str,
    pub(crate) coupled: Coupling,
    /// Messages may be given up.
    pub(crate) partial: bool,
    /// Messages may be interleaved.
    pub(crate) interleaving: bool,
    pub(crate) streams: StreamScheduler,
    /// NR-SACKs are sent.
    pub(crate) firm: bool,
    /// Only what is readable is acknowledged for good.
    pub(crate) readable: bool,
    /// Messages may be larger than the receive buffer, and are received in parts.
    pub(crate) in_parts: bool,
    /// Streams are reset and added.
    pub(crate) reconfigures: bool,
}

/// The use of ECN at both ends, and the pipes' treatment of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MarkSetting {
    pub(crate) ecn: EcnUse,
    pub(crate) test: bool,
    /// Marks, in thousandths of packets with ECT.
    pub(crate) marking: u32,
    /// The first pipe's treatment of codepoints.
    pub(crate) middlebox: Middlebox,
}

impl MarkSetting {
    pub(crate) const NONE: MarkSetting =
        MarkSetting { ecn: EcnUse::Off, test: false, marking: 0, middlebox: Middlebox::None };
}

/// The end of a walk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    pub(crate) is_graceful: bool,
}

/// Takes the operations one after another, then heals everything and closes, and checks what must hold.
pub(crate) fn walk(setting: &Setting, operations: &[Operation]) -> Result<Outcome, String> {
    let mut walk = Walk::new(setting);
    walk.pair.connect();
    for operation in operations {
        walk.take(*operation)?;
        walk.check()?;
    }
    walk.finish()
}

/// A shorter list for which `fails` still holds: parts are left out, large ones first.
pub(crate) fn shrink<T: Clone>(operations: &[T], fails: impl Fn(&[T]) -> bool) -> Vec<T> {
    let mut kept = operations.to_vec();
    let mut part = kept.len().div_ceil(2).max(1);
    loop {
        let mut at = 0;
        while at < kept.len() {
            let mut shorter = kept.clone();
            shorter.drain(at..(at + part).min(kept.len()));
            if fails(&shorter) {
                kept = shorter;
            } else {
                at += part;
            }
        }
        if part == 1 {
            return kept;
        }
        part = part.div_ceil(2);
    }
}

struct Walk {
    pair: Pair,
    /// Each end's receive buffer, which may grow.
    receive_buffers: [ByteCount; 2],
    second_level: ByteCount,
    send_buffer: ByteCount,
    mtu: u64,
    /// The windows are held to the buffer that they share.
    shares_windows: bool,
    /// The number of times two seconds are allowed for the end.
    patience: u32,
    sent: [Ledger; 2],
    /// The effort for the next messages; `None` if all are sent in full.
    efforts: Option<Dice>,
    /// The bound on each end's flight on each path.
    flight_bounds: [Vec<FlightBound>; 2],
    /// SACKs may overtake one another. An older one then seems to take acknowledgements back, and what comes
    /// back into flight may pass any window (M-SCTP-12, "reordered SACKs").
    may_reorder: bool,
    account: Account,
    steps: u64,
}

impl Walk {
    fn new(setting: &Setting) -> Walk {
        let profile = Config::profile(setting.profile).expect("a shipped profile");
        let or =
            |chosen: &str, otherwise: &str| if chosen.is_empty() { otherwise } else { chosen }.to_owned();
        let place = |usual: &str| or(&setting.retransmission, usual);
        let mut config = Config {
            scheduler: setting.scheduler.to_string(),
            retransmission: place(&profile.retransmission),
            fast_retransmission: place(&profile.fast_retransmission),
            buffer_split: setting.buffer_split,
            window_management: setting.window_management.to_string(),
            window_limits: setting.window_limits.clone(),
            receive_buffer: ByteCount::new(setting.receive_buffer),
            send_buffer: ByteCount::new(setting.send_buffer),
            mtu: ByteCount::new(setting.mtu),
            ecn: setting.marks.ecn,
            ecn_test: setting.marks.test,
            failover: Failover {
                potentially_failed: setting.potentially_failed,
                quick: setting.quick,
                ..profile.failover
            },
            ..profile.clone()
        };
        config.congestion_control = setting.congestion.to_owned();
        config.coupled = setting.coupled;
        config.partial_reliability = setting.partial;
        config.interleaving = setting.interleaving;
        config.stream_scheduler = setting.streams;
        config.nr_sack = setting.firm;
        config.nr_gaps = if setting.readable { NrGaps::Readable } else { NrGaps::All };
        if setting.in_parts {
            config.partial_delivery = true;
            config.message_limit = MessageLimit::SendBuffer;
        }
        config.stream_reconfiguration = setting.reconfigures;
        if setting.congestion == "bbr" {
            config.max_burst = MaxBurst { packets: 4, rule: BurstRule::Paced };
        }
        config.set_cmt(setting.cmt);
        (setting.variant.prepare)(&mut config);
        if let Some(second) = setting.second_level {
            config.receive_growth = None;
            config.out_of_order = OutOfOrder::AtMost(ByteCount::new(second));
        }
        if setting.has_new_gaps {
            config.sack_content = "new".to_owned();
        }
        config.ack_timing = or(&setting.ack_timing, &config.ack_timing);
        let mut pair =
            Pair::with_policies(&copying::added_to((setting.variant.registry)()), &config, setting.pipes);
        pair.may_cross = true;
        pair.seed(setting.seed);
        pair.faults.marking = setting.marks.marking;
        pair.pipes[0].middlebox = setting.marks.middlebox;
        for (pipe, &delay) in pair.pipes.iter_mut().zip(&setting.delays_ms) {
            pipe.delay = Duration::from_millis(delay);
        }
        Walk {
            pair,
            receive_buffers: [ByteCount::new(setting.receive_buffer); 2],
            second_level: ByteCount::new(setting.second_level.unwrap_or(0)),
            send_buffer: ByteCount::new(setting.send_buffer),
            mtu: setting.mtu,
            shares_windows: setting.window_management != "none",
            patience: if setting.receive_buffer <= setting.mtu || setting.partial {
                PATIENCE_FOR_PROBES
            } else {
                PATIENCE
            },
            sent: [End::A, End::Z].map(|end| {
                let ledger = Ledger::of(end, 0);
                if setting.partial { ledger.partial() } else { ledger }
            }),
            efforts: setting.partial.then(|| Dice::of(setting.seed ^ 0x3758)),
            flight_bounds: Default::default(),
            may_reorder: setting.pipes > 1,
            account: Account::new(
                setting.mtu,
                setting.cmt,
                setting.variant.exempts_by_path,
                setting.congestion.starts_with("bbr"),
            ),
            steps: 0,
        }
    }

    fn take(&mut self, operation: Operation) -> Result<(), String> {
        match operation {
            Operation::Send { end, stream, unordered, length } => self.send(end, stream, unordered, length),
            Operation::Burst { end, stream, count, length } => {
                (0..count).try_for_each(|_| self.send(end, stream, false, length))
            }
            Operation::Receive(end) => self.receive(end),
            Operation::Run { milliseconds } => self.run(Duration::from_millis(milliseconds)),
            Operation::Cut(pipe) => {
                self.pair.pipes[pipe].is_cut = true;
                Ok(())
            }
            Operation::Heal(pipe) => {
                self.pair.pipes[pipe].is_cut = false;
                Ok(())
            }
            Operation::Fortune { loss, duplication, corruption, jitter_ms } => {
                let jitter = Duration::from_millis(jitter_ms);
                self.may_reorder |= jitter_ms > 0;
                let marking = self.pair.faults.marking;
                self.pair.faults = Faults { loss, duplication, corruption, marking, jitter };
                Ok(())
            }
            Operation::Leave(end, pipe) => {
                self.pair.remove_local(end, pipe);
                Ok(())
            }
            Operation::Return(end, pipe) => {
                self.pair.add_local(end, pipe);
                Ok(())
            }
            Operation::Close(end) => {
                if self.has(end) {
                    self.pair.close(end);
                }
                Ok(())
            }
            Operation::Reset(end, streams) => {
                self.reconfigure(end, |association| association.reset_streams(&listed(streams)))
            }
            Operation::ResetOther(end, streams) => {
                self.reconfigure(end, |association| association.request_incoming_reset(&listed(streams)))
            }
            Operation::ResetAll(end) => self.reconfigure(end, Association::reset_association),
            Operation::Add(end, outgoing, incoming) => {
                self.reconfigure(end, |association| association.add_streams(outgoing, incoming))
            }
            Operation::Abort(end) => {
                if self.has(end) {
                    self.pair.abort(end, "the walk says so");
                }
                Ok(())
            }
        }
    }

    fn send(&mut self, end: End, stream: u16, unordered: bool, length: usize) -> Result<(), String> {
        if !self.has(end) {
            return Ok(());
        }
        let length = if unordered || self.efforts.is_some() { length.max(4) } else { length };
        let payload = self.sent[end as usize].next(stream, unordered, length);
        let effort = self.efforts.as_mut().map_or(Reliability::Full, |dice| effort(dice, self.pair.now));
        let sent = if self.efforts.is_some() && length % 5 == 0 {
            self.pair.try_send_prompt(end, outgoing(stream, unordered, effort, payload))
        } else {
            self.pair.try_send_with(end, stream, unordered, effort, payload)
        };
        match sent {
            Ok(()) => {
                self.sent[end as usize].on_sent(stream, unordered, length);
                if effort != Reliability::Full {
                    self.sent[end as usize].limit_last(stream, unordered);
                }
                self.account.on_given(end, length);
                Ok(())
            }
            Err(SendError::BufferFull { .. } | SendError::TooLarge { .. } | SendError::NotOpen) => Ok(()),
            Err(SendError::NoSuchStream { .. }) if stream >= 16 => Ok(()),
            Err(error) => Err(format!("{end:?} could not send: {error}")),
        }
    }

    fn reconfigure(
        &mut self,
        end: End,
        change: impl FnOnce(&mut Association) -> Result<(), ReconfigurationError>,
    ) -> Result<(), String> {
        if !self.has(end) {
            return Ok(());
        }
        let changed = change(self.pair.at(end));
        self.pair.settle(end);
        match changed {
            Ok(()) | Err(ReconfigurationError::UnderWay | ReconfigurationError::NotOpen) => Ok(()),
            Err(ReconfigurationError::NoSuchStream { .. }) => Ok(()),
            Err(error) => Err(format!("{end:?} could not change its streams: {error}")),
        }
    }

    fn receive(&mut self, end: End) -> Result<(), String> {
        for message in self.pair.receive(end) {
            self.sent[end.other() as usize].check(&message)?;
        }
        Ok(())
    }

    /// Lets time pass, and fails if events never end.
    fn run(&mut self, span: Duration) -> Result<(), String> {
        let mut steps = 0;
        let bounds = &mut self.flight_bounds;
        let mut wrong = Ok(());
        self.pair.run_until(span, |pair| {
            steps += 1;
            wrong = self.account.check_event(pair);
            if wrong.is_ok() && !self.may_reorder {
                wrong = check_flight(pair, bounds, self.mtu);
            }
            steps > MAX_STEPS || wrong.is_err()
        });
        wrong?;
        self.steps += steps;
        if steps > MAX_STEPS {
            return Err(format!("{MAX_STEPS} events in {span}: {:?}", self.pair.log.iter().rev().take(20)));
        }
        self.pair.log.clear();
        Ok(())
    }

    /// Checks the invariants.
    fn check(&mut self) -> Result<(), String> {
        for end in [End::A, End::Z] {
            if self.has(end) {
                let buffer = &mut self.receive_buffers[end as usize];
                *buffer = self.pair.at(end).receive_buffer().max(*buffer);
            }
        }
        for end in [End::A, End::Z] {
            if !self.has(end) {
                continue;
            }
            let association = self.pair.at(end);
            let (held, waiting) = (association.received_bytes_held(), association.unacknowledged());
            // A chunk that others wait for is taken even when the buffer is full.
            let buffer = self.receive_buffers[end as usize];
            if held > buffer * 2 + self.second_level + ByteCount::new(self.mtu) {
                return Err(format!("{end:?} holds {held}, its buffer has {buffer}"));
            }
            let living = association.paths().iter().filter(|path| path.state != PathState::Removed);
            let windows: ByteCount = living.clone().map(|path| path.cwnd).sum();
            // M-CWM-1; a window is never less than a packet.
            let shared = self.receive_buffers[end.other() as usize];
            let most = shared.max(ByteCount::new(self.mtu) * living.count() as u64);
            for gone in association.paths().iter().filter(|path| path.state == PathState::Removed) {
                if !gone.flight.is_zero() {
                    return Err(format!(
                        "{end:?} has {} in flight on {}, which is gone",
                        gone.flight, gone.id
                    ));
                }
            }
            if self.shares_windows && association.is_open() && windows > most {
                return Err(format!("{end:?} has windows of {windows} for a buffer of {shared}"));
            }
            if waiting > self.send_buffer {
                return Err(format!("{end:?} keeps {waiting} to send, its buffer has {}", self.send_buffer));
            }
        }
        self.account.check_event(&mut self.pair)?;
        self.account.check_sums(&mut self.pair)
    }

    /// Heals everything, closes, reads, and waits for the end.
    fn finish(&mut self) -> Result<Outcome, String> {
        self.pair.faults = Faults::default();
        self.pair.pipes.iter_mut().for_each(|pipe| pipe.is_cut = false);
        for end in [End::A, End::Z] {
            (0..self.pair.pipes.len()).for_each(|pipe| self.pair.add_local(end, pipe));
        }
        for _ in 0..self.patience {
            for end in [End::A, End::Z] {
                if self.has(end) {
                    self.receive(end)?;
                    self.pair.close(end);
                }
            }
            self.run(Duration::from_secs(2))?;
            if self.is_over(End::A) && self.is_over(End::Z) {
                break;
            }
        }
        for end in [End::A, End::Z] {
            if self.has(end) {
                self.receive(end)?;
            }
            if !self.is_over(end) {
                let state = self.pair.at(end).state();
                return Err(format!("{end:?} is still {state:?}: {:?}", self.pair.side(end).events));
            }
        }
        let reasons = [End::A, End::Z].map(|end| self.pair.closed(end));
        let is_graceful = reasons.iter().all(|reason| *reason == Some(CloseReason::Graceful));
        let was_restarted =
            self.pair.a.events.iter().chain(&self.pair.z.events).any(|e| *e == Event::Restarted);
        if is_graceful && !was_restarted {
            let given_up = |events: &[Event]| {
                events.iter().filter(|event| matches!(event, Event::GivenUp { .. })).count() as u32
            };
            let given_up = [given_up(&self.pair.a.events), given_up(&self.pair.z.events)];
            self.sent.iter().zip(given_up).try_for_each(|(ledger, count)| ledger.check_complete(count))?;
        }
        Ok(Outcome { is_graceful })
    }

    fn has(&mut self, end: End) -> bool {
        let side = self.pair.side(end);
        side.id.is_some_and(|id| side.endpoint.association(id).is_some())
    }

    /// Returns true if the association of an end is over, or never began.
    fn is_over(&mut self, end: End) -> bool {
        !self.has(end) || self.pair.closed(end).is_some()
    }
}

/// The flight that one path may have.
#[derive(Clone, Copy, Debug, Default)]
struct FlightBound {
    /// The largest window it ever had.
    window: ByteCount,
    /// The exempt bytes since the flight was within that window.
    exempt: ByteCount,
    /// The number of chunks that were lost or sent as probes so far.
    lost: u64,
}

/// The flight of a path may pass the largest window it ever had by one packet, and by one more for each event at which
/// something was lost or probed, until it is within the window again. Says so if it is more.
fn check_flight(pair: &mut Pair, bounds: &mut [Vec<FlightBound>; 2], mtu: u64) -> Result<(), String> {
    for end in [End::A, End::Z] {
        let side = pair.side(end);
        let Some(association) = side.id.and_then(|id| side.endpoint.association(id)) else { continue };
        let bounds = &mut bounds[end as usize];
        bounds.resize(association.paths().len(), FlightBound::default());
        let counted = association.paths().iter().map(|path| association.path_counters(path.id));
        // Without split fast retransmit the packet goes to any path.
        let lost = counted.map(|counters| counters.fast_retransmits + counters.tail_probes).sum();
        for (path, bound) in association.paths().iter().zip(bounds) {
            bound.window = path.cwnd.max(bound.window);
            let within = bound.window + ByteCount::new(mtu);
            if path.flight <= within {
                bound.exempt = ByteCount::ZERO;
            }
            if std::mem::replace(&mut bound.lost, lost) != lost {
                bound.exempt += ByteCount::new(mtu);
            }
            if path.flight > within + bound.exempt {
                let (flight, id, window) = (path.flight, path.id, bound.window);
                return Err(format!("{end:?} has {flight} in flight on {id}, cwnd was {window} at most"));
            }
        }
    }
    Ok(())
}

/// The streams from one to another; none for all.
fn listed(streams: Option<(u16, u16)>) -> Vec<StreamId> {
    streams.map_or(Vec::new(), |(first, last)| (first..=last).map(StreamId::new).collect())
}

/// Any effort for a message that is sent at `now`.
fn effort(dice: &mut Dice, now: Time) -> Reliability {
    match dice.below(8) {
        0 | 1 => Reliability::Full,
        2..5 => Reliability::Until(now + Duration::from_millis(dice.one_of(&[0, 1, 30, 300, 3_000, 60_000]))),
        5 | 6 => Reliability::Retransmissions(dice.one_of(&[0, 0, 1, 3])),
        _ => Reliability::Priority(dice.one_of(&[0, 1, 5])),
    }
}

/// More events than this in one stretch of time is a storm.
const MAX_STEPS: u64 = 200_000;
/// The number of times two seconds are allowed for the end: a shutdown may have to wait for backed-off timers.
const PATIENCE: u32 = 1_000;
/// Likewise where each chunk is a window probe, because the peer has no room beside it: the timer of probes backs off to a
/// minute. So it may be where small messages that a small buffer refuses are given up: each packet waits for a time-out.
const PATIENCE_FOR_PROBES: u32 = 20_000;
