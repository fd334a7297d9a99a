//! Links that cost: what each link of this machine carried, headers and probes included, and which of them may carry no more.

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};

use anabranch_base::{ByteCount, Duration, Time};

use crate::interfaces::Interface;

/// How an endpoint uses one link of its machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRule {
    /// The name of an interface, or an IP address of this machine.
    pub link: String,
    /// The paths are [backups](anabranch_sctp::association::Association::set_backup): they carry data only while no other
    /// path does.
    pub is_backup: bool,
    /// The most bytes that it carries, both ways together, as [`LinkReport::charged`] counts them. The link is given up
    /// a little earlier: by as much as it carried in the last second, or in two round trips if they are longer, and a first
    /// flight, so that what is under way fits too. Nothing leaves for which there is no room.
    pub most: Option<ByteCount>,
}

/// What one link of this machine carried for an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkReport {
    /// The interface's name, or the address if no interface is known or the rule names the address.
    pub name: String,
    /// True if its paths are backups.
    pub is_backup: bool,
    /// The most bytes that it may carry.
    pub most: Option<ByteCount>,
    /// Bytes of IP packets that left by it: data, copies, acknowledgements, probes, with all headers and seals.
    pub sent: ByteCount,
    /// Bytes of IP packets that arrived by it, likewise.
    pub received: ByteCount,
    /// True if it was given up because it carried its most.
    pub is_used_up: bool,
}

/// Bytes of IP packets, each way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Carried {
    pub sent: ByteCount,
    pub received: ByteCount,
}

/// The index of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkId(usize);

/// The links of an endpoint.
#[derive(Debug, Default)]
pub(crate) struct Links {
    rules: Vec<LinkRule>,
    all: Vec<Link>,
}

#[derive(Debug)]
struct Link {
    report: LinkReport,
    /// What was charged in all, at times of the last second.
    recent: VecDeque<(Time, ByteCount)>,
    /// The longest round trip of its paths that was noted.
    round_trip: Duration,
    /// True if it had no room for what was to leave.
    is_spent: bool,
}

impl LinkReport {
    /// What a provider that counts IP packets charges for: both ways together.
    pub fn charged(&self) -> ByteCount {
        self.sent + self.received
    }
}

impl Carried {
    /// UDP payload of `bytes` in `packets` packets was sent from or to `address`.
    pub fn of(bytes: usize, packets: u64, address: SocketAddr) -> ByteCount {
        let headers = UDP_HEADER + if address.is_ipv4() { IPV4_HEADER } else { IPV6_HEADER };
        ByteCount::of_len(bytes) + headers * packets
    }
}

impl Links {
    /// No link yet, and how those that will be are used.
    pub fn new(rules: Vec<LinkRule>) -> Links {
        Links { rules, all: Vec::new() }
    }

    /// The link of a socket at `ip`, on the interface of this name if one is known. A socket that has all addresses
    /// has no link.
    pub fn join(&mut self, ip: IpAddr, interface: Option<&str>) -> Option<LinkId> {
        if ip.is_unspecified() {
            return None;
        }
        let address = ip.to_string();
        let is_meant = |rule: &&LinkRule| {
            Some(rule.link.as_str()) == interface || rule.link.trim_matches(['[', ']']) == address
        };
        let rule = self.rules.iter().find(is_meant);
        let name = rule.map_or(interface.unwrap_or(&address), |rule| &rule.link);
        if let Some(known) = self.all.iter().position(|link| link.report.name == name) {
            return Some(LinkId(known));
        }
        let report = LinkReport {
            name: name.to_owned(),
            is_backup: rule.is_some_and(|rule| rule.is_backup),
            most: rule.and_then(|rule| rule.most),
            sent: ByteCount::ZERO,
            received: ByteCount::ZERO,
            is_used_up: false,
        };
        self.all.push(Link { report, recent: VecDeque::new(), round_trip: Duration::ZERO, is_spent: false });
        Some(LinkId(self.all.len() - 1))
    }

    /// Counts what a link carried.
    pub fn charge(&mut self, id: LinkId, carried: Carried) {
        let report = &mut self.all[id.0].report;
        report.sent += carried.sent;
        report.received += carried.received;
    }

