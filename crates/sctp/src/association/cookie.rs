//! The state cookie: the state of a half-open association. The acceptor signs it and sends it to the peer instead of
//! keeping it (RFC 9260 §5.1.3). The endpoint keeps the keys.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use anabranch_base::{Duration, Time};
use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::authentication::PeerTerms;
use super::extensions::{OfferedExtensions, PeerExtensions};
use super::features::Features;
use super::receiver_rules::ReceiverRules;
use crate::seq::Tsn;
use crate::wire::VerificationTag;

/// The result of INIT and INIT-ACK, as the acceptor sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateCookie {
    /// The time of creation.
    pub created: Time,
    /// The time for which it is valid.
    pub lifetime: Duration,
    /// The acceptor's tag.
    pub local_tag: VerificationTag,
    /// The initiator's tag.
    pub peer_tag: VerificationTag,
    /// The tags of the association that existed when the INIT arrived, or zero (RFC 9260 §5.2.2).
    pub tie_tags: (VerificationTag, VerificationTag),
    /// The acceptor's first TSN.
    pub local_tsn: Tsn,
    /// The initiator's first TSN.
    pub peer_tsn: Tsn,
    /// The initiator's receive window.
    pub peer_window: u32,
    /// The streams the acceptor may use.
    pub outbound_streams: u16,
    /// The streams the initiator may use.
    pub inbound_streams: u16,
    /// The acceptor's SCTP port.
    pub local_port: u16,
    /// The initiator's SCTP port.
    pub peer_port: u16,
    /// The local address at which the INIT arrived.
    pub local: SocketAddr,
    /// The address from which the INIT came.
    pub remote: SocketAddr,
    /// The other addresses that the initiator announced.
    pub announced: Vec<IpAddr>,
    /// True if both ends support ECN.
    pub ecn: bool,
    /// The extensions about user data that both ends support.
    pub features: Features,
    /// The receiver rules that both ends support.
    pub receiver: ReceiverRules,
    /// The extensions beyond RFC 9260 that both ends offer, if any.
    pub extensions: Option<OfferedExtensions>,
}

/// A cookie that this end did not sign, or that was modified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForgedCookie;

/// A key that signs cookies.
pub type CookieKey = [u8; 32];

impl StateCookie {
    /// The cookie in bytes, with its signature (HMAC-SHA-256) in front.
    pub fn seal(&self, key: &CookieKey) -> Vec<u8> {
        let mut body = Vec::with_capacity(SIGNATURE_LEN + 128);
        body.resize(SIGNATURE_LEN, 0);
        for number in [self.created.as_nanos(), self.lifetime.as_nanos()] {
            body.extend(number.to_be_bytes());
        }
        let tags = [self.local_tag, self.peer_tag, self.tie_tags.0, self.tie_tags.1];
        tags.iter().for_each(|tag| body.extend(tag.get().to_be_bytes()));
        for number in [self.local_tsn.get(), self.peer_tsn.get(), self.peer_window] {
            body.extend(number.to_be_bytes());
        }
        for number in [self.outbound_streams, self.inbound_streams, self.local_port, self.peer_port] {
            body.extend(number.to_be_bytes());
        }
        for address in [self.local, self.remote] {
            write_socket_address(&mut body, address);
        }
        let announced = &self.announced[..self.announced.len().min(MAX_ANNOUNCED)];
        let announced = announced.iter().filter(|ip| !is_marker(**ip));
        announced.for_each(|&ip| write_ip(&mut body, ip));
        if self.ecn {
            write_ip(&mut body, WITH_ECN);
        }
        if self.features != Features::default() {
            write_ip(&mut body, with_features(self.features.bits()));
        }
        if self.receiver != ReceiverRules::default() {
            write_ip(&mut body, with_rules(self.receiver.bits()));
        }
        if let Some(OfferedExtensions { random, offer }) = &self.extensions {
            write_ip(&mut body, END_OF_ADDRESSES);
            body.push(u8::from(offer.takes_asconf));
            body.extend(random);
            body.extend(offer.terms.iter().flat_map(PeerTerms::vector));
        }
        let signature = signer(key, &body[SIGNATURE_LEN..]).finalize().into_bytes();
        body[..SIGNATURE_LEN].copy_from_slice(&signature);
        body
    }

    /// The cookie in `bytes`.
    ///
    /// # Errors
    /// It was not signed with `key`.
    pub fn open(bytes: &[u8], key: &CookieKey) -> Result<StateCookie, ForgedCookie> {
        let (signature, body) = bytes.split_at_checked(SIGNATURE_LEN).ok_or(ForgedCookie)?;
        signer(key, body).verify_slice(signature).map_err(|_| ForgedCookie)?;
        let mut reader = CookieReader { rest: body };
        reader.cookie().ok_or(ForgedCookie)
    }

