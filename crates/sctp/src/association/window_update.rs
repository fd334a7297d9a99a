//! Property tests of the window update: compares, over random histories, which paths a SACK allows to grow in the send
//! buffer with CMT's loss detection and in the flag form of the mechanism (M-CMT-3).

mod flag_form;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::config::Charge;
use crate::policy::PathId;
use crate::policy::loss_detection::cmt::{CmtDetection, CmtRules};
use crate::policy::loss_detection::{LossDetection, SackFindings, SackNews};
use crate::policy::retransmission::LostBy;
use crate::policy::schedule::Index;
use crate::send::{Outgoing, Reliability, SendBuffer};
use crate::seq::Tsn;
use crate::wire::{GapBlock, Ppid, StreamId};
use anabranch_base::ByteCount;
use bytes::Bytes;
use flag_form::{FlagForm, SearchAnew};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

/// One step of a history. A number selects one of the items present, modulo their count.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A new chunk is sent on a path.
    Send { path: usize },
    /// A chunk in flight arrives.
    Arrive { which: usize },
    /// The receiver acknowledges, and the SACK arrives.
    Sack,
    /// An earlier SACK arrives, `back` SACKs before the last.
    LateSack { back: usize },
    /// A chunk in flight on a path is marked lost by missing reports.
    Mark { path: usize, which: usize },
    /// T3-rtx of a path expires.
    Timeout { path: usize },
    /// A marked chunk is sent again.
    Resend { which: usize, path: usize },
    /// The receiver drops a chunk that it had received out of order.
    Renege { which: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (path, which) = (0..3usize, 0..64usize);
    let step = prop_oneof![
        8 => path.clone().prop_map(|path| Step::Send { path }),
        6 => which.clone().prop_map(|which| Step::Arrive { which }),
        5 => Just(Step::Sack),
        1 => (1..4usize).prop_map(|back| Step::LateSack { back }),
        2 => (path.clone(), which.clone()).prop_map(|(path, which)| Step::Mark { path, which }),
        1 => path.clone().prop_map(|path| Step::Timeout { path }),
        4 => (which.clone(), path).prop_map(|(which, path)| Step::Resend { which, path }),
        1 => which.prop_map(|which| Step::Renege { which }),
    ];
    proptest::collection::vec(step, 10..80)
}

/// A SACK: the cumulative TSN and the TSNs beyond it.
type Snapshot = (u32, Vec<RangeInclusive<u32>>);

/// The sender under test, the oracle, and a receiver with the TSNs that arrived.
struct History {
    paths: usize,
    buffer: SendBuffer,
    detection: CmtDetection,
    oracle: FlagForm,
    arrived: BTreeSet<u32>,
    /// Chunks in flight.
    flying: Vec<u32>,
    cumulative: u32,
    sacks: Vec<Snapshot>,
}

impl History {
    fn new(paths: usize, anew: SearchAnew) -> History {
        let mut buffer = SendBuffer::new(BASE.plus(1), Charge::User, Charge::User);
        (0..paths).for_each(|index| buffer.add_path(PathId::from_index(index)));
        History {
            paths,
            buffer,
            detection: CmtDetection::new(CmtRules::ALL, 4),
            oracle: FlagForm::new(paths, anew),
            arrived: BTreeSet::new(),
            flying: Vec::new(),
            cumulative: 0,
            sacks: Vec::new(),
        }
    }

    /// The paths that a SACK allows to grow, according to our code and to the oracle; `None` if no SACK arrived.
    fn take(&mut self, step: Step) -> Option<[Vec<bool>; 2]> {
        match step {
            Step::Send { path } => self.send_new(path % self.paths),
            Step::Arrive { which } if !self.flying.is_empty() => {
                let tsn = self.flying.swap_remove(which % self.flying.len());
                if tsn > self.cumulative {
                    self.arrived.insert(tsn);
                }
                while self.arrived.remove(&(self.cumulative + 1)) {
                    self.cumulative += 1;
                }
            }
            Step::Sack => {
                self.sacks.push(self.snapshot());
                return self.hear(0);
            }
            Step::LateSack { back } => return self.hear(back),
            Step::Mark { path, which } => {
                let in_flight = self.buffer.in_flight_on(PathId::from_index(path % self.paths));
                if !in_flight.is_empty() {
                    self.mark(in_flight[which % in_flight.len()], LostBy::MissingReports);
                }
            }
            Step::Timeout { path } => {
                for tsn in self.buffer.in_flight_on(PathId::from_index(path % self.paths)) {
                    self.mark(tsn, LostBy::Timeout);
                }
            }
            Step::Resend { which, path } => {
                let marked: Vec<Tsn> = self.buffer.marked().map(|lost| lost.tsn).collect();
                if !marked.is_empty() {
                    self.leave(marked[which % marked.len()], path % self.paths);
                }
            }
            Step::Renege { which } if !self.arrived.is_empty() => {
                let tsn = *self.arrived.iter().nth(which % self.arrived.len()).expect("within");
                self.arrived.remove(&tsn);
            }
            Step::Arrive { .. } | Step::Renege { .. } => {}
        }
        None
    }

