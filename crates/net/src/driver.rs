//! The task that moves datagrams between the sockets and the core, and calls the core when its timers expire.

use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Poll, Waker};

use anabranch_base::{Duration, Time};
use anabranch_sctp::association::{Association, AssociationState, Ecn, PathAddresses};
use anabranch_sctp::endpoint::{AssociationId, ChannelUse, Departure, Endpoint};
use anabranch_sctp::policy::PathSample;
use tokio::time::Sleep;

use crate::address_tracker::AddressTracker;
use crate::address_tracking::SocketChange;
use crate::clock::Clock;
use crate::inbox::Inbox;
use crate::links::{Carried, LinkId, Links};
use crate::outbox::{PacketHeader, Packets};
use crate::port::{Port, push};
use crate::report::{SocketReport, SocketReports, Unsent};
use crate::seal::{Client, Sealing};
use crate::shared::{Core, Shared};
use crate::socket::{ReceiveBuffers, Socket};

/// Drives one endpoint over its sockets until no handle and no association needs it.
#[derive(Debug)]
pub(crate) struct Driver {
    shared: Arc<Shared>,
    clock: Clock,
    ports: Vec<Port>,
    /// Determines which sockets to open and close; `None` without address tracking.
    tracker: Option<AddressTracker>,
    /// The index of the socket read first, which rotates.
    first: usize,
    buffers: ReceiveBuffers,
    inbox: Inbox,
    /// The sealing between the core and the network; `None` if packets are plain.
    sealing: Option<Sealing>,
    /// The memory into which the core writes packets.
    desk: Desk,
    timer: Pin<Box<Sleep>>,
    is_timer_set: bool,
}

impl Driver {
    /// A driver for `sockets` on their links. [`run`](Driver::run) starts it.
    pub(crate) fn new(
        shared: Arc<Shared>,
        clock: Clock,
        sockets: Vec<(Socket, Option<LinkId>)>,
        tracker: Option<AddressTracker>,
        sealing: Option<Sealing>,
    ) -> Driver {
        Driver {
            shared,
            clock,
            ports: sockets
                .into_iter()
                .map(|(socket, link)| Port::new(socket, link, Unsent::default()))
                .collect(),
            tracker,
            first: 0,
            buffers: ReceiveBuffers::new(),
            inbox: Inbox::default(),
            sealing,
            desk: Desk::default(),
            timer: Box::pin(tokio::time::sleep_until(clock.instant(Time::ZERO))),
            is_timer_set: false,
        }
    }

    /// Drives the endpoint until all handles are dropped and everything is closed.
    pub(crate) async fn run(mut self) {
        loop {
            self.update_sockets();
            self.receive();
            if self.ports.iter().any(|port| port.allowance.is_some()) {
                // Arrivals may have used up a link's limit: then acknowledgements must not cause more traffic on it.
                self.charge_links();
            }
            self.advance();
            self.flush();
            if self.charge_links() {
                // Informs the peers immediately.
                self.advance();
                self.flush();
            }
            if self.tell_handles() {
                return;
            }
            if self.ports.iter().any(|port| port.is_readable || !port.refused.is_empty()) {
                // More datagrams wait, but other tasks must run too, such as those that read messages.
                tokio::task::yield_now().await;
            } else {
                self.wait().await;
            }
        }
    }

    /// Opens and closes sockets as addresses of the machine appear and vanish.
    fn update_sockets(&mut self) {
        let Driver { shared, ports, tracker, .. } = self;
        let Some(tracker) = tracker else { return };
        for change in tracker.changes() {
            let mut core = shared.lock();
            let now = core.tick();
            match change {
                SocketChange::Remove(address) => {
                    if !ports.iter().any(|port| port.is_barred && port.socket.address() == address) {
                        core.endpoint.remove_local(now, address);
                    }
                    // A wildcard socket stays: it has other addresses.
                    if let Some(index) = ports.iter().position(|port| port.socket.address() == address) {
                        core.sockets.on_closed(index, ports.remove(index).close());
                    }
                }
                SocketChange::Open(address) => {
                    let link = core.sockets.links.join(address.ip, Some(&address.interface));
                    if link.is_some_and(|link| core.sockets.links.is_used_up(link)) {
                        continue;
                    }
                    let Some(socket) = tracker.open(address) else { continue };
                    let unsent = core.sockets.on_opened(SocketReport::of(&socket));
                    let role = core.sockets.links.role(link);
                    core.endpoint.set_role(now, socket.address(), role);
                    core.endpoint.add_local(now, socket.address());
                    ports.push(Port::new(socket, link, unsent));
                }
                SocketChange::Present(address) => core.endpoint.return_local(now, address),
                SocketChange::Replaced { lost, by } => core.endpoint.replace_local(now, lost, by),
            }
        }
    }

