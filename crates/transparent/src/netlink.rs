//! Requests to the kernel over a netlink socket, and its answers.

use std::borrow::Cow;
use std::io::{self, Read as _};
use std::time::Duration;

use netlink_bindings::builtin::Nlmsghdr;
use netlink_bindings::consts::{NLM_F_ACK, NLM_F_REQUEST};
use netlink_bindings::utils::align;
use nix::libc;
use socket2::{Domain, Protocol, Socket, Type};

/// A netlink socket. The kernel removes tables that it owns when it is closed.
#[derive(Debug)]
pub(crate) struct Netlink {
    socket: Socket,
    sequence: u32,
}

/// One message to the kernel.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) kind: u16,
    /// Flags beside `NLM_F_REQUEST` and `NLM_F_ACK`.
    pub(crate) flags: u16,
    pub(crate) body: Vec<u8>,
    /// The subject of the message, for errors.
    pub(crate) what: Cow<'static, str>,
}

/// The message that the kernel refuses, and its reason.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) what: Cow<'static, str>,
    pub(crate) error: io::Error,
}

impl Netlink {
    /// Opens a socket of a netlink family, such as [`NETFILTER`].
    pub(crate) fn open(family: i32) -> io::Result<Netlink> {
        let socket = Socket::new(Domain::from(libc::AF_NETLINK), Type::RAW, Some(Protocol::from(family)))?;
        socket.set_read_timeout(Some(PATIENCE))?;
        Ok(Netlink { socket, sequence: 0 })
    }

    /// Sends a message, and returns the bodies of the answers.
    pub(crate) fn request(&mut self, message: &Message) -> io::Result<Vec<Vec<u8>>> {
        let sequence = self.sequence.wrapping_add(1);
        self.sequence = sequence;
        let mut bytes = Vec::new();
        encode(message, sequence, NLM_F_ACK as u16, &mut bytes);
        self.send(&bytes)?;
        let mut answers = Vec::new();
        loop {
            for answer in self.receive()? {
                match answer.result() {
                    _ if answer.sequence != sequence => {}
                    Some(Ok(())) => return Ok(answers),
                    Some(Err(error)) => return Err(error),
                    None => answers.push(answer.body),
                }
            }
        }
    }

    /// Sends a transaction: all messages between the first and the last, which enclose it, have effect or none.
    pub(crate) fn transact(&mut self, messages: &[Message]) -> Result<(), Refusal> {
        let first = self.sequence.wrapping_add(1);
        let number = u32::try_from(messages.len()).unwrap_or(u32::MAX);
        self.sequence = self.sequence.wrapping_add(number);
        let last = number.saturating_sub(2);
        let mut bytes = Vec::new();
        for (index, message) in (0..).zip(messages) {
            // Errors are answered in any case. Kernels before 6.10 never acknowledge the messages that enclose others.
            let ack = if index == last { NLM_F_ACK as u16 } else { 0 };
            encode(message, first.wrapping_add(index), ack, &mut bytes);
        }
        let what =
            |index: u32| messages.get(index as usize).map_or(Cow::Borrowed("a message"), |m| m.what.clone());
        let failed = |error| Refusal { what: Cow::Borrowed("the transaction"), error };
        self.send(&bytes).map_err(failed)?;
        let mut refusal = None;
        loop {
            for answer in self.receive().map_err(failed)? {
                let index = answer.sequence.wrapping_sub(first);
                let Some(result) = answer.result().filter(|_| index < number) else { continue };
                if let Err(error) = result {
                    refusal.get_or_insert(Refusal { what: what(index), error });
                }
                if index == last || index == 0 {
                    return refusal.map_or(Ok(()), Err);
                }
            }
        }
    }

    fn send(&self, bytes: &[u8]) -> io::Result<()> {
        let sent = self.socket.send(bytes)?;
        if sent == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
    }

    fn receive(&mut self) -> io::Result<Vec<Answer>> {
        let mut buffer = vec![0; BUFFER];
        let length = match self.socket.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            other => other?,
        };
        Ok(answers(buffer.get(..length).unwrap_or_default()))
    }
}

fn encode(message: &Message, seq: u32, ack: u16, bytes: &mut Vec<u8>) {
    align(bytes);
    let length = Nlmsghdr::len() + message.body.len();
    let header = Nlmsghdr {
        len: u32::try_from(length).unwrap_or(u32::MAX),
        r#type: message.kind,
        flags: NLM_F_REQUEST as u16 | ack | message.flags,
        seq,
        pid: 0,
    };
    bytes.extend_from_slice(header.as_slice());
    bytes.extend_from_slice(&message.body);
    align(bytes);
}

/// One message of the kernel.
#[derive(Debug)]
struct Answer {
    kind: u16,
    sequence: u32,
    body: Vec<u8>,
}

impl Answer {
    /// The result of the request, if this ends its answers.
    fn result(&self) -> Option<io::Result<()>> {
        let ends = [libc::NLMSG_ERROR, libc::NLMSG_DONE].contains(&i32::from(self.kind));
        let code = self.body.first_chunk().map_or(0, |code| i32::from_ne_bytes(*code));
        ends.then(
            || if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code.saturating_neg())) },
        )
    }
}

/// Splits what was read into messages. A truncated one ends them.
fn answers(mut bytes: &[u8]) -> Vec<Answer> {
    let mut answers = Vec::new();
    while let Some(header) = bytes.first_chunk::<16>().map(|header| Nlmsghdr::new_from_array(*header)) {
        let length = header.len as usize;
        let Some(body) = bytes.get(Nlmsghdr::len()..length) else { break };
        answers.push(Answer { kind: header.r#type, sequence: header.seq, body: body.to_vec() });
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    answers
}

/// The family of nftables.
pub(crate) const NETFILTER: i32 = libc::NETLINK_NETFILTER;
/// The family of rules and routes.
pub(crate) const ROUTE: i32 = libc::NETLINK_ROUTE;
/// The family of sockets.
pub(crate) const SOCK_DIAG: i32 = libc::NETLINK_SOCK_DIAG;

/// The kernel answers while it is asked: a longer wait is a fault.
const PATIENCE: Duration = Duration::from_secs(5);
/// No answer read here is longer.
const BUFFER: usize = 32 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncated_answers_end_what_was_read() {
        let message = Message { kind: 7, flags: 0, body: vec![1, 2, 3, 4], what: "a test".into() };
        let mut bytes = Vec::new();
        encode(&message, 9, 0, &mut bytes);
        encode(&message, 10, 0, &mut bytes);
        let read = answers(&bytes);
        assert_eq!(read.iter().map(|answer| answer.sequence).collect::<Vec<_>>(), [9, 10]);
        assert_eq!((read[0].kind, &read[0].body), (7, &message.body));
        for length in 0..bytes.len() {
            assert!(answers(&bytes[..length]).len() < 2);
        }
    }
}
