//! The end with the local programs: opens flows over the association that stands at present, and accepts connections that
//! arrive at ports of the server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anabranch_net::{Association, CloseReason, StreamId, Streams};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::destination::Destination;
use crate::event::{Event, Report};
use crate::flow::{Arrived, Flow, FlowError, pipe};
use crate::gate;
use crate::rate::Rate;
use crate::server::WRONG_PARTNER;
use crate::signal::{Refused, Signal};
use crate::socks::Reply;

/// The association of a client, which is replaced after it ends. Clones are handles of the same.
#[derive(Clone, Debug)]
pub struct Bond {
    current: watch::Sender<Option<Streams>>,
    report: Report,
}

/// A port of the server whose connections go to a destination at this end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reverse {
    /// The address at the server.
    pub at: Destination,
    /// The destination of connections, from here.
    pub to: Destination,
}

impl Bond {
    /// A bond without an association yet.
    pub fn new(report: Report) -> Bond {
        Bond { current: watch::Sender::new(None), report }
    }

    /// Opens flows over `association` until it ends, and carries connections to `reverse`.
    pub async fn carry(&self, association: Association, reverse: &[Reverse]) -> CloseReason {
        let streams = association.into_streams();
        if !streams.has_credits() {
            streams.association().abort(WRONG_PARTNER);
            return streams.association().closed().await;
        }
        self.current.send_replace(Some(streams.clone()));
        let reason = self.accept_all(&streams, reverse).await;
        self.current.send_replace(None);
        reason
    }

    /// Opens a flow, with the other end's answer. Waits for a moment if there is no association at present.
    ///
    /// # Errors
    /// The other end refuses, or cannot be reached.
    pub(crate) async fn open(&self, signal: &Signal) -> Result<(Flow, Destination), Refused> {
        let unreachable = |why: &dyn ToString| Refused::new(Reply::NetworkUnreachable, why.to_string());
        let mut current = self.current.subscribe();
        let streams = timeout(PATIENCE, current.wait_for(Option::is_some)).await;
        let streams = streams.ok().and_then(Result::ok).and_then(|streams| streams.clone());
        let streams = streams.ok_or_else(|| unreachable(&"there is no connection to the other end"))?;
        let stream = streams.open_next().map_err(|error| unreachable(&error))?;
        let mut flow = Flow::opened_here(stream, &Rate::default());
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

    /// Accepts flows of the server until the association ends.
    async fn accept_all(&self, streams: &Streams, reverse: &[Reverse]) -> CloseReason {
        let ports = Arc::new(Ports::default());
        let mut flows = JoinSet::new();
        for one in reverse {
            let (bond, streams, ports, one) =
                (self.clone(), streams.clone(), Arc::clone(&ports), one.clone());
            flows.spawn(async move { bond.keep_port(&streams, &ports, &one).await });
        }
        loop {
            tokio::select! {
                accepted = streams.accept_stream() => match accepted {
                    Ok(stream) => {
                        let flow = Flow::new(stream, &Rate::default());
                        let (bond, ports) = (self.clone(), Arc::clone(&ports));
                        flows.spawn(async move { bond.arrive(flow, &ports).await });
                    }
                    Err(reason) => return reason,
                },
                Some(_) = flows.join_next() => {}
            }
        }
    }

    /// Keeps a port of the server open as long as the association lives.
    async fn keep_port(&self, streams: &Streams, ports: &Ports, reverse: &Reverse) {
        loop {
            let Ok(stream) = streams.open_next() else { return };
            let id = stream.id();
            // A connection may arrive before the answer is read.
            ports.set(id, Some(reverse.to.clone()));
            let mut flow = Flow::opened_here(stream, &Rate::default());
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
            ports.set(id, None);
            flow.end().await;
            if !streams.association().is_open() {
                return;
            }
            sleep(RETRY).await;
        }
    }

    /// Carries a connection that arrived at a port of the server.
    async fn arrive(&self, mut flow: Flow, ports: &Ports) {
        let request = timeout(PATIENCE, flow.reader.next()).await;
        let listener = match request {
            Ok(Ok(Some(Arrived::Signal(Signal::Arrival { listener, .. })))) => listener,
            // A datagram that was overtaken by the end of its flow.
            Ok(Ok(Some(Arrived::Datagram(_)))) => return,
            _ => return flow.end().await,
        };
        let Some(to) = ports.of(listener) else {
            return flow.refuse(Refused::new(Reply::GeneralFailure, "no such port was opened")).await;
        };
        let connecting = TcpStream::connect((to.host.to_string(), to.port));
        match connecting.await.and_then(|open| Ok((open.local_addr()?, open))) {
            Ok((bound, connection)) => {
                if flow.writer.signal(&Signal::Opened(bound.into())).await.is_ok() {
                    pipe(connection, flow).await;
                }
            }
            Err(error) => {
                let refused = gate::refused(&error);
                self.report.event(Event::Refused {
                    client: "--reverse".to_owned(),
                    destination: to,
                    refused: refused.clone(),
                });
                flow.refuse(refused).await;
            }
        }
    }
}

/// The ports of the server, by the streams that opened them.
#[derive(Debug, Default)]
struct Ports {
    open: Mutex<HashMap<StreamId, Destination>>,
}

impl Ports {
    fn set(&self, id: StreamId, to: Option<Destination>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match to {
            Some(to) => open.insert(id, to),
            None => open.remove(&id),
        };
    }

    fn of(&self, id: StreamId) -> Option<Destination> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }
}

/// The time for which a program waits while there is no association.
const PATIENCE: Duration = Duration::from_secs(20);
/// The pause before a port of the server that was refused is asked for again.
const RETRY: Duration = Duration::from_secs(30);
