//! A model of paths, which gives windows as a whole: it hears of every lost chunk and of paths that were given less, its
//! windows apply as far as the window management allows, and BBR is one.

use std::sync::{Arc, Mutex};

use anabranch_base::{BitRate, ByteCount};
use anabranch_sctp::config::{BurstRule, Config, MaxBurst};
use anabranch_sctp::policy::congestion::{
    Acked, CongestionControl, CutCause, GivenWindow, LostData, PathModel, SentData,
};
use anabranch_sctp::policy::window::{Grant, WindowLimit};
use anabranch_sctp::policy::{PathId, Registry, View};

use crate::pair::{End, Pair};
use crate::{FULL, PACKET, counted, ms};

/// Gives ten packets after the first SACK, cuts nothing, and keeps what it hears.
#[derive(Clone, Debug, Default)]
struct TenPackets {
    heard: Arc<Mutex<Heard>>,
}

#[derive(Debug, Default)]
struct Heard {
    sent: Vec<u64>,
    newest: Vec<u64>,
    lost: Vec<(u64, ByteCount)>,
    withheld: u32,
}

impl PathModel for TenPackets {
    fn add_path(&mut self, _path: PathId) {}

    fn remove_path(&mut self, _path: PathId) {}

    fn on_sent(&mut self, _path: PathId, sent: &SentData, _view: &View<'_>) -> Option<GivenWindow> {
        self.heard.lock().expect("one thread").sent.push(sent.departure);
        None
    }

    fn on_acked(&mut self, _path: PathId, acked: &Acked, _view: &View<'_>) -> Option<GivenWindow> {
        self.heard.lock().expect("one thread").newest.extend(acked.newest);
        Some(GivenWindow { cwnd: ByteCount::new(10 * PACKET), is_starting: false })
    }

    fn on_lost(&mut self, _path: PathId, lost: &LostData, _view: &View<'_>) {
        self.heard.lock().expect("one thread").lost.push((lost.departure, lost.bytes));
    }

    fn on_withheld(&mut self, _path: PathId, _view: &View<'_>) {
        self.heard.lock().expect("one thread").withheld += 1;
    }

    fn on_cut(&mut self, path: PathId, _cause: CutCause, view: &View<'_>) -> ByteCount {
        view.path(path).cwnd
    }

    fn pacing_rate(&self, _path: PathId, _view: &View<'_>) -> Option<BitRate> {
        None
    }
}

/// Lets no window grow beyond seven packets.
#[derive(Debug)]
struct UpToSeven;

impl WindowLimit for UpToSeven {
    fn grant(&mut self, path: PathId, wanted: ByteCount, view: &View<'_>) -> Grant {
        Grant::free(wanted.min(ByteCount::new(7 * PACKET).saturating_sub(view.path(path).cwnd)))
    }

    fn set_limits(&mut self, _limits: &[(PathId, ByteCount)]) {}
}

/// An association under the control, with this window management.
fn open(window_management: &str) -> (Pair, TenPackets) {
    let (mut registry, control) = (Registry::standard(), TenPackets::default());
    let built = control.clone();
    registry
        .congestion_controls
        .add("ten-packets", move |_| Box::new(CongestionControl::model(built.clone())));
    registry.window_limits.add("up-to-seven", |_| Box::new(UpToSeven));
    let config = Config {
        congestion_control: "ten-packets".into(),
        window_management: window_management.into(),
        ..counted()
    };
    let mut pair = Pair::open_with(&registry, &config, 1);
    pair.z.reads_at_once = true;
    (pair, control)
}

#[test]
fn a_model_hears_of_lost_chunks_and_of_paths_that_were_given_less() {
    let (mut pair, control) = open("none");
    pair.drop_next(End::A, 0);
    pair.send_at_once(End::A, 40, FULL);
    pair.run_for(ms(2_000));
    let heard = control.heard.lock().expect("one thread");
    assert_eq!(heard.sent.len(), 41, "forty packets, one of them twice: {:?}", heard.sent);
    assert_eq!(heard.lost, [(heard.sent[0], ByteCount::new(PACKET))], "the first packet, by its number");
    let newest = &heard.newest;
    assert_eq!(newest.len(), 39, "the SACK of the retransmission has none: it is ambiguous");
    assert!(newest.is_sorted() && newest.iter().all(|number| heard.sent.contains(number)), "{newest:?}");
    assert!(heard.withheld > 0, "at the end nothing waits");
}

#[test]
fn a_window_that_is_given_applies_as_far_as_the_window_management_allows() {
    let windows = ["none", "up-to-seven"].map(|management| {
        let (mut pair, _) = open(management);
        pair.send_at_once(End::A, 40, FULL);
        pair.run_for(ms(500));
        let sample = pair.path(End::A, 0);
        assert!(!sample.is_below_threshold(), "it is not in slow start: {sample:?}");
        sample.cwnd.get() / PACKET
    });
    assert_eq!(windows, [10, 7]);
}

/// BBR with trains of four packets.
fn bbr(pipes: usize) -> Pair {
    let config = Config {
        congestion_control: "bbr".into(),
        max_burst: MaxBurst { packets: 4, rule: BurstRule::Paced },
        ..counted()
    };
    assert_eq!(config.check_policies(&Registry::standard()), Ok(()));
    let mut pair = Pair::open(config, pipes);
    pair.z.reads_at_once = true;
    pair
}

#[test]
fn under_bbr_a_fast_retransmit_does_not_cut_the_window_and_a_time_out_does_until_it_is_repaired() {
    let mut pair = bbr(1);
    pair.send_at_once(End::A, 100, FULL);
    pair.run_for(ms(3_000));
    let before = pair.path(End::A, 0).cwnd;
    assert!(before >= ByteCount::new(4 * PACKET));
    pair.drop_next(End::A, 0);
    pair.send_at_once(End::A, 12, FULL);
    pair.run_for(ms(3_000));
    let repaired = pair.path(End::A, 0);
    assert!(repaired.cwnd + ByteCount::new(PACKET) >= before, "{} and {before}", repaired.cwnd);
    // Of a single packet, only T3-rtx finds the loss.
    pair.drop_next(End::A, 0);
    pair.send_at_once(End::A, 1, FULL);
    let is_cut = |pair: &mut Pair| pair.path(End::A, 0).cwnd == ByteCount::new(PACKET);
    assert!(pair.run_until(ms(5_000), is_cut), "the window is one unit after T3-rtx");
    pair.send_at_once(End::A, 12, FULL);
    pair.run_for(ms(10_000));
    let after = pair.path(End::A, 0).cwnd;
    assert!(after + ByteCount::new(PACKET) >= repaired.cwnd, "{after} and {}", repaired.cwnd);
    assert_eq!(pair.z.read.len(), 125, "everything arrived");
}

#[test]
fn bbr_without_pacing_is_refused() {
    let config = Config { congestion_control: "bbr".into(), ..counted() };
    assert_eq!(
        config.check_policies(&Registry::standard()).expect_err("bursts").to_string(),
        "congestion_control is bbr, expected reno where packets are not paced; bbr needs pacing \
         (max_burst.rule = \"paced\")"
    );
}
