//! The figures of WS, "On the performance modelling and optimisation of CMT-SCTP" (Wallace and Shami): models beside
//! the simulator, and window limits. This file has what the atlas fixed for all of them.

mod heuristic;
mod one_path;
mod windows;

pub use heuristic::heuristic;
pub use one_path::one_path;
pub use windows::{RankCap, windows};

use anabranch_models::{PathParameters, TimeoutBounds};

/// How the receiver acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sacks {
    /// Every packet: the models grow by one packet a round.
    EachPacket,
    /// Every second packet, or after 200 ms.
    Delayed,
}

/// A path as WS give it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct WsPath {
    /// Mbit/s.
    rate: f64,
    /// There and back, in ms.
    delay: f64,
    /// p.
    loss: f64,
}

impl WsPath {
    /// As the models have it, with time-outs of `least` seconds or more.
    fn parameters(self, least: f64) -> PathParameters {
        PathParameters {
            rate: self.rate * 1e6 / PACKET_BITS,
            delay: self.delay / 1e3,
            loss: self.loss,
            timeout: TimeoutBounds { min: least, ..TimeoutBounds::WALLACE_SHAMI },
        }
    }

    /// A link of a scenario; `losses` is its loss kind.
    fn link(self, name: &str, losses: &str) -> String {
        let WsPath { rate, delay, loss } = self;
        format!(
            "[[link]]\nname = \"{name}\"\nrate = \"{rate} Mbit/s\"\ndelay = \"{} ms\"\n\
             loss = {{ kind = \"{losses}\", probability = {loss:?} }}\nqueue = \"{QUEUE} packets\"\n",
            delay / 2.0
        )
    }
}

/// The part of `[flow.sctp]` that all figures share: windows and buffers count packets of 1,500 bytes.
fn sctp(buffer: f64, sacks: Sacks) -> String {
    let sack = match sacks {
        Sacks::EachPacket => "sack = { every = 1 }\n",
        Sacks::Delayed => "",
    };
    format!(
        "[flow.sctp]\nprofile = \"rfc4960\"\nmissing_reports = 4\ncharge = \"packet\"\nunit = \"mtu\"\n\
         mtu = \"1500 B\"\nreceive_buffer = \"{buffer} KiB\"\nsend_buffer = \"16 MiB\"\nfailover = \"off\"\n{sack}"
    )
}

/// A receive buffer in whole packets: 128 KiB are 87.
fn packets(buffer: f64) -> u32 {
    (buffer * 1024.0 / 1500.0) as u32
}

/// Packets/s as Mbit/s of whole packets.
fn megabits(packets_per_second: f64) -> f64 {
    packets_per_second * PACKET_BITS / 1e6
}

/// 1,500 bytes.
const PACKET_BITS: f64 = 12_000.0;

/// Packets before each bottleneck: more than any window, so that nothing is lost there.
const QUEUE: u32 = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_hold_the_atlas_s_packets() {
        let buffers = [16.0, 32.0, 48.0, 64.0, 96.0, 128.0, 176.0];
        assert_eq!(buffers.map(packets), [10, 21, 32, 43, 65, 87, 120]);
    }
}
