//! Results for the tests of tables.

use anabranch_runs::by_seed::BySeed;

use super::contest::{Contest, Form, NetworkResult, References, Series};
use super::course::{Bounds, Class};
use super::gate::{Gate, Yardstick};
use super::network::{Network, NetworkFacts};
use super::policy::Policy;

/// `fill` and `lowest-rtt` with two seeds.
pub(super) fn contest() -> Contest {
    Contest {
        profile: "tuned-1".to_owned(),
        control: None,
        policies: vec![Policy::FILL, Policy::LOWEST_RTT],
        seeds: 2,
        references: References::OfThisBuild,
        form: Form::Whole,
    }
}

fn series(goodput: [f64; 2], p99: f64) -> Series {
    let sample = |values: [f64; 2]| BySeed::new(values.to_vec()).expect("two");
    let [queue, found, missed] = [[10.0, 12.0], [f64::NAN; 2], [0.0; 2]].map(sample);
    Series { goodput: sample(goodput), p99: sample([p99; 2]), queue, found, missed }
}

/// 20 Mbit/s through two links, of which the best carries 8.
pub(super) const BOUNDS: Bounds =
    Bounds { ceiling: 20.0, bound: 20.0, with_start: 19.0, with_repairs: 18.0, best_link: 8.0 };

fn result(id: &str, gates: &[Gate], class: Class, policies: &[Series; 2]) -> NetworkResult {
    let network = Network {
        id: id.to_owned(),
        title: "two".to_owned(),
        gates: gates.to_vec(),
        buffer_bytes: 65_536,
        cbr_share: (class == Class::Messages).then_some(0.7),
        ceiling_mbps: 20.0,
        bound_mbps: 20.0,
        toml: String::new(),
        published: None,
    };
    let links = vec!["p0".to_owned(), "p1".to_owned()];
    NetworkResult {
        network,
        facts: NetworkFacts {
            links,
            longest_delay_ms: 50.0,
            has_losses: true,
            bounds: BOUNDS,
            class,
            least_p99_ms: (class == Class::Messages).then_some(40.0),
        },
        yardstick: Yardstick {
            bounds: BOUNDS,
            best_alone: Some(7.5),
            fill: Some(policies[0].goodput.mean()),
            lowest_rtt: Some(policies[1].goodput.mean()),
            longest_delay_ms: 50.0,
        },
        policies: policies.to_vec(),
        alone: vec![series([7.5, 7.5], 40.0), series([6.0, 6.0], 30.0)],
    }
}

/// Two bulk networks, and one with messages.
pub(super) fn results() -> Vec<NetworkResult> {
    let lossy = Class::LossyLinks;
    vec![
        result(
            "core-00",
            &[Gate::G1, Gate::G7],
            lossy,
            &[series([16.0, 16.2], 0.0), series([6.0, 6.1], 0.0)],
        ),
        result("core-01", &[Gate::G1], lossy, &[series([5.4, 7.4], 0.0), series([16.0, 24.0], 0.0)]),
        result(
            "core-02",
            &[Gate::G5],
            Class::Messages,
            &[series([9.0, 9.0], 151.0), series([8.0, 8.0], 149.0)],
        ),
    ]
}
