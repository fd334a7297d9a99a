//! The queues of control chunks and probes, and the random numbers in them.

use std::collections::VecDeque;
use std::fmt;

use anabranch_base::{Seed, Time};
use rand_chacha::ChaCha12Rng;
use rand_core::{Rng, SeedableRng};

use super::challenge::Challenges;
use super::probe::MtuProbe;
use super::queued_test::QueuedTest;
use crate::path::PathAddresses;
use crate::policy::PathId;
use crate::wire::EncodeChunk;

/// The queued control chunks and probes; data and SACKs have their own queues.
#[derive(Debug)]
pub(crate) struct Outbox {
    /// Control chunks, in order.
    controls: VecDeque<Control>,
    /// Packets of their own.
    alone: VecDeque<Alone>,
    /// The challenges that verify addresses.
    challenges: Challenges,
    rng: ChaCha12Rng,
}

/// A queued control chunk.
pub(crate) struct Control {
    /// The path on which it is sent.
    pub path: PathId,
    /// True if it may be sent on an unverified path (RFC 9260 §5.4: only HEARTBEATs, their answers, and chunks bundled
    /// with them).
    pub is_probe: bool,
    /// The chunk.
    pub chunk: Box<dyn EncodeChunk + Send>,
}

/// A queued packet that is sent alone, before all others and outside the windows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Alone {
    /// An MTU probe.
    MtuProbe(MtuProbe),
    /// A test packet of the application.
    Test(QueuedTest),
}

impl Alone {
    fn path(&self) -> PathId {
        match self {
            Alone::MtuProbe(waiting) => waiting.probe.path,
            Alone::Test(test) => test.path(),
        }
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a chunk of {} bytes for {}", self.chunk.encoded_len(), self.path)
    }
}

impl Outbox {
    /// An empty outbox whose random numbers come from children of `seed`.
    pub(crate) fn new(seed: &Seed) -> Outbox {
        Outbox {
            controls: VecDeque::new(),
            alone: VecDeque::new(),
            challenges: Challenges::new(&seed.child("challenges")),
            rng: ChaCha12Rng::from_seed(seed.child("session").bytes()),
        }
    }

    /// Queues `chunk` for `path`, which may be unverified if it `is_probe`.
    pub(crate) fn push(&mut self, path: PathId, is_probe: bool, chunk: impl EncodeChunk + Send + 'static) {
        self.controls.push_back(Control { path, is_probe, chunk: Box::new(chunk) });
    }

    /// Queues `chunk` for `path` before all others.
    pub(crate) fn push_first(&mut self, path: PathId, chunk: impl EncodeChunk + Send + 'static) {
        self.controls.push_front(Control { path, is_probe: false, chunk: Box::new(chunk) });
    }

    /// The next chunk to send.
    #[inline]
    pub(crate) fn first(&self) -> Option<&Control> {
        self.controls.front()
    }

    /// Removes the next chunk to send.
    #[inline]
    pub(crate) fn take_first(&mut self) {
        self.controls.pop_front();
    }

    /// Returns true if no control chunk waits.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.controls.is_empty()
    }

    /// Returns true if so many chunks wait that answers are dropped.
    pub(crate) fn is_full(&self) -> bool {
        self.controls.len() >= MAX_OUTBOX
    }

    /// Removes the chunks of a type, which a later chunk replaces.
    pub(crate) fn withdraw(&mut self, kind: u8) {
        self.controls.retain(|control| control.chunk.kind() != kind);
    }

    /// Removes everything queued for `path`.
    pub(crate) fn remove_path(&mut self, path: PathId) {
        self.controls.retain(|control| !(control.is_probe && control.path == path));
    }

    /// Queues a packet of its own.
    pub(crate) fn push_alone(&mut self, packet: Alone) {
        self.alone.push_back(packet);
    }

    /// Takes the next packet of its own on a path that `is_usable`; those before it are dropped.
    #[inline]
    pub(crate) fn take_alone(&mut self, is_usable: impl Fn(PathId) -> bool) -> Option<Alone> {
        while let Some(packet) = self.alone.pop_front() {
            if is_usable(packet.path()) {
                return Some(packet);
            }
        }
        None
    }

    /// Takes the next packet of its own if it is a test packet of the path and size of `first`.
    pub(super) fn take_test_like(&mut self, first: &QueuedTest) -> Option<QueuedTest> {
        match self.alone.front() {
            Some(Alone::Test(next)) if next.is_like(first) => {
                let next = *next;
                self.alone.pop_front();
                Some(next)
            }
            _ => None,
        }
    }

    /// The number of test packets queued for `path`.
    pub(super) fn queued_tests(&self, path: PathId) -> usize {
        self.alone.iter().filter(|packet| matches!(packet, Alone::Test(_)) && packet.path() == path).count()
    }

    /// Drops all packets of their own.
    pub(crate) fn clear_alone(&mut self) {
        self.alone.clear();
    }

    /// A random number for a nonce or a jitter.
    pub(crate) fn random(&mut self) -> u64 {
        self.rng.next_u64()
    }

    /// The number that proves these addresses.
    pub(crate) fn proof(&self, addresses: PathAddresses) -> u64 {
        self.challenges.proof(addresses)
    }

    /// Returns true if one more address may be challenged at once.
    pub(crate) fn may_challenge(&mut self, now: Time) -> bool {
        self.challenges.may_give(now)
    }
}

/// The number of control chunks that may be queued; further answers are dropped.
const MAX_OUTBOX: usize = 64;
