//! The end with the local programs: opens flows over the association that stands at present, and accepts connections that
//! arrive at ports of the server.

mod reverse;

use std::net::SocketAddr;
use std::time::Duration;

use anabranch_net::streams::OpenError;
use anabranch_net::{Association, CloseReason};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::datagrams::Budget;
use crate::destination::Destination;
use crate::event::Report;
use crate::flow::{Carrier, Flow, FlowError};
use crate::ledger::{FlowKind, Ledger, NewFlow};
use crate::rate::Rate;
use crate::server::WRONG_PARTNER;
use crate::signal::{Refused, Signal};
use crate::socks::Reply;

use reverse::Ports;
pub use reverse::Reverse;

/// The associations of a client: the newest one carries new flows, and an older one again when that ends. Clones are
/// handles of the same.
#[derive(Clone, Debug)]
pub struct Bond {
    /// The oldest one first.
    carriers: watch::Sender<Vec<Carrier>>,
    report: Report,
    /// The bytes of datagrams that wait for an association.
    waiting: Budget,
    ledger: Ledger,
}

/// An association among those of a bond, until it is dropped.
struct Member {
    bond: Bond,
    carrier: Carrier,
}

impl Bond {
    /// A bond without an association yet.
    pub fn new(report: Report) -> Bond {
        let (waiting, ledger) = (Budget::new(MOST_WAITING), Ledger::default());
        ledger.expect(LOCAL);
        Bond { carriers: watch::Sender::new(Vec::new()), report, waiting, ledger }
    }

    /// The flows of local programs.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Opens flows over `association` until it ends, and carries connections to `reverse`.
    pub async fn carry(&self, association: Association, reverse: &[Reverse]) -> CloseReason {
        let streams = association.into_streams();
        if !streams.has_credits() {
            streams.association().abort(WRONG_PARTNER);
            return streams.association().closed().await;
        }
        let member = Member::new(self, Carrier::new(streams));
        self.accept_all(&member.carrier, reverse).await
    }

    /// Opens a flow for `program`, with the other end's answer. Waits for a moment if there is no association at present.
    ///
    /// # Errors
    /// The other end refuses, or cannot be reached.
    pub(crate) async fn open(
        &self,
        program: SocketAddr,
        signal: &Signal,
    ) -> Result<(Flow, Destination), Refused> {
        let opened = self.try_open(signal).await;
        let (mut flow, bound) = opened.inspect_err(|refused| self.ledger.on_refused(LOCAL, refused.reply))?;
        let (kind, destination) = match signal {
            Signal::Connect(destination) => (FlowKind::Tcp, Some(destination.clone())),
            _ => (FlowKind::Datagrams, None),
        };
        let new = NewFlow { kind, account: LOCAL, client: program.to_string() };
        flow.enter(&self.ledger, new, destination);
        Ok((flow, bound))
    }

    async fn try_open(&self, signal: &Signal) -> Result<(Flow, Destination), Refused> {
        let unreachable = |why: &dyn ToString| Refused::new(Reply::NetworkUnreachable, why.to_string());
        let mut carriers = self.carriers.subscribe();
        let is_there = |all: &Vec<Carrier>| all.iter().any(Carrier::is_open);
        let present = timeout(PATIENCE, carriers.wait_for(is_there)).await;
        let present = present.ok().and_then(Result::ok).map(|all| all.clone());
        let present = present.ok_or_else(|| unreachable(&"there is no connection to the other end"))?;
        let mut flow = open_newest(&present)?;
        match flow.ask(signal).await {
            Ok(Signal::Opened(bound)) => Ok((flow, bound)),
            Ok(_) => Err(unreachable(&FlowError::Unexpected)),
            Err(error) => {
                tokio::spawn(flow.end());
                Err(match error {
                    FlowError::Refused(refused) => refused,
                    other => unreachable(&other),
                })
            }
        }
    }

    /// The receiver of events.
    pub(crate) fn report(&self) -> &Report {
        &self.report
    }

    /// The room for datagrams that wait.
    pub(crate) fn waiting(&self) -> &Budget {
        &self.waiting
    }

    /// Accepts flows of the server until the association ends.
    async fn accept_all(&self, carrier: &Carrier, reverse: &[Reverse]) -> CloseReason {
        let ports = Ports::new(carrier.clone(), self.report.clone(), self.ledger.clone());
        let mut flows = JoinSet::new();
        for one in reverse {
            flows.spawn(ports.clone().keep(one.clone()));
        }
        loop {
            tokio::select! {
                accepted = carrier.streams().accept_stream() => match accepted {
                    Ok(stream) => {
                        flows.spawn(ports.clone().serve(Flow::new(stream, carrier, &Rate::default())));
                    }
                    Err(reason) => return reason,
                },
                Some(_) = flows.join_next() => {}
            }
        }
    }
}

impl Member {
    fn new(bond: &Bond, carrier: Carrier) -> Member {
        bond.carriers.send_modify(|all| all.push(carrier.clone()));
        Member { bond: bond.clone(), carrier }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.bond.carriers.send_modify(|all| all.retain(|one| !one.is(&self.carrier)));
    }
}

/// Opens a stream of the newest association that has one.
fn open_newest(carriers: &[Carrier]) -> Result<Flow, Refused> {
    let mut streams = 0;
    for carrier in carriers.iter().rev() {
        match carrier.open(&Rate::default()) {
            Ok(flow) => return Ok(flow),
            Err(OpenError::AllInUse(count)) => streams += u32::from(count) / 2,
            Err(_) => {}
        }
    }
    Err(match streams {
        0 => Refused::new(Reply::NetworkUnreachable, "the bond to the other end has ended"),
        // A limit of this end, which time cures.
        full => Refused::new(
            Reply::GeneralFailure,
            format!(
                "the bond carries {full} flows, the most that it can: end some connections, or run another \
                 `anabranch forward` with ports of its own"
            ),
        ),
    })
}

/// The name under which the flows of all local programs are counted.
const LOCAL: &str = "local";
/// The time for which a program waits while there is no association.
const PATIENCE: Duration = Duration::from_secs(20);
/// The bytes of datagrams of all local programs that wait.
const MOST_WAITING: usize = 32 << 20;
