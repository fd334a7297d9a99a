//! The random walks of the core under the policies of this crate: what was sent arrives once, in order of its stream,
//! unchanged, or the failure is reported. `ANABRANCH_WALKS` says how many walks, `ANABRANCH_WALK` names one.

#[path = "../../sctp/tests/pair/mod.rs"]
mod pair;
#[path = "../../sctp/tests/walk/mod.rs"]
mod walk;

use anabranch_policies::ipcc::{self, IpccRules};
use anabranch_policies::registry;
use anabranch_sctp::config::{Config, EcnUse};
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;
use pair::Variant;
use walk::many::take_all;
use walk::{MarkSetting, Setting, plan_with};

const ALL: Variant = Variant { registry, ..Variant::STANDARD };

/// Any scheduler, with windows that grow together, and with queues that mark packets in every second walk.
#[test]
fn whatever_happens_messages_arrive_once_and_in_order_or_the_failure_is_reported() {
    take_all(1_000, |seed| {
        let (setting, operations) = plan_with(ALL, seed);
        let congestion = ["olia", "balia", "berp", "reno"][(seed % 4) as usize];
        let ecn = if seed % 2 == 0 { EcnUse::Off } else { EcnUse::Echo };
        let marks = MarkSetting { ecn, marking: 100, ..MarkSetting::NONE };
        (Setting { marks, congestion, ..setting }, operations)
    });
}

/// By the path sequence numbers of IPCC; in every fourth walk, copies of chunks are in flight too, in two of
/// three the receive buffer has two levels, and in every second one SACKs report new gaps alone.
#[test]
fn whatever_happens_under_ipcc_messages_arrive_once_and_in_order_or_the_failure_is_reported() {
    take_all(1_500, |seed| {
        let prepare = if seed % 3 > 0 { ipcc::choose } else { without_adjustment };
        let variant = Variant { prepare, exempts_by_path: true, ..ALL };
        let (setting, operations) = plan_with(variant, seed);
        let (scheduler, retransmission) = match seed % 4 {
            0 => ("copying".into(), "both".into()),
            1 => ("window-regulated".into(), "alternate".into()),
            2 => ("primary".into(), "alternate".into()),
            _ => (setting.scheduler, setting.retransmission),
        };
        let second_level = [None, Some(3_000), Some(1 << 20)][(seed / 4 % 3) as usize];
        let ipcc = Setting { cmt: CmtRules::NONE, scheduler, retransmission, ..setting };
        (Setting { second_level, has_new_gaps: seed / 12 % 2 == 1, ..ipcc }, operations)
    });
}

fn without_adjustment(config: &mut Config) {
    ipcc::choose(config);
    config.own.set(IpccRules { adjustment: false });
}
