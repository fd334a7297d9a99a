//! Frames as IEEE 802.11 has them, for captures. Station `n` has the locally administered address `02:00:00:00:n:n`,
//! and where DSR names it, the IPv4 address `10.0.n.n`.

mod crc;
mod dsr;

use anabranch_base::Duration;
use anabranch_link::fabric::Station;

use super::FrameKind;
use crate::seen::{FrameSeen, RoutingHeader};

/// A frame with a radiotap header, as captures of link type 127 have it. `payload` is the IP packet of a
/// [`Data`](FrameKind::Data) frame; without it the frame's body is as many zeros.
///
/// The radiotap header says 1 Mbit/s, channel 1, and that the FCS follows the frame. A source route of DSR stands
/// between the header of an IPv4 payload and what it carries (RFC 4728 §6). The frame has the headers of IEEE 802.11:
/// 24 bytes, and 8 bytes of LLC and SNAP, whatever the configuration charges for them.
pub fn radiotap_frame(seen: &FrameSeen, payload: Option<&[u8]>) -> Vec<u8> {
    let mut bytes = RADIOTAP.to_vec();
    bytes.extend(frame(seen, payload));
    bytes
}

impl FrameSeen {
    /// The frame as IEEE 802.11 has it, FCS included, around `payload`, an IP packet; see
    /// [`radiotap_frame`](crate::radiotap_frame).
    pub fn bytes(&self, payload: &[u8]) -> Vec<u8> {
        frame(self, Some(payload))
    }
}

/// The frame, FCS included.
pub(crate) fn frame(seen: &FrameSeen, payload: Option<&[u8]>) -> Vec<u8> {
    let mut bytes = vec![frame_control(seen.kind), if seen.is_retry { RETRY } else { 0 }];
    bytes.extend(microseconds(seen.duration).to_le_bytes());
    bytes.extend(seen.to.map_or(BROADCAST, address));
    match seen.kind {
        FrameKind::Cts | FrameKind::Ack => {}
        FrameKind::Rts => bytes.extend(address(seen.from)),
        FrameKind::Data | FrameKind::RouteRequest | FrameKind::RouteReply | FrameKind::RouteError => {
            bytes.extend(address(seen.from));
            bytes.extend(BSSID);
            bytes.extend((seen.sequence << 4).to_le_bytes());
            bytes.extend(LLC_SNAP_IPV4);
            bytes.extend(body(seen, payload));
        }
    }
    let fcs = crc::fcs(&bytes);
    bytes.extend(fcs.to_le_bytes());
    bytes
}

fn body(seen: &FrameSeen, payload: Option<&[u8]>) -> Vec<u8> {
    match (&seen.routing, payload) {
        (Some(RoutingHeader::SourceRoute { route, passed }), Some(packet)) => {
            dsr::routed(packet, route, *passed)
        }
        (None, Some(packet)) => packet.to_vec(),
        (Some(RoutingHeader::SourceRoute { .. }) | None, None) => {
            vec![0; seen.size.as_len().saturating_sub(HEADERS)]
        }
        (Some(control), _) => dsr::control(control),
    }
}

/// Version 0; type and subtype.
const fn frame_control(kind: FrameKind) -> u8 {
    match kind {
        FrameKind::Rts => 0xb4,
        FrameKind::Cts => 0xc4,
        FrameKind::Ack => 0xd4,
        _ => 0x08,
    }
}

/// Rounded up (IEEE 802.11-2016 §9.2.5.1), with 15 bits.
fn microseconds(span: Duration) -> u16 {
    u16::try_from(span.as_nanos().div_ceil(1_000).min(0x7fff)).unwrap_or(0x7fff)
}

fn address(station: Station) -> [u8; 6] {
    let [high, low] = (station.index() as u16).to_be_bytes();
    [0x02, 0, 0, 0, high, low]
}

/// Version 0, 14 bytes, fields flags, rate and channel: FCS at the end; 2 times 500 kbit/s; 2,412 MHz, CCK, 2.4 GHz.
const RADIOTAP: [u8; 14] = [0, 0, 14, 0, 0x0e, 0, 0, 0, 0x10, 2, 0x6c, 0x09, 0xa0, 0];
const RETRY: u8 = 0x08;
const BROADCAST: [u8; 6] = [0xff; 6];
/// The identity of the ad hoc network: locally administered, as the stations'.
const BSSID: [u8; 6] = [0x02, 0, 0, 0xff, 0xff, 0xff];
const LLC_SNAP_IPV4: [u8; 8] = [0xaa, 0xaa, 0x03, 0, 0, 0, 0x08, 0x00];
/// Bytes around the packet in a data frame.
const HEADERS: usize = 24 + 8 + 4;

#[cfg(test)]
mod tests {
    use anabranch_base::{ByteCount, Time};

    use super::*;

    fn seen(kind: FrameKind, to: Option<u16>, routing: Option<RoutingHeader>) -> FrameSeen {
        FrameSeen {
            from: Station::new(1),
            to: to.map(Station::new),
            kind,
            start: Time::ZERO,
            end: Time::ZERO,
            duration: Duration::from_nanos(313_001),
            is_retry: false,
            sequence: 5,
            size: ByteCount::new(64),
            received: Vec::new(),
            collided: Vec::new(),
            routing,
        }
    }

    #[test]
    fn an_ack_with_its_radiotap_header_has_these_bytes() {
        let bytes = radiotap_frame(&seen(FrameKind::Ack, Some(0x102), None), None);
        assert_eq!(bytes[..14], RADIOTAP);
        assert_eq!(bytes[14..24], [0xd4, 0, 0x3a, 0x01, 2, 0, 0, 0, 1, 2]);
        assert_eq!(bytes.len(), 14 + 14);
        assert_eq!(bytes[24..], crc::fcs(&bytes[14..24]).to_le_bytes());
        let rts = frame(&seen(FrameKind::Rts, Some(2), None), None);
        assert_eq!((rts.len(), rts[0], &rts[10..16]), (20, 0xb4, &[2, 0, 0, 0, 0, 1][..]));
    }

    #[test]
    fn a_data_frame_has_addresses_sequence_number_and_the_packet() {
        let mut frame = seen(FrameKind::Data, Some(2), None);
        frame.is_retry = true;
        let bytes = frame.bytes(&[0x45, 1, 2, 3]);
        assert_eq!(bytes[..4], [0x08, 0x08, 0x3a, 0x01]);
        assert_eq!(bytes[22..24], [0x50, 0], "number 5, fragment 0");
        assert_eq!(bytes[24..32], LLC_SNAP_IPV4);
        assert_eq!(bytes[32..36], [0x45, 1, 2, 3]);
        assert_eq!(bytes.len(), 36 + 4);
        assert_eq!(super::frame(&frame, None).len(), 64, "zeros take the packet's place");
    }

    #[test]
    fn a_broadcast_goes_to_all_and_its_body_is_the_message() {
        let request = RoutingHeader::Request { id: 7, target: Station::new(3), path: vec![Station::new(1)] };
        let bytes = frame(&seen(FrameKind::RouteRequest, None, Some(request)), None);
        assert_eq!(bytes[4..10], BROADCAST);
        assert_eq!(bytes.len(), HEADERS + 20 + 4 + 8);
    }
}
