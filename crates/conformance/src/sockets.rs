//! The socket interface of RFC 6458 over the machine, as FreeBSD has it: calls by name, with values in and out. A call
//! never waits: [`Reply::Blocks`] says that it would.

mod arguments;
mod chosen;
mod notifications;
mod opening;
mod options;
mod receiving;
mod sending;
mod socket;
mod symbols;

use std::collections::BTreeMap;

use anabranch_sctp::association::AssociationState;
use anabranch_sctp::endpoint::AssociationId;
use anabranch_sctp::event::{CloseReason, Event};

use crate::machine::Machine;
use crate::script::{Call, Value};
pub(crate) use arguments::Arguments;
use notifications::Notification;
use socket::{Phase, Socket};
pub(crate) use symbols::{errno, number};

/// The result of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// The value that it returns.
    pub(crate) result: i64,
    /// The error.
    pub(crate) error: Option<&'static str>,
    /// The arguments that it filled, by position.
    pub(crate) filled: Vec<(usize, Value)>,
}

impl Outcome {
    fn returns(result: i64) -> Outcome {
        Outcome { result, ..Outcome::default() }
    }

    fn with(mut self, argument: usize, value: Value) -> Outcome {
        self.filled.push((argument, value));
        self
    }

    fn fails(error: &'static str) -> Outcome {
        Outcome { result: -1, error: Some(error), filled: Vec::new() }
    }
}

/// The answer to a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    /// It returned.
    Done(Outcome),
    /// It waits; a socket that does not block returns this error.
    Blocks(&'static str),
}

/// The reason for which a call was not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CallFault {
    /// The interface or the core lacks something, which this names.
    Lacking(String),
    /// The script makes no sense.
    Script(String),
}

/// The answer to a call, or the reason for which there is none.
pub(crate) type CallResult = Result<Reply, CallFault>;

fn done(result: i64) -> CallResult {
    Ok(Reply::Done(Outcome::returns(result)))
}

fn fails(error: &'static str) -> CallResult {
    Ok(Reply::Done(Outcome::fails(error)))
}

fn lacking<T>(what: impl Into<String>) -> Result<T, CallFault> {
    Err(CallFault::Lacking(what.into()))
}

/// The sockets of the application.
#[derive(Debug)]
pub(crate) struct Sockets {
    table: BTreeMap<i64, Socket>,
    /// The socket of each association, while it is open.
    owners: BTreeMap<AssociationId, i64>,
    /// The numbers that the application knows associations by.
    numbers: BTreeMap<AssociationId, i64>,
    next_fd: i64,
}

/// Descriptors below are those of the terminal.
const FIRST_FD: i64 = 3;

/// The number of the first association: the ones below mean future, current and all associations.
const FIRST_ASSOCIATION: i64 = 3;

impl Sockets {
    pub(crate) fn new() -> Sockets {
        let (table, owners, numbers) = Default::default();
        Sockets { table, owners, numbers, next_fd: FIRST_FD }
    }

    /// True if `call` returns an error instead of waiting.
    pub(crate) fn is_nonblocking(&self, call: &Call) -> bool {
        let fd = Arguments(&call.arguments).number(0);
        fd.ok().and_then(|fd| self.table.get(&fd)).is_none_or(|socket| socket.is_nonblocking)
    }

    /// Makes `call`, for the first time or, after [`Reply::Blocks`], again.
    pub(crate) fn call(&mut self, machine: &mut Machine, call: &Call, is_again: bool) -> CallResult {
        let arguments = Arguments(&call.arguments);
        match call.name.as_str() {
            "socket" => self.socket(arguments),
            "fcntl" => self.fcntl(arguments),
            "bind" | "sctp_bindx" => self.bind(machine, arguments),
            "listen" => self.listen(machine, arguments),
            "accept" => self.accept(arguments),
            "connect" | "sctp_connectx" => self.connect(machine, &call.name, arguments, is_again),
            "sctp_peeloff" => self.peel_off(machine, arguments),
            "shutdown" => self.shut_down(machine, arguments),
            "close" => self.close(machine, arguments),
            "sctp_getpaddrs" | "sctp_getladdrs" => self.addresses(machine, &call.name, arguments),
            "sctp_freepaddrs" | "sctp_freeladdrs" => done(0),
            "setsockopt" => self.set_option(machine, arguments),
            "getsockopt" | "sctp_opt_info" => self.option(machine, arguments),
            "write" | "send" | "sendto" | "sctp_send" | "sctp_sendx" | "sctp_sendmsg" | "sctp_sendv"
            | "sendmsg" => self.send(machine, &call.name, arguments),
            "read" | "recv" | "recvfrom" | "sctp_recvmsg" | "sctp_recvv" | "recvmsg" => {
                self.receive(machine, &call.name, arguments)
            }
            other => lacking(format!("the call {other}")),
        }
    }