    /// The time since the cookie expired; `None` while it is valid.
    pub(crate) fn staleness(&self, now: Time) -> Option<Duration> {
        let age = now.since(self.created);
        (age > self.lifetime).then(|| age.saturating_sub(self.lifetime))
    }
}

/// Reads the format that [`StateCookie::seal`] writes. It reads only signed bytes, but does not rely on that: it never
/// panics.
struct CookieReader<'a> {
    rest: &'a [u8],
}

impl CookieReader<'_> {
    fn cookie(&mut self) -> Option<StateCookie> {
        let (created, lifetime) = (Time::from_nanos(self.u64()?), Duration::from_nanos(self.u64()?));
        let (local_tag, peer_tag, tie_tags) = (self.tag()?, self.tag()?, (self.tag()?, self.tag()?));
        let (local_tsn, peer_tsn, peer_window) = (Tsn::new(self.u32()?), Tsn::new(self.u32()?), self.u32()?);
        let (outbound_streams, inbound_streams) = (self.u16()?, self.u16()?);
        let (local_port, peer_port) = (self.u16()?, self.u16()?);
        let (local, remote) = (self.socket_address()?, self.socket_address()?);
        let mut announced = Vec::new();
        let (mut ecn, mut features) = (false, Features::default());
        let (mut receiver, mut extensions) = (ReceiverRules::default(), None);
        while !self.rest.is_empty() {
            let ip = self.ip()?;
            match (ip, rules_in(ip), features_in(ip)) {
                (WITH_ECN, ..) => ecn = true,
                (END_OF_ADDRESSES, ..) => extensions = Some(self.extensions()?),
                (_, Some(rules), _) => receiver = rules,
                (_, _, Some(agreed)) => features = agreed,
                (ip, None, None) => announced.push(ip),
            }
        }
        Some(StateCookie {
            created,
            lifetime,
            local_tag,
            peer_tag,
            tie_tags,
            local_tsn,
            peer_tsn,
            peer_window,
            outbound_streams,
            inbound_streams,
            local_port,
            peer_port,
            local,
            remote,
            announced,
            ecn,
            features,
            receiver,
            extensions,
        })
    }

    /// Reads the last part of the cookie.
    fn extensions(&mut self) -> Option<OfferedExtensions> {
        let [takes_asconf] = self.take()?;
        let random = self.take()?;
        let terms = PeerTerms::from_vector(std::mem::take(&mut self.rest));
        Some(OfferedExtensions { random, offer: PeerExtensions { takes_asconf: takes_asconf != 0, terms } })
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*taken)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_be_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_be_bytes)
    }

    fn tag(&mut self) -> Option<VerificationTag> {
        self.u32().map(VerificationTag::new)
    }

    fn ip(&mut self) -> Option<IpAddr> {
        let octets: [u8; 16] = self.take()?;
        Some(Ipv6Addr::from(octets).to_canonical())
    }

    fn socket_address(&mut self) -> Option<SocketAddr> {
        let mut address = SocketAddr::new(self.ip()?, self.u16()?);
        if let SocketAddr::V6(address) = &mut address
            && address.ip().is_unicast_link_local()
        {
            address.set_scope_id(self.u32()?);
        }
        Some(address)
    }
}

/// Writes an address with its port. A link-local address is followed by its interface number, without which it is
/// ambiguous (RFC 4007 §6).
fn write_socket_address(body: &mut Vec<u8>, address: SocketAddr) {
    write_ip(body, address.ip());
    body.extend(address.port().to_be_bytes());
    if let SocketAddr::V6(address) = address
        && address.ip().is_unicast_link_local()
    {
        body.extend(address.scope_id().to_be_bytes());
    }
}

/// Writes an address as 16 bytes, IPv4 as IPv4-mapped.
fn write_ip(body: &mut Vec<u8>, ip: IpAddr) {
    let octets = match ip {
        IpAddr::V4(ip) => ip.to_ipv6_mapped().octets(),
        IpAddr::V6(ip) => ip.octets(),
    };
    body.extend(octets);
}

fn signer(key: &CookieKey, body: &[u8]) -> Hmac<Sha256> {
    let mut signer = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    signer.update(body);
    signer
}

const SIGNATURE_LEN: usize = 32;
/// Marks the end of the announced addresses if extensions follow. It is not a usable address.
const END_OF_ADDRESSES: IpAddr = IpAddr::V6(Ipv6Addr::UNSPECIFIED);
/// An entry in the list of addresses that means: both ends support ECN. It is not a usable address (RFC 6666).
const WITH_ECN: IpAddr = IpAddr::V6(Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0));
/// The entry in the list of addresses for the receiver rules `bits`. It is not a usable address either.
const fn with_rules(bits: u8) -> IpAddr {
    IpAddr::V6(Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 1, bits as u16))
}

