//! The crate `rtc-sctp`: the SCTP of webrtc-rs.

use std::sync::Arc;

use anabranch_base::Time;
use bytes::Bytes;
use rtc_sctp::{
    Association, AssociationError, AssociationHandle, ClientConfig, DatagramEvent, Endpoint, EndpointConfig,
    Event, Payload, PayloadProtocolIdentifier, ServerConfig, TransportConfig, max_payload_size_for_mtu,
};

use super::epoch::Epoch;
use super::{Buffers, Datagram, LONGEST_MESSAGE, Life, PACKET, PORT, Role, Stack};

/// One of its endpoints with one association.
pub(crate) struct RtcSctp {
    role: Role,
    epoch: Epoch,
    endpoint: Endpoint,
    transport: TransportConfig,
    association: Option<(AssociationHandle, Association)>,
    send_buffer: usize,
    life: Life,
}

impl RtcSctp {
    pub(crate) fn new(role: Role, buffers: Buffers) -> RtcSctp {
        let transport = TransportConfig::default()
            .with_sctp_port(PORT)
            .with_max_receive_buffer_size(buffers.receive.get() as u32)
            .with_max_message_size(LONGEST_MESSAGE);
        let server = (role == Role::Server).then(|| Arc::new(ServerConfig::new(transport.clone())));
        let mut config = EndpointConfig::new();
        config.max_payload_size(max_payload_size_for_mtu(PACKET as u32));
        RtcSctp {
            role,
            epoch: Epoch::new(),
            endpoint: Endpoint::new(role.address(0), Default::default(), Arc::new(config), server),
            transport,
            association: None,
            send_buffer: buffers.send.as_len(),
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
                Event::AssociationLost { reason: AssociationError::AssociationClosed, .. } => {
                    self.life = Life::Closed;
                }
                Event::HandshakeFailed { .. } | Event::AssociationLost { .. } => self.life = Life::Lost,
                _ => {}
            }
        }
        while association.accept_stream().is_some() {}
    }
}

impl Stack for RtcSctp {
    fn connect(&mut self, now: Time) {
        let (now, remote) = (self.epoch.at(now), self.role.other().address(0));
        let config = ClientConfig::new(self.transport.clone());
        self.association = Some(self.endpoint.connect(now, config, remote).expect("one association"));
    }

    fn handle(&mut self, now: Time, datagram: &Datagram) {
        let (now, remote) = (self.epoch.at(now), self.role.other().address(0));
        match self.endpoint.handle(now, remote, None, datagram.bytes.clone()) {
            Some((handle, DatagramEvent::NewAssociation(association))) => {
                self.association = Some((handle, association));
            }
            Some((_, DatagramEvent::AssociationEvent(event))) => {
                if let Some((_, association)) = &mut self.association {
                    association.handle_event(event);
                }
            }
            _ => {}
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
        if let Some((_, association)) = &mut self.association {
            while let Some(transmit) = association.poll_transmit(now) {
                if let Payload::RawEncode(packets) = transmit.message {
                    out.extend(packets.into_iter().map(|bytes| Datagram::single(0, bytes)));
                }
            }
        }
        self.read_events();
    }

    fn poll_timeout(&self) -> Option<Time> {
        let (_, association) = self.association.as_ref()?;
        association.poll_timeout().map(|due| self.epoch.time_of(due))
    }

    fn send(&mut self, now: Time, message: &Bytes) -> bool {
        let Some((_, association)) = &mut self.association else { return false };
        let Ok(mut stream) = association.stream(STREAM) else { return false };
        let waiting = stream.buffered_amount().unwrap_or(0);
        if waiting > 0 && waiting + message.len() > self.send_buffer {
            return false;
        }
        stream.write_sctp(self.epoch.at(now), message, PayloadProtocolIdentifier::Binary).is_ok()
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

const STREAM: u16 = 0;
