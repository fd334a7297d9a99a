//! The choices that LIU leave open, and the scenarios of their topologies (LIU figure 3), fixed before anything
//! was run.

use std::fmt::Write;

use crate::scale::StudyScale;

/// A choice for what the paper leaves open: the default, or a member of the sensitivity set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LiuChoice {
    /// The name in reports.
    pub name: &'static str,
    /// The least time-out in seconds, of the model and of the simulated connections; 0 for none.
    pub least_timeout: f64,
    /// The window of each TCP beside the subflows, in packets.
    pub background: u32,
    /// The losses of the access links.
    pub losses: AccessLosses,
}

/// The losses of the access links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessLosses {
    /// Each by itself.
    Independent,
    /// The first loss in a round takes the rest of the round, as the model has it.
    Correlated,
}

impl LiuChoice {
    /// The headline's.
    pub(crate) const DEFAULT: LiuChoice = LiuChoice {
        name: "default",
        least_timeout: 0.2,
        background: 1_000,
        losses: AccessLosses::Independent,
    };
    /// The others.
    pub(crate) const SENSITIVITY: [LiuChoice; 4] = [
        LiuChoice { name: "RTO ≥ 1 s", least_timeout: 1.0, ..LiuChoice::DEFAULT },
        LiuChoice { name: "RTO = 3 RTT", least_timeout: 0.0, ..LiuChoice::DEFAULT },
        LiuChoice { name: "TCP of 20 packets", background: 20, ..LiuChoice::DEFAULT },
        LiuChoice { name: "correlated losses", losses: AccessLosses::Correlated, ..LiuChoice::DEFAULT },
    ];
}

/// A subflow's access link, and what its bottleneck adds.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubflowLink {
    /// p of the access link.
    pub loss: f64,
    /// The round trip in milliseconds, of propagation alone.
    pub round_trip_ms: f64,
}

/// A run: subflows over bottlenecks, of which the first two have a TCP beside the subflow.
#[derive(Clone, Debug)]
pub(super) struct SubflowRun {
    /// The choices.
    pub choice: LiuChoice,
    /// The subflows.
    pub subflows: Vec<SubflowLink>,
    /// The receive buffer that they share, in packets.
    pub buffer: u32,
    /// The scale of the runs.
    pub scale: StudyScale,
}

impl SubflowRun {
    /// The scenario. A delay beyond that of the access links is the bottleneck's, so that its TCP has it too.
    pub(super) fn scenario(&self, access_ms: f64) -> String {
        let mut text = format!("run = {{ {} }}\n", run(self.scale));
        for (index, subflow) in (1..).zip(&self.subflows) {
            let further_ms = (subflow.round_trip_ms - access_ms) / 2.0;
            text += &self.access(index, subflow.loss, access_ms / 2.0);
            let _ = write!(
                text,
                "[[link]]\nname = \"B{index}\"\nrate = \"20 Mbit/s\"\ndelay = \"{further_ms} ms\"\n\
                 queue = \"100 packets\"\n\
                 [[path]]\nname = \"subflow-{index}\"\nlinks = [\"access-{index}\", \"B{index}\"]\n"
            );
        }
        text += &self.connection();
        for bottleneck in 1..=BESIDE {
            text += &self.tcp(bottleneck);
        }
        text
    }

    fn access(&self, index: usize, loss: f64, delay_ms: f64) -> String {
        let kind = match self.choice.losses {
            AccessLosses::Independent => "bernoulli",
            AccessLosses::Correlated => "correlated",
        };
        format!(
            "[[link]]\nname = \"access-{index}\"\nrate = \"100 Mbit/s\"\ndelay = \"{delay_ms} ms\"\n\
             loss = {{ kind = \"{kind}\", probability = {loss:?}, at = \"entry\" }}\n"
        )
    }

    fn connection(&self) -> String {
        let paths = (1..=self.subflows.len()).map(|index| format!("\"subflow-{index}\""));
        format!(
            "[[flow]]\nname = \"multipath\"\nprotocol = \"tcp\"\npaths = [{}]\n[flow.tcp]\n{}\
             congestion_control = \"lia\"\nreceive_buffer = \"{} packets\"\nscheduler = \"round-robin\"\n\
             timeout_retransmission = \"both\"\n",
            paths.collect::<Vec<_>>().join(", "),
            self.settings(),
            self.buffer
        )
    }

    /// A TCP with an access link of its own that loses nothing.
    fn tcp(&self, bottleneck: usize) -> String {
        format!(
            "[[link]]\nname = \"tcp-{bottleneck}\"\nrate = \"100 Mbit/s\"\ndelay = \"10 ms\"\n\
             [[path]]\nname = \"beside-{bottleneck}\"\nlinks = [\"tcp-{bottleneck}\", \"B{bottleneck}\"]\n\
             [[flow]]\nname = \"tcp-{bottleneck}\"\nprotocol = \"tcp\"\npaths = [\"beside-{bottleneck}\"]\n\
             [flow.tcp]\n{}window = \"{} packets\"\n",
            self.settings(),
            self.choice.background
        )
    }

    fn settings(&self) -> String {
        let least = self.choice.least_timeout;
        format!("variant = \"sack\"\nack_every = 1\nmss = \"{PAYLOAD} B\"\nmin_rto = \"{least} s\"\n")
    }
}

/// The bottlenecks with a TCP beside the subflow.
const BESIDE: usize = 2;

/// A packet in bytes, and the user data in it.
pub(super) const PACKET: f64 = 592.0;
/// TCP's packets have 52 bytes of headers.
pub(super) const PAYLOAD: u32 = 540;

fn run(scale: StudyScale) -> &'static str {
    match scale {
        StudyScale::Full => "time = \"300 s\", warmup = \"20 s\"",
        StudyScale::Quick => "time = \"30 s\", warmup = \"2 s\"",
    }
}
