//! The options of DSR in IPv4 packets (RFC 4728 §6).

use anabranch_link::fabric::Station;

use crate::seen::RoutingHeader;

/// An IPv4 packet with a source route behind its header; other packets stay as they are.
pub(super) fn routed(packet: &[u8], route: &[Station], passed: usize) -> Vec<u8> {
    let length = usize::from(packet.first().map_or(0, |first| first & 0xf)) * 4;
    let is_ipv4 = packet.first().is_some_and(|first| first >> 4 == 4);
    if !is_ipv4 || length < 20 || packet.len() < length {
        return packet.to_vec();
    }
    let options = source_route(route, passed);
    let mut bytes = packet[..length].to_vec();
    let total = packet.len() + FIXED + options.len();
    bytes[2..4].copy_from_slice(&(total as u16).to_be_bytes());
    let next_header = std::mem::replace(&mut bytes[PROTOCOL_AT], DSR);
    check(&mut bytes);
    bytes.extend(fixed_header(next_header, options.len()));
    bytes.extend(options);
    bytes.extend(&packet[length..]);
    bytes
}

/// The IP packet of a message.
pub(super) fn control(message: &RoutingHeader) -> Vec<u8> {
    let (ends, options) = match message {
        RoutingHeader::Request { id, target, path } => {
            let origin = path.first().copied().map_or(ANY, address);
            let mut options = vec![REQUEST, (6 + 4 * path.len().saturating_sub(1)) as u8];
            options.extend(id.to_be_bytes());
            options.extend(address(*target));
            options.extend(path.iter().skip(1).copied().flat_map(address));
            ([origin, ALL], options)
        }
        RoutingHeader::Reply { route, passed } => {
            let back: Vec<Station> = route.iter().rev().copied().collect();
            let mut options = vec![PAD_ONE, REPLY, (1 + 4 * route.len().saturating_sub(1)) as u8, 0];
            options.extend(route.iter().skip(1).copied().flat_map(address));
            options.extend(source_route(&back, *passed));
            (ends(&back), options)
        }
        RoutingHeader::Error { broken: [near, far], route, passed } => {
            let mut options = vec![ERROR, 14, UNREACHABLE, 0];
            options.extend(address(*near));
            options.extend(route.last().copied().map_or(ANY, address));
            options.extend(address(*far));
            options.extend(source_route(route, *passed));
            (ends(route), options)
        }
        RoutingHeader::SourceRoute { route, passed } => (ends(route), source_route(route, *passed)),
    };
    let total = (20 + FIXED + options.len()) as u16;
    let mut bytes = vec![0x45, 0];
    bytes.extend(total.to_be_bytes());
    bytes.extend([0, 0, 0, 0, 255, DSR, 0, 0]);
    bytes.extend(ends.concat());
    check(&mut bytes);
    bytes.extend(fixed_header(NO_NEXT_HEADER, options.len()));
    bytes.extend(options);
    bytes
}

fn ends(route: &[Station]) -> [[u8; 4]; 2] {
    [route.first(), route.last()].map(|end| end.copied().map_or(ANY, address))
}

/// Next header, flags, and the length of the options.
fn fixed_header(next_header: u8, options: usize) -> [u8; FIXED] {
    let [high, low] = (options as u16).to_be_bytes();
    [next_header, 0, high, low]
}

/// The stations between the ends, and how many of them are still to be passed (RFC 4728 §6.7).
fn source_route(route: &[Station], passed: usize) -> Vec<u8> {
    let between = &route[1.min(route.len())..route.len().saturating_sub(1).max(1.min(route.len()))];
    let left = between.len().saturating_sub(passed).min(0x3f);
    let mut option = vec![SOURCE_ROUTE, (2 + 4 * between.len()) as u8, 0, left as u8];
    option.extend(between.iter().copied().flat_map(address));
    option
}

/// Enters the checksum of an IPv4 header.
fn check(header: &mut [u8]) {
    header[10..12].fill(0);
    let words = header.chunks_exact(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]])));
    let mut sum: u32 = words.sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    header[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
}

fn address(station: Station) -> [u8; 4] {
    let [high, low] = (station.index() as u16).to_be_bytes();
    [10, 0, high, low]
}

const FIXED: usize = 4;
const PROTOCOL_AT: usize = 9;
/// The number of DSR as an IP protocol.
const DSR: u8 = 48;
const NO_NEXT_HEADER: u8 = 59;
const REQUEST: u8 = 1;
const REPLY: u8 = 2;
const ERROR: u8 = 3;
const SOURCE_ROUTE: u8 = 96;
const PAD_ONE: u8 = 224;
const UNREACHABLE: u8 = 1;
const ANY: [u8; 4] = [0; 4];
const ALL: [u8; 4] = [255; 4];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsr::header::route_size;

    fn stations(numbers: &[u16]) -> Vec<Station> {
        numbers.iter().copied().map(Station::new).collect()
    }

    fn sum_of(header: &[u8]) -> u32 {
        let sum: u32 =
            header.chunks_exact(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
        (sum & 0xffff) + (sum >> 16)
    }

    #[test]
    fn a_source_route_stands_between_ip_and_what_it_carries() {
        let mut packet = vec![0x45, 2, 0, 24, 0, 1, 0, 0, 64, 132, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2];
        packet.extend([1, 2, 3, 4]);
        let bytes = routed(&packet, &stations(&[0, 1, 258, 3]), 1);
        assert_eq!((&bytes[2..4], bytes[9]), (&[0, 40][..], DSR));
        assert_eq!(sum_of(&bytes[..20]), 0xffff, "the checksum is right");
        assert_eq!(bytes[20..24], [132, 0, 0, 12]);
        assert_eq!(bytes[24..36], [96, 10, 0, 1, 10, 0, 0, 1, 10, 0, 1, 2]);
        assert_eq!(bytes[36..], [1, 2, 3, 4]);
        assert_eq!(bytes.len() - packet.len(), route_size(4).as_len());
        assert_eq!(routed(&[0x60, 1], &stations(&[0, 1]), 0), [0x60, 1], "not IPv4");
    }

    #[test]
    fn messages_have_the_layout_of_rfc_4728() {
        let request = RoutingHeader::Request { id: 0x102, target: Station::new(3), path: stations(&[0, 1]) };
        let bytes = control(&request);
        assert_eq!(bytes[12..20], [10, 0, 0, 0, 255, 255, 255, 255]);
        assert_eq!(bytes[20..], [59, 0, 0, 12, 1, 10, 1, 2, 10, 0, 0, 3, 10, 0, 0, 1]);
        let reply = control(&RoutingHeader::Reply { route: stations(&[0, 1, 2]), passed: 0 });
        assert_eq!(reply[12..20], [10, 0, 0, 2, 10, 0, 0, 0]);
        assert_eq!(reply[20..36], [59, 0, 0, 20, 224, 2, 9, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        assert_eq!(reply[36..], [96, 6, 0, 1, 10, 0, 0, 1]);
        let error =
            RoutingHeader::Error { broken: [1, 2].map(Station::new), route: stations(&[1, 0]), passed: 0 };
        assert_eq!(control(&error)[24..40], [3, 14, 1, 0, 10, 0, 0, 1, 10, 0, 0, 0, 10, 0, 0, 2]);
        assert_eq!(sum_of(&control(&error)[..20]), 0xffff);
    }
}
