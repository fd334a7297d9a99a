//! The endpoints of the tests: servers, clients, and their exchanges.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use anabranch_base::{ByteCount, Duration as Span};
use anabranch_net::{Association, CloseReason, Config, Endpoint, Options, Security, SendError, SendOptions};
use anabranch_sctp::config::{Failover, RtoSettings};

use crate::cable::Cable;

pub(crate) fn addresses(list: &[&str]) -> Vec<SocketAddr> {
    list.iter().map(|text| text.parse().expect("an address")).collect()
}

/// RFC 9260 with short time-outs for tests: tens of milliseconds each, and a second until a peer is given up.
pub(crate) fn impatient() -> Config {
    Config {
        rto: RtoSettings {
            initial: Span::from_millis(100),
            min: Span::from_millis(50),
            max: Span::from_millis(200),
            ..Config::rfc9260().rto
        },
        failover: Failover {
            path_max: 2,
            association_max: 5,
            heartbeat: Span::from_millis(100),
            heartbeat_max_burst: 4,
            ..Config::rfc9260().failover
        },
        max_init_retransmits: 3,
        ..Config::rfc9260()
    }
}

pub(crate) fn server(local: &[&str]) -> Endpoint {
    let options = Options {
        local: addresses(local),
        accepts: true,
        config: impatient(),
        ..Options::with(Security::Insecure)
    };
    Endpoint::bind(options).expect("a server")
}

pub(crate) fn client(local: &[&str]) -> Endpoint {
    let options =
        Options { local: addresses(local), config: impatient(), ..Options::with(Security::Insecure) };
    Endpoint::bind(options).expect("a client")
}

/// Both ends of an association over one path with these settings, and their endpoints.
pub(crate) async fn joined(config: Config) -> ((Endpoint, Association), (Endpoint, Association)) {
    let bind = |accepts| {
        let local = addresses(&["127.0.0.1:0"]);
        let options = Options { local, accepts, config: config.clone(), ..Options::with(Security::Insecure) };
        Endpoint::bind(options).expect("an endpoint")
    };
    let (client, server) = (bind(false), bind(true));
    let (near, far) = within(5, join(&client, &server, &server.local_addresses())).await;
    ((client, near), (server, far))
}

/// An impatient configuration with small buffers: 64 KiB each way.
pub(crate) fn narrow() -> Config {
    let narrow = ByteCount::from_kib(64);
    Config { send_buffer: narrow, receive_buffer: narrow, ..impatient() }
}

/// Both ends of a fresh association.
pub(crate) async fn join(
    client: &Endpoint,
    server: &Endpoint,
    remote: &[SocketAddr],
) -> (Association, Association) {
    let (near, far) = tokio::join!(client.connect(remote), server.accept());
    (near.expect("connected"), far.expect("accepted"))
}

/// A client and a server with a cable on each of two paths between them.
pub(crate) struct Cabled {
    pub(crate) near: Association,
    pub(crate) far: Association,
    pub(crate) cables: [Cable; 2],
}

pub(crate) async fn cabled() -> Cabled {
    let server = server(&["127.0.0.1:0", "127.0.0.2:0"]);
    let client = client(&["127.0.0.1:0", "127.0.0.2:0"]);
    let far = server.local_addresses();
    let first = Cable::lay([127, 0, 0, 3].into(), 0, far[0]).await.expect("a cable");
    let second = Cable::lay([127, 0, 0, 4].into(), 0, far[1]).await.expect("a cable");
    let remote = [first.address(), second.address()];
    let (near, far) = join(&client, &server, &remote).await;
    Cabled { near, far, cables: [first, second] }
}

/// Pseudo-random bytes.
pub(crate) fn content(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

pub(crate) async fn send_all(association: &Association, bytes: &[u8]) -> Result<(), SendError> {
    for part in bytes.chunks(50_000) {
        association.send(part.to_vec(), SendOptions::default()).await?;
    }
    Ok(())
}

/// The next `len` bytes.
pub(crate) async fn receive_all(association: &Association, len: usize) -> Result<Vec<u8>, CloseReason> {
    let mut bytes = Vec::with_capacity(len);
    while bytes.len() < len {
        bytes.extend_from_slice(&association.recv().await?.into_bytes());
    }
    Ok(bytes)
}

/// Sends 8 MB in both directions at once over two paths: all data arrives, each path carries its part, and both ends
/// close.
pub(crate) async fn exchange(client: &Endpoint, server: &Endpoint) {
    let (near, far) = within(5, join(client, server, &server.local_addresses())).await;
    let (there, back) = (content(8_000_000, 1), content(8_000_000, 2));
    let (sent, answered, arrived, returned) = within(30, async {
        tokio::join!(
            send_all(&near, &there),
            send_all(&far, &back),
            receive_all(&far, there.len()),
            receive_all(&near, back.len()),
        )
    })
    .await;
    assert_eq!((sent, answered), (Ok(()), Ok(())));
    assert!(arrived.expect("all") == there && returned.expect("all") == back);
    for paths in [near.paths(), far.paths()] {
        assert_eq!(paths.len(), 2);
        for path in paths {
            let carried = path.counters.sent_bytes.get();
            assert!(carried > 100_000, "{} carried {carried} bytes", path.id);
            assert_eq!(path.unsent.packets, 0);
        }
    }
    let (one, other) = within(5, async { tokio::join!(near.close(), far.closed()) }).await;
    assert_eq!((one, other), (Ok(()), CloseReason::Graceful));
}

/// Polls a future at most `polls` times, lets other tasks run in between, and drops it if it has not completed.
pub(crate) async fn given_up_after<F: Future>(polls: u32, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    for _ in 0..polls {
        if let Poll::Ready(output) = poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await {
            return Some(output);
        }
        tokio::task::yield_now().await;
    }
    None
}

/// Fails a test that hangs.
pub(crate) async fn within<F: Future>(seconds: u64, future: F) -> F::Output {
    let result = tokio::time::timeout(Duration::from_secs(seconds), future).await;
    result.unwrap_or_else(|_| panic!("still waiting after {seconds} s"))
}

/// Waits until `is_so` returns true.
pub(crate) async fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..500 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("not within 5 s: {what}");
}
