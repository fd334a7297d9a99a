//! The queues of control chunks and probes, and the random numbers in them.

use std::collections::VecDeque;
use std::fmt;

use anabranch_base::{Seed, Time};
use rand_chacha::ChaCha12Rng;
use rand_core::{Rng, SeedableRng};

use super::challenge::Challenges;
use super::probe::MtuProbe;
use crate::path::PathAddresses;
use crate::policy::PathId;
use crate::wire::EncodeChunk;

/// The queued control chunks and probes; data and SACKs have their own queues.
#[derive(Debug)]
pub(crate) struct Outbox {
    /// Control chunks, in order.
    controls: VecDeque<Control>,
    /// MTU probes, each a packet of its own.
    mtu_probes: VecDeque<MtuProbe>,
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
            mtu_probes: VecDeque::new(),
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

    /// Queues an MTU probe.
    pub(crate) fn push_mtu_probe(&mut self, probe: MtuProbe) {
        self.mtu_probes.push_back(probe);
    }

    /// Takes the next MTU probe on a path that `is_usable`; earlier ones are dropped.
    #[inline]
    pub(crate) fn take_mtu_probe(&mut self, is_usable: impl Fn(PathId) -> bool) -> Option<MtuProbe> {
        if self.mtu_probes.is_empty() {
            return None;
        }
        self.mtu_probes.retain(|waiting| is_usable(waiting.probe.path));
        self.mtu_probes.pop_front()
    }

    /// Drops all MTU probes.
    pub(crate) fn clear_mtu_probes(&mut self) {
        self.mtu_probes.clear();
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