/// The entry in the list of addresses for the extensions `bits`. It is not a usable address either.
const fn with_features(bits: u8) -> IpAddr {
    IpAddr::V6(Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 2, bits as u16))
}

/// The extensions that the entry `ip` encodes; `None` for an address.
fn features_in(ip: IpAddr) -> Option<Features> {
    let IpAddr::V6(ip) = ip else { return None };
    match ip.segments() {
        [0x100, 0, 0, 0, 0, 0, 2, bits] => u8::try_from(bits).ok().map(Features::from_bits),
        _ => None,
    }
}

/// The receiver rules that the entry `ip` encodes; `None` for an address.
fn rules_in(ip: IpAddr) -> Option<ReceiverRules> {
    let IpAddr::V6(ip) = ip else { return None };
    match ip.segments() {
        [0x100, 0, 0, 0, 0, 0, 1, bits] => u8::try_from(bits).ok().map(ReceiverRules::from_bits),
        _ => None,
    }
}

fn is_marker(ip: IpAddr) -> bool {
    MARKERS.contains(&ip) || rules_in(ip).is_some() || features_in(ip).is_some()
}

/// Entries of the list that are never addresses.
const MARKERS: [IpAddr; 3] = [END_OF_ADDRESSES, WITH_ECN, IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED)];
/// The most addresses of one peer that a cookie holds.
const MAX_ANNOUNCED: usize = 16;

#[cfg(test)]
pub(crate) mod tests {
    use super::super::authentication::announcement;
    use super::*;

    pub(crate) fn cookie() -> StateCookie {
        StateCookie {
            created: Time::from_nanos(5),
            lifetime: Duration::from_secs(60),
            local_tag: VerificationTag::new(1),
            peer_tag: VerificationTag::new(2),
            tie_tags: (VerificationTag::new(3), VerificationTag::new(4)),
            local_tsn: Tsn::new(5),
            peer_tsn: Tsn::new(6),
            peer_window: 65_536,
            outbound_streams: 7,
            inbound_streams: 8,
            local_port: 9,
            peer_port: 10,
            local: SocketAddr::from(([127, 0, 0, 1], 9899)),
            remote: "[2001:db8::1]:4000".parse().expect("an address"),
            announced: vec![IpAddr::from([10, 0, 0, 1])],
            ecn: true,
            features: Features::from_bits(3),
            receiver: ReceiverRules::from_bits(7),
            extensions: None,
        }
    }

    /// A cookie with everything that both ends announce for authentication.
    fn extended() -> StateCookie {
        let terms = PeerTerms::read(&announcement(&[5; 32])).expect("a random number of 32 bytes");
        let offer = PeerExtensions { takes_asconf: true, terms };
        StateCookie { extensions: Some(OfferedExtensions { random: [6; 32], offer }), ..cookie() }
    }

    #[test]
    fn a_sealed_cookie_opens_to_what_went_in() {
        let key = [7; 32];
        assert_eq!(StateCookie::open(&cookie().seal(&key), &key), Ok(cookie()));
        assert_eq!(StateCookie::open(&extended().seal(&key), &key), Ok(extended()));
        let unreachable = StateCookie {
            announced: MARKERS.to_vec(),
            ecn: false,
            features: Features::default(),
            ..extended()
        };
        let known = StateCookie { announced: Vec::new(), ..unreachable.clone() };
        assert_eq!(StateCookie::open(&unreachable.seal(&key), &key), Ok(known));
    }

    #[test]
    fn a_cookie_that_was_changed_anywhere_does_not_open() {
        let key = [7; 32];
        let sealed = cookie().seal(&key);
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(StateCookie::open(&changed, &key), Err(ForgedCookie), "byte {at}");
        }
        assert_eq!(StateCookie::open(&sealed[..20], &key), Err(ForgedCookie));
        assert_eq!(StateCookie::open(&sealed, &[8; 32]), Err(ForgedCookie));
    }

    #[test]
    fn a_link_local_address_keeps_its_interface() {
        let key = [7; 32];
        let local = "[fe80::1%3]:9899".parse().expect("an address");
        let remote = "[fe80::2%3]:4000".parse().expect("an address");
        let cookie = StateCookie { local, remote, ..extended() };
        assert_eq!(StateCookie::open(&cookie.seal(&key), &key), Ok(cookie));
    }

    #[test]
    fn a_cookie_goes_stale() {
        let at = |seconds| Time::from_nanos(5) + Duration::from_secs(seconds);
        assert_eq!(cookie().staleness(at(60)), None);
        assert_eq!(cookie().staleness(at(63)), Some(Duration::from_secs(3)));
    }
}
