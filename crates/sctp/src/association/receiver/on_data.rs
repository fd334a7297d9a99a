//! Handles DATA (RFC 9260 §6.2, §6.5–6.7, §6.9; M-SCTP-11, -13).

use anabranch_base::{ByteCount, Time};

use super::Receiver;
use crate::association::datagram::Verified;
use crate::association::ground::{Ground, Timer};
use crate::event::Event;
use crate::policy::acknowledge::{BufferSample, PacketNews, When};
use crate::receive::{
    Assembly, Bundle, DeliveryError, Fragment, Inserted, Level, MemoryLoad, Message, Part, ReassemblyError,
    TsnArrival, compact,
};
use crate::seq::{Mid, Tsn};
use crate::wire::{Cause, MessageKey, Packet, UserData};

/// The combined effect of the DATA chunks of one packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketData {
    had_gap: bool,
    /// The lowest TSN of its chunks; `None` if it has none.
    lowest: Option<Tsn>,
    has_new: bool,
    /// The weight of the new chunks.
    arrived: ByteCount,
    has_dropped: bool,
    wants_sack: bool,
    /// A FORWARD-TSN was in it.
    has_skipped: bool,
    is_after_shutdown: bool,
}

impl PacketData {
    /// Notes a FORWARD-TSN: it is acknowledged like DATA, and at once, so that the sender does not repeat it.
    pub(super) fn acknowledge_skip(&mut self) {
        self.has_skipped = true;
        self.wants_sack = true;
    }

    /// Marks the packet as arrived after our SHUTDOWN: it is answered with another SHUTDOWN, at once.
    pub(crate) fn answer_by_shutdown(&mut self) {
        self.is_after_shutdown = true;
    }

    /// Returns true if the packet arrived after our SHUTDOWN.
    pub(crate) fn is_after_shutdown(&self) -> bool {
        self.is_after_shutdown
    }
}

impl Receiver {
    /// The initial state for a packet.
    #[inline]
    pub(crate) fn begin_packet(&self, ground: &Ground) -> PacketData {
        let has_received = self.arrivals.highest() != ground.agreement.peer_tsn.previous();
        PacketData {
            had_gap: self.arrivals.has_gap(),
            lowest: None,
            has_new: false,
            arrived: ByteCount::ZERO,
            has_dropped: false,
            // RFC 9260 §5.1: "After the reception of the first DATA chunk in an association, the endpoint MUST
            // immediately respond with a SACK chunk".
            wants_sack: !has_received,
            has_skipped: false,
            is_after_shutdown: false,
        }
    }

    /// Handles one DATA or I-DATA chunk of a packet.
    #[inline]
    pub(crate) fn on_data(
        &mut self,
        ground: &mut Ground,
        arrived: &Verified<'_>,
        data: &UserData<'_>,
        packet: &mut PacketData,
    ) -> Result<(), BadData> {
        packet.lowest = Some(
            packet
                .lowest
                .map_or(data.tsn, |lowest| if data.tsn.is_before(lowest) { data.tsn } else { lowest }),
        );
        packet.wants_sack |= data.immediate;
        match self.arrivals.classify(data.tsn) {
            TsnArrival::New => {}
            TsnArrival::Duplicate => {
                self.arrivals.on_duplicate(data.tsn);
                return Ok(());
            }
            TsnArrival::OutOfRange => {
                packet.has_dropped = true;
                return Ok(());
            }
        }
        let length = data.payload.len();
        let load = MemoryLoad::of_chunk(ground.settings.config.rwnd_charge.weigh(length), length);
        let room = loop {
            match self.room_for(ground, data, load) {
                DataRoom::Never if self.may_divide && self.may_read_part(ground) => break DataRoom::NotNow,
                DataRoom::Never if self.may_grow_for_awaited() => {}
                room => break room,
            }
        };
        match room {
            DataRoom::Enough if data.interleaves && self.may_be_renumbered(data) => {
                packet.has_dropped = true;
                return Ok(());
            }
            DataRoom::Enough => {}
            DataRoom::NotNow => {
                packet.has_dropped = true;
                return Ok(());
            }
            DataRoom::Never => return Err(BadData::TooLarge(self.buffer.capacity())),
        }
        self.arrivals.on_tsn(data.tsn);
        packet.has_new = true;
        packet.arrived += load.charge;
        ground.paths.counters_mut(arrived.path).received_bytes += ByteCount::of_len(length);
        if data.stream.get() >= ground.agreement.inbound_streams {
            // RFC 9260 §6.5: acknowledge the TSN, discard the chunk, report the stream.
            ground.report(arrived.path, vec![Cause::InvalidStreamIdentifier(data.stream)]);
            return Ok(());
        }
        self.buffer.on_held(load);
        let &UserData { tsn, stream, mid, fsn, ppid, unordered, beginning, ending, .. } = data;
        if let Some(unreadable) = &mut self.unreadable
            && !(unordered && beginning && ending)
        {
            unreadable.on_held(tsn, MessageKey { stream, unordered, mid });
        }
        let payload = if beginning && ending && length <= Bundle::LARGEST {
            // The message is stored in a bundle, which copies it anyway.
            arrived.bytes.slice_ref(data.payload)
        } else {
            compact(data.payload, arrived.bytes, arrived.memory)
        };
        if beginning && ending && self.assembly.pass(tsn) {
            let message = Message::of_one((stream, mid.ssn(), ppid), unordered, payload, load);
            return self.deliver_or_defer(ground, message, mid, tsn);
        }
        let charge = load.charge;
        let fragment =
            Fragment { tsn, stream, mid, fsn, ppid, unordered, beginning, ending, charge, payload };
        let delivery = &self.delivery;
        let inserted =
            self.assembly.insert(fragment, |fragment| delivery.is_behind(fragment.stream, fragment.mid))?;
        match inserted {
            Inserted::Whole(message) if message.part == Part::Last => {
                self.deliver_last(ground, message, (mid, tsn))
            }
            Inserted::Whole(message) => self.deliver_or_defer(ground, message, mid, tsn),
            Inserted::Held if self.may_divide => {
                self.deliver_part(ground, MessageKey { stream, unordered, mid }, tsn);
                Ok(())
            }
            Inserted::Held => Ok(()),
            Inserted::Dropped(charge) => {
                self.buffer.on_released(charge);
                Ok(())
            }
        }
    }

