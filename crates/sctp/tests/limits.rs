//! The limits of each path, in cases that are easily counted wrongly: asked twice, with lost chunks, with a path that
//! the scheduler never takes. `studies.rs` has the plain cases.

use crate::pair::{End, Pair, path};
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::association::TimeInLimit;
use anabranch_sctp::config::{Config, Failover, InitialWindow};

const FULL: usize = 1_400;

fn ms(span: u64) -> Duration {
    Duration::from_millis(span)
}

/// Returns the time that A's path adds to each limit while `span` passes, and the time for which A is blocked meanwhile.
fn shares_of(pair: &mut Pair, index: usize, span: Duration) -> (TimeInLimit, Duration) {
    let probe = |pair: &mut Pair| {
        let now = pair.now;
        (pair.at(End::A).time_in_limit(now, path(index)), pair.at(End::A).blocked(now))
    };
    let (before, blocked_before) = probe(pair);
    pair.run_for(span);
    let (after, blocked) = probe(pair);
    let shares = TimeInLimit {
        application: after.application.saturating_sub(before.application),
        congestion_window: after.congestion_window.saturating_sub(before.congestion_window),
        receive_window: after.receive_window.saturating_sub(before.receive_window),
        scheduler: after.scheduler.saturating_sub(before.scheduler),
        down: after.down.saturating_sub(before.down),
    };
    assert_eq!(shares.total(), span, "{shares:?}");
    (shares, blocked.saturating_sub(blocked_before))
}

/// A driver may ask for packets whenever it likes; without an event nothing has changed.
#[test]
fn to_be_asked_again_changes_nothing() {
    let config = Config { receive_buffer: ByteCount::new(8_000), ..Config::rfc9260() };
    let mut pair = Pair::new(config, 1);
    pair.join();
    pair.send_at_once(End::A, 10, FULL);
    pair.run_for(ms(500));
    assert!(pair.at(End::A).paths()[0].flight.is_zero(), "all that went out is acknowledged");
    let now = pair.now;
    pair.at(End::A);
    pair.settle(End::A);
    assert_eq!(pair.now, now);
    let (shares, blocked) = shares_of(&mut pair, 0, ms(100));
    assert_eq!((shares.receive_window, blocked), (ms(100), ms(100)), "{shares:?}");
}

/// The commonest blocking of all: what is missing on one path fills the receive buffer, and the other path, whose
/// window is open, waits for it.
#[test]
fn a_path_that_waits_for_anothers_lost_chunks_is_held_by_the_receive_window() {
    let config = Config {
        receive_buffer: ByteCount::new(20_000),
        retransmission: "same".into(),
        failover: Failover::OFF,
        ..Config::rfc9260()
    };
    let mut pair = Pair::new(config, 2);
    pair.z.reads_at_once = true;
    pair.join();
    pair.pipes[0].is_cut = true;
    pair.send_at_once(End::A, 40, FULL);
    pair.run_for(ms(1_500));
    let second = pair.path(End::A, 1);
    assert!(second.flight.is_zero() && second.flight < second.cwnd, "{second:?}");
    let (shares, blocked) = shares_of(&mut pair, 1, ms(1_000));
    assert_eq!((shares.receive_window, blocked), (ms(1_000), ms(1_000)), "{shares:?}");
    let (shares, _) = shares_of(&mut pair, 0, ms(100));
    assert_eq!(shares.congestion_window, ms(100), "one packet may be in flight: {shares:?}");
}

#[test]
fn a_path_for_which_nothing_waits_has_nothing_to_send() {
    let config = Config { retransmission: "same".into(), failover: Failover::OFF, ..Config::rfc9260() };
    let mut pair = Pair::new(config, 2);
    pair.z.reads_at_once = true;
    pair.join();
    pair.pipes[0].is_cut = true;
    pair.send_at_once(End::A, 6, FULL);
    pair.run_for(ms(1_500));
    // Three were lost on the first path; one of them went again, two wait for that path alone.
    let (shares, _) = shares_of(&mut pair, 0, ms(100));
    assert_eq!(shares.congestion_window, ms(100), "{shares:?}");
    let (shares, blocked) = shares_of(&mut pair, 1, ms(100));
    assert_eq!((shares.application, blocked), (ms(100), Duration::ZERO), "{shares:?}");
}

/// With one path in use the window of another does not count: the sender is not blocked while its own is full.
#[test]
fn a_path_that_is_never_used_waits_for_the_scheduler_whatever_the_windows_are() {
    let config = Config {
        scheduler: "primary".into(),
        receive_buffer: ByteCount::new(5_000),
        initial_window: InitialWindow::Bytes(ByteCount::new(3 * 1_416)),
        ..Config::rfc9260()
    };
    let mut pair = Pair::new(config, 2);
    pair.join();
    pair.send_at_once(End::A, 10, FULL);
    // Three chunks fill the window and leave no room for a fourth in the buffer either.
    let (shares, blocked) = shares_of(&mut pair, 1, ms(20));
    assert_eq!((shares.scheduler, blocked), (ms(20), Duration::ZERO), "{shares:?}");
    let now = pair.now;
    let first = pair.at(End::A).time_in_limit(now, path(0));
    assert_eq!(first.congestion_window, ms(20), "{first:?}");
    // The window is open again and the buffer is full.
    pair.run_for(ms(200));
    let (shares, blocked) = shares_of(&mut pair, 1, ms(100));
    assert_eq!((shares.scheduler, blocked), (ms(100), ms(100)), "{shares:?}");
}

#[test]
fn a_path_that_is_not_verified_is_down() {
    let config = Config { trusts_given_addresses: false, ..Config::rfc9260() };
    let mut pair = Pair::new(config, 2);
    pair.pipes[1].is_cut = true;
    pair.connect();
    pair.run_for(ms(100));
    let (shares, _) = shares_of(&mut pair, 1, ms(300));
    assert_eq!(shares.down, ms(300), "{shares:?}");
    let (shares, _) = shares_of(&mut pair, 0, ms(300));
    assert_eq!(shares.application, ms(300), "{shares:?}");
}
