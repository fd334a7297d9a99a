//! The calls that receive.

use anabranch_sctp::association::{Message, Part};
use anabranch_sctp::endpoint::AssociationId;

use super::arguments::{numbers, structure};
use super::notifications::Notification;
use super::sending::{iov_length, open_number};
use super::socket::{Phase, Socket, Unread};
use super::{Arguments, CallFault, CallResult, Outcome, Reply, Sockets, fails, may_receive};
use crate::machine::Machine;
use crate::script::Value;

/// The data or the notification that one call receives.
#[derive(Debug)]
enum Received {
    Data(Slice),
    Notification(Notification),
}

/// A part of a message.
#[derive(Debug)]
struct Slice {
    id: AssociationId,
    message: Message,
    length: usize,
    /// True if the message ends here.
    is_end: bool,
}

const MSG_EOR: &str = "MSG_EOR";

impl Sockets {
    pub(super) fn receive(
        &mut self,
        machine: &mut Machine,
        name: &str,
        arguments: Arguments<'_>,
    ) -> CallResult {
        let (fd, socket) = self.socket_of(arguments)?;
        let room = match name {
            "sctp_recvv" => iov_length(arguments.at(1)?),
            "recvmsg" => super::arguments::member(arguments.at(1)?, "msg_iov").map_or(0, iov_length),
            _ => open_number(arguments, 2),
        };
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let received = next_notification(socket, false).or_else(|| {
            let found = next_slice(socket, machine, room);
            found.or_else(|| next_notification(socket, true))
        });
        match received {
            Some(received) => self.answer(fd, name, &received),
            None => self.nothing(machine, fd),
        }
    }

    /// The answer of a call that finds nothing: an error, the end, or a wait.
    fn nothing(&mut self, machine: &Machine, fd: i64) -> CallResult {
        let Some(socket) = self.table.get_mut(&fd) else { return fails("EBADF") };
        if let Some(error) = socket.error.take() {
            return fails(error);
        }
        let is_ended = match socket.phase {
            Phase::Ended => true,
            Phase::New if socket.is_many => false,
            Phase::New => return fails("ENOTCONN"),
            Phase::Connecting(_) => false,
            Phase::Connected(id) => !machine.association(id).is_some_and(|known| may_receive(known.state())),
        };
        if is_ended && !socket.is_many {
            return Ok(Reply::Done(Outcome::returns(0)));
        }
        Ok(Reply::Blocks("EAGAIN"))
    }

    fn answer(&self, fd: i64, name: &str, received: &Received) -> CallResult {
        let socket = self.table.get(&fd).ok_or_else(|| CallFault::Script(format!("{fd} is closed")))?;
        let (length, flags) = match received {
            Received::Data(slice) if slice.is_end => (slice.length, Value::Name(MSG_EOR.to_owned())),
            Received::Data(slice) => (slice.length, Value::Number(0)),
            Received::Notification(notification) => {
                let flags = ["MSG_NOTIFICATION", MSG_EOR].map(|name| Value::Name(name.to_owned()));
                (notification.length, Value::Or(flags.to_vec()))
            }
        };
        let outcome = Outcome::returns(i64::try_from(length).unwrap_or(i64::MAX));
        let base = match received {
            Received::Data(_) => Value::Any,
            Received::Notification(notification) => notification.value.clone(),
        };
        let iov = Value::List(vec![structure([("iov_base", base), ("iov_len", Value::Any)])]);
        let info = match received {
            Received::Data(slice) => Some(self.info(socket, slice)),
            Received::Notification(_) => None,
        };
        Ok(Reply::Done(match name {
            "sctp_recvmsg" => match info {
                Some(info) => outcome.with(5, info.as_sinfo()).with(6, flags),
                None => outcome.with(6, flags),
            },
            "sctp_recvv" => {
                let (value, kind) =
                    info.map_or((Value::Any, "SCTP_RECVV_NOINFO"), |info| info.for_recvv(socket));
                let kind = Value::List(vec![Value::Name(kind.to_owned())]);
                outcome.with(1, iov).with(5, value).with(7, kind).with(8, Value::List(vec![flags]))
            }
            "recvmsg" => {
                let controls = info.map_or(Vec::new(), |info| info.controls(socket));
                let message = structure([
                    ("msg_iov", iov),
                    ("msg_control", Value::List(controls)),
                    ("msg_flags", flags),
                ]);
                outcome.with(1, message)
            }
            _ => outcome,
        }))
    }

    fn info(&self, socket: &Socket, slice: &Slice) -> Info {
        let message = &slice.message;
        let next = socket.unread.get(&slice.id).filter(|_| slice.is_end).map(|next| NextInfo {
            stream: next.message.stream.get().into(),
            ppid: next.message.ppid.get().into(),
            unordered: next.message.unordered,
            length: i64::try_from(next.message.len()).unwrap_or(i64::MAX),
            is_complete: next.message.part.ends(),
        });
        Info {
            stream: message.stream.get().into(),
            ssn: if message.unordered { None } else { Some(message.ssn.get().into()) },
            ppid: message.ppid.get().into(),
            unordered: message.unordered,
            association: self.numbers.get(&slice.id).copied().unwrap_or(0),
            next,
        }
    }
}

/// The next notification: one before which all messages were read, or `any`.
fn next_notification(socket: &mut Socket, any: bool) -> Option<Received> {
    let (_, _, is_behind) = socket.notifications.front()?;
    if *is_behind && !any {
        return None;
    }
    let (_, notification, _) = socket.notifications.pop_front()?;
    Some(Received::Notification(notification))
}

