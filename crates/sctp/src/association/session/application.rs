//! The interface of a session to applications, drivers and its association.

use std::collections::VecDeque;

use anabranch_base::{ByteCount, Time};

use super::{Remains, Session};
use crate::association::authentication::AuthKeys;
use crate::association::ground::Ground;
use crate::association::peer_addresses::Pairs;
use crate::association::test_packets::TestInbox;
use crate::event::{CloseReason, Event};
use crate::path::{PathAddresses, PathTable};
use crate::policy::PathId;
use crate::receive::Message;
use crate::send::{Outgoing, Reliability};
use crate::seq::Tsn;
use crate::wire::{Packet, StreamId};

impl Session {
    /// Queues a message of the application.
    #[inline]
    pub(crate) fn on_message(&mut self, now: Time, message: Outgoing) {
        self.sender.on_message(&mut self.ground, now, message, false);
    }

    /// Queues a message that is to leave before all that wait.
    #[inline(never)]
    pub(crate) fn on_prompt_message(&mut self, now: Time, message: Outgoing) {
        self.sender.on_message(&mut self.ground, now, message, true);
    }

    /// The amount of waiting data among which the scheduler of paths chooses.
    pub(crate) fn look_ahead(&self) -> ByteCount {
        self.sender.look_ahead()
    }

    /// Takes the next message for the application.
    #[inline]
    pub(crate) fn take_message(&mut self) -> Option<Message> {
        self.receiver.take_message(&mut self.ground)
    }

    /// Gives up less important messages for one of `wanted` bytes and this `reliability`.
    #[inline]
    pub(crate) fn make_room(&mut self, wanted: ByteCount, reliability: Reliability) {
        if reliability.is_partial() {
            self.sender.make_room(&mut self.ground, wanted, reliability);
        }
    }

    /// Sets the priority or the weight of a stream.
    pub(crate) fn set_stream_value(&mut self, stream: StreamId, value: u16) {
        self.sender.set_stream_value(stream, value);
    }

    /// The amount of user data that the association accepts now.
    #[inline]
    pub(crate) fn send_space(&self) -> ByteCount {
        self.sender.send_space(&self.ground)
    }

    /// The largest message that both ends' buffers can hold, by the message limit.
    #[inline]
    pub(crate) fn largest_message(&self) -> ByteCount {
        let config = &self.ground.settings.config;
        config.message_limit.of(config.send_buffer, self.sender.peer_buffer())
    }

    /// Notes that the application waits until a message of this size fits.
    pub(crate) fn want_room(&mut self, message: ByteCount) {
        self.sender.want_room(message);
    }

    /// The user data that was not sent yet.
    pub(crate) fn waiting_bytes(&self) -> ByteCount {
        self.sender.waiting_bytes()
    }

    /// The user data that is acknowledged neither cumulatively nor for good.
    pub(crate) fn unacknowledged(&self) -> ByteCount {
        self.sender.held_bytes()
    }

