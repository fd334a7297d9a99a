//! A capture of a simulated run as seen at the first host: a pcapng file whose interfaces are the paths.

mod blocks;
mod headers;

use std::io::{self, Write};

use anabranch_base::{Ecn, Time};
use anabranch_scenario::model::{Flow, Path, Protocol, Scenario};
use anabranch_sctp::config::Encapsulation;
use anabranch_sim::observe::{FrameEvent, Host, MeshEvent, Observation, PacketSeen, Seen, Step};
use anabranch_wireless::radiotap_frame;

use super::{About, PROGRAM};
use blocks::{Blocks, LinkType, PacketDirection};
pub use headers::address;
use headers::{Journey, PacketEncapsulation};

/// A capture being written.
#[derive(Debug)]
pub struct PcapSink<W> {
    blocks: Blocks<W>,
    transports: Vec<PacketEncapsulation>,
    /// The numbers of packets of each path, sent by the first host and by the second.
    numbers: Vec<[u16; 2]>,
    packet: Vec<u8>,
}

impl<W: Write> PcapSink<W> {
    /// Begins the capture of a run, with one interface for each path, named after it.
    ///
    /// # Errors
    /// The file cannot be written; likewise below.
    pub fn new(out: W, about: &About<'_>) -> io::Result<PcapSink<W>> {
        let Scenario { title, paths, radios, flows, .. } = about.scenario;
        let comment = format!("{title}\n{}\nTimes are seconds since the start of the run.", about.command);
        let mut blocks = Blocks::new(out, comment.trim_start(), PROGRAM)?;
        for (index, path) in paths.iter().enumerate() {
            blocks.interface(LinkType::RawIp, &path.name, &description(about.scenario, index, path))?;
        }
        for radio in radios {
            let heard =
                format!("all frames of radio {}, as one that hears every station has them", radio.name);
            blocks.interface(LinkType::Radiotap, &radio.name, &heard)?;
        }
        Ok(PcapSink {
            blocks,
            transports: flows.iter().enumerate().map(|(index, flow)| transport(index, flow)).collect(),
            numbers: vec![[0; 2]; paths.len()],
            packet: Vec::new(),
        })
    }

    /// Adds an observation, if it is of a packet at the first host.
    pub fn take(&mut self, observation: &Observation) -> io::Result<()> {
        let seen = match &observation.what {
            Seen::Packet(seen) => seen,
            Seen::Frame(event) => return self.take_frame(observation.at, event),
            _ => return Ok(()),
        };
        let Some(direction) = direction(seen) else { return Ok(()) };
        let (Some(transport), Some(numbers)) =
            (self.transports.get(seen.flow), self.numbers.get_mut(seen.path))
        else {
            return Ok(());
        };
        let number = &mut numbers[usize::from(seen.from == Host::Second)];
        let PacketSeen { path, from, ecn, .. } = *seen;
        let journey = Journey { path, from, ecn, identification: *number };
        *number = number.wrapping_add(1);
        let length = journey.wrap(*transport, &seen.bytes, &mut self.packet);
        self.blocks.packet(interface(seen.path), observation.at, direction, &self.packet, length)
    }

    /// Adds a frame of a radio station, timed at its end.
    fn take_frame(&mut self, at: Time, seen: &FrameEvent) -> io::Result<()> {
        let MeshEvent::Frame(frame, carried) = &seen.event else { return Ok(()) };
        let packet = carried.as_ref().and_then(|carried| {
            let transport = self.transports.get(carried.flow)?;
            let (path, from) = (carried.path, carried.from);
            let journey = Journey { path, from, ecn: Ecn::NotEct, identification: 0 };
            journey.wrap(*transport, &carried.bytes, &mut self.packet);
            Some(&self.packet[..])
        });
        let bytes = radiotap_frame(frame, packet);
        let interface = interface(self.numbers.len() + seen.radio);
        self.blocks.packet(interface, at, PacketDirection::Inbound, &bytes, bytes.len())
    }

    /// Ends the capture and returns the file.
    pub fn finish(self) -> io::Result<W> {
        self.blocks.finish()
    }
}

