//! What a run came to, read from its network at the end. It changes nothing.

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_link::Link;
use anabranch_scenario::model::{Flow, Protocol};
use anabranch_sctp::association::Association;
use anabranch_sctp::policy::{PathSample, PathState};

use crate::host::{End, SctpEnd};
use crate::load::Carried;
use crate::measure::{Meter, per_second};
use crate::observe::Host;
use crate::result::{DirectionResult, FlowResult, LinkResult, PathResult, RunResult, SackResult};
use crate::run::{Run, senders};

impl Run {
    /// What came of it so far.
    pub fn finish(mut self) -> RunResult {
        let (now, links) = (self.now, self.names.links.clone());
        let direction = |run: &mut Run, link, from| tally_link(run.network.link_mut(link, from), now);
        let links = links.into_iter().enumerate().map(|(link, name)| LinkResult {
            name,
            forward: direction(&mut self, link, Host::First),
            reverse: direction(&mut self, link, Host::Second),
        });
        let links = links.collect();
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
        }
    }

    /// The largest receive buffer that an association of the flow has now, at either end; `None` where it has none.
    pub fn receive_buffer(&self, flow: usize) -> Option<ByteCount> {
        let ends = [Host::First, Host::Second].into_iter().flat_map(|host| self.ends(flow, host));
        let associations = ends.filter_map(|end| match end {
            End::Sctp(end) => end.association(),
            End::Udp(_) => None,
        });
        associations.map(Association::receive_buffer).max()
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
                },
                from,
                delivered: meter.delivered(),
                goodput_bps: meter.goodput_bps(end),
                completion: meter.completion(),
                first_data: meter.first().map(|first| first.since(Time::ZERO)),
                blocked: self.ends(index, from).map(|end| blocked(end, until)).max().unwrap_or_default(),
                longest_stall: meter.longest_stall(end),
                reorder_bytes_max: meter.held_max(),
                delay: meter.delay(),
                sacks: self.sacks(index, from),
                failure: self.failure(index, from, meter).map(str::to_owned),
                paths: self.tally_paths(index, from, meter),
            })
        };
        senders(flow.direction).iter().enumerate().filter_map(one).collect()
    }

    /// Until when a flow is measured: a datagram that is lost never comes, so that a transfer of them is over with the
    /// last that does.
    fn end_of(&self, index: usize, from: Host, meter: &Meter) -> Time {
        meter.last().filter(|_| self.ends(index, from).all(End::is_spent)).unwrap_or(self.now)
    }

    /// Until when the flow's associations are asked for their accounts: several fall silent when it is complete.
    fn until(&self, index: usize, meter: &Meter) -> Time {
        match self.network.routes().pairs(index).len() {
            1 => self.now,
            _ => meter.end(self.now),
        }
    }

    /// The ends of a flow at a host.
    fn ends(&self, index: usize, host: Host) -> impl Iterator<Item = &End> {
        self.network.routes().pairs(index).map(move |pair| self.network.end(pair, host))
    }

    /// Why a transport of the flow gave up, the senders' reasons first. What several carry may be complete without it.
    fn failure(&self, index: usize, from: Host, meter: &Meter) -> Option<&str> {
        if self.network.routes().pairs(index).len() > 1 && meter.is_complete() {
            return None;
        }
        self.ends(index, from).chain(self.ends(index, from.other())).find_map(End::failure)
    }

    /// The SACKs of all pairs; `None` where there is no association.
    fn sacks(&self, index: usize, from: Host) -> Option<SackResult> {
        let pairs = self.ends(index, from).zip(self.ends(index, from.other()));
        pairs.filter_map(|(near, far)| sacks(near, far)).reduce(SackResult::and)
    }

    /// The paths of all pairs, which are the flow's in its order.
    fn tally_paths(&self, index: usize, from: Host, meter: &Meter) -> Vec<PathResult> {
        let routes = self.network.routes();
        let numbered = |pair| (0..routes.paths(pair).len()).map(move |number| (pair, number));
        let of_pairs = routes.pairs(index).flat_map(numbered);
        of_pairs.map(|(pair, number)| self.tally_path(pair, number, from, meter)).collect()
    }

    fn tally_path(&self, pair: usize, number: usize, from: Host, meter: &Meter) -> PathResult {
        let name = self.names.paths[self.network.routes().paths(pair)[number]].clone();
        let lost_packets = self.network.lost(pair, from, number);
        let index = self.network.routes().flow(pair);
        match (self.network.end(pair, from), self.network.end(pair, from.other())) {
            (End::Sctp(near), End::Sctp(far)) => {
                let goodput_bps = per_second(far.received_on(number), meter.measured(self.now));
                let until = self.until(index, meter);
                let path = sctp_path(name, near, number, until);
                let app_limited = path.app_limited + self.now.since(until);
                PathResult { goodput_bps, lost_packets, app_limited, ..path }
            }
            (near, _) => {
                let goodput_bps = meter.goodput_bps(self.end_of(index, from, meter));
                PathResult { goodput_bps, lost_packets, ..udp_path(name, near, self.now) }
            }
        }
    }
}

