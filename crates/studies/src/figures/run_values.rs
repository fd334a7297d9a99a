//! The values that figures read from a run.

use anabranch_base::Duration;
use anabranch_sim::RunResult;
use anabranch_sim::result::{PathResult, SackCounters};

use super::results::Metric;
use crate::kept_runs::KeptValues;

/// The values of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunValues {
    /// The first flow's transfer time in seconds; `None` if the transfer is not done.
    pub time: Option<f64>,
    /// The goodput of all flows, once and in order, in Mbit/s of whole packets.
    pub throughput: f64,
    /// SACKs that left because their delay ran out.
    pub sacks_by_timer: f64,
    /// The share of the SACKs received that acknowledged chunks of more than one path.
    pub shared_sacks: f64,
    /// Chunks that were marked lost by missing reports.
    pub fast_retransmits: f64,
    /// Expirations of T3-rtx.
    pub timeouts: f64,
    /// The user data that the first flow delivered, in bytes.
    pub delivered: u64,
    /// The simulated time at the end of the run, in seconds.
    pub seconds: f64,
    /// Packets with data that arrived for the first time after the warm-up, of all flows.
    pub goodput_packets: f64,
    /// The T-R ratio of the first flow; 0 if nothing was delivered.
    pub tr_ratio: f64,
    /// ECNE chunks that receivers sent.
    pub ecn_echoes: f64,
    /// Cuts by reports of marks.
    pub ecn_cuts: f64,
    /// Packets that wait at the link where most do, on average over time.
    pub mean_queue: f64,
    /// The goodput of the first flow, counted as `throughput`.
    pub first_flow: f64,
    /// The goodput of the second flow, likewise; 0 without one.
    pub second_flow: f64,
    /// The values of the first flow's first three paths; 0 on paths that it lacks.
    pub paths: [PathValues; 3],
}

/// The values of one path of a flow, over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PathValues {
    /// The mean of the round trips measured, in seconds; 0 without one.
    pub round_trip: f64,
    /// The share of the sender's packets that were lost, in queues too.
    pub loss: f64,
}

impl KeptValues for RunValues {
    const COLUMNS: &str = "time,throughput,sacks_by_timer,shared_sacks,fast_retransmits,timeouts,delivered,seconds,\
                           goodput_packets,tr_ratio,ecn_echoes,ecn_cuts,mean_queue,first_flow,second_flow,\
                           rtt_1,loss_1,rtt_2,loss_2,rtt_3,loss_3";

    type Gauge = ();

    fn of(run: &RunResult, (): ()) -> RunValues {
        let received = sum_sacks(run, |sacks| sacks.received);
        let queues = run.links.iter().flat_map(|link| [&link.forward, &link.reverse]);
        RunValues {
            time: run.flows.first().and_then(|flow| flow.completion.map(Duration::as_secs_f64)),
            throughput: throughput(run),
            sacks_by_timer: sum_sacks(run, |sacks| sacks.sent_by_timer),
            shared_sacks: sum_sacks(run, |sacks| sacks.received_for_several_paths) / received.max(1.0),
            fast_retransmits: sum_paths(run, |path| path.counters.fast_retransmits),
            timeouts: sum_paths(run, |path| path.counters.timeouts),
            delivered: run.flows.first().map_or(0, |flow| flow.delivered.get()),
            seconds: run.time.as_secs_f64(),
            goodput_packets: run.flows.iter().filter_map(|flow| flow.goodput_packets).sum::<u64>() as f64,
            tr_ratio: run.flows.first().and_then(|flow| flow.tr_ratio).unwrap_or_default(),
            ecn_echoes: sum_paths(run, |path| path.counters.sent_echoes),
            ecn_cuts: sum_paths(run, |path| path.counters.ecn_cuts),
            mean_queue: queues.map(|queue| queue.mean_queue_packets).fold(0.0, f64::max),
            first_flow: run.flows.first().map_or(0.0, |flow| whole_packets(flow.goodput_bps)),
            second_flow: run.flows.get(1).map_or(0.0, |flow| whole_packets(flow.goodput_bps)),
            paths: std::array::from_fn(|index| {
                let path = run.flows.first().and_then(|flow| flow.paths.get(index));
                path.map(PathValues::of).unwrap_or_default()
            }),
        }
    }

    /// A printed float is the shortest that reads as the same number.
    fn cells(&self) -> String {
        let time = self.time.map(|time| time.to_string()).unwrap_or_default();
        let RunValues { throughput, sacks_by_timer, shared_sacks, .. } = self;
        let RunValues { fast_retransmits, timeouts, delivered, seconds, .. } = self;
        let RunValues { goodput_packets, tr_ratio, ecn_echoes, ecn_cuts, mean_queue, .. } = self;
        let RunValues { first_flow, second_flow, paths, .. } = self;
        let [one, two, three] = paths.map(|PathValues { round_trip, loss }| format!("{round_trip},{loss}"));
        format!(
            "{time},{throughput},{sacks_by_timer},{shared_sacks},{fast_retransmits},{timeouts},{delivered},{seconds},\
             {goodput_packets},{tr_ratio},{ecn_echoes},{ecn_cuts},{mean_queue},{first_flow},{second_flow},\
             {one},{two},{three}"
        )
    }

