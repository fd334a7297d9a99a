//! Sizes that follow from the settings: of packets, chunks, windows and weights.

use anabranch_base::ByteCount;

use super::{Charge, Config, Encapsulation, InitialWindow, OutOfOrder, Unit};
use crate::wire::Data;

/// The IP version of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IpVersion {
    /// A header of 20 bytes.
    V4,
    /// A header of 40 bytes.
    V6,
}

impl Config {
    /// The size of the second level of a receive buffer that has two: without a limit, as many full packets as gap blocks
    /// can name.
    pub fn second_level(&self) -> ByteCount {
        match self.out_of_order {
            OutOfOrder::AtMost(size) => size,
            OutOfOrder::InBuffer | OutOfOrder::Unlimited => self.mtu * u64::from(u16::MAX),
        }
    }

    /// The bytes of a packet that IP, UDP and the seal take, with IP version `ip`.
    pub fn overhead(&self, ip: IpVersion) -> ByteCount {
        let ip = match ip {
            IpVersion::V4 => 20,
            IpVersion::V6 => 40,
        };
        let between = match self.encapsulation {
            Encapsulation::None => ByteCount::ZERO,
            Encapsulation::Udp => UDP,
            Encapsulation::Sealed => UDP + Encapsulation::SEAL,
        };
        ByteCount::new(ip) + between
    }

    /// The largest DATA chunk, header included, in a packet of the MTU (RFC 9260: PMDCS).
    pub(crate) fn largest_chunk(&self, ip: IpVersion) -> ByteCount {
        self.chunk_within(self.mtu, ip)
    }

    /// The largest user data of one DATA chunk, a multiple of four.
    pub(crate) fn largest_payload(&self, ip: IpVersion) -> ByteCount {
        self.largest_chunk(ip) - ByteCount::of_len(Data::HEADER_LEN)
    }

    /// The user data in a full chunk: as much as fits, unless [`Config::payload`] is less.
    pub fn full_payload(&self, ip: IpVersion) -> ByteCount {
        self.payload_within(self.mtu, ip)
    }

    /// The unit of windows on a new path by `ip`.
    pub fn window_unit(&self, ip: IpVersion) -> ByteCount {
        self.unit_within(self.first_mtu(ip), ip)
    }

    /// The unit of windows on a path by `ip` whose packets have `mtu` bytes.
    pub(crate) fn unit_within(&self, mtu: ByteCount, ip: IpVersion) -> ByteCount {
        match self.unit {
            Unit::Mtu => mtu,
            Unit::Pmdcs => self.chunk_within(mtu, ip),
            Unit::FullChunk => self.charge.weigh(self.payload_within(mtu, ip).as_len()),
            Unit::Bytes(bytes) => bytes,
        }
    }

    /// The user data in a full chunk for packets of `mtu` bytes: as much as fits, unless [`Config::payload`] is less.
    pub fn payload_within(&self, mtu: ByteCount, ip: IpVersion) -> ByteCount {
        self.payload_in_packet(mtu - self.overhead(ip))
    }

    /// The user data in a full chunk for SCTP packets of `limit` bytes, without the headers of IP and UDP.
    pub(crate) fn payload_in_packet(&self, limit: ByteCount) -> ByteCount {
        let fits = chunk_in_packet(limit) - ByteCount::of_len(Data::HEADER_LEN);
        self.payload.map_or(fits, |wanted| wanted.min(fits))
    }

    /// The congestion window of a new path by `ip`.
    pub fn first_window(&self, ip: IpVersion) -> ByteCount {
        let unit = self.window_unit(ip);
        match (self.initial_window, ip) {
            (InitialWindow::TwoUnits, _) => unit * 2,
            (InitialWindow::TenUnits, _) => (unit * 10).min((unit * 2).max(TEN_SEGMENTS)),
            (InitialWindow::Bytes(bytes), _) => bytes,
            (InitialWindow::Between { ipv4: bytes, .. }, IpVersion::V4)
            | (InitialWindow::Between { ipv6: bytes, .. }, IpVersion::V6) => {
                (unit * 4).min((unit * 2).max(bytes))
            }
        }
    }