    fn send_new(&mut self, path: usize) {
        let payload = Bytes::from_static(&[7; 100]);
        let (stream, ppid) = (StreamId::new(0), Ppid::new(0));
        self.buffer.push(
            Outgoing {
                stream,
                ppid,
                unordered: true,
                immediate: false,
                reliability: Reliability::Full,
                payload,
            },
            ByteCount::new(100),
        );
        let tsn = self.buffer.waiting(Index::OLDEST).expect("it waits");
        self.leave(tsn, path);
    }

    fn leave(&mut self, tsn: Tsn, path: usize) {
        self.buffer.on_sent(tsn, PathId::from_index(path), 0);
        self.oracle.on_sent(number(tsn), path);
        self.flying.push(number(tsn));
    }

    fn mark(&mut self, tsn: Tsn, by: LostBy) {
        let path = self.buffer.path_of(tsn).expect("it was sent");
        assert!(self.buffer.mark(tsn, path, by).is_some(), "it is in flight");
        self.oracle.on_marked(number(tsn));
    }

    fn snapshot(&self) -> Snapshot {
        let mut gaps: Vec<RangeInclusive<u32>> = Vec::new();
        for &tsn in &self.arrived {
            match gaps.last_mut().filter(|gap| *gap.end() + 1 == tsn) {
                Some(gap) => *gap = *gap.start()..=tsn,
                None => gaps.push(tsn..=tsn),
            }
        }
        (self.cumulative, gaps)
    }

    fn hear(&mut self, back: usize) -> Option<[Vec<bool>; 2]> {
        let (cumulative, gaps) = self.sacks.iter().rev().nth(back).cloned()?;
        let block = |gap: &RangeInclusive<u32>| GapBlock {
            start: (gap.start() - cumulative) as u16,
            end: (gap.end() - cumulative) as u16,
        };
        let mut news = SackNews::default();
        let is_news =
            self.buffer.on_sack(BASE.plus(cumulative), gaps.iter().map(block), &mut news).expect("sound");
        let theirs = self.oracle.on_sack(cumulative, &gaps);
        assert_eq!(is_news, theirs.is_some(), "both pass over what is older than what they know");
        let mut progress = SackFindings::default();
        self.detection.on_sack(&mut news, progress.cleared(self.paths));
        theirs.map(|theirs| [progress.advanced, theirs])
    }
}

fn number(tsn: Tsn) -> u32 {
    tsn.distance_from(BASE)
}

/// The first step at which the two disagree, if they do.
fn disagreement(paths: usize, steps: &[Step], anew: SearchAnew) -> Option<usize> {
    let mut history = History::new(paths, anew);
    steps.iter().position(|&step| history.take(step).is_some_and(|[ours, theirs]| ours != theirs))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(HISTORIES) })]

    #[test]
    fn the_right_to_grow_is_what_the_flag_form_says(paths in 2..4usize, steps in steps()) {
        let mut history = History::new(paths, SearchAnew::AsSpecified);
        for (index, &step) in steps.iter().enumerate() {
            if let Some([ours, theirs]) = history.take(step) {
                prop_assert_eq!(ours, theirs, "step {}: {:?}", index, step);
            }
        }
    }
}

/// M-CMT-3: "Without the flag settings above it does not". The histories must detect the difference.
#[test]
fn the_histories_distinguish_the_flag_form_from_one_that_does_not_search_again() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let differ = (0..2_000).filter(|_| {
        let steps = steps().new_tree(&mut runner).expect("a list").current();
        disagreement(2, &steps, SearchAnew::OnlyAfterAcks).is_some()
    });
    assert!(differ.count() > 20, "of 2,000");
}

/// The TSN before the first; the TSN wraps after the tenth.
const BASE: Tsn = Tsn::new(u32::MAX - 10);

/// As many as in the specification's own comparison; they take two seconds.
const HISTORIES: u32 = 20_000;
