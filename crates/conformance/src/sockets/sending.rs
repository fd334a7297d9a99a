//! The calls that send.

use anabranch_base::Duration;
use anabranch_sctp::association::{Association, Outgoing, Reliability, SendError};
use anabranch_sctp::endpoint::AssociationId;
use anabranch_sctp::wire::{Ppid, StreamId};
use bytes::Bytes;

use super::arguments::{field, member, number_argument};
use super::chosen::SendDefaults;
use super::socket::Phase;
use super::symbols::number;
use super::{Arguments, CallFault, CallResult, Outcome, Reply, Sockets, fails, lacking};
use crate::machine::Machine;
use crate::script::Value;

const EOF: i64 = 0x100;
const ABORT: i64 = 0x200;
const UNORDERED: i64 = 0x400;
const SACK_IMMEDIATELY: i64 = 0x4000;

/// The longest message that a call makes, whatever the send buffer is.
const MAX_MESSAGE: usize = 1 << 24;

const SENDINFO_VALID: i64 = 1;
const PRINFO_VALID: i64 = 2;

/// A message as a call describes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Described {
    length: i64,
    info: SendDefaults,
    /// The number of the association that a socket with several means.
    association: Option<i64>,
}

impl Sockets {
    pub(super) fn send(&mut self, machine: &mut Machine, name: &str, arguments: Arguments<'_>) -> CallResult {
        let (fd, socket) = self.socket_of(arguments)?;
        if let Some(error) = socket.error.take() {
            return fails(error);
        }
        let described = describe(name, arguments, socket.options.send)?;
        let phase = socket.phase;
        if socket.is_shut {
            return fails("EPIPE");
        }
        if !socket.is_many && phase == Phase::Ended {
            return fails("ECONNRESET");
        }
        let Some(id) = self.association_of(fd, described.association) else {
            return self.send_first(machine, fd, arguments, described);
        };
        self.send_on(machine, id, described)
    }

    /// Sends the first message of a socket with several associations: it opens one.
    fn send_first(
        &mut self,
        machine: &mut Machine,
        fd: i64,
        arguments: Arguments<'_>,
        described: Described,
    ) -> CallResult {
        if self.table.get(&fd).is_some_and(|socket| !socket.is_many) {
            return fails("ENOTCONN");
        }
        match self.connect(machine, "sctp_connectx", Arguments(&arguments.0[..1]), false) {
            Ok(Reply::Done(Outcome { error: None, .. })) => {}
            other => return other,
        }
        match self.association_of(fd, None) {
            Some(id) => self.send_on(machine, id, described),
            None => fails("ENOTCONN"),
        }
    }

    fn send_on(&mut self, machine: &mut Machine, id: AssociationId, described: Described) -> CallResult {
        let Described { length, info, .. } = described;
        if info.flags & ABORT != 0 {
            machine.change(id, |association, _| association.abort("by the application"));
            return Ok(Reply::Done(Outcome::returns(length)));
        }
        if info.flags & EOF != 0 && length == 0 {
            machine.change(id, Association::close);
            return Ok(Reply::Done(Outcome::returns(0)));
        }
        let Some(association) = machine.association(id) else { return fails("ENOTCONN") };
        if !association.is_open() && association.tags().1.is_none() {
            // The handshake is not complete: the message waits, as the call does.
            return Ok(Reply::Blocks("EWOULDBLOCK"));
        }
        let reliability = reliability(machine, info)?;
        let stream = StreamId::new(info.stream);
        let size = usize::try_from(length).unwrap_or(0);
        if size > MAX_MESSAGE {
            return fails("EMSGSIZE");
        }
        let payload = Bytes::from(vec![b'a'; size]);
        let outgoing = Outgoing {
            stream,
            ppid: Ppid::new(info.ppid),
            unordered: info.flags & UNORDERED != 0,
            immediate: info.flags & SACK_IMMEDIATELY != 0,
            reliability,
            payload,
        };
        let sent = machine.change(id, |association, now| association.send(now, outgoing));
        let result = match sent {
            Some(Ok(())) => Ok(Reply::Done(Outcome::returns(length))),
            Some(Err(SendError::BufferFull { .. })) => Ok(Reply::Blocks("EWOULDBLOCK")),
            Some(Err(SendError::TooLarge { .. })) => fails("EMSGSIZE"),
            Some(Err(SendError::NoSuchStream { .. } | SendError::Empty)) => fails("EINVAL"),
            Some(Err(SendError::NotOpen)) => fails("EPIPE"),
            None => fails("ENOTCONN"),
        };
        if info.flags & EOF != 0 {
            machine.change(id, Association::close);
        }
        result
    }
}

