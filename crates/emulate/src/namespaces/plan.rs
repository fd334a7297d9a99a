//! Names, addresses and MTU of the interfaces in the two namespaces: one pair for each path.

use std::net::{Ipv4Addr, Ipv6Addr};

use anabranch_base::ByteCount;
use anabranch_scenario::Scenario;

/// The planned properties of a path's two interfaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InterfacePair {
    /// The name of both: the path's, as far as it is a valid interface name.
    pub name: String,
    /// The number of the path, from 1.
    pub number: u32,
    /// The MTU in bytes.
    pub mtu: u64,
}

/// One of the two namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The namespace of the command.
    Near,
    /// The namespace at the other end of the paths.
    Far,
}

impl InterfacePair {
    /// The IPv4 address: 10.77.N.1 near and 10.77.N.2 far, with prefix length 24.
    pub(super) fn address(&self, side: Side) -> Ipv4Addr {
        Ipv4Addr::from(u32::from(FIRST_V4).wrapping_add(self.number << 8) | side.last())
    }

    /// The IPv6 address: fd77:0:0:N::1 near and fd77:0:0:N::2 far, N in hexadecimal.
    pub(crate) fn address_v6(&self, side: Side) -> Ipv6Addr {
        Ipv6Addr::from(u128::from(FIRST_V6) + (u128::from(self.number) << 64) + u128::from(side.last()))
    }

    /// Returns true if the MTU is large enough for IPv6 (RFC 8200 §5).
    pub(crate) fn carries_v6(&self) -> bool {
        self.mtu >= 1280
    }
}

impl Side {
    /// The last number of its addresses.
    fn last(self) -> u32 {
        match self {
            Side::Near => 1,
            Side::Far => 2,
        }
    }
}

/// The interfaces of a scenario's paths.
pub(super) fn interfaces(scenario: &Scenario) -> Vec<InterfacePair> {
    let mut taken: Vec<String> = NOT_FOR_US.map(str::to_owned).to_vec();
    let numbered = scenario.paths.iter().zip(1..);
    numbered
        .map(|(path, number)| {
            let name = free_name(&path.name, &taken);
            taken.push(name.clone());
            InterfacePair { name, number, mtu: mtu(scenario, &path.links) }
        })
        .collect()
}

/// The smallest MTU of the links in both directions; Ethernet's if none is set.
fn mtu(scenario: &Scenario, links: &[usize]) -> u64 {
    let sides = links.iter().flat_map(|link| {
        let link = &scenario.links[*link];
        [link.forward.mtu, link.reverse.mtu]
    });
    sides.flatten().min().map_or(ETHERNET, ByteCount::get).min(LARGEST)
}

/// Makes `wanted` a valid interface name, with a number if it is taken.
fn free_name(wanted: &str, taken: &[String]) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let clean: String = wanted.chars().map(allowed).collect();
    let numbered = (2_u32..).map(|number| {
        let suffix = format!("-{number}");
        let kept: String = clean.chars().take(LONGEST_NAME - suffix.len()).collect();
        kept + &suffix
    });
    let plain = clean.chars().take(LONGEST_NAME).collect();
    let is_free = |name: &String| !name.is_empty() && !taken.contains(name);
    // The numbers suffice: there are more of them than paths.
    std::iter::once(plain).chain(numbered).find(is_free).unwrap_or_default()
}

const FIRST_V4: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 0);
const FIRST_V6: Ipv6Addr = Ipv6Addr::new(0xfd77, 0, 0, 0, 0, 0, 0, 0);
const ETHERNET: u64 = 1500;
/// The largest packet of IPv4 and of TUN devices.
const LARGEST: u64 = 65_535;
/// The longest interface name of the kernel, without the terminating zero.
const LONGEST_NAME: usize = 15;
/// Reserved names: loopback, and names of directories and settings of the kernel.
const NOT_FOR_US: [&str; 5] = ["lo", "all", "default", ".", ".."];

#[cfg(test)]
mod tests {
    use anabranch_scenario::{NoFiles, Source, registry};

    use super::*;

    fn planned(text: &str) -> Vec<InterfacePair> {
        let source = Source::new("test", text);
        let scenario = Scenario::parse(&source, &NoFiles, &[], &registry());
        interfaces(&scenario.expect("a scenario"))
    }

    fn links(names: &[&str]) -> String {
        let link = |name| format!("[[link]]\nname = {name:?}\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n");
        names.iter().map(link).collect()
    }

    #[test]
    fn addresses_count_with_the_paths() {
        let found = planned(&("[run]\ntime = \"1 s\"\n".to_owned() + &links(&["a", "b"])));
        let [first, second] = &found[..] else { panic!("two paths") };
        assert_eq!(first.address(Side::Near).to_string(), "10.77.1.1");
        assert_eq!(second.address(Side::Far).to_string(), "10.77.2.2");
        assert_eq!(first.address_v6(Side::Far).to_string(), "fd77:0:0:1::2");
        let far_away = InterfacePair { number: 300, ..second.clone() };
        assert_eq!(far_away.address(Side::Near).to_string(), "10.78.44.1");
        assert_eq!(far_away.address_v6(Side::Near).to_string(), "fd77:0:0:12c::1");
    }

    #[test]
    fn names_are_the_paths_as_far_as_the_kernel_takes_them_and_no_two_are_the_same() {
        let names = ["wifi", "lo", "a-very-long-name-indeed", "a-very-long-name-too"];
        let found = planned(&("[run]\ntime = \"1 s\"\n".to_owned() + &links(&names)));
        let found: Vec<&str> = found.iter().map(|interface| interface.name.as_str()).collect();
        assert_eq!(found, ["wifi", "lo-2", "a-very-long-nam", "a-very-long-n-2"]);
        // A scenario that was not read from a file may use any names for its paths.
        assert_eq!(free_name("Zürich/1 2", &[]), "Z-rich-1-2");
        assert_eq!(free_name("", &[]), "-2");
    }

    #[test]
    fn the_smallest_link_of_a_path_says_how_large_packets_are() {
        let mtus = "[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\nmtu = \"1400 B\"\n\
                    reverse = { mtu = \"1200 B\" }\n";
        let paths =
            "[[path]]\nname = \"one\"\nlinks = [\"b\"]\n[[path]]\nname = \"two\"\nlinks = [\"b\", \"a\"]\n";
        let found = planned(&format!("[run]\ntime = \"1 s\"\n{}{mtus}{paths}", links(&["b"])));
        assert_eq!(found.iter().map(|interface| interface.mtu).collect::<Vec<_>>(), [1500, 1200]);
        assert!(found[0].carries_v6() && !found[1].carries_v6());
    }
}
