//! Reads iperf3's JSON: a rate for each interval and direction, the least round trip of TCP, and the losses of UDP. The
//! intervals are compared with the totals at the report's end.

mod direction;
mod document;
mod headers;
mod losses;
mod report;

use anabranch_base::Duration;

use crate::content::Content;
use crate::fault::{Fault, Read, quoted};
use crate::observed::{DelayForm, Observations, ObservedDelay};
use crate::series::Amount as _;
use direction::DirectionIntervals;
use document::{Document, Json};
use headers::{Headers, Protocol};
use report::{End, Interval, Report, Start};

pub(crate) use document::begins;

/// Reads a report.
pub(crate) fn read(text: &str) -> Read<Content> {
    let json = Json::of(text);
    let Document { report: part, mut remarks } = json.document()?;
    let report: Report<'_> = json.read(part)?;
    if let Some(error) = report.error {
        let message = format!("iperf3 reports a failure: {}", quoted(error.trim()));
        return Err(
            Fault::at(json.place_of("\"error\""), message).expected("the report of a test that succeeded")
        );
    }
    let (Some(start), Some(raw)) = (report.start, report.intervals) else {
        let at = json.range_of(part).start;
        let first = part.lines().next().map_or(0, str::len);
        let fault = Fault::at(at..at + first, "this JSON has no `start` and `intervals`");
        return Err(fault.expected("the output of `iperf3 --json`"));
    };
    let mut intervals = Intervals::default();
    for raw in raw {
        let interval: Interval = json.read(raw.get())?;
        let at = json.range_of(raw.get());
        let fault = |what: &str| Fault::at(at.start..at.start + 1, format!("this interval {what}"));
        intervals.take(&interval).map_err(fault)?;
    }
    let end = report.end.unwrap_or_default();
    let mut content = intervals.content(&start, &end).ok_or_else(|| {
        let fault = Fault::at(json.place_of("\"intervals\""), "there is no interval to read a rate from");
        fault.expected("at least one interval that is not omitted and lasts")
    })?;
    content.remarks.append(&mut remarks);
    Ok(content)
}

/// The sums of all intervals, by direction.
#[derive(Default)]
struct Intervals {
    forward: DirectionIntervals,
    reverse: DirectionIntervals,
    /// The least round trip in microseconds.
    round_trip: Option<u64>,
    retransmitted: u64,
}

impl Intervals {
    fn take(&mut self, interval: &Interval) -> Result<(), &'static str> {
        let Some(sum) = &interval.sum else { return Err("has no `sum`") };
        if sum.omitted {
            return Ok(());
        }
        self.forward.take(sum)?;
        if let Some(sum) = &interval.sum_bidir_reverse {
            self.reverse.take(sum)?;
        }
        self.retransmitted =
            self.retransmitted.saturating_add(sum.retransmits.unwrap_or_default().max(0).unsigned_abs());
        let round_trips = interval.streams.iter().filter_map(|stream| stream.rtt).filter(|rtt| *rtt > 0);
        self.round_trip = self.round_trip.into_iter().chain(round_trips).min();
        Ok(())
    }

    fn content(self, start: &Start, end: &End) -> Option<Content> {
        let protocol = Protocol::of(start);
        let is_udp = protocol == Protocol::Udp;
        let headers = Headers::of(start, &protocol);
        let forward = self.forward.findings(&end.forward(), &headers, is_udp);
        let reverse = self.reverse.findings(&end.reverse(), &headers, is_udp);
        let round_trips = end.streams.iter().filter_map(|stream| stream.sender.as_ref()?.min_rtt);
        let least = round_trips.chain(self.round_trip).filter(|rtt| *rtt > 0).min();
        let mut remarks = Vec::new();
        if start.test_start.reverse != 0 {
            remarks.push(
                "The data came from the server (-R): the forward direction is towards this host.".to_owned(),
            );
        }
        if is_udp && self.forward.is_of_sender && !forward.is_overdriven {
            remarks.push(
                "The rate is what was sent: the link may carry more, or less where packets were lost."
                    .to_owned(),
            );
        }
        if self.retransmitted > 0 {
            remarks.push(format!("{protocol} retransmitted {} segments, mostly after drops in the queue: they are not counted as random losses.", self.retransmitted));
        }
        remarks.extend(forward.remarks);
        remarks.extend(reverse.remarks.into_iter().map(|remark| format!("Reverse direction: {remark}")));
        Some(Content {
            made_by: format!("{}, {protocol}", start.version.as_deref().unwrap_or("iperf3")),
            length: self.forward.length(),
            forward: Observations {
                rate: Some(forward.rate?),
                delay: least.map(|rtt| ObservedDelay {
                    form: DelayForm::Least(Duration::nearest(rtt.min(MOST_MICROSECONDS) as f64 * 1e3 / 2.0)),
                    how: "half of the least round trip of iperf3: the others include queueing".to_owned(),
                }),
                loss: forward.loss,
            },
            reverse: Observations { rate: reverse.rate, delay: None, loss: reverse.loss },
            remarks,
        })
    }
}

const MOST_MICROSECONDS: u64 = 3_600_000_000;
