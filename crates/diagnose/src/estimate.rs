//! Estimates of links from the packets of a measurement, each part from plain numbers in a file of its own.
//!
//! First the drift of the clocks is taken out of all delays. Then each direction of each lane is measured alone: rate,
//! queue, losses. Pairs of lanes show what they share, which leaves the flights that count as undisturbed.

mod change;
mod clock;
mod direction;
#[cfg(test)]
mod fills;
mod interval;
mod lateness;
mod losing;
mod loss;
mod plateau;
mod queue;
mod rate;
mod round_trip;
mod runs;
mod sample;
mod shared;
mod sizes;
mod trains;
mod view;

use anabranch_base::Time;

use crate::estimated::Estimated;
use crate::link_estimate::{DirectionEstimate, LinkEstimate, LinkStatus};
use crate::recording::{Flight, Lane, Purpose, Recording};
use clock::Floors;
use direction::Direction;
use sample::Series;
use view::View;

/// The estimates of all lanes, in their order.
pub fn estimate_links(recording: &Recording) -> Vec<LinkEstimate> {
    let lanes = &recording.lanes;
    let forward_start = sample::start(lanes.iter().flat_map(|lane| &lane.forward));
    let reverse_start = sample::start(lanes.iter().flat_map(|lane| &lane.reverse));
    let mut forward: Vec<_> = lanes.iter().map(|lane| sample::series(&lane.forward, forward_start)).collect();
    let mut reverse: Vec<_> = lanes.iter().map(|lane| sample::series(&lane.reverse, reverse_start)).collect();
    remove_drift(&mut forward, &mut reverse);
    let references: Vec<i128> =
        forward.iter().zip(&reverse).map(|(forward, reverse)| forward.1 + reverse.1).collect();
    let forward = Measured::of(forward, true, is_idle(recording));
    let reverse = Measured::of(reverse, false, is_idle(recording));
    let lateness = lateness::of(&recording.here, &recording.there);
    let one = |(number, lane): (usize, &Lane)| {
        let mut estimate = LinkEstimate {
            name: lane.name.clone(),
            forward: forward.estimate(number),
            reverse: reverse.estimate(number),
            shares_forward: names(lanes, &forward.shared[number]),
            shares_reverse: names(lanes, &reverse.shared[number]),
            ..LinkEstimate::default()
        };
        let (there, back) = (&forward.lanes[number].view, &reverse.lanes[number].view);
        describe_both(&mut estimate, lane, (there, back), references[number], forward_start);
        lateness::apply(&mut estimate, lateness);
        estimate
    };
    lanes.iter().enumerate().map(one).collect()
}

/// The rate in bits a second that trains of `length` packets show, for a measurement that must choose its load; `None` if
/// they show none.
pub fn rate_of_trains(flight: &Flight, length: u32) -> Option<Estimated> {
    let flights = std::slice::from_ref(flight);
    let (series, _) = sample::series(flights, sample::start(flights.iter()));
    trains::rate(&series.first()?.samples, length)
}

/// The lanes in one direction.
struct Measured {
    lanes: Vec<Direction>,
    /// The lanes with which each shares a bottleneck.
    shared: Vec<Vec<usize>>,
}

impl Measured {
    fn of(flights: Vec<(Vec<Series>, i128)>, is_forward: bool, is_idle: bool) -> Measured {
        let lanes: Vec<Direction> =
            flights.into_iter().map(|(series, _)| Direction::of(View::new(series))).collect();
        let shared = shared::pairs(&lanes, is_forward, is_idle);
        Measured { lanes, shared }
    }

    fn estimate(&self, number: usize) -> DirectionEstimate {
        let is_undisturbed = |purpose| match purpose {
            Purpose::Rest | Purpose::Chance => true,
            Purpose::Beside { filled, .. } => filled != number && !self.shared[number].contains(&filled),
            _ => false,
        };
        self.lanes[number].estimate(is_undisturbed)
    }
}

fn remove_drift(forward: &mut [(Vec<Series>, i128)], reverse: &mut [(Vec<Series>, i128)]) {
    let floors = |lanes: &[(Vec<Series>, i128)], sign| {
        lanes.iter().map(|(series, _)| Floors::of(series, sign)).collect::<Vec<_>>()
    };
    let drift = clock::drift(&[floors(forward, 1.0), floors(reverse, -1.0)].concat());
    forward.iter_mut().for_each(|(series, _)| clock::remove(drift, 1.0, series));
    reverse.iter_mut().for_each(|(series, _)| clock::remove(drift, -1.0, series));
}

/// Adds what both directions show together. `reference` is the sum of the references of their delays.
fn describe_both(
    estimate: &mut LinkEstimate,
    lane: &Lane,
    (forward, reverse): (&View, &View),
    reference: i128,
    start: Time,
) {
    if lane.is_dead || !(forward.has_arrivals() || reverse.has_arrivals()) {
        estimate.status = LinkStatus::Dead;
    }
    let are_known = forward.has_arrivals() && reverse.has_arrivals();
    let floors = are_known.then(|| reference as f64 * 1e-9 + forward.floor() + reverse.floor());
    let trips: Vec<(f64, f64)> = lane
        .round_trips
        .iter()
        .map(|trip| (trip.at.since(start).as_secs_f64(), trip.took.as_secs_f64()))
        .collect();
    let trips = round_trip::of(&trips, rest(forward), floors);
    estimate.round_trip_s = trips.floor;
    estimate.round_trip_median_s = trips.at_rest;
    let loss = |direction: &DirectionEstimate| direction.chance_loss.map_or(0.0, |loss| loss.high);
    let there = sizes::of(&lane.sizes, lane.mtu.get(), loss(&estimate.forward));
    let back = sizes::of(&lane.sizes_reverse, lane.mtu_there.get(), loss(&estimate.reverse));
    estimate.mtu_bytes = sizes::smaller(there, back);
    estimate.mtu_hole_bytes = there.hole;
    estimate.mtu_hole_reverse_bytes = back.hole;
}

/// The times of sending between which nothing but probes was sent.
fn rest(view: &View) -> (f64, f64) {
    let sent = || view.of(Purpose::Rest).map(|sample| sample.sent);
    (sent().fold(f64::INFINITY, f64::min), sent().fold(f64::NEG_INFINITY, f64::max))
}

/// Returns true if neither end was busy: all lanes together were not slowed by a processor.
fn is_idle(recording: &Recording) -> bool {
    let ends = [&recording.here, &recording.there];
    ends.iter().all(|end| end.processor_share < BUSY)
}

/// The share of a processor from which an end is busy.
const BUSY: f64 = 0.8;

fn names(lanes: &[Lane], numbers: &[usize]) -> Vec<String> {
    numbers.iter().map(|number| lanes[*number].name.clone()).collect()
}
