//! Negotiates receiver rules that a standard sender would misread (M-IPCC-7, M-IPCC-9), and credits for single streams,
//! which a driver implements. Each end announces its rules in its INIT or INIT-ACK, in a parameter of our own that other stacks skip without a report (RFC 9260 §3.2.1: the two
//! high bits of its type are 10). A rule holds only if both ends announce it.

use crate::wire::Parameter;

/// The rules that an end is configured with, or that both ends agreed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverRules {
    /// The receive buffer has two levels, and the a_rwnd counts the first alone.
    pub two_levels: bool,
    /// SACKs report only gap blocks that are new, and are read that way.
    pub new_gaps: bool,
    /// The drivers of both ends give credit stream by stream, in messages of their own. The protocol only carries this.
    pub stream_credits: bool,
    /// The association is for a measurement: test packets are sent and passed on.
    pub test_packets: bool,
}

impl ReceiverRules {
    /// The rules that hold if the other end announces `other`.
    pub fn and(self, other: ReceiverRules) -> ReceiverRules {
        ReceiverRules {
            two_levels: self.two_levels && other.two_levels,
            new_gaps: self.new_gaps && other.new_gaps,
            stream_credits: self.stream_credits && other.stream_credits,
            test_packets: self.test_packets && other.test_packets,
        }
    }

    /// The parameter that announces the rules; `None` without rules.
    pub fn parameter(self) -> Option<Parameter> {
        let value = [&MAGIC[..], &[self.bits()]].concat();
        (self.bits() != 0).then_some(Parameter::Unknown { kind: KIND, value })
    }

    /// The rules that `parameter` announces; `None` for another parameter.
    pub fn read(parameter: &Parameter) -> Option<ReceiverRules> {
        match parameter {
            Parameter::Unknown { kind: KIND, value } => match value.strip_prefix(&MAGIC)? {
                &[bits] => Some(ReceiverRules::from_bits(bits)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The rules as bits: 1 for two levels, 2 for new gaps, 4 for stream credits, 8 for test packets.
    pub fn bits(self) -> u8 {
        u8::from(self.two_levels)
            | u8::from(self.new_gaps) << 1
            | u8::from(self.stream_credits) << 2
            | u8::from(self.test_packets) << 3
    }

    /// The rules encoded in `bits`; unknown bits are ignored.
    pub fn from_bits(bits: u8) -> ReceiverRules {
        ReceiverRules {
            two_levels: bits & 1 != 0,
            new_gaps: bits & 2 != 0,
            stream_credits: bits & 4 != 0,
            test_packets: bits & 8 != 0,
        }
    }
}

/// The type of the parameter. It is not registered, so that its value begins with our name.
const KIND: u16 = 0x9a1c;
const MAGIC: [u8; 4] = *b"anab";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::UnrecognizedAction;

    #[test]
    fn an_end_without_such_rules_says_nothing() {
        assert_eq!(ReceiverRules::default().parameter(), None);
    }

    #[test]
    fn what_is_said_is_understood_and_others_skip_it() {
        for bits in 1..16 {
            let rules = ReceiverRules::from_bits(bits);
            let parameter = rules.parameter().expect("there is something to say");
            assert_eq!(ReceiverRules::read(&parameter), Some(rules));
            assert_eq!(parameter.action(), UnrecognizedAction::Skip);
        }
    }

    #[test]
    fn the_same_type_with_another_content_says_nothing() {
        for value in [&b"anab"[..], b"anab\x01\x00", b"else\x01", b""] {
            let parameter = Parameter::Unknown { kind: KIND, value: value.to_vec() };
            assert_eq!(ReceiverRules::read(&parameter), None);
        }
        assert_eq!(ReceiverRules::read(&Parameter::EcnCapable), None);
    }

    #[test]
    fn a_rule_holds_if_both_ends_have_it() {
        let [all, one] = [7, 4].map(ReceiverRules::from_bits);
        assert_eq!(all.and(one), one);
        assert_eq!(one.and(ReceiverRules::default()).bits(), 0);
    }
}
