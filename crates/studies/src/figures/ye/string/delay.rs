//! The time packets are under way: data of the first flow, and a packet with the answer to it.

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_scenario::Scenario;
use anabranch_sim::Watch;
use anabranch_sim::observe::{Host, Observation, PacketSeen, Seen, Step};

use super::super::super::figure::ValueSource;
use super::super::super::observed::{ObservedRun, Reader};
use super::run::{PACKET, StringRun};

/// The mean way there of the first flow's data packets from the first second on, in milliseconds: with what they wait at
/// stations, and not with what they wait at their host.
pub(crate) fn of_data(run: StringRun) -> ValueSource {
    observed(run.scenario(), |_| {
        Box::new(Delays::new(Kept::There, u64::from(PACKET), Duration::from_secs(1)))
    })
}

/// The mean way there of packets of 1,500 bytes, and that of the answers, which are all packets that travel the other way:
/// together, in milliseconds. The packets of the first five seconds, which find routes, do not count.
pub(crate) fn of_round_trips(scenario: String) -> ValueSource {
    observed(scenario, |_| Box::new(Delays::new(Kept::Both, 1_500, Duration::from_secs(5))))
}

fn observed(scenario: String, reader: fn(&Scenario) -> Box<dyn Reader>) -> ValueSource {
    let watch = Watch { packets: true, ..Watch::default() };
    ValueSource::Observed(ObservedRun { scenario, watch, reader })
}

/// Which ways count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    There,
    Both,
}

/// Delays of packets that arrived.
#[derive(Debug)]
struct Delays {
    kept: Kept,
    /// The size of a packet there.
    size: ByteCount,
    begin: Time,
    there: Mean,
    back: Mean,
}

#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Delays {
    fn new(kept: Kept, size: u64, begin: Duration) -> Delays {
        let [there, back] = [Mean::default(); 2];
        Delays { kept, size: ByteCount::new(size), begin: Time::ZERO + begin, there, back }
    }

    fn on_packet(&mut self, packet: &PacketSeen, delay: Duration) {
        let milliseconds = delay.as_secs_f64() * 1e3;
        match (packet.flow, packet.from) {
            (0, Host::First) if packet.size == self.size => self.there.add(milliseconds),
            (0, Host::First) => {}
            _ => self.back.add(milliseconds),
        }
    }
}

impl Reader for Delays {
    fn take(&mut self, seen: &Observation) {
        let Seen::Packet(packet) = &seen.what else { return };
        let Step::Arrived { delay } = packet.step else { return };
        if seen.at >= self.begin {
            self.on_packet(packet, delay);
        }
    }

    fn value(&self) -> f64 {
        match self.kept {
            Kept::There => self.there.value(),
            Kept::Both => self.there.value() + self.back.value(),
        }
    }
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1.0;
    }

    /// Not a number without any.
    fn value(self) -> f64 {
        self.sum / self.count
    }
}