    /// Reads one batch from each socket that may be readable.
    fn receive(&mut self) {
        let count = self.ports.len();
        self.first = (self.first + 1) % count.max(1);
        for offset in 0..count {
            let port = &mut self.ports[(self.first + offset) % count];
            if port.is_readable {
                let sealing = self.sealing.as_mut();
                port.is_readable = port.receive(&mut self.buffers, &mut self.inbox, sealing);
            }
        }
    }

    /// Passes arrivals and the time to the core, and collects its packets: after each datagram, or after all of them
    /// if the core may answer them together.
    fn advance(&mut self) {
        let Driver { shared, ports, inbox, sealing, desk, .. } = self;
        let mut core = shared.lock();
        core.take_changes();
        let now = core.tick();
        let Core { endpoint, sockets, openers, .. } = &mut *core;
        ports.iter_mut().for_each(|port| port.tell_refused(endpoint, now));
        let mut exit = Exit { ports, sockets, openers, sealing: sealing.as_mut(), desk };
        exit.collect(endpoint, now);
        inbox.drain(|received, train| {
            if let Some(remote) = received.moved_from {
                let path = PathAddresses { local: train.local, remote };
                endpoint.follow(now, train.channel, path, train.remote);
            }
            endpoint.handle_train(now, train, |endpoint| exit.collect(endpoint, now));
        });
        for channel in inbox.forgotten.drain(..) {
            endpoint.on_peer_restarted(channel);
        }
        exit.collect(endpoint, now);
        if endpoint.poll_timeout().is_some_and(|due| due <= now) {
            endpoint.handle_timeout(now);
            exit.collect(endpoint, now);
        }
    }

    /// Sends queued packets, as far as the sockets accept them.
    fn flush(&mut self) {
        for port in &mut self.ports {
            port.flush();
        }
    }

    /// Counts the traffic of the links, and removes from the associations the addresses of those whose limit is
    /// reached, so that the peers stop sending there. Returns true if there were any.
    fn charge_links(&mut self) -> bool {
        if self.ports.iter().all(|port| port.carried == Carried::default()) {
            return false;
        }
        let mut core = self.shared.lock();
        for port in &mut self.ports {
            let carried = std::mem::take(&mut port.carried);
            if let Some(link) = port.link {
                core.sockets.links.charge(link, carried);
                if port.is_spent {
                    core.sockets.links.spend(link);
                }
            }
        }
        let Core { endpoint, sockets, .. } = &mut *core;
        for port in &self.ports {
            if let Some(link) = port.link.filter(|link| sockets.links.is_limited(*link)) {
                sockets.links.on_round_trip(link, longest_round_trip(endpoint, port.socket.address()));
            }
        }
        let now = core.tick();
        let used_up = core.sockets.links.used_up(now);
        for port in &mut self.ports {
            if port.link.is_some_and(|link| used_up.contains(&link)) {
                port.is_barred = true;
                core.endpoint.remove_local(now, port.socket.address());
            }
        }
        share_allowances(&mut self.ports, &core.sockets.links);
        !used_up.is_empty()
    }

