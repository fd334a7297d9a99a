//! The course of an association over the string: its throughput in bins of a second, its time-outs, and the link failures.

use anabranch_base::{Duration, Time};
use anabranch_scenario::Scenario;
use anabranch_sim::Watch;
use anabranch_sim::observe::{FrameKind, Host, MeshEvent, Observation, PathSeen, RoutingEvent, Seen};

use super::super::super::figure::ValueSource;
use super::super::super::observed::{ObservedRun, Reader};
use super::run::{COUNTED, PAYLOAD, StringRun};

/// The quantity that is read from a course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    /// The mean throughput of a flow from a second to another, in kbit/s of chunks.
    Mean {
        flow: usize,
        /// From this second on.
        from: usize,
        /// Until this second.
        to: usize,
    },
    /// The standard deviation of the bins over their mean, without the first second.
    Variation,
    /// 1 if a bin is a zero bin: less than 5 % of the median of the positive bins; else 0.
    HasZeroBin,
    /// The number of zero bins.
    ZeroBins,
    /// The share of the zero bins that lie within 2 s of a T3 time-out and of a link failure; 1 without zero bins.
    ZeroBinsExplained,
    /// The longest row of zero bins, in seconds.
    LongestOutage,
    /// The number of link failures there were for 1,000 data frames.
    LinkFailures,
    /// 1 if the second flow received at most 2 % of what the first did; else 0.
    SecondStarves,
    /// 1 if the mean of the first flow from 10 s on is at most 5 % of its mean from 1 s to 5 s; else 0.
    FirstStarves,
    /// Route replies that arrived at station 2.
    RepliesAtTwo,
}

/// The value of a quantity, run by run.
pub(super) fn of(run: StringRun, quantity: Quantity) -> ValueSource {
    let watch = Watch { paths: true, deliveries: true, frames: true, ..Watch::default() };
    ValueSource::Observed(ObservedRun { scenario: run.scenario(), watch, reader: reader_of(quantity) })
}

fn reader_of(quantity: Quantity) -> fn(&Scenario) -> Box<dyn Reader> {
    match quantity {
        Quantity::Mean { flow: 0, from: 10, .. } => |of| Course::of(of, Quantity::FROM_TEN),
        Quantity::Mean { flow: 1, .. } => |of| Course::of(of, Quantity::SECOND),
        Quantity::Mean { .. } => |of| Course::of(of, Quantity::MEAN),
        Quantity::Variation => |of| Course::of(of, Quantity::Variation),
        Quantity::HasZeroBin => |of| Course::of(of, Quantity::HasZeroBin),
        Quantity::ZeroBins => |of| Course::of(of, Quantity::ZeroBins),
        Quantity::ZeroBinsExplained => |of| Course::of(of, Quantity::ZeroBinsExplained),
        Quantity::LongestOutage => |of| Course::of(of, Quantity::LongestOutage),
        Quantity::LinkFailures => |of| Course::of(of, Quantity::LinkFailures),
        Quantity::SecondStarves => |of| Course::of(of, Quantity::SecondStarves),
        Quantity::FirstStarves => |of| Course::of(of, Quantity::FirstStarves),
        Quantity::RepliesAtTwo => |of| Course::of(of, Quantity::RepliesAtTwo),
    }
}

impl Quantity {
    /// The mean of the first flow, without the first second.
    pub(crate) const MEAN: Quantity = Quantity::Mean { flow: 0, from: 1, to: usize::MAX };
    /// The mean of the first flow from 10 s on.
    pub(crate) const FROM_TEN: Quantity = Quantity::Mean { flow: 0, from: 10, to: usize::MAX };
    /// The mean of the second flow from a second after its start on.
    pub(super) const SECOND: Quantity = Quantity::Mean { flow: 1, from: 6, to: usize::MAX };
}

/// The observations of a run.
#[derive(Debug)]
struct Course {
    quantity: Quantity,
    /// Bytes that each of two flows received in each second.
    bins: [Vec<f64>; 2],
    timeouts: Vec<Time>,
    failures: Vec<Time>,
    data_frames: u64,
    replies_at_two: u64,
    /// The sender's time-out at the last look.
    rto: Option<Duration>,
}

impl Course {
    fn of(scenario: &Scenario, quantity: Quantity) -> Box<dyn Reader> {
        let seconds = scenario.run.time.map_or(0, |time| time.as_secs_f64() as usize);
        let bins = [vec![0.0; seconds], vec![0.0; seconds]];
        let (timeouts, failures) = (Vec::new(), Vec::new());
        Box::new(Course { quantity, bins, timeouts, failures, data_frames: 0, replies_at_two: 0, rto: None })
    }

    /// A time-out doubles the RTO; nothing else raises it as much at once.
    fn on_path(&mut self, at: Time, seen: &PathSeen) {
        if seen.flow != 0 || seen.host != Host::First {
            return;
        }
        let before = self.rto.replace(seen.rto);
        if before.is_some_and(|before| seen.rto.as_secs_f64() >= 1.9 * before.as_secs_f64()) {
            self.timeouts.push(at);
        }
    }

    fn on_frame(&mut self, event: &MeshEvent) {
        match event {
            MeshEvent::Routing(RoutingEvent::LinkFailure { at, .. }) => self.failures.push(*at),
            MeshEvent::Routing(RoutingEvent::RouteFound { station, .. }) if station.index() == 2 => {
                self.replies_at_two += 1;
            }
            MeshEvent::Frame(seen, _) if seen.kind == FrameKind::Data => self.data_frames += 1,
            _ => {}
        }
    }

