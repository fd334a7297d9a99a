//! Policies by name. The command line, scenario files and Python choose from one registry, which is passed to each of
//! them as a value. Other crates add policies to it. This is the only list of the names.

pub(super) mod own;
mod table;

pub use own::{OwnSettings, PolicySettings};
pub use table::{Entry, PolicyNames, PolicyTable, UnknownPolicy};

pub use super::rules::StandardRules;

use anabranch_base::setting::Setting;

use super::acknowledge::{
    AckTiming, AnyOrder, Dac, DacOnSeveralPaths, DelayedAck, FlowControl, FullSack, NewGaps, SackContent,
    StandardFlow, TwoLevelFlow,
};
use super::congestion::CongestionControl;
use super::congestion::bbr::{Bbr, LossRule};
use super::congestion::coupled::Coupled;
use super::congestion::coupled::lia::Lia;
use super::congestion::cubic::Cubic;
use super::congestion::reno::Reno;
use super::congestion::westwood::Westwood;
use super::loss_detection::LossDetection;
use super::loss_detection::association::AssociationDetection;
use super::loss_detection::cmt::CmtDetection;
use super::loss_detection::departure::DepartureDetection;
use super::loss_detection::rack::RackDetection;
use super::response::LossResponse;
use super::response::standard::Standard;
use super::retransmission::RetransmissionPolicy;
use super::retransmission::alternate::Alternate;
use super::retransmission::asap::Asap;
use super::retransmission::best::{
    BestPath, Rank, by_all, by_configured_loss, by_cwnd, by_loss_rate, by_ssthresh,
};
use super::retransmission::in_order_arrival::InOrderArrival as InOrderRepair;
use super::retransmission::same::Same;
use super::schedule::Scheduler;
use super::schedule::fill::Fill;
use super::schedule::in_order_arrival::InOrderArrival;
use super::schedule::lowest_rtt::LowestRtt;
use super::schedule::primary::Primary;
use super::schedule::round_robin::RoundRobin;
use super::schedule::window_regulated::WindowRegulated;
use super::schedule::xlink::Xlink;
use super::slow_start::SlowStart;
use super::slow_start::half_of_acked::HalfOfAcked;
use super::slow_start::hystart_plus_plus::HystartPlusPlus;
use super::slow_start::unit::UnitPerSack;
use super::window::WindowLimit;
use super::window::dynamic::{Bound, Dynamic};
use super::window::limits::PathLimits;
use super::window::none::Unlimited;

/// The kinds of policies that users choose, as in messages. A setting finds its table by this name.
pub mod kind {
    /// [`Registry::congestion_controls`](super::Registry::congestion_controls).
    pub(crate) const CONGESTION_CONTROL: &str = "congestion control";
    /// [`Registry::window_limits`](super::Registry::window_limits).
    pub const WINDOW_MANAGEMENT: &str = "window management";
    /// [`Registry::loss_responses`](super::Registry::loss_responses).
    pub(crate) const LOSS_RESPONSE: &str = "loss response";
    /// [`Registry::retransmission_policies`](super::Registry::retransmission_policies).
    pub const RETRANSMISSION: &str = "retransmission policy";
    /// [`Registry::schedulers`](super::Registry::schedulers).
    pub const SCHEDULER: &str = "scheduler";
    /// [`Registry::ack_timings`](super::Registry::ack_timings).
    pub(crate) const ACK_TIMING: &str = "SACK timing";
}

/// Every policy that can be chosen by name. Two registries are equal if they have the same names.
#[derive(Clone, Debug, PartialEq)]
pub struct Registry {
    /// The interpretation of SACKs path by path.
    pub loss_detections: PolicyTable<dyn LossDetection>,
    /// The growth and the cuts of windows.
    pub congestion_controls: PolicyTable<CongestionControl>,
    /// The growth of windows in slow start.
    pub slow_starts: PolicyTable<dyn SlowStart>,
    /// The limits of windows in a shared buffer.
    pub window_limits: PolicyTable<dyn WindowLimit>,
    /// The sender's responses to losses.
    pub loss_responses: PolicyTable<dyn LossResponse>,
    /// The paths for retransmissions.
    pub retransmission_policies: PolicyTable<dyn RetransmissionPolicy>,
    /// The paths for new data.
    pub schedulers: PolicyTable<dyn Scheduler>,
    /// The times of SACKs.
    pub ack_timings: PolicyTable<dyn AckTiming>,
    /// The contents of SACKs.
    pub sack_contents: PolicyTable<dyn SackContent>,
    /// The advertised window, and its use by the sender.
    pub flow_controls: PolicyTable<dyn FlowControl>,
}