    /// Informs the handles of events. This comes last: on the end of an association a program may exit, and the last
    /// packet must have been sent before. Returns true when the driver is no longer needed.
    fn tell_handles(&mut self) -> bool {
        let mut core = self.shared.lock();
        for (report, port) in core.sockets.open.iter_mut().zip(&self.ports) {
            if report.unsent != port.unsent {
                report.unsent.clone_from(&port.unsent);
            }
            report.is_busy = port.outbox.has_more_than(MOST_BEFORE_TESTS);
        }
        let is_connecting = core.is_connecting();
        for port in &mut self.ports {
            port.report_errors(is_connecting);
            port.undelivered.drain(..).for_each(|news| core.undelivered.add(news));
        }
        if core.unreadable_peers.all() != self.inbox.unreadable_peers.all() {
            core.unreadable_peers = self.inbox.unreadable_peers.clone();
        }
        core.set_flushed(self.ports.iter().all(|port| port.outbox.is_empty()));
        let now = core.latest();
        if core.tell_handles(now, &self.shared.accepted) {
            self.shared.wake.notify_one();
        }
        if core.is_settled() {
            self.shared.settled.notify_waiters();
        }
        let due = core.endpoint.poll_timeout();
        let is_deserted = core.is_deserted();
        let woken = core.take_woken();
        drop(core);
        woken.into_iter().for_each(Waker::wake);
        self.set_timer(due);
        is_deserted
    }

    /// Sets the timer to wake the driver no later than `due`. An earlier timer is left: nearly every packet postpones
    /// the next time-out, and almost no time-out ever expires.
    fn set_timer(&mut self, due: Option<Time>) {
        self.is_timer_set = due.is_some();
        let Some(instant) = due.map(|due| self.clock.instant(due)) else { return };
        if instant < self.timer.deadline() || self.timer.is_elapsed() {
            self.timer.as_mut().reset(instant);
        }
    }

