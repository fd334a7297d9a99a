//! The scenario's knowledge of the paths of a pair of ends, as hints for the policies of an association.

use anabranch_base::Duration;
use anabranch_link::config::LinkConfig;
use anabranch_scenario::Scenario;
use anabranch_scenario::model::Link;
use anabranch_sctp::policy::Hints;

use crate::observe::Host;

/// For each of `paths`, in order, what the policies at `from` may know about the path of their data.
pub(crate) fn hints(scenario: &Scenario, paths: &[usize], from: Host) -> Vec<Hints> {
    let ways = |link: &usize| -> [&LinkConfig; 2] {
        let Link { forward, reverse, .. } = &scenario.links[*link];
        match from {
            Host::First => [forward, reverse],
            Host::Second => [reverse, forward],
        }
    };
    let along = |path: &usize| match scenario.paths[*path].air {
        // Stations share the medium, hops share it too, and others may come: only the bound on the rate is known.
        Some(air) => {
            let rate = Some(scenario.radios[air.radio].config.rate);
            Hints { rate, delay: None, round_trip: None, loss: None }
        }
        None => hints_of(scenario.paths[*path].links.iter().map(ways)),
    };
    paths.iter().map(along).collect()
}

/// The least rate, the sums of the delays, and the loss rate if every link loses independently. Each link gives its
/// direction from the sender and its direction back.
fn hints_of<'a>(links: impl Iterator<Item = [&'a LinkConfig; 2]> + Clone) -> Hints {
    let there = links.clone().map(|[there, _]| there);
    let rates: Option<Vec<_>> = there.clone().map(|link| link.rate.at_start()).collect();
    let sum = |sum: Duration, link: &LinkConfig| sum + link.delay.at_start();
    let delay = there.clone().fold(Duration::ZERO, sum);
    let arrives: f64 = there.map(|link| 1.0 - link.loss.mean()).product();
    Hints {
        rate: rates.and_then(|rates| rates.into_iter().min()),
        delay: Some(delay),
        round_trip: Some(links.map(|[_, back]| back).fold(delay, sum)),
        loss: Some(1.0 - arrives),
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::BitRate;
    use anabranch_scenario::{NoFiles, Source, registry};

    use super::*;

    #[test]
    fn a_path_is_as_narrow_as_its_narrowest_link_as_long_as_all_and_loses_what_any_loses() {
        let text = r#"
            [run]
            time = "1 s"
            [[link]]
            name = "a"
            rate = "10 Mbit/s"
            delay = "20 ms"
            loss = 0.5
            reverse = { loss = 0.125, delay = "7 ms" }
            [[link]]
            name = "b"
            rate = { steps = [["0 s", "3 Mbit/s"], ["1 s", "1 Mbit/s"]] }
            delay = "30 ms"
            loss = 0.25
            [[path]]
            name = "both"
            links = ["a", "b"]
            [[path]]
            name = "second"
            links = ["b"]
        "#;
        let source = Source::new("test.toml", text);
        let scenario = Scenario::parse(&source, &NoFiles, &[], &registry()).expect("a sound file");
        let told = |from| hints(&scenario, &[1, 0], from);
        let hint = |megabits, delay, round_trip, loss| Hints {
            rate: Some(BitRate::from_mbps(megabits)),
            delay: Some(Duration::from_millis(delay)),
            round_trip: Some(Duration::from_millis(round_trip)),
            loss: Some(loss),
        };
        assert_eq!(told(Host::First), [hint(3, 30, 60, 0.25), hint(3, 50, 87, 0.625)]);
        assert_eq!(told(Host::Second), [hint(3, 30, 60, 0.0), hint(3, 37, 87, 0.125)]);
    }
}
