//! The facts of an end about itself: processor time, sockets, other programs' traffic, since a start.

use std::collections::BTreeMap;

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_diagnose::recording::{End, EndLane};
use anabranch_net::{Association, Endpoint, Interface, PathId, interfaces};

use super::interfaces::{Counters, counters, moved};
use super::lanes::interface_of;
use super::lateness::Lateness;
use super::{Host, processor};

/// The start of a measurement at this end.
#[derive(Clone, Debug)]
pub(super) struct Start {
    at: Time,
    processor: Duration,
    drops: Option<u64>,
    moved: Moved,
}

/// The traffic so far: of all programs, by the counters of the interfaces, and of this program, by its links.
#[derive(Clone, Debug, Default)]
struct Moved {
    counters: Counters,
    ours: BTreeMap<String, ByteCount>,
}

impl Start {
    /// A measurement begins now.
    pub(super) fn now(endpoint: &Endpoint, association: &Association) -> Start {
        Start {
            at: association.now(),
            processor: processor::used(),
            drops: drops(endpoint),
            moved: Moved::so_far(association),
        }
    }

    /// The facts of this end about itself, and of the lanes with these `paths`. The sent share is the machine's to say, and the
    /// disk is another's.
    pub(super) fn facts(
        &self,
        endpoint: &Endpoint,
        association: &Association,
        host: &Host,
        paths: &[Option<PathId>],
        lateness: &Lateness,
    ) -> End {
        let sockets = endpoint.sockets();
        let seconds = association.now().since(self.at).as_secs_f64().max(1e-9);
        End {
            lateness: lateness.quantile(0.5),
            lateness_p99: lateness.quantile(0.99),
            processor_share: processor::used().saturating_sub(self.processor).as_secs_f64() / seconds,
            least_sent_share: 1.0,
            socket_receive_buffer: sockets
                .iter()
                .map(|socket| socket.receive_buffer)
                .min()
                .unwrap_or_default(),
            socket_send_buffer: sockets.iter().map(|socket| socket.send_buffer).min().unwrap_or_default(),
            socket_drops: drops(endpoint).zip(self.drops).map(|(now, then)| now.saturating_sub(then)),
            receive_buffer_limit: host.receive_buffer_limit,
            send_buffer: host.send_buffer,
            disk_write: None,
            lanes: self.lanes(association, paths),
        }
    }

    fn lanes(&self, association: &Association, paths: &[Option<PathId>]) -> Vec<EndLane> {
        let known = interfaces().unwrap_or_default();
        let others = self.moved.others_until(&Moved::so_far(association), &known);
        let reports = association.paths();
        let lane = |path: &Option<PathId>| {
            let report = reports.iter().find(|report| Some(report.id) == *path)?;
            let interface = interface_of(report.addresses.local.ip(), &known);
            Some(EndLane {
                interface: interface.map(|interface| interface.name.clone()),
                others_bytes: interface.and_then(|interface| others.get(&interface.name).copied()),
                mtu: Some(report.sample.mtu),
            })
        };
        paths.iter().map(|path| lane(path).unwrap_or_default()).collect()
    }
}

impl Moved {
    fn so_far(association: &Association) -> Moved {
        let links = association.links().into_iter();
        Moved { counters: counters(), ours: links.map(|link| (link.name.clone(), link.charged())).collect() }
    }

    /// The bytes that others moved on each interface from this time to a later one. The address of a packet does not always
    /// tell the interface by which it came, so that no interface has more than all together. Loopback counts every packet
    /// twice, and both ends' packets: there nothing is known.
    fn others_until(&self, later: &Moved, known: &[Interface]) -> BTreeMap<String, u64> {
        let beyond_ours = |interface: &Interface| {
            let all = moved(&self.counters, &later.counters, &interface.name)?;
            let ours = later.ours_on(interface).saturating_sub(self.ours_on(interface)).get();
            Some((interface.name.clone(), i128::from(all) - i128::from(ours), ours))
        };
        let each: Vec<(String, i128, u64)> =
            known.iter().filter(|interface| !interface.is_loopback()).filter_map(beyond_ours).collect();
        let together: i128 = each.iter().filter(|(.., ours)| *ours > 0).map(|(_, others, _)| others).sum();
        let within = |others: i128| u64::try_from(others.min(together).max(0)).unwrap_or(u64::MAX);
        each.into_iter().map(|(name, others, _)| (name, within(others))).collect()
    }

    /// The bytes of this program on an interface. A link has the name of the interface, or of one of its addresses.
    fn ours_on(&self, interface: &Interface) -> ByteCount {
        let is_of = |name: &str| {
            let address = name.trim_matches(['[', ']']).parse();
            name == interface.name || address.is_ok_and(|address| interface.addresses.contains(&address))
        };
        self.ours.iter().filter(|(name, _)| is_of(name)).map(|(_, bytes)| *bytes).sum()
    }
}

/// The datagrams that the system dropped at the sockets.
fn drops(endpoint: &Endpoint) -> Option<u64> {
    endpoint.sockets().iter().map(|socket| socket.drops).sum()
}

#[cfg(test)]
mod tests {
    use super::super::interfaces::parse;
    use super::*;

    fn so_far(eth0: u64, eth1: u64, ours: &[(&str, u64)]) -> Moved {
        let line = |name, sent| format!("{name}: 0 0 0 0 0 0 0 0 {sent} 0 0 0 0 0 0 0\n");
        let ours = ours.iter().map(|(name, bytes)| ((*name).to_owned(), ByteCount::new(*bytes)));
        let text = [line("eth0", eth0), line("eth1", eth1), line("lo", eth0)].concat();
        Moved { counters: parse(&text), ours: ours.collect() }
    }

    fn interface(name: &str, address: &str) -> Interface {
        let addresses = vec![address.parse().expect("an address")];
        Interface { name: name.to_owned(), index: None, addresses, mtu: None }
    }

    fn others(before: &Moved, after: &Moved) -> Vec<(String, u64)> {
        let all = [("eth0", "192.0.2.1"), ("eth1", "192.0.2.2"), ("eth2", "192.0.2.3"), ("lo", "127.0.0.1")];
        let known = all.map(|(name, address)| interface(name, address));
        before.others_until(after, &known).into_iter().collect()
    }

    fn expected(eth0: u64, eth1: u64) -> Vec<(String, u64)> {
        vec![("eth0".to_owned(), eth0), ("eth1".to_owned(), eth1)]
    }

    #[test]
    fn others_are_all_but_this_program_whatever_its_links_are_called() {
        let before = so_far(3_000, 0, &[("eth0", 500)]);
        let after = so_far(11_000, 600, &[("eth0", 2_500), ("192.0.2.1", 1_000), ("eth1", 600)]);
        assert_eq!(
            others(&before, &after),
            expected(8_000 - 3_000, 0),
            "eth2 has no counters, and lo no meaning"
        );
        let late = so_far(3_010, 0, &[("eth0", 700)]);
        assert_eq!(others(&before, &late), expected(0, 0), "counters lag behind");
    }

    #[test]
    fn packets_that_came_by_the_interface_of_another_address_are_not_others() {
        let before = so_far(0, 0, &[]);
        // Those of the address of eth1 came by eth0.
        let after = so_far(9_000, 1_000, &[("eth0", 4_000), ("eth1", 6_000)]);
        assert_eq!(others(&before, &after), expected(0, 0));
        let busy = so_far(12_000, 1_000, &[("eth0", 4_000), ("eth1", 6_000)]);
        assert_eq!(others(&before, &busy), expected(3_000, 0));
    }
}
