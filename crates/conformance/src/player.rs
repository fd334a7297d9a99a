//! Plays a script: each event at its time, on the machine and its sockets.

mod calls;
mod packets;
mod time;
mod trace;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_policies::ipcc;
use anabranch_sctp::association::PathAddresses;
use anabranch_sctp::config::Encapsulation;
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;

use crate::controls::{self, Multipath, RunOptions};
use crate::machine::Machine;
use crate::packet::Numbers;
use crate::script::{Action, PathEvent, Script, ScriptEvent};
use crate::sockets::Sockets;
use crate::verdict::{Failure, Lacking, Verdict};
use calls::Pending;

/// The reason for which a script stops before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stop {
    Failed(Failure),
    Lacking(Lacking),
}

impl Stop {
    fn failed(
        line: usize,
        what: impl Into<String>,
        expected: impl Into<String>,
        got: impl Into<String>,
    ) -> Stop {
        let (expected, got) = (expected.into(), got.into());
        Stop::Failed(Failure { line, what: what.into(), expected, got })
    }

    fn lacking(line: usize, what: impl Into<String>) -> Stop {
        Stop::Lacking(Lacking { line, what: what.into() })
    }
}

/// A script that is being played.
#[derive(Debug)]
struct Player {
    machine: Machine,
    sockets: Sockets,
    numbers: Numbers,
    options: RunOptions,
    /// A call that has not returned.
    pending: Option<Pending>,
    /// A line for each call and packet.
    trace: Vec<String>,
}

/// The UDP port of all addresses.
const UDP_PORT: u16 = 9_899;

/// Plays `script` to its end. Returns also a line for each call and packet, in order of time.
pub(crate) fn play(script: &Script) -> (Verdict, Vec<String>) {
    let options = match RunOptions::read(&script.options) {
        Ok(options) => options,
        Err((line, what)) => return (Verdict::NotApplicable(Lacking { line, what }), Vec::new()),
    };
    let mut player = Player::new(options);
    let verdict = match player.play_all(script) {
        Ok(()) => Verdict::Passed,
        Err(Stop::Failed(failure)) => Verdict::Failed(failure),
        Err(Stop::Lacking(lacking)) => Verdict::NotApplicable(lacking),
    };
    player.trace_rest();
    (verdict, player.trace)
}

impl Player {
    fn new(options: RunOptions) -> Player {
        let mut settings = controls::first_settings();
        if let Some(mtu) = options.mtu {
            settings.mtu = ByteCount::new(mtu);
        }
        if options.is_encapsulated {
            settings.encapsulation = Encapsulation::Udp;
        }
        if options.is_sealed {
            settings.encapsulation = Encapsulation::Sealed;
        }
        match options.multipath {
            Multipath::Off => settings.scheduler = "primary".to_owned(),
            Multipath::Cmt => settings.set_cmt(CmtRules::ALL),
            Multipath::Ipcc => ipcc::choose(&mut settings),
        }
        let paths = (0..options.paths).map(|number| path(number, options.is_ipv6)).collect();
        Player {
            machine: Machine::new(settings, paths),
            sockets: Sockets::new(),
            numbers: Numbers::default(),
            options,
            pending: None,
            trace: Vec::new(),
        }
    }

    fn play_all(&mut self, script: &Script) -> Result<(), Stop> {
        for event in &script.events {
            let played = self.play(event);
            if self.machine.is_worn() {
                return Err(Stop::lacking(event.line, "patience: too many timers run before this event"));
            }
            played?;
        }
        self.finish()
    }

    fn play(&mut self, event: &ScriptEvent) -> Result<(), Stop> {
        let line = event.line;
        match &event.action {
            Action::Expect(packet) => self.expect(line, event.when, packet),
            Action::Call(call) => {
                self.wait_until(line, event.when)?;
                self.call(line, call)
            }
            Action::Inject(packet) => {
                self.wait_until(line, event.when)?;
                self.inject(line, packet)?;
                self.after_change()
            }
            Action::Quiet => {
                self.wait_until(line, event.when)?;
                self.expect_nothing(line)
            }
            Action::Command(command) => {
                self.wait_until(line, event.when)?;
                let mut result = Ok(());
                let changed = self.machine.set(|config| result = controls::apply(config, command));
                result.and(changed).map_err(|what| Stop::lacking(line, what))
            }
            Action::Path(number, change) => {
                self.wait_until(line, event.when)?;
                let local = self.path(line, *number)?.local;
                self.machine.set_local(local, *change == PathEvent::Up);
                self.after_change()
            }
        }
    }

    /// Passes what the machine reports to the sockets, and to the call that waits.
    fn after_change(&mut self) -> Result<(), Stop> {
        self.sockets.take_events(&mut self.machine);
        self.retry()
    }

    /// The addresses of the path `number` of the script.
    fn path(&self, line: usize, number: usize) -> Result<PathAddresses, Stop> {
        let path = self.machine.path(number);
        path.ok_or_else(|| {
            Stop::lacking(line, format!("a path {number}: the script has no --paths={}", number + 1))
        })
    }

    /// Lets time pass until `time`. Timers that are due at `time` itself wait for the event.
    fn run_until(&mut self, time: Time) -> Result<(), Stop> {
        let before = Time::from_nanos(time.as_nanos().saturating_sub(1));
        if before > self.machine.now() {
            while self.machine.step(before) {
                self.after_change()?;
            }
        }
        self.machine.set_now(time);
        Ok(())
    }

    /// The end of the script: a call that waits must return.
    fn finish(&mut self) -> Result<(), Stop> {
        let Some(pending) = &self.pending else { return Ok(()) };
        let until = pending.latest + self.options.tolerance + Duration::from_nanos(1);
        self.run_until(until)?;
        self.give_up_pending()
    }
}

/// The addresses of the path `number`: those of packetdrill for the first one, and their neighbours.
fn path(number: usize, is_ipv6: bool) -> PathAddresses {
    let last = u8::try_from(number).unwrap_or(u8::MAX);
    let (local, remote): (IpAddr, IpAddr) = if is_ipv6 {
        let segment = 0x600 + u16::from(last);
        let local = Ipv6Addr::new(0xfd3d, 0xfa7b, 0xd17d, segment, 0, 0, 0, 1);
        (local.into(), Ipv6Addr::new(0x2001, 0xdb8, u16::from(last), 0, 0, 0, 0, 1).into())
    } else {
        (Ipv4Addr::new(192, 168, last, 1).into(), Ipv4Addr::new(192, 0, 2, last + 1).into())
    };
    PathAddresses { local: SocketAddr::new(local, UDP_PORT), remote: SocketAddr::new(remote, UDP_PORT) }
}
