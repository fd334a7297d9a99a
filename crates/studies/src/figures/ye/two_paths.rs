//! The scenarios of YE chapter 6: a file over two disjoint paths, each of two access links and a bottleneck between them
//! (YE-F41), fixed before anything was run.

use super::super::figure::ValueSource;
use super::IpccChoice;
use crate::scale::StudyScale;

/// A run of YE chapter 6.
#[derive(Clone, Copy, Debug)]
pub struct TwoPathRun {
    /// The use of the paths.
    pub direction: WayOfSending,
    /// The bottlenecks L2 and L5; `None` for a path that does not exist.
    pub bottlenecks: [Option<Bottleneck>; 2],
    /// The capacity of a bottleneck's queue in packets, unless the choice has it.
    pub queue: u32,
    /// The choices that the thesis leaves open.
    pub choice: IpccChoice,
    /// The scale of the file.
    pub scale: StudyScale,
}

/// The sender's use of the paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WayOfSending {
    /// One path, by RFC 2960.
    Standard,
    /// New data on path 1, retransmissions on path 2 (YE 6.5.1).
    Retransmission,
    /// The paths carry new data, the first one first (YE 6.5.2).
    LoadSharing,
    /// As the one or the other, without the adjustment of the cumulative PSN ack point (M-IPCC-4).
    WithoutAdjustment(&'static WayOfSending),
}

/// The link that limits a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bottleneck {
    /// The rate, in Mbit/s.
    pub rate: f64,
    /// The delay, one way, in milliseconds.
    pub delay_ms: u32,
    /// The packets that it loses, of those with data.
    pub loss: f64,
}

impl From<TwoPathRun> for ValueSource {
    fn from(run: TwoPathRun) -> ValueSource {
        ValueSource::Run(run.scenario())
    }
}

impl TwoPathRun {
    /// The scenario. Time counts from the first INIT.
    pub fn scenario(self) -> String {
        let names = [["l1", "l2", "l3"], ["l4", "l5", "l6"]];
        let (mut links, mut paths) = (String::new(), String::new());
        for (number, (bottleneck, names)) in self.bottlenecks.iter().zip(names).enumerate() {
            let Some(bottleneck) = bottleneck else { continue };
            let [first, middle, last] = names;
            links += &(access(first) + &self.link(middle, bottleneck) + &access(last));
            paths += &format!("[[path]]\nname = \"path-{}\"\nlinks = {names:?}\n", number + 1);
        }
        let file = match self.scale {
            StudyScale::Full => FILE,
            StudyScale::Quick => FILE / 10,
        };
        format!(
            "{links}{paths}[[flow]]\ntransfer = \"{file} B\"\n[flow.sctp]\nprofile = \"rfc2960\"\n\
             charge = \"packet\"\nunit = \"mtu\"\n{}missing_reports = 4\nfailover = {}\nsack.every = {}\n\
             receive_buffer = {{ in_order = \"64 KiB\", out_of_order = \"unlimited\" }}\n\
             send_buffer = \"16 MiB\"\ninitial_ssthresh = \"65536 B\"\n",
            self.direction.settings(),
            self.choice.failover,
            self.choice.sack_every
        )
    }

    fn link(&self, name: &str, bottleneck: &Bottleneck) -> String {
        let Bottleneck { rate, delay_ms, loss } = bottleneck;
        format!(
            "[[link]]\nname = \"{name}\"\nrate = \"{rate} Mbit/s\"\ndelay = \"{delay_ms} ms\"\nloss = {loss:?}\n\
             queue = \"{} packets\"\n",
            self.choice.queue.unwrap_or(self.queue)
        )
    }
}

impl WayOfSending {
    fn settings(self) -> String {
        match self {
            WayOfSending::Standard => "multipath = \"off\"\n".to_owned(),
            WayOfSending::Retransmission => {
                "multipath = \"ipcc\"\nscheduler = \"primary\"\nretransmission = \"alternate\"\n".to_owned()
            }
            WayOfSending::LoadSharing => {
                "multipath = \"ipcc\"\nscheduler = \"window-regulated\"\nretransmission = \"alternate\"\n"
                    .to_owned()
            }
            WayOfSending::WithoutAdjustment(direction) => {
                direction.settings() + "ipcc = { adjustment = false }\n"
            }
        }
    }
}

fn access(name: &str) -> String {
    format!(
        "[[link]]\nname = \"{name}\"\nrate = \"100 Mbit/s\"\ndelay = \"0 ms\"\nqueue = \"10000 packets\"\n"
    )
}

/// 50,000 chunks of 1,452 bytes of user data.
const FILE: u64 = 72_600_000;

#[cfg(test)]
mod tests {
    use anabranch_scenario::{NoFiles, Scenario, Source, registry};

    use super::*;

    #[test]
    fn every_way_of_sending_is_a_scenario() {
        let bottleneck = Bottleneck { rate: 1.0, delay_ms: 50, loss: 0.02 };
        for direction in [
            WayOfSending::Standard,
            WayOfSending::Retransmission,
            WayOfSending::LoadSharing,
            WayOfSending::WithoutAdjustment(&WayOfSending::LoadSharing),
        ] {
            let second = (direction != WayOfSending::Standard).then_some(bottleneck);
            let bottlenecks = [Some(bottleneck), second];
            let run = TwoPathRun {
                direction,
                bottlenecks,
                queue: 50,
                choice: IpccChoice::PROBED,
                scale: StudyScale::Quick,
            };
            let source = Source::new("ye.toml", run.scenario());
            let scenario = Scenario::parse(&source, &NoFiles, &[], &registry())
                .unwrap_or_else(|error| panic!("{direction:?}: {error}"));
            assert_eq!(
                (scenario.paths.len(), scenario.links.len() % 3),
                (1 + usize::from(second.is_some()), 0)
            );
        }
    }
}
