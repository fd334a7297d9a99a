//! The state of IPv6 addresses in `/proc/net/if_inet6`.

use std::collections::BTreeMap;
use std::net::Ipv6Addr;

use crate::ipv6::Standing;

/// The state of each address, by its interface's name. Empty if the system does not report it.
pub(super) fn standings() -> BTreeMap<(String, Ipv6Addr), Standing> {
    // A thread may be in another network namespace than its process.
    let text = std::fs::read_to_string("/proc/thread-self/net/if_inet6").unwrap_or_default();
    text.lines().filter_map(read).collect()
}

/// One line of `if_inet6`: the address, the interface's index, the length of the prefix, the scope and the flags, all
/// in hexadecimal, and the interface's name.
fn read(line: &str) -> Option<((String, Ipv6Addr), Standing)> {
    let mut words = line.split_ascii_whitespace();
    let ip = Ipv6Addr::from_bits(u128::from_str_radix(words.next()?, 16).ok()?);
    let flags = u8::from_str_radix(words.nth(3)?, 16).ok()?;
    Some(((words.next()?.to_owned(), ip), standing(flags)))
}

fn standing(flags: u8) -> Standing {
    let has = |flag: u8| flags & flag != 0;
    if has(TENTATIVE) || has(DUPLICATE) {
        Standing::Unusable
    } else if has(DEPRECATED) {
        Standing::Deprecated
    } else if has(TEMPORARY) {
        Standing::Temporary
    } else {
        Standing::Preferred
    }
}

/// `IFA_F_TEMPORARY`, `IFA_F_DADFAILED`, `IFA_F_DEPRECATED` and `IFA_F_TENTATIVE` of `linux/if_addr.h`.
const TEMPORARY: u8 = 0x01;
const DUPLICATE: u8 = 0x08;
const DEPRECATED: u8 = 0x20;
const TENTATIVE: u8 = 0x40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linux_tells_of_an_address_is_read() {
        let line = "20010db8000000000000000000000007 04 40 00 80     eth0";
        let ip = "2001:db8::7".parse().expect("an address");
        assert_eq!(read(line), Some((("eth0".to_owned(), ip), Standing::Preferred)));
        assert_eq!(read("20010db8000000000000000000000007 04 40 00"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn an_address_that_is_not_verified_or_goes_out_of_use_stands_behind() {
        let expected = [
            (0x80, Standing::Preferred),
            (0x01, Standing::Temporary),
            (0x21, Standing::Deprecated),
            (0x40, Standing::Unusable),
            (0x88, Standing::Unusable),
        ];
        for (flags, expected) in expected {
            assert_eq!(standing(flags), expected, "{flags:#x}");
        }
        assert!(Standing::Temporary < Standing::Preferred && Standing::Preferred < Standing::Deprecated);
    }
}
