//! The end that connects to destinations: serves the flows that a client opens.

mod datagrams;
mod ports;

use std::sync::Arc;
use std::time::Duration;

use anabranch_net::{Association, CloseReason};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::datagrams::Budget;
use crate::destination::Destination;
use crate::event::{Event, Report};
use crate::flow::{Carrier, Flow, pipe};
use crate::gate::{Gate, LookUps};
use crate::ledger::{FlowKind, Ledger, NewFlow};
use crate::newest::Newest;
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
    /// The number of associations that a client may have at once, at least one: the oldest gives way to a newer one, for it
    /// is most likely one of a laptop that was restarted.
    pub most_associations: usize,
    /// The receiver of its events.
    pub report: Report,
    /// The flows of its clients.
    pub ledger: Ledger,
}

/// A client of a server, with one association or several.
#[derive(Clone, Debug)]
pub struct Client {
    /// The name, for the log and the permissions.
    name: Arc<str>,
    /// The rate of its flows.
    rate: Rate,
    associations: Newest<Association>,
    flows: Arc<Semaphore>,
    sockets: Arc<Semaphore>,
    look_ups: LookUps,
    /// The bytes of datagrams that wait for its associations.
    waiting: Budget,
}

impl Client {
    /// A client of `server`.
    pub fn new(name: &str, rate: Rate, server: &Server) -> Client {
        server.ledger.expect(name);
        Client {
            name: name.into(),
            rate,
            associations: Newest::new(server.most_associations),
            flows: Arc::new(Semaphore::new(server.most_flows.min(Semaphore::MAX_PERMITS))),
            sockets: Arc::new(Semaphore::new(datagrams::MOST_SOCKETS_OF_CLIENT)),
            look_ups: LookUps::of_client(),
            waiting: Budget::new(MOST_WAITING),
        }
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
        let (_place, displaced) = client.associations.enter(streams.association().clone());
        for oldest in displaced {
            let most = self.most_associations;
            self.report.event(Event::Displaced { client: client.name.to_string(), most });
            oldest.abort(&format!(
                "the same client has a newer bond, and the server has room for {most} at once (--limit-memory)"
            ));
        }
        let carrier = Carrier::new(streams);
        let mut flows = JoinSet::new();
        loop {
            tokio::select! {
                accepted = carrier.streams().accept_stream() => match accepted {
                    Ok(stream) => {
                        let flow = Flow::new(stream, &carrier, &client.rate);
                        let (server, client, carrier) = (Arc::clone(&self), client.clone(), carrier.clone());
                        flows.spawn(async move { server.serve_flow(&client, flow, &carrier).await });
                    }
                    Err(reason) => return reason,
                },
                Some(_) = flows.join_next() => {}
            }
        }
    }

    async fn serve_flow(&self, client: &Client, mut flow: Flow, carrier: &Carrier) {
        let request = match flow.request(Instant::now() + REQUEST).await {
            Ok(Some(Signal::Broken(id))) => {
                carrier.on_broken(id);
                return flow.dismiss().await;
            }
            Ok(Some(request @ (Signal::Connect(_) | Signal::Datagrams { .. } | Signal::Listen(_)))) => {
                request
            }
            Ok(None) => return,
            wrong => {
                let why = wrong.err().map_or_else(|| "no request".to_owned(), |error| error.to_string());
                let what = format!("a flow did not begin with a request: {why}");
                self.report.event(Event::Violated { client: client.name.to_string(), what });
                return flow.dismiss().await;
            }
        };
        let Some(permit) = self.admit(client) else {
            let refused = Refused::new(Reply::GeneralFailure, self.many_flows());
            match request {
                Signal::Connect(to) | Signal::Listen(to) => self.report_refusal(client, &to, &refused),
                _ => {
                    self.ledger.on_refused(&client.name, refused.reply);
                    self.report.event(Event::DatagramsRefused {
                        client: client.name.to_string(),
                        refused: refused.clone(),
                    });
                }
            }
            return flow.refuse(refused).await;
        };
        // A flow that is refused is small.
        match request {
            Signal::Datagrams { is_full_cone } => {
                self.enter(&mut flow, client, FlowKind::Datagrams, None);
                Box::pin(datagrams::serve(self, client, flow, is_full_cone)).await;
            }
            Signal::Listen(port) => Box::pin(ports::serve(self, client, &port, flow, carrier)).await,
            Signal::Connect(destination) => Box::pin(self.connect(client, &destination, flow)).await,
            _ => {}
        }
        drop(permit);
    }

    async fn connect(&self, client: &Client, destination: &Destination, mut flow: Flow) {
        let connection = match self.gate.connect(destination, &client.look_ups).await {
            Ok(connection) => connection,
            Err(refused) => {
                self.report_refusal(client, destination, &refused);
                return flow.refuse(refused).await;
            }
        };
        let bound = match connection.local_addr() {
            Ok(bound) => Destination::from(bound),
            Err(error) => {
                let refused = crate::gate::refused(&error);
                self.report_refusal(client, destination, &refused);
                return flow.refuse(refused).await;
            }
        };
        if flow.writer.signal(&Signal::Opened(bound)).await.is_ok() {
            self.enter(&mut flow, client, FlowKind::Tcp, Some(destination.clone()));
            pipe(connection, flow).await;
        }
    }

    fn enter(&self, flow: &mut Flow, client: &Client, kind: FlowKind, destination: Option<Destination>) {
        let new = NewFlow { kind, account: &client.name, client: client.name.to_string() };
        flow.enter(&self.ledger, new, destination);
    }

    fn admit(&self, client: &Client) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&client.flows).try_acquire_owned().ok()
    }

    /// The reason for which a flow is not admitted.
    fn many_flows(&self) -> String {
        let most = self.most_flows;
        format!("the client has {most} flows, the most that the server permits (--max-flows)")
    }

    fn report_refusal(&self, client: &Client, destination: &Destination, refused: &Refused) {
        self.ledger.on_refused(&client.name, refused.reply);
        self.report.event(Event::Refused {
            client: client.name.to_string(),
            destination: destination.clone(),
            refused: refused.clone(),
        });
    }
}

/// The message for a peer that is another program.
pub(crate) const WRONG_PARTNER: &str = "the other end is not `anabranch forward`, or of another version";
/// The bytes of datagrams that wait for the associations of a client.
const MOST_WAITING: usize = 16 << 20;
/// The time for the first signal on a stream.
const REQUEST: Duration = Duration::from_secs(10);