/// The direction in which a packet passes the first host; `None` at other steps.
fn direction(seen: &PacketSeen) -> Option<PacketDirection> {
    match (seen.from, seen.step) {
        (Host::First, Step::Sent) => Some(PacketDirection::Outbound),
        (Host::Second, Step::Arrived { .. }) => Some(PacketDirection::Inbound),
        _ => None,
    }
}

fn transport(index: usize, flow: &Flow) -> PacketEncapsulation {
    match &flow.protocol {
        Protocol::Sctp(sctp) => match sctp.config.encapsulation {
            Encapsulation::None => PacketEncapsulation::Sctp,
            // A capture shows the packets under the encryption, which are its purpose.
            Encapsulation::Udp | Encapsulation::Sealed => PacketEncapsulation::SctpInUdp,
        },
        Protocol::Tcp(_) => PacketEncapsulation::Tcp,
        Protocol::Udp => PacketEncapsulation::Udp { port: FIRST_PORT + (index % PORTS) as u16 },
    }
}

fn description(scenario: &Scenario, index: usize, path: &Path) -> String {
    let names = path.links.iter().filter_map(|link| scenario.links.get(*link));
    let links = names.map(|link| link.name.as_str()).collect::<Vec<_>>().join(", ");
    let (here, there) = (address(index, Host::First), address(index, Host::Second));
    format!("{here} to {there} over {links}")
}

fn interface(path: usize) -> u32 {
    u32::try_from(path).unwrap_or(u32::MAX)
}

/// The first source port of flows of datagrams.
const FIRST_PORT: u16 = 40_000;
const PORTS: usize = 25_000;

#[cfg(test)]
mod tests {
    use anabranch_base::{Duration, Time};

    use super::*;
    use crate::testing::{self, packet};

    fn captured(observations: &[Observation]) -> Vec<u8> {
        let scenario = testing::scenario();
        let mut sink = PcapSink::new(Vec::new(), &testing::about(&scenario)).unwrap();
        observations.iter().for_each(|observation| sink.take(observation).unwrap());
        sink.finish().unwrap()
    }

    fn packets_in(file: &[u8]) -> Vec<&[u8]> {
        let mut packets = Vec::new();
        let mut rest = file;
        while let [k0, k1, k2, k3, l0, l1, l2, l3, ..] = rest {
            let length = u32::from_le_bytes([*l0, *l1, *l2, *l3]) as usize;
            if [*k0, *k1, *k2, *k3] == [6, 0, 0, 0] {
                let captured = u32::from_le_bytes(rest[20..24].try_into().unwrap()) as usize;
                packets.push(&rest[28..28 + captured]);
            }
            rest = &rest[length..];
        }
        packets
    }

    #[test]
    fn only_what_passes_the_first_host_is_captured() {
        let at = Time::from_nanos(1);
        let arrived = Step::Arrived { delay: Duration::from_millis(20) };
        let file = captured(&[
            packet(at, Host::First, Step::Sent),
            packet(at, Host::First, arrived),
            packet(at, Host::Second, Step::Sent),
            packet(at, Host::Second, arrived),
        ]);
        let packets = packets_in(&file);
        let sources: Vec<u8> = packets.iter().map(|packet| packet[15]).collect();
        assert_eq!(sources, [1, 2]);
    }

    #[test]
    fn packets_of_a_path_are_numbered_in_each_direction() {
        let sent = |from, step| packet(Time::ZERO, from, step);
        let arrived = Step::Arrived { delay: Duration::ZERO };
        let file = captured(&[
            sent(Host::First, Step::Sent),
            sent(Host::First, Step::Sent),
            sent(Host::Second, arrived),
        ]);
        let numbers: Vec<u8> = packets_in(&file).iter().map(|packet| packet[5]).collect();
        assert_eq!(numbers, [0, 1, 0]);
    }

    #[test]
    fn interfaces_are_named_like_the_paths() {
        let file = captured(&[]);
        let has = |text: &str| file.windows(text.len()).any(|found| found == text.as_bytes());
        assert!(has("wifi") && has("10.0.1.1 to 10.0.1.2 over lte"));
    }

    #[test]
    fn a_flow_or_path_that_the_scenario_does_not_have_is_left_out() {
        let mut peer = packet(Time::ZERO, Host::First, Step::Sent);
        if let Seen::Packet(seen) = &mut peer.what {
            seen.flow = 99;
        }
        assert!(packets_in(&captured(&[peer])).is_empty());
    }
}
