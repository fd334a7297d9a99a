//! A congestion control that wants more than a packet at once: only window management keeps its steps to a unit.

use anabranch_base::ByteCount;
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::congestion::{Acked, CongestionControl, CutCause, CutWindow, WindowRule};
use anabranch_sctp::policy::window::{Grant, WindowLimit};
use anabranch_sctp::policy::{PathId, Registry, View};

use crate::pair::{End, Pair};
use crate::{FULL, PACKET, counted, ms};

/// Wants three packets with the first acknowledgement, and nothing after it.
#[derive(Debug, Default)]
struct ThreeAtOnce {
    has_grown: bool,
}

impl WindowRule for ThreeAtOnce {
    fn add_path(&mut self, _path: PathId) {}

    fn remove_path(&mut self, _path: PathId) {}

    fn is_in_slow_start(&self, _path: PathId, _view: &View<'_>) -> bool {
        false
    }

    fn increase(&mut self, _path: PathId, acked: &Acked, _view: &View<'_>) -> ByteCount {
        let is_first = !acked.bytes.is_zero() && !std::mem::replace(&mut self.has_grown, true);
        ByteCount::new(if is_first { 3 * PACKET } else { 0 })
    }

    fn decrease(&mut self, path: PathId, _cause: CutCause, view: &View<'_>) -> CutWindow {
        CutWindow { cwnd: view.path(path).cwnd, ssthresh: view.path(path).ssthresh }
    }
}

/// Grants everything, as a rule that divides room.
#[derive(Debug)]
struct Generous;

impl WindowLimit for Generous {
    fn grant(&mut self, _path: PathId, wanted: ByteCount, _view: &View<'_>) -> Grant {
        Grant::free(wanted)
    }

    fn set_limits(&mut self, _limits: &[(PathId, ByteCount)]) {}
}

/// By how many packets the window grows.
fn grown(window_management: &str) -> u64 {
    let mut registry = Registry::standard();
    registry
        .congestion_controls
        .add("three-at-once", |_| Box::new(CongestionControl::rule(ThreeAtOnce::default())));
    registry.window_limits.add("generous", |_| Box::new(Generous));
    let config = Config {
        congestion_control: "three-at-once".into(),
        window_management: window_management.into(),
        ..counted()
    };
    let mut pair = Pair::open_with(&registry, &config, 1);
    pair.z.reads_at_once = true;
    let before = pair.path(End::A, 0).cwnd;
    pair.send_at_once(End::A, 10, FULL);
    pair.run_for(ms(500));
    (pair.path(End::A, 0).cwnd - before).get() / PACKET
}

#[test]
fn under_window_management_a_window_grows_by_a_unit_at_most() {
    assert_eq!(["none", "generous"].map(grown), [3, 1]);
}
