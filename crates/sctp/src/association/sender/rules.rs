//! The policies of the sender, built from their names.

use anabranch_base::Seed;

use crate::association::receiver_rules::ReceiverRules;
use crate::config::{Config, Coupling};
use crate::policy::acknowledge::{FlowControl, StandardFlow};
use crate::policy::congestion::CongestionControl;
use crate::policy::congestion::coupled::auto::coupled_at_bottlenecks;
use crate::policy::loss_detection::LossDetection;
use crate::policy::registry::StandardRules;
use crate::policy::response::LossResponse;
use crate::policy::retransmission::RetransmissionPolicy;
use crate::policy::schedule::Scheduler;
use crate::policy::slow_start::SlowStart;
use crate::policy::window::WindowLimit;
use crate::policy::{Registry, UnknownPolicy};

/// The policies of the sender, one of each kind.
#[derive(Debug)]
pub(crate) struct SenderRules {
    /// Interprets SACKs path by path.
    pub detection: Box<dyn LossDetection>,
    /// True if losses are [detected by time](LossDetection::counts_time).
    pub counts_time: bool,
    /// Grows and cuts windows.
    pub congestion: CongestionControl,
    /// Grows windows in slow start.
    pub slow_start: Box<dyn SlowStart>,
    /// True if windows grow only by SACKs that advance their path.
    pub growth_needs_advance: bool,
    /// Limits the growth of windows.
    pub limit: Box<dyn WindowLimit>,
    /// Decides the response to a loss.
    pub response: Box<dyn LossResponse>,
    /// Selects the path of a chunk after a time-out.
    pub after_timeout: Box<dyn RetransmissionPolicy>,
    /// Selects the path of a chunk after missing reports.
    pub after_missing: Box<dyn RetransmissionPolicy>,
    /// Selects the path of new data.
    pub scheduler: Box<dyn Scheduler>,
    /// Interprets the advertised window.
    pub flow: Box<dyn FlowControl>,
}

impl SenderRules {
    /// Builds the policies that `config` names. Policies that draw random numbers use children of `seed`.
    ///
    /// # Errors
    /// `registry` does not have one of the names.
    pub(crate) fn build(
        registry: &Registry,
        config: &Config,
        seed: &Seed,
    ) -> Result<SenderRules, UnknownPolicy> {
        let rules = config.rules(seed.child("policies"));
        // Two retransmission policies with the same name use different streams.
        let after_missing = StandardRules { seed: rules.seed.child("fast retransmission"), ..rules.clone() };
        let alone = *registry.congestion_controls.build(&config.congestion_control, &rules)?;
        let congestion = match config.coupled {
            Coupling::Auto => coupled_at_bottlenecks(alone),
            Coupling::Off => alone,
        };
        let detection = registry.loss_detections.build(&config.loss_detection, &rules)?;
        Ok(SenderRules {
            counts_time: detection.counts_time(),
            growth_needs_advance: config.growth_needs_advance || detection.advances_by_path(),
            detection,
            congestion,
            slow_start: registry.slow_starts.build(&config.slow_start, &rules)?,
            limit: registry.window_limits.build(&config.window_management, &rules)?,
            response: registry.loss_responses.build(&config.loss_response, &rules)?,
            after_timeout: registry.retransmission_policies.build(&config.retransmission, &rules)?,
            after_missing: registry
                .retransmission_policies
                .build(&config.fast_retransmission, &after_missing)?,
            scheduler: registry.schedulers.build(&config.scheduler, &rules)?,
            flow: registry.flow_controls.build(config.flow_control(), &rules)?,
        })
    }

    /// Falls back to the standard rules where the peer does not support the others.
    pub(crate) fn agree(&mut self, agreed: ReceiverRules, config: &Config) {
        if config.has_two_levels() && !agreed.two_levels {
            self.flow = Box::new(StandardFlow);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_that_couples_all_paths_stays_as_it_is() {
        let is_coupled = |control: &str| {
            let config = Config {
                coupled: Coupling::Auto,
                congestion_control: control.to_owned(),
                ..Config::rfc9260()
            };
            let built = SenderRules::build(&Registry::standard(), &config, &Seed::from_number(1));
            match built.expect("it is known").congestion {
                CongestionControl::Rule(mut rule) => rule.coupling().is_some(),
                CongestionControl::Model(_) => false,
            }
        };
        assert_eq!(["lia", "reno"].map(is_coupled), [true, false]);
    }
}
