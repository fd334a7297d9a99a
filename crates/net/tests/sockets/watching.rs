//! Monitoring an association: events and records as streams, slow listeners, and their cost.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use anabranch_net::{Association, CloseReason, Event, Events, Happening, Missed, Records};
use futures_core::Stream;

use crate::party::{cabled, content, impatient, joined, receive_all, send_all, within};

/// The items available without waiting.
fn heard<S: Stream + Unpin>(stream: &mut S) -> Vec<S::Item> {
    let mut context = Context::from_waker(Waker::noop());
    let next = || match Pin::new(&mut *stream).poll_next(&mut context) {
        Poll::Ready(item) => item,
        Poll::Pending => None,
    };
    std::iter::from_fn(next).collect()
}

async fn transfer(near: &Association, far: &Association, len: usize) {
    let there = content(len, 1);
    let (sent, arrived) =
        within(20, async { tokio::join!(send_all(near, &there), receive_all(far, len)) }).await;
    assert_eq!((sent, arrived.map(|bytes| bytes == there)), (Ok(()), Ok(true)));
}

#[tokio::test]
async fn records_tell_of_windows_and_round_trips_on_each_path_in_their_order() {
    let cabled = cabled().await;
    let (mut records, before) = (cabled.near.records(), cabled.near.paths());
    let began = cabled.near.now();
    transfer(&cabled.near, &cabled.far, 400_000).await;
    let ended = cabled.near.now();
    let told: Vec<_> =
        heard(&mut records).into_iter().map(|record| record.expect("none was missed")).collect();
    assert!(told.is_sorted_by_key(|record| record.at));
    assert!(told.iter().all(|record| (began..=ended).contains(&record.at)), "{told:?}");
    for (path, before) in cabled.near.paths().iter().zip(before) {
        let on_path = || told.iter().filter(|record| record.path == path.id);
        let round_trips =
            on_path().filter(|record| matches!(record.what, Happening::RoundTrip { .. })).count();
        assert_eq!(round_trips as u64, path.counters.round_trips - before.counters.round_trips);
        let mut windows = on_path().filter_map(|record| match record.what {
            Happening::Window { cwnd, .. } => Some(cwnd),
            _ => None,
        });
        let window = windows.next_back().unwrap_or(before.sample.cwnd);
        assert_eq!(window, path.sample.cwnd, "the last window that was told is the one there is");
    }
    assert!(told.iter().any(|record| matches!(record.what, Happening::Window { .. })), "{told:?}");
    assert!(told.iter().any(|record| matches!(record.what, Happening::RoundTrip { .. })), "{told:?}");
    assert_eq!(within(5, cabled.near.close()).await, Ok(()));
    assert!(heard(&mut records).iter().all(Result::is_ok));
    assert_eq!(records.next().await, None, "nothing follows the end");
    assert_eq!(cabled.near.records().next().await, None, "nor is there anything to begin with");
}

#[tokio::test]
async fn a_slow_listener_keeps_the_newest_records_and_learns_how_many_it_missed() {
    let ((_client, near), (_server, far)) = joined(impatient()).await;
    let (mut sleeping, mut awake) = (near.records(), near.records());
    let mut all = 0;
    while all < 6_000 {
        transfer(&near, &far, 500_000).await;
        all += heard(&mut awake).len();
    }
    let late = heard(&mut sleeping);
    assert_eq!(late.len(), 4_097, "what is kept, and that something is missing");
    assert_eq!(late[0], Err(Missed(all as u64 - 4_096)));
    assert!(late[1..].iter().all(Result::is_ok));
}

#[tokio::test]
async fn events_end_with_the_end() {
    let ((_client, near), (_server, far)) = joined(impatient()).await;
    let (mut here, mut there) = (near.subscribe(), far.subscribe());
    near.close().await.expect("in order");
    within(5, far.closed()).await;
    let all = |events: &mut Events| heard(events).into_iter().collect::<Result<Vec<Event>, Missed>>();
    let last = Event::Closed(CloseReason::Graceful);
    assert_eq!(all(&mut here).expect("few").last(), Some(&last));
    assert_eq!(all(&mut there), Ok(vec![Event::PeerClosing, last]));
    assert_eq!((here.next().await, there.next().await), (None, None));
}

#[tokio::test]
async fn listeners_outlive_their_association_and_end() {
    let ((client, near), (_server, _far)) = joined(impatient()).await;
    let (mut events, mut records): (Events, Records) = (near.subscribe(), near.records());
    drop(near);
    assert_eq!(client.associations(), 0, "a listener does not keep the association");
    assert_eq!(within(5, events.next()).await, None);
    assert_eq!(within(5, records.next()).await, None);
}
