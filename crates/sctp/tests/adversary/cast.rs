//! The two honest ends and what their applications do.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

use anabranch_base::Duration;
use anabranch_sctp::association::{Association, MAX_PATHS, Outgoing, Reliability, SendError};
use anabranch_sctp::config::Config;
use anabranch_sctp::endpoint::AssociationId;
use anabranch_sctp::wire::{Ppid, StreamId, VerificationTag};
use bytes::Bytes;

use super::bounds::Bounds;
use super::liar::Liar;
use super::parts::Joined;
use super::plan::{LIARS, Scene};
use super::tally::Tally;
use super::verdict::{Class, Fault};
use super::witness::Witness;
use crate::pair::{End, Meter, Pair, Reading};
use crate::walk::Ledger;

/// The ends that play, and what was seen of them so far.
pub(crate) struct Cast {
    pub(crate) pair: Pair,
    pub(crate) scene: Scene,
    pub(crate) witness: Witness,
    pub(crate) liars: [Liar; LIARS],
    pub(crate) tally: Tally,
    pub(super) bounds: Bounds,
    /// The data that each end sent, association by association; the last is the present one, as that end knows it.
    pub(super) ledgers: [Vec<Ledger>; 2],
    /// The messages of which an end has read parts, by association.
    parts: [BTreeMap<AssociationId, Joined>; 2],
    /// The tags of all associations that Z accepted.
    pub(super) accepted: BTreeSet<(VerificationTag, Option<VerificationTag>)>,
    /// The data that applications gave the present association: messages and bytes.
    pub(super) given: [u64; 2],
    /// True if the association may end: an application aborted it, A lost its memory, or a host its address.
    pub(super) may_end: bool,
    /// The number of crashes of A since the two last had an association that both ended in order: a COOKIE-ECHO from before
    /// may still open one at Z, and the next one of A begins that anew.
    pub(super) crashes: usize,
    /// The number of lives of A.
    lives: u64,
}

impl Cast {
    /// Both ends, before anything is sent.
    pub(crate) fn new(scene: &Scene, read: fn() -> Reading) -> Cast {
        let config = scene.config();
        let mut pair = Pair::over(Config::default(), Config::default(), &scene.versions);
        pair.equip(&(scene.variant.registry)(), &config);
        pair.meter = Some(Meter::new(read));
        pair.may_cross = true;
        pair.keep_packets();
        pair.seed(scene.seed);
        pair.reseed(End::A, 2 * scene.seed);
        pair.reseed(End::Z, 2 * scene.seed + 1);
        (pair.a.adopts, pair.z.adopts) = (false, false);
        for (pipe, &delay) in pair.pipes.iter_mut().zip(&scene.delays_ms) {
            pipe.delay = Duration::from_millis(delay);
        }
        Cast {
            pair,
            scene: scene.clone(),
            witness: Witness::default(),
            liars: std::array::from_fn(Liar::new),
            tally: Tally::default(),
            bounds: Bounds::new(scene.seed, config),
            ledgers: [End::A, End::Z].map(|end| vec![Ledger::of(end, 0)]),
            parts: Default::default(),
            accepted: BTreeSet::new(),
            given: [0; 2],
            may_end: false,
            crashes: 0,
            lives: 0,
        }
    }

    /// The honest two begin to open an association.
    pub(crate) fn open(&mut self) -> Result<(), Fault> {
        // No more than an association has paths.
        let pipes = self.pair.pipes.len().min(MAX_PATHS);
        let remotes: Vec<SocketAddr> = (0..pipes).map(|pipe| self.pair.address(End::Z, pipe)).collect();
        self.pair.connect_to(End::A, &remotes);
        if self.scene.collides && self.living(End::Z).is_none() {
            self.pair.connect_from(End::Z);
        }
        self.watch()
    }

    /// An end sends `count` messages, or as many as there is room for.
    pub(crate) fn send(
        &mut self,
        end: End,
        (stream, unordered): (u16, bool),
        length: usize,
        count: usize,
    ) -> Result<(), Fault> {
        let Some(id) = self.living(end) else { return Ok(()) };
        let length = if unordered { length.max(4) } else { length };
        for _ in 0..count {
            let payload = self.ledger(end).next(stream, unordered, length);
            match self.give(end, id, (stream, unordered), &payload) {
                Ok(()) => self.ledger(end).on_sent(stream, unordered, length),
                Err(SendError::Empty) => {
                    return Err(Fault::new(Class::Delivery, "a message of some bytes is empty"));
                }
                Err(_) => break,
            }
            self.given[0] += 1;
            self.given[1] += length as u64;
        }
        self.pair.settle(end);
        self.watch()
    }

    /// Returns the ledger of an end in the association that it knows.
    fn ledger(&mut self, end: End) -> &mut Ledger {
        self.ledgers[end as usize].last_mut().expect("there is always one")
    }

    /// Begins the ledger of another association.
    pub(super) fn begin_ledger(&mut self, end: End) {
        let ledgers = &mut self.ledgers[end as usize];
        ledgers.push(Ledger::of(end, ledgers.len() as u32));
    }

