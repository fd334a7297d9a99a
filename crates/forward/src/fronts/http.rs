//! Serves HTTP CONNECT.

use std::net::SocketAddr;

use bytes::Bytes;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::{Head, Negotiations, dismiss, open};
use crate::bond::Bond;
use crate::event::Event;
use crate::flow::pipe;
use crate::http_connect::{ConnectRequest, Status, established, refusal};
use crate::socks::Reply;

/// Serves one program.
pub(super) async fn serve(
    mut connection: TcpStream,
    program: SocketAddr,
    bond: &Bond,
    negotiations: &Negotiations,
) {
    let mut head = Head::new(LONGEST);
    let reading = head.read(&mut connection, ConnectRequest::decode);
    let Some(read) = negotiations.within(reading).await else { return };
    let request = match read {
        Ok(Some(request)) => request,
        Ok(None) => return,
        Err(error) => {
            bond.report().event(Event::Misspoken { client: program, what: error.to_string() });
            return dismiss(connection, &refusal(error.status(), &error.to_string())).await;
        }
    };
    match open(bond, program, &request.destination).await {
        Ok(mut flow) => {
            // The rest after the head belongs to the tunnel.
            let early = Bytes::from(head.bytes);
            let answered = connection.write_all(established()).await.is_ok();
            if !answered || (!early.is_empty() && flow.writer.bytes(early).await.is_err()) {
                return flow.end().await;
            }
            pipe(connection, flow).await;
        }
        Err(refused) => {
            let status = match refused.reply {
                Reply::NotAllowed => Status::Forbidden,
                Reply::HostUnreachable | Reply::TtlExpired => Status::GatewayTimeout,
                _ => Status::BadGateway,
            };
            dismiss(connection, &refusal(status, &refused.reason)).await;
        }
    }
}

/// The longest head, and as much of what follows it as is read with it.
const LONGEST: usize = 17 * 1024;
