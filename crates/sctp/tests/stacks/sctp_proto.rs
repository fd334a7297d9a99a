//! The crate `sctp-proto`: the SCTP of str0m.

use std::sync::Arc;

use anabranch_base::Time;
use bytes::Bytes;
use sctp_proto::{
    Association, AssociationHandle, ClientConfig, DatagramEvent, Endpoint, EndpointConfig, Event, Payload,
    PayloadProtocolIdentifier, ServerConfig, Transmit, TransportConfig,
};

use super::epoch::Epoch;
use super::{Buffers, Datagram, LONGEST_MESSAGE, Life, PACKET, Role, Stack};

/// One of its endpoints with one association.
pub(crate) struct SctpProto {
    role: Role,
    epoch: Epoch,
    endpoint: Endpoint,
    transport: Arc<TransportConfig>,
    association: Option<(AssociationHandle, Association)>,
    send_buffer: usize,
    /// It reports the orderly end and the loss by the same event.
    was_closing: bool,
    life: Life,
}

impl SctpProto {
    pub(crate) fn new(role: Role, buffers: Buffers) -> SctpProto {
        let transport = TransportConfig::default()
            .with_max_receive_buffer_size(buffers.receive.get() as u32)
            .with_max_receive_message_size(LONGEST_MESSAGE)
            .with_max_send_message_size(LONGEST_MESSAGE);
        let transport = Arc::new(transport);
        let mut server = ServerConfig::new();
        server.transport = transport.clone();
        let mut config = EndpointConfig::new();
        config.max_payload_size(PACKET as u32 - HEADERS);
        SctpProto {
            role,
            epoch: Epoch::new(),
            endpoint: Endpoint::new(Arc::new(config), (role == Role::Server).then(|| Arc::new(server))),
            transport,
            association: None,
            send_buffer: buffers.send.as_len(),
            was_closing: false,
            life: Life::Opening,
        }
    }

    fn read_events(&mut self) {
        let Some((_, association)) = &mut self.association else { return };
        while let Some(event) = association.poll() {
            match event {
                Event::Connected => {
                    // The peer's data may have opened it already.
                    let _ = association.open_stream(STREAM, PayloadProtocolIdentifier::Binary);
                    self.life = Life::Open;
                }
                Event::HandshakeFailed { .. } => self.life = Life::Lost,
                Event::AssociationLost { .. } if self.was_closing => self.life = Life::Closed,
                Event::AssociationLost { .. } => self.life = Life::Lost,
                _ => {}
            }
        }
        while association.accept_stream().is_some() {}
        self.was_closing = association.is_closing();
    }
}

impl Stack for SctpProto {
    fn connect(&mut self, _now: Time) {
        let mut config = ClientConfig::default();
        config.transport = self.transport.clone();
        let remote = self.role.other().address(0);
        self.association = Some(self.endpoint.connect(config, remote).expect("one association"));
    }

    fn handle(&mut self, now: Time, datagram: &Datagram) {
        let (now, remote) = (self.epoch.at(now), self.role.other().address(0));
        match self.endpoint.handle(now, remote, None, None, datagram.bytes.clone()) {
            Some((handle, DatagramEvent::NewAssociation(association))) => {
                self.association = Some((handle, association));
            }
            Some((_, DatagramEvent::AssociationEvent(event))) => {
                if let Some((_, association)) = &mut self.association {
                    association.handle_event(event);
                }
            }
            None => {}
        }
        self.read_events();
    }

    fn handle_timeout(&mut self, now: Time) {
        if let Some((_, association)) = &mut self.association {
            association.handle_timeout(self.epoch.at(now));
        }
        self.read_events();
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<Datagram>) {
        let now = self.epoch.at(now);
        while let Some(transmit) = self.endpoint.poll_transmit() {
            push(transmit, out);
        }
        if let Some((_, association)) = &mut self.association {
            while let Some(transmit) = association.poll_transmit(now) {
                push(transmit, out);
            }
        }
        self.read_events();
    }

    fn poll_timeout(&self) -> Option<Time> {
        let (_, association) = self.association.as_ref()?;
        association.poll_timeout().map(|due| self.epoch.time_of(due))
    }

    fn send(&mut self, _now: Time, message: &Bytes) -> bool {
        let Some((_, association)) = &mut self.association else { return false };
        let Ok(mut stream) = association.stream(STREAM) else { return false };
        let waiting = stream.buffered_amount().unwrap_or(0);
        if waiting > 0 && waiting + message.len() > self.send_buffer {
            return false;
        }
        stream.write_sctp(message, PayloadProtocolIdentifier::Binary).is_ok()
    }

    fn receive(&mut self, _now: Time, message: &mut Vec<u8>) -> bool {
        let Some((_, association)) = &mut self.association else { return false };
        let Ok(mut stream) = association.stream(STREAM) else { return false };
        let Ok(Some(chunks)) = stream.read_sctp() else { return false };
        message.resize(chunks.len(), 0);
        chunks.read(message).expect("there is room for all of it");
        true
    }

    fn shutdown(&mut self, _now: Time) {
        if let Some((_, association)) = &mut self.association {
            association.shutdown().expect("the association is open");
        }
    }

    fn life(&self) -> Life {
        self.life
    }
}

fn push(transmit: Transmit, out: &mut Vec<Datagram>) {
    if let Payload::RawEncode(packets) = transmit.payload {
        out.extend(packets.into_iter().map(|bytes| Datagram::single(0, bytes)));
    }
}

const STREAM: u16 = 0;

/// The common header and a DATA chunk's.
const HEADERS: u32 = 28;
