//! Accounting of metered links: the traffic of each link of this machine, headers and probes included, and the links
//! whose limit is reached.

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_sctp::wire::PathRole;

use crate::interface::Interface;

/// A rule for the use of one link of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRule {
    /// The name of an interface, or an IP address of this machine.
    pub link: String,
    /// The [role](anabranch_sctp::association::Association::set_role) of its paths.
    pub role: PathRole,
    /// The limit of the bytes in both directions together, as counted by [`LinkReport::charged`]. The link is given
    /// up before, by a reserve for data in flight: its traffic of the last second, or of two round trips if they are
    /// longer, and a first flight. A packet that exceeds the limit is not sent.
    pub most: Option<ByteCount>,
}

/// The traffic of one link of this machine for an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkReport {
    /// The interface's name, or the address if no interface is known or the rule names the address.
    pub name: String,
    /// The role of its paths.
    pub role: PathRole,
    /// The limit of its bytes.
    pub most: Option<ByteCount>,
    /// Bytes of IP packets sent on it: data, retransmissions, acknowledgements, probes, with all headers and seals.
    pub sent: ByteCount,
    /// Bytes of IP packets received on it, counted alike.
    pub received: ByteCount,
    /// True if it was given up because its limit is reached.
    pub is_used_up: bool,
}

/// Bytes of IP packets in each direction.
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
    /// Samples of the total charge over the recent time.
    recent: VecDeque<(Time, ByteCount)>,
    /// The longest recorded round trip of its paths.
    round_trip: Duration,
    /// True if a packet to send exceeded the limit.
    is_spent: bool,
}

impl LinkReport {
    /// The bytes that a provider charges by IP packets, in both directions together.
    pub fn charged(&self) -> ByteCount {
        self.sent + self.received
    }
}

impl Carried {
    /// The bytes of IP packets with a UDP payload of `bytes` in `packets` packets, to or from `address`.
    pub(crate) fn of(bytes: usize, packets: u64, address: SocketAddr) -> ByteCount {
        let headers = UDP_HEADER + if address.is_ipv4() { IPV4_HEADER } else { IPV6_HEADER };
        ByteCount::of_len(bytes) + headers * packets
    }
}

impl Links {
    /// No links yet, and the rules for later ones.
    pub(crate) fn new(rules: Vec<LinkRule>) -> Links {
        Links { rules, all: Vec::new() }
    }

