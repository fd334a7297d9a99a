//! The network of one run: the links between hosts, the pairs of ends of flows, and when each of them is woken.

use std::any::Any;

use anabranch_base::{ByteCount, Time};
use anabranch_link::fabric::FabricEvent;
use anabranch_link::{Agenda, Change, Fabric, Link, LossCause, NodeIndex, Packet, Way};

use anabranch_wireless::Mesh;

use crate::host::{Delivered, Inbound, Outbound, Transport};
use crate::load::{Boxes, Carried, Load, Routes};
use crate::measure::Meter;
use crate::observe::{
    DeliverySeen, FrameEvent, FramePacket, Host, LossSite, MeshEvent, Observation, PacketSeen, QueueSeen,
    QueueView, Seen, Step, WaitSeen, Watch,
};
use crate::radio::{node_of, station};

/// Links, ends, and the packets between them.
#[derive(Debug)]
pub(crate) struct Network {
    fabric: Fabric<Carried>,
    /// The end of pair `p` at the first host is at `2 p`, that at the second host at `2 p + 1`.
    ends: Vec<Box<dyn Transport>>,
    /// The meter of flow `f` at the first host is at `2 f`, that at the second host at `2 f + 1`; `None` if the
    /// application there only sends.
    meters: Vec<Option<Meter>>,
    routes: Routes,
    /// The fabric's nodes, followed by the ends.
    agenda: Agenda,
    boxes: Boxes,
    sent: u64,
    /// The bytes that each end sent after the warm-up, including all headers.
    wire_bytes: Vec<ByteCount>,
    warmup: Time,
    lost: Vec<Vec<u64>>,
    watch: Watch,
    seen: Vec<Observation>,
    /// The queue of each link at the last look: forward, and reverse.
    queues: Vec<[QueueView; 2]>,
}

impl Network {
    /// A network before its first event.
    pub(crate) fn new(
        mut fabric: Fabric<Carried>,
        ends: Vec<Box<dyn Transport>>,
        meters: Vec<Option<Meter>>,
        routes: Routes,
        watch: Watch,
    ) -> Network {
        if watch.queues || watch.waits {
            fabric.tell_work();
        }
        if watch.waits {
            fabric.record_waits();
        }
        if watch.frames {
            meshes(&mut fabric).for_each(Mesh::watch);
        }
        let mut network = Network {
            agenda: Agenda::new(fabric.nodes() + ends.len()),
            lost: ends.iter().enumerate().map(|(end, _)| vec![0; routes.paths(end / 2).len()]).collect(),
            queues: vec![Default::default(); fabric.links()],
            wire_bytes: vec![ByteCount::ZERO; ends.len()],
            warmup: Time::ZERO,
            fabric,
            ends,
            meters,
            routes,
            boxes: Boxes::default(),
            sent: 0,
            watch,
            seen: Vec::new(),
        };
        if watch.paths {
            network.ends.iter_mut().for_each(|end| end.watch_paths());
        }
        network
    }

    /// Packets that leave hosts before `warmup` do not count in [`wire_bytes`](Network::wire_bytes).
    pub(crate) fn set_warmup(&mut self, warmup: Time) {
        self.warmup = warmup;
    }

    /// The time of the next event.
    pub(crate) fn next(&self) -> Option<Time> {
        self.agenda.next()
    }

    /// Wakes the next node if it is due at `until` or earlier, and handles everything that follows from it at once. Returns
    /// the time.
    #[inline]
    pub(crate) fn step_until(&mut self, until: Time) -> Option<Time> {
        let (now, node) = self.agenda.take_until(until)?;
        match self.place(node) {
            Place::Fabric => self.fabric.wake(now, node),
            Place::End(end) => {
                self.ends[end].handle_timeout(now);
                self.drain_end(now, end);
            }
        }
        self.settle(now);
        Some(now)
    }

    /// Applies `change` to the direction of a link that carries packets from host `from`.
    pub(crate) fn change(&mut self, now: Time, link: usize, from: Host, change: Change) {
        self.fabric.change(now, link, direction(from), change);
        self.settle(now);
    }

    /// The station of a node disappears, on all its radios.
    pub(crate) fn vanish(&mut self, now: Time, node: usize) {
        self.each_mesh(now, |mesh| mesh.vanish(now, station(node)));
    }

    /// The station of a node is there again, on all its radios.
    pub(crate) fn come_back(&mut self, now: Time, node: usize) {
        self.each_mesh(now, |mesh| mesh.come_back(now, station(node)));
    }

    fn each_mesh(&mut self, now: Time, change: impl Fn(&mut Mesh<Carried>)) {
        let first = node_of(self.fabric.links(), 0) as usize;
        for place in first..self.fabric.nodes() {
            self.fabric.change_medium(place as NodeIndex, &change);
            self.settle(now);
        }
    }

