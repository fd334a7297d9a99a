//! One direction of a test: rates and losses from its intervals, compared with the totals at the report's end.

use anabranch_base::{BitRate, Duration};

use super::headers::Headers;
use super::losses::{Counted, Losses, reconciled};
use super::report::{MOST_BITS, Sum, Totals};
use crate::observed::{ObservedLoss, ObservedRate};
use crate::series::{Amount as _, Series, Share};

/// The intervals of one direction.
#[derive(Debug, Default)]
pub(super) struct DirectionIntervals {
    rates: Vec<(Duration, f64)>,
    counted: Vec<Counted>,
    end: Duration,
    /// True if the sender's counts are used, not the receiver's.
    pub(crate) is_of_sender: bool,
}

/// The observations of a direction.
#[derive(Debug, Default)]
pub(super) struct DirectionFindings {
    pub rate: Option<ObservedRate>,
    pub loss: Option<ObservedLoss>,
    pub remarks: Vec<String>,
    /// True if more was sent than the link carried.
    pub is_overdriven: bool,
}

impl DirectionIntervals {
    pub(super) fn take(&mut self, sum: &Sum) -> Result<(), &'static str> {
        let is_sound = |number: f64, most: f64| (0.0..=most).contains(&number);
        let times = [sum.start, sum.end].into_iter().all(|seconds| is_sound(seconds, MOST_SECONDS));
        if !times || !is_sound(sum.bits_per_second, MOST_BITS) {
            return Err("has a number that is negative or too large");
        }
        let (start, end) = (seconds(sum.start), seconds(sum.end));
        if start < self.end.saturating_sub(OVERLAP) {
            return Err("begins before the one before it ends");
        }
        self.is_of_sender |= sum.sender.unwrap_or(sum.lost_packets.is_none());
        let counted = sum.lost_packets.zip(sum.packets);
        // The remainder at the end of a test lasts a few milliseconds at any rate; only its losses count.
        if end.saturating_sub(start) < SHORTEST {
            if let (Some(last), Some((lost, packets))) = (self.counted.last_mut(), counted) {
                last.lost = last.lost.saturating_add(lost);
                last.packets = last.packets.saturating_add(packets);
            }
            return Ok(());
        }
        self.rates.push((start, sum.bits_per_second));
        self.end = end;
        self.counted.extend(counted.map(|(lost, packets)| Counted { at: start, lost, packets }));
        Ok(())
    }

    /// The end of the last interval.
    pub(super) fn length(&self) -> Duration {
        self.end
    }

    /// The observations from intervals and totals. Only UDP has losses.
    pub(super) fn findings(&self, totals: &Totals, headers: &Headers, is_udp: bool) -> DirectionFindings {
        let mut found = DirectionFindings::default();
        if self.rates.is_empty() {
            return found;
        }
        let losses = reconciled(&self.counted, totals.lost).map(|losses| losses.filter(|_| is_udp));
        let losses = losses.unwrap_or_else(|remark| {
            found.remarks.extend(Some(remark).filter(|_| is_udp));
            None
        });
        found.is_overdriven = losses.as_ref().is_some_and(|losses| losses.total.share() > MOST_SHARE);
        found.remarks.extend(losses.as_ref().and_then(|losses| losses.remark.clone()));
        found.loss = losses.as_ref().and_then(|losses| self.loss(losses));
        let share = losses.as_ref().map_or(0.0, |losses| losses.total.share());
        let arrived = self.arrived(totals, share).filter(|_| self.is_of_sender);
        found.remarks.extend(self.difference(totals));
        if let Some(arrived) = arrived.filter(|arrived| *arrived < self.mean() * LEAST_PART) {
            let rate = |bits: f64| BitRate::nearest(bits * headers.factor());
            found.remarks.push(format!(
                "Of {} that were sent {} arrived: the rate is what arrived, over the whole test.",
                rate(self.mean()),
                rate(arrived)
            ));
            let how = format!("what arrived over the whole test of iperf3, with headers ({headers})");
            let steps = Series::of([(Duration::ZERO, rate(arrived))], self.end);
            found.rate = steps.map(|steps| ObservedRate::Steps { steps, how });
            return found;
        }
        found.rate = self.rate(headers);
        found
    }

    /// The rate that arrived at the other end, in bit/s of user data.
    fn arrived(&self, totals: &Totals, share: f64) -> Option<f64> {
        // Losses below this share are random, not from overload: the rate stays what was sent.
        let by_losses = Some(self.mean() * (1.0 - share)).filter(|_| share > MOST_SHARE);
        let by_receiver = totals.received.filter(|_| share == 0.0 || share > MOST_SHARE);
        by_receiver.filter(|bits| *bits > 0.0).or(by_losses)
    }

    /// A sentence on the difference between the intervals and the totals.
    fn difference(&self, totals: &Totals) -> Option<String> {
        let printed = if self.is_of_sender { totals.sent } else { totals.received }?;
        let mean = self.mean();
        let is_far = (printed - mean).abs() > printed.max(mean) * TOLERATED;
        let rate = |bits: f64| BitRate::nearest(bits);
        is_far.then(|| {
            format!(
                "The report's end says {} of user data on average, its intervals {}.",
                rate(printed),
                rate(mean)
            )
        })
    }

    /// The mean rate in bit/s of user data.
    fn mean(&self) -> f64 {
        let ends = self.rates.iter().skip(1).map(|rate| rate.0).chain([self.end]);
        let first = self.rates.first().map_or(Duration::ZERO, |rate| rate.0);
        let span = self.end.saturating_sub(first).as_secs_f64().max(1e-3);
        let bits =
            self.rates.iter().zip(ends).map(|((at, bits), end)| bits * end.saturating_sub(*at).as_secs_f64());
        bits.sum::<f64>() / span
    }

    fn rate(&self, headers: &Headers) -> Option<ObservedRate> {
        let rates = self.rates.iter().map(|(at, bits)| (*at, BitRate::nearest(bits * headers.factor())));
        let (count, counted) = (self.rates.len(), if self.is_of_sender { "sent" } else { "received" });
        let how = format!("{count} intervals of iperf3, as {counted}, with headers ({headers})");
        Some(ObservedRate::Steps { steps: Series::of(rates, self.end)?, how })
    }

    fn loss(&self, losses: &Losses) -> Option<ObservedLoss> {
        let (lost, packets) = (losses.total.lost, losses.total.packets);
        let whole = |share: f64, how: String| {
            let steps = Series::of([(Duration::ZERO, Share::nearest(share))], self.end)?;
            Some(ObservedLoss { steps, how })
        };
        let share = losses.total.share();
        if share > MOST_SHARE {
            let how = format!(
                "none: {lost} of {packets} datagrams did not arrive because more was sent than the link carries"
            );
            return whole(0.0, how);
        }
        let Some(steps) = &losses.steps else {
            return whole(share, format!("{lost} of {packets} datagrams, over the whole test"));
        };
        let how = format!("{lost} of {packets} datagrams, interval by interval");
        let steps = steps.iter().map(|(at, count)| (*at, Share::nearest(count.share())));
        Series::of(steps, self.end).map(|steps| ObservedLoss { steps, how })
    }
}

/// Rounds to milliseconds: intervals do not begin exactly on time.
fn seconds(number: f64) -> Duration {
    Duration::from_millis((number * 1e3).round() as u64)
}

/// A larger share of losses is caused by the sender's rate, not by the link's bit errors.
const MOST_SHARE: f64 = 0.1;

/// Buffers hold back a smaller part of what was sent.
const LEAST_PART: f64 = 0.9;

/// The relative difference that the short last interval may cause.
const TOLERATED: f64 = 0.05;

/// The longest plausible test.
const MOST_SECONDS: f64 = 1e9;

/// The rounding of printed interval ends.
const OVERLAP: Duration = Duration::from_millis(1);

const SHORTEST: Duration = Duration::from_millis(20);
