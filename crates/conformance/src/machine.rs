//! The machine under test: an endpoint of the protocol core under a virtual clock. The packets that leave it wait until
//! the script expects them.

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};

use anabranch_base::{ByteCount, Ecn, Seed, Time};
use anabranch_sctp::association::{Association, Message, PathAddresses, Routes};
use anabranch_sctp::config::Config;
use anabranch_sctp::endpoint::{Arrival, AssociationId, Channel, Endpoint, EndpointConfig};
use anabranch_sctp::event::Event;
use bytes::Bytes;

/// A packet that left the machine.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) at: Time,
    pub(crate) local: SocketAddr,
    pub(crate) remote: SocketAddr,
    pub(crate) ecn: Ecn,
    pub(crate) bytes: Bytes,
}

/// The machine under test.
#[derive(Debug)]
pub(crate) struct Machine {
    now: Time,
    /// The settings of associations that are made from now on.
    settings: Config,
    paths: Vec<PathAddresses>,
    /// The local addresses, in their order.
    local: Vec<SocketAddr>,
    accepts: bool,
    endpoint: Option<Endpoint>,
    sent: VecDeque<Sent>,
    events: VecDeque<(AssociationId, Event)>,
    /// The timers that were handled.
    timers: usize,
}

/// The SCTP port of both ends.
pub(crate) const PORT: u16 = 8080;

/// Associations at a time.
const MAX_ASSOCIATIONS: usize = 100;

/// Timers in the time of one script: a week of heartbeats.
const MAX_TIMERS: usize = 20_000;

impl Machine {
    /// A machine with an end of each of `paths`.
    pub(crate) fn new(settings: Config, paths: Vec<PathAddresses>) -> Machine {
        let mut local: Vec<SocketAddr> = Vec::new();
        for path in &paths {
            if !local.contains(&path.local) {
                local.push(path.local);
            }
        }
        Machine {
            now: Time::ZERO,
            settings,
            paths,
            local,
            accepts: false,
            endpoint: None,
            sent: VecDeque::new(),
            events: VecDeque::new(),
            timers: 0,
        }
    }

    /// True if more timers ran than a script needs: its times are too long, or its timers too short.
    pub(crate) fn is_worn(&self) -> bool {
        self.timers >= MAX_TIMERS
    }

    pub(crate) fn now(&self) -> Time {
        self.now
    }

    pub(crate) fn settings(&self) -> &Config {
        &self.settings
    }

    /// The addresses of the path `number`.
    pub(crate) fn path(&self, number: usize) -> Option<PathAddresses> {
        self.paths.get(number).copied()
    }

    pub(crate) fn path_count(&self) -> usize {
        self.paths.len()
    }

    /// Changes the settings of associations that are made from now on.
    ///
    /// # Errors
    ///
    /// The core refuses the new ones.
    pub(crate) fn set(&mut self, change: impl FnOnce(&mut Config)) -> Result<(), String> {
        change(&mut self.settings);
        self.settings.check().map_err(|error| error.to_string())?;
        match &mut self.endpoint {
            Some(endpoint) => {
                endpoint.set_association(self.settings.clone()).map_err(|error| error.to_string())
            }
            None => Ok(()),
        }
    }

    /// INITs are accepted, or not.
    pub(crate) fn set_accepts(&mut self, accepts: bool) {
        self.accepts = accepts;
        if let Some(endpoint) = &mut self.endpoint {
            endpoint.set_accepts(accepts);
        }
    }

    /// Binds the machine to some of its addresses.
    pub(crate) fn bind(&mut self, local: Vec<SocketAddr>) {
        self.local = local;
    }

    pub(crate) fn local(&self) -> &[SocketAddr] {
        &self.local
    }

    pub(crate) fn endpoint(&mut self) -> &mut Endpoint {
        let Machine { endpoint, settings, local, accepts, .. } = self;
        endpoint.get_or_insert_with(|| {
            let config = EndpointConfig {
                association: settings.clone(),
                registry: anabranch_policies::registry(),
                port: PORT,
                accepts: *accepts,
                local: local.clone(),
                max_associations: MAX_ASSOCIATIONS,
            };
            Endpoint::new(config, Seed::from_number(1)).expect("settings that were checked")
        })
    }

    /// Opens an association with the peer at `remote`.
    pub(crate) fn connect(&mut self, remote: &[SocketAddr]) -> Result<AssociationId, String> {
        let paths: Vec<PathAddresses> = self
            .paths
            .iter()
            .filter(|path| remote.contains(&path.remote) && self.local.contains(&path.local))
            .copied()
            .collect();
        let id = self
            .endpoint()
            .connect_over(Channel::PLAIN, remote, Routes::one_by_one(&paths))
            .map_err(|error| error.to_string())?;
        self.settle();
        Ok(id)
    }

