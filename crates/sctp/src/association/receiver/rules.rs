//! The policies of the receiver, built from their names.

use anabranch_base::Seed;

use crate::association::receiver_rules::ReceiverRules;
use crate::config::Config;
use crate::policy::acknowledge::{AckTiming, FlowControl, FullSack, SackContent, StandardFlow};
use crate::policy::{Registry, UnknownPolicy};
use crate::wire::Sack;

/// The policies of the receiver, one of each kind.
#[derive(Debug)]
pub(crate) struct AckRules {
    /// Decides when a SACK is due.
    pub timing: Box<dyn AckTiming>,
    /// Decides the content of a SACK.
    pub content: Box<dyn SackContent>,
    /// Decides the advertised window.
    pub flow: Box<dyn FlowControl>,
}

impl AckRules {
    /// Builds the policies that `config` names. Policies that draw random numbers use children of `seed`.
    ///
    /// # Errors
    /// `registry` does not have one of the names.
    pub(crate) fn build(
        registry: &Registry,
        config: &Config,
        seed: &Seed,
    ) -> Result<AckRules, UnknownPolicy> {
        let rules = config.rules(seed.child("policies"));
        Ok(AckRules {
            timing: registry.ack_timings.build(config.sack_timing(), &rules)?,
            content: registry.sack_contents.build(&config.sack_content, &rules)?,
            flow: registry.flow_controls.build(config.flow_control(), &rules)?,
        })
    }

    /// Returns true if SACKs report only what is new (M-IPCC-9).
    pub(crate) fn reports_new_gaps(&self) -> bool {
        self.content.flags() & Sack::NEW_GAPS != 0
    }

    /// Falls back to the standard rules where the peer does not support the others.
    pub(crate) fn agree(&mut self, agreed: ReceiverRules, config: &Config) {
        if config.has_two_levels() && !agreed.two_levels {
            self.flow = Box::new(StandardFlow);
        }
        if self.reports_new_gaps() && !agreed.new_gaps {
            self.content = Box::new(FullSack);
        }
    }
}