    /// Returns true if a link has a limit.
    pub fn is_limited(&self, id: LinkId) -> bool {
        self.all[id.0].report.most.is_some()
    }

    /// A path of a link has this round trip.
    pub fn on_round_trip(&mut self, id: LinkId, round_trip: Duration) {
        let link = &mut self.all[id.0];
        link.round_trip = link.round_trip.max(round_trip);
    }

    /// A link has no room for what was to leave by it: it is given up.
    pub fn spend(&mut self, id: LinkId) {
        self.all[id.0].is_spent = true;
    }

    /// The number of bytes that may leave by a link before it is charged again, so that the answers fit too; `None` without a
    /// limit.
    pub fn allowance(&self, id: LinkId) -> Option<ByteCount> {
        let link = &self.all[id.0];
        let left = link.report.most?.saturating_sub(link.report.charged());
        Some(left.saturating_sub(link.recently() / ANSWERS) * (ANSWERS - 1) / ANSWERS)
    }

    /// The links that are to be given up now: what they carried, and what they may still carry of what is under way,
    /// reaches their most. Each is returned once.
    pub fn used_up(&mut self, now: Time) -> Vec<LinkId> {
        let mut found = Vec::new();
        for (index, link) in self.all.iter_mut().enumerate() {
            if link.is_used_up_at(now) {
                link.report.is_used_up = true;
                found.push(LinkId(index));
            }
        }
        found
    }

    /// Returns true if a link is a backup.
    pub fn is_backup(&self, id: LinkId) -> bool {
        self.all[id.0].report.is_backup
    }

    /// Returns true if a link was given up.
    pub fn is_used_up(&self, id: LinkId) -> bool {
        self.all[id.0].report.is_used_up
    }

    /// Every link that there was, in the order in which they were first used.
    pub fn reports(&self) -> Vec<LinkReport> {
        self.all.iter().map(|link| link.report.clone()).collect()
    }
}

impl Link {
    fn is_used_up_at(&mut self, now: Time) -> bool {
        let charged = self.report.charged();
        let Some(most) = self.report.most.filter(|_| !self.report.is_used_up) else { return false };
        if self.recent.back().is_none_or(|(at, _)| now.since(*at) >= STEP) {
            self.recent.push_back((now, charged));
        }
        let under_way = RECENT.max(self.round_trip * 2);
        while self.recent.len() > 1 && now.since(self.recent[1].0) >= under_way {
            self.recent.pop_front();
        }
        self.is_spent || charged + self.recently() + FIRST_FLIGHT >= most
    }

    /// What was charged within the time in which it may be under way.
    fn recently(&self) -> ByteCount {
        let before = self.recent.front().map_or(ByteCount::ZERO, |(_, before)| *before);
        self.report.charged().saturating_sub(before)
    }
}

/// The interface that has the address `ip`.
pub(crate) fn interface_of(ip: IpAddr, known: &[Interface]) -> Option<&str> {
    let interface = known.iter().find(|interface| interface.addresses.contains(&ip));
    interface.map(|interface| interface.name.as_str())
}