    fn from_cells(cells: &[&str]) -> Option<RunValues> {
        let [time, throughput, sacks_by_timer, shared_sacks, rest @ ..] = cells else { return None };
        let [fast_retransmits, timeouts, delivered, seconds, rest @ ..] = rest else { return None };
        let [goodput_packets, tr_ratio, ecn_echoes, ecn_cuts, mean_queue, rest @ ..] = rest else {
            return None;
        };
        let [first_flow, second_flow, rtt_1, loss_1, rtt_2, loss_2, rtt_3, loss_3] = rest else {
            return None;
        };
        let number = |cell: &str| cell.parse::<f64>().ok();
        let path =
            |round_trip, loss| Some(PathValues { round_trip: number(round_trip)?, loss: number(loss)? });
        Some(RunValues {
            time: if time.is_empty() { None } else { Some(number(time)?) },
            throughput: number(throughput)?,
            sacks_by_timer: number(sacks_by_timer)?,
            shared_sacks: number(shared_sacks)?,
            fast_retransmits: number(fast_retransmits)?,
            timeouts: number(timeouts)?,
            delivered: delivered.parse().ok()?,
            seconds: number(seconds)?,
            goodput_packets: number(goodput_packets)?,
            tr_ratio: number(tr_ratio)?,
            ecn_echoes: number(ecn_echoes)?,
            ecn_cuts: number(ecn_cuts)?,
            mean_queue: number(mean_queue)?,
            first_flow: number(first_flow)?,
            second_flow: number(second_flow)?,
            paths: [path(rtt_1, loss_1)?, path(rtt_2, loss_2)?, path(rtt_3, loss_3)?],
        })
    }
}

impl PathValues {
    fn of(path: &PathResult) -> PathValues {
        PathValues {
            round_trip: path.mean_rtt_s.unwrap_or_default(),
            loss: path.lost_packets as f64 / (path.counters.sent_packets.max(1)) as f64,
        }
    }
}

impl RunValues {
    /// One of them; not a number for a metric that is not read from a run.
    pub fn read(&self, metric: Metric) -> f64 {
        match metric {
            Metric::Time => self.time.unwrap_or(f64::NAN),
            Metric::Throughput => self.throughput,
            Metric::FirstFlow => self.first_flow,
            Metric::ShareOfFirst => self.first_flow / (self.first_flow + self.second_flow),
            Metric::SacksByTimer => self.sacks_by_timer,
            Metric::SharedSacks => self.shared_sacks,
            Metric::FastRetransmits => self.fast_retransmits,
            Metric::Timeouts => self.timeouts,
            Metric::GoodputPackets => self.goodput_packets,
            Metric::TrRatio => self.tr_ratio,
            Metric::EcnEchoes => self.ecn_echoes,
            Metric::EcnCuts => self.ecn_cuts,
            Metric::MeanQueue => self.mean_queue,
            Metric::CutsOfEpoch
            | Metric::Packets
            | Metric::Bytes
            | Metric::Cuts
            | Metric::Moment
            | Metric::Share
            | Metric::Kilobits
            | Metric::Seconds
            | Metric::Delay
            | Metric::Gain
            | Metric::Limit
            | Metric::Combinations
            | Metric::States
            | Metric::LossyWindows
            | Metric::SolveTime => f64::NAN,
        }
    }
}

/// Goodput counts the 1,452 bytes of user data in each packet of 1,500.
fn throughput(run: &RunResult) -> f64 {
    whole_packets(run.flows.iter().map(|flow| flow.goodput_bps).sum())
}

fn whole_packets(goodput_bps: f64) -> f64 {
    goodput_bps / 1e6 * 1500.0 / 1452.0
}

fn sum_sacks(run: &RunResult, value: fn(SackCounters) -> u64) -> f64 {
    run.flows.iter().filter_map(|flow| flow.sacks).map(value).sum::<u64>() as f64
}

fn sum_paths(run: &RunResult, value: fn(&PathResult) -> u64) -> f64 {
    run.flows.iter().flat_map(|flow| &flow.paths).map(value).sum::<u64>() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_read_as_the_values_that_were_written() {
        let values = RunValues {
            time: Some(0.1 + 0.2),
            throughput: 1e-9,
            sacks_by_timer: 3.0,
            shared_sacks: 1.0 / 3.0,
            fast_retransmits: 0.0,
            timeouts: 1e15,
            delivered: u64::MAX,
            seconds: f64::MIN_POSITIVE,
            goodput_packets: 19_984.0,
            tr_ratio: 1.0 / 7.0,
            ecn_echoes: 224.0,
            ecn_cuts: 0.0,
            mean_queue: 0.7,
            first_flow: 1.9,
            second_flow: 0.25,
            paths: [0.1, 0.2, 0.0].map(|round_trip| PathValues { round_trip, loss: round_trip / 3.0 }),
        };
        for values in [values, RunValues { time: None, ..values }] {
            let line = values.cells();
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(RunValues::from_cells(&cells), Some(values), "{line}");
            assert_eq!(cells.len(), RunValues::COLUMNS.split(',').count(), "{line}");
            assert_eq!(RunValues::from_cells(&cells[1..]), None, "{line}");
        }
    }
}
