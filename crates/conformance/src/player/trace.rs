//! A script as it was played: a line for each call and packet, for authors of scripts.

use super::Player;
use super::time::seconds;
use crate::machine::Sent;
use crate::packet::{self, LivePacket};
use crate::script::{Call, Packet, SctpPacket};
use crate::sockets::Reply;

impl Player {
    pub(super) fn trace_call(&mut self, call: &Call, reply: &Reply) {
        let outcome = match reply {
            Reply::Done(outcome) => outcome.error.map_or_else(|| outcome.result.to_string(), str::to_owned),
            Reply::Blocks(error) => (*error).to_owned(),
        };
        self.tell(&format!("{} = {outcome}", call.name));
    }

    pub(super) fn trace_injected(&mut self, packet: &Packet, sctp: &SctpPacket) {
        let route = packet
            .path
            .filter(|_| self.machine.path_count() > 1)
            .map_or(String::new(), |path| format!("[{path}] "));
        self.tell(&format!("< {route}{sctp}"));
    }

    pub(super) fn trace_sent(&mut self, sent: &Sent, live: &LivePacket) {
        let route =
            if self.machine.path_count() > 1 { format!("{} ", self.route_of(sent)) } else { String::new() };
        self.trace.push(format!("{} > {route}{live}", seconds(sent.at)));
    }

    /// Adds the packets that the script did not expect.
    pub(super) fn trace_rest(&mut self) {
        while let Some(sent) = self.machine.take_sent() {
            let live = packet::decode(&sent.bytes, &self.numbers);
            self.trace_sent(&sent, &live);
            if let Some(last) = self.trace.last_mut() {
                last.push_str(" (not in the script)");
            }
        }
    }

    /// The path of a packet in the notation of scripts, or its addresses.
    pub(super) fn route_of(&self, sent: &Sent) -> String {
        let is_its = |number: &usize| {
            let path = self.machine.path(*number);
            path.is_some_and(|path| (path.local, path.remote) == (sent.local, sent.remote))
        };
        let number = (0..self.machine.path_count()).find(is_its);
        number.map_or_else(|| format!("{} to {}", sent.local, sent.remote), |number| format!("[{number}]"))
    }

    fn tell(&mut self, what: &str) {
        let now = seconds(self.machine.now());
        self.trace.push(format!("{now} {what}"));
    }
}
