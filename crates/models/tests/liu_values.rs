//! The values of Liu's model for the points of its figures 4 to 6, computed independently of this program: in kbit/s of
//! 592-byte packets, with time-outs of 3 RTT, 200 ms or more. For figures 4 and 5 the receive buffer is endless.

use anabranch_models::Mptcp;
use anabranch_models::mptcp::{Coupling, Subflow};
use anabranch_models::square_root::{SquareRoot, SquareRootParameters};

const CLOSED: Coupling = Coupling::ClosedForm;
const SETTLED: Coupling = Coupling::FixedPoint;
const KBIT: f64 = 592.0 * 8.0 / 1000.0;
const ROUND_TRIP: f64 = 0.02;
/// LIU-F4: round-trip times of all subflows, in seconds.
const ROUND_TRIPS: [f64; 5] = [0.012, 0.020, 0.040, 0.060, 0.080];
/// LIU-F5: losses of all subflows.
const LOSSES: [f64; 6] = [0.005, 0.01, 0.02, 0.04, 0.08, 0.15];
/// LIU-F6: round-trip times of the first subflow, in seconds.
const FIRST_ROUND_TRIPS: [f64; 6] = [0.02, 0.1, 0.2, 0.5, 1.0, 2.0];

fn subflow(loss: f64, round_trip: f64) -> Subflow {
    Subflow { loss, round_trip, timeout: (3.0 * round_trip).max(0.2) }
}

/// Rounded to whole kbit/s.
fn total(coupling: Coupling, buffer: Option<u32>, subflows: &[Subflow]) -> u64 {
    let model = Mptcp { coupling, buffer, ..Mptcp::default() };
    (model.solve(subflows).expect("in its domain").total * KBIT).round() as u64
}

fn by_round_trip(coupling: Coupling, buffer: Option<u32>, count: usize) -> Vec<u64> {
    ROUND_TRIPS.iter().map(|time| total(coupling, buffer, &vec![subflow(0.04, *time); count])).collect()
}

fn by_loss(coupling: Coupling, buffer: Option<u32>, count: usize) -> Vec<u64> {
    LOSSES.iter().map(|loss| total(coupling, buffer, &vec![subflow(*loss, ROUND_TRIP); count])).collect()
}

fn by_first(coupling: Coupling, buffer: u32, count: usize) -> Vec<u64> {
    let connection = |first: &f64| {
        let mut subflows = vec![subflow(0.04, ROUND_TRIP); count];
        subflows[0] = subflow(0.04, *first);
        total(coupling, Some(buffer), &subflows)
    };
    FIRST_ROUND_TRIPS.iter().map(connection).collect()
}

#[test]
fn figure_4_two_subflows_and_three_by_their_round_trips() {
    assert_eq!(by_round_trip(CLOSED, None, 2), [999, 753, 466, 338, 258]);
    assert_eq!(by_round_trip(SETTLED, None, 2), [999, 753, 466, 338, 258]);
    assert_eq!(by_round_trip(CLOSED, None, 3), [1498, 1129, 699, 506, 386]);
    assert_eq!(by_round_trip(SETTLED, None, 3), [1004, 748, 457, 329, 251]);
}

#[test]
fn figure_5_two_subflows_and_three_by_their_loss() {
    assert_eq!(by_loss(CLOSED, None, 2), [3480, 2214, 1333, 753, 414, 262]);
    assert_eq!(by_loss(SETTLED, None, 2), [3480, 2214, 1333, 753, 414, 262]);
    assert_eq!(by_loss(CLOSED, None, 3), [5220, 3321, 2000, 1129, 620, 393]);
    assert_eq!(by_loss(SETTLED, None, 3), [3390, 2137, 1269, 748, 458, 297]);
}

#[test]
fn the_papers_buffer_of_100_packets_takes_little_off_figures_4_and_5() {
    for count in [2, 3] {
        let held = [by_round_trip(CLOSED, Some(100), count), by_loss(CLOSED, Some(100), count)].concat();
        let free = [by_round_trip(CLOSED, None, count), by_loss(CLOSED, None, count)].concat();
        let taken = held.iter().zip(&free).map(|(held, free)| 1.0 - *held as f64 / *free as f64);
        assert!(taken.clone().all(|taken| (0.0..0.02).contains(&taken)), "{held:?} {free:?}");
        assert!(taken.sum::<f64>() > 0.0, "{held:?} {free:?}");
    }
}

#[test]
fn figure_6_one_slow_subflow_by_its_round_trip_in_two_buffers() {
    assert_eq!(by_first(CLOSED, 100, 2), [753, 483, 430, 390, 376, 216]);
    assert_eq!(by_first(SETTLED, 100, 2), [753, 879, 865, 844, 450, 225]);
    assert_eq!(by_first(CLOSED, 50, 2), [753, 482, 424, 387, 221, 111]);
    assert_eq!(by_first(SETTLED, 50, 2), [753, 873, 854, 472, 236, 118]);
    assert_eq!(by_first(CLOSED, 100, 3), [1129, 858, 794, 752, 429, 212]);
    assert_eq!(by_first(SETTLED, 100, 3), [748, 770, 751, 735, 429, 212]);
    assert_eq!(by_first(CLOSED, 50, 3), [1106, 845, 782, 437, 217, 108]);
    assert_eq!(by_first(SETTLED, 50, 3), [748, 758, 740, 437, 217, 108]);
}

#[test]
fn the_square_root_rule_beside_figures_4_and_5() {
    let rule = |loss: f64, round_trip: f64| {
        let path = SquareRootParameters { loss, round_trip };
        (SquareRoot::default().connection(&[path]).expect("in its domain") * KBIT).round() as u64
    };
    assert_eq!(ROUND_TRIPS.map(|time| rule(0.04, time)), [2791, 1674, 837, 558, 419]);
    assert_eq!(LOSSES.map(|loss| rule(loss, ROUND_TRIP)), [4736, 3349, 2368, 1674, 1184, 865]);
}