    /// Starts a flow.
    pub(crate) fn start(&mut self, now: Time, flow: usize, opening: Opening) {
        for pair in self.routes.pairs(flow) {
            if let [first, second] = &mut self.ends[2 * pair..2 * pair + 2] {
                match opening {
                    Opening::Handshake => first.open(now),
                    Opening::Joined => first.join(now, &mut **second),
                }
            }
            self.drain_end(now, 2 * pair);
            self.drain_end(now, 2 * pair + 1);
            self.settle(now);
        }
    }

    /// The pairs and paths of the flows.
    pub(crate) fn routes(&self) -> &Routes {
        &self.routes
    }

    /// The end of a pair at a host.
    pub(crate) fn end(&self, pair: usize, host: Host) -> &dyn Transport {
        &*self.ends[2 * pair + side(host)]
    }

    /// Like [`end`](Network::end), mutable, for tests that examine an end.
    #[cfg(test)]
    pub(crate) fn end_mut(&mut self, pair: usize, host: Host) -> &mut dyn Transport {
        &mut *self.ends[2 * pair + side(host)]
    }

    /// The meter of a flow's application at a host; `None` if the application only sends.
    pub(crate) fn meter(&self, flow: usize, host: Host) -> Option<&Meter> {
        self.meters[2 * flow + side(host)].as_ref()
    }

    /// Returns true if a flow has failed, so that it delivers nothing more.
    pub(crate) fn has_failed(&self, flow: usize) -> bool {
        self.routes
            .pairs(flow)
            .all(|pair| self.ends[2 * pair..2 * pair + 2].iter().any(|end| end.failure().is_some()))
    }

    /// The direction of a link that carries packets from host `from`.
    pub(crate) fn link_mut(&mut self, link: usize, from: Host) -> &mut Link<Carried> {
        self.fabric.link_mut(link, direction(from))
    }

    /// The mesh of a radio.
    pub(crate) fn mesh(&mut self, radio: usize) -> Option<&mut Mesh<Carried>> {
        let node = node_of(self.fabric.links(), radio);
        self.fabric.medium_as(node)
    }

    /// Link crossings so far, in both directions.
    pub(crate) fn crossings(&self) -> u64 {
        self.fabric.crossings()
    }

    /// Packets that left hosts so far.
    pub(crate) fn sent(&self) -> u64 {
        self.sent
    }

    /// The bytes that the end of a pair at this host sent after the warm-up, including all headers.
    pub(crate) fn wire_bytes(&self, pair: usize, from: Host) -> ByteCount {
        self.wire_bytes[2 * pair + side(from)]
    }

    /// Packets of a pair from this host that were lost on the pair's `path`.
    pub(crate) fn lost(&self, pair: usize, from: Host, path: usize) -> u64 {
        self.lost[2 * pair + side(from)][path]
    }

    /// The observations since the last call.
    pub(crate) fn take_observations(&mut self) -> Vec<Observation> {
        std::mem::take(&mut self.seen)
    }

    /// Moves packets on until all are on a link or at their end.
    fn settle(&mut self, now: Time) {
        while let Some(news) = self.fabric.poll(now, &mut self.agenda) {
            match news {
                FabricEvent::Arrived(packet) => self.arrive(now, packet),
                FabricEvent::Lost { at, node, packet, cause } => self.lose(at, packet, node, cause),
                FabricEvent::Worked { link, direction } => self.see_work(now, link, direction),
            }
        }
        if self.watch.frames {
            self.see_frames();
        }
    }

    /// Where a packet is lost at this node of the fabric: its links come first, two nodes each.
    fn site_of(&self, node: NodeIndex) -> LossSite {
        match (node as usize).checked_sub(2 * self.fabric.links()) {
            None => LossSite::Link(node as usize / 2),
            Some(radio) => LossSite::Radio(radio),
        }
    }

    fn arrive(&mut self, now: Time, packet: Packet<Carried>) {
        if self.watch.packets {
            let delay = now.since(packet.load.sent);
            self.see_packet(now, &packet, Step::Arrived { delay });
        }
        let Packet { ecn, load, .. } = packet;
        let end = 2 * load.pair as usize + side(load.from.other());
        let path = usize::from(load.path);
        let inbound = Inbound {
            path,
            ecn,
            sent: load.sent,
            is_damaged: load.is_damaged,
            is_duplicate: load.is_duplicate,
            bytes: self.boxes.unpack(load),
        };
        self.ends[end].handle(now, inbound);
        self.drain_end(now, end);
    }

    fn drain_end(&mut self, now: Time, end: usize) {
        while let Some(outbound) = self.ends[end].poll(now) {
            self.send(now, end, outbound);
        }
        if let Some(at) = self.ends[end].poll_timeout() {
            self.agenda.arm((self.fabric.nodes() + end) as NodeIndex, at.max(now));
        }
        self.count_deliveries(now, end);
        if self.watch.paths {
            let (pair, host) = (end / 2, host_of(end));
            for (path, view) in self.ends[end].take_changed_paths() {
                let what = Seen::Path(self.routes.path_seen(pair, host, path, view));
                self.seen.push(Observation { at: now, what });
            }
        }
    }

