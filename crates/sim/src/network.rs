//! The network of one run: links, the pairs of ends of flows, and who is to be woken when. It knows how packets get from
//! one to the next; what a link or an end does with them is its own business.

use std::collections::VecDeque;

use anabranch_base::{Machine, Time};
use anabranch_link::{Backlog, Change, Fate, Link, LossCause, Packet};

use crate::agenda::{Agenda, NodeIndex};
use crate::host::{Delivered, End, Inbound, Outbound, SctpEnd, round_of};
use crate::load::{Boxes, Carried, Load, Routes};
use crate::measure::Meter;
use crate::observe::{DeliverySeen, Host, Observation, PacketSeen, QueueSeen, Seen, Step, Watch};

/// Links, ends, and what moves between them.
#[derive(Debug)]
pub struct Network {
    /// The link `l`'s way there at `2 l`, its way back at `2 l + 1`.
    links: Vec<Link<Carried>>,
    /// The pair `p`'s end at the first host at `2 p`, that at the second at `2 p + 1`.
    ends: Vec<End>,
    /// What the flow `f`'s application received at the first host at `2 f`, at the second at `2 f + 1`; `None` where it
    /// only sends.
    meters: Vec<Option<Meter>>,
    routes: Routes,
    agenda: Agenda,
    /// Packets that are between two nodes now.
    moving: VecDeque<Packet<Carried>>,
    boxes: Boxes,
    crossings: u64,
    sent: u64,
    lost: Vec<Vec<u64>>,
    watch: Watch,
    seen: Vec<Observation>,
    backlogs: Vec<Backlog>,
}

impl Network {
    /// A network at rest.
    pub fn new(
        links: Vec<Link<Carried>>,
        ends: Vec<End>,
        meters: Vec<Option<Meter>>,
        routes: Routes,
        watch: Watch,
    ) -> Network {
        let mut network = Network {
            agenda: Agenda::new(links.len() + ends.len()),
            lost: ends.iter().enumerate().map(|(end, _)| vec![0; routes.paths(end / 2).len()]).collect(),
            backlogs: vec![Backlog::default(); links.len()],
            links,
            ends,
            meters,
            routes,
            moving: VecDeque::new(),
            boxes: Boxes::default(),
            crossings: 0,
            sent: 0,
            watch,
            seen: Vec::new(),
        };
        network.ends.iter_mut().for_each(|end| end.watch(watch));
        network
    }

    /// When something happens next.
    pub fn next(&self) -> Option<Time> {
        self.agenda.next()
    }

    /// Wakes the next node, and lets everything happen that follows from it at once.
    pub fn step(&mut self) {
        let Some((now, node)) = self.agenda.take() else { return };
        match self.place(node) {
            Place::Link(link) => {
                self.links[link].handle_timeout(now);
                self.drain_link(now, link);
            }
            Place::End(end) => {
                self.ends[end].handle_timeout(now);
                self.drain_end(now, end);
            }
        }
        self.settle(now);
    }

    /// Something happens to a direction of a link: that of packets from this host.
    pub fn change(&mut self, now: Time, link: usize, from: Host, change: Change) {
        let link = 2 * link + side(from);
        self.links[link].change(now, change);
        self.drain_link(now, link);
        self.settle(now);
    }

    /// A flow begins.
    pub fn start(&mut self, now: Time, flow: usize, opening: Opening) {
        for pair in self.routes.pairs(flow) {
            let ends = &mut self.ends[2 * pair..2 * pair + 2];
            match (ends, opening) {
                ([End::Sctp(first), _], Opening::Handshake) => first.connect(now),
                ([End::Sctp(first), End::Sctp(second)], Opening::Joined) => SctpEnd::join(now, first, second),
                _ => {}
            }
            self.drain_end(now, 2 * pair);
            self.drain_end(now, 2 * pair + 1);
            self.settle(now);
        }
    }

    /// Which pairs and paths a flow has.
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// The end of a pair at a host.
    pub fn end(&self, pair: usize, host: Host) -> &End {
        &self.ends[2 * pair + side(host)]
    }

    /// What a flow's application at a host received; `None` where it only sends.
    pub fn meter(&self, flow: usize, host: Host) -> Option<&Meter> {
        self.meters[2 * flow + side(host)].as_ref()
    }

    /// Whether nothing more will come of a flow.
    pub fn has_failed(&self, flow: usize) -> bool {
        self.routes.pairs(flow).all(|pair| self.ends[2 * pair..2 * pair + 2].iter().any(End::has_failed))
    }

    /// A direction of a link: that of packets from this host.
    pub fn link_mut(&mut self, link: usize, from: Host) -> &mut Link<Carried> {
        &mut self.links[2 * link + side(from)]
    }

    /// Link crossings so far, both ways.
    pub fn crossings(&self) -> u64 {
        self.crossings
    }

    /// Packets that left hosts so far.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Packets of a pair from this host that were lost on the pair's `path`.
    pub fn lost(&self, pair: usize, from: Host, path: usize) -> u64 {
        self.lost[2 * pair + side(from)][path]
    }

    /// What was seen since the last call.
    pub fn take_observations(&mut self) -> Vec<Observation> {
        std::mem::take(&mut self.seen)
    }

    /// Moves packets on until all are on a link or at their end.
    fn settle(&mut self, now: Time) {
        while let Some(packet) = self.moving.pop_front() {
            match self.routes.next_hop(&packet.load) {
                Some(link) => {
                    self.links[link].handle(now, packet);
                    self.drain_link(now, link);
                }
                None => self.arrive(now, packet),
            }
        }
    }