    /// Z's application sends something to another peer.
    pub(crate) fn serve(&mut self, id: AssociationId, length: usize, count: usize) -> Result<(), Fault> {
        let payload = Bytes::from(vec![7; length]);
        (0..count).take_while(|_| self.give(End::Z, id, (0, false), &payload).is_ok()).count();
        self.pair.settle(End::Z);
        self.watch()
    }

    fn give(
        &mut self,
        end: End,
        id: AssociationId,
        (stream, unordered): (u16, bool),
        payload: &Bytes,
    ) -> Result<(), SendError> {
        self.pair.within(end, |side, now| {
            // What an end keeps of a message is its own memory.
            let (stream, payload) = (StreamId::new(stream), Bytes::copy_from_slice(payload));
            let message = Outgoing {
                stream,
                ppid: Ppid::new(0),
                unordered,
                immediate: false,
                reliability: Reliability::Full,
                payload,
            };
            side.endpoint.association_mut(id).map_or(Ok(()), |association| association.send(now, message))
        })
    }

    /// An end reads all that waits for it, of every association.
    pub(crate) fn read(&mut self, end: End) -> Result<(), Fault> {
        let liars = self.liars.iter().filter_map(|liar| liar.id).filter(|_| end == End::Z);
        for id in self.living(end).into_iter().chain(liars).collect::<Vec<_>>() {
            self.read_from(end, id)?;
        }
        self.pair.settle(end);
        self.watch()
    }

    pub(super) fn read_from(&mut self, end: End, id: AssociationId) -> Result<(), Fault> {
        let is_liars = end == End::Z && self.liars.iter().any(|liar| liar.id == Some(id));
        let is_lied = self.scene.powers.forges || is_liars;
        let receive = |pair: &mut Pair| {
            pair.within(end, |side, _| side.endpoint.association_mut(id).and_then(Association::receive))
        };
        while let Some(message) = receive(&mut self.pair) {
            let joined = self.parts[end as usize].entry(id).or_default().take(&message);
            let checked = joined.and_then(|whole| match whole {
                Some(bytes) if !is_lied => self.check(end, (message.stream.get(), message.unordered), &bytes),
                _ => Ok(()),
            });
            self.pair.within(end, |_, _| drop(message));
            checked.map_err(|what| Fault::new(Class::Delivery, what))?;
        }
        Ok(())
    }

    /// A message arrived at an end, of the present association or, where A loses its memory, of one before.
    fn check(&mut self, end: End, stream: (u16, bool), bytes: &[u8]) -> Result<(), String> {
        let ledgers = &mut self.ledgers[end.other() as usize];
        let present = ledgers.len() - 1;
        let number = Ledger::association_of(bytes).filter(|_| self.scene.crashes);
        let number = number.map_or(present, |number| number as usize);
        match ledgers.get_mut(number) {
            Some(ledger) => ledger.check_bytes(stream, bytes),
            None => Err(format!("a message of association {number} was never sent")),
        }
    }

    /// Lets time pass, and looks at each event.
    pub(crate) fn pass(&mut self, span: Duration) -> Result<(), Fault> {
        let until = self.pair.now + span;
        for _ in 0..MOST_EVENTS {
            let has_more = self.pair.advance(until);
            self.watch()?;
            if !has_more {
                return Ok(());
            }
        }
        Err(Fault::new(Class::Standstill, format!("{MOST_EVENTS} events in {span}")))
    }

    /// An end's host loses an address, and packets to it are lost.
    pub(crate) fn leave(&mut self, end: End, pipe: usize) -> Result<(), Fault> {
        self.may_end = true;
        self.pair.remove_local(end, pipe);
        self.watch()
    }

    /// The host has the address again.
    pub(crate) fn come_back(&mut self, end: End, pipe: usize) -> Result<(), Fault> {
        self.pair.add_local(end, pipe);
        self.watch()
    }

    /// An end closes, if there is something to close.
    pub(crate) fn close(&mut self, end: End) -> Result<(), Fault> {
        if self.living(end).is_some() && self.pair.is_open(end) {
            self.pair.close(end);
        }
        self.watch()
    }

    /// An end aborts the association.
    pub(crate) fn call_off(&mut self, end: End) -> Result<(), Fault> {
        if self.living(end).is_some() {
            self.may_end = true;
            self.pair.abort(end, "the play says so");
        }
        self.watch()
    }

    /// A loses its memory and opens another association.
    pub(crate) fn crash(&mut self) -> Result<(), Fault> {
        self.watch()?;
        self.lives += 1;
        self.pair.reseed(End::A, 2 * self.scene.seed + (self.lives << 32));
        self.pair.a.adopts = false;
        if let Some(meter) = &mut self.pair.meter {
            meter.forget(End::A);
        }
        self.parts[End::A as usize].clear();
        self.witness.turn_page();
        self.begin_ledger(End::A);
        self.may_end = true;
        self.crashes += 1;
        self.open()
    }

    /// The honest association of an end, if it has one.
    pub(crate) fn living(&self, end: End) -> Option<AssociationId> {
        let side = self.pair.end(end);
        side.id.filter(|id| side.endpoint.association(*id).is_some())
    }

    /// Returns true if the association of an end is over, or never began.
    pub(super) fn is_over(&mut self, end: End) -> bool {
        self.living(end).is_none() || self.pair.closed(end).is_some()
    }
}

/// More events than this in one stretch of time is a storm.
const MOST_EVENTS: u32 = 400_000;