    /// Finds or adds the link of a socket at `ip`, on the interface of this name if known. A wildcard socket has no
    /// link.
    pub(crate) fn join(&mut self, ip: IpAddr, interface: Option<&str>) -> Option<LinkId> {
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
            role: rule.map_or(PathRole::Ordinary, |rule| rule.role),
            most: rule.and_then(|rule| rule.most),
            sent: ByteCount::ZERO,
            received: ByteCount::ZERO,
            is_used_up: false,
        };
        self.all.push(Link { report, recent: VecDeque::new(), round_trip: Duration::ZERO, is_spent: false });
        Some(LinkId(self.all.len() - 1))
    }

    /// Adds the traffic of a link.
    pub(crate) fn charge(&mut self, id: LinkId, carried: Carried) {
        let report = &mut self.all[id.0].report;
        report.sent += carried.sent;
        report.received += carried.received;
    }

    /// Returns true if a link has a limit.
    pub(crate) fn is_limited(&self, id: LinkId) -> bool {
        self.all[id.0].report.most.is_some()
    }

    /// Records the round-trip time of a path of a link.
    pub(crate) fn on_round_trip(&mut self, id: LinkId, round_trip: Duration) {
        let link = &mut self.all[id.0];
        link.round_trip = link.round_trip.max(round_trip);
    }

    /// Marks a link whose limit a packet exceeded: it is given up.
    pub(crate) fn spend(&mut self, id: LinkId) {
        self.all[id.0].is_spent = true;
    }

    /// The bytes that may be sent on a link before it is charged again, with a reserve for the answers; `None`
    /// without a limit.
    pub(crate) fn allowance(&self, id: LinkId) -> Option<ByteCount> {
        let link = &self.all[id.0];
        let left = link.report.most?.saturating_sub(link.report.charged());
        Some(left.saturating_sub(link.recently() / ANSWERS) * (ANSWERS - 1) / ANSWERS)
    }

    /// The links to give up now, because their traffic and the reserve for data in flight reach the limit. Each is
    /// returned once.
    pub(crate) fn used_up(&mut self, now: Time) -> Vec<LinkId> {
        let mut found = Vec::new();
        for (index, link) in self.all.iter_mut().enumerate() {
            if link.is_used_up_at(now) {
                link.report.is_used_up = true;
                found.push(LinkId(index));
            }
        }
        found
    }

    /// The role of the paths of a link; ordinary without a link.
    pub(crate) fn role(&self, id: Option<LinkId>) -> PathRole {
        id.map_or(PathRole::Ordinary, |id| self.all[id.0].report.role)
    }

    /// Returns true if a link was given up.
    pub(crate) fn is_used_up(&self, id: LinkId) -> bool {
        self.all[id.0].report.is_used_up
    }

    /// The reports of all links so far, in the order of first use.
    pub(crate) fn reports(&self) -> Vec<LinkReport> {
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

    /// The bytes charged within the time in which they may still be in flight.
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
/// The least time whose traffic may still be in flight, for paths with short round trips.
const RECENT: Duration = Duration::from_secs(1);
/// In slow start a window is the acknowledged data and the initial window: ten packets, and probes.
const FIRST_FLIGHT: ByteCount = ByteCount::new(16_000);
/// Acknowledgements take less than this part of the sent bytes: about 100 bytes for each packet or two.
const ANSWERS: u64 = 8;
/// The resolution of the samples in that time.
const STEP: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    fn rule(link: &str, role: PathRole, most: Option<u64>) -> LinkRule {
        LinkRule { link: link.to_owned(), role, most: most.map(ByteCount::new) }
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn the_addresses_of_an_interface_are_one_link_and_an_address_with_a_rule_is_one() {
        let mut links = Links::new(vec![
            rule("wwan0", PathRole::Secondary, None),
            rule("10.0.0.9", PathRole::Ordinary, Some(9)),
        ]);
        let wwan = links.join(ip("10.64.0.2"), Some("wwan0"));
        assert_eq!(links.join(ip("2001:db8::2"), Some("wwan0")), wwan);
        assert_eq!(links.join(ip("0.0.0.0"), None), None);
        links.join(ip("10.0.0.8"), Some("eth0"));
        links.join(ip("10.0.0.9"), Some("eth0"));
        links.join(ip("192.0.2.1"), None);
        let told = links.reports();
        let told: Vec<_> = told.iter().map(|link| (link.name.as_str(), link.role, link.most)).collect();
        let nine = Some(ByteCount::new(9));
        let others = [
            ("eth0", PathRole::Ordinary, None),
            ("10.0.0.9", PathRole::Ordinary, nine),
            ("192.0.2.1", PathRole::Ordinary, None),
        ];
        assert_eq!(told, [[("wwan0", PathRole::Secondary, None)].as_slice(), &others].concat());
    }

    #[test]
    fn every_packet_is_charged_with_its_headers() {
        let [four, six] = ["10.0.0.1:1", "[2001:db8::1]:1"].map(|text| text.parse().expect("an address"));
        assert_eq!(Carried::of(2_400, 2, four), ByteCount::new(2_400 + 2 * 28));
        assert_eq!(Carried::of(100, 1, six), ByteCount::new(148));
    }

    /// 100 kB each 100 ms with a limit of 10 MB: given up a second of traffic before the limit, and never above it.
    #[test]
    fn a_link_is_given_up_a_second_of_its_traffic_before_its_most() {
        let mut links = Links::new(vec![rule("wwan0", PathRole::Ordinary, Some(10_000_000))]);
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
        let mut links = Links::new(vec![rule("wwan0", PathRole::Ordinary, Some(10_000_000))]);
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
        let mut links = Links::new(vec![rule("wwan0", PathRole::Ordinary, Some(1_000_000))]);
        let id = links.join(ip("10.64.0.2"), Some("wwan0")).expect("a link");
        assert!(links.used_up(at(0)).is_empty(), "nothing was carried");
        links.charge(id, Carried { sent: ByteCount::new(500_000), received: ByteCount::ZERO });
        assert_eq!(links.used_up(at(10)), [id]);
    }

    #[test]
    fn nothing_leaves_for_which_a_limit_has_no_room_and_answers_fit_too() {
        let mut links = Links::new(vec![rule("wwan0", PathRole::Ordinary, Some(150_000))]);
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
