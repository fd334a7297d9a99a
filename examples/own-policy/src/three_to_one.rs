//! A scheduler with one setting: several packets over the first path for each one over another.

use anabranch_sctp::base::setting::{Kind, Setting};
use anabranch_sctp::own_field;
use anabranch_sctp::policy::registry::OwnSettings;
use anabranch_sctp::policy::schedule::{Index, QueueView, Scheduler, may_carry};
use anabranch_sctp::policy::{PathId, Registry, View};

/// The settings.
#[derive(Clone, Debug, PartialEq)]
struct Ratio {
    /// The number of packets over the first path before one over another.
    first: u64,
}

impl Default for Ratio {
    fn default() -> Ratio {
        Ratio { first: 3 }
    }
}

/// Counts the packets sent, to choose the next path.
#[derive(Debug)]
struct ThreeToOne {
    ratio: Ratio,
    sent: u64,
}

impl Scheduler for ThreeToOne {
    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        let is_first = self.sent % (self.ratio.first + 1) < self.ratio.first;
        let path = if is_first {
            may_carry(view.path(PathId::FIRST), queue).then_some(PathId::FIRST)
        } else {
            view.next_after(PathId::FIRST, |sample| may_carry(sample, queue))
        };
        let path = path?;
        self.sent += 1;
        Some((path, Index::OLDEST))
    }
}

pub(crate) fn add(registry: &mut Registry) {
    registry
        .schedulers
        .add("three-to-one", |rules| Box::new(ThreeToOne { ratio: rules.own.of(), sent: 0 }))
        .with_settings(SETTINGS);
}

const SETTINGS: &[Setting<OwnSettings>] = &[own_field!(
    "three_to_one.first" = Ratio.first,
    Everywhere,
    Kind::Whole { least: 1, most: 1_000 },
    "with the scheduler `three-to-one`: packets over the first path for each over another"
)];
