//! A cable that is cut while another delivers, by senders whose time-outs are longer than the test.

use anabranch_base::Duration as Span;
use anabranch_net::{CloseReason, Config, Endpoint, Event, Options, PathId, Security};
use anabranch_sctp::config::{Failover, RtoSettings};

use crate::cable::Cable;
use crate::party::{addresses, content, join, receive_all, send_all, within};

/// No time-out is shorter than a minute: an earlier failover follows from silence.
fn quick() -> Config {
    let profile = Config::rfc9260();
    Config {
        rto: RtoSettings {
            initial: Span::from_secs(60),
            min: Span::from_secs(60),
            max: Span::from_secs(60),
            ..profile.rto
        },
        failover: Failover { quick: true, ..profile.failover },
        ..profile
    }
}

fn endpoint(accepts: bool) -> Endpoint {
    let local = addresses(&["127.0.0.1:0", "127.0.0.2:0"]);
    Endpoint::bind(Options { local, accepts, config: quick(), ..Options::with(Security::Insecure) })
        .expect("two sockets")
}

#[tokio::test]
async fn a_cut_cable_is_left_without_a_time_out_and_used_again_when_it_is_mended() {
    let (server, client) = (endpoint(true), endpoint(false));
    let far = server.local_addresses();
    let cables = [
        Cable::lay([127, 0, 0, 3].into(), 0, far[0]).await.expect("a cable"),
        Cable::lay([127, 0, 0, 4].into(), 0, far[1]).await.expect("a cable"),
    ];
    cables.iter().for_each(|cable| cable.delay(std::time::Duration::from_millis(5)));
    let (near, far) = within(5, join(&client, &server, &cables.each_ref().map(Cable::address))).await;
    let mut events = near.subscribe();
    let second = PathId::from_index(1);
    let there = content(8_000_000, 1);
    let receive = async {
        let mut arrived = receive_all(&far, 2_000_000).await?;
        cables[1].cut();
        while events.next().await.expect("open") != Ok(Event::PathSuspected(second)) {}
        arrived.extend(receive_all(&far, 2_000_000).await?);
        cables[1].mend();
        while events.next().await.expect("open") != Ok(Event::PathUp(second)) {}
        arrived.extend(receive_all(&far, there.len() - arrived.len()).await?);
        Ok::<_, CloseReason>(arrived)
    };
    let (sent, arrived) = within(30, async { tokio::join!(send_all(&near, &there), receive) }).await;
    assert_eq!(sent, Ok(()));
    assert!(arrived.expect("all") == there);
    assert!(near.paths().iter().all(|path| path.counters.timeouts == 0), "{:?}", near.paths());
    assert_eq!(within(5, near.close()).await, Ok(()));
}
