//! Negotiates the extensions about user data. Each end lists the chunk types that it understands in its INIT or INIT-ACK
//! (RFC 5061 §4.2.7); an extension holds if both ends have it.

use crate::config::Config;
use crate::wire::{ForwardTsn, IData, IForwardTsn, NrSack, ReConfig};

/// The extensions that an end is configured with, that its peer lists, or that both agreed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Messages may be given up (RFC 3758).
    pub forward_tsn: bool,
    /// User data is I-DATA (RFC 8260).
    pub interleaving: bool,
    /// Interleaved messages may be given up (RFC 8260 §2.3).
    pub i_forward_tsn: bool,
    /// Out-of-order arrivals are acknowledged for good (draft-natarajan-tsvwg-sctp-nrsack).
    pub nr_sack: bool,
    /// Streams are reset and added (RFC 6525).
    pub reconfiguration: bool,
}

impl Features {
    /// The extensions that `config` asks for.
    pub fn of(config: &Config) -> Features {
        let (forward_tsn, interleaving) = (config.partial_reliability, config.interleaving);
        Features {
            forward_tsn,
            interleaving,
            i_forward_tsn: forward_tsn && interleaving,
            nr_sack: config.nr_sack,
            reconfiguration: config.stream_reconfiguration,
        }
    }

    /// The extensions for whose chunks the types `kinds` are listed. FORWARD-TSN also has a parameter of its own.
    pub fn listed(kinds: &[u8]) -> Features {
        Features {
            forward_tsn: kinds.contains(&ForwardTsn::KIND),
            interleaving: kinds.contains(&IData::KIND),
            i_forward_tsn: kinds.contains(&IForwardTsn::KIND),
            nr_sack: kinds.contains(&NrSack::KIND),
            reconfiguration: kinds.contains(&ReConfig::KIND),
        }
    }

    /// The extensions that hold if the other end has `other`.
    pub fn and(self, other: Features) -> Features {
        let interleaving = self.interleaving && other.interleaving;
        let i_forward_tsn = interleaving && self.i_forward_tsn && other.i_forward_tsn;
        let skips_messages = self.forward_tsn && other.forward_tsn;
        Features {
            forward_tsn: skips_messages && (!interleaving || i_forward_tsn),
            interleaving,
            i_forward_tsn,
            nr_sack: self.nr_sack && other.nr_sack,
            reconfiguration: self.reconfiguration && other.reconfiguration,
        }
    }

    /// True if FORWARD-TSN skips messages, by SSN.
    pub(crate) fn skips_ssns(self) -> bool {
        self.forward_tsn && !self.interleaving
    }

    /// The chunk types to list.
    pub fn kinds(self) -> impl Iterator<Item = u8> {
        let kinds = [
            (self.forward_tsn, ForwardTsn::KIND),
            (self.interleaving, IData::KIND),
            (self.i_forward_tsn, IForwardTsn::KIND),
            (self.nr_sack, NrSack::KIND),
            (self.reconfiguration, ReConfig::KIND),
        ];
        kinds.into_iter().filter(|(is_listed, _)| *is_listed).map(|(_, kind)| kind)
    }

    /// The extensions as bits.
    pub fn bits(self) -> u8 {
        let skips = [self.forward_tsn, self.interleaving, self.i_forward_tsn];
        let bits = skips.into_iter().chain([self.nr_sack, self.reconfiguration]);
        bits.enumerate().map(|(at, is_set)| u8::from(is_set) << at).sum()
    }

    /// The extensions encoded in `bits`; unknown bits are ignored.
    pub fn from_bits(bits: u8) -> Features {
        Features {
            forward_tsn: bits & 1 != 0,
            interleaving: bits & 2 != 0,
            i_forward_tsn: bits & 4 != 0,
            nr_sack: bits & 8 != 0,
            reconfiguration: bits & 16 != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_holds_if_both_ends_have_it() {
        let whole = Features::from_bits(31);
        assert_eq!(whole.and(whole), whole);
        assert_eq!(whole.and(Features::from_bits(1)), Features::from_bits(1));
        let without_skips = Features::from_bits(3);
        assert_eq!(
            whole.and(without_skips),
            Features::from_bits(2),
            "interleaved messages cannot be skipped"
        );
    }

    #[test]
    fn what_is_listed_is_read() {
        let whole = Features::from_bits(31);
        let kinds: Vec<u8> = whole.kinds().collect();
        assert_eq!(kinds, [192, 64, 194, 16, 130]);
        assert_eq!(Features::listed(&kinds), whole);
        assert_eq!(
            (0..32).map(Features::from_bits).map(Features::bits).collect::<Vec<_>>(),
            Vec::from_iter(0..32)
        );
    }
}
