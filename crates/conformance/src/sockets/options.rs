//! Socket options. An option that the core lacks is refused by name.

mod association;
mod endpoint;
mod streams;

use super::arguments::{field, member, numbers};
use super::chosen::FIRST_INTERLEAVE;
use super::notifications::{KINDS, KNOWN};
use super::socket::Socket;
use super::symbols::number;
use super::{Arguments, CallFault, CallResult, Outcome, Reply, Sockets, done, fails, lacking};
use crate::machine::Machine;
use crate::script::Value;

/// `assoc_value` of `struct sctp_assoc_value`, or a number in brackets.
fn value_of(value: &Value) -> Result<i64, CallFault> {
    let found = field(value, "assoc_value").or_else(|| number(value));
    found.ok_or_else(|| CallFault::Script(format!("expected a number, got `{value}`")))
}

impl Sockets {
    pub(super) fn set_option(&mut self, machine: &mut Machine, arguments: Arguments<'_>) -> CallResult {
        let (name, value) = (arguments.symbol(2)?, arguments.at(3)?);
        let (fd, socket) = self.socket_of(arguments)?;
        if let Some(result) = set_own(socket, machine, name, value)? {
            return Ok(result);
        }
        if let Some(result) = endpoint::set(machine, name, value)? {
            return Ok(result);
        }
        let number = [
            "spp_assoc_id",
            "srto_assoc_id",
            "ssp_assoc_id",
            "sas_assoc_id",
            "srs_assoc_id",
            "sasoc_assoc_id",
        ]
        .iter()
        .find_map(|name| field(value, name));
        let id = self.association_of(fd, number);
        if let Some(result) = association::set(machine, id, name, value)? {
            return Ok(result);
        }
        if let Some(result) = streams::set(machine, id, name, value)? {
            return Ok(result);
        }
        lacking(format!("the socket option {name}"))
    }

    pub(super) fn option(&mut self, machine: &mut Machine, arguments: Arguments<'_>) -> CallResult {
        let (name, template) = (arguments.symbol(2)?, arguments.at(3)?);
        let (fd, socket) = self.socket_of(arguments)?;
        let found = match name {
            "SO_ERROR" => {
                let error = socket.error.take();
                Some(error.map_or(Value::Number(0), |error| Value::Name(error.to_owned())))
            }
            _ => own_value(socket, name, template)?,
        };
        let is_many = socket.is_many;
        let id = self.association_of(
            fd,
            ["sstat_assoc_id", "spp_assoc_id"].iter().find_map(|name| field(template, name)),
        );
        // A socket with one association does not number it.
        let known = id.filter(|_| is_many).and_then(|id| self.numbers.get(&id).copied()).unwrap_or(0);
        let found = match found {
            Some(found) => Some(found),
            None => match endpoint::get(machine, name)? {
                Some(found) => Some(found),
                None => association::get(machine, id, known, name, template)?,
            },
        };
        match found {
            Some(value) => Ok(Reply::Done(Outcome::returns(0).with(3, value))),
            None => lacking(format!("the socket option {name}")),
        }
    }
}

