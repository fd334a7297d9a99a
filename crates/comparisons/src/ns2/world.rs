//! The scenario that corresponds to a row of the tables: ns-2's parameters as our settings.
//!
//! Every association of the comparison has exactly the same five settings beside those that the rows themselves name:
//! `scheduler = "fill"`, `max_burst.rule = "after-retransmission"`, and chunks as the measure of all windows.

use std::fmt::Write;

/// A path of one link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pipe {
    /// Mbit/s; a path with 0 does not exist.
    pub rate: f64,
    /// Milliseconds, one way.
    pub delay: f64,
    /// Packets that may wait.
    pub queue: u32,
    /// The probability of loss in the data's direction, and in that of the acknowledgements.
    pub loss: [f64; 2],
    /// The longest burst of losses in milliseconds, where losses come in bursts.
    pub burst: Option<f64>,
}

/// Which rules the sender has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// One association over all paths, with these rules of CMT on or off: split fast retransmit, window update, delayed
    /// ack.
    Cmt([bool; 3]),
    /// An association on each path.
    AppStripe,
    /// Standard SCTP on one path.
    Plain,
}

/// The settings of an association that the rows choose.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AssociationSettings {
    /// The scheme that uses the paths.
    pub scheme: Scheme,
    /// Which of the rules in which ns-2's CMT differs replace ours, by their numbers in docs/oracle.md.
    pub ns2_rules: Vec<u32>,
    /// Where lost chunks go.
    pub retransmission: Retransmission,
    /// The number of missing reports make a chunk lost.
    pub missing_reports: u8,
    /// The least ssthresh after a loss, in chunks.
    pub window_floor: u32,
    /// Bytes.
    pub initial_ssthresh: u64,
    /// Bytes.
    pub receive_buffer: u64,
    /// The number of packets that a SACK answers.
    pub sack_every: u32,
    /// Seconds.
    pub min_rto: f64,
}

/// ns-2's `eCmtRtxPolicy_`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Retransmission {
    /// 0: where there is room.
    Asap,
    /// 1: the same path.
    Same,
    /// 2: the largest ssthresh.
    Ssthresh,
    /// 3: the lowest loss rate, as configured.
    LossRate,
    /// 4: the largest cwnd.
    Cwnd,
}

/// The time a flow sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SendingTime {
    /// Until `bytes` are delivered, within `at_most` seconds; goodput counts after the warm-up.
    Transfer {
        /// The amount.
        bytes: u64,
        /// Seconds.
        at_most: f64,
        /// Seconds.
        warmup: f64,
    },
    /// For `seconds` seconds; goodput counts after the warm-up.
    Time {
        seconds: f64,
        /// Seconds.
        warmup: f64,
    },
}

/// Two paths of three links each: outer ones that are alike, and a middle one, which the paths may have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Chains {
    /// The first and the last link of each path.
    pub outer: Pipe,
    /// The link between them.
    pub middle: Pipe,
    /// True if it is one link.
    pub is_shared: bool,
}

/// The scenario file for these parameters. Losses begin after `after` milliseconds.
pub(super) fn scenario(
    pipes: &[Pipe],
    after: f64,
    association: &AssociationSettings,
    work: SendingTime,
) -> String {
    let existing = pipes.iter().enumerate().filter(|(_, pipe)| pipe.rate > 0.0);
    let links: String = existing.map(|(index, pipe)| pipe.link(&format!("{}", index + 1), after)).collect();
    with_work(&links, association, work)
}

impl Chains {
    /// The scenario file for these parameters. Losses begin after `after` milliseconds.
    pub(super) fn scenario(
        &self,
        after: f64,
        association: &AssociationSettings,
        work: SendingTime,
    ) -> String {
        let middles = if self.is_shared { ["middle", "middle"] } else { ["middle-1", "middle-2"] };
        let mut text = String::new();
        let mut paths = String::new();
        for (number, middle) in (1..).zip(middles) {
            let names = [format!("out-{number}"), middle.to_owned(), format!("in-{number}")];
            text += &self.outer.link(&names[0], after);
            text += &self.outer.link(&names[2], after);
            if number == 1 || !self.is_shared {
                text += &self.middle.link(middle, after);
            }
            let _ = write!(paths, "[[path]]\nname = \"{number}\"\nlinks = {names:?}\n");
        }
        with_work(&(text + &paths), association, work)
    }
}