fn blocked(end: &End, now: Time) -> Duration {
    match end {
        End::Sctp(end) => end.association().map_or(Duration::ZERO, |association| association.blocked(now)),
        End::Udp(_) => Duration::ZERO,
    }
}

/// What the receiver sent and the sender received.
fn sacks(sender: &End, receiver: &End) -> Option<SackResult> {
    let (End::Sctp(sender), End::Sctp(receiver)) = (sender, receiver) else { return None };
    let (near, far) = (sender.association()?.sack_counters(), receiver.association()?.sack_counters());
    Some(SackResult {
        sent: far.sent,
        sent_by_timer: far.sent_by_timer,
        received: near.received,
        received_for_several_paths: near.received_for_several_paths,
    })
}

/// A path of the flow as the association's own account of it; the time before it opened counts as down.
fn sctp_path(name: String, end: &SctpEnd, number: usize, now: Time) -> PathResult {
    let empty = PathResult { down: now.since(Time::ZERO), ..empty_path(name) };
    let Some(association) = end.association() else { return empty };
    let is_this = |sample: &&PathSample| end.path_number(sample.id) == Some(number);
    let Some(sample) = association.paths().iter().find(is_this) else { return empty };
    let counters = association.path_counters(sample.id);
    let shares = association.time_in_limit(now, sample.id);
    PathResult {
        state: sample.state,
        sent_packets: counters.sent_packets,
        sent_bytes: counters.sent_bytes,
        retransmitted_chunks: counters.retransmitted_chunks,
        fast_retransmits: counters.fast_retransmits,
        timeouts: counters.timeouts,
        suspicions: counters.suspicions,
        mean_cwnd_bytes: association.mean_cwnd(now, sample.id),
        mean_rtt_s: counters.mean_round_trip().map(Duration::as_secs_f64),
        app_limited: shares.application,
        cwnd_limited: shares.congestion_window,
        rwnd_limited: shares.receive_window,
        scheduler_limited: shares.scheduler,
        down: shares.down + now.since(Time::ZERO).saturating_sub(shares.total()),
        ..empty
    }
}

fn udp_path(name: String, sender: &End, now: Time) -> PathResult {
    let (sent_packets, sent_bytes) = match sender {
        End::Udp(end) => end.sent(),
        End::Sctp(_) => Default::default(),
    };
    PathResult {
        state: PathState::Active,
        sent_packets,
        sent_bytes,
        app_limited: now.since(Time::ZERO),
        ..empty_path(name)
    }
}

fn empty_path(name: String) -> PathResult {
    PathResult {
        name,
        state: PathState::Unconfirmed,
        sent_packets: 0,
        sent_bytes: Default::default(),
        retransmitted_chunks: 0,
        lost_packets: 0,
        fast_retransmits: 0,
        timeouts: 0,
        suspicions: 0,
        mean_cwnd_bytes: 0.0,
        mean_rtt_s: None,
        goodput_bps: 0.0,
        app_limited: Duration::ZERO,
        cwnd_limited: Duration::ZERO,
        rwnd_limited: Duration::ZERO,
        scheduler_limited: Duration::ZERO,
        down: Duration::ZERO,
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
