//! The lanes of an association: its paths, each with a name of its own.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration as StdDuration;

use anabranch_base::Duration;
use anabranch_diagnose::recording::Recording;
use anabranch_net::monitor::path_name;
use anabranch_net::{Association, Interface, PathReport, PathState, interfaces};
use tokio::time::sleep;

use crate::conductor::LaneFacts;

/// The paths, once each is confirmed or had time for that. A path that is not is a dead lane.
pub(super) async fn of(association: &Association) -> Vec<LaneFacts> {
    let begun = association.now();
    let is_pending = |report: &PathReport| report.sample.state == PathState::Unconfirmed;
    // Further addresses of the other end are paths only a while after the first.
    let (mut count, mut since) = (0, begun);
    while association.now().since(begun) < CONFIRMING {
        let (paths, now) = (association.paths(), association.now());
        if paths.len() != count {
            (count, since) = (paths.len(), now);
        }
        if now.since(since) >= SETTLED && !paths.iter().any(is_pending) {
            break;
        }
        sleep(TURN).await;
    }
    let known = interfaces().unwrap_or_default();
    let reports = association.paths();
    let mut lanes: Vec<LaneFacts> =
        measured(&reports).into_iter().map(|report| lane(report, &known)).collect();
    name(&mut lanes);
    lanes
}

/// The paths that are there, without guesses: a pair that was never confirmed counts only if it has an address that no
/// other has.
fn measured(reports: &[PathReport]) -> Vec<&PathReport> {
    let is_present = |report: &&PathReport| report.sample.state != PathState::Removed;
    let is_confirmed = |report: &&PathReport| report.sample.state != PathState::Unconfirmed;
    let (mut kept, open): (Vec<_>, Vec<_>) = reports.iter().filter(is_present).partition(is_confirmed);
    for report in open {
        let addresses = report.addresses;
        let has_local = kept.iter().any(|other| other.addresses.local == addresses.local);
        let has_remote = kept.iter().any(|other| other.addresses.remote == addresses.remote);
        if !(has_local && has_remote) {
            kept.push(report);
        }
    }
    kept.sort_by_key(|report| report.id);
    kept
}

/// Notes the MTU that the transport uses at present.
pub(super) fn put_mtu(recording: &mut Recording, association: &Association, lanes: &[LaneFacts]) {
    let reports = association.paths();
    for (lane, facts) in recording.lanes.iter_mut().zip(lanes) {
        if let Some(report) = reports.iter().find(|report| report.id == facts.path) {
            lane.mtu = report.sample.mtu;
        }
    }
}

fn lane(report: &PathReport, known: &[Interface]) -> LaneFacts {
    let (local, remote) = (report.addresses.local, report.addresses.remote);
    LaneFacts {
        path: report.id,
        name: path_name(&report.addresses),
        local: local.to_string(),
        remote: remote.to_string(),
        interface: interface_of(local.ip(), known).map(|interface| interface.name.clone()),
        mtu: report.sample.mtu,
        least_size: least_size(remote.ip()),
    }
}

/// The interface that has the address.
pub(super) fn interface_of(local: IpAddr, known: &[Interface]) -> Option<&Interface> {
    // All of 127.0.0.0/8 is the loopback interface's, which lists only one.
    let has_address = |interface: &&Interface| {
        interface.addresses.contains(&local) || (local.is_loopback() && interface.is_loopback())
    };
    known.iter().find(has_address)
}

/// Names lanes by their interfaces, or their local addresses, where no other lane has the same.
fn name(lanes: &mut [LaneFacts]) {
    let interfaces: Vec<Option<String>> = lanes.iter().map(|lane| lane.interface.clone()).collect();
    let addresses: Vec<Option<String>> = lanes.iter().map(address).collect();
    let alone =
        |all: &[Option<String>], own: &Option<String>| all.iter().filter(|other| *other == own).count() == 1;
    for ((lane, interface), address) in lanes.iter_mut().zip(&interfaces).zip(&addresses) {
        let own = [(interface, &interfaces), (address, &addresses)];
        let shortest = own.into_iter().find_map(|(own, all)| own.clone().filter(|_| alone(all, own)));
        lane.name = shortest.unwrap_or_else(|| std::mem::take(&mut lane.name));
    }
}

fn address(lane: &LaneFacts) -> Option<String> {
    let ip = lane.local.parse::<SocketAddr>().ok()?.ip();
    (!ip.is_unspecified()).then(|| ip.to_string())
}

/// The size of the smallest IP packet with a test body: IP, UDP, the seal, SCTP, the chunk and the body.
fn least_size(remote: IpAddr) -> u16 {
    match remote {
        IpAddr::V4(_) => 112,
        IpAddr::V6(ip) if ip.to_ipv4_mapped().is_some() => 112,
        IpAddr::V6(_) => 132,
    }
}

/// The time in which paths are confirmed.
const CONFIRMING: Duration = Duration::from_secs(3);
/// The time after which no further path is expected.
const SETTLED: Duration = Duration::from_millis(300);
const TURN: StdDuration = StdDuration::from_millis(20);

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;
    use anabranch_net::PathId;

    use super::*;

    fn facts(local: &str, interface: Option<&str>) -> LaneFacts {
        LaneFacts {
            path: PathId::FIRST,
            name: format!("{local} > far"),
            local: format!("{local}:1"),
            remote: "192.0.2.9:1".to_owned(),
            interface: interface.map(str::to_owned),
            mtu: ByteCount::new(1_500),
            least_size: 112,
        }
    }

    #[test]
    fn a_lane_has_the_shortest_name_that_no_other_has() {
        let mut lanes = [
            facts("192.0.2.1", Some("wlan0")),
            facts("127.0.0.1", Some("lo")),
            facts("127.0.0.2", Some("lo")),
            facts("0.0.0.0", None),
            facts("192.0.2.3", Some("eth0")),
            facts("192.0.2.3", Some("eth0")),
        ];
        name(&mut lanes);
        let names: Vec<&str> = lanes.iter().map(|lane| lane.name.as_str()).collect();
        let expected =
            ["wlan0", "127.0.0.1", "127.0.0.2", "0.0.0.0 > far", "192.0.2.3 > far", "192.0.2.3 > far"];
        assert_eq!(names, expected);
    }
}
