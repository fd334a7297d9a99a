//! The figures of WS, "On the performance modelling and optimisation of CMT-SCTP" (Wallace and Shami): models beside
//! the simulator, and window limits. This file has the settings of all of them.

pub(super) mod heuristic;
pub(super) mod one_path;
pub(super) mod windows;

use anabranch_models::{PathParameters, TimeoutBounds};

/// The acknowledgement rule of the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sacks {
    /// Every packet: the models grow by one packet a round.
    EachPacket,
    /// Every second packet, or after 200 ms.
    Delayed,
}

/// The simulation's minimum retransmission time-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeastTimeout {
    /// The profile's, 1 s.
    OfProfile,
    /// The least time-out of the models: three times the shortest round, 3 (d + 1/b). An association has one for all
    /// its paths: the longest of theirs, so that no path has a shorter one than its model.
    OfModel,
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

    /// 3 (d + 1/b), in seconds: the model's time-out of a window that does not fill the path.
    fn least_timeout(self) -> f64 {
        self.parameters(0.0).timeout(1.0)
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
fn sctp(paths: &[WsPath], buffer: f64, sacks: Sacks, timeout: LeastTimeout) -> String {
    let sack = match sacks {
        Sacks::EachPacket => "sack = { every = 1 }\n",
        Sacks::Delayed => "",
    };
    let rto = match timeout {
        LeastTimeout::OfProfile => String::new(),
        LeastTimeout::OfModel => {
            let longest = paths.iter().map(|path| path.least_timeout()).fold(0.0, f64::max);
            // To the microsecond, and no less.
            format!("rto = {{ min = \"{:.3} ms\" }}\n", (longest * 1e6).ceil() / 1e3)
        }
    };
    format!(
        "[flow.sctp]\nprofile = \"rfc4960\"\nmissing_reports = 4\ncharge = \"packet\"\nunit = \"mtu\"\n\
         mtu = \"1500 B\"\nreceive_buffer = \"{buffer} KiB\"\nsend_buffer = \"16 MiB\"\nfailover = \"off\"\n{sack}{rto}"
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
    fn the_least_time_out_of_two_paths_is_that_of_the_slower() {
        let path = |rate, delay| WsPath { rate, delay, loss: 0.0 };
        // 3 (40 ms + 1/1750 s), 3 (160 ms + 1/1666.7 s).
        let (near, far) = (path(21.0, 40.0), path(20.0, 160.0));
        let text = |paths: &[WsPath]| sctp(paths, 128.0, Sacks::Delayed, LeastTimeout::OfModel);
        assert!(text(&[near]).ends_with("rto = { min = \"121.715 ms\" }\n"), "{}", text(&[near]));
        assert!(text(&[far, near]).ends_with("rto = { min = \"481.800 ms\" }\n"), "{}", text(&[far, near]));
        let of_profile = sctp(&[near], 128.0, Sacks::Delayed, LeastTimeout::OfProfile);
        assert!(!of_profile.contains("rto"), "{of_profile}");
    }

    #[test]
    fn buffers_hold_the_atlas_s_packets() {
        let buffers = [16.0, 32.0, 48.0, 64.0, 96.0, 128.0, 176.0];
        assert_eq!(buffers.map(packets), [10, 21, 32, 43, 65, 87, 120]);
    }
}