    fn chunk_within(&self, mtu: ByteCount, ip: IpVersion) -> ByteCount {
        chunk_in_packet(mtu - self.overhead(ip))
    }
}

/// The largest chunk in an SCTP packet of `limit` bytes.
fn chunk_in_packet(limit: ByteCount) -> ByteCount {
    ByteCount::new((limit.get() - COMMON_HEADER_LEN) & !3)
}

impl Charge {
    /// The weight of a chunk with `payload` bytes of user data.
    pub fn weigh(self, payload: usize) -> ByteCount {
        match self {
            Charge::User => ByteCount::of_len(payload),
            Charge::Chunk => ByteCount::of_len(Data::padded_len(payload)),
            Charge::Packet => Charge::Chunk.weigh(payload) + ByteCount::new(COMMON_HEADER_LEN + 20),
        }
    }
}

/// Ports, verification tag and checksum (RFC 9260 §3.1).
const COMMON_HEADER_LEN: u64 = 12;
/// Ten segments of 1,460 bytes (RFC 6928).
const TEN_SEGMENTS: ByteCount = ByteCount::new(14_600);
/// RFC 768.
const UDP: ByteCount = ByteCount::new(8);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::MtuDiscovery;

    #[test]
    fn the_largest_chunk_at_mtu_1500_without_udp_is_1468() {
        let config = Config { encapsulation: Encapsulation::None, ..Config::rfc9260() };
        assert_eq!(config.largest_chunk(IpVersion::V4).get(), 1468);
        assert_eq!(config.largest_payload(IpVersion::V4).get(), 1452);
        assert_eq!(config.first_window(IpVersion::V4).get(), 4404);
        assert_eq!(Config { unit: Unit::Mtu, ..config }.first_window(IpVersion::V4).get(), 4404);
    }

    #[test]
    fn ten_segments_are_not_more_than_rfc_6928_allows() {
        let first = |mtu| {
            let mtu_discovery = MtuDiscovery::Off;
            let config = Config { mtu: ByteCount::new(mtu), mtu_discovery, ..Config::tuned_1() };
            config.first_window(IpVersion::V4).get()
        };
        assert_eq!([first(1500), first(1280), first(9000)], [14_600, 12_400, 17_920]);
    }

    #[test]
    fn udp_and_the_seal_take_their_bytes_of_the_mtu() {
        let largest =
            |encapsulation, ip| Config { encapsulation, ..Config::rfc9260() }.largest_payload(ip).get();
        assert_eq!(largest(Encapsulation::Udp, IpVersion::V4), 1444);
        assert_eq!(largest(Encapsulation::Sealed, IpVersion::V4), 1412);
        assert_eq!(largest(Encapsulation::Sealed, IpVersion::V6), 1392);
    }

    #[test]
    fn a_full_chunk_as_unit_is_what_it_weighs() {
        let unit = |charge, encapsulation, payload: Option<u64>| {
            let payload = payload.map(ByteCount::new);
            let config =
                Config { unit: Unit::FullChunk, charge, encapsulation, payload, ..Config::rfc9260() };
            config.window_unit(IpVersion::V4).get()
        };
        let charges = [Charge::User, Charge::Chunk, Charge::Packet];
        assert_eq!(charges.map(|charge| unit(charge, Encapsulation::None, None)), [1452, 1468, 1500]);
        assert_eq!(charges.map(|charge| unit(charge, Encapsulation::Udp, None)), [1444, 1460, 1492]);
        assert_eq!(charges.map(|charge| unit(charge, Encapsulation::None, Some(1000))), [1000, 1016, 1048]);
    }

    #[test]
    fn a_chunk_weighs_what_the_charge_says() {
        let weights = [Charge::User, Charge::Chunk, Charge::Packet].map(|charge| charge.weigh(1451).get());
        assert_eq!(weights, [1451, 1468, 1500]);
    }
}
