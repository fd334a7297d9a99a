//! Host Name Address: a host name instead of an address. The codec only carries the name: RFC 9260 forbids sending
//! and resolving it.

use super::Parameter;

/// The type of a Host Name Address, deprecated (RFC 9260 §3.3.2.1.4).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |           Type = 11           |             Length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                           Host Name                           /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(in crate::wire) const KIND: u16 = 11;

pub(super) fn decode(value: &[u8]) -> Parameter {
    Parameter::HostNameAddress(value.to_vec())
}

#[cfg(test)]
mod tests {
    use crate::wire::Parameter;
    use crate::wire::capture::assert_is_parameter;

    // Written according to the RFC; usrsctp answers an INIT with it by ABORT, Unresolvable Address.
    #[test]
    fn a_host_name_with_its_closing_zero() {
        let name = Parameter::HostNameAddress(b"a.b\0".to_vec());
        assert_is_parameter("000b0008 612e6200", &name);
        assert_eq!(name.to_string(), "host name \"a.b\\x00\"");
    }
}
