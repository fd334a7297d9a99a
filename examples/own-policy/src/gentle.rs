//! A congestion control with two settings and a check: windows grow by a configured step, and keep a configured part at
//! a loss.

use anabranch_sctp::base::ByteCount;
use anabranch_sctp::base::setting::{Kind, Setting};
use anabranch_sctp::own_field;
use anabranch_sctp::policy::congestion::{Acked, CutCause, CutWindow, WindowRule};
use anabranch_sctp::policy::registry::{OwnSettings, StandardRules};
use anabranch_sctp::policy::{ConfigError, PathId, Registry, View};

/// The settings.
#[derive(Clone, Debug, PartialEq)]
struct Gentle {
    /// The growth in packets while a full window is acknowledged.
    step: f64,
    /// The part of a window that remains after a loss.
    keep: f64,
}

impl Default for Gentle {
    fn default() -> Gentle {
        Gentle { step: 1.0, keep: 0.8 }
    }
}

impl WindowRule for Gentle {
    fn add_path(&mut self, _path: PathId) {}

    fn remove_path(&mut self, _path: PathId) {}

    fn increase(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> ByteCount {
        let path = view.path(path);
        let turn = acked.bytes.get() as f64 / path.cwnd.get() as f64;
        ByteCount::new((self.step * turn * path.unit.get() as f64) as u64)
    }

    fn decrease(&mut self, path: PathId, cause: CutCause, view: &View<'_>) -> CutWindow {
        let path = view.path(path);
        let kept = ByteCount::new((path.cwnd.get() as f64 * self.keep) as u64).max(path.unit);
        let cwnd = match cause {
            CutCause::Timeout | CutCause::TimeoutAgain | CutCause::TimeoutAfterEcn => path.unit,
            CutCause::Missing | CutCause::EcnEcho | CutCause::Idle => kept,
        };
        CutWindow { cwnd, ssthresh: kept }
    }
}

/// Refuses to keep the whole window, which would never fit its path.
fn check(rules: &StandardRules) -> Result<(), ConfigError> {
    let Gentle { keep, .. } = rules.own.of();
    match keep {
        1.0.. => Err(ConfigError::new("gentle.keep", &keep, "less than 1".to_owned())),
        _ => Ok(()),
    }
}

pub(crate) fn add(registry: &mut Registry) {
    registry
        .congestion_controls
        .add_rule("gentle", |rules| rules.own.of::<Gentle>())
        .with_settings(SETTINGS)
        .with_check(check);
}

const SETTINGS: &[Setting<OwnSettings>] = &[
    own_field!(
        "gentle.step" = Gentle.step,
        Everywhere,
        Kind::Number { least: 0.0 },
        "with the congestion control `gentle`: by how many packets a window grows in a round trip"
    ),
    own_field!(
        "gentle.keep" = Gentle.keep,
        Everywhere,
        Kind::Probability,
        "with the congestion control `gentle`: which part of a window a loss leaves"
    ),
];
