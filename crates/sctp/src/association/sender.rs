//! The sender: handles messages from the application until they are acknowledged. The send buffer stores the chunks,
//! the policies decide, and the files beside this one handle SACKs, timers and packets.

mod account;
mod after_outage;
mod commit;
mod cutting;
mod cwr;
mod draws;
mod forward_tsn;
mod giving_up;
mod idle;
mod load;
mod loss;
mod missing;
mod mtu;
mod ns2;
mod on_sack;
mod on_timeout;
mod open_packet;
mod pacing;
mod pack;
mod paths;
mod peer_window;
mod rack;
mod reading;
mod resetting;
mod retransmit;
mod rules;
mod silence;
mod small_window;
mod split;
mod unconfirmed_cuts;
mod undo;
mod vanishing;
mod waiting;
mod window_exemptions;
mod windows;

use anabranch_base::{ByteCount, Seed, Time};

pub(super) use rules::SenderRules;

use super::ground::Ground;
use crate::config::MaxBurst;
use crate::path::PathTable;
use crate::policy::schedule::{Index, QueueView};
use crate::policy::{PathId, View};
use crate::send::{Outgoing, Reliability, SendBuffer};
use crate::seq::Tsn;
use crate::wire::StreamId;
use cwr::Cwr;
use draws::TimerDraws;
use forward_tsn::Forwarding;
use open_packet::OpenPacket;
use peer_window::PeerWindow;
use reading::SackReading;
use unconfirmed_cuts::UnconfirmedCuts;
use vanishing::Vanishing;
use window_exemptions::WindowExemptions;

/// The progress of sending since the last event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SendPhase {
    /// Nothing was sent yet.
    Start,
    /// Something was sent, and more may follow.
    Sending,
    /// No data remains to send; only a SACK or control chunk queued since then may remain.
    Drained,
    /// Everything was sent. Polling again changes nothing.
    Done,
}

/// The sending half of an association.
#[derive(Debug)]
pub(super) struct Sender {
    buffer: SendBuffer,
    peer_window: PeerWindow,
    rules: SenderRules,
    /// The path and chunk that the scheduler picked and that did not fit into the last packet.
    picked: Option<(PathId, Index)>,
    /// The path for which the scheduler's last answer remains valid, for the oldest chunks until the next event.
    run: Option<PathId>,
    /// The copy that the scheduler wants and that was not sent yet.
    planned_copy: Option<(Tsn, PathId)>,
    /// The paths on which one packet of retransmissions may exceed cwnd (RFC 9260 §7.2.4 rule 3).
    exemptions: WindowExemptions,
    /// The cuts that may prove spurious.
    unconfirmed: UnconfirmedCuts,
    /// The peer's reports of congestion marks, and the answers to them.
    cwr: Cwr,
    /// The progress of sending since the last event.
    phase: SendPhase,
    /// The bound on the packets that one event sends.
    max_burst: MaxBurst,
    /// True if the peer deleted every verified address: data waits.
    awaits_verification: bool,
    /// The free space in the send buffer for which the application waits.
    wanted_room: Option<ByteCount>,
    /// The time-outs of the lowest outstanding chunk, if it is larger than what every network carries.
    vanishing: Option<Vanishing>,
    /// The memory for the next SACK. While a SACK is processed, it is passed from step to step and this is `None`.
    reading: Option<Box<SackReading>>,
    /// The random times of timers that a loss response sets.
    draws: TimerDraws,
    /// The FORWARD-TSN that the peer has not acknowledged.
    forwarding: Forwarding,
    /// The ack point at the last change of all TSNs.
    renumbered_from: Option<Tsn>,
}

impl Sender {
    /// The sender of a new association over the paths of `ground`.
    pub(super) fn new(ground: &Ground, rules: SenderRules, seed: &Seed) -> Sender {
        let (config, agreement) = (&ground.settings.config, &ground.agreement);
        let open = rules.flow.peer_window(agreement.peer_window, ByteCount::ZERO);
        Sender {
            buffer: SendBuffer::new(agreement.local_tsn, config.charge, config.rwnd_charge)
                .with_ns2(config.cmt.ns2)
                .with_streams(config.stream_scheduler, agreement.features.interleaving)
                .by_departure(config.cmt.by_departure)
                .by_time(config.cmt.by_time),
            peer_window: PeerWindow::new(agreement.peer_window, open, config),
            rules,
            picked: None,
            run: None,
            planned_copy: None,
            exemptions: WindowExemptions::default(),
            unconfirmed: UnconfirmedCuts::default(),
            cwr: Cwr::default(),
            phase: SendPhase::Done,
            max_burst: config.max_burst,
            awaits_verification: false,
            wanted_room: None,
            vanishing: None,
            reading: None,
            draws: TimerDraws::new(seed.child("timers")),
            forwarding: Forwarding::default(),
            renumbered_from: None,
        }
    }

