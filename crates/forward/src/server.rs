//! The end that connects to destinations: serves the flows that a client opens.

mod datagrams;
mod ports;

use std::sync::Arc;
use std::time::Duration;

use anabranch_net::{Association, CloseReason, Stream, Streams};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::destination::Destination;
use crate::event::{Event, Report};
use crate::flow::{Arrived, Flow, pipe};
use crate::gate::Gate;
use crate::permissions::ReversePermissions;
use crate::rate::Rate;
use crate::signal::{Refused, Signal};
use crate::socks::Reply;

/// The rules and limits of a server.
#[derive(Debug)]
pub struct Server {
    /// The destinations that it connects to.
    pub gate: Gate,
    /// The ports that clients may open.
    pub reverse: ReversePermissions,
    /// The number of flows that a client may have at once.
    pub most_flows: usize,
    /// The receiver of its events.
    pub report: Report,
}

/// A client of a server, with one association or several.
#[derive(Clone, Debug)]
pub struct Client {
    /// The name, for the log and the permissions.
    name: Arc<str>,
    /// The rate of its flows.
    rate: Rate,
    flows: Arc<Semaphore>,
    sockets: Arc<Semaphore>,
}

impl Client {
    /// A client of `server`.
    pub fn new(name: &str, rate: Rate, server: &Server) -> Client {
        let flows = Arc::new(Semaphore::new(server.most_flows));
        let sockets = Arc::new(Semaphore::new(datagrams::MOST_SOCKETS_OF_CLIENT));
        Client { name: name.into(), rate, flows, sockets }
    }

    /// Returns true if no other clone is in use: no association of it is served.
    pub fn is_idle(&self) -> bool {
        Arc::strong_count(&self.name) == 1
    }
}

impl Server {
    /// Serves an association of `client` until it ends, and its flows with it.
    pub async fn serve(self: Arc<Self>, client: Client, association: Association) -> CloseReason {
        let streams = association.into_streams();
        if !streams.has_credits() {
            streams.association().abort(WRONG_PARTNER);
            return streams.association().closed().await;
        }
        let mut flows = JoinSet::new();
        loop {
            tokio::select! {
                accepted = streams.accept_stream() => match accepted {
                    Ok(stream) => {
                        let (server, client, streams) = (Arc::clone(&self), client.clone(), streams.clone());
                        flows.spawn(async move { server.serve_stream(&client, stream, &streams).await });
                    }
                    Err(reason) => return reason,
                },
                Some(_) = flows.join_next() => {}
            }
        }
    }

    async fn serve_stream(&self, client: &Client, stream: Stream, streams: &Streams) {
        let mut flow = Flow::new(stream, &client.rate);
        let request = match timeout(REQUEST, flow.reader.next()).await {
            Ok(Ok(Some(Arrived::Signal(request)))) => request,
            // A datagram that was overtaken by the end of its flow, or an end, which the client would answer with another.
            Ok(Ok(Some(Arrived::Datagram(_)) | None)) => return,
            _ => return flow.end().await,
        };
        let Some(permit) = self.admit(client) else {
            let many = format!("the client has {} flows, the most that the server permits", self.most_flows);
            let refused = Refused::new(Reply::GeneralFailure, many);
            if let Signal::Connect(destination) | Signal::Listen(destination) = &request {
                self.report_refusal(client, destination, &refused);
            }
            return flow.refuse(refused).await;
        };
        match request {
            Signal::Connect(destination) => self.connect(client, &destination, flow).await,
            Signal::Datagrams { is_full_cone } => datagrams::serve(self, client, flow, is_full_cone).await,
            Signal::Listen(port) => ports::serve(self, client, &port, flow, streams).await,
            _ => flow.end().await,
        }
        drop(permit);
    }

    async fn connect(&self, client: &Client, destination: &Destination, mut flow: Flow) {
        let connection = match self.gate.connect(destination).await {
            Ok(connection) => connection,
            Err(refused) => {
                self.report_refusal(client, destination, &refused);
                return flow.refuse(refused).await;
            }
        };
        let bound = match connection.local_addr() {
            Ok(bound) => Destination::from(bound),
            Err(error) => return flow.refuse(crate::gate::refused(&error)).await,
        };
        if flow.writer.signal(&Signal::Opened(bound)).await.is_ok() {
            pipe(connection, flow).await;
        }
    }

    fn admit(&self, client: &Client) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&client.flows).try_acquire_owned().ok()
    }

    fn report_refusal(&self, client: &Client, destination: &Destination, refused: &Refused) {
        self.report.event(Event::Refused {
            client: client.name.to_string(),
            destination: destination.clone(),
            refused: refused.clone(),
        });
    }
}

/// The message for a peer that is another program.
pub(crate) const WRONG_PARTNER: &str = "the other end is not `anabranch forward`, or of another version";
/// The time for the first signal on a stream.
const REQUEST: Duration = Duration::from_secs(10);
