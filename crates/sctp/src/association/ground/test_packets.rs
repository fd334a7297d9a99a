//! Sends the test packets of the application: each is a packet of its own with a TEST chunk, padded to the wanted size,
//! and independent of the windows, like an MTU probe.

use anabranch_base::ByteCount;

use super::Ground;
use super::outbox::Alone;
use super::queued_test::QueuedTest;
use crate::association::datagram::Transmit;
use crate::association::test_packets::TestError;
use crate::policy::{PathId, PathState};
use crate::wire::{CommonHeader, EncodeChunk, PacketBuilder, Pad, Test};

impl Ground {
    /// Queues a test packet of `size`, a size of the IP packet, for a path that is confirmed.
    pub(crate) fn queue_test(&mut self, path: PathId, body: &[u8], size: ByteCount) -> Result<(), TestError> {
        if !self.settings.config.test_packets {
            return Err(TestError::Off);
        }
        let is_confirmed = path.index() < self.paths.len()
            && !matches!(self.paths.sample(path).state, PathState::Unconfirmed | PathState::Removed);
        if !is_confirmed {
            return Err(TestError::UnknownPath { path });
        }
        let test = Test { body };
        let overhead = self.settings.config.overhead(self.paths.addresses(path).ip_version());
        let least = overhead + ByteCount::of_len(CommonHeader::LEN + test.encoded_len());
        let most = self.settings.config.mtu;
        if !test.is_valid() || !(least..=most).contains(&size) {
            return Err(TestError::Length { body: body.len(), size, least, most });
        }
        if self.outbox.queued_tests(path) >= MOST_QUEUED {
            return Err(TestError::Full);
        }
        let len = (size - overhead).as_len();
        let queued = QueuedTest::new(path, &test, len - len % 4);
        self.outbox.push_alone(Alone::Test(queued));
        Ok(())
    }

    /// Appends `first` to `buf`, and the test packets that follow it in the queue with its path and size, at most
    /// `max_segments` together. They leave back to back.
    pub(super) fn transmit_tests(
        &mut self,
        first: &QueuedTest,
        buf: &mut Vec<u8>,
        max_segments: usize,
    ) -> Transmit {
        let (path, len) = (first.path(), first.len());
        self.write_test(first, buf);
        let mut count = 1;
        while count < max_segments
            && let Some(next) = self.outbox.take_test_like(first)
        {
            self.write_test(&next, buf);
            count += 1;
        }
        self.paths.counters_mut(path).sent_packets += count as u64;
        Transmit { len: count * len, ..Transmit::single(path, len) }
    }

    fn write_test(&self, test: &QueuedTest, buf: &mut Vec<u8>) {
        let mut builder = PacketBuilder::new(buf, self.header(), test.len());
        builder.push(&test.chunk()).expect("the length was checked when it was queued");
        if let Some(pad) = Pad::filling(builder.remaining()) {
            builder.push(&pad).expect("it takes what remains");
        }
        builder.finish(self.settings.config.checksum);
    }
}

/// The most test packets that may be queued for a path: a train.
const MOST_QUEUED: usize = 64;