    /// Queues a message of the application, behind the others or before all that wait.
    #[inline]
    pub(super) fn on_message(
        &mut self,
        ground: &mut Ground,
        now: Time,
        mut message: Outgoing,
        is_prompt: bool,
    ) {
        if !ground.agreement.features.forward_tsn {
            message.reliability = Reliability::Full;
        }
        if giving_up::is_too_late(ground, message.reliability, now) {
            giving_up::report_unsent(ground, &message);
            return;
        }
        self.begin_event(ground);
        self.decay_idle_windows(ground, now);
        if is_prompt {
            self.queue_prompt(ground, message);
        } else {
            self.queue_message(ground, message);
        }
        let Some(oldest) = self.buffer.oldest_waiting() else { return };
        let queue = queue_view(&self.buffer, oldest, &ground.paths);
        let view = view(now, &ground.paths, &self.peer_window, &self.buffer);
        self.rules.scheduler.on_queued(&queue, &view);
    }

    /// Sets the priority or the weight of a stream for the stream scheduler.
    pub(super) fn set_stream_value(&mut self, stream: StreamId, value: u16) {
        self.buffer.set_stream_value(stream, value);
    }

    /// The amount of user data that the association accepts now.
    #[inline]
    pub(super) fn send_space(&self, ground: &Ground) -> ByteCount {
        self.buffer.room_in(ground.settings.config.send_buffer)
    }

    /// Notes that the application waits until a message of this size fits.
    pub(crate) fn want_room(&mut self, message: ByteCount) {
        self.wanted_room = Some(self.wanted_room.map_or(message, |other| other.min(message)));
    }

    /// Makes data wait until a path is verified, if `is_awaited`: the peer deleted every verified address.
    pub(crate) fn await_verification(&mut self, is_awaited: bool) {
        self.awaits_verification = is_awaited;
    }

    /// Allows the next chunk to be sent as a window probe, although the peer has no room for it.
    pub(crate) fn allow_window_probe(&mut self) {
        self.peer_window.allow_probe();
    }

    /// Returns true if everything is cumulatively acknowledged.
    pub(super) fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Returns true if data waits to be sent for the first time.
    #[inline]
    pub(crate) fn has_waiting(&self) -> bool {
        self.buffer.waiting_chunks() > 0
    }

    /// The user data that was not sent yet.
    pub(crate) fn waiting_bytes(&self) -> ByteCount {
        self.buffer.waiting_bytes()
    }

    /// The user data that is acknowledged neither cumulatively nor for good.
    pub(super) fn held_bytes(&self) -> ByteCount {
        self.buffer.held_bytes()
    }

    /// The cumulative TSN ack point of sent data.
    pub(crate) fn ack_point(&self) -> Tsn {
        self.buffer.ack_point()
    }

    /// The largest window that the peer has advertised.
    pub(crate) fn peer_buffer(&self) -> ByteCount {
        self.peer_window.buffer()
    }

    /// Limits the congestion windows of paths.
    pub(super) fn set_limits(&mut self, limits: &[(PathId, ByteCount)]) {
        self.rules.limit.set_limits(limits);
        self.reconsider();
    }

    /// The first other path that was found to share the bottleneck of `path`.
    pub(super) fn shares_with(&self, path: PathId) -> Option<PathId> {
        self.rules.congestion.shares_with(path)
    }

    /// Begins an event: each path may send another burst.
    #[inline]
    pub(crate) fn begin_event(&mut self, ground: &mut Ground) {
        ground.paths.on_event(self.max_burst);
        self.phase = SendPhase::Start;
    }

    /// Resumes sending after a change without an event.
    #[inline]
    pub(crate) fn reconsider(&mut self) {
        self.run = None;
        if self.phase == SendPhase::Drained {
            self.phase = SendPhase::Sending;
        }
    }
}

/// The association as a policy sees it. It borrows only the parts that it shows, so that policies can be called
/// mutably.
fn view<'a>(now: Time, paths: &'a PathTable, peer_window: &PeerWindow, send: &SendBuffer) -> View<'a> {
    View {
        now,
        paths: paths.samples(),
        primary: paths.primary(),
        last_resort: paths.last_resort(),
        peer_window: peer_window.open(),
        receive_buffer: peer_window.buffer(),
        queued: send.waiting_bytes(),
    }
}

/// The unsent chunks from `oldest` on, as a scheduler sees them.
fn queue_view<'a>(send: &'a SendBuffer, oldest: Tsn, paths: &PathTable) -> QueueView<'a> {
    let widest = paths.widest().unwrap_or(ByteCount::MAX);
    QueueView {
        chunks: send.waiting_chunks(),
        first_tsn: oldest,
        // A chunk that fits no path goes to the one with the largest packets.
        oldest: send.packet_with(oldest).min(widest),
        widest,
        waiting: send,
    }
}
