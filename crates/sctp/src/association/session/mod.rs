//! An open association: all its parts, none of which uses another. The files beside this one combine the parts, one
//! file for each event.

use std::collections::VecDeque;
use std::sync::Arc;

use anabranch_base::{ByteCount, Seed, Time};
use rand_chacha::ChaCha12Rng;
use rand_core::{Rng, SeedableRng};

use super::authentication::AuthKeys;
use super::challenge::Challenges;
use super::doubts::Doubts;
use super::draws::TimerDraws;
use super::extensions::Extensions;
use super::marks::Marks;
use super::outbox::Control;
use super::pairs::Pairs;
use super::policies::Policies;
use super::probe::MtuProbe;
use super::reading::SackReading;
use super::receiver_rules::ReceiverRules;
use super::reconfiguration::Reconfiguration;
use super::timers::{Timer, Timers};
use super::vanishing::Vanishing;
use super::window_exemptions::WindowExemptions;
use crate::config::{Config, MaxBurst};
use crate::event::Event;
use crate::path::{HealthChange, PathTable};
use crate::policy::acknowledge::Listed;
use crate::policy::ns2::Ns2Rules;
use crate::policy::schedule::{Index, QueueView};
use crate::policy::{PathId, Registry, View};
use crate::receive::{Allowance, Arrivals, Budget, Delivery, Reassembly, ReceiveBuffer, Tuning};
use crate::record::{Happening, Record};
use crate::send::{Outgoing, SendBuffer};
use crate::seq::Tsn;
use crate::wire::{CommonHeader, VerificationTag};

/// What does not change while an endpoint exists.
#[derive(Debug)]
pub struct Settings {
    /// The values and the policies' names.
    pub config: Config,
    /// The policies of these names.
    pub registry: Registry,
    /// The memory by which all receive buffers together may grow.
    pub budget: Arc<Budget>,
}

/// The result of the handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// This end's SCTP port.
    pub local_port: u16,
    /// The peer's SCTP port.
    pub peer_port: u16,
    /// The tag on packets that arrive.
    pub local_tag: VerificationTag,
    /// The tag on packets that leave.
    pub peer_tag: VerificationTag,
    /// The first TSN that leaves.
    pub local_tsn: Tsn,
    /// The first TSN that arrives.
    pub peer_tsn: Tsn,
    /// The peer's receive buffer.
    pub peer_window: ByteCount,
    /// How many streams this end may use.
    pub outbound_streams: u16,
    /// How many streams the peer may use.
    pub inbound_streams: u16,
    /// Whether both ends support ECN.
    pub ecn: bool,
    /// The rules of the receiver that both ends have.
    pub receiver: ReceiverRules,
}

/// The peer's receive window, as this end estimates it.
#[derive(Clone, Copy, Debug)]
pub struct PeerWindow {
    /// How many bytes may still be sent.
    pub open: ByteCount,
    /// The window of the last SACK.
    pub advertised: ByteCount,
    /// The largest window ever advertised.
    pub buffer: ByteCount,
    /// A chunk that was sent although the window had no room for it, and is not acknowledged.
    pub probe: Option<Tsn>,
    /// How many probes were sent in a row.
    pub probes: u32,
    /// The next chunk may be sent as a probe.
    pub may_probe: bool,
    /// Whether a SACK arrived since the probe left.
    pub has_answered: bool,
    /// Whether chunks that are lost keep their room, so that no new data takes it. RFC 9260 §6.2.1 gives it away ("add the
    /// data size of those chunks to the rwnd"): new data fills the buffer, and what all of it waits for is refused.
    pub keeps_room: bool,
    /// Whether the last SACK left less room than is in flight or lost: the peer may have refused some of it.
    pub is_overdrawn: bool,
}

/// How far sending has come since the last event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendPhase {
    /// Nothing was sent yet.
    Begins,
    /// Something was sent, and more may follow.
    GoesOn,
    /// Everything was sent; only a SACK or control chunk that was queued since then would leave.
    Drained,
    /// Everything that could be sent was sent. Polling again changes nothing.
    Done,
}

