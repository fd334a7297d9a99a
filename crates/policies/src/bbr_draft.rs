//! BBRv3 by the letter of the draft: any loss counts as it says, also where packets are lost without a queue.

use anabranch_sctp::policy::Registry;
use anabranch_sctp::policy::congestion::bbr::{Bbr, LossRule};

const NAME: &str = "bbr-draft";

pub(crate) fn add(registry: &mut Registry) {
    registry
        .congestion_controls
        .add_model(NAME, |rules| Bbr::new(LossRule::Draft, rules.seed.child("congestion/bbr")))
        .with_check(|rules| Bbr::check(NAME, rules));
}
