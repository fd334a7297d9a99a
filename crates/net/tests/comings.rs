//! Associations that come and go leave nothing behind at either endpoint, however they end.
#![allow(clippy::print_stdout, reason = "the harness keeps what a test prints")]

#[path = "../../sctp/tests/counting/mod.rs"]
mod counting;

use anabranch_net::{Association, ClientKey, Clients, Config, Endpoint, Key, Options, Security, SendOptions};
use bytes::Bytes;
use counting::{Counting, held};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Associations between two measurements: more than the number whose last packets the endpoint remembers (64).
const BETWEEN: u64 = 200;

/// Opens an association, sends one message each way, and ends it in one of the possible ways.
async fn come_and_go(client: &Endpoint, server: &Endpoint, number: u64) {
    let near = client.connect(&server.local_addresses()).await.expect("connected");
    let far = server.accept().await.expect("accepted");
    for (from, to) in [(&near, &far), (&far, &near)] {
        from.send(Bytes::from(vec![7; 5_000]), SendOptions::default()).await.expect("sent");
        to.recv().await.expect("a message");
    }
    end(near, far, number).await;
    // Both endpoints have removed it before the next begins.
    while client.associations() + server.associations() > 0 {
        tokio::task::yield_now().await;
    }
}

async fn end(near: Association, far: Association, number: u64) {
    match number % 4 {
        0 => {
            let (near, far) = tokio::join!(near.close(), far.recv());
            near.expect("closed in order");
            far.expect_err("the peer closed");
        }
        1 => near.abort("enough"),
        2 => far.abort("enough"),
        _ => drop(near),
    }
}

/// The endpoints that open the associations.
#[derive(Clone, Copy)]
enum Callers {
    /// One endpoint.
    One,
    /// A separate endpoint for each, whose port the server has never seen.
    Fresh,
}

/// The memory, tasks and associations held after each two hundred associations, the first of which warm up.
async fn holds(security: Security, callers: Callers) -> [u64; 5] {
    holds_between(&security, &security, callers).await
}

/// The same with different keys at the server and its callers.
async fn holds_between(server: &Security, caller: &Security, callers: Callers) -> [u64; 5] {
    let options = |accepts| Options {
        local: vec!["127.0.0.1:0".parse().expect("an address")],
        accepts,
        config: Config::rfc9260(),
        ..Options::with(if accepts { server } else { caller }.clone())
    };
    let server = Endpoint::bind(options(true)).expect("a server");
    let mut client = Endpoint::bind(options(false)).expect("a client");
    let mut holds = [0; 5];
    for holds in &mut holds {
        for number in 0..BETWEEN {
            if matches!(callers, Callers::Fresh) {
                client = Endpoint::bind(options(false)).expect("a client");
            }
            come_and_go(&client, &server, number).await;
        }
        *holds = held();
    }
    holds
}

/// Compares minima: single values go up and down with memory that is not freed yet.
fn assert_flat(holds: [u64; 5]) {
    println!("bytes held: {holds:?}");
    let [_, before @ .., third, last] = holds;
    let before = before.into_iter().min().unwrap_or_default();
    let more = third.min(last).saturating_sub(before);
    assert!(more <= 2 * BETWEEN * 100, "{more} bytes more after {} associations", 2 * BETWEEN);
}

fn sealed() -> Security {
    Security::Sealed(Key::fresh().expect("random numbers"))
}

#[tokio::test(flavor = "current_thread")]
async fn plain_associations_leave_nothing() {
    assert_flat(holds(Security::Insecure, Callers::One).await);
}

#[tokio::test(flavor = "current_thread")]
async fn sealed_associations_leave_nothing() {
    assert_flat(holds(sealed(), Callers::One).await);
}

#[tokio::test(flavor = "current_thread")]
async fn callers_that_were_never_seen_leave_nothing() {
    assert_flat(holds(sealed(), Callers::Fresh).await);
}

#[tokio::test(flavor = "current_thread")]
async fn associations_of_a_known_client_leave_nothing() {
    let [door, own] = [1, 2].map(|byte| Key::from_bytes([byte; Key::LEN]));
    let clients = Clients::new(door.clone());
    clients.replace([("ada".to_owned(), own.clone())]).expect("one client");
    let (server, caller) = (Security::Clients(clients), Security::Client(ClientKey::new(door, own)));
    assert_flat(holds_between(&server, &caller, Callers::Fresh).await);
}
