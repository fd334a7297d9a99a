//! Networks drawn at random by the rule of the set `drawn-2026`, from other seeds and by a generator of our own: rates of
//! 1 to 100 Mbit/s, round trips of 10 to 300 ms, queues of 20 to 200 packets, losses of 0 to 2 %, buffers of 32 KiB to
//! 4 MiB, some with outages, stairs and changing delays.
//!
//! Each quantity has a stream of its own, so that a network is the same whichever others are drawn.

use anabranch_base::Seed;

use super::bound::{BufferedPath, bound, ceiling};
use super::drawn::{CBR_SHARE, ChangeKind, Drawn, DrawnLink, Kind, LinkChange};
use super::gate::Gate;
use super::network::Network;
use crate::draws::Draws;

/// The number of networks a set has.
pub const NETWORKS: usize = 40;

/// The network of this number of the set that is drawn from `seed`.
pub fn network(seed: u64, number: usize) -> Network {
    let draws = Draws(Seed::from_number(seed).child("tournament").child(&format!("network/{number}")));
    let kind = draws.kind();
    let links: Vec<DrawnLink> = (0..draws.links()).map(|link| draws.link(link, kind)).collect();
    let paths: Vec<BufferedPath> = links.iter().map(DrawnLink::path).collect();
    let buffer_bytes = draws.buffer(kind, &links);
    let is_sender_bound = kind == Kind::SmallBuffer && draws.unit("send-buffer") < SENDER_BOUND;
    let has_events = links.iter().any(|link| link.change.is_some());
    let gates = match kind {
        Kind::Ample => vec![Gate::G1, Gate::G2],
        Kind::Cbr => vec![Gate::G5],
        // The bound does not see what changes, nor a sender that holds less than the paths and the receiver.
        Kind::SmallBuffer if is_sender_bound || has_events => vec![Gate::G1, Gate::G7],
        Kind::SmallBuffer => vec![Gate::G1, Gate::G7, Gate::Ub],
    };
    let ceiling_mbps = ceiling(&paths);
    let drawn = Drawn { kind, links, buffer_bytes, is_sender_bound, ceiling_mbps };
    Network {
        id: format!("drawn-{seed}-{number:02}"),
        title: drawn.title(),
        gates,
        buffer_bytes,
        cbr_share: (kind == Kind::Cbr).then_some(CBR_SHARE),
        ceiling_mbps,
        bound_mbps: bound(&paths, buffer_bytes as f64),
        toml: drawn.toml(),
        published: None,
    }
}

impl Draws {
    fn kind(&self) -> Kind {
        match self.unit("kind") {
            unit if unit < 0.2 => Kind::Ample,
            unit if unit < 0.45 => Kind::Cbr,
            _ => Kind::SmallBuffer,
        }
    }

    fn links(&self) -> usize {
        self.one_of("links", &[2, 2, 2, 3, 3, 4])
    }

    fn link(&self, number: usize, kind: Kind) -> DrawnLink {
        let name = |quantity: &str| format!("p{number}/{quantity}");
        let losses: &[f64] = if kind == Kind::Cbr { &LOSSES_OF_CBR } else { &LOSSES };
        let rate_mbps = tenths(self.any_size(&name("rate"), RATES_MBPS));
        let is_changed = kind != Kind::Cbr && self.unit(&name("changed")) < CHANGED;
        DrawnLink {
            rate_mbps,
            delay_ms: tenths(self.any_size(&name("delay"), DELAYS_MS)),
            jitter_ms: self.one_of(&name("jitter"), &[0.1, 2.0]),
            queue_packets: self.one_of(&name("queue"), &[20, 50, 100, 200]),
            loss: self.one_of(&name("loss"), losses),
            change: is_changed.then(|| self.change(name, rate_mbps)),
        }
    }

    fn change(&self, name: impl Fn(&str) -> String, rate_mbps: f64) -> LinkChange {
        let from_s = self.uniform(&name("change/from"), [7.0, 14.0]);
        let (kind, lengths) = match self.one_of(&name("change/kind"), &[0, 1, 2]) {
            0 => (ChangeKind::Outage, [1.0, 3.5]),
            1 => {
                (ChangeKind::Stairs(rate_mbps * self.one_of(&name("change/share"), &[0.5, 0.25])), [3.0, 8.0])
            }
            _ => (ChangeKind::Delay(tenths(self.any_size(&name("change/delay"), DELAYS_MS))), [3.0, 8.0]),
        };
        LinkChange { from_s, until_s: from_s + self.uniform(&name("change/length"), lengths), kind }
    }

