//! The displayed name of a path: `wlan0 → 192.168.1.1` instead of its addresses.

use std::net::{IpAddr, SocketAddr};

use anabranch_bench::PathEntry;
use anabranch_net::monitor::PathMonitor;
use anabranch_net::{Interface, PathState, UDP_PORT, interfaces};

/// The interfaces of this machine, whose names replace local addresses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    /// The local addresses with the name of their interface.
    starts: Vec<(IpAddr, String)>,
}

/// The start of a path.
struct Start<'a> {
    ip: IpAddr,
    interface: &'a str,
    is_gone: bool,
}

impl Labels {
    /// The labels by the present interfaces. An interface with several addresses is not named, because several paths may
    /// begin there.
    pub(crate) fn now() -> Labels {
        Labels::of_interfaces(&interfaces().unwrap_or_default())
    }

    /// The labels by the interfaces on which monitored paths began, even if those no longer exist.
    pub(crate) fn of(monitor: &PathMonitor) -> Labels {
        Labels::of_starts(monitor.paths().iter().filter_map(|path| {
            let (ip, state) = (path.report.addresses.local.ip(), path.report.sample.state);
            Some(Start { ip, interface: path.interface.as_deref()?, is_gone: state == PathState::Removed })
        }))
    }

    /// The labels by the interfaces of the paths of a result.
    pub(crate) fn of_entries(paths: &[PathEntry]) -> Labels {
        Labels::of_starts(paths.iter().filter_map(|path| {
            let ip = path.local.parse::<SocketAddr>().ok()?.ip();
            let is_gone = path.state == PathState::Removed.name();
            Some(Start { ip, interface: path.interface.as_deref()?, is_gone })
        }))
    }

    fn of_interfaces(known: &[Interface]) -> Labels {
        let only = |interface: &&Interface, ip: &IpAddr| {
            interface.addresses.iter().filter(|other| other.is_ipv4() == ip.is_ipv4()).count() == 1
        };
        let starts = known.iter().filter(|interface| !interface.is_loopback()).flat_map(|interface| {
            let named = interface.addresses.iter().filter(move |ip| only(&interface, ip));
            named.map(move |ip| (*ip, interface.name.clone()))
        });
        Labels { starts: starts.collect() }
    }

    /// An interface is named if only one present address of a family belongs to it, and never loopback. A removed path is
    /// distinguished by its state.
    fn of_starts<'a>(starts: impl Iterator<Item = Start<'a>>) -> Labels {
        let all: Vec<Start<'a>> = starts.filter(|start| !start.ip.is_loopback()).collect();
        let is_clear = |start: &&Start<'a>| {
            let is_other = |other: &Start<'a>| {
                other.interface == start.interface
                    && other.ip != start.ip
                    && other.ip.is_ipv4() == start.ip.is_ipv4()
                    && !other.is_gone
            };
            start.is_gone || !all.iter().any(is_other)
        };
        let named = all.iter().filter(is_clear).map(|start| (start.ip, start.interface.to_owned()));
        Labels { starts: named.collect() }
    }

    /// The label of the path with this name, `192.0.2.7 > 192.168.1.1:9899`: its interface and its remote address, with the
    /// port unless it is the default.
    pub(crate) fn name(&self, name: &str) -> String {
        let Some((local, remote)) = name.split_once(" > ") else { return without_port(name).to_owned() };
        format!("{} → {}", self.start(local), without_port(remote))
    }

    /// The interface of the path; the local address if it is unknown.
    pub(crate) fn short(&self, name: &str) -> String {
        match name.split_once(" > ") {
            Some((local, _)) => self.start(local),
            None => without_port(name).to_owned(),
        }
    }

    /// The short labels of paths if they differ, else the full ones.
    pub(crate) fn distinct(&self, names: &[String]) -> Vec<String> {
        let short: Vec<String> = names.iter().map(|name| self.short(name)).collect();
        let is_clear = |index: usize| {
            short[..index]
                .iter()
                .zip(names)
                .all(|(before, name)| *before != short[index] || *name == names[index])
        };
        if (1..short.len()).all(is_clear) {
            short
        } else {
            names.iter().map(|name| self.name(name)).collect()
        }
    }

    /// Replaces names of paths, which may repeat, by their labels.
    pub(crate) fn put_short<'a>(&self, names: impl Iterator<Item = &'a mut String>) {
        let names: Vec<&mut String> = names.collect();
        let known: Vec<String> = names.iter().map(|name| (**name).clone()).collect();
        for (name, label) in names.into_iter().zip(self.distinct(&known)) {
            *name = label;
        }
    }

    fn start(&self, local: &str) -> String {
        let known =
            local.parse::<IpAddr>().ok().and_then(|ip| self.starts.iter().find(|(start, _)| *start == ip));
        known.map_or_else(|| local.to_owned(), |(_, interface)| interface.clone())
    }
}

