//! One segment as both ends saw it, and the flights that it becomes.

use std::collections::BTreeMap;

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_diagnose::recording::{Flight, Purpose, SizeTried, TestPacket};

use super::capacity::SizedArrival;
use crate::arrival_log::LoggedArrival;
use crate::protocol::{Arrival, Program};
use crate::traffic::SentTest;

/// One lane of a segment.
#[derive(Clone, Debug, Default)]
pub(super) struct MeasuredLane {
    /// The packets from this end to the other, by their numbers.
    pub(super) forward: Vec<TestPacket>,
    /// The packets from the other end to this one.
    pub(super) reverse: Vec<TestPacket>,
}

impl MeasuredLane {
    /// One direction.
    pub(super) fn direction(&self, is_forward: bool) -> &[TestPacket] {
        if is_forward { &self.forward } else { &self.reverse }
    }

    /// The sizes that were tried in one direction, without packets whose size is not known.
    pub(super) fn sizes(&self, is_forward: bool) -> Vec<SizeTried> {
        let mut sizes: BTreeMap<ByteCount, SizeTried> = BTreeMap::new();
        for packet in self.direction(is_forward).iter().filter(|packet| packet.size > ByteCount::ZERO) {
            let size = packet.size;
            let tried = sizes.entry(size).or_insert(SizeTried { size, sent: 0, arrived: 0 });
            tried.sent += 1;
            tried.arrived += u32::from(packet.arrived.is_some());
        }
        sizes.into_values().collect()
    }
}

/// The packets from this end: as they were `sent`, with their arrivals at the other end.
pub(super) fn ours(sent: &[SentTest], arrivals: &[Arrival]) -> Vec<TestPacket> {
    let packet = |(number, sent): (u32, &SentTest)| TestPacket {
        number,
        sent: sent.at,
        size: ByteCount::new(sent.size.into()),
        arrived: None,
    };
    let mut packets: Vec<TestPacket> = (0..).zip(sent).map(packet).collect();
    for arrival in arrivals {
        if let Some(packet) = packets.get_mut(arrival.number as usize) {
            packet.arrived.get_or_insert(arrival.at);
        }
    }
    packets
}

/// The packets of the other end, of which it sent `count` by `program`: those that arrived as they say, and the others
/// between them. The size of a lost one is zero if it is not known.
pub(super) fn theirs(program: &Program, count: u32, arrivals: &[LoggedArrival]) -> Vec<TestPacket> {
    let mut packets: Vec<TestPacket> = (0..count)
        .map(|number| {
            let size = program.sizes[number as usize % program.sizes.len()];
            TestPacket { number, sent: Time::ZERO, size: ByteCount::new(size.into()), arrived: None }
        })
        .collect();
    for arrival in arrivals {
        if let Some(packet) =
            packets.get_mut(arrival.number as usize).filter(|packet| packet.arrived.is_none())
        {
            (packet.sent, packet.size, packet.arrived) = (arrival.sent, arrival.size, Some(arrival.at));
        }
    }
    interpolate(&mut packets, distance(program));
    align(&mut packets, &program.sizes);
    packets
}

/// The mean distance of the packets of a program.
fn distance(program: &Program) -> Duration {
    program.duration() / u64::from(program.packets()).max(1)
}

/// Gives the packets that were lost times of sending: between those of their neighbours, or at `distance` from the nearest.
fn interpolate(packets: &mut [TestPacket], distance: Duration) {
    let known: Vec<usize> = (0..packets.len()).filter(|index| packets[*index].arrived.is_some()).collect();
    let (Some(&first), Some(&last)) = (known.first(), known.last()) else { return };
    let (first_sent, last_sent) = (packets[first].sent, packets[last].sent);
    for (before, packet) in packets[..first].iter_mut().rev().enumerate() {
        packet.sent = first_sent - distance * (before as u64 + 1);
    }
    for (behind, packet) in packets[last + 1..].iter_mut().enumerate() {
        packet.sent = last_sent + distance * (behind as u64 + 1);
    }
    for pair in known.windows(2) {
        let (from, to) = (packets[pair[0]].sent, packets[pair[1]].sent);
        let steps = (pair[1] - pair[0]) as u64;
        for (step, packet) in (1..).zip(&mut packets[pair[0] + 1..pair[1]]) {
            packet.sent = from + to.since(from) / steps * step;
        }
    }
}

/// Gives the packets that were lost their sizes. A packet that was not sent in time has no number, so a size does not follow
/// from the number alone: it is that which both neighbours agree on.
fn align(packets: &mut [TestPacket], sizes: &[u16]) {
    let count = sizes.len();
    let known: Vec<usize> = (0..packets.len()).filter(|index| packets[*index].arrived.is_some()).collect();
    // The place of a packet's size in the program beyond its number.
    let shift = |packets: &[TestPacket], index: usize| {
        let place = sizes.iter().position(|size| u64::from(*size) == packets[index].size.get())?;
        Some((place + count - index % count) % count)
    };
    for index in (0..packets.len()).filter(|index| packets[*index].arrived.is_none()).collect::<Vec<_>>() {
        let behind = known.partition_point(|other| *other < index);
        let before = behind.checked_sub(1).and_then(|place| known.get(place));
        let shifts: Vec<Option<usize>> =
            before.into_iter().chain(known.get(behind)).map(|other| shift(packets, *other)).collect();
        let agreed = match shifts[..] {
            [] => Some(0),
            [one] => one,
            [one, other, ..] => one.filter(|_| one == other),
        };
        let size = agreed.map_or(0, |shift| sizes[(index + shift) % count]);
        packets[index].size = ByteCount::new(size.into());
    }
}

