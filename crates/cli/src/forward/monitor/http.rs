//! Serves one page by HTTP/1.1 to Prometheus. A request must name this host in a way that no other host's name can mean, so
//! that a page of a browser whose name was pointed here (DNS rebinding) reads nothing.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// The path of the page.
pub(super) const PATH: &str = "/metrics";

/// Serves `page` to those who connect to `listener`, for ever.
pub(super) async fn serve(
    listener: TcpListener,
    address: SocketAddr,
    page: impl Fn() -> Result<String, String> + Clone + Send + 'static,
) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        // A closed semaphore does not occur.
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        while connections.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((connection, _)) => {
                let page = page.clone();
                connections.spawn(async move {
                    serve_one(connection, address, page).await;
                    drop(place);
                });
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}

/// Answers one request, and closes the connection.
async fn serve_one<S: AsyncRead + AsyncWrite + Unpin>(
    mut connection: S,
    address: SocketAddr,
    page: impl Fn() -> Result<String, String>,
) {
    let Ok(head) = timeout(PATIENCE, read_head(&mut connection)).await else { return };
    let response = match head {
        Ok(None) | Err(_) => return,
        Ok(Some(head)) => respond(&head, address, page),
    };
    let parting = async {
        connection.write_all(&response).await?;
        connection.shutdown().await?;
        // A connection that is closed with unread bytes is reset, and the answer may be lost.
        let mut rest = [0; 1024];
        while connection.read(&mut rest).await? > 0 {}
        Ok::<(), io::Error>(())
    };
    let _ = timeout(PARTING, parting).await;
}

/// Reads the head of a request, or so much that it is too long. `None` if the other side ends before.
async fn read_head(connection: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Vec<u8>>> {
    let mut head = Vec::new();
    let mut buffer = [0; 1024];
    while !is_whole(&head) && head.len() < LONGEST_HEAD {
        let most = buffer.len().min(LONGEST_HEAD - head.len());
        match connection.read(&mut buffer[..most]).await? {
            0 => return Ok(None),
            length => head.extend_from_slice(&buffer[..length]),
        }
    }
    Ok(Some(head))
}

/// Returns true if nothing more need be read: the head is complete, or wrong.
fn is_whole(head: &[u8]) -> bool {
    let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
    !matches!(httparse::Request::new(&mut fields).parse(head), Ok(httparse::Status::Partial))
}

/// The response to a head that may be wrong in any way.
fn respond(head: &[u8], address: SocketAddr, page: impl Fn() -> Result<String, String>) -> Vec<u8> {
    let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    match request.parse(head) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
            return refusal("431 Request Header Fields Too Large", "the head of a request has at most 8 KiB");
        }
        Err(error) => return refusal("400 Bad Request", &error.to_string()),
    }
    let mut hosts = request.headers.iter().filter(|field| field.name.eq_ignore_ascii_case("host"));
    let host = hosts.next().and_then(|field| str::from_utf8(field.value).ok());
    let (Some(host), None) = (host, hosts.next()) else {
        return refusal("400 Bad Request", "a request has one Host");
    };
    if !is_here(host, address) {
        return refusal("421 Misdirected Request", "the Host is another; ask by the address or by localhost");
    }
    let (method, target) = (request.method.unwrap_or_default(), request.path.unwrap_or_default());
    if !["GET", "HEAD"].contains(&method) {
        return answer("405 Method Not Allowed", "Allow: GET, HEAD\r\n", "only GET and HEAD\n", method);
    }
    if target.split('?').next() != Some(PATH) {
        return answer("404 Not Found", "", &format!("the metrics are at {PATH}\n"), method);
    }
    match page() {
        Ok(text) => answer("200 OK", "", &text, method),
        Err(why) => answer("500 Internal Server Error", "", &format!("{why}\n"), method),
    }
}

/// Returns true if the value of Host means `address`: the address, or `localhost`. Where the address is any, every address
/// means it, as no name does.
fn is_here(host: &str, address: SocketAddr) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    };
    if port.is_some_and(|port| port != address.port().to_string()) {
        return false;
    }
    if name.eq_ignore_ascii_case("localhost") {
        return true;
    }
    let ip: Option<IpAddr> = match name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inside) => inside.parse().ok().filter(IpAddr::is_ipv6),
        None => name.parse().ok().filter(IpAddr::is_ipv4),
    };
    ip.is_some_and(|ip| address.ip().is_unspecified() || ip.to_canonical() == address.ip().to_canonical())
}

fn refusal(status: &str, why: &str) -> Vec<u8> {
    answer(status, "", &format!("{why}\n"), "GET")
}

fn answer(status: &str, fields: &str, text: &str, method: &str) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\n{fields}Content-Type: {TEXT}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        text.len()
    );
    let body = if method == "HEAD" { "" } else { text };
    [head.as_bytes(), body.as_bytes()].concat()
}

/// The text format of Prometheus.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";
const MOST_CONNECTIONS: usize = 16;
const LONGEST_HEAD: usize = 8 * 1024;
const MOST_FIELDS: usize = 64;
/// The time for the head of a request.
const PATIENCE: Duration = Duration::from_secs(10);
/// The time in which the answer must be read.
const PARTING: Duration = Duration::from_secs(10);
/// The pause after a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests;