/// The address without the default UDP port of SCTP.
fn without_port(remote: &str) -> &str {
    let usual = format!(":{UDP_PORT}");
    remote.strip_suffix(usual.as_str()).unwrap_or(remote)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels() -> Labels {
        let interface = |name: &str, addresses: &[&str]| Interface {
            name: name.to_owned(),
            index: None,
            addresses: addresses.iter().map(|ip| ip.parse().expect("an address")).collect(),
            mtu: None,
        };
        let known = vec![
            interface("lo", &["127.0.0.1", "127.0.0.2"]),
            interface("eth0", &["192.0.2.1", "192.0.2.2"]),
            interface("wlan0", &["192.168.1.7", "2001:db8::7"]),
        ];
        Labels::of_interfaces(&known)
    }

    #[test]
    fn a_path_is_called_by_its_interface_and_where_it_leads() {
        let labels = labels();
        assert_eq!(labels.name("192.168.1.7 > 192.168.1.1:9899"), "wlan0 → 192.168.1.1");
        assert_eq!(labels.name("192.168.1.7 > 192.168.1.1:7000"), "wlan0 → 192.168.1.1:7000");
        assert_eq!(labels.name("2001:db8::7 > [2001:db8::1]:9899"), "wlan0 → [2001:db8::1]");
        assert_eq!(labels.short("192.168.1.7 > 192.168.1.1:9899"), "wlan0");
    }

    #[test]
    fn where_an_interface_could_mean_several_paths_the_address_stays() {
        let labels = labels();
        assert_eq!(labels.name("127.0.0.2 > 127.0.0.1:7000"), "127.0.0.2 → 127.0.0.1:7000");
        assert_eq!(labels.name("192.0.2.2 > 198.51.100.1:9899"), "192.0.2.2 → 198.51.100.1");
        assert_eq!(labels.name("198.51.100.1:9899"), "198.51.100.1");
        assert_eq!(labels.short("203.0.113.9 > 198.51.100.1:9899"), "203.0.113.9");
    }

    fn entry(interface: Option<&str>, local: &str, state: &str) -> PathEntry {
        let name = format!("{local} > 192.0.2.1:9899");
        let (local, state) = (format!("{local}:40000"), state.to_owned());
        PathEntry { name, local, state, interface: interface.map(str::to_owned), ..PathEntry::default() }
    }

    #[test]
    fn an_interface_that_was_unplugged_keeps_its_name() {
        let paths = [
            entry(Some("wlan0"), "192.168.1.7", "removed"),
            entry(Some("wwan0"), "10.64.0.2", "active"),
            entry(None, "203.0.113.9", "active"),
        ];
        let labels = Labels::of_entries(&paths);
        let named = paths.each_ref().map(|path| labels.name(&path.name));
        assert_eq!(named, ["wlan0 → 192.0.2.1", "wwan0 → 192.0.2.1", "203.0.113.9 → 192.0.2.1"]);
    }

    #[test]
    fn two_paths_of_one_interface_are_told_apart_by_address_or_by_state() {
        let path = |local: &str, state: &str| entry(Some("eth0"), local, state);
        let both = [path("192.0.2.1", "active"), path("192.0.2.2", "active")];
        assert_eq!(Labels::of_entries(&both).short(&both[1].name), "192.0.2.2");
        let renumbered = [path("192.0.2.1", "removed"), path("192.0.2.2", "active")];
        let labels = Labels::of_entries(&renumbered);
        assert_eq!(renumbered.each_ref().map(|path| labels.short(&path.name)), ["eth0", "eth0"]);
        let six = [path("192.0.2.1", "active"), path("2001:db8::1", "active")];
        assert_eq!(Labels::of_entries(&six).short(&six[0].name), "eth0", "another family is another route");
        assert_eq!(
            Labels::of_entries(&[path("127.0.0.2", "active")]).short("127.0.0.2 > 127.0.0.1:1"),
            "127.0.0.2"
        );
    }

    #[test]
    fn names_become_short_where_that_tells_them_apart_and_equal_names_stay_equal() {
        let labels = labels();
        let put = |names: &[&str]| {
            let mut names: Vec<String> = names.iter().map(ToString::to_string).collect();
            labels.put_short(names.iter_mut());
            names
        };
        let (wifi, other) = ("192.168.1.7 > 192.0.2.1:9899", "203.0.113.9 > 192.0.2.1:9899");
        assert_eq!(put(&[wifi, other, wifi]), ["wlan0", "203.0.113.9", "wlan0"]);
        let second = "192.168.1.7 > 192.0.2.2:9899";
        assert_eq!(put(&[wifi, second]), ["wlan0 → 192.0.2.1", "wlan0 → 192.0.2.2"]);
    }
}