    /// Passes what the machine reports to the sockets.
    pub(crate) fn take_events(&mut self, machine: &mut Machine) {
        while let Some((id, event)) = machine.poll_event() {
            self.on_event(machine, id, &event);
        }
    }

    fn on_event(&mut self, machine: &mut Machine, id: AssociationId, event: &Event) {
        if matches!(event, Event::Connected) && !self.owners.contains_key(&id) {
            self.on_accepted(id);
        }
        let number = self.number_of(id);
        let Some(fd) = self.owners.get(&id).copied() else {
            if matches!(event, Event::Closed(_)) {
                machine.remove(id);
            }
            return;
        };
        let Some(socket) = self.table.get_mut(&fd) else { return };
        if matches!(event, Event::Readable) {
            socket.readable.insert(id);
        }
        for notification in Notification::of(event, machine, id, number) {
            socket.notify(id, notification);
        }
        if let Event::Closed(reason) = event {
            socket.on_closed(id, error_of(reason, socket.is_opening(id)));
        } else if matches!(event, Event::Connected) {
            socket.on_connected(id);
        }
    }

    /// The peer opened the association `id`: it waits for `accept`, or belongs to the socket if that has many.
    fn on_accepted(&mut self, id: AssociationId) {
        let Some((fd, socket)) = self.table.iter_mut().find(|(_, socket)| socket.is_listening) else {
            return;
        };
        if socket.is_many {
            self.owners.insert(id, *fd);
            socket.members.push(id);
        } else {
            // A socket without descriptor until it is accepted.
            socket.backlog.push_back(id);
        }
    }

    /// The number by which the application knows `id`.
    fn number_of(&mut self, id: AssociationId) -> i64 {
        let next =
            FIRST_ASSOCIATION + i64::try_from(self.numbers.len()).unwrap_or(i64::MAX - FIRST_ASSOCIATION);
        *self.numbers.entry(id).or_insert(next)
    }

    /// The open socket of the first argument.
    fn socket_of(&mut self, arguments: Arguments<'_>) -> Result<(i64, &mut Socket), CallFault> {
        let fd = arguments.number(0)?;
        let socket = self.table.get_mut(&fd);
        socket
            .map(|socket| (fd, socket))
            .ok_or_else(|| CallFault::Script(format!("{fd} is not an open socket")))
    }

    /// The association that a call on the socket means, by the number in its arguments where the socket has many.
    fn association_of(&self, fd: i64, number: Option<i64>) -> Option<AssociationId> {
        let socket = self.table.get(&fd)?;
        match number.filter(|number| *number >= FIRST_ASSOCIATION) {
            Some(number) => {
                let id = self.numbers.iter().find(|(_, known)| **known == number).map(|(id, _)| *id)?;
                socket.members.contains(&id).then_some(id)
            }
            None => socket.members.last().copied(),
        }
    }
}

/// The error of a socket whose association ended for `reason`; `None` if it ended in order.
fn error_of(reason: &CloseReason, was_opening: bool) -> Option<&'static str> {
    match reason {
        CloseReason::Graceful => None,
        CloseReason::NoAnswer { .. } | CloseReason::PeerGone { .. } => Some("ETIMEDOUT"),
        CloseReason::AbortedByPeer { .. } if was_opening => Some("ECONNREFUSED"),
        CloseReason::AbortedByPeer { .. } => Some("ECONNRESET"),
        _ => Some("ECONNABORTED"),
    }
}

/// True if data can still arrive in `state`.
fn may_receive(state: AssociationState) -> bool {
    matches!(
        state,
        AssociationState::Established | AssociationState::ShutdownPending | AssociationState::ShutdownSent
    )
}

impl Socket {
    fn is_opening(&self, id: AssociationId) -> bool {
        self.phase == Phase::Connecting(id)
    }
}
