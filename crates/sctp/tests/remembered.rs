//! The next association over a path begins with the estimates of the last one, if they still hold.

use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::config::Config;

use crate::pair::{End, Pair};

/// The window of the second of two associations over a path of 20 ms when its first data is acknowledged. Before it, the
/// path's delay becomes `delay`, and `pause` passes.
fn second_window(config: Config, delay: Duration, pause: Duration) -> ByteCount {
    let mut pair = Pair::new(config, 1);
    pair.pipes[0].delay = Duration::from_millis(20);
    pair.establish();
    pair.send_at_once(End::A, 400, 1_000);
    assert!(pair.run_until(Duration::from_secs(5), |pair| pair.at(End::A).unacknowledged().is_zero()));
    let ids = [End::A, End::Z].map(|end| pair.side(end).id.take().expect("it is open"));
    for (end, id) in [End::A, End::Z].into_iter().zip(ids) {
        let now = pair.now;
        pair.side(end).endpoint.remove(now, id);
    }
    pair.run_for(pause);
    pair.pipes[0].delay = delay;
    pair.establish();
    pair.send_at_once(End::A, 1, 1_000);
    pair.run_for(delay * 2 + Duration::from_millis(30));
    pair.path(End::A, 0).cwnd
}

#[test]
fn the_next_association_over_a_path_goes_on_from_what_it_carried() {
    let (same, soon) = (Duration::from_millis(20), Duration::from_secs(1));
    let fresh = second_window(Config { remember_paths: false, ..Config::tuned_2() }, same, soon);
    let known = second_window(Config::tuned_2(), same, soon);
    assert!(known > fresh * 2, "{known} and {fresh}");
    let other = second_window(Config::tuned_2(), Duration::from_millis(60), soon);
    assert!(other <= fresh * 2, "another path by now: {other}");
    let late = second_window(Config::tuned_2(), same, Duration::from_secs(601));
    assert!(late <= fresh * 2, "too long ago: {late}");
}