impl Pipe {
    fn link(&self, name: &str, after: f64) -> String {
        let Pipe { rate, delay, queue, loss: [forward, reverse], burst } = *self;
        format!(
            "[[link]]\nname = \"{name}\"\nrate = \"{rate} Mbit/s\"\ndelay = \"{delay} ms\"\n\
             queue = \"{queue} packets\"\nloss = {}\nreverse = {{ loss = {} }}\n",
            loss(forward, burst, after),
            loss(reverse, None, after),
        )
    }
}

/// The scenario file with these links and paths.
fn with_work(links: &str, association: &AssociationSettings, work: SendingTime) -> String {
    let (time, warmup, transfer) = match work {
        SendingTime::Transfer { bytes, at_most, warmup } => {
            (at_most, warmup, format!("transfer = \"{bytes} B\"\n"))
        }
        SendingTime::Time { seconds, warmup } => (seconds, warmup, String::new()),
    };
    format!(
        "[run]\ntime = \"{time} s\"\nwarmup = \"{warmup} s\"\n{links}[[flow]]\n{transfer}{}",
        sctp(association)
    )
}

fn loss(probability: f64, burst: Option<f64>, after: f64) -> String {
    match burst {
        _ if probability == 0.0 => "0.0".to_owned(),
        None => format!(r#"{{ kind = "bernoulli", probability = {probability:?}, after = "{after} ms" }}"#),
        Some(burst) => format!(
            r#"{{ kind = "burst", probability = {probability:?}, duration = "{burst:.6} ms", after = "{after} ms" }}"#
        ),
    }
}

fn sctp(association: &AssociationSettings) -> String {
    let AssociationSettings {
        missing_reports,
        window_floor,
        initial_ssthresh,
        receive_buffer,
        ns2_rules,
        ..
    } = association;
    let (multipath, rules) = match association.scheme {
        Scheme::Cmt(rules) => ("cmt", Some(rules)),
        Scheme::AppStripe => ("appstripe", None),
        Scheme::Plain => ("off", None),
    };
    let theirs = match &ns2_rules[..] {
        [] => String::new(),
        numbers => format!(", ns2_rules = {numbers:?}"),
    };
    let rules = rules.map_or(String::new(), |[split, update, delayed]| {
        format!(
            "cmt = {{ split_fast_retransmit = {split}, window_update = {update}, delayed_ack = {delayed}{theirs} }}\n"
        )
    });
    format!(
        r#"[flow.sctp]
profile = "rfc4960"
scheduler = "fill"
max_burst = {{ packets = 4, rule = "after-retransmission" }}
charge = "chunk"
unit = "pmdcs"
rwnd_charge = "chunk"
multipath = "{multipath}"
{rules}retransmission = "{}"
missing_reports = {missing_reports}
window_floor = {window_floor}
initial_ssthresh = "{initial_ssthresh} B"
receive_buffer = "{receive_buffer} B"
send_buffer = "64 MiB"
sack = {{ every = {} }}
rto = {{ initial = "3 s", min = "{} s", max = "60 s" }}
"#,
        association.retransmission.word(),
        association.sack_every,
        association.min_rto,
    )
}

impl Retransmission {
    /// The policy with ns-2's number.
    pub(super) fn of_number(number: u8) -> Option<Retransmission> {
        use Retransmission::{Asap, Cwnd, LossRate, Same, Ssthresh};
        [Asap, Same, Ssthresh, LossRate, Cwnd].get(usize::from(number)).copied()
    }

    fn word(self) -> &'static str {
        match self {
            Retransmission::Asap => "asap",
            Retransmission::Same => "same",
            Retransmission::Ssthresh => "ssthresh",
            Retransmission::LossRate => "lossrate=oracle",
            Retransmission::Cwnd => "cwnd",
        }
    }
}
