//! The set `published-16`: sixteen pairs of links that another bond published with its results, each with a short and a long
//! transfer. The published runs carried HTTP/3 with BBR inside the bond over the kernel's netem; ours carry a file of ours:
//! a row compares what a user gets, not one mechanism.

use serde::Deserialize;

use super::TournamentError;
use super::bound::{BufferedPath, bound, ceiling};
use super::gate::Gate;
use super::network::{Network, Published};

#[derive(Debug, Deserialize)]
struct File {
    profiles: Vec<Pair>,
}

#[derive(Debug, Deserialize)]
struct Pair {
    name: String,
    links: Vec<PublishedLink>,
    published: Published,
}

#[derive(Debug, Deserialize)]
struct PublishedLink {
    rate_mbps: f64,
    delay_ms: f64,
    jitter_ms: f64,
    loss: f64,
}

/// The networks: all pairs with the short transfer, then all with the long one.
///
/// # Errors
/// The file is not what it was.
pub(crate) fn networks() -> Result<Vec<Network>, TournamentError> {
    let json = include_str!("../../data/tournament/published-16.json");
    let file: File = serde_json::from_str(json)?;
    let all = TRANSFERS_MIB.iter().flat_map(|mib| file.profiles.iter().map(move |pair| (*mib, pair)));
    Ok(all.enumerate().map(|(number, (mib, pair))| pair.network(number, mib)).collect())
}

impl Pair {
    fn network(&self, number: usize, mib: u32) -> Network {
        let paths: Vec<BufferedPath> =
            self.links.iter().map(|link| BufferedPath::new(link.rate_mbps, link.delay_ms)).collect();
        Network {
            id: format!("{PUBLISHED_16}-{number:02}"),
            title: format!("{} {mib} MiB", self.name),
            // The short transfer is over while windows still grow.
            gates: if mib == TRANSFERS_MIB[0] { vec![Gate::G1] } else { vec![Gate::G1, Gate::G2] },
            buffer_bytes: BUFFER_BYTES,
            cbr_share: None,
            ceiling_mbps: ceiling(&paths),
            bound_mbps: bound(&paths, BUFFER_BYTES as f64),
            toml: self.toml(mib),
            published: Some(Published { transfer_mib: mib, ..self.published.clone() }),
        }
    }

    fn toml(&self, mib: u32) -> String {
        let links = self.links.iter().enumerate().map(|(number, link)| {
            let PublishedLink { rate_mbps, delay_ms, jitter_ms, loss } = link;
            let jitter = if *jitter_ms > 0.0 { format!("jitter = {{ kind = \"normal\", deviation = \"{jitter_ms} ms\" }}\n") } else { String::new() };
            format!(
                "[[link]]\nname = \"p{number}\"\nrate = \"{rate_mbps} Mbit/s\"\ndelay = \"{delay_ms} ms\"\n{jitter}\
                 queue = \"1000 packets\"\nloss = {loss:?}\nreverse = {{ queue = \"1000 packets\" }}\n"
            )
        });
        let links: String = links.collect();
        format!(
            "[run]\ntime = \"{LIMIT_S} s\"\nruns = 3\nseed = 1\n{links}[[flow]]\ntransfer = \"{mib} MiB\"\n\
             [flow.sctp]\nprofile = \"tuned-2\"\nmtu_discovery = \"off\"\n"
        )
    }
}

/// The set's name.
pub(crate) const PUBLISHED_16: &str = "published-16";
const TRANSFERS_MIB: [u32; 2] = [20, 200];
/// As far as the tuned profiles let it grow.
const BUFFER_BYTES: u64 = 16 << 20;
/// A transfer that is not complete by then counts with what was delivered.
const LIMIT_S: u32 = 1_200;

#[cfg(test)]
mod tests {
    use super::super::course::{Class, Course};
    use super::super::network::parse;
    use super::*;

    #[test]
    fn each_pair_has_a_short_and_a_long_transfer() {
        let networks = networks().expect("it is shipped");
        assert_eq!(networks.len(), 32);
        let (short, long) = (&networks[11], &networks[27]);
        assert_eq!((short.id.as_str(), short.title.as_str()), ("published-16-11", "dual_lte 20 MiB"));
        assert_eq!((long.id.as_str(), long.title.as_str()), ("published-16-27", "dual_lte 200 MiB"));
        assert!(
            short.toml.contains("jitter = { kind = \"normal\", deviation = \"8 ms\" }"),
            "{}",
            short.toml
        );
        assert!(!networks[0].toml.contains("jitter"), "{}", networks[0].toml);
        assert_eq!(short.published.as_ref().map(Published::best), Some(29.6));
        assert_eq!(networks[1].published.as_ref().map(Published::best), Some(49.0));
    }

    #[test]
    fn the_links_bound_all_of_them() {
        for network in networks().expect("it is shipped") {
            let course = Course::of(&parse(&network.toml).expect("a scenario")).expect("it has a bound");
            assert_eq!(course.buffer_bytes, BUFFER_BYTES as f64, "{}", network.id);
            assert!(matches!(course.class(), Class::Links | Class::LossyLinks), "{}", network.id);
            let bounds = course.bounds();
            assert!(bounds.with_start < bounds.bound && bounds.with_start > 0.3 * bounds.bound, "{bounds:?}");
        }
    }
}