    fn send(&mut self, now: Time, end: usize, outbound: Outbound) {
        self.sent += 1;
        if now >= self.warmup {
            self.wire_bytes[end] += outbound.size;
        }
        let (pair, from) = (end / 2, host_of(end));
        let packet = Packet {
            size: outbound.size,
            ecn: outbound.ecn,
            may_fragment: outbound.may_fragment,
            passed: 0,
            route: self.routes.route(pair, from, outbound.path),
            load: self.boxes.pack(Load::new(now, pair, from, outbound, self.routes.shows_chunks(pair))),
        };
        if self.watch.packets {
            self.see_packet(now, &packet, Step::Sent);
        }
        self.fabric.send(packet);
    }

    fn lose(&mut self, at: Time, packet: Packet<Carried>, node: NodeIndex, cause: LossCause) {
        let load = &packet.load;
        let end = 2 * load.pair as usize + side(load.from);
        self.lost[end][usize::from(load.path)] += 1;
        if self.watch.packets {
            let site = self.site_of(node);
            self.see_packet(at, &packet, Step::Lost { site, cause });
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
            ecn: packet.ecn,
            bytes: load.bytes.clone(),
            retransmission: load.retransmission,
        };
        self.seen.push(Observation { at, what: Seen::Packet(seen) });
    }

    fn see_work(&mut self, now: Time, link: usize, direction: Way) {
        if self.watch.queues {
            self.see_queue(now, link, direction);
        }
        if self.watch.waits {
            let from = match direction {
                Way::Forward => Host::First,
                Way::Reverse => Host::Second,
            };
            let waits = self.fabric.link_mut(link, direction).take_waits().into_iter();
            let seen = |waited| Observation { at: now, what: Seen::Wait(WaitSeen { link, from, waited }) };
            self.seen.extend(waits.map(seen));
        }
    }

    fn see_queue(&mut self, now: Time, link: usize, direction: Way) {
        let queue = self.fabric.link_mut(link, direction);
        let backlog = queue.backlog(now);
        let view = QueueView { backlog, average: queue.average_queue(), marked: queue.counters().marked };
        let from = match direction {
            Way::Forward => Host::First,
            Way::Reverse => Host::Second,
        };
        if std::mem::replace(&mut self.queues[link][side(from)], view) != view {
            let seen = QueueSeen { link, from, view };
            self.seen.push(Observation { at: now, what: Seen::Queue(seen) });
        }
    }

    /// Frames and routing, in order of time. Not inlined: it stands beside what runs for every packet.
    #[inline(never)]
    fn see_frames(&mut self) {
        let routes = &self.routes;
        let packet = |packet: Packet<Carried>| {
            let load = &packet.load;
            let pair = load.pair as usize;
            let path = routes.paths(pair)[usize::from(load.path)];
            FramePacket { flow: routes.flow(pair), path, from: load.from, bytes: load.bytes.clone() }
        };
        let first = self.seen.len();
        for (radio, mesh) in meshes(&mut self.fabric).enumerate() {
            let see = |at, event| Observation { at, what: Seen::Frame(FrameEvent { radio, event }) };
            let frames = mesh.take_captured().into_iter();
            self.seen.extend(
                frames.map(|(seen, carried)| see(seen.end, MeshEvent::Frame(seen, carried.map(packet)))),
            );
            let routing = mesh.take_routing().into_iter();
            self.seen.extend(routing.map(|event| see(event.at(), MeshEvent::Routing(event))));
        }
        self.seen[first..].sort_by_key(|seen| seen.at);
    }

    /// Not inlined: its callers run for every packet, and are slower with it inside.
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
            // Each association still has data that is not needed: it must not load the links of others.
            self.ends[2 * pairs.start..2 * pairs.end].iter_mut().for_each(|end| end.fall_silent());
        }
    }

    fn place(&self, node: NodeIndex) -> Place {
        match (node as usize).checked_sub(self.fabric.nodes()) {
            None => Place::Fabric,
            Some(end) => Place::End(end),
        }
    }
}

/// The meaning of a node's number.
enum Place {
    Fabric,
    End(usize),
}

/// The opening of a flow's association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// With packets.
    Handshake,
    /// Without packets.
    Joined,
}

/// The meshes of a network, in the order of its radios.
fn meshes(fabric: &mut Fabric<Carried>) -> impl Iterator<Item = &mut Mesh<Carried>> {
    fabric.media_mut().filter_map(|medium| (medium as &mut dyn Any).downcast_mut())
}

fn side(host: Host) -> usize {
    match host {
        Host::First => 0,
        Host::Second => 1,
    }
}

/// The direction of packets from host `from`.
pub(crate) fn direction(from: Host) -> Way {
    match from {
        Host::First => Way::Forward,
        Host::Second => Way::Reverse,
    }
}

fn host_of(index: usize) -> Host {
    if index.is_multiple_of(2) { Host::First } else { Host::Second }
}