/// The message that the call `name` describes; `defaults` hold where it says nothing.
fn describe(name: &str, arguments: Arguments<'_>, defaults: SendDefaults) -> Result<Described, CallFault> {
    let mut described = Described { length: 0, info: defaults, association: None };
    match name {
        "write" | "send" | "sendto" => described.length = arguments.number(2)?,
        // (sd, msg, len, sinfo, flags), and with addresses before `sinfo`.
        "sctp_send" | "sctp_sendx" => {
            described.length = arguments.number(2)?;
            described.read_sinfo(arguments.at(if name == "sctp_send" { 3 } else { 5 })?);
        }
        // (sd, msg, len, to, tolen, ppid, flags, stream, timetolive, context)
        "sctp_sendmsg" => {
            described.length = arguments.number(2)?;
            let info = &mut described.info;
            info.ppid = u32::try_from(arguments.number(5)?).unwrap_or(0);
            info.flags = arguments.number(6)?;
            info.stream = u16::try_from(arguments.number(7)?).unwrap_or(u16::MAX);
            info.read_lifetime(arguments.number(8)?);
        }
        // (sd, iov, iovcnt, addrs, addrcnt, info, infolen, infotype, flags)
        "sctp_sendv" => {
            described.length = iov_length(arguments.at(1)?);
            let info = arguments.at(5)?;
            match arguments.number(7)? {
                1 => described.read_sndinfo(info),
                2 => described.info.read_prinfo(info),
                4 => {
                    let valid = field(info, "sendv_flags").unwrap_or(0);
                    if let Some(inner) = member(info, "sendv_sndinfo").filter(|_| valid & SENDINFO_VALID != 0)
                    {
                        described.read_sndinfo(inner);
                    }
                    if let Some(inner) = member(info, "sendv_prinfo").filter(|_| valid & PRINFO_VALID != 0) {
                        described.info.read_prinfo(inner);
                    }
                }
                _ => {}
            }
        }
        "sendmsg" => {
            let message = arguments.at(1)?;
            described.length = member(message, "msg_iov").map_or(0, iov_length);
            if let Some(Value::List(controls)) = member(message, "msg_control") {
                for control in controls {
                    described.read_control(control)?;
                }
            }
        }
        other => return lacking(format!("the call {other}")),
    }
    Ok(described)
}

/// The length of `[{iov_base=..., iov_len=500}, {..., 500}]`.
pub(super) fn iov_length(iov: &Value) -> i64 {
    let Value::List(parts) = iov else { return 0 };
    let length = |part: &Value| match part {
        Value::Struct(items) => items.last().and_then(|item| number(&item.value)),
        _ => None,
    };
    parts.iter().filter_map(length).fold(0, i64::saturating_add)
}

impl Described {
    fn read_sndinfo(&mut self, info: &Value) {
        self.info.read_sndinfo(info);
        self.association = field(info, "snd_assoc_id");
    }

    fn read_sinfo(&mut self, info: &Value) {
        self.info.read_sinfo(info);
        self.association = field(info, "sinfo_assoc_id");
    }

    fn read_control(&mut self, control: &Value) -> Result<(), CallFault> {
        let Some(Value::Name(kind)) = member(control, "cmsg_type") else {
            return Err(CallFault::Script("a control message needs a cmsg_type".to_owned()));
        };
        let Some(data) = member(control, "cmsg_data") else { return Ok(()) };
        match kind.as_str() {
            "SCTP_SNDINFO" => self.read_sndinfo(data),
            "SCTP_SNDRCV" => self.read_sinfo(data),
            "SCTP_PRINFO" => self.info.read_prinfo(data),
            "SCTP_DSTADDRV4" | "SCTP_DSTADDRV6" | "SCTP_AUTHINFO" | "SCTP_INIT" => {}
            other => return lacking(format!("the control message {other}")),
        }
        Ok(())
    }
}

/// The reliability that `info` asks for (RFC 7496 §4.1).
fn reliability(machine: &Machine, info: SendDefaults) -> Result<Reliability, CallFault> {
    let value = u32::try_from(info.pr_value).unwrap_or(u32::MAX);
    match info.pr_policy {
        0 => Ok(Reliability::Full),
        1 => Ok(Reliability::Until(machine.now() + Duration::from_millis(value.into()))),
        2 => Ok(Reliability::Priority(value)),
        3 => Ok(Reliability::Retransmissions(value)),
        other => lacking(format!("the PR-SCTP policy {other}")),
    }
}

/// Numbers of an argument that a script may leave open.
pub(super) fn open_number(arguments: Arguments<'_>, position: usize) -> i64 {
    number_argument(arguments, position).unwrap_or(i64::MAX)
}