/// An open association.
#[derive(Debug)]
pub struct Session {
    pub(super) settings: Arc<Settings>,
    pub(super) agreement: Agreement,
    pub(super) paths: PathTable,
    pub(super) policies: Policies,
    pub(super) timers: Timers,

    pub(super) send: SendBuffer,
    pub(super) peer_window: PeerWindow,
    /// The path and chunk that the scheduler picked and that did not fit into the last packet.
    pub(super) picked: Option<(PathId, Index)>,
    /// The copy that the scheduler wants to send and that has not left yet.
    pub(super) planned_copy: Option<(Tsn, PathId)>,
    /// The paths on which one packet of retransmissions may pass cwnd (RFC 9260 §7.2.4 rule 3).
    pub(super) exemptions: WindowExemptions,
    /// The cuts that may prove spurious.
    pub(super) doubts: Doubts,
    /// How far sending has come since the last event.
    pub(super) sending: SendPhase,
    /// The memory for the next SACK. While a SACK is processed, the memory is passed from step to step and this value
    /// is empty.
    pub(super) reading: SackReading,

    pub(super) arrivals: Arrivals,
    pub(super) reassembly: Reassembly,
    pub(super) delivery: Delivery,
    pub(super) buffer: ReceiveBuffer,
    /// Lets the receive buffer grow; `None` if its size is fixed.
    pub(super) tuning: Option<Tuning>,
    /// The path for a SACK that is due, or will be.
    pub(super) sack_path: PathId,
    pub(super) is_sack_due: bool,
    pub(super) marks: Marks,
    pub(super) listed: Listed,

    /// Control chunks that wait to leave, in order.
    pub(super) outbox: VecDeque<Control>,
    /// Probes of packet sizes that wait to leave.
    pub(super) mtu_probes: VecDeque<MtuProbe>,
    /// Errors in a row, on all paths together (RFC 9260 §8.1).
    pub(super) errors: u32,
    /// The time-outs of the chunk that the peer waits for, if it is too large for some networks.
    pub(super) vanishing: Option<Vanishing>,
    /// The last verified path, if its address was lost: it stays until another path is verified.
    pub(super) departed: Option<PathId>,
    /// The peer deleted every verified address: data waits.
    pub(super) awaits_verification: bool,
    /// The keys that authenticate chunks, if both ends support that.
    pub(super) keys: Option<AuthKeys>,
    /// The state of address reconfiguration, if both ends support it.
    pub(super) reconfiguration: Option<Reconfiguration>,
    /// The pairs of addresses to try if paths do not answer.
    pub(super) pairs: Pairs,
    /// How an address proves that it received what was sent to it.
    pub(super) challenges: Challenges,
    /// The room in the send buffer for which a sender waits.
    pub(super) wanted_room: Option<ByteCount>,
    /// The bound on the packets that one event sends.
    pub(super) max_burst: MaxBurst,
    pub(super) events: VecDeque<Event>,
    pub(super) records: Option<VecDeque<Record>>,
    pub(super) rng: ChaCha12Rng,
    /// The random times of timers that a loss response sets.
    pub(super) draws: TimerDraws,
}

