//! Injects the packets of a script, and compares those that leave the machine.

use std::net::SocketAddr;

use anabranch_base::{Ecn, Time};
use anabranch_sctp::association::PathAddresses;

use super::time::{PATIENCE, Window, seconds};
use super::{Player, Stop, UDP_PORT};
use crate::machine::{PORT, Sent};
use crate::packet::{self, LivePacket};
use crate::script::{Body, Icmp, Packet, SctpPacket, When};

impl Player {
    /// Lets a packet of the script arrive.
    pub(super) fn inject(&mut self, line: usize, packet: &Packet) -> Result<(), Stop> {
        let mut path = self.path(line, packet.path.unwrap_or(0))?;
        if let Some((source, destination)) = packet.addresses {
            let [local, remote] = [destination, source].map(|address| SocketAddr::new(address, UDP_PORT));
            path = PathAddresses { local, remote };
        }
        match &packet.body {
            Body::Icmp(icmp) => hear(line, icmp),
            Body::Sctp(sctp) => {
                let bytes = packet::encode(sctp, (PORT, PORT), &self.numbers)
                    .map_err(|error| Stop::lacking(line, error.to_string()))?;
                self.numbers.learn_injected(sctp);
                self.trace_injected(packet, sctp);
                self.machine.arrive(path, packet.ecn.unwrap_or(Ecn::NotEct), bytes);
                Ok(())
            }
        }
    }

    /// Waits for a packet of the machine, and compares it.
    pub(super) fn expect(&mut self, line: usize, when: When, packet: &Packet) -> Result<(), Stop> {
        let window = self.window(when);
        let Body::Sctp(expected) = &packet.body else {
            return Err(Stop::lacking(line, "ICMP from the machine"));
        };
        let latest = match window {
            Window::Between(_, to) => to + self.options.tolerance,
            Window::Any => self.machine.now() + PATIENCE,
        };
        while self.machine.next_sent().is_none() {
            let is_over = !self.machine.step(latest);
            self.after_change()?;
            if is_over && self.machine.next_sent().is_none() {
                let got = format!("no packet by {}", seconds(self.machine.now()));
                return Err(Stop::failed(line, "a packet is missing", rendered(expected), got));
            }
        }
        let Some(sent) = self.machine.take_sent() else {
            return Err(Stop::failed(line, "a packet is missing", rendered(expected), "no packet"));
        };
        self.numbers.learn_sent(expected, &sent.bytes);
        let live = packet::decode(&sent.bytes, &self.numbers);
        self.trace_sent(&sent, &live);
        self.check_time(line, window, sent.at, &live)?;
        self.check_path(line, packet, &sent, &live)?;
        let differences = packet::differences(expected, &live, &self.numbers);
        if differences.is_empty() {
            return Ok(());
        }
        let what = differences.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        Err(Stop::failed(line, what, rendered(expected), live.to_string()))
    }

    /// Fails if a packet left that the script did not expect.
    pub(super) fn expect_nothing(&mut self, line: usize) -> Result<(), Stop> {
        let Some(sent) = self.machine.take_sent() else { return Ok(()) };
        let live = packet::decode(&sent.bytes, &self.numbers);
        self.trace_sent(&sent, &live);
        let got = format!("{} {live} at {}", self.route_of(&sent), seconds(sent.at));
        Err(Stop::failed(line, "a packet left", "nothing", got))
    }

    fn check_time(&self, line: usize, window: Window, at: Time, live: &LivePacket) -> Result<(), Stop> {
        let Window::Between(from, to) = window else { return Ok(()) };
        let tolerance = self.options.tolerance;
        if at + tolerance >= from && at <= to + tolerance {
            return Ok(());
        }
        let expected =
            if from == to { seconds(from) } else { format!("{} to {}", seconds(from), seconds(to)) };
        let got = format!("{} at {}", live, seconds(at));
        Err(Stop::failed(line, "a packet left at another time", expected, got))
    }

    fn check_path(&self, line: usize, packet: &Packet, sent: &Sent, live: &LivePacket) -> Result<(), Stop> {
        if let Some(wanted) = packet.ecn
            && wanted != sent.ecn
        {
            return Err(Stop::failed(
                line,
                "another ECN codepoint",
                format!("{wanted:?}"),
                format!("{:?}", sent.ecn),
            ));
        }
        let Some(number) = packet.path else { return Ok(()) };
        let wanted = self.path(line, number)?;
        if (wanted.local, wanted.remote) == (sent.local, sent.remote) {
            return Ok(());
        }
        let found = self.route_of(sent);
        Err(Stop::failed(line, "another path", format!("[{number}]"), format!("{found} {live}")))
    }
}

/// Lets an ICMP message arrive. One about the size of packets changes nothing: "A simple implementation MAY ignore
/// received PTB messages" (RFC 8899 §4.6.1), and the real sockets ask the operating system to keep them.
fn hear(line: usize, icmp: &Icmp) -> Result<(), Stop> {
    match (icmp.kind.as_str(), icmp.code.as_str(), icmp.mtu) {
        ("unreachable", "frag_needed", Some(_)) | ("packet_too_big", _, Some(_)) => Ok(()),
        (kind, code, _) => Err(Stop::lacking(line, format!("ICMP {kind} {code}"))),
    }
}

/// A packet of the script in its notation.
fn rendered(packet: &SctpPacket) -> String {
    packet.to_string()
}
