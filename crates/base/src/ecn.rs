//! The ECN field of an IP header as a type. Setting codepoints and reacting to them is left to other modules.

use std::fmt;

/// The two ECN bits of an IP packet (RFC 3168 §5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ecn {
    /// 00: the transport does not understand marks, so a congested queue drops.
    #[default]
    NotEct,
    /// 10, ECT(0): the transport understands marks.
    Ect0,
    /// 01, ECT(1): the transport understands marks.
    Ect1,
    /// 11, CE: a queue on the path was congested.
    Ce,
}

impl Ecn {
    /// The position of the bits in the byte that IPv4 calls the type of service and IPv6 the traffic class.
    pub const MASK: u8 = 0b11;

    /// The codepoint of a type of service or a traffic class; the six bits above it (DSCP) do not matter.
    pub const fn from_bits(traffic_class: u8) -> Ecn {
        match traffic_class & Ecn::MASK {
            0b10 => Ecn::Ect0,
            0b01 => Ecn::Ect1,
            0b11 => Ecn::Ce,
            _ => Ecn::NotEct,
        }
    }

    /// The two bits.
    pub const fn bits(self) -> u8 {
        match self {
            Ecn::NotEct => 0b00,
            Ecn::Ect0 => 0b10,
            Ecn::Ect1 => 0b01,
            Ecn::Ce => 0b11,
        }
    }

    /// Returns true if a congested queue may mark the packet instead of dropping it: all codepoints but 00.
    pub const fn is_capable(self) -> bool {
        !matches!(self, Ecn::NotEct)
    }

    /// Returns true if a queue has marked the packet.
    pub const fn is_marked(self) -> bool {
        matches!(self, Ecn::Ce)
    }
}

impl fmt::Display for Ecn {
    /// The name in RFC 3168.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ecn::NotEct => "Not-ECT",
            Ecn::Ect0 => "ECT(0)",
            Ecn::Ect1 => "ECT(1)",
            Ecn::Ce => "CE",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3168 §5, figure 1.
    #[test]
    fn the_codepoints_have_the_bits_and_the_names_of_the_rfc() {
        let table = [(0b00, "Not-ECT"), (0b01, "ECT(1)"), (0b10, "ECT(0)"), (0b11, "CE")];
        for (bits, name) in table {
            assert_eq!(Ecn::from_bits(bits).to_string(), name);
            assert_eq!(Ecn::from_bits(bits).bits(), bits);
        }
    }

    #[test]
    fn the_bits_of_the_service_class_do_not_matter() {
        assert_eq!(Ecn::from_bits(0b1011_1010), Ecn::Ect0);
    }

    #[test]
    fn a_queue_may_mark_every_packet_but_that_of_a_transport_without_ecn() {
        let may = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce].map(Ecn::is_capable);
        assert_eq!(may, [false, true, true, true]);
    }
}
