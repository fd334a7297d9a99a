//! The crate `dcsctp`: Google's SCTP for WebRTC, in Rust.

use std::time::Duration;

use anabranch_base::Time;
use bytes::Bytes;
use dcsctp::api::{
    DcSctpSocket, Message, Options, PpId, SendOptions, SocketEvent, SocketState, SocketTime, StreamId,
};

use super::{Buffers, Datagram, LONGEST_MESSAGE, Life, PACKET, PORT, Stack};

/// One of its sockets.
pub(crate) struct Dcsctp {
    socket: Box<dyn DcSctpSocket>,
    send_buffer: usize,
    packets: Vec<Datagram>,
    life: Life,
}

impl Dcsctp {
    pub(crate) fn new(buffers: Buffers) -> Dcsctp {
        let send_buffer = buffers.send.as_len();
        let options = Options {
            local_port: PORT,
            remote_port: PORT,
            mtu: PACKET,
            max_message_size: LONGEST_MESSAGE as usize,
            max_receiver_window_buffer_size: buffers.receive.as_len(),
            max_send_buffer_size: send_buffer + LONGEST_MESSAGE as usize,
            per_stream_send_queue_limit: send_buffer + LONGEST_MESSAGE as usize,
            ..Options::default()
        };
        let socket = dcsctp::new_socket("peer", &options);
        Dcsctp { socket, send_buffer, packets: Vec::new(), life: Life::Opening }
    }

    fn read_events(&mut self) {
        while let Some(event) = self.socket.poll_event() {
            match event {
                SocketEvent::SendPacket(packet) => {
                    self.packets.push(Datagram::single(0, Bytes::from(packet)));
                }
                SocketEvent::OnConnected() => self.life = Life::Open,
                SocketEvent::OnClosed() => self.life = Life::Closed,
                SocketEvent::OnAborted(..) => self.life = Life::Lost,
                _ => {}
            }
        }
    }
}

impl Stack for Dcsctp {
    fn connect(&mut self, now: Time) {
        self.socket.advance_time(socket_time(now));
        self.socket.connect();
        self.read_events();
    }

    fn handle(&mut self, now: Time, datagram: &Datagram) {
        self.socket.advance_time(socket_time(now));
        self.socket.handle_input(&datagram.bytes);
        self.read_events();
    }

    fn handle_timeout(&mut self, now: Time) {
        self.socket.advance_time(socket_time(now));
        self.read_events();
    }

    fn poll_transmit(&mut self, _now: Time, out: &mut Vec<Datagram>) {
        self.read_events();
        out.append(&mut self.packets);
    }

    fn poll_timeout(&self) -> Option<Time> {
        let due = self.socket.poll_timeout();
        (due < SocketTime::infinite_future()).then(|| {
            let since_zero: Duration = due - SocketTime::zero();
            Time::from_nanos(since_zero.as_nanos() as u64)
        })
    }

    fn send(&mut self, now: Time, message: &Bytes) -> bool {
        let waiting = self.socket.buffered_amount(STREAM);
        if self.socket.state() != SocketState::Connected
            || (waiting > 0 && waiting + message.len() > self.send_buffer)
        {
            return false;
        }
        self.socket.advance_time(socket_time(now));
        let message = Message::new(STREAM, PpId(0), message.to_vec());
        self.socket.send(message, &SendOptions::default()).is_ok()
    }

    fn receive(&mut self, _now: Time, message: &mut Vec<u8>) -> bool {
        let Some(received) = self.socket.get_next_message() else { return false };
        *message = received.payload;
        true
    }

    fn shutdown(&mut self, now: Time) {
        self.socket.advance_time(socket_time(now));
        self.socket.shutdown();
        self.read_events();
    }

    fn life(&self) -> Life {
        self.life
    }
}

fn socket_time(now: Time) -> SocketTime {
    SocketTime::zero() + Duration::from_nanos(now.as_nanos())
}

const STREAM: StreamId = StreamId(0);
