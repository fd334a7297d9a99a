//! One socket of an endpoint with its queue: receives, seals, sends, and counts unsent packets.

use std::io;
use std::task::Context;

use anabranch_base::{ByteCount, Time};
use anabranch_sctp::association::{Ecn, PathAddresses};
use anabranch_sctp::endpoint::{Departure, Endpoint};

use crate::icmp::Undelivered;
use crate::inbox::{Inbox, ReceivedBatch};
use crate::links::{Carried, LinkId};
use crate::outbox::{Outbox, PacketHeader, Packets};
use crate::refused::Refused;
use crate::report::Unsent;
use crate::seal::{Datagram, Route, Sealed, Sealing};
use crate::socket::{ReceiveBuffers, Socket};
use crate::system::Cause;

/// A socket with its queue of packets.
#[derive(Debug)]
pub(crate) struct Port {
    /// The socket.
    pub socket: Socket,
    /// The queued packets.
    pub outbox: Outbox,
    /// The packets that could not be sent.
    pub unsent: Unsent,
    /// Packets that were too large for the interface, until they are reported to the core.
    pub refused: Vec<Refused>,
    /// The link; `None` for a wildcard socket.
    pub link: Option<LinkId>,
    /// The bytes sent and received since the link was last charged.
    pub carried: Carried,
    /// The bytes that may be sent until the link is charged again; `None` without a limit.
    pub allowance: Option<ByteCount>,
    /// True if a packet exceeded the allowance.
    pub is_spent: bool,
    /// True if its link was given up: nothing is sent any more. Arriving packets are still received.
    pub is_barred: bool,
    /// True if the socket may be readable.
    pub is_readable: bool,
    /// Reports of undelivered packets, until they are passed to the handles.
    pub undelivered: Vec<Undelivered>,
    /// True if undelivered packets are reported.
    reports_errors: bool,
}

impl Port {
    /// An open socket on its link, with the unsent packets of an earlier socket at its address.
    pub(crate) fn new(socket: Socket, link: Option<LinkId>, unsent: Unsent) -> Port {
        Port {
            socket,
            outbox: Outbox::default(),
            unsent,
            refused: Vec::new(),
            link,
            carried: Carried::default(),
            allowance: None,
            is_spent: false,
            is_barred: false,
            is_readable: true,
            undelivered: Vec::new(),
            reports_errors: false,
        }
    }

    /// Counts the queued packets as unsent, too, and returns the unsent packets.
    pub(crate) fn close(mut self) -> Unsent {
        let waiting = self.outbox.count();
        if waiting > 0 {
            self.unsent.add(
                waiting,
                format!("{} is no longer an address of this machine", self.socket.address().ip()),
            );
        }
        self.unsent
    }