const UDP_HEADER: ByteCount = ByteCount::new(8);
const IPV4_HEADER: ByteCount = ByteCount::new(20);
const IPV6_HEADER: ByteCount = ByteCount::new(40);
/// What a link carried in this time may be under way still, on paths with short round trips.
const RECENT: Duration = Duration::from_secs(1);
/// In slow start a window is what was acknowledged and the initial window: ten packets, and probes.
const FIRST_FLIGHT: ByteCount = ByteCount::new(16_000);
/// Acknowledgements of what leaves take less than this part of it: about 100 bytes for each packet or two.
const ANSWERS: u64 = 8;
/// How finely that time is divided.
const STEP: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    fn rule(link: &str, is_backup: bool, most: Option<u64>) -> LinkRule {
        LinkRule { link: link.to_owned(), is_backup, most: most.map(ByteCount::new) }
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn the_addresses_of_an_interface_are_one_link_and_an_address_with_a_rule_is_one() {
        let mut links = Links::new(vec![rule("wwan0", true, None), rule("10.0.0.9", false, Some(9))]);
        let wwan = links.join(ip("10.64.0.2"), Some("wwan0"));
        assert_eq!(links.join(ip("2001:db8::2"), Some("wwan0")), wwan);
        assert_eq!(links.join(ip("0.0.0.0"), None), None);
        links.join(ip("10.0.0.8"), Some("eth0"));
        links.join(ip("10.0.0.9"), Some("eth0"));
        links.join(ip("192.0.2.1"), None);
        let told = links.reports();
        let told: Vec<_> = told.iter().map(|link| (link.name.as_str(), link.is_backup, link.most)).collect();
        let nine = Some(ByteCount::new(9));
        let others = [("eth0", false, None), ("10.0.0.9", false, nine), ("192.0.2.1", false, None)];
        assert_eq!(told, [[("wwan0", true, None)].as_slice(), &others].concat());
    }

    #[test]
    fn every_packet_is_charged_with_its_headers() {
        let [four, six] = ["10.0.0.1:1", "[2001:db8::1]:1"].map(|text| text.parse().expect("an address"));
        assert_eq!(Carried::of(2_400, 2, four), ByteCount::new(2_400 + 2 * 28));
        assert_eq!(Carried::of(100, 1, six), ByteCount::new(148));
    }

    /// 100 kB each 100 ms of 10 MB: it ends a second of traffic before the end, and never above.
    #[test]
    fn a_link_is_given_up_a_second_of_its_traffic_before_its_most() {
        let mut links = Links::new(vec![rule("wwan0", false, Some(10_000_000))]);
        let id = links.join(ip("10.64.0.2"), Some("wwan0")).expect("a link");
        let (sent, received) = (ByteCount::new(90_000), ByteCount::new(10_000));
        let mut given_up = None;
        for step in 0..100 {
            links.charge(id, Carried { sent, received });
            if links.used_up(at(step * 100)) == [id] {
                given_up = given_up.or(Some(links.reports()[0].charged().get()));
            }
        }
        assert_eq!(given_up, Some(9_000_000));
        assert!(links.is_used_up(id));
        assert!(links.used_up(at(20_000)).is_empty(), "once");
    }

    #[test]
    fn two_long_round_trips_of_traffic_are_left_where_they_are_more() {
        let mut links = Links::new(vec![rule("wwan0", false, Some(10_000_000))]);
        let id = links.join(ip("10.64.0.2"), Some("wwan0")).expect("a link");
        links.on_round_trip(id, Duration::from_secs(2));
        for step in 0..60 {
            links.charge(id, Carried { sent: ByteCount::new(100_000), received: ByteCount::ZERO });
            let is_last = step == 59;
            assert_eq!(links.used_up(at(step * 100)) == [id], is_last, "{step}");
        }
    }

    #[test]
    fn a_link_that_starts_fast_is_given_up_with_half_of_a_small_most_left() {
        let mut links = Links::new(vec![rule("wwan0", false, Some(1_000_000))]);
        let id = links.join(ip("10.64.0.2"), Some("wwan0")).expect("a link");
        assert!(links.used_up(at(0)).is_empty(), "nothing was carried");
        links.charge(id, Carried { sent: ByteCount::new(500_000), received: ByteCount::ZERO });
        assert_eq!(links.used_up(at(10)), [id]);
    }

    #[test]
    fn nothing_leaves_for_which_a_limit_has_no_room_and_answers_fit_too() {
        let mut links = Links::new(vec![rule("wwan0", false, Some(150_000))]);
        let id = links.join(ip("10.64.0.2"), Some("wwan0")).expect("a link");
        assert!(links.used_up(at(0)).is_empty());
        links.charge(id, Carried { sent: ByteCount::new(60_000), received: ByteCount::ZERO });
        let allowance = links.allowance(id).expect("a limit");
        let answers = (ByteCount::new(60_000) + allowance) / ANSWERS;
        assert!(ByteCount::new(60_000) + allowance + answers <= ByteCount::new(150_000), "{allowance}");
        assert!(links.used_up(at(10)).is_empty(), "there is room for what may be under way");
        links.spend(id);
        assert_eq!(links.used_up(at(20)), [id], "but not for what was to leave");
        let free = links.join(ip("10.0.0.1"), Some("eth0")).expect("a link");
        assert_eq!(links.allowance(free), None);
    }
}
