//! The packets of one direction of a lane on the clock of this end, with their delay above the floor.
//!
//! The clocks of the ends differ by a constant and drift apart. The floor is the line below all delays that lies nearest to
//! them (Moon, Skelly and Towsley 1999); a slope that no two clocks have is not believed.

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_diagnose::recording::{Flight, Purpose, Recording, TestPacket};

/// The span of a measurement by this end's clock. Times of the page count from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    start: Time,
    /// The end, from the start.
    pub end: Time,
}

/// One direction of a lane.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Course {
    /// The packets in the order of their sending.
    pub packets: Vec<SeenPacket>,
    /// The flights in the order of their first packets.
    pub phases: Vec<Phase>,
}

/// A packet of a course.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SeenPacket {
    /// The time of sending; where the other end sent it, of the arrival that an empty queue would have given.
    pub at: Time,
    /// The size of the IP packet.
    pub size: ByteCount,
    /// The delay above the floor; `None` if it was lost.
    pub growth: Option<Duration>,
    /// The purpose of its flight.
    pub purpose: Purpose,
    /// The flight, and the number in it.
    pub place: (usize, u32),
}

/// The time of a flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Phase {
    /// The purpose of the flight.
    pub purpose: Purpose,
    /// The first packet's time.
    pub from: Time,
    /// The last packet's time.
    pub to: Time,
}

/// The end whose clock stamped the sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sender {
    /// This end.
    Here,
    /// The other end.
    There,
}

/// The least delay over time, in seconds: `base + slope × (sent − first)`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Floor {
    first: Time,
    base: f64,
    slope: f64,
}

impl Span {
    /// The span of all events that this end saw. The times that the other end states for itself have no part in it.
    pub(super) fn of(recording: &Recording) -> Span {
        let lanes = || recording.lanes.iter();
        let packets = |flights: &'_ [Flight]| {
            flights.iter().flat_map(|flight| flight.packets.clone()).collect::<Vec<_>>()
        };
        let sent = lanes().flat_map(|lane| packets(&lane.forward)).map(|packet| packet.sent);
        let arrived = lanes().flat_map(|lane| packets(&lane.reverse)).filter_map(|packet| packet.arrived);
        let answered = lanes().flat_map(|lane| lane.round_trips.iter().map(|trip| trip.at));
        let (mut first, mut last) = (None, Time::ZERO);
        for at in sent.chain(arrived).chain(answered) {
            first = Some(first.map_or(at, |first: Time| first.min(at)));
            last = last.max(at);
        }
        let start = first.unwrap_or(Time::ZERO);
        Span { start, end: Time::ZERO + last.since(start) }
    }

    /// A time by this end's clock, in nanoseconds that may lie outside of the span, as a time of the page.
    fn place(self, nanos: i128) -> Time {
        let since = (nanos - i128::from(self.start.as_nanos())).clamp(0, i128::from(self.end.as_nanos()));
        Time::from_nanos(u64::try_from(since).unwrap_or(0))
    }
}

impl Course {
    /// The course of these flights. Without any arrival a sending by the other end has no time of this one: then it is empty.
    pub(super) fn of(flights: &[Flight], sender: Sender, span: Span) -> Course {
        let floor = Floor::below(flights);
        let on_this_clock = |sent: Time| match (sender, floor) {
            (Sender::Here, _) => Some(span.place(i128::from(sent.as_nanos()))),
            (Sender::There, floor) => floor.map(|floor| span.place(nanos(sent) + floor.at(sent))),
        };
        let mut course = Course::default();
        for (index, flight) in flights.iter().enumerate() {
            let seen = flight.packets.iter().filter_map(|packet| {
                Some(SeenPacket {
                    at: on_this_clock(packet.sent)?,
                    size: packet.size,
                    growth: floor.and_then(|floor| floor.growth(packet)),
                    purpose: flight.purpose,
                    place: (index, packet.number),
                })
            });
            let before = course.packets.len();
            course.packets.extend(seen);
            let times = course.packets[before..].iter().map(|packet| packet.at);
            if let (Some(from), Some(to)) = (times.clone().min(), times.max()) {
                course.phases.push(Phase { purpose: flight.purpose, from, to });
            }
        }
        course.packets.sort_by_key(|packet| (packet.at, packet.place));
        course.phases.sort_by_key(|phase| (phase.from, phase.to));
        course
    }
}

impl Floor {
    /// The floor of the packets that arrived; `None` if none did.
    fn below(flights: &[Flight]) -> Option<Floor> {
        let arrived =
            || flights.iter().flat_map(|flight| &flight.packets).filter(|packet| packet.arrived.is_some());
        let first = arrived().map(|packet| packet.sent).min()?;
        let mut points: Vec<(f64, f64)> = arrived()
            .filter_map(|packet| Some((seconds(nanos(packet.sent) - nanos(first)), seconds(delay(packet)?))))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mean = points.iter().map(|point| point.0).sum::<f64>() / points.len() as f64;
        let least = points.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
        let hull = lower_hull(&points);
        let edge = hull.windows(2).find(|edge| edge[0].0 <= mean && mean <= edge[1].0);
        let sloped = edge.and_then(|edge| {
            let slope = (edge[1].1 - edge[0].1) / (edge[1].0 - edge[0].0);
            (slope.abs() <= LARGEST_DRIFT).then(|| (edge[0].1 - slope * edge[0].0, slope))
        });
        let (base, slope) = sloped.unwrap_or((least, 0.0));
        Some(Floor { first, base, slope })
    }

