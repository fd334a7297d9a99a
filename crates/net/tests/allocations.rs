//! A running transfer over sockets allocates almost nothing at either end once its buffers have grown.
#![allow(clippy::print_stdout, reason = "the harness keeps what a test prints")]

#[path = "../../sctp/tests/counting/mod.rs"]
mod counting;

use anabranch_net::{Config, Endpoint, Key, Options, Security, SendOptions};
use bytes::Bytes;
use counting::{Counting, allocated};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const MESSAGES: u64 = 20_000;

/// The number of allocations at both ends while messages are transferred, after a warm-up of as many messages.
async fn transfer_allocates(security: Security) -> u64 {
    let options = |accepts| Options {
        local: vec!["127.0.0.1:0".parse().expect("an address")],
        accepts,
        config: Config::rfc9260(),
        ..Options::with(security.clone())
    };
    let server = Endpoint::bind(options(true)).expect("a server");
    let client = Endpoint::bind(options(false)).expect("a client");
    let near = client.connect(&server.local_addresses()).await.expect("connected");
    let far = server.accept().await.expect("accepted");
    let payload = Bytes::from(vec![7; 1_400]);
    let sending = async {
        for _ in 0..2 * MESSAGES {
            near.send(payload.clone(), SendOptions::default()).await.expect("sent");
        }
    };
    let receiving = async {
        let mut before = 0;
        for number in 0..2 * MESSAGES {
            far.recv().await.expect("a message");
            if number == MESSAGES {
                before = allocated().times;
            }
        }
        allocated().times - before
    };
    let ((), times) = tokio::join!(sending, receiving);
    times
}

/// Lists still grow occasionally; an allocation for each received batch would be more.
fn assert_few(times: u64) {
    println!("{times} allocations for {MESSAGES} messages");
    assert!(times <= MESSAGES / 50, "{times} allocations for {MESSAGES} messages");
}

#[tokio::test(flavor = "current_thread")]
async fn plain_packets_allocate_nothing() {
    assert_few(transfer_allocates(Security::Insecure).await);
}

#[tokio::test(flavor = "current_thread")]
async fn sealed_packets_allocate_nothing() {
    let key = Key::fresh().expect("random numbers");
    assert_few(transfer_allocates(Security::Sealed(key)).await);
}
