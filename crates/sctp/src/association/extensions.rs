//! Enables the extensions both ends support beyond RFC 9260: authenticated chunks and address changes. Lists the chunk
//! types of all extensions.

use super::authentication::{AuthKeys, PeerTerms, RandomNumber, WrongRandom, announcement};
use super::features::Features;
use crate::config::{Config, Encapsulation};
use crate::wire::{Asconf, AsconfAck, Auth, Parameter};

/// The extensions that a peer's INIT or INIT-ACK offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeerExtensions {
    /// True if it supports ASCONF and ASCONF-ACK.
    pub(crate) takes_asconf: bool,
    /// The parameters for authenticated chunks; `None` without support.
    pub(crate) terms: Option<PeerTerms>,
}

/// The part of a cookie about extensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedExtensions {
    /// This end's random number.
    pub random: RandomNumber,
    /// The peer's offer.
    pub offer: PeerExtensions,
}

/// The extensions that an association uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extensions {
    /// The keys that authenticate chunks.
    pub keys: Option<AuthKeys>,
    /// True if this end announces address changes and accepts them from the peer.
    pub changes_addresses: bool,
}

impl PeerExtensions {
    /// Reads the offer in the `parameters` of an INIT or INIT-ACK, as far as `config` allows its use.
    ///
    /// # Errors
    /// The random number is not 32 bytes long.
    pub fn read(config: &Config, parameters: &[Parameter]) -> Result<PeerExtensions, WrongRandom> {
        if !config.dynamic_addresses {
            return Ok(PeerExtensions::default());
        }
        let takes = |kinds: &[u8]| kinds.contains(&Asconf::KIND) && kinds.contains(&AsconfAck::KIND);
        let takes_asconf = parameters
            .iter()
            .any(|parameter| matches!(parameter, Parameter::SupportedExtensions(kinds) if takes(kinds)));
        let terms = match config.encapsulation {
            Encapsulation::Sealed => None,
            Encapsulation::None | Encapsulation::Udp => PeerTerms::read(parameters)?,
        };
        Ok(PeerExtensions { takes_asconf, terms })
    }
}

impl Extensions {
    /// The parameters that announce this end's extensions in an INIT.
    pub fn announced(config: &Config, random: &RandomNumber) -> Vec<Parameter> {
        let kinds = address_kinds(config).iter().copied().chain(Features::of(config).kinds());
        with_kinds(kinds.collect(), random)
    }

    /// The parameters of an INIT-ACK that answers the peer's `offer`, and lists the extensions about user data `listed`.
    pub fn answered(
        config: &Config,
        random: &RandomNumber,
        offer: &PeerExtensions,
        listed: Features,
    ) -> Vec<Parameter> {
        let is_offered = *offer != PeerExtensions::default();
        let kinds = if is_offered { address_kinds(config) } else { &[] };
        with_kinds(kinds.iter().copied().chain(listed.kinds()).collect(), random)
    }

    /// The extensions that an association uses, between an end that announced `random` and a peer with this `offer`.
    pub fn agree(config: &Config, random: &RandomNumber, offer: &PeerExtensions) -> Extensions {
        let keys = offer.terms.as_ref().map(|terms| AuthKeys::agree(random, terms));
        let is_authentic = keys.is_some() || config.encapsulation == Encapsulation::Sealed;
        Extensions { keys, changes_addresses: offer.takes_asconf && is_authentic }
    }
}

/// The types of the chunks that change addresses: RFC 5061 §4.2.7 lists ASCONF, ASCONF-ACK and AUTH. On a sealed channel
/// the seal authenticates chunks instead of AUTH.
fn address_kinds(config: &Config) -> &'static [u8] {
    match (config.dynamic_addresses, config.encapsulation) {
        (false, _) => &[],
        (true, Encapsulation::Sealed) => &[Asconf::KIND, AsconfAck::KIND],
        (true, Encapsulation::None | Encapsulation::Udp) => &[Asconf::KIND, AsconfAck::KIND, Auth::KIND],
    }
}

/// The parameters that list the chunk types `kinds`, with those that AUTH needs.
fn with_kinds(kinds: Vec<u8>, random: &RandomNumber) -> Vec<Parameter> {
    if kinds.is_empty() {
        return Vec::new();
    }
    let has_auth = kinds.contains(&Auth::KIND);
    let mut parameters = vec![Parameter::SupportedExtensions(kinds)];
    if has_auth {
        parameters.extend(announcement(random));
    }
    parameters
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(encapsulation: Encapsulation) -> Config {
        Config { dynamic_addresses: true, encapsulation, ..Config::rfc9260() }
    }

    fn agreed(near: &Config, far: &Config) -> (bool, bool) {
        let offer =
            PeerExtensions::read(near, &Extensions::announced(far, &[1; 32])).expect("a sound random number");
        let extensions = Extensions::agree(near, &[2; 32], &offer);
        (extensions.keys.is_some(), extensions.changes_addresses)
    }

    #[test]
    fn addresses_change_only_where_every_packet_or_the_request_is_authenticated() {
        let (plain, sealed) = (config(Encapsulation::Udp), config(Encapsulation::Sealed));
        assert_eq!(agreed(&plain, &plain), (true, true));
        assert_eq!(agreed(&sealed, &sealed), (false, true));
        assert_eq!(agreed(&plain, &sealed), (false, false));
        let off = Config::rfc9260();
        assert_eq!([agreed(&off, &plain), agreed(&plain, &off)], [(false, false); 2]);
    }
}
