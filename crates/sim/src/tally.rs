//! The result of a run, read from its network at the end.

use anabranch_base::{ByteCount, Time};
use anabranch_link::Link;
use anabranch_scenario::model::{Flow, Protocol};
use anabranch_sctp::config::{Charge, IpVersion};

use crate::host::{PathReport, Transport};
use crate::load::Carried;
use crate::measure::{Meter, per_second};
use crate::observe::Host;
use crate::radio::station;
use crate::result::{
    DirectionResult, FlowResult, LinkResult, PathCounters, PathResult, RunResult, SackCounters,
    StationResult, WireBytes,
};
use crate::run::{Names, Run};
use crate::senders::senders;

impl Run {
    /// The result so far.
    pub fn finish(mut self) -> RunResult {
        let (now, links) = (self.now, self.names.links.clone());
        let direction = |run: &mut Run, link, from| tally_link(run.network.link_mut(link, from), now);
        let links = links.into_iter().enumerate().map(|(link, name)| LinkResult {
            name,
            forward: direction(&mut self, link, Host::First),
            reverse: direction(&mut self, link, Host::Second),
        });
        let links = links.collect();
        let stations = self.tally_stations();
        RunResult {
            seed: self.seed,
            time: now.since(Time::ZERO),
            events: self.events,
            packets: self.network.crossings(),
            end_to_end_packets: self.network.sent(),
            flows: self
                .flows
                .iter()
                .enumerate()
                .flat_map(|(index, flow)| self.tally_flow(index, flow))
                .collect(),
            links,
            stations,
        }
    }

    /// The stations of every mesh.
    fn tally_stations(&mut self) -> Vec<StationResult> {
        let time = self.now.since(Time::ZERO).as_secs_f64();
        let Names { radios, nodes, .. } = &self.names;
        let mut stations = Vec::new();
        for (index, radio) in radios.iter().enumerate() {
            let Some(mesh) = self.network.mesh(index) else { continue };
            stations.extend(nodes.iter().enumerate().map(|(node, name)| {
                let counters = mesh.counters(station(node));
                let airtime = if time > 0.0 { counters.airtime.as_secs_f64() / time } else { 0.0 };
                StationResult { name: name.clone(), radio: radio.clone(), counters, airtime }
            }));
        }
        stations
    }

    /// The largest current receive buffer of the flow's associations, at both ends; `None` if they have none.
    pub fn receive_buffer(&self, flow: usize) -> Option<ByteCount> {
        let ends = Host::BOTH.into_iter().flat_map(|host| self.ends(flow, host));
        ends.filter_map(Transport::receive_buffer).max()
    }

    /// For each path of the flow, as the first host sees it, the first other path that was found to share its bottleneck.
    /// The paths count from 0 in the flow's order.
    pub fn shared_bottlenecks(&self, flow: usize) -> Vec<Option<usize>> {
        let end = self.ends(flow, Host::First).next();
        let paths = 0..self.flows[flow].paths.len();
        paths.map(|path| end.and_then(|end| end.report(self.now, path).shares_with)).collect()
    }

    /// One entry for each direction in which the flow sends.
    fn tally_flow(&self, index: usize, flow: &Flow) -> Vec<FlowResult> {
        let one = |(count, &from): (usize, &Host)| {
            let meter = self.network.meter(index, from.other())?;
            let end = self.end_of(index, from, meter);
            let until = self.until(index, meter);
            Some(FlowResult {
                name: if count == 0 { flow.name.clone() } else { format!("{}/reverse", flow.name) },
                protocol: match flow.protocol {
                    Protocol::Sctp(_) => "sctp",
                    Protocol::Udp => "udp",
                    Protocol::Tcp(_) => "tcp",
                },
                from,
                delivered: meter.delivered(),
                goodput_bps: meter.goodput_bps(end),
                completion: meter.completion(),
                first_data: meter.first().map(|first| first.since(Time::ZERO)),
                blocked: self.ends(index, from).map(|end| end.blocked(until)).max().unwrap_or_default(),
                longest_stall: meter.longest_stall(end),
                reorder_bytes_max: meter.held_max(),
                delay: meter.delay(),
                wire_bytes_sent: WireBytes {
                    sender: self.wire_bytes(index, from),
                    receiver: self.wire_bytes(index, from.other()),
                },
                tr_ratio: self.tr_ratio(index, flow),
                goodput_packets: self.goodput_packets(index, from.other()),
                sacks: self.sacks(index, from),
                failure: self.failure(index, from, meter).map(str::to_owned),
                paths: self.tally_paths(index, from, meter),
            })
        };
        senders(flow.direction).iter().enumerate().filter_map(one).collect()
    }

    /// The time until which a flow is measured: a lost datagram never arrives, so a transfer of datagrams ends with
    /// the last one that arrives.
    fn end_of(&self, index: usize, from: Host, meter: &Meter) -> Time {
        meter.last().filter(|_| self.ends(index, from).all(Transport::is_spent)).unwrap_or(self.now)
    }

    /// The time for which the flow's associations give their counters: several associations stop when the transfer is
    /// complete.
    fn until(&self, index: usize, meter: &Meter) -> Time {
        match self.network.routes().pairs(index).len() {
            1 => self.now,
            _ => meter.end(self.now),
        }
    }

    /// The ends of a flow at a host.
    fn ends(&self, index: usize, host: Host) -> impl Iterator<Item = &dyn Transport> {
        self.network.routes().pairs(index).map(move |pair| self.network.end(pair, host))
    }