    /// The association `id`, while the endpoint has it.
    pub(crate) fn association(&self, id: AssociationId) -> Option<&Association> {
        self.endpoint.as_ref()?.association(id)
    }

    /// Lets `change` act on the association `id`, and sends what follows from it.
    pub(crate) fn change<T>(
        &mut self,
        id: AssociationId,
        change: impl FnOnce(&mut Association, Time) -> T,
    ) -> Option<T> {
        let now = self.now;
        let result = change(self.endpoint.as_mut()?.association_mut(id)?, now);
        self.settle();
        Some(result)
    }

    /// The next message of the association `id`.
    pub(crate) fn receive(&mut self, id: AssociationId) -> Option<Message> {
        let (message, _) = self.endpoint.as_mut()?.receive(id)?;
        self.settle();
        Some(message)
    }

    /// Forgets the association `id`; one that is not closed is aborted.
    pub(crate) fn remove(&mut self, id: AssociationId) {
        let now = self.now;
        if let Some(endpoint) = &mut self.endpoint {
            endpoint.remove(now, id);
        }
        self.settle();
    }

    /// A packet arrives.
    pub(crate) fn arrive(&mut self, path: PathAddresses, ecn: Ecn, bytes: Vec<u8>) {
        let (now, memory) = (self.now, ByteCount::of_len(bytes.len()));
        let PathAddresses { local, remote } = path;
        let arrival =
            Arrival { local, remote, channel: Channel::PLAIN, ecn, bytes: Bytes::from(bytes), memory };
        self.endpoint().handle(now, &arrival);
        self.settle();
    }

    /// The host gains or loses a local address.
    pub(crate) fn set_local(&mut self, address: SocketAddr, is_there: bool) {
        let now = self.now;
        let endpoint = self.endpoint();
        match (is_there, endpoint.locals().contains(&address)) {
            (true, false) => endpoint.add_local(now, address),
            (true, true) => endpoint.return_local(now, address),
            (false, _) => endpoint.remove_local(now, address),
        }
        self.settle();
    }

    /// The next packet that left.
    pub(crate) fn next_sent(&self) -> Option<&Sent> {
        self.sent.front()
    }

    /// Takes the next packet that left.
    pub(crate) fn take_sent(&mut self) -> Option<Sent> {
        self.sent.pop_front()
    }

    pub(crate) fn poll_event(&mut self) -> Option<(AssociationId, Event)> {
        self.events.pop_front()
    }

    /// Handles the next timer that is due by `limit`. Returns false if there is none, or if the machine is worn: then
    /// it is `limit`.
    pub(crate) fn step(&mut self, limit: Time) -> bool {
        if self.is_worn() {
            self.now = self.now.max(limit);
            return false;
        }
        let due = self.endpoint.as_ref().and_then(Endpoint::poll_timeout).filter(|due| *due <= limit);
        self.now = self.now.max(due.unwrap_or(limit));
        let Some(endpoint) = self.endpoint.as_mut().filter(|_| due.is_some()) else { return false };
        self.timers += 1;
        endpoint.handle_timeout(self.now);
        self.settle();
        true
    }

    /// Time passes without timers.
    pub(crate) fn set_now(&mut self, now: Time) {
        self.now = self.now.max(now);
    }

    /// Takes what the endpoint sends and reports.
    fn settle(&mut self) {
        let Machine { endpoint: Some(endpoint), sent, events, now, paths, .. } = self else { return };
        let mut buffer = Vec::new();
        while let Some(departure) = endpoint.poll_transmit(*now, &mut buffer, 1) {
            let (local, remote, ecn) = (departure.local, departure.remote, departure.transmit.ecn);
            let bytes = std::mem::take(&mut buffer).into();
            if paths.iter().any(|path| is_neighbour(path.remote.ip(), remote.ip())) {
                sent.push_back(Sent { at: *now, local, remote, ecn, bytes });
            }
        }
        while let Some(event) = endpoint.poll_event() {
            events.push_back(event);
        }
    }
}

/// True if both addresses are in the network of the script: packets to others leave by other interfaces.
fn is_neighbour(one: IpAddr, other: IpAddr) -> bool {
    match (one, other) {
        (IpAddr::V4(one), IpAddr::V4(other)) => one.octets()[..3] == other.octets()[..3],
        (IpAddr::V6(one), IpAddr::V6(other)) => one.octets()[..4] == other.octets()[..4],
        _ => false,
    }
}
