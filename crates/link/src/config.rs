//! The configuration of a link as plain values, and the tables of settings for it.

mod losses;
mod queues;
mod settings;

pub use losses::{LOSSES, PLANNED_LOSSES};
pub use queues::{PLANNED_QUEUES, QUEUES};
pub use settings::{MTU, loss_settings, mtu_of, mtu_value, settings};

use anabranch_base::{BitRate, ByteCount, Duration, Time};

/// One direction of a link (M-NET-1).
#[derive(Clone, Debug, PartialEq)]
pub struct LinkConfig {
    /// How fast it transmits.
    pub rate: Rate,
    /// How long a packet is on its way after it was transmitted.
    pub delay: Delay,
    /// The largest additional delay of a packet, uniformly drawn.
    pub jitter: Duration,
    /// Whether jitter and a falling delay may let a packet overtake another.
    pub reorder: bool,
    /// What it loses.
    pub loss: LossConfig,
    /// What waits while it transmits.
    pub queue: QueueConfig,
    /// The largest packet that it carries whole, all headers included; `None` for any. Larger ones are lost without a
    /// word, but for those that may be fragmented.
    pub mtu: Option<ByteCount>,
    /// The probability that a packet arrives twice.
    pub duplicate: f64,
    /// The probability that a packet arrives with a bit turned over.
    pub corrupt: f64,
}

/// How fast a link transmits.
#[derive(Clone, Debug, PartialEq)]
pub enum Rate {
    /// Always the same.
    Fixed(BitRate),
    /// From each moment on another one; the first is at [`Time::ZERO`]. Rate zero stops the link.
    Steps(Vec<(Time, BitRate)>),
    /// Times at which a number of bytes may pass.
    Trace(Trace),
}

/// Delivery opportunities as Mahimahi records them: each lets [`Trace::OPPORTUNITY`] bytes pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// What it is called where it was found; nothing follows from it.
    pub name: String,
    /// When, in order, from the start of the trace.
    pub opportunities: Vec<Time>,
    /// Whether it repeats after its last time; otherwise nothing passes after it.
    pub repeat: bool,
}

/// How long a packet is on its way.
#[derive(Clone, Debug, PartialEq)]
pub enum Delay {
    /// Always the same.
    Fixed(Duration),
    /// From each moment on another one; the first is at [`Time::ZERO`].
    Steps(Vec<(Time, Duration)>),
}

/// What a link loses.
#[derive(Clone, Debug, PartialEq)]
pub struct LossConfig {
    /// By which rule.
    pub kind: LossKind,
    /// Nothing is lost before this moment.
    pub after: Time,
    /// Before the queue or after transmission.
    pub at: LossPlace,
}

/// By which rule a link loses packets.
#[derive(Clone, Debug, PartialEq)]
pub enum LossKind {
    /// None.
    None,
    /// Each with the same probability, independently (M-NET-3).
    Bernoulli {
        /// That of a loss.
        probability: f64,
    },
    /// The first loss of a sender's round takes the rest of that round (M-NET-4).
    Correlated {
        /// That of a first loss.
        probability: f64,
    },
    /// A channel with exponential sojourns in a good and a bad state (M-NET-5).
    GilbertElliott {
        /// The mean sojourn in the good state.
        good: Duration,
        /// The mean sojourn in the bad state.
        bad: Duration,
        /// The loss probability while the channel is good during all of the transmission.
        loss_good: f64,
        /// The loss probability otherwise.
        loss_bad: f64,
        /// Whose channel it is.
        channel: ChannelSharing,
    },
    /// All packets within these spans, each from its first moment to before its second.
    Outages(Vec<(Time, Time)>),
    /// Once one is lost, all are for a share of `duration`, uniformly drawn.
    Burst {
        /// That of a first loss.
        probability: f64,
        /// The longest burst.
        duration: Duration,
    },
    /// Each n-th packet.
    Every(u64),
    /// These packets, counted from 1, in order.
    List(Vec<u64>),
}

/// Whose two-state channel a direction of a link sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelSharing {
    /// Its own.
    Own,
    /// The forward direction's: both are bad at the same time.
    Shared,
}

/// Where on the link packets are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossPlace {
    /// Before the queue: a lost packet uses no bandwidth.
    Entry,
    /// After transmission: it has used the link.
    Exit,
}