    /// Why a transport of the flow failed, the senders' reasons first. A flow of several pairs may be complete
    /// although one failed.
    fn failure(&self, index: usize, from: Host, meter: &Meter) -> Option<&str> {
        if self.network.routes().pairs(index).len() > 1 && meter.is_complete() {
            return None;
        }
        self.ends(index, from).chain(self.ends(index, from.other())).find_map(Transport::failure)
    }

    /// The bytes that a flow's ends at a host sent after the warm-up.
    fn wire_bytes(&self, index: usize, host: Host) -> ByteCount {
        self.network.routes().pairs(index).map(|pair| self.network.wire_bytes(pair, host)).sum()
    }

    /// The bytes that both hosts sent for each byte that was delivered (M-MET-4).
    fn tr_ratio(&self, index: usize, flow: &Flow) -> Option<f64> {
        let sent: ByteCount = Host::BOTH.map(|host| self.wire_bytes(index, host)).into_iter().sum();
        let meters = Host::BOTH.into_iter().filter_map(|host| self.network.meter(index, host));
        let delivered: ByteCount = meters.map(Meter::delivered_after_warmup).sum();
        (!delivered.is_zero()).then(|| sent.get() as f64 / (delivered.get() as f64 * counted_as(flow)))
    }

    /// Packets with data that arrived for the first time at a host, after the warm-up.
    fn goodput_packets(&self, index: usize, host: Host) -> Option<u64> {
        let routes = self.network.routes();
        let numbered = |pair| (0..routes.paths(pair).len()).map(move |number| (pair, number));
        let received = |(pair, number)| self.network.end(pair, host).received_on(number);
        routes.pairs(index).flat_map(numbered).map(received).map(|received| Some(received?.packets)).sum()
    }

    /// The SACKs of all pairs; `None` if there is no association.
    fn sacks(&self, index: usize, from: Host) -> Option<SackCounters> {
        let pairs = self.ends(index, from).zip(self.ends(index, from.other()));
        pairs.filter_map(|(near, far)| sacks_between(near, far)).reduce(SackCounters::and)
    }

    /// The paths of all pairs, which are the flow's paths in order.
    fn tally_paths(&self, index: usize, from: Host, meter: &Meter) -> Vec<PathResult> {
        let routes = self.network.routes();
        let numbered = |pair| (0..routes.paths(pair).len()).map(move |number| (pair, number));
        let of_pairs = routes.pairs(index).flat_map(numbered);
        of_pairs.map(|(pair, number)| self.tally_path(pair, number, from, meter)).collect()
    }

    fn tally_path(&self, pair: usize, number: usize, from: Host, meter: &Meter) -> PathResult {
        let name = self.names.paths[self.network.routes().paths(pair)[number]].clone();
        let index = self.network.routes().flow(pair);
        let (near, far) = (self.network.end(pair, from), self.network.end(pair, from.other()));
        let goodput_bps = match far.received_on(number) {
            Some(received) => per_second(received.bytes, meter.measured(self.now)),
            None => meter.goodput_bps(self.end_of(index, from, meter)),
        };
        let until = self.until(index, meter);
        let report = near.report(until, number);
        let received = far.report(until, number).counters;
        let report = PathReport {
            app_limited: report.app_limited + self.now.since(until),
            counters: PathCounters::of_both_ends(&report.counters, &received),
            ..report
        };
        path_result(name, self.network.lost(pair, from, number), goodput_bps, report)
    }
}

/// The SACKs of a pair of ends: those that the receiver sent and the sender received.
fn sacks_between(sender: &dyn Transport, receiver: &dyn Transport) -> Option<SackCounters> {
    Some(SackCounters::of_both_ends(&sender.sacks()?, &receiver.sacks()?))
}

/// The number of bytes a byte of user data counts as: where windows are charged for whole packets, a packet counts with its
/// headers.
fn counted_as(flow: &Flow) -> f64 {
    match &flow.protocol {
        Protocol::Sctp(sctp) if sctp.config.charge == Charge::Packet => {
            let config = &sctp.config;
            let payload = config.payload_within(config.mtu, IpVersion::V4);
            config.mtu.get() as f64 / payload.get() as f64
        }
        Protocol::Sctp(_) | Protocol::Udp | Protocol::Tcp(_) => 1.0,
    }
}

/// A path's result: its sender's counters, and those of the network and the receiver.
fn path_result(name: String, lost_packets: u64, goodput_bps: f64, report: PathReport) -> PathResult {
    PathResult {
        name,
        state: report.state,
        counters: report.counters,
        lost_packets,
        mean_cwnd_bytes: report.mean_cwnd_bytes,
        mean_rtt_s: report.mean_rtt_s,
        min_rtt_s: report.min_rtt_s,
        goodput_bps,
        app_limited: report.app_limited,
        cwnd_limited: report.cwnd_limited,
        rwnd_limited: report.rwnd_limited,
        scheduler_limited: report.scheduler_limited,
        down: report.down,
    }
}

fn tally_link(link: &mut Link<Carried>, now: Time) -> DirectionResult {
    let utilisation = link.utilisation(now);
    let mean_queue_packets = link.mean_queue(now);
    let counters = link.counters();
    DirectionResult {
        packets: counters.arrived,
        offered: counters.offered,
        lost: counters.lost,
        queue_drops: counters.queue_drops,
        marked: counters.marked,
        duplicated: counters.duplicated,
        corrupted: counters.corrupted,
        in_flight: link.holds(),
        mean_queue_packets,
        utilisation,
    }
}
