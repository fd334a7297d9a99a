//! A transfer from one stack to another in one thread and in virtual time, over links that lose nothing and never
//! queue.

use std::collections::VecDeque;

use anabranch_base::{Duration, Time};
use bytes::Bytes;

use super::{Datagram, Life, Stack};

/// Two ends and what is on its way between them.
pub(crate) struct Transfer<C, S> {
    pub(crate) now: Time,
    pub(crate) client: C,
    pub(crate) server: S,
    /// The time a packet takes.
    pub(crate) delay: Duration,
    /// Packets that left, both ways.
    pub(crate) packets: u64,
    /// Messages that arrived.
    pub(crate) received: u64,
    /// The treatment of the client's packets before they leave; `None` if the packet is kept back.
    pub(crate) divert: Option<Box<Divert>>,
    to_server: Pipe,
    to_client: Pipe,
    leaving: Vec<Datagram>,
    message: Vec<u8>,
}

type Pipe = VecDeque<(Time, Datagram)>;

/// Takes a packet, and answers with those that leave now.
pub(crate) type Divert = dyn FnMut(Datagram, &mut dyn FnMut(Datagram));

impl<C: Stack, S: Stack> Transfer<C, S> {
    /// An open association.
    pub(crate) fn open(client: C, server: S, delay: Duration) -> Transfer<C, S> {
        let mut transfer = Transfer {
            now: Time::ZERO,
            client,
            server,
            delay,
            packets: 0,
            received: 0,
            divert: None,
            to_server: Pipe::new(),
            to_client: Pipe::new(),
            leaving: Vec::new(),
            message: Vec::new(),
        };
        transfer.client.connect(transfer.now);
        transfer.settle_client();
        while transfer.client.life() != Life::Open || transfer.server.life() != Life::Open {
            transfer.step();
        }
        transfer
    }

    /// The client sends `message` over and over, as fast as its windows allow, until the server has received `count`
    /// more of them.
    pub(crate) fn run(&mut self, message: &Bytes, count: u64) {
        self.run_with(count, |client, now| client.send(now, message));
    }

    /// The same, with the client sending by `send` until that answers `false`.
    pub(crate) fn run_with(&mut self, count: u64, mut send: impl FnMut(&mut C, Time) -> bool) {
        let end = self.received + count;
        let mut may_send = true;
        while self.received < end {
            if may_send {
                while send(&mut self.client, self.now) {}
                self.settle_client();
            }
            may_send = self.step();
        }
    }

    /// One packet arrives, or time goes on to the next event; whether the client may have more room now.
    fn step(&mut self) -> bool {
        let now = self.now;
        if let Some((_, datagram)) = due(&mut self.to_server, now) {
            self.server.handle(now, &datagram);
            self.settle_server();
            return false;
        }
        if let Some((_, datagram)) = due(&mut self.to_client, now) {
            self.client.handle(now, &datagram);
            self.settle_client();
            return true;
        }
        let packets = [self.to_server.front(), self.to_client.front()];
        let packets = packets.into_iter().flatten().map(|(at, _)| *at);
        let timers = [self.client.poll_timeout(), self.server.poll_timeout()];
        let next = packets.chain(timers.into_iter().flatten()).min();
        self.now = now.max(next.expect("an open association has a timer"));
        if timers[0].is_some_and(|due| due <= self.now) {
            self.client.handle_timeout(self.now);
            self.settle_client();
        }
        if timers[1].is_some_and(|due| due <= self.now) {
            self.server.handle_timeout(self.now);
            self.settle_server();
        }
        true
    }

    fn settle_client(&mut self) {
        self.client.poll_transmit(self.now, &mut self.leaving);
        let at = self.now + self.delay;
        self.packets += self.leaving.iter().map(Datagram::count).sum::<u64>();
        for datagram in self.leaving.drain(..) {
            match &mut self.divert {
                None => self.to_server.push_back((at, datagram)),
                Some(divert) => divert(datagram, &mut |datagram| self.to_server.push_back((at, datagram))),
            }
        }
    }

    /// The server reads what came, then sends what it has to say.
    fn settle_server(&mut self) {
        while self.server.receive(self.now, &mut self.message) {
            self.received += 1;
        }
        self.server.poll_transmit(self.now, &mut self.leaving);
        let at = self.now + self.delay;
        self.packets += self.leaving.iter().map(Datagram::count).sum::<u64>();
        self.to_client.extend(self.leaving.drain(..).map(|datagram| (at, datagram)));
    }
}

/// The first packet, if it arrives by `now`.
fn due<P>(packets: &mut VecDeque<(Time, P)>, now: Time) -> Option<(Time, P)> {
    if packets.front().is_some_and(|(at, _)| *at <= now) { packets.pop_front() } else { None }
}
