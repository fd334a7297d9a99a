//! Reads the JSON of iperf3: a rate for each interval, for each way that was measured, the least round trip of TCP, and the
//! losses of UDP.

mod report;

use std::ops::Range;

use anabranch_base::{BitRate, Duration};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::fault::{Fault, Read, quoted};
use crate::observed::{DelayForm, Observations, ObservedDelay, ObservedLoss, ObservedRate};
use crate::recording::Content;
use crate::series::{Amount as _, Series, Share};
use report::{Interval, Report, Start, Sum};

/// Reads a report.
pub(crate) fn read(text: &str) -> Read<Content> {
    if text.trim_start().starts_with("{\"event\"") {
        let fault = Fault::at(
            0..text.lines().next().map_or(0, str::len),
            "this is the output of `iperf3 --json-stream`",
        );
        return Err(fault.expected("that of `iperf3 --json`"));
    }
    let json = Json { text };
    let report: Report<'_> = json.read(text)?;
    if let Some(error) = report.error {
        let message = format!("iperf3 reports a failure: {}", quoted(error.trim()));
        return Err(
            Fault::at(json.place_of("\"error\""), message).expected("the report of a test that succeeded")
        );
    }
    let (Some(start), Some(raw)) = (report.start, report.intervals) else {
        let fault =
            Fault::at(0..text.lines().next().map_or(0, str::len), "this JSON has no `start` and `intervals`");
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
    let round_trips = end.streams.iter().filter_map(|stream| stream.sender.as_ref()?.min_rtt);
    let least = round_trips.chain(intervals.round_trip).filter(|rtt| *rtt > 0).min();
    let loss_at_end = end.sum.and_then(|sum| Some((count(sum.lost_packets?), count(sum.packets?))));
    intervals.content(&start, least, loss_at_end).ok_or_else(|| {
        let fault = Fault::at(json.place_of("\"intervals\""), "there is no interval to read a rate from");
        fault.expected("at least one interval that is not omitted and lasts")
    })
}

/// A text of JSON, parts of which are read one after another.
struct Json<'t> {
    text: &'t str,
}

impl<'t> Json<'t> {
    /// Reads a part of the text; what is wrong in it is found in the whole.
    fn read<T: Deserialize<'t>>(&self, part: &'t str) -> Read<T> {
        serde_json::from_str(part).map_err(|error| {
            let start = self.range_of(part).start;
            let lines = part.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len);
            let at = start + lines.sum::<usize>() + error.column().saturating_sub(1);
            let at = at.min(self.text.len());
            let message = error.to_string();
            let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
            Fault::at(at..at + 1, message).expected("the output of `iperf3 --json`, whole")
        })
    }

    /// Where a part of the text is.
    fn range_of(&self, part: &str) -> Range<usize> {
        let start = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len());
        start..start + part.len()
    }

    /// Where a word is for the first time; the start of the text without it.
    fn place_of(&self, word: &str) -> Range<usize> {
        self.text.find(word).map_or(0..0, |at| at..at + word.len())
    }
}

/// What all intervals say, each way.
#[derive(Default)]
struct Intervals {
    forward: Way,
    reverse: Way,
    /// The least round trip in microseconds.
    round_trip: Option<u64>,
    resent: u64,
    /// Whether a sender counted what it sent, and not a receiver what arrived.
    is_of_sender: bool,
}

/// One way.
#[derive(Default)]
struct Way {
    rates: Vec<(Duration, f64)>,
    losses: Vec<(Duration, Share)>,
    end: Duration,
    packets: u64,
    lost: u64,
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
        self.is_of_sender |= sum.sender.unwrap_or(true);
        self.resent = self.resent.saturating_add(count(sum.retransmits.unwrap_or_default()));
        let round_trips = interval.streams.iter().filter_map(|stream| stream.rtt).filter(|rtt| *rtt > 0);
        self.round_trip = self.round_trip.into_iter().chain(round_trips).min();
        Ok(())
    }

    fn content(self, start: &Start, least: Option<u64>, at_end: Option<(u64, u64)>) -> Option<Content> {
        let is_udp = start.test_start.protocol.eq_ignore_ascii_case("udp");
        let is_ipv6 = start.connected.iter().any(|socket| socket.remote_host.contains(':'));
        let headers = Headers::of(start, is_udp, is_ipv6);
        let counted = if self.is_of_sender { "sent" } else { "received" };
        let (length, resent, is_of_sender) = (self.forward.end, self.resent, self.is_of_sender);
        let losses = self.forward.losses_of_receiver().or_else(|| Way::loss_at_end(at_end, length));
        let forward = Observations {
            rate: Some(self.forward.rate(&headers, counted)?),
            delay: least.map(|rtt| ObservedDelay {
                form: DelayForm::Least(Duration::nearest(rtt.min(MOST_MICROSECONDS) as f64 * 1e3 / 2.0)),
                how: "half of the least round trip of iperf3: the others have a queue in them".to_owned(),
            }),
            loss: losses.filter(|_| is_udp),
        };
        let reverse =
            Observations { rate: self.reverse.rate(&headers, "received"), ..Observations::default() };
        let protocol = if is_udp { "UDP" } else { "TCP" };
        let mut remarks = Vec::new();
        if start.test_start.reverse != 0 {
            remarks.push(
                "The data came from the server (-R): the way forward is the way to this host.".to_owned(),
            );
        }
        if is_udp && is_of_sender {
            remarks.push(
                "The rate is what was sent: the link may carry more, or less where packets were lost."
                    .to_owned(),
            );
        }
        if resent > 0 {
            remarks.push(format!("TCP sent {resent} segments again, mostly for drops in the queue: no random loss is taken from that."));
        }
        let made_by = format!("{}, {protocol}", start.version.as_deref().unwrap_or("iperf3"));
        Some(Content { made_by, length, forward, reverse, remarks })
    }
}

