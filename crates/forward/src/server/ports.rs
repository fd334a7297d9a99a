//! Ports of the server that a client opens: each connection becomes a flow to the client.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use anabranch_net::StreamId;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::{Client, Server};
use crate::destination::{Destination, Host};
use crate::event::{Event, Report};
use crate::flow::{Carrier, Flow, FlowError, pipe, reset};
use crate::gate;
use crate::ledger::{FlowKind, Ledger, NewFlow};
use crate::permissions::ReverseRefusal;
use crate::signal::{Refused, Signal};
use crate::socks::Reply;

/// Opens the port `port` for `client`, and keeps it open as long as the client keeps the flow.
pub(super) async fn serve(
    server: &Server,
    client: &Client,
    port: &Destination,
    mut flow: Flow,
    carrier: &Carrier,
) {
    let opened = match open(server, client, port).await {
        Ok(opened) => opened,
        Err(refused) => {
            server.report_refusal(client, port, &refused);
            return flow.refuse(refused).await;
        }
    };
    let (listener, address) = opened;
    server.report.event(Event::Listening { client: client.name.to_string(), address: address.clone() });
    if flow.writer.signal(&Signal::Opened(address)).await.is_err() {
        return;
    }
    let id = flow.id();
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((connection, source)) => {
                    let Some(permit) = server.admit(client) else {
                        server.ledger.on_refused(&client.name, Reply::GeneralFailure);
                        report_arrival(&server.report, client, port, source, server.many_flows());
                        reset(connection);
                        continue;
                    };
                    let (client, carrier, port) = (client.clone(), carrier.clone(), port.clone());
                    let (report, ledger) = (server.report.clone(), server.ledger.clone());
                    connections.spawn(async move {
                        let arrival = Arrival { listener: id, port: &port, source };
                        if let Err(refused) = carry(&client, &ledger, arrival, connection, &carrier).await {
                            ledger.on_refused(&client.name, refused.reply);
                            let why = refused.reason;
                            report_arrival(&report, &client, &port, source, why);
                        }
                        drop(permit);
                    });
                }
                Err(error) => {
                    server.report.event(Event::Exhausted(format!("a connection to {port}: {error}")));
                    tokio::time::sleep(PAUSE).await;
                }
            },
            Some(_) = connections.join_next() => {}
            // The client sends nothing but the end.
            _ = flow.reader.next() => break,
        }
    }
    drop(listener);
    flow.end().await;
}

async fn open(
    server: &Server,
    client: &Client,
    port: &Destination,
) -> Result<(TcpListener, Destination), Refused> {
    let not_allowed = |refusal: ReverseRefusal| Refused::new(Reply::NotAllowed, refusal.to_string());
    server.reverse.check(&client.name, port.port).map_err(not_allowed)?;
    let ip = match &port.host {
        Host::Ip(ip) => *ip,
        Host::Name(name) if name.as_str() == "localhost" => Ipv4Addr::LOCALHOST.into(),
        Host::Name(name) => {
            return Err(Refused::new(
                Reply::AddressKindNotSupported,
                format!("{name} is not an address to listen at"),
            ));
        }
    };
    let listener = TcpListener::bind((ip, port.port)).await.map_err(|error| gate::refused(&error))?;
    let address = listener.local_addr().map_err(|error| gate::refused(&error))?;
    Ok((listener, address.into()))
}

/// A connection that arrived at a port.
struct Arrival<'a> {
    /// The stream that opened the port.
    listener: StreamId,
    port: &'a Destination,
    source: SocketAddr,
}

/// Carries a connection that arrived. Where the client does not accept it, it is reset.
async fn carry(
    client: &Client,
    ledger: &Ledger,
    arrival: Arrival<'_>,
    connection: TcpStream,
    carrier: &Carrier,
) -> Result<(), Refused> {
    let Arrival { listener, port, source } = arrival;
    let mut flow = match carrier.open(&client.rate) {
        Ok(flow) => flow,
        Err(error) => {
            reset(connection);
            return Err(Refused::new(Reply::GeneralFailure, error.to_string()));
        }
    };
    match flow.ask(&Signal::Arrival { listener, source: source.into() }).await {
        Ok(_) => {
            let (kind, account) = (FlowKind::Reverse, &*client.name);
            let new = NewFlow { kind, account, client: client.name.to_string() };
            flow.enter(ledger, new, Some(port.clone()));
            pipe(connection, flow).await;
        }
        Err(error) => {
            reset(connection);
            flow.end().await;
            return Err(match error {
                FlowError::Refused(refused) => refused,
                other => Refused::new(Reply::NetworkUnreachable, other.to_string()),
            });
        }
    }
    Ok(())
}

fn report_arrival(report: &Report, client: &Client, port: &Destination, source: SocketAddr, reason: String) {
    let client = client.name.to_string();
    report.event(Event::ArrivalRefused { client, port: port.clone(), source, reason });
}

/// The pause after a connection could not be accepted, as when descriptors are short.
const PAUSE: Duration = Duration::from_millis(100);
