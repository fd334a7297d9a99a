//! Ports of the server that a client opens: each connection becomes a flow to the client.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use anabranch_net::StreamId;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::{Client, Server};
use crate::destination::{Destination, Host};
use crate::event::{Event, Report};
use crate::flow::{Carrier, Flow, pipe, reset};
use crate::gate;
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
                        report_arrival(&server.report, client, port, source, server.many_flows());
                        reset(connection);
                        continue;
                    };
                    let (client, carrier, port) = (client.clone(), carrier.clone(), port.clone());
                    let report = server.report.clone();
                    connections.spawn(async move {
                        if let Err(why) = carry(&client, id, connection, source, &carrier).await {
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

/// Carries a connection that arrived from `source`. Where the client does not accept it, it is reset.
async fn carry(
    client: &Client,
    listener: StreamId,
    connection: TcpStream,
    source: SocketAddr,
    carrier: &Carrier,
) -> Result<(), String> {
    let mut flow = match carrier.open(&client.rate) {
        Ok(flow) => flow,
        Err(error) => {
            reset(connection);
            return Err(error.to_string());
        }
    };
    match flow.ask(&Signal::Arrival { listener, source: source.into() }).await {
        Ok(_) => pipe(connection, flow).await,
        Err(error) => {
            reset(connection);
            flow.end().await;
            return Err(error.to_string());
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