impl Session {
    /// Opens an association over `paths`.
    pub fn new(settings: Arc<Settings>, agreement: Agreement, mut paths: PathTable, seed: &Seed) -> Session {
        let config = &settings.config;
        let mut policies =
            Policies::build(&settings.registry, config, seed).expect("checked with the endpoint's settings");
        policies.agree(agreement.receiver, config);
        paths.set_initial_ssthresh(agreement.peer_window);
        let peer_window = PeerWindow {
            open: policies.flow.peer_window(agreement.peer_window, ByteCount::ZERO),
            advertised: agreement.peer_window,
            buffer: agreement.peer_window,
            probe: None,
            probes: 0,
            may_probe: false,
            has_answered: false,
            // ns-2 gives it away, as the RFC does.
            keeps_room: config.failover.quick && config.cmt.ns2 == Ns2Rules::default(),
            is_overdrawn: false,
        };
        let two_levels = agreement.receiver.two_levels;
        let second_level = if two_levels { config.second_level() } else { ByteCount::ZERO };
        let mut session = Session {
            send: SendBuffer::new(agreement.local_tsn, config.charge, config.rwnd_charge)
                .with_ns2(config.cmt.ns2)
                .by_departure(config.cmt.by_departure)
                .by_time(config.cmt.by_time),
            arrivals: Arrivals::new(agreement.peer_tsn),
            reassembly: Reassembly::new(),
            delivery: Delivery::new(agreement.inbound_streams),
            buffer: ReceiveBuffer::new(config.receive_buffer).with_second_level(second_level),
            tuning: config
                .receive_growth
                .map(|growth| Tuning::new(growth, Allowance::none(settings.budget.clone()))),
            sack_path: paths.primary(),
            max_burst: config.max_burst,
            settings,
            agreement,
            paths,
            policies,
            timers: Timers::default(),
            peer_window,
            picked: None,
            planned_copy: None,
            exemptions: WindowExemptions::default(),
            doubts: Doubts::default(),
            sending: SendPhase::Done,
            reading: SackReading::default(),
            is_sack_due: false,
            marks: Marks::default(),
            listed: Listed::default(),
            outbox: VecDeque::new(),
            mtu_probes: VecDeque::new(),
            errors: 0,
            vanishing: None,
            departed: None,
            awaits_verification: false,
            keys: None,
            reconfiguration: None,
            pairs: Pairs::default(),
            challenges: Challenges::new(&seed.child("challenges")),
            wanted_room: None,
            events: VecDeque::new(),
            records: None,
            rng: ChaCha12Rng::from_seed(seed.child("session").bytes()),
            draws: TimerDraws::new(seed.child("timers")),
        };
        for id in session.paths.ids() {
            session.join(id);
        }
        session.fit_first_windows(&session.paths.ids().collect::<Vec<_>>());
        session
    }

    /// Enables the extensions both ends support.
    pub fn equip(&mut self, extensions: Extensions) {
        self.keys = extensions.keys;
        let Agreement { local_tsn, peer_tsn, .. } = self.agreement;
        self.reconfiguration =
            extensions.changes_addresses.then(|| Reconfiguration::new(local_tsn, peer_tsn));
    }

    /// Queues a message of the application.
    pub fn on_message(&mut self, now: Time, message: Outgoing) {
        self.begin_event();
        self.decay_idle_windows(now);
        self.queue_message(message);
        let Some(oldest) = self.send.oldest_waiting() else { return };
        let queue = look_at_queue(&self.send, oldest, &self.paths);
        let view = look(now, &self.paths, &self.peer_window, &self.send);
        self.policies.scheduler.on_queued(&queue, &view);
    }

    /// How much user data the association accepts now.
    pub fn send_space(&self) -> ByteCount {
        self.send.room_in(self.settings.config.send_buffer)
    }

    /// A sender waits until a message of this size fits.
    pub fn want_room(&mut self, message: ByteCount) {
        self.wanted_room = Some(self.wanted_room.map_or(message, |other| other.min(message)));
    }

    /// An event is handled: each path may send another burst.
    pub(super) fn begin_event(&mut self) {
        self.paths.on_event(self.max_burst);
        self.sending = SendPhase::Begins;
    }

    /// What may be sent changed without an event.
    pub(super) fn reconsider(&mut self) {
        if self.sending == SendPhase::Drained {
            self.sending = SendPhase::GoesOn;
        }
    }

    /// Counts an error against path `id`, and against the association if it `is_serious`. `Err` when there were too
    /// many.
    pub(super) fn count_error(&mut self, id: PathId, is_serious: bool, now: Time) -> Result<(), PeerGone> {
        let failover = self.settings.config.failover;
        let change = self.paths.on_error(id, &failover);
        self.announce(id, change, now);
        self.errors = self.errors.saturating_add(u32::from(is_serious));
        if self.errors > failover.association_max {
            return Err(PeerGone { errors: self.errors });
        }
        Ok(())
    }