impl Way {
    fn take(&mut self, sum: &Sum) -> Result<(), &'static str> {
        let is_sound = |number: f64, most: f64| (0.0..=most).contains(&number);
        let times = [sum.start, sum.end].into_iter().all(|seconds| is_sound(seconds, MOST_SECONDS));
        if !times || !is_sound(sum.bits_per_second, MOST_BITS) {
            return Err("has a number that is negative or too large");
        }
        let (start, end) = (seconds(sum.start), seconds(sum.end));
        if start < self.end.saturating_sub(OVERLAP) {
            return Err("begins before the one before it ends");
        }
        // What is left over at the end of a test lasts a few milliseconds, with any rate.
        if end.saturating_sub(start) < SHORTEST {
            return Ok(());
        }
        self.rates.push((start, sum.bits_per_second));
        self.end = end;
        if let (Some(lost), Some(packets)) = (sum.lost_packets.map(count), sum.packets.map(count)) {
            self.losses.push((start, share(lost, packets)));
            self.lost = self.lost.saturating_add(lost);
            self.packets = self.packets.saturating_add(packets);
        }
        Ok(())
    }

    fn rate(&self, headers: &Headers, counted: &str) -> Option<ObservedRate> {
        let rates = self.rates.iter().map(|(at, bits)| (*at, BitRate::nearest(bits * headers.factor())));
        let count = self.rates.len();
        let how = format!("{count} intervals of iperf3, as {counted}, with headers ({headers})");
        Some(ObservedRate::Steps { steps: Series::of(rates, self.end)?, how })
    }

    /// Where a receiver tells of losses interval by interval.
    fn losses_of_receiver(&self) -> Option<ObservedLoss> {
        let how = format!("{} of {} datagrams, interval by interval", self.lost, self.packets);
        Series::of(self.losses.iter().copied(), self.end).map(|steps| ObservedLoss { steps, how })
    }

    /// Where the sender tells at the end how many of all did not arrive.
    fn loss_at_end(counts: Option<(u64, u64)>, length: Duration) -> Option<ObservedLoss> {
        let (lost, packets) = counts?;
        let steps = Series::of([(Duration::ZERO, share(lost, packets))], length)?;
        Some(ObservedLoss { steps, how: format!("{lost} of {packets} datagrams, over the whole test") })
    }
}

/// How many bytes of user data are in a packet, and how many bytes the packet has.
struct Headers {
    payload: u64,
    packet: u64,
}

impl Headers {
    fn of(start: &Start, is_udp: bool, is_ipv6: bool) -> Headers {
        let ip = if is_ipv6 { 40 } else { 20 };
        if is_udp {
            // Longer datagrams are sent in fragments, whose headers weigh less.
            let payload =
                start.test_start.blksize.filter(|size| (1..=65_507).contains(size)).unwrap_or(1_448);
            return Headers { payload, packet: payload + ip + 8 };
        }
        let payload = start.tcp_mss_default.filter(|mss| (64..=65_495).contains(mss)).unwrap_or(1_448);
        // The least size of TCP's header, and its timestamps.
        Headers { payload, packet: payload + ip + 32 }
    }

    fn factor(&self) -> f64 {
        self.packet as f64 / self.payload as f64
    }
}

impl std::fmt::Display for Headers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} B for {} B of data", self.packet, self.payload)
    }
}

fn share(lost: u64, packets: u64) -> Share {
    Share::nearest(lost as f64 / packets.max(1) as f64)
}

/// To the millisecond: intervals begin when the program gets to it.
fn seconds(number: f64) -> Duration {
    Duration::from_millis((number * 1e3).round() as u64)
}

/// A number that iperf3 may print below zero, where datagrams came out of order.
fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

/// How long a test may take, and how much it may carry; more is a mistake.
const MOST_SECONDS: f64 = 1e9;
const MOST_BITS: f64 = 1e15;

const MOST_MICROSECONDS: u64 = 3_600_000_000;

/// Intervals are printed with rounded ends.
const OVERLAP: Duration = Duration::from_millis(1);

const SHORTEST: Duration = Duration::from_millis(20);

/// The parts of a report stay as text until they are read one by one.
pub(crate) type RawIntervals<'t> = Vec<&'t RawValue>;