    /// Reads one batch. Returns true if more may be left.
    pub(crate) fn receive(
        &mut self,
        buffers: &mut ReceiveBuffers,
        inbox: &mut Inbox,
        mut sealing: Option<&mut Sealing>,
    ) -> bool {
        let Port { socket, outbox, unsent, carried, .. } = self;
        let mut take = |received: ReceivedBatch<'_>| {
            carried.received += Carried::of(received.len, received.count(), received.remote);
            match sealing.as_deref_mut() {
                None => inbox.take_plain(received),
                Some(sealing) => {
                    let source = socket.source(received.local);
                    let (remote, ecn) = (received.remote, Ecn::NotEct);
                    let envelope = PacketHeader { remote, source, ecn, may_fragment: false };
                    inbox.take_sealed(received, sealing, |bytes| {
                        push(outbox, unsent, Packets { envelope, segment_size: bytes.len(), bytes });
                    });
                }
            }
        };
        for _ in 0..MOST_ERRORS {
            match socket.receive(buffers, &mut take) {
                Ok(is_full) => return is_full,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return false,
                // An error that an earlier sent packet caused; the next call may succeed.
                Err(error) => crate::log::debug!(address = %socket.address(), %error, "cannot receive"),
            }
        }
        false
    }

    /// Sends until the queue is empty or the socket is full.
    pub(crate) fn flush(&mut self) {
        if self.is_barred {
            return self.refuse_all();
        }
        while let Some(packets) = self.outbox.first(self.socket.max_segments()) {
            let len = packets.bytes.len();
            let charge = Carried::of(len, packets.count(), packets.envelope.remote);
            if self.allowance.is_some_and(|allowance| self.carried.sent + charge > allowance) {
                self.is_spent = true;
                return self.refuse_all();
            }
            if let Err(error) = send(&self.socket, &packets, self.reports_errors, &mut self.undelivered) {
                if error.kind() == io::ErrorKind::WouldBlock {
                    return;
                }
                if packets.count() > 1 && self.socket.max_segments() == 1 {
                    // The system does not support segmentation here: from now on packets are sent one by one.
                    continue;
                }
                if self.socket.system().cause(&error) == Some(Cause::TooLarge) {
                    self.refused.push(self.refused_by_size(&packets));
                } else {
                    let remote = packets.envelope.remote;
                    self.unsent.add(packets.count(), format!("to {remote}: {error}"));
                    if self.reports_errors {
                        self.undelivered.push(Undelivered::new(self.socket.address(), remote, &error));
                    }
                }
            } else {
                self.carried.sent += charge;
            }
            self.outbox.pop(len);
        }
    }

    /// Drops the queued packets, because the link's limit is reached.
    fn refuse_all(&mut self) {
        while let Some(packets) = self.outbox.first(1) {
            let (len, remote) = (packets.bytes.len(), packets.envelope.remote);
            self.unsent.add(packets.count(), format!("to {remote}: the link may carry no more"));
            self.outbox.pop(len);
        }
    }

    fn refused_by_size(&self, packets: &Packets<'_>) -> Refused {
        let PacketHeader { remote, source, .. } = packets.envelope;
        let mut local = self.socket.address();
        local.set_ip(source.unwrap_or(local.ip()));
        let size = packets.segment_size.min(packets.bytes.len());
        Refused { path: PathAddresses { local, remote }, size, packets: packets.count() }
    }

    /// Reports to the core which packets are too large. If the core does not use that, they count as unsent, like
    /// other packets that the system refused.
    pub(crate) fn tell_refused(&mut self, endpoint: &mut Endpoint, now: Time) {
        for refused in self.refused.drain(..) {
            if !endpoint.on_too_large(now, refused.path, refused.largest(self.socket.system())) {
                let error = format!("to {}: larger than the interface carries", refused.path.remote);
                self.unsent.add(refused.packets, error);
            }
        }
    }

    /// Queues packets that the core has written after the queue's end.
    pub(crate) fn take(&mut self, envelope: PacketHeader, segment_size: usize) {
        let written = self.outbox.written().len().div_ceil(segment_size.max(1)) as u64;
        if !self.outbox.take(envelope, segment_size) {
            self.unsent.add(written, format!("to {}: {TOO_MANY}", envelope.remote));
        }
    }

    /// Seals packets of the core directly into the queue.
    pub(crate) fn seal(&mut self, sealing: &mut Sealing, departure: &Departure, packets: Packets<'_>) {
        let Packets { envelope, segment_size, .. } = packets;
        let channel = departure.channel;
        let route = match departure.association {
            Some(_) => Route::of(departure.transmit.path),
            None => Some(Route::NO_PATH),
        };
        let Some(route) = route else {
            let error =
                format!("to {}: the association had more than {} paths", envelope.remote, Route::PATHS);
            return self.unsent.add(packets.count(), error);
        };
        let sealed = sealing.seal(channel, route, packets.one_by_one(), self.outbox.tail());
        if !self.outbox.take(envelope, segment_size + Datagram::OVERHEAD) {
            self.unsent.add(packets.count(), format!("to {}: {TOO_MANY}", envelope.remote));
        }
        let mut control = Vec::new();
        if sealed == Sealed::Packets && sealing.take_control(channel, &mut control).is_some() {
            let envelope = PacketHeader { ecn: Ecn::NotEct, ..envelope };
            let packets = Packets { envelope, segment_size: control.len(), bytes: &control };
            push(&mut self.outbox, &mut self.unsent, packets);
        }
    }

    /// Returns true if the socket is readable or can send queued packets; otherwise the task is woken then.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> bool {
        self.is_readable = self.socket.poll_readable(context).is_ready();
        self.is_readable || (!self.outbox.is_empty() && self.socket.poll_writable(context).is_ready())
    }

    /// Turns reports of undelivered packets on or off, and takes the queued ones.
    pub(crate) fn report_errors(&mut self, is_wanted: bool) {
        if self.reports_errors != is_wanted {
            self.reports_errors = is_wanted;
            self.socket.report_errors(is_wanted);
        }
        if is_wanted {
            self.undelivered.extend(self.socket.take_errors());
        }
    }
}

/// Sends packets. While errors are reported, a call may fail with the error of an earlier packet and not send
/// (`ip(7)`, `IP_RECVERR`): then that report is taken, and the call repeated.
fn send(
    socket: &Socket,
    packets: &Packets<'_>,
    reports_errors: bool,
    undelivered: &mut Vec<Undelivered>,
) -> io::Result<()> {
    let result = socket.send(packets);
    match &result {
        Err(error) if reports_errors && error.kind() != io::ErrorKind::WouldBlock => {
            undelivered.extend(socket.take_errors());
            socket.send(packets)
        }
        _ => result,
    }
}

/// Adds packets to a queue, or counts them as unsent.
pub(crate) fn push(outbox: &mut Outbox, unsent: &mut Unsent, packets: Packets<'_>) {
    if !outbox.push(packets) {
        unsent.add(packets.count(), format!("to {}: {TOO_MANY}", packets.envelope.remote));
    }
}

/// After this many consecutive errors a socket is not read until it becomes readable again.
const MOST_ERRORS: usize = 16;
const TOO_MANY: &str = "too many packets wait for the socket";