impl Registry {
    /// The policies of anabranch.
    pub fn standard() -> Registry {
        let mut registry = Registry::empty();
        registry
            .loss_detections
            .add("association", |rules| Box::new(AssociationDetection::new(rules.missing_reports)));
        registry
            .loss_detections
            .add("cmt", |rules| Box::new(CmtDetection::new(rules.cmt, rules.missing_reports)));
        registry
            .loss_detections
            .add("departure", |rules| Box::new(DepartureDetection::new(rules.missing_reports)));
        registry.loss_detections.add("rack", |rules| Box::new(RackDetection::new(rules.missing_reports)));
        registry.congestion_controls.add_rule("reno", |rules| Reno::new(rules.reno));
        registry.congestion_controls.add_rule("westwood", |rules| Westwood::new(rules.reno));
        registry.congestion_controls.add_rule("cubic", |rules| Cubic::new(rules.reno));
        registry.congestion_controls.add_rule("lia", |rules| Coupled::new(Lia, rules.reno));
        registry
            .congestion_controls
            .add_model("bbr", |rules| Bbr::new(LossRule::ByQueue, rules.seed.child("congestion/bbr")))
            .with_check(|rules| Bbr::check("bbr", rules));
        registry.slow_starts.add("unit", |_| Box::new(UnitPerSack));
        registry.slow_starts.add("half-of-acked", |_| Box::new(HalfOfAcked));
        registry.slow_starts.add("hystart++", |_| Box::new(HystartPlusPlus::default()));
        registry.window_limits.add("none", |_| Box::new(Unlimited));
        registry.window_limits.add("dynamic", |_| Box::new(Dynamic::new(Bound::Filled)));
        registry.window_limits.add("dynamic-unbounded", |_| Box::new(Dynamic::new(Bound::None)));
        registry
            .window_limits
            .add("static", |rules| Box::new(PathLimits::new(rules.window_limits.clone())))
            .with_check(PathLimits::check);
        registry.loss_responses.add("standard", |_| Box::new(Standard));
        registry.retransmission_policies.add("same", |_| Box::new(Same));
        registry.retransmission_policies.add("alternate", |_| Box::new(Alternate));
        registry.retransmission_policies.add("in-order-arrival", |_| Box::new(InOrderRepair));
        registry
            .retransmission_policies
            .add("asap", |rules| Box::new(Asap::new(&rules.seed.child("place/asap"))));
        for (name, rank) in RANKS {
            let stream = format!("place/{name}");
            let build = move |rules: &StandardRules| -> Box<dyn RetransmissionPolicy> {
                Box::new(BestPath::new(rank, &rules.seed.child(&stream)))
            };
            registry.retransmission_policies.add(name, build);
        }
        registry.schedulers.add("primary", |_| Box::new(Primary));
        registry.schedulers.add("round-robin", |_| Box::new(RoundRobin::default()));
        registry.schedulers.add("fill", |_| Box::new(Fill::default()));
        registry.schedulers.add("lowest-rtt", |_| Box::new(LowestRtt));
        registry.schedulers.add("in-order-arrival", |_| Box::new(InOrderArrival::default()));
        registry.schedulers.add("window-regulated", |_| Box::new(WindowRegulated));
        registry.schedulers.add("xlink", |_| Box::new(Xlink::default()));
        registry
            .ack_timings
            .add("standard", |rules| Box::new(DelayedAck::new(rules.sack_every, rules.sack_delay)));
        registry.ack_timings.add("dac", |rules| {
            let dac = Dac::new(rules.sack_every, rules.sack_delay, rules.dac_wire);
            Box::new(dac.counting_full_only(rules.cmt.ns2.counts_full_only()))
        });
        registry
            .ack_timings
            .add("any-order", |rules| Box::new(AnyOrder::new(rules.sack_every, rules.sack_delay)));
        registry.ack_timings.add("dac-on-several-paths", |rules| {
            Box::new(DacOnSeveralPaths::new(rules.sack_every, rules.sack_delay, rules.dac_wire))
        });
        registry.sack_contents.add("all", |_| Box::new(FullSack));
        registry
            .sack_contents
            .add("new", |_| Box::new(NewGaps::new(REPORTED_TIMES)))
            .with_check(NewGaps::check);
        registry.flow_controls.add("standard", |_| Box::new(StandardFlow));
        registry.flow_controls.add("two-level", |_| Box::new(TwoLevelFlow));
        registry
    }

    fn empty() -> Registry {
        Registry {
            loss_detections: PolicyTable::new("loss detection", &[]),
            congestion_controls: PolicyTable::new(kind::CONGESTION_CONTROL, &[]),
            slow_starts: PolicyTable::new("slow start", &[]),
            window_limits: PolicyTable::new(kind::WINDOW_MANAGEMENT, &[]),
            loss_responses: PolicyTable::new(kind::LOSS_RESPONSE, &[]),
            retransmission_policies: PolicyTable::new(kind::RETRANSMISSION, &["both"]),
            schedulers: PolicyTable::new(kind::SCHEDULER, &[]),
            ack_timings: PolicyTable::new(kind::ACK_TIMING, &[]),
            sack_contents: PolicyTable::new("SACK content", &[]),
            flow_controls: PolicyTable::new("flow control", &[]),
        }
    }