    /// Waits for a datagram, room in a socket, a timer or a handle.
    async fn wait(&mut self) {
        let Driver { shared, ports, timer, is_timer_set, .. } = self;
        let mut wake = pin!(shared.wake.notified());
        poll_fn(|context| {
            let mut is_ready = wake.as_mut().poll(context).is_ready();
            is_ready |= *is_timer_set && timer.as_mut().poll(context).is_ready();
            for port in ports.iter_mut() {
                is_ready |= port.poll(context);
            }
            if is_ready { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

impl Drop for Driver {
    /// Runs whether the driver ended by itself or with its runtime, so that no handle waits for it any longer.
    fn drop(&mut self) {
        self.shared.on_driver_gone();
    }
}

/// The longest smoothed round trip of the paths from `local`.
fn longest_round_trip(endpoint: &Endpoint, local: SocketAddr) -> Duration {
    let associations = endpoint.associations();
    let paths = associations.flat_map(|association| {
        let here = move |path: &&PathSample| association.path_addresses(path.id).local == local;
        association.paths().iter().filter(here)
    });
    paths.filter_map(|path| path.srtt).max().unwrap_or(Duration::ZERO)
}

/// Moves packets from the core to the sockets' queues.
struct Exit<'a> {
    ports: &'a mut [Port],
    sockets: &'a mut SocketReports,
    openers: &'a mut Vec<(AssociationId, Arc<Client>)>,
    sealing: Option<&'a mut Sealing>,
    desk: &'a mut Desk,
}

/// The memory into which the core writes packets: plain ones directly into the queue that will probably send them.
#[derive(Debug, Default)]
struct Desk {
    /// The index of the port that sent packets last.
    likely: usize,
    /// The buffer for packets that are not queued unchanged.
    packets: Vec<u8>,
}

impl Exit<'_> {
    /// Moves all packets that the core sends now to the queues of their sockets.
    fn collect(&mut self, endpoint: &mut Endpoint, now: Time) {
        let mut has_opened = false;
        if let Some(sealing) = &mut self.sealing {
            while let Some(news) = endpoint.poll_channel_use() {
                has_opened |= matches!(news, ChannelUse::Taken(_));
                sealing.on_use(news);
            }
        }
        let max_segments = self.ports.iter().map(|port| port.socket.max_segments()).min().unwrap_or(1);
        while let Some(mut departure) = endpoint.poll_transmit(now, self.begin(), max_segments) {
            if has_opened {
                self.record_opener(&departure);
            }
            let association = departure.association.and_then(|id| endpoint.association(id));
            if association.is_some_and(|one| one.state() == AssociationState::CookieWait) {
                // The address pairs that INIT uses are not paths yet: the peer must not take them for one path that
                // moves.
                departure.association = None;
            }
            self.dispatch(&departure);
            if association.is_some_and(Association::is_unanswered) {
                self.probe(&departure);
            }
        }
    }

    /// Records the client on whose channel an association sends: a new one answers the packet that opened it at once.
    fn record_opener(&mut self, departure: &Departure) {
        let client = self.sealing.as_deref().and_then(|sealing| sealing.client(departure.channel));
        if let (Some(id), Some(client)) = (departure.association, client) {
            self.openers.push((id, client.clone()));
        }
    }

    /// The buffer for the core's next packets.
    fn begin(&mut self) -> &mut Vec<u8> {
        match self.ports.get_mut(self.desk.likely) {
            Some(port) if self.sealing.is_none() => port.outbox.tail(),
            _ => {
                self.desk.packets.clear();
                &mut self.desk.packets
            }
        }
    }

    /// Adds the packets that the core has written to the queue of their socket.
    fn dispatch(&mut self, departure: &Departure) {
        let Departure { local, remote, transmit, .. } = *departure;
        let is_for = |port: &Port| port.socket.is_for(local);
        let likely = self.desk.likely;
        let is_likely = self.ports.get(likely).is_some_and(is_for);
        let found = if is_likely { Some(likely) } else { self.ports.iter().position(is_for) };
        let Some(index) = found else {
            let count = transmit.len.div_ceil(transmit.segment_size.max(1)) as u64;
            return self.sockets.add_unsent(local, count, format!("to {remote}: {}", gone(local)));
        };
        if !is_likely
            && self.sealing.is_none()
            && let Some(other) = self.ports.get(likely)
        {
            self.desk.packets.clear();
            self.desk.packets.extend_from_slice(other.outbox.written());
        }
        self.desk.likely = index;
        let port = &mut self.ports[index];
        let envelope = PacketHeader {
            remote,
            source: port.socket.source(local),
            ecn: transmit.ecn,
            may_fragment: transmit.may_fragment,
        };
        let segment_size = transmit.segment_size;
        let packets = Packets { envelope, segment_size, bytes: &self.desk.packets };
        match self.sealing.as_deref_mut() {
            None if is_likely => port.take(envelope, segment_size),
            None => push(&mut port.outbox, &mut port.unsent, packets),
            Some(sealing) => port.seal(sealing, departure, packets),
        }
    }

    /// Sends a session probe along with a packet that may remain unanswered.
    fn probe(&mut self, departure: &Departure) {
        let Departure { local, remote, channel, .. } = *departure;
        let Some(sealing) = self.sealing.as_deref_mut() else { return };
        let Some(port) = self.ports.iter_mut().find(|port| port.socket.is_for(local)) else { return };
        let mut bytes = Vec::new();
        if sealing.probe(channel, &mut bytes).is_some() {
            let (source, ecn) = (port.socket.source(local), Ecn::NotEct);
            let envelope = PacketHeader { remote, source, ecn, may_fragment: false };
            let packets = Packets { envelope, segment_size: bytes.len(), bytes: &bytes };
            push(&mut port.outbox, &mut port.unsent, packets);
        }
    }
}

/// Divides the remaining allowance of each limited link among its ports.
fn share_allowances(ports: &mut [Port], links: &Links) {
    for index in 0..ports.len() {
        let Some(link) = ports[index].link else { continue };
        let sharing = ports.iter().filter(|port| port.link == Some(link)).count() as u64;
        ports[index].allowance = links.allowance(link).map(|all| all / sharing);
    }
}

/// The packets that may wait for a socket before test packets are refused, whose waiting would be measured.
const MOST_BEFORE_TESTS: u64 = 64;

fn gone(address: SocketAddr) -> String {
    format!("{} is no longer an address of this machine", address.ip())
}
