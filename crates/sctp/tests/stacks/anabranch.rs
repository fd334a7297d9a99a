//! Ours, driven by its endpoint.

use std::net::SocketAddr;
use std::ops::Range;

use anabranch_base::{ByteCount, Seed, Time};
use anabranch_sctp::association::{Association, Ecn, Outgoing, Reliability};
use anabranch_sctp::config::{Config, MtuDiscovery};
use anabranch_sctp::endpoint::{Arrival, AssociationId, Channel, Endpoint, EndpointConfig, Train};
use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::policy::Registry;
use anabranch_sctp::wire::{Ppid, StreamId};
use bytes::Bytes;

use super::pool::Pool;
use super::{Buffers, Datagram, Life, PORT, Role, Stack};

/// One of our endpoints with one association.
pub(crate) struct Anabranch {
    role: Role,
    endpoint: Endpoint,
    id: Option<AssociationId>,
    remote: Vec<SocketAddr>,
    packets: Vec<u8>,
    /// The most packets that leave at once, and that arrive so; one, and they arrive one by one.
    train: usize,
    places: Vec<Range<usize>>,
    pool: Pool,
    life: Life,
}

impl Anabranch {
    /// RFC 9260 over `paths` paths.
    pub(crate) fn new(role: Role, buffers: Buffers, paths: usize) -> Anabranch {
        let config =
            Config { receive_buffer: buffers.receive, send_buffer: buffers.send, ..Config::rfc9260() };
        Anabranch::with(role, config, Registry::standard(), paths)
    }

    /// Any settings.
    pub(crate) fn with(role: Role, association: Config, registry: Registry, paths: usize) -> Anabranch {
        let addresses = |role: Role| (0..paths).map(|path| role.address(path)).collect::<Vec<_>>();
        let config = EndpointConfig {
            association,
            registry,
            port: PORT,
            accepts: role == Role::Server,
            local: addresses(role),
            max_associations: 1,
        };
        let seed = Seed::from_number(role as u64);
        Anabranch {
            role,
            endpoint: Endpoint::new(config, seed).expect("sound settings"),
            id: None,
            remote: addresses(role.other()),
            packets: Vec::new(),
            train: 1,
            places: Vec::new(),
            pool: Pool::new(),
            life: Life::Opening,
        }
    }

    /// The tuned profile, with packets that leave and arrive in trains of up to so many, as by a driver with segmentation
    /// offload in both directions.
    pub(crate) fn in_trains(role: Role, buffers: Buffers, paths: usize, train: usize) -> Anabranch {
        let config = Config {
            receive_buffer: buffers.receive,
            receive_growth: None,
            send_buffer: buffers.send,
            mtu_discovery: MtuDiscovery::Off,
            ..Config::tuned_2()
        };
        Anabranch { train, ..Anabranch::with(role, config, Registry::standard(), paths) }
    }

    /// The association, once there is one.
    pub(crate) fn association(&self) -> Option<&Association> {
        self.endpoint.association(self.id?)
    }

    /// Gives a message to be sent on any stream, ordered.
    pub(crate) fn send_on(&mut self, now: Time, stream: u16, message: &Bytes) -> bool {
        let Some(association) = self.id.and_then(|id| self.endpoint.association_mut(id)) else {
            return false;
        };
        let (stream, ppid) = (StreamId::new(stream), Ppid::new(0));
        association
            .send(
                now,
                Outgoing {
                    stream,
                    ppid,
                    unordered: false,
                    immediate: false,
                    reliability: Reliability::Full,
                    payload: message.clone(),
                },
            )
            .is_ok()
    }

    fn read_events(&mut self) {
        while let Some((id, event)) = self.endpoint.poll_event() {
            self.id = Some(id);
            match event {
                Event::Connected => self.life = Life::Open,
                Event::Closed(CloseReason::Graceful) => self.life = Life::Closed,
                Event::Closed(_) => self.life = Life::Lost,
                _ => {}
            }
        }
    }
}

impl Stack for Anabranch {
    fn connect(&mut self, _now: Time) {
        self.id = Some(self.endpoint.connect(&self.remote).expect("addresses of one version"));
    }

    fn handle(&mut self, now: Time, datagram: &Datagram) {
        let (channel, ecn) = (Channel::PLAIN, Ecn::NotEct);
        let (local, remote) = (self.role.address(datagram.path), self.role.other().address(datagram.path));
        let memory = ByteCount::of_len(datagram.bytes.len());
        if self.train == 1 {
            let bytes = datagram.bytes.clone();
            self.endpoint.handle(now, &Arrival { local, remote, channel, ecn, memory, bytes });
        } else {
            let (bytes, step) = (&datagram.bytes, datagram.segment_size.max(1));
            self.places.clear();
            let starts = (0..bytes.len()).step_by(step);
            self.places.extend(starts.map(|start| start..bytes.len().min(start + step)));
            let packets = &self.places;
            let train = Train { local, remote, channel, ecn, bytes, memory, packets };
            self.endpoint.handle_train(now, &train, |_| ());
        }
        self.read_events();
    }

    fn handle_timeout(&mut self, now: Time) {
        self.endpoint.handle_timeout(now);
        self.read_events();
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<Datagram>) {
        let most = if self.train > 1 { self.train } else { MOST_SEGMENTS };
        loop {
            self.packets.clear();
            let Some(departure) = self.endpoint.poll_transmit(now, &mut self.packets, most) else {
                break;
            };
            let path = match departure.local {
                SocketAddr::V4(local) => usize::from(local.ip().octets()[2]),
                SocketAddr::V6(_) => unreachable!("all addresses are IPv4"),
            };
            let segment_size = departure.transmit.segment_size;
            if self.train > 1 {
                out.push(Datagram { path, bytes: self.pool.copy(&self.packets), segment_size });
                continue;
            }
            for packet in self.packets.chunks(segment_size) {
                out.push(Datagram::single(path, self.pool.copy(packet)));
            }
        }
        self.read_events();
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.endpoint.poll_timeout()
    }

    fn send(&mut self, now: Time, message: &Bytes) -> bool {
        self.send_on(now, 0, message)
    }

    fn receive(&mut self, _now: Time, message: &mut Vec<u8>) -> bool {
        let Some(association) = self.id.and_then(|id| self.endpoint.association_mut(id)) else {
            return false;
        };
        let Some(received) = association.receive() else { return false };
        message.clear();
        received.chunks().for_each(|chunk| message.extend_from_slice(chunk));
        true
    }

    fn shutdown(&mut self, now: Time) {
        if let Some(association) = self.id.and_then(|id| self.endpoint.association_mut(id)) {
            association.close(now);
        }
    }

    fn life(&self) -> Life {
        self.life
    }
}

/// The number of packets that are taken at once, as by a driver with segmentation offload.
const MOST_SEGMENTS: usize = 16;