    /// The least delay of a packet sent at this time, in nanoseconds.
    fn at(self, sent: Time) -> i128 {
        ((self.base + self.slope * seconds(nanos(sent) - nanos(self.first))) * 1e9) as i128
    }

    /// The delay of a packet above the floor.
    fn growth(self, packet: &TestPacket) -> Option<Duration> {
        let above = (delay(packet)? - self.at(packet.sent)).max(0);
        Some(Duration::from_nanos(u64::try_from(above).unwrap_or(u64::MAX)))
    }
}

/// The corners of the lower convex hull of points in order of their first coordinate (Andrew 1979).
fn lower_hull(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut hull: Vec<(f64, f64)> = Vec::new();
    for &point in points {
        if hull.last().is_some_and(|last| last.0 >= point.0) {
            continue;
        }
        while let [.., a, b] = hull.as_slice() {
            let turn = (b.0 - a.0) * (point.1 - a.1) - (b.1 - a.1) * (point.0 - a.0);
            if turn > 0.0 {
                break;
            }
            hull.pop();
        }
        hull.push(point);
    }
    hull
}

fn delay(packet: &TestPacket) -> Option<i128> {
    Some(nanos(packet.arrived?) - nanos(packet.sent))
}

fn nanos(at: Time) -> i128 {
    i128::from(at.as_nanos())
}

fn seconds(nanos: i128) -> f64 {
    nanos as f64 / 1e9
}

/// The largest drift that is believed: two clocks of 150 ppm each.
const LARGEST_DRIFT: f64 = 300e-6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::measured::testing::{flight, recording};

    /// Packets each 100 ms with these delays in milliseconds, by a clock of the receiver that is ahead and gains 100 ppm.
    fn drifting(delays: &[u64]) -> Flight {
        let mut flight = flight(Purpose::Rest, 5_000, 100_000, delays.len() as u32, 100, 0);
        for (packet, delay) in flight.packets.iter_mut().zip(delays) {
            let gained = Duration::from_nanos(packet.sent.as_nanos() / 10_000);
            packet.arrived =
                Some(packet.sent + Duration::from_secs(1_000) + Duration::from_millis(*delay) + gained);
        }
        flight
    }

    #[test]
    fn an_offset_and_a_drift_of_the_clocks_add_no_delay() {
        let course = Course::of(&[drifting(&[20, 27, 20, 20, 120, 20])], Sender::Here, span_of(2));
        let growth: Vec<u64> =
            course.packets.iter().map(|packet| packet.growth.unwrap().as_nanos() / 1_000).collect();
        let near = [0, 7_000, 0, 0, 100_000, 0];
        assert!(growth.iter().zip(near).all(|(is, near)| is.abs_diff(near) < 5), "{growth:?}");
    }

    #[test]
    fn a_delay_that_only_grows_is_no_drift() {
        let course = Course::of(&[drifting(&[20, 30, 40, 50])], Sender::Here, span_of(2));
        assert!(course.packets[3].growth.unwrap() > Duration::from_millis(29));
    }

    #[test]
    fn times_of_the_other_clock_become_times_of_this_one() {
        let mut reverse = flight(Purpose::Rest, 1_000, 20_000, 3, 100, 0);
        for packet in &mut reverse.packets {
            // Sent by a clock that is 900 ms ahead, 30 ms on the way.
            packet.arrived = Some(Time::from_nanos(packet.sent.as_nanos() - 870_000_000));
        }
        reverse.packets[1].arrived = None;
        let span = Span { start: Time::from_nanos(130_000_000), end: Time::from_nanos(1_000_000_000) };
        let course = Course::of(&[reverse.clone()], Sender::There, span);
        let at: Vec<u64> = course.packets.iter().map(|packet| packet.at.as_nanos() / 1_000_000).collect();
        assert_eq!(at, [0, 20, 40]);
        reverse.packets.iter_mut().for_each(|packet| packet.arrived = None);
        assert_eq!(
            Course::of(&[reverse], Sender::There, span),
            Course::default(),
            "no arrival tells its clock"
        );
    }

    #[test]
    fn the_other_end_cannot_stretch_the_time() {
        let mut recording = recording();
        let end = Span::of(&recording).end;
        for flight in &mut recording.lanes[0].forward {
            flight.packets.iter_mut().for_each(|packet| packet.arrived = Some(Time::from_nanos(u64::MAX)));
        }
        for flight in &mut recording.lanes[0].reverse {
            flight.packets.iter_mut().for_each(|packet| packet.sent = Time::from_nanos(u64::MAX));
        }
        assert_eq!(Span::of(&recording).end, end);
        let lane = &recording.lanes[0];
        for (flights, sender) in [(&lane.forward, Sender::Here), (&lane.reverse, Sender::There)] {
            let course = Course::of(flights, sender, Span::of(&recording));
            assert!(course.packets.iter().all(|packet| packet.at <= end));
        }
    }

    fn span_of(seconds: u64) -> Span {
        Span { start: Time::ZERO, end: Time::ZERO + Duration::from_secs(seconds) }
    }
}
