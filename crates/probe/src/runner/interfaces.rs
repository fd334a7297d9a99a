//! The counters of this machine's interfaces: which one carried a lane, and what others moved. Linux only; elsewhere nothing
//! is known.

use std::collections::BTreeMap;

use anabranch_diagnose::recording::{Lane, Purpose, Recording};

use crate::progress::{Phase, Progress};

/// The counters of all interfaces, by their names.
pub(super) type Counters = BTreeMap<String, Counts>;

/// The counters of one interface since it exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    received: u64,
    received_packets: u64,
    sent: u64,
    sent_packets: u64,
}

/// The counters now; none if the system does not tell.
pub(super) fn counters() -> Counters {
    std::fs::read_to_string("/proc/net/dev").map(|text| parse(&text)).unwrap_or_default()
}

/// The bytes of IP packets that moved on `interface` from `before` to `after` in both directions; a link layer of
/// Ethernet is left out.
pub(super) fn moved(before: &Counters, after: &Counters, interface: &str) -> Option<u64> {
    let (before, after) = (before.get(interface)?, after.get(interface)?);
    let bytes =
        after.received.wrapping_sub(before.received).wrapping_add(after.sent.wrapping_sub(before.sent));
    let packets = after
        .received_packets
        .wrapping_sub(before.received_packets)
        .wrapping_add(after.sent_packets.wrapping_sub(before.sent_packets));
    Some(bytes.saturating_sub(packets.saturating_mul(ETHERNET)))
}

/// Watches the counters while lanes are filled from this end.
#[derive(Clone, Debug, Default)]
pub(super) struct FillWatch {
    running: Option<(usize, Counters)>,
    /// The bytes that each interface sent while a lane was filled.
    sent: BTreeMap<usize, BTreeMap<String, u64>>,
}

impl FillWatch {
    /// Handles a progress: a fill may begin or end.
    pub(super) fn on_progress(&mut self, progress: &Progress) {
        let is_fill = progress.phase == Phase::Fill && progress.is_forward == Some(true);
        let lane = progress.lane.filter(|_| is_fill);
        if lane == self.running.as_ref().map(|(lane, _)| *lane) {
            return;
        }
        let now = counters();
        if let Some((lane, before)) = self.running.take() {
            self.add(lane, &before, &now);
        }
        self.running = lane.map(|lane| (lane, now));
    }

    /// Enters the interface that carried each lane.
    pub(super) fn judge(&self, recording: &mut Recording) {
        for (index, lane) in recording.lanes.iter_mut().enumerate() {
            lane.carried_by = self.sent.get(&index).and_then(|sent| carrier(sent, lane));
        }
    }

    fn add(&mut self, lane: usize, before: &Counters, after: &Counters) {
        let sums = self.sent.entry(lane).or_default();
        for (name, counts) in after {
            let sent = before.get(name).map_or(0, |before| counts.sent.wrapping_sub(before.sent));
            *sums.entry(name.clone()).or_default() += sent;
        }
    }
}

/// The interface that sent at least what the fills of the lane were: that of its address if it did, else the busiest.
fn carrier(sent: &BTreeMap<String, u64>, lane: &Lane) -> Option<String> {
    let fills = lane.forward.iter().filter(|flight| flight.purpose == Purpose::Fill);
    let bytes: u64 = fills.flat_map(|flight| &flight.packets).map(|packet| packet.size.get()).sum();
    // Packets that the system dropped before the interface do not count there.
    let has_sent = |sent: u64| bytes > 0 && sent >= bytes / 2;
    let own = lane.interface.as_ref().filter(|name| sent.get(*name).copied().is_some_and(has_sent));
    let busiest = || sent.iter().max_by_key(|(_, sent)| **sent).filter(|(_, sent)| has_sent(**sent));
    own.or_else(|| busiest().map(|(name, _)| name)).cloned()
}

/// Reads the counters of `/proc/net/dev`.
pub(super) fn parse(text: &str) -> Counters {
    let line = |line: &str| {
        let (name, numbers) = line.split_once(':')?;
        let numbers: Vec<u64> = numbers.split_whitespace().map_while(|number| number.parse().ok()).collect();
        let &[received, received_packets, .., sent, sent_packets, _, _, _, _, _, _] = numbers.as_slice()
        else {
            return None;
        };
        Some((name.trim().to_owned(), Counts { received, received_packets, sent, sent_packets }))
    };
    text.lines().filter_map(line).collect()
}

/// The bytes of an Ethernet header, which interfaces count.
const ETHERNET: u64 = 14;

#[cfg(test)]
mod tests {
    use anabranch_base::{ByteCount, Duration, Time};
    use anabranch_diagnose::recording::{Flight, TestPacket};

    use super::*;

    const TEXT: &str = "Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:    1000      10    0    0    0     0          0         0     2000      20    0    0    0     0       0          0
  eth0: 5000 50 0 0 0 0 0 0 7000 70 0 0 0 0 0 0
";

    #[test]
    fn counters_are_read_by_interface() {
        let counters = parse(TEXT);
        let lo = Counts { received: 1_000, received_packets: 10, sent: 2_000, sent_packets: 20 };
        assert_eq!(counters.get("lo"), Some(&lo));
        assert_eq!((counters.len(), parse("what: 1 2\n").len()), (2, 0));
        let later = parse(&TEXT.replace("5000 50", "9000 60"));
        assert_eq!(moved(&counters, &later, "eth0"), Some(4_000 - 140));
        assert_eq!(moved(&counters, &later, "wlan0"), None);
    }

    #[test]
    fn the_interface_of_the_address_carried_a_lane_unless_another_did() {
        let packet =
            |number| TestPacket { number, sent: Time::ZERO, size: ByteCount::new(1_000), arrived: None };
        let fill = Flight { purpose: Purpose::Fill, packets: (0..10).map(packet).collect() };
        let lane = Lane { interface: Some("wlan0".to_owned()), forward: vec![fill], ..Lane::default() };
        let by = |wlan: u64, eth: u64| {
            let sent = [("wlan0".to_owned(), wlan), ("eth0".to_owned(), eth)].into_iter().collect();
            carrier(&sent, &lane)
        };
        assert_eq!(by(10_000, 20_000).as_deref(), Some("wlan0"));
        assert_eq!(by(100, 10_000).as_deref(), Some("eth0"));
        assert_eq!(by(100, 100), None);
    }

    #[test]
    fn only_fills_from_this_end_are_watched() {
        let mut watch = FillWatch::default();
        let step = |phase, lane, is_forward| Progress {
            phase,
            lane,
            is_forward,
            left: Duration::ZERO,
            total: Duration::ZERO,
            is_longer: false,
        };
        watch.on_progress(&step(Phase::Fill, Some(1), Some(false)));
        assert!(watch.running.is_none());
        watch.on_progress(&step(Phase::Fill, Some(1), Some(true)));
        assert!(watch.running.is_some());
        watch.on_progress(&step(Phase::Chance, None, None));
        assert!(watch.running.is_none() && watch.sent.contains_key(&1));
    }
}
