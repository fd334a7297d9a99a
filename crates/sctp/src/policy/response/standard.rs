//! The RFC's response: every loss is a sign of congestion (RFC 9260 §6.3.3, §7.2.3, §7.2.4).

use super::{LossResponse, Resend, Response, Signal, TimerRule};
use crate::policy::congestion::CutCause;
use crate::policy::{PathId, View};

/// Cuts the window once in each recovery and at every time-out, and sends all lost chunks again.
#[derive(Debug, Default)]
pub struct Standard;

impl LossResponse for Standard {
    fn on_signal(&mut self, signal: Signal, _path: PathId, _view: &View<'_>) -> Response {
        let lost = Response { resend: Resend::All, ..Response::NONE };
        let timeout = Response { timer: TimerRule::Double, counts_rto: true, ..lost };
        match signal {
            Signal::Missing => Response { cut: Some(CutCause::Missing), ..lost },
            Signal::MissingInRecovery => lost,
            Signal::Timeout { again } => {
                let cause = if again { CutCause::TimeoutAgain } else { CutCause::Timeout };
                Response { cut: Some(cause), is_error: true, ..timeout }
            }
            Signal::WindowProbeUnanswered => timeout,
            // This response ignores ECN and does not ask for probes.
            Signal::EcnEcho | Signal::ProbeAnswered | Signal::ProbeUnanswered => Response::NONE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::view::tests::{sample, view};

    #[test]
    fn a_probe_that_sacks_answer_costs_neither_window_nor_error_count() {
        let paths = [sample(0)];
        let response = Standard.on_signal(Signal::WindowProbeUnanswered, PathId::FIRST, &view(&paths));
        assert_eq!((response.cut, response.is_error, response.timer), (None, false, TimerRule::Double));
    }

    #[test]
    fn losses_within_one_recovery_cut_once() {
        let paths = [sample(0)];
        let cuts = [Signal::Missing, Signal::MissingInRecovery]
            .map(|signal| Standard.on_signal(signal, PathId::FIRST, &view(&paths)).cut);
        assert_eq!(cuts, [Some(CutCause::Missing), None]);
    }
}