    /// The amount of user data in packets that arrived together that will certainly be stored: new chunks with
    /// consecutive TSNs from the next one on, if there is room for all of them. Small chunks do not count: they are
    /// copied anyway.
    pub(crate) fn data_to_keep<'a>(
        &self,
        ground: &Ground,
        packets: impl Iterator<Item = &'a Packet<'a>>,
    ) -> ByteCount {
        if self.arrivals.has_gap() || ground.agreement.receiver.two_levels {
            return ByteCount::ZERO;
        }
        let (mut next, mut sum) = (self.arrivals.cumulative().next(), MemoryLoad::NONE);
        let mut kept = ByteCount::ZERO;
        for data in packets.filter_map(Packet::first_user_data) {
            if data.tsn != next || data.stream.get() >= ground.agreement.inbound_streams {
                continue;
            }
            next = next.next();
            let length = data.payload.len();
            sum += MemoryLoad::of_chunk(ground.settings.config.rwnd_charge.weigh(length), length);
            if length > Bundle::LARGEST {
                kept += ByteCount::of_len(length);
            }
        }
        if self.buffer.has_room(sum, self.received_memory()) { kept } else { ByteCount::ZERO }
    }

    /// Decides, after all chunks of a packet were read, when it is acknowledged.
    #[inline]
    pub(crate) fn end_packet(
        &mut self,
        ground: &mut Ground,
        arrived: &Verified<'_>,
        packet: &PacketData,
        now: Time,
    ) -> Result<(), BadData> {
        if packet.lowest.is_none() && !packet.has_skipped {
            return Ok(());
        }
        let path = arrived.path;
        ground.paths.counters_mut(path).received_data_packets += u64::from(packet.has_new);
        if let Some(lowest) = packet.lowest
            && arrived.ecn.is_marked()
        {
            self.on_marked(ground, path, lowest);
        }
        self.assembly.on_cumulative(self.arrivals.cumulative())?;
        self.sack_path = path;
        if self.may_divide {
            self.deliver_before_full(ground);
        }
        self.tune_buffer(ground, now, packet.arrived);
        let has_gap = self.arrivals.has_gap();
        let when = self.rules.timing.on_packet(&PacketNews {
            duplicates_only: !packet.has_new && !packet.has_dropped && !packet.has_skipped,
            has_gap,
            closed_gap: packet.had_gap && !has_gap,
            dropped: packet.has_dropped,
            immediate: packet.wants_sack,
            shutting_down: packet.is_after_shutdown,
            paths: ground.paths.samples().iter().filter(|sample| sample.state.is_in_use()).count(),
        });
        match when {
            When::Now => self.is_sack_due = true,
            When::After(delay) => ground.timers.start(Timer::Sack, now + delay),
        }
        Ok(())
    }

    /// The state of the receive buffer for the policies.
    #[inline]
    pub(super) fn buffer_sample(&self, ground: &Ground) -> BufferSample {
        self.buffer.sample(self.delivery.ready().charge, self.received_memory(), ground.settings.config.mtu)
    }

    /// Takes the next message for the application. Reading makes room, which may have to be advertised to the peer.
    pub(crate) fn take_message(&mut self, ground: &mut Ground) -> Option<Message> {
        let message = self.delivery.take()?;
        self.buffer.on_released(message.load().charge);
        if let Some(tuning) = &mut self.tuning {
            tuning.on_read(message.load().charge);
        }
        if self.rules.flow.is_update_due(&self.buffer_sample(ground)) {
            self.is_sack_due = true;
        }
        if self.may_divide {
            self.deliver_before_full(ground);
        }
        Some(message)
    }

    /// Delivers a message whose last chunk to arrive has `tsn`, unless its stream is reset before it.
    #[inline]
    fn deliver_or_defer(
        &mut self,
        ground: &mut Ground,
        message: Message,
        mid: Mid,
        tsn: Tsn,
    ) -> Result<(), BadData> {
        let Some(deferred) = &mut self.deferred else { return self.deliver(ground, message, mid) };
        if matches!(self.assembly, Assembly::Interleaved(_)) {
            if !message.unordered && self.delivery.passed(message.stream) == 0 {
                deferred.on_first_released(message.stream, tsn);
            }
            return self.deliver(ground, message, mid);
        }
        deferred.push(tsn, message).map_or(Ok(()), |message| self.deliver(ground, message, mid))
    }

    /// Passes a complete message on to the application, in the order of its stream.
    #[inline]
    pub(super) fn deliver(&mut self, ground: &mut Ground, message: Message, mid: Mid) -> Result<(), BadData> {
        let was_empty = self.delivery.is_empty();
        let span = self.arrivals.highest().distance_from(self.arrivals.cumulative());
        self.delivery.push(message, mid, span)?;
        if was_empty && !self.delivery.is_empty() {
            ground.log.event(Event::Readable);
        }
        Ok(())
    }

    /// The memory of all unread data.
    #[inline]
    fn received_memory(&self) -> ByteCount {
        let deferred = self.deferred.as_ref().map_or(ByteCount::ZERO, |deferred| deferred.load().memory);
        let delivery = self.delivery.waiting().memory + self.delivery.ready().memory;
        self.assembly.held().memory + delivery + deferred + self.arrivals.memory()
    }

    /// Returns true if there is room for a chunk. A chunk that others wait for, or without which nothing can be read, is
    /// accepted even beyond the buffer's size: refusing it would cost a time-out for each chunk, or stop the
    /// association permanently.
    #[inline]
    fn room_for(&self, ground: &Ground, data: &UserData<'_>, load: MemoryLoad) -> DataRoom {
        let memory = self.received_memory();
        let is_next = data.tsn == self.arrivals.cumulative().next();
        let is_stuck = is_next && self.delivery.is_empty() && !self.holds_readable();
        let is_awaited = is_stuck || is_next && (self.arrivals.has_gap() || self.deferred.is_some());
        let has_room = if ground.agreement.receiver.two_levels {
            self.buffer.has_room_in_level(load, self.level_of(is_next, is_awaited), memory)
        } else {
            self.buffer.has_room(load, memory) || is_awaited && self.buffer.has_room_for_awaited(load, memory)
        };
        if has_room {
            DataRoom::Enough
        } else if is_stuck {
            DataRoom::Never
        } else {
            DataRoom::NotNow
        }
    }

    /// Returns true if messages that wait for a reset of their streams become readable without more data.
    fn holds_readable(&self) -> bool {
        let cumulative = self.arrivals.cumulative();
        self.deferred.as_deref().is_some_and(|deferred| deferred.holds_up_to(cumulative))
    }

    /// The level of a buffer with two to which a chunk belongs.
    fn level_of(&self, is_next: bool, is_awaited: bool) -> Level {
        let ready = self.delivery.ready().charge;
        if is_next {
            Level::First { ready, is_awaited }
        } else {
            Level::Second { waiting: self.buffer.held().saturating_sub(ready) }
        }
    }
}

/// The decision about storing a chunk.
enum DataRoom {
    Enough,
    NotNow,
    /// Nothing can be read before this chunk arrives, and the buffer is too small for it.
    Never,
}

/// DATA that violates the protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadData {
    #[error(transparent)]
    Reassembly(#[from] ReassemblyError),
    #[error(transparent)]
    Delivery(#[from] DeliveryError),
    #[error("a message is larger than the receive buffer of {0}")]
    TooLarge(ByteCount),
}