/// The next `room` bytes of a message.
fn next_slice(socket: &mut Socket, machine: &mut Machine, room: usize) -> Option<Received> {
    let members = socket.members.clone();
    let id = members.into_iter().find(|id| load(socket, machine, *id))?;
    let unread = socket.unread.get_mut(&id)?;
    let left = unread.message.len() - unread.taken;
    let length = left.min(room);
    let is_end = length == left && unread.message.part.ends();
    let message = unread.message.clone();
    if length == left {
        socket.unread.remove(&id);
        // The next message is described beside this one.
        if socket.options.wants_nxtinfo {
            load(socket, machine, id);
        }
    } else {
        unread.taken += length;
    }
    Some(Received::Data(Slice { id, message, length, is_end }))
}

/// Makes the next message of `id` known; false if there is none.
pub(super) fn load(socket: &mut Socket, machine: &mut Machine, id: AssociationId) -> bool {
    if socket.unread.contains_key(&id) {
        return true;
    }
    match machine.receive(id).filter(|message| message.part != Part::Aborted) {
        Some(message) => {
            socket.unread.insert(id, Unread { message, taken: 0 });
            true
        }
        None => {
            socket.readable.remove(&id);
            false
        }
    }
}

/// The information of a call about the message that it received.
#[derive(Debug)]
struct Info {
    stream: i64,
    /// `None` for unordered messages, whose number means nothing.
    ssn: Option<i64>,
    ppid: i64,
    unordered: bool,
    association: i64,
    next: Option<NextInfo>,
}

/// The information of a call about the message after it.
#[derive(Debug)]
struct NextInfo {
    stream: i64,
    ppid: i64,
    unordered: bool,
    length: i64,
    is_complete: bool,
}

const UNORDERED: i64 = 0x400;
const COMPLETE: i64 = 0x20;

impl Info {
    fn flags(&self) -> i64 {
        if self.unordered { UNORDERED } else { 0 }
    }

    fn ssn(&self) -> Value {
        self.ssn.map_or(Value::Any, Value::Number)
    }

    /// `struct sctp_sndrcvinfo`. The core does not keep the TSNs of messages.
    fn as_sinfo(&self) -> Value {
        structure([
            ("sinfo_stream", Value::Number(self.stream)),
            ("sinfo_ssn", self.ssn()),
            ("sinfo_flags", Value::Number(self.flags())),
            ("sinfo_ppid", Value::Number(self.ppid)),
            ("sinfo_context", Value::Number(0)),
            ("sinfo_timetolive", Value::Number(0)),
            ("sinfo_pr_value", Value::Number(0)),
            ("sinfo_tsn", Value::Any),
            ("sinfo_cumtsn", Value::Any),
            ("sinfo_assoc_id", Value::Number(self.association)),
        ])
    }

    fn as_rcvinfo(&self) -> Value {
        structure([
            ("rcv_sid", Value::Number(self.stream)),
            ("rcv_ssn", self.ssn()),
            ("rcv_flags", Value::Number(self.flags())),
            ("rcv_ppid", Value::Number(self.ppid)),
            ("rcv_tsn", Value::Any),
            ("rcv_cumtsn", Value::Any),
            ("rcv_context", Value::Number(0)),
            ("rcv_assoc_id", Value::Number(self.association)),
        ])
    }

    fn as_nxtinfo(&self, next: &NextInfo) -> Value {
        let unordered = if next.unordered { UNORDERED } else { 0 };
        let complete = if next.is_complete { COMPLETE } else { 0 };
        numbers([
            ("nxt_sid", next.stream),
            ("nxt_flags", unordered | complete),
            ("nxt_ppid", next.ppid),
            ("nxt_length", next.length),
            ("nxt_assoc_id", self.association),
        ])
    }

    /// The information of `sctp_recvv`, and its kind.
    fn for_recvv(&self, socket: &Socket) -> (Value, &'static str) {
        let next = self.next.as_ref().filter(|_| socket.options.wants_nxtinfo);
        match (socket.options.wants_rcvinfo, next) {
            (true, Some(next)) => {
                let both = [("recvv_rcvinfo", self.as_rcvinfo()), ("recvv_nxtinfo", self.as_nxtinfo(next))];
                (structure(both), "SCTP_RECVV_RN")
            }
            (true, None) => (self.as_rcvinfo(), "SCTP_RECVV_RCVINFO"),
            (false, Some(next)) => (self.as_nxtinfo(next), "SCTP_RECVV_NXTINFO"),
            (false, None) => (Value::Any, "SCTP_RECVV_NOINFO"),
        }
    }

    /// The control messages of `recvmsg`.
    fn controls(&self, socket: &Socket) -> Vec<Value> {
        let control = |kind: &str, data: Value| {
            structure([
                ("cmsg_len", Value::Any),
                ("cmsg_level", Value::Name("IPPROTO_SCTP".to_owned())),
                ("cmsg_type", Value::Name(kind.to_owned())),
                ("cmsg_data", data),
            ])
        };
        let mut controls = Vec::new();
        if socket.options.wants_rcvinfo {
            controls.push(control("SCTP_RCVINFO", self.as_rcvinfo()));
        }
        if let Some(next) = self.next.as_ref().filter(|_| socket.options.wants_nxtinfo) {
            controls.push(control("SCTP_NXTINFO", self.as_nxtinfo(next)));
        }
        if socket.options.wants_sndrcv {
            controls.push(control("SCTP_SNDRCV", self.as_sinfo()));
        }
        controls
    }
}
