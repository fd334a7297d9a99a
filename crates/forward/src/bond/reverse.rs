//! Ports of the server whose connections go to destinations at this end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anabranch_net::StreamId;
use anabranch_net::streams::OpenError;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout};

use crate::destination::Destination;
use crate::event::{Event, Report};
use crate::flow::{Carrier, Flow, FlowError, pipe};
use crate::gate;
use crate::ledger::{FlowKind, Ledger, NewFlow};
use crate::marked;
use crate::rate::Rate;
use crate::signal::{Refused, Signal};
use crate::socks::Reply;

use super::LOCAL;

/// A port of the server whose connections go to a destination at this end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reverse {
    /// The address at the server.
    pub at: Destination,
    /// The destination of connections, from here.
    pub to: Destination,
    /// The mark of the packets to it, where flows of this host are captured.
    pub mark: Option<u32>,
}

/// The ports of the server on one association. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Ports {
    carrier: Carrier,
    report: Report,
    ledger: Ledger,
    /// The ports by the streams that opened the ports.
    open: Arc<Mutex<HashMap<StreamId, Reverse>>>,
    arrivals: Arc<Semaphore>,
}

impl Ports {
    pub(super) fn new(carrier: Carrier, report: Report, ledger: Ledger) -> Ports {
        Ports {
            carrier,
            report,
            ledger,
            open: Arc::default(),
            arrivals: Arc::new(Semaphore::new(MOST_ARRIVALS)),
        }
    }

    /// Keeps a port of the server open as long as the association lives.
    pub(super) async fn keep(self, reverse: Reverse) {
        loop {
            let mut flow = match self.carrier.open(&Rate::default()) {
                Ok(flow) => flow,
                Err(OpenError::AllInUse(_)) => {
                    sleep(RETRY).await;
                    continue;
                }
                Err(_) => return,
            };
            let id = flow.id();
            // A connection may arrive before the answer is read.
            self.set(id, Some(reverse.clone()));
            match flow.ask(&Signal::Listen(reverse.at.clone())).await {
                Ok(Signal::Opened(address)) => {
                    self.report.event(Event::Listening { client: reverse.to.to_string(), address });
                    while matches!(flow.reader.next().await, Ok(Some(_))) {}
                }
                Err(FlowError::Refused(refused)) => self.report.event(Event::Refused {
                    client: format!("--reverse to {}", reverse.to),
                    destination: reverse.at.clone(),
                    refused,
                }),
                _ => {}
            }
            // Afterwards the stream may be another flow's.
            self.set(id, None);
            flow.end().await;
            if !self.carrier.is_open() {
                return;
            }
            sleep(RETRY).await;
        }
    }

    /// Serves a stream that the server opened: a connection that arrived at one of its ports.
    pub(super) async fn serve(self, mut flow: Flow) {
        match flow.request(Instant::now() + PATIENCE).await {
            Ok(Some(Signal::Arrival { listener, source })) => self.carry(flow, listener, &source).await,
            Ok(Some(Signal::Broken(id))) => {
                self.carrier.on_broken(id);
                flow.dismiss().await;
            }
            Ok(None) => {}
            _ => flow.dismiss().await,
        }
    }

    async fn carry(&self, mut flow: Flow, listener: StreamId, source: &Destination) {
        let Some(Reverse { to, mark, .. }) = self.of(listener) else {
            return flow.refuse(Refused::new(Reply::GeneralFailure, "no such port was opened")).await;
        };
        let Ok(_permit) = self.arrivals.try_acquire() else {
            let many =
                format!("this end carries {MOST_ARRIVALS} connections of ports of the server, the most");
            return self.refuse(flow, to, Refused::new(Reply::GeneralFailure, many)).await;
        };
        let connecting = timeout(PATIENCE, marked::connect(&to, mark));
        let connected = connecting.await.unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into()));
        match connected.and_then(|open| Ok((open.local_addr()?, open))) {
            Ok((bound, connection)) => {
                if flow.writer.signal(&Signal::Opened(bound.into())).await.is_ok() {
                    let (kind, client) = (FlowKind::Reverse, source.to_string());
                    flow.enter(&self.ledger, NewFlow { kind, account: LOCAL, client }, Some(to));
                    pipe(connection, flow).await;
                }
            }
            Err(error) => self.refuse(flow, to, gate::refused(&error)).await,
        }
    }

    async fn refuse(&self, flow: Flow, destination: Destination, refused: Refused) {
        self.ledger.on_refused(LOCAL, refused.reply);
        let client = "--reverse".to_owned();
        self.report.event(Event::Refused { client, destination, refused: refused.clone() });
        flow.refuse(refused).await;
    }

    fn set(&self, id: StreamId, reverse: Option<Reverse>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match reverse {
            Some(reverse) => open.insert(id, reverse),
            None => open.remove(&id),
        };
    }

    fn of(&self, id: StreamId) -> Option<Reverse> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }
}

/// The time for the request of the server, and for a connection to the destination.
const PATIENCE: Duration = Duration::from_secs(20);
/// The pause before a port of the server that was refused is asked for again.
const RETRY: Duration = Duration::from_secs(30);
/// The connections of ports of the server at once: a server that opens more harms itself alone.
const MOST_ARRIVALS: usize = 10_000;
