//! The calls that open, accept and close.

use std::net::SocketAddr;

use anabranch_sctp::association::{Association, PathAddresses};

use super::arguments::{number_argument, socket_address};
use super::receiving::load;
use super::socket::{Phase, Socket};
use super::{Arguments, CallFault, CallResult, Outcome, Reply, Sockets, done, fails, lacking};
use crate::machine::Machine;
use crate::script::Value;

/// `O_RDWR`, and `O_NONBLOCK`.
const READ_WRITE: i64 = 2;
const NONBLOCKING: i64 = 4;

impl Sockets {
    pub(super) fn socket(&mut self, arguments: Arguments<'_>) -> CallResult {
        let kind = arguments.symbol(1)?;
        let is_many = match kind {
            "SOCK_STREAM" => false,
            "SOCK_SEQPACKET" => true,
            other => return lacking(format!("sockets of kind {other}")),
        };
        match arguments.symbol(2)? {
            "IPPROTO_SCTP" => {}
            other => return lacking(format!("sockets of {other}")),
        }
        if !self.table.is_empty() {
            return lacking("a second socket of its own");
        }
        let fd = self.next_fd;
        self.next_fd += 1;
        self.table.insert(fd, Socket { is_many, ..Socket::default() });
        done(fd)
    }

    pub(super) fn fcntl(&mut self, arguments: Arguments<'_>) -> CallResult {
        let (_, socket) = self.socket_of(arguments)?;
        match arguments.symbol(1)? {
            "F_GETFL" => done(READ_WRITE | if socket.is_nonblocking { NONBLOCKING } else { 0 }),
            "F_SETFL" => {
                socket.is_nonblocking = arguments.number(2)? & NONBLOCKING != 0;
                done(0)
            }
            other => lacking(format!("fcntl {other}")),
        }
    }

    pub(super) fn bind(&mut self, machine: &mut Machine, arguments: Arguments<'_>) -> CallResult {
        let (_, socket) = self.socket_of(arguments)?;
        if socket.phase != Phase::New || socket.is_listening {
            return lacking("bind after listen or connect");
        }
        let local = arguments.addresses(1, machine.local())?;
        if let Some(unknown) =
            local.iter().find(|address| !machine.local().iter().any(|l| l.ip() == address.ip()))
        {
            return Err(CallFault::Script(format!("the machine has no address {unknown}")));
        }
        machine.bind(local);
        done(0)
    }

    pub(super) fn listen(&mut self, machine: &mut Machine, arguments: Arguments<'_>) -> CallResult {
        let backlog = arguments.number(1)?;
        let (_, socket) = self.socket_of(arguments)?;
        socket.is_listening = backlog > 0;
        machine.set_accepts(backlog > 0);
        done(0)
    }

    pub(super) fn accept(&mut self, arguments: Arguments<'_>) -> CallResult {
        let (_, socket) = self.socket_of(arguments)?;
        if !socket.is_listening || socket.is_many {
            return fails("EINVAL");
        }
        let Some(id) = socket.backlog.pop_front() else { return Ok(Reply::Blocks("EAGAIN")) };
        let accepted = Socket::accepted(socket, id);
        Ok(self.insert(accepted, id))
    }

    /// Gives `socket` a descriptor.
    fn insert(&mut self, socket: Socket, id: anabranch_sctp::endpoint::AssociationId) -> Reply {
        let fd = self.next_fd;
        self.next_fd += 1;
        self.table.insert(fd, socket);
        self.owners.insert(id, fd);
        Reply::Done(Outcome::returns(fd))
    }

    /// Takes an association out of a socket that has many.
    pub(super) fn peel_off(&mut self, machine: &mut Machine, arguments: Arguments<'_>) -> CallResult {
        let number = arguments.number(1)?;
        let (fd, _) = self.socket_of(arguments)?;
        let Some(id) = self.association_of(fd, Some(number)) else { return fails("ENOENT") };
        if machine.association(id).is_none() {
            return fails("ENOENT");
        }
        let Some(socket) = self.table.get_mut(&fd) else { return fails("EBADF") };
        socket.members.retain(|member| *member != id);
        let mut peeled = Socket::accepted(socket, id);
        if socket.readable.remove(&id) {
            peeled.readable.insert(id);
        }
        Ok(self.insert(peeled, id))
    }

