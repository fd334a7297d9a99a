//! The RFC's response: every loss is a sign of congestion (RFC 9260 §6.3.3, §7.2.3, §7.2.4).

use super::{LossResponse, Resend, Response, Signal, TimerRule};
use crate::policy::congestion::CutCause;
use crate::policy::{PathId, PathSample, View};

/// Cuts the window once in each recovery and at every time-out, and sends all lost chunks again. A mark counts as a
/// loss, and of the marks and losses in one window of data only the first cuts (M-ECN-4).
#[derive(Debug, Default)]
pub struct Standard;

impl LossResponse for Standard {
    fn on_signal(&mut self, signal: Signal, path: PathId, view: &View<'_>) -> Response {
        let PathSample { cut_open, ecn_open, .. } = *view.path(path);
        let lost = Response { resend: Resend::All, ..Response::NONE };
        let timeout = Response { timer: TimerRule::Double, counts_rto: true, ..lost };
        match signal {
            // M-ECN-4: the window was cut, or is about to be cut, for a mark in the same window of data.
            Signal::Missing if ecn_open => lost,
            Signal::Missing => Response { cut: Some(CutCause::Missing), ..lost },
            Signal::MissingInRecovery | Signal::SmallWindow => lost,
            Signal::Timeout { again } => {
                let cause = match again {
                    _ if ecn_open => CutCause::TimeoutAfterEcn,
                    true => CutCause::TimeoutAgain,
                    false => CutCause::Timeout,
                };
                Response { cut: Some(cause), is_error: true, ..timeout }
            }
            Signal::WindowProbeUnanswered => timeout,
            Signal::EcnEcho if cut_open => Response::NONE,
            Signal::EcnEcho => Response { cut: Some(CutCause::EcnEcho), ..Response::NONE },
            // This response never requests a probe.
            Signal::ProbeAnswered | Signal::ProbeUnanswered => Response::NONE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::testing::{sample, view};

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
