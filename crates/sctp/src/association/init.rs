//! The checked content of an INIT or INIT-ACK, and the addresses in it. The same rules hold for both ends.

use std::net::{IpAddr, SocketAddr};

use anabranch_base::Duration;

use super::features::Features;
use super::receiver_rules::ReceiverRules;
use crate::config::Config;
use crate::wire::{Cause, InitLayout, Parameter, VerificationTag};

/// The reason for which an INIT or INIT-ACK is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitRefusal {
    /// The error cause for the peer.
    pub cause: Option<Cause>,
    /// The verification tag for the answer.
    pub peer_tag: VerificationTag,
    /// The reason as text for the application.
    pub what: String,
}

/// The content of the parameters of an INIT or INIT-ACK.
#[derive(Debug, Default)]
pub struct InitBody {
    /// The state cookie, in an INIT-ACK.
    pub cookie: Option<Vec<u8>>,
    /// The other addresses of the sender.
    pub addresses: Vec<IpAddr>,
    /// True if the sender supports ECN.
    pub ecn: bool,
    /// The extensions about user data that both ends support.
    pub features: Features,
    /// The receiver rules that the sender announces.
    pub receiver: ReceiverRules,
    /// The requested increase of the cookie's lifetime.
    pub preservative: Option<Duration>,
    /// Unrecognized parameters to report: as parameters for an INIT-ACK.
    pub unrecognized: Vec<Parameter>,
    /// The same parameters as causes for an ERROR.
    pub reports: Vec<Cause>,
}

/// Checks the fixed part of an INIT or INIT-ACK and reads its parameters (RFC 9260 §3.3.2, §3.3.3, §3.2.1), as an end
/// with this `config` understands them.
pub fn check_init<const KIND: u8>(init: &InitLayout<KIND>, config: &Config) -> Result<InitBody, InitRefusal> {
    let refuse = |cause: Option<Cause>, what: &str| {
        Err(InitRefusal { cause, peer_tag: init.initiate_tag, what: what.to_owned() })
    };
    if init.initiate_tag == VerificationTag::ZERO {
        return refuse(Some(Cause::InvalidMandatoryParameter), "its initiate tag is zero");
    }
    if init.outbound_streams == 0 || init.inbound_streams == 0 {
        return refuse(Some(Cause::InvalidMandatoryParameter), "it offers no streams");
    }
    if init.a_rwnd < MIN_A_RWND {
        let what = "it advertises a window of less than 1500 bytes";
        return refuse(Some(Cause::ProtocolViolation(what.as_bytes().to_vec())), what);
    }
    let (mut body, mut listed) = (InitBody::default(), Features::default());
    for parameter in &init.parameters {
        match parameter {
            Parameter::StateCookie(cookie) => body.cookie = Some(cookie.clone()),
            Parameter::Ipv4Address(ip) => body.addresses.push(IpAddr::V4(*ip)),
            Parameter::Ipv6Address(ip) => body.addresses.push(IpAddr::V6(*ip)),
            Parameter::EcnCapable => body.ecn = true,
            Parameter::CookiePreservative(by) => body.preservative = Some(*by),
            Parameter::HostNameAddress(_) => {
                // RFC 9260 §5.1.2 C: "the endpoint MUST immediately send an ABORT chunk and MAY include an
                // error cause indicating Unresolvable Address".
                let what = "it names its address by a host name";
                return refuse(Some(Cause::UnresolvableAddress(parameter.to_bytes())), what);
            }
            Parameter::ForwardTsnSupported if config.partial_reliability => listed.forward_tsn = true,
            Parameter::SupportedExtensions(kinds) => {
                let named = Features::listed(kinds);
                listed = Features { forward_tsn: listed.forward_tsn || named.forward_tsn, ..named };
            }
            Parameter::Unknown { .. } if ReceiverRules::read(parameter).is_some() => {
                body.receiver = ReceiverRules::read(parameter).unwrap_or_default();
            }
            // Without support for RFC 3758, a peer that offers it gets an error report, as the parameter's type
            // demands.
            Parameter::Unknown { .. } | Parameter::ForwardTsnSupported
                if !note_unknown(parameter, &mut body) =>
            {
                break;
            }
            _ => {}
        }
    }
    body.features = Features::of(config).and(listed);
    Ok(body)
}

/// Notes an unrecognized parameter. Returns true if reading continues with the next one.
fn note_unknown(parameter: &Parameter, body: &mut InitBody) -> bool {
    let action = parameter.action();
    if action.is_report() {
        body.unrecognized.push(Parameter::UnrecognizedParameter(parameter.to_bytes()));
        body.reports.push(Cause::UnrecognizedParameters(parameter.to_bytes()));
    }
    !action.is_stop()
}

/// The parameters for this end's addresses; empty if the packet's source is the only one.
pub(crate) fn address_parameters(announced: &[IpAddr]) -> Vec<Parameter> {
    if announced.len() < 2 {
        return Vec::new();
    }
    announced.iter().copied().map(address_parameter).collect()
}

/// The parameter for an address.
pub(crate) fn address_parameter(ip: IpAddr) -> Parameter {
    match ip {
        IpAddr::V4(ip) => Parameter::Ipv4Address(ip),
        IpAddr::V6(ip) => Parameter::Ipv6Address(ip),
    }
}

/// The announced addresses that may be used: no multicast, broadcast and unspecified addresses, and loopback addresses
/// only if the peer is on this host.
pub(crate) fn acceptable(announced: &[IpAddr], source: IpAddr) -> impl Iterator<Item = &IpAddr> {
    announced.iter().take(MAX_PATHS).filter(move |ip| {
        let is_many =
            ip.is_multicast() || ip.is_unspecified() || matches!(ip, IpAddr::V4(ip) if ip.is_broadcast());
        !is_many && (!ip.is_loopback() || source.is_loopback())
    })
}

/// The socket address of an announced address: with the UDP port of its owner's packet (RFC 6951 §5.1), and for a
/// link-local address with the interface on which that packet arrived (RFC 4007 §6).
pub(crate) fn announced_socket(source: SocketAddr, announced: IpAddr) -> SocketAddr {
    let mut address = SocketAddr::new(announced, source.port());
    if let (SocketAddr::V6(address), SocketAddr::V6(source)) = (&mut address, source)
        && address.ip().is_unicast_link_local()
    {
        address.set_scope_id(source.scope_id());
    }
    address
}

/// RFC 9260 §3.3.2: "An endpoint receiving an INIT chunk with the a_rwnd parameter set to a value smaller
/// than 1500 MUST discard the packet".
const MIN_A_RWND: u32 = 1500;
/// The maximum number of paths that an association opens by itself.
pub const MAX_PATHS: usize = 16;
