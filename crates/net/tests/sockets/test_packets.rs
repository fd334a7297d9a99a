//! Test packets over two paths of real sockets, beside data.

use anabranch_base::ByteCount;
use anabranch_net::{
    Association, CloseReason, Config, Endpoint, Key, Options, ReceivedTest, Security, TestError, Tests,
};

use crate::party::{addresses, content, impatient, join, joined, receive_all, send_all, until, within};

/// Both ends of an association over two paths, sealed or plain, and their endpoints.
async fn two_paths(security: &Security) -> ((Endpoint, Association), (Endpoint, Association)) {
    let bind = |accepts| {
        let config = Config { test_packets: true, ..impatient() };
        let local = addresses(&["127.0.0.1:0", "127.0.0.2:0"]);
        Endpoint::bind(Options { local, accepts, config, ..Options::with(security.clone()) })
            .expect("an endpoint")
    };
    let (client, server) = (bind(false), bind(true));
    let (near, far) = within(5, join(&client, &server, &server.local_addresses())).await;
    let has_both =
        |end: &Association| end.paths().iter().filter(|path| path.sample.state.works()).count() == 2;
    until("both ends have both paths", || has_both(&near) && has_both(&far)).await;
    ((client, near), (server, far))
}

async fn receive(tests: &mut Tests, count: usize) -> Vec<ReceivedTest> {
    let mut all = Vec::new();
    while all.len() < count {
        all.extend(within(5, tests.recv()).await.expect("open"));
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trains_on_both_paths_arrive_with_their_sizes_beside_data() {
    for security in [Security::Insecure, Security::Sealed(Key::fresh().expect("random bytes"))] {
        let ((client, near), (server, far)) = two_paths(&security).await;
        let (mut tests, began) = (far.tests(), far.now());
        let there = content(500_000, 1);
        let sending = async {
            for number in 0..20_u8 {
                for path in near.paths() {
                    let size = ByteCount::new(if number < 10 { 1_400 } else { 120 });
                    let mut sent = Err(TestError::Full);
                    while sent == Err(TestError::Full) {
                        tokio::task::yield_now().await;
                        sent = near.send_test(path.id, &[number; 40], size);
                    }
                    assert_eq!(sent, Ok(()));
                }
            }
            send_all(&near, &there).await
        };
        let (sent, arrived, read) =
            tokio::join!(sending, receive(&mut tests, 40), within(20, receive_all(&far, there.len())));
        assert_eq!((sent, read.map(|read| read == there)), (Ok(()), Ok(true)));
        let ended = far.now();
        for path in far.paths() {
            let on_path: Vec<_> = arrived.iter().filter(|test| test.path == path.id).collect();
            assert_eq!(on_path.len(), 20, "{}", path.id);
            for (number, test) in on_path.iter().enumerate() {
                assert_eq!(test.body, vec![number as u8; 40]);
                assert_eq!(test.size.get(), if number < 10 { 1_400 } else { 120 });
                assert!((began..=ended).contains(&test.at));
            }
        }
        assert_eq!(tests.missed(), 0);
        for socket in client.sockets().iter().chain(&server.sockets()) {
            assert_eq!(socket.drops, cfg!(target_os = "linux").then_some(0), "{}", socket.address);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_reader_they_are_dropped_and_with_the_end_reading_ends() {
    let ((_client, near), (_server, far)) = two_paths(&Security::Insecure).await;
    let path = near.paths()[0].id;
    let mut tests = far.tests();
    near.send_test(path, b"first", ByteCount::new(100)).expect("open");
    assert_eq!(receive(&mut tests, 1).await[0].body, "first");
    drop(tests);
    near.send_test(path, b"unread", ByteCount::new(100)).expect("open");
    send_all(&near, b"a message behind it").await.expect("open");
    within(5, far.recv()).await.expect("open");
    let mut tests = far.tests();
    near.send_test(path, b"second", ByteCount::new(100)).expect("open");
    assert_eq!(receive(&mut tests, 1).await[0].body, "second");
    assert_eq!(within(5, near.close()).await, Ok(()));
    assert_eq!(within(5, tests.recv()).await, Err(CloseReason::Graceful));
    assert_eq!(near.send_test(path, b"late", ByteCount::new(100)), Err(TestError::NotOpen));
}

#[tokio::test]
async fn they_are_refused_where_the_setting_is_off() {
    let ((_client, near), (_server, _far)) = joined(impatient()).await;
    let path = near.paths()[0].id;
    assert_eq!(near.send_test(path, b"x", ByteCount::new(100)), Err(TestError::Off));
}