    pub(super) fn connect(
        &mut self,
        machine: &mut Machine,
        name: &str,
        arguments: Arguments<'_>,
        is_again: bool,
    ) -> CallResult {
        let (fd, socket) = self.socket_of(arguments)?;
        match socket.phase {
            Phase::Connecting(_) if is_again => return Ok(Reply::Blocks("EINPROGRESS")),
            Phase::Connecting(_) => return fails("EALREADY"),
            Phase::Connected(_) if is_again => return Ok(Reply::Done(self.connected(fd, name))),
            Phase::Connected(_) => return fails("EISCONN"),
            Phase::Ended if is_again => return fails(socket.error.take().unwrap_or("ECONNREFUSED")),
            Phase::Ended => return fails("EINVAL"),
            Phase::New => {}
        }
        let remote = arguments.addresses(1, &remotes(machine))?;
        let id = machine.connect(&remote).map_err(CallFault::Lacking)?;
        let (_, socket) = self.socket_of(arguments)?;
        socket.members.push(id);
        socket.phase = Phase::Connecting(id);
        self.owners.insert(id, fd);
        self.number_of(id);
        if arguments.0.len() > 3 {
            // FreeBSD's sctp_connectx with room for the association's number does not wait.
            return Ok(Reply::Done(self.connected(fd, name)));
        }
        Ok(Reply::Blocks("EINPROGRESS"))
    }

    /// The outcome of a call that opened the newest association of `fd`.
    fn connected(&self, fd: i64, name: &str) -> Outcome {
        let id = self.table.get(&fd).and_then(|socket| socket.members.last());
        let number = id.and_then(|id| self.numbers.get(id)).copied().unwrap_or(0);
        let outcome = Outcome::returns(0);
        if name == "sctp_connectx" {
            outcome.with(3, Value::List(vec![Value::Number(number)]))
        } else {
            outcome
        }
    }

    pub(super) fn shut_down(&mut self, machine: &mut Machine, arguments: Arguments<'_>) -> CallResult {
        let how = arguments.symbol(1)?.to_owned();
        let (_, socket) = self.socket_of(arguments)?;
        let Phase::Connected(id) = socket.phase else { return fails("ENOTCONN") };
        if how != "SHUT_RD" {
            socket.is_shut = true;
            machine.change(id, Association::close);
        }
        done(0)
    }

    pub(super) fn close(&mut self, machine: &mut Machine, arguments: Arguments<'_>) -> CallResult {
        let (fd, _) = self.socket_of(arguments)?;
        let Some(mut socket) = self.table.remove(&fd) else { return fails("EBADF") };
        if socket.is_listening {
            machine.set_accepts(false);
        }
        for id in socket.members.clone() {
            self.owners.remove(&id);
            let is_abrupt = socket.options.linger == Some(0) || load(&mut socket, machine, id);
            match machine.association(id) {
                Some(association) if association.tags().1.is_none() || is_abrupt => machine.remove(id),
                Some(_) => {
                    machine.change(id, Association::close);
                }
                None => {}
            }
        }
        for id in socket.backlog {
            machine.remove(id);
        }
        done(0)
    }

    /// The addresses of an association, of the peer or of the machine.
    pub(super) fn addresses(
        &mut self,
        machine: &mut Machine,
        name: &str,
        arguments: Arguments<'_>,
    ) -> CallResult {
        let number = number_argument(arguments, 1);
        let (fd, _) = self.socket_of(arguments)?;
        let id = self.association_of(fd, number);
        let Some(association) = id.and_then(|id| machine.association(id)) else { return fails("ENOENT") };
        let mut found: Vec<SocketAddr> = Vec::new();
        for path in association.paths() {
            let PathAddresses { local, remote } = association.path_addresses(path.id);
            let address = if name == "sctp_getpaddrs" { remote } else { local };
            if !found.contains(&address) {
                found.push(address);
            }
        }
        let count = i64::try_from(found.len()).unwrap_or(i64::MAX);
        let list = Value::List(found.into_iter().map(socket_address).collect());
        Ok(Reply::Done(Outcome::returns(count).with(2, list)))
    }
}

/// The addresses of the peer, in the order of the paths.
fn remotes(machine: &Machine) -> Vec<SocketAddr> {
    let mut remotes = Vec::new();
    for path in (0..machine.path_count()).filter_map(|number| machine.path(number)) {
        if !remotes.contains(&path.remote) {
            remotes.push(path.remote);
        }
    }
    remotes
}
