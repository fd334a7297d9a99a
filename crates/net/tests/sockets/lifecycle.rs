//! The beginning and end of associations and endpoints, which leave nothing behind.

use anabranch_net::{
    Association, CloseReason, ConnectError, Endpoint, Options, Security, SendError, SendOptions,
};

use crate::party::{client, content, impatient, join, receive_all, server, until, within};

/// Answers every message until the peer is done.
async fn echo(association: Association) {
    while let Ok(message) = association.recv().await {
        let as_it_came = SendOptions::from(&message);
        if association.send(message.into_bytes(), as_it_came).await.is_err() {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hundreds_of_short_associations_leave_nothing_behind() {
    let server = server(&["127.0.0.1:0"]);
    let remote = server.local_addresses();
    let accepting = {
        let server = server.clone();
        tokio::spawn(async move {
            while let Some(association) = server.accept().await {
                tokio::spawn(echo(association));
            }
        })
    };
    let clients = [client(&["127.0.0.1:0"]), client(&["127.0.0.1:0"]), client(&["127.0.0.1:0"])];
    let talk = async |client: &Endpoint| {
        for number in 0..100 {
            let association = client.connect(&remote).await.expect("connected");
            association.send(format!("message {number}"), SendOptions::default()).await.expect("open");
            let answer = association.recv().await.expect("answered").into_bytes();
            assert_eq!(answer, format!("message {number}"));
            assert_eq!(association.close().await, Ok(()));
        }
    };
    within(60, async { tokio::join!(talk(&clients[0]), talk(&clients[1]), talk(&clients[2])) }).await;
    for endpoint in &clients {
        assert_eq!(endpoint.associations(), 0);
    }
    until("the server forgets them all", || server.associations() == 0).await;
    within(5, server.settled()).await;
    accepting.abort();
}

#[tokio::test]
async fn what_was_sent_before_the_end_arrives_before_the_end() {
    let (server, client) = (server(&["127.0.0.1:0"]), client(&["127.0.0.1:0"]));
    let (near, far) = within(5, join(&client, &server, &server.local_addresses())).await;
    let there = content(300_000, 1);
    crate::party::send_all(&near, &there).await.expect("open");
    let reader = async {
        let arrived = receive_all(&far, there.len()).await.expect("all");
        (arrived, far.recv().await.map(|_| ()))
    };
    let (reason, (arrived, end)) = within(5, async { tokio::join!(near.close(), reader) }).await;
    assert!(arrived == there);
    assert_eq!((reason, end), (Ok(()), Err(CloseReason::Graceful)));
    assert_eq!(
        near.send("too late", SendOptions::default()).await,
        Err(SendError::Closed(CloseReason::Graceful))
    );
}

#[tokio::test]
async fn a_close_continues_when_its_future_is_dropped() {
    let (server, client) = (server(&["127.0.0.1:0"]), client(&["127.0.0.1:0"]));
    let (near, far) = within(5, join(&client, &server, &server.local_addresses())).await;
    near.send("goodbye", SendOptions::default()).await.expect("open");
    tokio::select! {
        biased;
        _ = near.close() => panic!("an end takes a round trip"),
        () = std::future::ready(()) => {}
    }
    drop(near);
    assert_eq!(within(5, far.recv()).await.expect("arrived").into_bytes(), "goodbye");
    assert_eq!(within(5, far.recv()).await.map(|_| ()), Err(CloseReason::Graceful));
    until("the client forgets it", || client.associations() == 0).await;
}

#[tokio::test]
async fn an_abort_tells_the_peer_why() {
    let (server, client) = (server(&["127.0.0.1:0"]), client(&["127.0.0.1:0"]));
    let (near, far) = within(5, join(&client, &server, &server.local_addresses())).await;
    near.abort("the house is on fire");
    let here = CloseReason::AbortedHere { why: "the house is on fire".to_owned() };
    assert_eq!(within(5, near.closed()).await, here);
    let there = within(5, far.recv()).await.expect_err("aborted");
    assert!(matches!(there, CloseReason::AbortedByPeer { .. }), "{there:?}");
    assert!(there.to_string().contains("the house is on fire"), "{there}");
}

#[tokio::test]
async fn dropping_the_last_handle_of_an_open_association_aborts_it() {
    let (server, client) = (server(&["127.0.0.1:0"]), client(&["127.0.0.1:0"]));
    let (near, far) = within(5, join(&client, &server, &server.local_addresses())).await;
    let other = near.clone();
    drop(near);
    assert!(other.is_open(), "there is another handle");
    drop(other);
    assert_eq!(client.associations(), 0);
    let reason = within(5, far.recv()).await.expect_err("aborted");
    assert!(matches!(reason, CloseReason::AbortedByPeer { .. }), "{reason:?}");
}

#[tokio::test]
async fn an_endpoint_whose_handles_are_gone_gives_its_port_back() {
    let server = server(&["127.0.0.1:0"]);
    let client = client(&["127.0.0.1:0"]);
    let remote = server.local_addresses();
    let (near, far) = within(5, join(&client, &server, &remote)).await;
    drop(server);
    // The association still needs the socket.
    near.send("still there?", SendOptions::default()).await.expect("open");
    assert_eq!(within(5, far.recv()).await.expect("arrived").into_bytes(), "still there?");
    drop(far);
    let reason = within(5, near.recv()).await.expect_err("aborted");
    assert!(matches!(reason, CloseReason::AbortedByPeer { .. }), "{reason:?}");
    let again = || {
        let options =
            Options { local: remote.clone(), config: impatient(), ..Options::with(Security::Insecure) };
        Endpoint::bind(options).is_ok()
    };
    until("the port is free", again).await;
}

#[tokio::test]
async fn associations_that_were_not_accepted_end_with_the_endpoint() {
    let (server, client) = (server(&["127.0.0.1:0"]), client(&["127.0.0.1:0"]));
    let near = within(5, client.connect(&server.local_addresses())).await.expect("connected");
    until("it waits to be accepted", || server.associations() == 1).await;
    drop(server);
    let reason = within(5, near.recv()).await.expect_err("aborted");
    assert!(matches!(reason, CloseReason::AbortedByPeer { .. }), "{reason:?}");
}

#[tokio::test]
async fn a_second_association_with_the_same_peer_is_refused() {
    let (server, client) = (server(&["127.0.0.1:0"]), client(&["127.0.0.1:0"]));
    let (near, far) = within(5, join(&client, &server, &server.local_addresses())).await;
    let error = client.connect(&server.local_addresses()).await.expect_err("there is one");
    assert!(matches!(error, ConnectError::Impossible(_)), "{error:?}");
    near.send("unharmed", SendOptions::default()).await.expect("open");
    assert_eq!(within(5, far.recv()).await.expect("arrived").into_bytes(), "unharmed");
}

#[test]
fn handles_do_not_wait_for_a_runtime_that_has_ended() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (server, near, _far) = runtime.block_on(async {
        let (server, client) = (server(&["127.0.0.1:0"]), client(&["127.0.0.1:0"]));
        let (near, far) = within(5, join(&client, &server, &server.local_addresses())).await;
        (server, near, far)
    });
    drop(runtime);
    let after = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("another");
    after.block_on(async {
        assert!(within(5, server.accept()).await.is_none());
        assert!(matches!(within(5, near.recv()).await, Err(CloseReason::AbortedHere { .. })));
        assert!(matches!(within(5, near.send("?", SendOptions::default())).await, Err(SendError::Closed(_))));
        within(5, server.settled()).await;
    });
}