    fn buffer(&self, kind: Kind, links: &[DrawnLink]) -> u64 {
        let drawn = self.any_size("buffer", BUFFERS_BYTES) as u64;
        match kind {
            Kind::Ample => links.iter().map(|link| 8.0 * link.held_bytes()).sum::<f64>() as u64 + 65_536,
            Kind::Cbr => drawn.max(524_288),
            Kind::SmallBuffer => drawn,
        }
    }
}

fn tenths(value: f64) -> f64 {
    (10.0 * value).round() / 10.0
}

const RATES_MBPS: [f64; 2] = [1.0, 100.0];
const DELAYS_MS: [f64; 2] = [5.0, 150.0];
const BUFFERS_BYTES: [f64; 2] = [32_768.0, 4_194_304.0];
const LOSSES: [f64; 5] = [0.0, 0.0, 0.001, 0.005, 0.02];
const LOSSES_OF_CBR: [f64; 2] = [0.0, 0.0002];
/// The share of links to which something happens.
const CHANGED: f64 = 0.15;
/// The share of small receive buffers with a send buffer of the same size.
const SENDER_BOUND: f64 = 0.25;

#[cfg(test)]
mod tests {
    use super::*;

    fn sets() -> Vec<Network> {
        (1..6).flat_map(|seed| (0..NETWORKS).map(move |number| network(seed, number))).collect()
    }

    #[test]
    fn a_draw_depends_on_its_seed_and_number_alone() {
        assert_eq!(network(7, 3), network(7, 3));
        assert_ne!(network(7, 3).toml, network(7, 4).toml);
        assert_ne!(network(7, 3).toml, network(8, 3).toml);
        assert_eq!(network(7, 3).id, "drawn-7-03");
    }

    /// Every table of a set by its seed depends on this network: it must not change.
    #[test]
    fn a_known_network_is_drawn_as_before() {
        assert_eq!(network(7, 3).title, KNOWN);
    }

    const KNOWN: &str = "1340K 44.1/6.8q50+54.3/32.6q100l0.1+3.3/111.7q20!";

    #[test]
    fn draws_are_within_the_ranges_of_the_rule() {
        for network in sets() {
            let draws = Draws(Seed::from_number(7).child(&network.id));
            for kind in [Kind::Ample, Kind::Cbr, Kind::SmallBuffer] {
                let link = draws.link(0, kind);
                assert!((1.0..=100.0).contains(&link.rate_mbps) && (5.0..=150.0).contains(&link.delay_ms));
                assert!((20..=200).contains(&link.queue_packets) && (0.0..=0.02).contains(&link.loss));
                assert!(kind != Kind::Cbr || link.change.is_none());
            }
            let links = network.toml.matches("[[link]]").count();
            assert!((2..=4).contains(&links), "{}", network.toml);
            let is_ample = network.gates == [Gate::G1, Gate::G2];
            assert!(is_ample || (32_768..=4_194_304).contains(&network.buffer_bytes), "{}", network.toml);
            assert!(network.bound_mbps <= network.ceiling_mbps + 1e-9);
            assert_eq!(network.cbr_share.is_some(), network.gates == [Gate::G5]);
        }
    }

    #[test]
    fn every_kind_of_network_and_of_change_is_drawn() {
        let networks = sets();
        let count = |what: &str| networks.iter().filter(|network| network.toml.contains(what)).count();
        let events = || networks.iter().flat_map(|network| network.toml.split("[[event]]").skip(1));
        for what in ["\nstate = \"down\"", "\nrate = ", "\ndelay = "] {
            assert!(events().any(|event| event.contains(what)), "{what}");
        }
        assert!((20..80).contains(&count("kind = \"cbr\"")), "{}", count("cbr"));
        assert!((10..50).contains(&count("send_buffer")), "{}", count("send_buffer"));
        assert!(networks.iter().any(|network| network.gates == [Gate::G1, Gate::G2]));
        assert!(networks.iter().any(|network| network.gates == [Gate::G1, Gate::G7, Gate::Ub]));
    }
}
