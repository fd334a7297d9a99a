//! Coupling only where paths share a bottleneck: each path follows the chosen control by itself, and paths that are
//! found to share a bottleneck take one share of it together. By a rule, their windows grow as one (`rule.rs`); models
//! get their shares (`model.rs`).

mod model;
mod rule;

use anabranch_base::{Duration, Time};

use self::model::AutoModel;
use self::rule::AutoRule;
use super::bottleneck::Bottlenecks;
use crate::policy::congestion::{Acked, CongestionControl};
use crate::policy::{PathId, View};

/// `control` with those paths coupled that share a bottleneck. A rule that couples all paths stays as it is.
pub(crate) fn coupled_at_bottlenecks(control: CongestionControl) -> CongestionControl {
    match control {
        CongestionControl::Rule(mut rule) => match rule.coupling() {
            Some(_) => CongestionControl::Rule(rule),
            None => CongestionControl::rule(AutoRule::new(rule)),
        },
        CongestionControl::Model(model) => CongestionControl::model(AutoModel::new(model)),
    }
}

/// Gives `bottlenecks` the one-way delay of the newest packets of `acked` on `path`. Returns true if the pairs were
/// judged again.
fn judge(bottlenecks: &mut Bottlenecks, path: PathId, acked: &Acked, view: &View<'_>) -> bool {
    if view.paths.len() < 2 {
        return false;
    }
    let Some((delay, measured)) = acked.delay.zip(view.path(path).one_way) else { return false };
    let arrived = Time::from_nanos(acked.at.as_nanos().saturating_sub(measured.back.as_nanos()));
    bottlenecks.on_delay(path, arrived, delay, measured.least, acked.at)
}

fn longest_round_trip(view: &View<'_>) -> Duration {
    view.active().map(|sample| sample.srtt.unwrap_or(sample.rto)).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;

    use super::*;
    use crate::policy::testing::sample;
    use crate::policy::{OneWay, PathSample};

    pub(super) fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// Two paths in congestion avoidance with windows of four packets.
    pub(super) fn paths() -> [PathSample; 2] {
        [0, 1].map(|index| {
            let one_way = Some(OneWay { delay: ms(20), least: ms(20), back: ms(20) });
            PathSample { one_way, srtt: Some(ms(100)), ssthresh: ByteCount::new(1_500), ..sample(index) }
        })
    }
}
