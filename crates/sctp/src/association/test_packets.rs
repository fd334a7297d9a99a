//! Test packets, with which programs at both ends measure paths while the association is open. They are neither
//! acknowledged nor congestion controlled, and change no window, round-trip time or error counter.

use std::collections::VecDeque;

use anabranch_base::{ByteCount, Ecn, Time};
use bytes::Bytes;

use super::datagram::Verified;
use super::{Association, State};
use crate::policy::PathId;
use crate::wire::{CommonHeader, Test};

/// A test packet that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedTest {
    /// The path on which it arrived.
    pub path: PathId,
    /// The body of its TEST chunk, at most 64 bytes.
    pub body: Bytes,
    /// The size of the IP packet, with all headers.
    pub size: ByteCount,
    /// The time of its arrival.
    pub at: Time,
    /// The ECN bits of its IP header.
    pub ecn: Ecn,
}

/// Why a test packet is not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TestError {
    /// Many test packets wait for the path already: the next ones can be sent when those have left.
    #[error("too many test packets wait to be sent; try again later")]
    Full,
    /// The handshake is not complete, or the association is closing or closed.
    #[error("the association is not open")]
    NotOpen,
    /// The association has no such path, or the path is not confirmed yet, or no longer exists.
    #[error("{path} is not a confirmed path of the association")]
    UnknownPath {
        /// The path.
        path: PathId,
    },
    /// [`Config::test_packets`](crate::config::Config::test_packets) is off.
    #[error("test packets are off; set `sctp.test_packets` to true at both ends")]
    Off,
    /// The body or the packet is too short or too long.
    #[error(
        "a body of {body} B in an IP packet of {size} cannot be sent: a body has 1 to {} B, and this packet {least} to {most}",
        Test::MOST_BODY
    )]
    Length {
        /// The length of the body.
        body: usize,
        /// The wanted size of the IP packet.
        size: ByteCount,
        /// The least size with this body.
        least: ByteCount,
        /// The largest size, [`Config::mtu`](crate::config::Config::mtu).
        most: ByteCount,
    },
}

/// The test packets that arrived and were not polled.
#[derive(Debug, Default)]
pub(super) struct TestInbox {
    waiting: VecDeque<ReceivedTest>,
    missed: u64,
}

impl TestInbox {
    /// Keeps the test that arrived in a packet, unless too many wait.
    pub(super) fn on_test(&mut self, now: Time, arrived: &Verified<'_>, test: Test<'_>, overhead: ByteCount) {
        if !test.is_valid() {
            return;
        }
        if self.waiting.len() >= MOST_WAITING {
            self.missed += 1;
            return;
        }
        let len = CommonHeader::LEN + arrived.packet.chunks().rest().len();
        let size = overhead + ByteCount::of_len(len);
        let body = Bytes::copy_from_slice(test.body);
        self.waiting.push_back(ReceivedTest { path: arrived.path, body, size, at: now, ecn: arrived.ecn });
    }
}

impl Association {
    /// Queues a test packet for `path`: a TEST chunk with `body`, padded to an IP packet of `size`, or up to three bytes
    /// less because SCTP packets have a multiple of four. Test packets of one size that are queued together leave back
    /// to back, before everything else.
    ///
    /// # Errors
    /// Test packets are off, the association is not open, the path is unknown or not confirmed, a length is not allowed,
    /// or 64 packets wait for the path.
    pub fn send_test(&mut self, path: PathId, body: &[u8], size: ByteCount) -> Result<(), TestError> {
        let State::Open(session) = &mut self.state else { return Err(TestError::NotOpen) };
        session.ground_mut().queue_test(path, body, size)
    }

    /// Keeps the test packets that arrive from now on until they are polled, at most 65,536 of them. Before this call
    /// they are dropped.
    pub fn receive_tests(&mut self) {
        self.tests_mut().get_or_insert_default();
    }

    /// Drops the test packets that were not polled, and those that arrive later.
    pub fn stop_receiving_tests(&mut self) {
        *self.tests_mut() = None;
    }

    /// The next test packet that arrived, in the order of arrival.
    pub fn poll_test(&mut self) -> Option<ReceivedTest> {
        self.tests_mut().as_mut()?.waiting.pop_front()
    }

    /// Returns true if a test packet can be polled.
    pub fn has_tests(&self) -> bool {
        self.tests().is_some_and(|tests| !tests.waiting.is_empty())
    }

    /// The number of test packets that were dropped because too many waited.
    pub fn missed_tests(&self) -> u64 {
        self.tests().map_or(0, |tests| tests.missed)
    }

    fn tests(&self) -> Option<&TestInbox> {
        match &self.state {
            State::Open(session) | State::Closing(session, _) => session.tests(),
            State::Opening(_) | State::Closed(_) => self.tests.as_deref(),
        }
    }

    fn tests_mut(&mut self) -> &mut Option<Box<TestInbox>> {
        match &mut self.state {
            State::Open(session) | State::Closing(session, _) => session.tests_mut(),
            State::Opening(_) | State::Closed(_) => &mut self.tests,
        }
    }
}

/// The most test packets that wait to be polled: some 10 MB.
const MOST_WAITING: usize = 65_536;
