//! A scheduler with one setting: some packets over the first path for each over another.

use anabranch_sctp::base::setting::{Kind, Setting};
use anabranch_sctp::own_field;
use anabranch_sctp::policy::registry::OwnSettings;
use anabranch_sctp::policy::schedule::{Index, QueueView, Scheduler, may_carry};
use anabranch_sctp::policy::{PathId, Registry, View};

/// What users set.
#[derive(Clone, Debug, PartialEq)]
struct Turns {
    /// How many packets take the first path before one takes another.
    first: u64,
}

impl Default for Turns {
    fn default() -> Turns {
        Turns { first: 3 }
    }
}

/// Counts what it has sent, to know whose turn it is.
#[derive(Debug)]
struct ThreeToOne {
    rounds: Turns,
    sent: u64,
}

impl Scheduler for ThreeToOne {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        let is_first = self.sent % (self.rounds.first + 1) < self.rounds.first;
        let path = if is_first {
            may_carry(view.path(PathId::FIRST), queue).then_some(PathId::FIRST)
        } else {
            view.next_after(PathId::FIRST, |sample| may_carry(sample, queue))
        }?;
        self.sent += 1;
        Some((path, Index::OLDEST))
    }
}

pub(crate) fn add(registry: &mut Registry) {
    registry
        .schedulers
        .add("three-to-one", |rules| Box::new(ThreeToOne { rounds: rules.own.of(), sent: 0 }))
        .with_settings(SETTINGS);
}

const SETTINGS: &[Setting<OwnSettings>] = &[own_field!(
    "three_to_one.first" = Turns.first,
    Everywhere,
    Kind::Whole { least: 1, most: 1_000 },
    "with the scheduler `three-to-one`: packets over the first path for each over another"
)];
