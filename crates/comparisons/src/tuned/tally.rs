//! The results of the seeds of one point, averaged.

use std::fmt;

use anabranch_sim::RunResult;

/// The mean of several runs: rates in Mbit/s of all flows, the rest as counts a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct MeanOfRuns {
    /// Of user data.
    pub goodput: f64,
    /// Expiries of T3-rtx.
    pub timeouts: f64,
    /// Chunks sent again.
    pub sent_again: f64,
    /// Packets dropped at a full queue, on the way there.
    pub drops: f64,
    /// Packets waiting in a queue, on the way there, averaged over time and links.
    pub queue: f64,
    /// Paths left because they were silent.
    pub suspicions: f64,
}

impl MeanOfRuns {
    /// The mean of `runs`.
    pub(super) fn of(runs: &[RunResult]) -> MeanOfRuns {
        let each: Vec<MeanOfRuns> = runs.iter().map(MeanOfRuns::of_run).collect();
        let mean =
            |value: fn(&MeanOfRuns) -> f64| each.iter().map(value).sum::<f64>() / each.len().max(1) as f64;
        MeanOfRuns {
            goodput: mean(|tally| tally.goodput),
            timeouts: mean(|tally| tally.timeouts),
            sent_again: mean(|tally| tally.sent_again),
            drops: mean(|tally| tally.drops),
            queue: mean(|tally| tally.queue),
            suspicions: mean(|tally| tally.suspicions),
        }
    }

    fn of_run(run: &RunResult) -> MeanOfRuns {
        let paths = || run.flows.iter().flat_map(|flow| &flow.paths);
        let links = run.links.len().max(1) as f64;
        MeanOfRuns {
            goodput: run.flows.iter().map(|flow| flow.goodput_bps / 1e6).sum(),
            timeouts: paths().map(|path| path.counters.timeouts as f64).sum(),
            sent_again: paths().map(|path| path.counters.retransmitted_chunks as f64).sum(),
            drops: run.links.iter().map(|link| link.forward.queue_drops as f64).sum(),
            queue: run.links.iter().map(|link| link.forward.mean_queue_packets / links).sum(),
            suspicions: paths().map(|path| path.counters.suspicions as f64).sum(),
        }
    }
}

impl fmt::Display for MeanOfRuns {
    /// Cells of a table: goodput, time-outs, chunks sent again.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} | {:.1} | {:.0}", self.goodput, self.timeouts, self.sent_again)
    }
}