    /// In kbit/s of chunks.
    fn mean(&self, flow: usize, from: usize, to: usize) -> f64 {
        let bins = &self.bins[flow];
        let bins = &bins[from.min(bins.len())..to.min(bins.len())];
        bins.iter().sum::<f64>() * 8e-3 * COUNTED / PAYLOAD / bins.len().max(1) as f64
    }

    fn variation(&self) -> f64 {
        let bins = &self.bins[0][1..];
        let mean = bins.iter().sum::<f64>() / bins.len() as f64;
        let square = bins.iter().map(|bin| (bin - mean) * (bin - mean)).sum::<f64>() / bins.len() as f64;
        square.sqrt() / mean
    }

    /// The seconds of the zero bins, without the first second.
    fn zero_bins(&self) -> Vec<usize> {
        let mut positive: Vec<f64> = self.bins[0].iter().copied().filter(|bin| *bin > 0.0).collect();
        positive.sort_by(f64::total_cmp);
        let median = positive.get(positive.len() / 2).copied().unwrap_or(0.0);
        let bins = self.bins[0].iter().enumerate().skip(1);
        bins.filter(|(_, bin)| **bin < 0.05 * median).map(|(second, _)| second).collect()
    }

    fn zero_bins_explained(&self) -> f64 {
        let bins = self.zero_bins();
        let is_near = |second: usize, moments: &[Time]| {
            moments.iter().any(|at| {
                let at = at.since(Time::ZERO).as_secs_f64();
                at > second as f64 - 2.0 && at < second as f64 + 3.0
            })
        };
        let explained =
            bins.iter().filter(|bin| is_near(**bin, &self.timeouts) && is_near(**bin, &self.failures));
        if bins.is_empty() { 1.0 } else { explained.count() as f64 / bins.len() as f64 }
    }

    fn longest_outage(&self) -> f64 {
        let zero = self.zero_bins();
        let mut longest = 0;
        let mut row = 0;
        for (index, second) in zero.iter().enumerate() {
            row = if index > 0 && zero[index - 1] + 1 == *second { row + 1 } else { 1 };
            longest = longest.max(row);
        }
        f64::from(longest)
    }
}

impl Reader for Course {
    fn take(&mut self, seen: &Observation) {
        match &seen.what {
            Seen::Delivery(delivery) => {
                let second = seen.at.since(Time::ZERO).as_secs_f64() as usize;
                let bin = self.bins.get_mut(delivery.flow).and_then(|bins| bins.get_mut(second));
                bin.into_iter().for_each(|bin| *bin += delivery.bytes.get() as f64);
            }
            Seen::Path(path) => self.on_path(seen.at, path),
            Seen::Frame(frame) => self.on_frame(&frame.event),
            Seen::Queue(_) | Seen::Wait(_) | Seen::Packet(_) => {}
        }
    }

    fn value(&self) -> f64 {
        let total = |flow: usize| self.bins[flow].iter().sum::<f64>();
        match self.quantity {
            Quantity::Mean { flow, from, to } => self.mean(flow, from, to),
            Quantity::Variation => self.variation(),
            Quantity::HasZeroBin => indicator(!self.zero_bins().is_empty()),
            Quantity::ZeroBins => self.zero_bins().len() as f64,
            Quantity::ZeroBinsExplained => self.zero_bins_explained(),
            Quantity::LongestOutage => self.longest_outage(),
            Quantity::LinkFailures => 1e3 * self.failures.len() as f64 / self.data_frames.max(1) as f64,
            Quantity::SecondStarves => indicator(total(1) <= 0.02 * total(0)),
            Quantity::FirstStarves => indicator(self.mean(0, 10, usize::MAX) <= 0.05 * self.mean(0, 1, 5)),
            Quantity::RepliesAtTwo => self.replies_at_two as f64,
        }
    }
}

/// 1 for what is so, else 0: its mean over runs is their share.
fn indicator(is_so: bool) -> f64 {
    f64::from(u8::from(is_so))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(bins: &[f64]) -> Course {
        Course {
            quantity: Quantity::MEAN,
            bins: [bins.to_vec(), Vec::new()],
            timeouts: Vec::new(),
            failures: Vec::new(),
            data_frames: 0,
            replies_at_two: 0,
            rto: None,
        }
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn bins_far_below_the_median_are_zero_bins_and_rows_of_them_outages() {
        let course = course(&[0.0, 100.0, 100.0, 4.0, 0.0, 100.0, 6.0, 0.0]);
        assert_eq!(course.zero_bins(), [3, 4, 7]);
        assert_eq!(course.longest_outage(), 2.0);
    }

    #[test]
    fn a_zero_bin_is_explained_by_a_time_out_and_a_failure_near_it() {
        let mut course = course(&[100.0, 100.0, 100.0, 100.0, 0.0, 100.0, 100.0, 100.0, 0.0]);
        course.timeouts = vec![at(5_500), at(8_500)];
        course.failures = vec![at(2_500)];
        assert_eq!(course.zero_bins_explained(), 0.5, "the failure is too long before the second");
    }

    #[test]
    fn throughput_counts_whole_chunks() {
        // Each second a packet: 496 bytes of user data, 512 of the chunk.
        assert!((course(&[0.0, 496.0, 496.0]).mean(0, 1, usize::MAX) - 4.096).abs() < 1e-9);
    }
}