/// Sets an option that concerns the socket alone; `None` if `name` is another one.
fn set_own(
    socket: &mut Socket,
    machine: &mut Machine,
    name: &str,
    value: &Value,
) -> Result<Option<Reply>, CallFault> {
    let options = &mut socket.options;
    match name {
        "SO_LINGER" => {
            let seconds = field(value, "linger").unwrap_or(0);
            options.linger = field(value, "onoff").filter(|is_on| *is_on != 0).map(|_| seconds);
        }
        "SCTP_NODELAY" => options.no_delay = value_of(value)? != 0,
        "SCTP_RECVRCVINFO" => options.wants_rcvinfo = value_of(value)? != 0,
        "SCTP_RECVNXTINFO" => options.wants_nxtinfo = value_of(value)? != 0,
        "SCTP_DEFAULT_SNDINFO" => {
            options.send.read_sndinfo(value);
            options.send_context = field(value, "snd_context").unwrap_or(0);
        }
        "SCTP_DEFAULT_SEND_PARAM" => options.send.read_sinfo(value),
        "SCTP_DEFAULT_PRINFO" => options.send.read_prinfo(value),
        "SCTP_CONTEXT" => options.context = value_of(value)?,
        "SCTP_EVENT" => {
            let Some(Value::Name(kind)) = member(value, "se_type") else {
                return Err(CallFault::Script("SCTP_EVENT needs an se_type".to_owned()));
            };
            subscribe(socket, kind, field(value, "se_on").unwrap_or(0) != 0)?;
        }
        "SCTP_EVENTS" => {
            options.wants_sndrcv = field(value, "sctp_data_io_event").unwrap_or(0) != 0;
            for (kind, name) in KINDS.iter().filter(|(_, name)| !name.is_empty()) {
                subscribe(socket, kind, field(value, name).unwrap_or(0) != 0)?;
            }
        }
        "SCTP_FRAGMENT_INTERLEAVE" => options.fragment_interleave = Some(value_of(value)?),
        "SCTP_INTERLEAVING_SUPPORTED" => {
            let is_on = value_of(value)? != 0;
            if is_on && options.fragment_interleave.unwrap_or(FIRST_INTERLEAVE) < 2 {
                // RFC 8260 §4.3.1: the application must be able to receive interleaved messages.
                return Ok(Some(Reply::Done(Outcome::fails("EINVAL"))));
            }
            options.interleaving = is_on;
            machine.set(|config| config.interleaving = is_on).map_err(CallFault::Lacking)?;
        }
        "SCTP_ENABLE_STREAM_RESET" => {
            options.stream_reset = value_of(value)?;
            if options.stream_reset != 0 {
                machine.set(|config| config.stream_reconfiguration = true).map_err(CallFault::Lacking)?;
            }
        }
        _ => return Ok(None),
    }
    done(0).map(Some)
}

/// Subscribes `socket` to notifications of `kind`, or ends that.
fn subscribe(socket: &mut Socket, kind: &str, is_on: bool) -> Result<(), CallFault> {
    let Some((kind, _)) = KINDS.iter().find(|(known, _)| *known == kind) else {
        return lacking(format!("the notification {kind}"));
    };
    if !is_on {
        socket.subscribed.remove(kind);
    } else if KNOWN.contains(kind) {
        socket.subscribed.insert(kind);
    } else {
        return lacking(format!("the notification {kind}"));
    }
    Ok(())
}

/// The value of an option that concerns the socket alone; `None` if `name` is another one.
fn own_value(socket: &Socket, name: &str, template: &Value) -> Result<Option<Value>, CallFault> {
    let options = &socket.options;
    let flag = |is_on: bool| Value::Number(is_on.into());
    Ok(Some(match name {
        // FreeBSD returns the bit of the option, not 1.
        "SO_LINGER" => numbers([
            ("onoff", if options.linger.is_some() { 128 } else { 0 }),
            ("linger", options.linger.unwrap_or(0)),
        ]),
        "SCTP_NODELAY" => Value::Number(if options.no_delay { 4 } else { 0 }),
        "SCTP_RECVRCVINFO" => flag(options.wants_rcvinfo),
        "SCTP_RECVNXTINFO" => flag(options.wants_nxtinfo),
        "SCTP_FRAGMENT_INTERLEAVE" => Value::Number(options.fragment_interleave.unwrap_or(FIRST_INTERLEAVE)),
        "SCTP_INTERLEAVING_SUPPORTED" => numbers([("assoc_value", options.interleaving.into())]),
        "SCTP_ENABLE_STREAM_RESET" => numbers([("assoc_value", options.stream_reset)]),
        "SCTP_CONTEXT" => numbers([("assoc_value", options.context)]),
        "SCTP_DEFAULT_SNDINFO" => numbers([
            ("snd_sid", options.send.stream.into()),
            ("snd_flags", options.send.flags),
            ("snd_ppid", options.send.ppid.into()),
            ("snd_context", options.send_context),
        ]),
        "SCTP_DEFAULT_PRINFO" => {
            numbers([("pr_policy", options.send.pr_policy), ("pr_value", options.send.pr_value)])
        }
        "SCTP_EVENT" => {
            let Some(Value::Name(kind)) = member(template, "se_type") else {
                return Err(CallFault::Script("SCTP_EVENT needs an se_type".to_owned()));
            };
            let is_on = socket.subscribed.iter().any(|known| known == kind);
            super::arguments::structure([("se_type", Value::Name(kind.clone())), ("se_on", flag(is_on))])
        }
        _ => return Ok(None),
    }))
}

/// An option that was refused.
fn refused(error: &'static str) -> Result<Option<Reply>, CallFault> {
    fails(error).map(Some)
}