    /// The amount of user data in these packets, which arrived together, that will certainly be stored.
    pub(crate) fn data_to_keep<'a>(&self, packets: impl Iterator<Item = &'a Packet<'a>>) -> ByteCount {
        self.receiver.data_to_keep(&self.ground, packets)
    }

    /// The received user data that the application has not read, including incomplete messages.
    pub(crate) fn received_bytes_held(&self) -> ByteCount {
        self.receiver.held()
    }

    /// The size of the receive buffer.
    pub(crate) fn receive_buffer(&self) -> ByteCount {
        self.receiver.capacity()
    }

    /// The cumulative TSN ack points of received and of sent data.
    pub(crate) fn ack_points(&self) -> (Tsn, Tsn) {
        (self.receiver.cumulative(), self.sender.ack_point())
    }

    /// Returns true if a SACK is due now.
    pub(crate) fn is_sack_due(&self) -> bool {
        self.receiver.is_sack_due()
    }

    /// Sets the path of the next SACK.
    pub(crate) fn answer_on(&mut self, path: PathId) {
        self.receiver.answer_on(path);
    }

    /// Begins an event: each path may send another burst.
    #[inline]
    pub(crate) fn begin_event(&mut self) {
        self.sender.begin_event(&mut self.ground);
    }

    /// Resumes sending after a change without an event.
    pub(crate) fn reconsider(&mut self) {
        self.sender.reconsider();
    }

    /// Limits the congestion windows of paths.
    pub(crate) fn set_limits(&mut self, limits: &[(PathId, ByteCount)]) {
        self.sender.set_limits(limits);
    }

    /// The first other path that was found to share the bottleneck of `path`.
    pub(crate) fn shares_with(&self, path: PathId) -> Option<PathId> {
        self.sender.shares_with(path)
    }

    /// Replaces the pairs of addresses to try.
    pub(crate) fn set_pairs(&mut self, pairs: Pairs) {
        self.peer.set_pairs(pairs);
    }

    /// Announces the role of `path` to the peer.
    pub(crate) fn announce_role(&mut self, path: PathId, now: Time) {
        self.peer.announce_role(&mut self.ground, path, now);
    }

    /// The shared state.
    #[inline]
    pub(crate) fn ground(&self) -> &Ground {
        &self.ground
    }

    /// The shared state, mutable.
    #[inline]
    pub(crate) fn ground_mut(&mut self) -> &mut Ground {
        &mut self.ground
    }

    /// The keys that authenticate chunks, if both ends support that.
    pub(crate) fn keys(&self) -> Option<&AuthKeys> {
        self.peer.keys()
    }

    /// Starts to verify and to probe the paths.
    pub(crate) fn start_heartbeats(&mut self, now: Time) {
        self.peer.start_heartbeats(&mut self.ground, now);
    }

    /// Probes unverified paths.
    pub(crate) fn verify_paths(&mut self, now: Time) {
        self.peer.verify_paths(&mut self.ground, now);
    }

    /// Probes a candidate path.
    pub(crate) fn challenge(&mut self, path: PathId, now: Time) {
        self.peer.challenge(&mut self.ground, path, now);
    }

    /// Returns true if a packet between these addresses opens no path.
    pub(crate) fn is_given_up(&self, pair: PathAddresses) -> bool {
        self.peer.is_given_up(&self.ground, pair)
    }

    /// Returns true if an ABORT from `path` may end the association.
    pub(crate) fn may_end_by(&self, path: PathId, is_reflected: bool) -> bool {
        self.peer.may_end_by(&self.ground, path, is_reflected)
    }

    /// Checks, when T3-rtx expires on `path`, whether data can still arrive; if not, returns the reason to close the
    /// association.
    pub(crate) fn judge_vanishing(&mut self, path: PathId, now: Time) -> Option<CloseReason> {
        self.sender.judge_vanishing(&self.ground, path, now)
    }

    /// Handles a report of the operating system that it sends no packet larger than `largest` on `path`.
    pub(crate) fn on_too_large(&mut self, path: PathId, largest: ByteCount, now: Time) {
        self.sender.on_too_large(&mut self.ground, path, largest, now);
    }

    /// Takes over from a session that the peer's restart ended: its `events`, and the path whose address was removed.
    pub(crate) fn take_over(&mut self, events: VecDeque<Event>, departed: Option<PathId>) {
        self.ground.log.follow(events);
        self.ground.log.event(Event::Restarted);
        self.peer.set_departed(departed);
        self.settle_departure();
    }

    /// The paths and the pairs to try, for another attempt to open the association.
    pub(crate) fn into_paths(self) -> (PathTable, Pairs) {
        (self.ground.paths, self.peer.into_pairs())
    }

    /// The test packets that arrived; `None` without a reader.
    pub(crate) fn tests(&self) -> Option<&TestInbox> {
        self.tests.as_deref()
    }

    /// The test packets that arrived, mutable.
    pub(crate) fn tests_mut(&mut self) -> &mut Option<Box<TestInbox>> {
        &mut self.tests
    }

    /// Ends the session.
    pub(crate) fn into_remains(self) -> Remains {
        let Session { mut ground, mut receiver, peer, tests, .. } = self;
        receiver.abort_parts(&mut ground);
        let (events, records) = ground.log.into_parts();
        let (ready, departed) = (receiver.into_ready(), peer.departed());
        Remains { ready, events, records, tests, paths: ground.paths, settings: ground.settings, departed }
    }
}