    /// Every setting of policies' own, each with the [`kind`] of its policy, in the order of kinds and names. A setting
    /// that several policies share is listed once. Documents have them after the setting that chooses a policy of the
    /// kind.
    pub fn own_settings(
        &self,
    ) -> impl Iterator<Item = (&'static str, &'static Setting<OwnSettings>)> + Clone {
        let all = [
            self.loss_detections.own_settings(),
            self.congestion_controls.own_settings(),
            self.slow_starts.own_settings(),
            self.window_limits.own_settings(),
            self.loss_responses.own_settings(),
            self.retransmission_policies.own_settings(),
            self.schedulers.own_settings(),
            self.ack_timings.own_settings(),
            self.sack_contents.own_settings(),
            self.flow_controls.own_settings(),
        ];
        let mut listed: Vec<(&'static str, &'static Setting<OwnSettings>)> = Vec::new();
        for (kind, setting) in all.into_iter().flatten() {
            if !listed.iter().any(|(_, other)| other.key == setting.key) {
                listed.push((kind, setting));
            }
        }
        listed.into_iter()
    }

    /// The names of the policies of this [`kind`]; `None` for a kind that users do not choose.
    pub fn names(&self, kind: &str) -> Option<PolicyNames<'_>> {
        match kind {
            kind::CONGESTION_CONTROL => Some(self.congestion_controls.all_names()),
            kind::WINDOW_MANAGEMENT => Some(self.window_limits.all_names()),
            kind::LOSS_RESPONSE => Some(self.loss_responses.all_names()),
            kind::RETRANSMISSION => Some(self.retransmission_policies.all_names()),
            kind::SCHEDULER => Some(self.schedulers.all_names()),
            kind::ACK_TIMING => Some(self.ack_timings.all_names()),
            _ => None,
        }
    }
}

impl Default for Registry {
    fn default() -> Registry {
        Registry::standard()
    }
}

/// The number of SACKs in which a new gap is reported (M-IPCC-9).
const REPORTED_TIMES: u8 = 3;

/// The retransmission policies that choose the best path, and their rankings.
const RANKS: [(&str, Rank); 5] = [
    ("cwnd", by_cwnd),
    ("ssthresh", by_ssthresh),
    ("lossrate", by_loss_rate),
    ("lossrate=oracle", by_configured_loss),
    ("compound", by_all),
];

#[cfg(test)]
pub(crate) mod tests {
    use anabranch_base::{Duration, Seed};

    use super::*;
    use crate::policy::acknowledge::DacWire;
    use crate::policy::congestion::reno::{EcnWindow, IdleThreshold, RenoRules};
    use crate::policy::loss_detection::cmt::CmtRules;

    pub(crate) fn rules() -> StandardRules {
        StandardRules {
            reno: RenoRules {
                window_floor: 4,
                idle_floor: 4,
                clamp_partial_bytes: true,
                idle_ssthresh: IdleThreshold::TakesWindow,
                cut_may_raise: false,
                decay_lifts: false,
                ecn_window: EcnWindow::HALF,
            },
            is_paced: false,
            missing_reports: 3,
            cmt: CmtRules::NONE,
            window_limits: Vec::new(),
            sack_every: 2,
            sack_delay: Duration::from_millis(200),
            dac_wire: DacWire::Bits76,
            rto_min: Duration::from_secs(1),
            rto_max: Duration::from_secs(60),
            own: OwnSettings::default(),
            seed: Seed::from_number(1),
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let error =
            Registry::standard().congestion_controls.build("fastest", &rules()).expect_err("no such control");
        assert_eq!(
            error.to_string(),
            "there is no congestion control \"fastest\"; known are bbr, cubic, lia, reno, westwood"
        );
    }

    #[test]
    fn another_crate_may_add_a_policy() {
        let mut registry = Registry::standard();
        registry.schedulers.add("mine", |_| Box::new(Primary));
        assert!(registry.schedulers.build("mine", &rules()).is_ok());
        assert!(registry.names(kind::SCHEDULER).is_some_and(|names| names.built.contains(&"mine")));
        assert!(registry != Registry::standard());
    }

    #[test]
    fn a_planned_policy_that_is_added_is_planned_no_more() {
        let mut registry = Registry::standard();
        let is_planned = |registry: &Registry| {
            registry.names(kind::RETRANSMISSION).is_some_and(|names| names.planned.contains(&"both"))
        };
        assert!(is_planned(&registry));
        registry.retransmission_policies.add("both", |_| Box::new(Same));
        assert!(!is_planned(&registry));
    }
}