/// The flight of packets with a purpose; `None` if there are none.
pub(super) fn flight(purpose: Purpose, packets: &[TestPacket]) -> Option<Flight> {
    (!packets.is_empty()).then(|| Flight { purpose, packets: packets.to_vec() })
}

/// The packets that arrived, in the order of their arrival.
pub(super) fn arrivals(packets: &[TestPacket]) -> Vec<SizedArrival> {
    let arrival = |packet: &TestPacket| {
        packet.arrived.map(|at| SizedArrival { number: packet.number, bytes: packet.size.get(), at })
    };
    let mut arrivals: Vec<SizedArrival> = packets.iter().filter_map(arrival).collect();
    arrivals.sort_by_key(|arrival| arrival.at);
    arrivals
}

/// The growth of the delay above its least that the share `at` of the packets does not exceed.
pub(super) fn growth(packets: &[TestPacket], at: f64) -> Option<Duration> {
    let delay = |packet: &TestPacket| {
        packet.arrived.map(|arrived| i128::from(arrived.as_nanos()) - i128::from(packet.sent.as_nanos()))
    };
    let mut delays: Vec<i128> = packets.iter().filter_map(delay).collect();
    delays.sort_unstable();
    let least = *delays.first()?;
    let place = (delays.len() as f64 * at) as usize;
    let value = delays.get(place).or(delays.last())?;
    Some(Duration::from_nanos(u64::try_from(value - least).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Stage;

    fn at(micros: u64) -> Time {
        Time::ZERO + Duration::from_micros(micros)
    }

    #[test]
    fn a_packet_that_arrived_twice_arrived_first_and_an_unknown_number_is_nothing() {
        let sent = [SentTest { at: at(10), size: 100 }, SentTest { at: at(20), size: 100 }];
        let arrival = |number, micros| Arrival { number, at: at(micros) };
        let packets = ours(&sent, &[arrival(1, 60), arrival(1, 50), arrival(7, 70)]);
        assert_eq!(packets.iter().map(|packet| packet.arrived).collect::<Vec<_>>(), [None, Some(at(60))]);
    }

    #[test]
    fn lost_packets_of_the_other_end_lie_between_their_neighbours() {
        let stage = Stage { packets: 8, burst: 1, gap_ns: 1_000_000 };
        let program = Program { lane: 0, after_us: 0, sizes: vec![100], stages: vec![stage] };
        let size = ByteCount::new(100);
        let arrival = |number, sent| LoggedArrival { number, size, sent: at(sent), at: at(0) };
        let packets = theirs(&program, 7, &[arrival(1, 5_000), arrival(4, 9_500), arrival(9, 0)]);
        let sent: Vec<Time> = packets.iter().map(|packet| packet.sent).collect();
        assert_eq!(sent, [4_000, 5_000, 6_500, 8_000, 9_500, 10_500, 11_500].map(at));
        assert_eq!(theirs(&program, 2, &[]).len(), 2);
    }

    #[test]
    fn the_size_of_a_lost_packet_is_that_on_which_its_neighbours_agree() {
        let stage = Stage { packets: 9, burst: 1, gap_ns: 1_000_000 };
        let program = Program { lane: 0, after_us: 0, sizes: vec![100, 200, 300], stages: vec![stage] };
        let sizes = |told, arrived: &[(u32, u64)]| {
            let arrival = |&(number, size): &(u32, u64)| {
                let sent = at(u64::from(number) * 1_000);
                LoggedArrival { number, size: ByteCount::new(size), sent, at: sent }
            };
            let arrivals: Vec<_> = arrived.iter().map(arrival).collect();
            let packets = theirs(&program, told, &arrivals);
            packets.iter().map(|packet| packet.size.get()).collect::<Vec<u64>>()
        };
        // All were sent, and those of 300 bytes vanish.
        assert_eq!(sizes(6, &[(0, 100), (1, 200), (3, 100), (4, 200)]), [100, 200, 300, 100, 200, 300]);
        // The first was not sent.
        assert_eq!(sizes(5, &[(0, 200), (2, 100), (3, 200)]), [200, 300, 100, 200, 300]);
        // One between the second and the third was not sent: it is not known which.
        assert_eq!(sizes(5, &[(0, 100), (1, 200), (4, 300)]), [100, 200, 0, 0, 300]);
        assert_eq!(sizes(2, &[(0, 150)]), [150, 0], "no size of the program");
        assert_eq!(sizes(3, &[]), [100, 200, 300]);
    }

    #[test]
    fn growth_is_a_quantile_above_the_least_delay() {
        let packet = |(number, delay): (u32, u64)| TestPacket {
            number,
            sent: at(1_000),
            size: ByteCount::new(100),
            arrived: Some(at(delay)),
        };
        let packets: Vec<TestPacket> = (0..).zip((0..100).map(|n| 500 + n)).map(packet).collect();
        assert_eq!(growth(&packets, 0.95), Some(Duration::from_micros(95)));
        assert_eq!(growth(&[], 0.95), None);
    }
}