    /// Reports a path's change to the application, and starts or checks the search for the path's MTU.
    pub(super) fn announce(&mut self, id: PathId, change: Option<HealthChange>, now: Time) {
        let event = match change {
            None => return,
            Some(HealthChange::Confirmed) => Event::PathConfirmed(id),
            Some(HealthChange::Suspected) => Event::PathSuspected(id),
            Some(HealthChange::Down) => Event::PathDown(id),
            Some(HealthChange::Up) => Event::PathUp(id),
        };
        self.events.push_back(event);
        match change {
            Some(HealthChange::Confirmed | HealthChange::Up) => self.search_mtu(id, now),
            Some(HealthChange::Suspected) => self.doubt_mtu(id, now),
            Some(HealthChange::Down) | None => {}
        }
    }

    /// Records something for studies, if recording is on.
    pub(super) fn record(&mut self, at: Time, path: PathId, what: Happening) {
        if let Some(records) = &mut self.records {
            records.push_back(Record { at, path, what });
        }
    }

    pub(super) fn record_window(
        &mut self,
        at: Time,
        path: PathId,
        cut: Option<crate::policy::congestion::CutCause>,
    ) {
        if self.records.is_some() {
            let sample = self.paths.sample(path);
            let (cwnd, ssthresh) = (sample.cwnd, sample.ssthresh);
            self.record(at, path, Happening::Window { cwnd, ssthresh, cut });
        }
    }

    /// Restarts the T3-rtx timer of path `id`.
    pub(super) fn restart_retransmission_timer(&mut self, id: PathId, now: Time) {
        let wait = self.paths.take_timer(id);
        self.timers.set(Timer::Retransmission(id), now + wait);
    }

    /// A path that may carry a SACK or a control chunk: `wanted` while it is active, else another active path. If
    /// none is active, [`resort_of`](PathTable::resort_of) chooses.
    pub(super) fn usable_path(&self, wanted: PathId) -> PathId {
        if self.paths.sample(wanted).state.carries_data() {
            return wanted;
        }
        let mut active = self.paths.samples().iter().filter(|sample| sample.state.carries_data());
        match active.next() {
            Some(sample) => sample.id,
            None => self.paths.resort_of(wanted),
        }
    }

    /// The path of SACKs: the one on which the last DATA arrived, or another that is active. If none is, DATA shows better than
    /// anything where the network works again (RFC 9260 §6.4).
    pub(super) fn sack_route(&self) -> PathId {
        let usable = self.usable_path(self.sack_path);
        let has_failed = |id| self.paths.sample(id).state.has_failed();
        match self.settings.config.failover.quick && has_failed(usable) && has_failed(self.sack_path) {
            true => self.sack_path,
            false => usable,
        }
    }

    /// The header of packets to the peer.
    pub(super) fn header(&self) -> CommonHeader {
        CommonHeader {
            source_port: self.agreement.local_port,
            destination_port: self.agreement.peer_port,
            verification_tag: self.agreement.peer_tag,
        }
    }

    pub(super) fn random(&mut self) -> u64 {
        self.rng.next_u64()
    }
}

/// There were too many errors in a row: the peer does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerGone {
    /// How many errors.
    pub errors: u32,
}

/// The association as a policy sees it. It is a function of only the parts that it shows, so that policies can be
/// called mutably.
pub(super) fn look<'a>(
    now: Time,
    paths: &'a PathTable,
    peer_window: &PeerWindow,
    send: &SendBuffer,
) -> View<'a> {
    View {
        now,
        paths: paths.samples(),
        primary: paths.primary(),
        last_resort: paths.last_resort(),
        peer_window: peer_window.open,
        receive_buffer: peer_window.buffer,
        queued: send.waiting_bytes(),
    }
}

/// The chunks that wait to be sent for the first time, from the chunk `oldest` on, as a scheduler sees them.
pub(super) fn look_at_queue<'a>(send: &'a SendBuffer, oldest: Tsn, paths: &PathTable) -> QueueView<'a> {
    let widest = paths.widest().unwrap_or(ByteCount::MAX);
    QueueView {
        chunks: send.waiting_chunks(),
        first_tsn: oldest,
        // A chunk that fits no path goes to the widest one.
        oldest: send.packet_with(oldest).min(widest),
        widest,
        waiting: send,
    }
}