/// What waits while a link transmits.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueConfig {
    /// First in, first out; what finds it full is dropped (M-NET-2).
    DropTail(QueueLimit),
}

/// How much a queue holds, the packet being sent not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// A number of packets.
    Packets(u64),
    /// A number of bytes.
    Bytes(ByteCount),
}

/// What can happen to a link while it runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// It carries packets again.
    Up,
    /// It loses what waits, what is being transmitted and what comes; what is on its way still arrives.
    Down,
    /// Another rate, also for the rest of the packet being transmitted.
    Rate(Rate),
    /// Another delay for packets whose transmission ends from now on.
    Delay(Delay),
    /// Other losses.
    Loss(LossConfig),
    /// Another limit for packets that come from now on.
    Mtu(Option<ByteCount>),
}

impl Trace {
    /// What one opportunity lets pass.
    pub const OPPORTUNITY: ByteCount = ByteCount::new(1504);
}

impl LossConfig {
    /// Nothing is lost.
    pub const NONE: LossConfig = LossConfig { kind: LossKind::None, after: Time::ZERO, at: LossPlace::Entry };
}

impl LossConfig {
    /// The share of packets that is lost in the long run, 0 to 1. Where it depends on the traffic, because a first loss
    /// takes others with it, it is the probability of a first loss, as the models of M-NET-4 take it. Outages and
    /// lists come to an end: in the long run they are nothing.
    pub fn mean(&self) -> f64 {
        match self.kind {
            LossKind::Bernoulli { probability }
            | LossKind::Correlated { probability }
            | LossKind::Burst { probability, .. } => probability,
            LossKind::GilbertElliott { good, bad, loss_good, loss_bad, .. } => {
                let (good, bad) = (good.as_nanos() as f64, bad.as_nanos() as f64);
                (good * loss_good + bad * loss_bad) / (good + bad)
            }
            LossKind::Every(n) => 1.0 / n as f64,
            LossKind::None | LossKind::Outages(_) | LossKind::List(_) => 0.0,
        }
    }
}

impl Rate {
    /// The rate at the start; `None` for a trace, which has moments and no rate.
    pub fn at_start(&self) -> Option<BitRate> {
        match self {
            Rate::Fixed(rate) => Some(*rate),
            Rate::Steps(steps) => steps.first().map(|(_, rate)| *rate),
            Rate::Trace(_) => None,
        }
    }
}

impl Delay {
    /// The delay at the start.
    pub fn at_start(&self) -> Duration {
        match self {
            Delay::Fixed(delay) => *delay,
            Delay::Steps(steps) => steps.first().map_or(Duration::ZERO, |(_, delay)| *delay),
        }
    }
}

impl LinkConfig {
    /// A link without jitter or loss that holds 50 packets (M-NET-2's default).
    pub fn new(rate: BitRate, delay: Duration) -> LinkConfig {
        LinkConfig {
            rate: Rate::Fixed(rate),
            delay: Delay::Fixed(delay),
            jitter: Duration::ZERO,
            reorder: false,
            loss: LossConfig::NONE,
            queue: QueueConfig::DropTail(queues::DEFAULT_LIMIT),
            mtu: None,
            duplicate: 0.0,
            corrupt: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(kind: LossKind) -> f64 {
        LossConfig { kind, ..LossConfig::NONE }.mean()
    }

    #[test]
    fn the_mean_loss_of_a_two_state_channel_weighs_its_states_by_their_sojourns() {
        let channel = |loss_bad| LossKind::GilbertElliott {
            good: Duration::from_millis(300),
            bad: Duration::from_millis(100),
            loss_good: 0.25,
            loss_bad,
            channel: ChannelSharing::Own,
        };
        assert_eq!(mean(channel(1.0)), 0.4375);
        assert_eq!(mean(channel(0.25)), 0.25);
    }

    #[test]
    fn the_mean_loss_is_what_a_rule_says_in_the_long_run() {
        assert_eq!(mean(LossKind::None), 0.0);
        assert_eq!(mean(LossKind::Bernoulli { probability: 0.01 }), 0.01);
        assert_eq!(mean(LossKind::Every(8)), 0.125);
        assert_eq!(mean(LossKind::List(vec![1, 2, 3])), 0.0);
    }
}
