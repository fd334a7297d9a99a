//! Makes the calls of a script, and compares their outcomes.

use anabranch_base::Time;

use super::time::seconds;
use super::{Player, Stop};
use crate::script::{Call, Value};
use crate::sockets::{CallFault, Outcome, Reply, errno};
use crate::values::matches;

/// A call that has not returned.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) line: usize,
    call: Call,
    /// The time at which it returns, as the script says.
    pub(super) latest: Time,
}

impl Player {
    /// Makes `call` now.
    pub(super) fn call(&mut self, line: usize, call: &Call) -> Result<(), Stop> {
        if let Some(pending) = &self.pending {
            return Err(Stop::lacking(line, format!("a call while that of line {} waits", pending.line)));
        }
        let began = self.machine.now();
        let reply = self.make(line, call, false)?;
        self.trace_call(call, &reply);
        self.sockets.take_events(&mut self.machine);
        match (reply, call.returns) {
            (Reply::Done(outcome), _) => check(line, call, &outcome),
            (Reply::Blocks(error), _) if self.sockets.is_nonblocking(call) => {
                check(line, call, &Outcome { result: -1, error: Some(error), filled: Vec::new() })
            }
            (Reply::Blocks(_), Some(returns)) => {
                // Its end is written on the same clock as its beginning.
                let latest = began.max(Time::ZERO + returns).max(began + returns);
                self.pending = Some(Pending { line, call: call.clone(), latest });
                Ok(())
            }
            (Reply::Blocks(_), None) => {
                Err(Stop::failed(line, format!("{} waits", call.name), "that it returns at once", "it waits"))
            }
        }
    }

    fn make(&mut self, line: usize, call: &Call, is_again: bool) -> Result<Reply, Stop> {
        self.sockets.call(&mut self.machine, call, is_again).map_err(|fault| match fault {
            CallFault::Lacking(what) | CallFault::Script(what) => Stop::lacking(line, what),
        })
    }

    /// Makes the call that waits again.
    pub(super) fn retry(&mut self) -> Result<(), Stop> {
        let Some(Pending { line, call, latest }) = self.pending.take() else { return Ok(()) };
        match self.make(line, &call, true)? {
            Reply::Blocks(_) => {
                self.pending = Some(Pending { line, call, latest });
                Ok(())
            }
            Reply::Done(outcome) => {
                self.sockets.take_events(&mut self.machine);
                check(line, &call, &outcome)?;
                let (now, tolerance) = (self.machine.now(), self.options.tolerance);
                if now > latest + tolerance || now + tolerance < latest {
                    let what = format!("{} returned at another time", call.name);
                    return Err(Stop::failed(line, what, seconds(latest), seconds(now)));
                }
                Ok(())
            }
        }
    }

    /// The call that waits did not return in time.
    pub(super) fn give_up_pending(&mut self) -> Result<(), Stop> {
        let Some(Pending { line, call, latest }) = self.pending.take() else { return Ok(()) };
        let what = format!("{} did not return", call.name);
        Err(Stop::failed(line, what, seconds(latest), "it waits"))
    }
}

/// Compares the outcome of a call with what the script says.
fn check(line: usize, call: &Call, outcome: &Outcome) -> Result<(), Stop> {
    let got = || {
        let error = outcome.error.map_or(String::new(), |error| format!(" {error}"));
        format!("{}{error}", outcome.result)
    };
    if let Some(expected) = &call.result {
        let wanted_error = call.error.as_deref();
        if let Some(unknown) = wanted_error.filter(|name| errno(name).is_none()) {
            return Err(Stop::lacking(line, format!("the error {unknown}")));
        }
        let same_error = match (wanted_error, outcome.error) {
            (Some(wanted), Some(got)) => errno(wanted) == errno(got),
            (Some(_), None) => false,
            (None, _) => true,
        };
        if !matches(expected, &Value::Number(outcome.result)) || !same_error {
            let error = wanted_error.map_or(String::new(), |error| format!(" {error}"));
            let what = format!("{} returned something else", call.name);
            return Err(Stop::failed(line, what, format!("{expected}{error}"), got()));
        }
    }
    if outcome.error.is_some() {
        return Ok(());
    }
    for (position, value) in &outcome.filled {
        let Some(expected) = call.arguments.get(*position) else { continue };
        if !matches(expected, value) {
            let what = format!("argument {} of {} is something else", position + 1, call.name);
            return Err(Stop::failed(line, what, expected.to_string(), value.to_string()));
        }
    }
    Ok(())
}
