//! Metered links: backups, and links with a limit.

use std::time::Duration;

use anabranch_base::ByteCount;
use anabranch_net::{
    Association, Config, Endpoint, LinkReport, LinkRule, Options, PathRole, PathState, Security,
};

use crate::party::{content, join, receive_all, send_all, within};

const MB: usize = 1_000_000;

/// A client at two addresses, with this rule for the second.
fn client(role: PathRole, most: Option<ByteCount>) -> Endpoint {
    let local = ["127.0.0.1:0", "127.0.0.2:0"].map(|text| text.parse().expect("an address"));
    let link = "127.0.0.2".to_owned();
    Endpoint::bind(Options {
        local: local.into(),
        links: vec![LinkRule { link, role, most }],
        config: even(),
        ..Options::with(Security::Insecure)
    })
    .expect("two sockets")
}

fn server() -> Endpoint {
    Endpoint::bind(Options {
        local: vec!["127.0.0.1:0".parse().expect("an address")],
        accepts: true,
        config: even(),
        ..Options::with(Security::Insecure)
    })
    .expect("a server")
}

/// Both paths are used, however fast the first is.
fn even() -> Config {
    Config { scheduler: "round-robin".into(), ..Config::tuned_2() }
}

/// Waits until every path of this end is verified.
async fn verified(end: &Association) {
    let is_waiting = || {
        let paths = end.paths();
        paths.len() < 2 || paths.iter().any(|path| path.sample.state == PathState::Unconfirmed)
    };
    while is_waiting() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn second(client: &Endpoint) -> LinkReport {
    client.links().into_iter().find(|link| link.name == "127.0.0.2").expect("the link of the rule")
}

#[tokio::test]
async fn neither_end_uses_the_backup_of_one_of_them_and_probes_are_charged() {
    let (server, client) = (server(), client(PathRole::Backup, None));
    let (near, far) = within(5, join(&client, &server, &server.local_addresses())).await;
    let there = content(2 * MB, 3);
    for (from, to) in [(&near, &far), (&far, &near)] {
        let (sent, arrived) =
            within(20, async { tokio::join!(send_all(from, &there), receive_all(to, there.len())) }).await;
        assert_eq!(sent, Ok(()));
        assert!(arrived.expect("all") == there);
    }
    let link = second(&client);
    assert!(link.role == PathRole::Backup && !link.is_used_up, "{link:?}");
    assert!(link.sent > ByteCount::ZERO && link.received > ByteCount::ZERO, "its probes: {link:?}");
    assert!(link.charged() < ByteCount::new(60_000), "{link:?}");
    for end in [&near, &far] {
        let paths = end.paths();
        let resting = paths.iter().filter(|path| path.sample.state == PathState::Standby);
        assert!(resting.clone().count() == 1, "{paths:?}");
        assert!(resting.clone().all(|path| path.counters.sent_bytes.is_zero()), "{paths:?}");
    }
}

#[tokio::test]
async fn a_link_that_may_carry_a_limited_amount_is_given_up_before_that_and_nothing_is_lost() {
    for is_upload in [true, false] {
        // A socket read late may hold 4 MiB, on a link as fast as this one.
        let most = ByteCount::new(24_000_000);
        let (server, client) = (server(), client(PathRole::Ordinary, Some(most)));
        let (near, far) = within(5, join(&client, &server, &server.local_addresses())).await;
        within(5, async { tokio::join!(verified(&near), verified(&far)) }).await;
        let there = content(100 * MB, 3);
        let (from, to) = if is_upload { (&near, &far) } else { (&far, &near) };
        let (sent, arrived) =
            within(40, async { tokio::join!(send_all(from, &there), receive_all(to, there.len())) }).await;
        assert_eq!(sent, Ok(()));
        assert!(arrived.expect("all") == there);
        let link = second(&client);
        assert!(link.is_used_up && link.charged() <= most, "{link:?}");
        assert!(link.charged() > ByteCount::new(4_000_000), "it was used: {link:?}");
        let used_after = client.links();
        assert!(used_after[0].charged() > ByteCount::new(76_000_000), "{used_after:?}");
    }
}

/// In slow start every round trip carries twice as much as the previous one.
#[tokio::test]
async fn a_small_limit_holds_on_a_fast_link_in_both_directions() {
    for most in [100_000, 150_000, 400_000, 1_000_000].map(ByteCount::new) {
        for is_upload in [true, false] {
            let (server, client) = (server(), client(PathRole::Ordinary, Some(most)));
            let (near, far) = within(5, join(&client, &server, &server.local_addresses())).await;
            within(5, async { tokio::join!(verified(&near), verified(&far)) }).await;
            let there = content(10 * MB, 3);
            let (from, to) = if is_upload { (&near, &far) } else { (&far, &near) };
            let (sent, arrived) =
                within(20, async { tokio::join!(send_all(from, &there), receive_all(to, there.len())) })
                    .await;
            assert_eq!(sent, Ok(()));
            assert!(arrived.expect("all") == there);
            let link = second(&client);
            assert!(link.is_used_up && link.charged() <= most, "{is_upload}: {link:?}");
            assert!(link.charged() > most / 8, "it was used: {link:?}");
        }
    }
}
