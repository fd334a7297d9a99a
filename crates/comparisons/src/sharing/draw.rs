//! Networks with and without a shared bottleneck, drawn from a seed: rates of 3 to 40 Mbit/s, round trips of 10 to 200 ms,
//! queues of half to twice what the path holds, datagrams and TCP beside the flow in every bottleneck, on both ways, and
//! starts within five seconds.

use anabranch_base::Seed;

use super::network::{Bottleneck, CrossTcp, Network, OnOff, SharingPath};
use crate::draws::Draws;

/// The number of networks a set has.
pub const NETWORKS: usize = 40;

/// The congestion controls with which paths are looked for that share a bottleneck.
pub const CONTROLS: [&str; 4] = ["reno", "cubic", "westwood", "bbr"];

/// The network of this number of the set that is drawn from `seed`. In those with even numbers, the first two paths share a
/// bottleneck.
pub fn network(seed: u64, number: usize) -> Network {
    let draws = Draws(Seed::from_number(seed).child("sharing").child(&format!("network/{number}")));
    let is_shared = number.is_multiple_of(2);
    let count = draws.one_of("paths", &[2, 2, 2, 3]);
    let through = |path: usize| if is_shared { path.saturating_sub(1) } else { path };
    let paths: Vec<SharingPath> = (0..count).map(|path| draws.path(path, through(path))).collect();
    let have_equal_rates = draws.unit("equal-rates") < EQUAL_RATES;
    let bottlenecks = (0..=through(count - 1)).map(|number| {
        let rated = if have_equal_rates { 0 } else { number };
        let rate_mbps = tenths(draws.any_size(&format!("b{rated}/rate"), RATES_MBPS));
        let held = paths.iter().filter(|path| path.bottleneck == number).map(|path| path.round_trip_ms);
        let held: Vec<f64> = held.collect();
        draws.bottleneck(number, rate_mbps, held.iter().sum::<f64>() / held.len() as f64)
    });
    Network {
        seed,
        number,
        control: draws.one_of("control", &["reno", "cubic"]),
        start_s: tenths(draws.uniform("start", STARTS_S)),
        bottlenecks: bottlenecks.collect(),
        paths,
    }
}

impl Draws {
    fn path(&self, number: usize, bottleneck: usize) -> SharingPath {
        let name = |quantity: &str| format!("p{number}/{quantity}");
        SharingPath {
            round_trip_ms: tenths(self.any_size(&name("round-trip"), ROUND_TRIPS_MS)),
            before: self.unit(&name("before")),
            bottleneck,
        }
    }

    fn bottleneck(&self, number: usize, rate_mbps: f64, round_trip_ms: f64) -> Bottleneck {
        let name = |quantity: &str| format!("b{number}/{quantity}");
        let filled_packets = rate_mbps * 1e3 * round_trip_ms / 8.0 / 1500.0;
        let queue = filled_packets * self.uniform(&name("queue"), QUEUES);
        let start = |quantity: &str| tenths(self.uniform(&name(quantity), STARTS_S));
        let has_tcp = self.unit(&name("tcp")) < WITH_TCP;
        let load = |quantity: &str, bounds| rate_mbps * self.uniform(&name(quantity), bounds);
        let pause = |quantity: &str| self.any_size(&name(quantity), PAUSES_S);
        Bottleneck {
            rate_mbps,
            queue_packets: (queue as u32).max(LEAST_QUEUE),
            poisson_mbps: [load("poisson/there", POISSON), load("poisson/back", POISSON)],
            on_off: OnOff {
                mbps: load("on-off", ON_OFF),
                on_s: pause("on-off/on"),
                off_s: pause("on-off/off"),
                start_s: start("on-off/start"),
            },
            tcp: has_tcp.then(|| CrossTcp {
                round_trip_ms: tenths(self.any_size(&name("tcp/round-trip"), ROUND_TRIPS_MS)),
                control: self.one_of(&name("tcp/control"), &["reno", "cubic"]),
                start_s: start("tcp/start"),
            }),
        }
    }
}

fn tenths(value: f64) -> f64 {
    (10.0 * value).round() / 10.0
}

const RATES_MBPS: [f64; 2] = [3.0, 40.0];
const ROUND_TRIPS_MS: [f64; 2] = [10.0, 200.0];
/// In what the path holds.
const QUEUES: [f64; 2] = [0.5, 2.0];
const LEAST_QUEUE: u32 = 10;
const STARTS_S: [f64; 2] = [0.0, 5.0];
/// In shares of the bottleneck's rate.
const POISSON: [f64; 2] = [0.02, 0.15];
/// The rate while there is traffic, in shares of the bottleneck's.
const ON_OFF: [f64; 2] = [0.05, 0.3];
const PAUSES_S: [f64; 2] = [0.2, 3.0];
/// The share of bottlenecks with a TCP.
const WITH_TCP: f64 = 0.5;
/// The share of networks whose bottlenecks have one rate.
const EQUAL_RATES: f64 = 0.5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_depends_on_its_seed_and_number_alone() {
        assert_eq!(network(7, 3).scenario("off"), network(7, 3).scenario("off"));
        assert_ne!(network(7, 3).scenario("off"), network(7, 5).scenario("off"));
        assert_ne!(network(7, 3).scenario("off"), network(8, 3).scenario("off"));
    }

    #[test]
    fn half_of_the_networks_have_a_bottleneck_for_two_paths() {
        for number in 0..NETWORKS {
            let network = network(7, number);
            let [first, second] = [0, 1].map(|path| network.paths[path].bottleneck);
            assert_eq!(first == second, number % 2 == 0);
            let alone = network.paths.get(2).is_none_or(|path| path.bottleneck != second);
            assert!(alone, "a third path has a bottleneck of its own");
            let bottlenecks = network.bottlenecks.len();
            assert!(network.paths.iter().all(|path| path.bottleneck < bottlenecks));
        }
    }
}