    fn arrive(&mut self, now: Time, packet: Packet<Carried>) {
        if self.watch.packets {
            let delay = now.since(packet.load.sent);
            self.see_packet(now, &packet, Step::Arrived { delay });
        }
        let load = packet.load;
        let end = 2 * load.pair as usize + side(load.from.other());
        let path = usize::from(load.path);
        let inbound = Inbound {
            path,
            sent: load.sent,
            is_damaged: load.is_damaged,
            is_duplicate: load.is_duplicate,
            bytes: self.boxes.unpack(load),
        };
        self.ends[end].handle(now, inbound);
        self.drain_end(now, end);
    }

    fn drain_link(&mut self, now: Time, link: usize) {
        while let Some(fate) = self.links[link].poll(now) {
            match fate {
                Fate::Arrived { mut packet, is_duplicate, damage } => {
                    self.crossings += 1;
                    packet.load.hop += 1;
                    packet.load.is_duplicate |= is_duplicate;
                    if let Some(damage) = damage {
                        packet.load.suffer(damage);
                    }
                    self.moving.push_back(packet);
                }
                Fate::Lost { at, packet, cause } => self.lose(at, packet, link, cause),
            }
        }
        if let Some(at) = self.links[link].poll_timeout() {
            self.agenda.arm(link as NodeIndex, at);
        }
        if self.watch.queues {
            self.see_queue(now, link);
        }
    }

    fn drain_end(&mut self, now: Time, end: usize) {
        while let Some(outbound) = self.ends[end].poll(now) {
            self.send(now, end, outbound);
        }
        if let Some(at) = self.ends[end].poll_timeout() {
            self.agenda.arm((self.links.len() + end) as NodeIndex, at.max(now));
        }
        self.count_deliveries(now, end);
        if self.watch.paths {
            let (pair, host) = (end / 2, host_of(end));
            if let End::Sctp(sctp) = &mut self.ends[end] {
                let changed = sctp.take_changed_paths().into_iter();
                let seen = |sample| Seen::Path(self.routes.path_seen(pair, host, sample));
                self.seen.extend(changed.map(|sample| Observation { at: now, what: seen(sample) }));
            }
        }
    }

    fn send(&mut self, now: Time, end: usize, outbound: Outbound) {
        self.sent += 1;
        let packet = Packet {
            size: outbound.size,
            round: round_of(end, &outbound),
            marking: anabranch_link::Marking::NotCapable,
            may_fragment: outbound.may_fragment,
            load: self.boxes.pack(Load::new(now, end / 2, host_of(end), outbound)),
        };
        if self.watch.packets {
            self.see_packet(now, &packet, Step::Sent);
        }
        self.moving.push_back(packet);
    }

    fn lose(&mut self, at: Time, packet: Packet<Carried>, link: usize, cause: LossCause) {
        let load = &packet.load;
        let end = 2 * load.pair as usize + side(load.from);
        self.lost[end][usize::from(load.path)] += 1;
        if self.watch.packets {
            self.see_packet(at, &packet, Step::Lost { link: link / 2, cause });
        }
        self.boxes.unpack(packet.load);
    }

    fn see_packet(&mut self, at: Time, packet: &Packet<Carried>, step: Step) {
        let load = &packet.load;
        let pair = load.pair as usize;
        let seen = PacketSeen {
            flow: self.routes.flow(pair),
            path: self.routes.paths(pair)[usize::from(load.path)],
            from: load.from,
            step,
            size: packet.size,
            bytes: load.bytes.clone(),
            retransmission: load.retransmission,
        };
        self.seen.push(Observation { at, what: Seen::Packet(seen) });
    }

    fn see_queue(&mut self, now: Time, link: usize) {
        let backlog = self.links[link].backlog(now);
        if std::mem::replace(&mut self.backlogs[link], backlog) != backlog {
            let seen = QueueSeen { link: link / 2, from: host_of(link), backlog };
            self.seen.push(Observation { at: now, what: Seen::Queue(seen) });
        }
    }

    /// Not a part of its callers, which run for every packet: they are slower with it inside.
    #[inline(never)]
    fn count_deliveries(&mut self, now: Time, end: usize) {
        let (flow, host) = (self.routes.flow(end / 2), host_of(end));
        let Some(meter) = &mut self.meters[2 * flow + side(host)] else { return };
        let end = &mut self.ends[end];
        meter.on_held(end.held());
        let deliveries = end.deliveries();
        if deliveries.is_empty() {
            return;
        }
        for Delivered { bytes, delay } in deliveries.drain(..) {
            let Some(bytes) = meter.wanted(bytes) else { continue };
            meter.on_delivery(now, bytes, delay);
            if self.watch.deliveries {
                let seen = DeliverySeen { flow, from: host.other(), bytes, delay };
                self.seen.push(Observation { at: now, what: Seen::Delivery(seen) });
            }
        }
        let pairs = self.routes.pairs(flow);
        if pairs.len() > 1 && meter.is_complete() {
            // Each association still has data that no one wants: it must not load the links of others.
            self.ends[2 * pairs.start..2 * pairs.end].iter_mut().for_each(End::fall_silent);
        }
    }

    fn place(&self, node: NodeIndex) -> Place {
        let node = node as usize;
        match node.checked_sub(self.links.len()) {
            None => Place::Link(node),
            Some(end) => Place::End(end),
        }
    }
}

/// What a node's number stands for.
enum Place {
    Link(usize),
    End(usize),
}

/// How a flow's association opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// By packets.
    Handshake,
    /// At once.
    Joined,
}

fn side(host: Host) -> usize {
    match host {
        Host::First => 0,
        Host::Second => 1,
    }
}

fn host_of(index: usize) -> Host {
    if index.is_multiple_of(2) { Host::First } else { Host::Second }
}
