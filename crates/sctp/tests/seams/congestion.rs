//! Congestion control and slow start: a control hears every acknowledgement and writes nothing but its avoidance; slow
//! start is chosen beside it.

use std::sync::{Arc, Mutex};

use anabranch_base::ByteCount;
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::congestion::{Acked, CongestionControl, CutCause, CutWindow, WindowRule};
use anabranch_sctp::policy::slow_start::{SlowStart, SlowStartStep};
use anabranch_sctp::policy::{PathId, Registry, View};

use crate::pair::{End, Pair};
use crate::{FULL, PACKET, counted, ms};

/// A control that writes only its avoidance, four bytes for each SACK, and its cut, and keeps what it hears.
#[derive(Clone, Debug, Default)]
struct Listener {
    heard: Arc<Mutex<Heard>>,
}

#[derive(Debug, Default)]
struct Heard {
    bytes: ByteCount,
    in_recovery: ByteCount,
    in_slow_start: ByteCount,
    wanted: u32,
    rounds: u32,
}

impl WindowRule for Listener {
    fn add_path(&mut self, _path: PathId) {}

    fn remove_path(&mut self, _path: PathId) {}

    fn on_acked(&mut self, path: PathId, acked: &Acked, view: &View<'_>) {
        let is_in_slow_start = self.is_in_slow_start(path, view);
        let mut heard = self.heard.lock().expect("one thread");
        heard.bytes += acked.bytes;
        heard.rounds += u32::from(acked.ends_round);
        if acked.in_recovery {
            heard.in_recovery += acked.bytes;
        } else if is_in_slow_start {
            heard.in_slow_start += acked.bytes;
        }
    }

    fn increase(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> ByteCount {
        assert!(!acked.in_recovery && !self.is_in_slow_start(path, view));
        self.heard.lock().expect("one thread").wanted += 1;
        ByteCount::new(4)
    }

    fn decrease(&mut self, path: PathId, _cause: CutCause, view: &View<'_>) -> CutWindow {
        let kept = view.path(path).cwnd * 3 / 4;
        CutWindow { cwnd: kept, ssthresh: kept - ByteCount::new(1) }
    }
}

/// Growth by all that is acknowledged, which ends at ten packets whatever the threshold.
#[derive(Debug)]
struct UpToTen;

impl SlowStart for UpToTen {
    fn increase(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> SlowStartStep {
        SlowStartStep {
            by: acked.bytes,
            is_over: view.path(path).cwnd + acked.bytes >= ByteCount::new(10 * PACKET),
        }
    }
}

/// An association under the listener and the slow start of this name.
fn open(slow_start: &str) -> (Pair, Listener) {
    let (mut registry, listener) = (Registry::standard(), Listener::default());
    let built = listener.clone();
    registry.congestion_controls.add("listener", move |_| Box::new(CongestionControl::rule(built.clone())));
    registry.slow_starts.add("up-to-ten", |_| Box::new(UpToTen));
    let config = Config {
        congestion_control: "listener".into(),
        slow_start: slow_start.into(),
        initial_ssthresh: Some(ByteCount::new(64 * PACKET)),
        ..counted()
    };
    let mut pair = Pair::open_with(&registry, &config, 1);
    pair.z.reads_at_once = true;
    (pair, listener)
}

#[test]
fn a_control_hears_every_acknowledgement_in_slow_start_and_in_recovery_too() {
    let (mut pair, listener) = open("unit");
    pair.drop_next(End::A, 0);
    pair.send_at_once(End::A, 40, FULL);
    pair.run_for(ms(2_000));
    let heard = listener.heard.lock().expect("one thread");
    assert_eq!(heard.bytes, ByteCount::new(40 * PACKET), "every packet is heard of once");
    assert!(heard.in_recovery >= ByteCount::new(PACKET), "{heard:?}");
    assert!(heard.wanted > 0, "after the loss the window is above its threshold: {heard:?}");
    assert!(heard.rounds >= 3, "{heard:?}");
}

#[test]
fn the_slow_start_that_is_chosen_says_how_the_window_grows_and_when_it_ends() {
    let grown = ["unit", "half-of-acked", "up-to-ten"].map(|slow_start| {
        let (mut pair, listener) = open(slow_start);
        pair.send_at_once(End::A, 40, FULL);
        pair.run_for(ms(500));
        let sample = pair.path(End::A, 0);
        let in_slow_start = listener.heard.lock().expect("one thread").in_slow_start;
        (sample.cwnd.get(), sample.ssthresh.get() / PACKET, in_slow_start.get() / PACKET)
    });
    // The window stops growing when it is no longer used: after 40 packets and one more SACK.
    assert_eq!(grown[0], (23 * PACKET, 64, 40));
    assert_eq!(grown[1], (16 * PACKET + PACKET / 2, 64, 40));
    // From four packets to ten by six SACKs; the control adds its four bytes for each of the others.
    assert_eq!(grown[2], (10 * PACKET + 34 * 4, 9, 6));
}
