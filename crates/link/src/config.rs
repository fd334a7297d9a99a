//! The configuration of a link as plain values, and the tables of settings for it.

mod active_queues;
mod jitters;
mod losses;
mod queues;
mod settings;

pub use active_queues::{CoDelConfig, FqCoDelConfig, PieConfig, RedConfig, RedRule};
pub use jitters::JITTERS;
pub use losses::{LOSSES, PLANNED_LOSSES};
pub use queues::{PLANNED_QUEUES, QUEUES};
pub use settings::{MTU, loss_settings, mtu_of, mtu_value, settings};

use anabranch_base::{BitRate, ByteCount, Duration, Time};

use crate::chunk_kind::ChunkKind;
use crate::packet::Backlog;

/// One direction of a link (M-NET-1).
#[derive(Clone, Debug, PartialEq)]
pub struct LinkConfig {
    /// The rate at which it transmits.
    pub rate: Rate,
    /// The time a packet takes from the end of its transmission to its arrival.
    pub delay: Delay,
    /// By how much the delay of a packet differs.
    pub jitter: Jitter,
    /// True if jitter and a falling delay may let a packet overtake another.
    pub reorder: bool,
    /// Which packets it loses.
    pub loss: LossConfig,
    /// The queue of packets that wait while it transmits.
    pub queue: QueueConfig,
    /// The largest packet that it carries whole, including all headers; `None` for any size. Larger packets are lost
    /// without a report, except those that may be fragmented.
    pub mtu: Option<ByteCount>,
    /// The probability that a packet arrives twice.
    pub duplicate: f64,
    /// The probability that a packet arrives with a changed bit.
    pub corrupt: f64,
}

/// The rate at which a link transmits.
#[derive(Clone, Debug, PartialEq)]
pub enum Rate {
    /// Always the same.
    Fixed(BitRate),
    /// A new rate at each of these times; the first is at [`Time::ZERO`]. Rate zero stops the link.
    Steps(Vec<(Time, BitRate)>),
    /// Times at which a number of bytes may pass.
    Trace(Trace),
}

/// Delivery opportunities as Mahimahi records them: each carries [`Trace::OPPORTUNITY`] bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The name in its source; it has no effect.
    pub name: String,
    /// The times, in order, from the start of the trace.
    pub opportunities: Vec<Time>,
    /// True if it repeats after its last time; otherwise nothing is carried after that.
    pub repeat: bool,
}

/// The time a packet takes to propagate.
#[derive(Clone, Debug, PartialEq)]
pub enum Delay {
    /// Always the same.
    Fixed(Duration),
    /// A new delay at each of these times; the first is at [`Time::ZERO`].
    Steps(Vec<(Time, Duration)>),
}

/// By how much the delays of packets differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jitter {
    /// An additional delay of each packet after its transmission, drawn uniformly from nothing to this.
    Uniform(Duration),
    /// A delay of each packet that is drawn from a normal distribution with this deviation, whose mean is the link's
    /// delay; never less than none. Unless packets may overtake one another, a packet is delayed before its transmission,
    /// and the queue's limit counts all that are delayed, as those of the kernel's netem with a rate.
    Normal(Duration),
}

/// Which packets a link loses.
#[derive(Clone, Debug, PartialEq)]
pub struct LossConfig {
    /// The rule.
    pub kind: LossKind,
    /// Nothing is lost before this time.
    pub after: Time,
    /// True if packets are lost before the queue or after transmission.
    pub at: LossPlace,
}

/// The rule by which a link loses packets.
#[derive(Clone, Debug, PartialEq)]
pub enum LossKind {
    /// No packets.
    None,
    /// Each packet with the same probability, independently (M-NET-3).
    Bernoulli {
        /// The probability of a loss.
        probability: f64,
    },
    /// The first loss of a sender's round takes the rest of that round (M-NET-4).
    Correlated {
        /// The probability of a first loss.
        probability: f64,
    },
    /// A channel with exponential periods in a good and a bad state (M-NET-5).
    GilbertElliott {
        /// The mean period in the good state.
        good: Duration,
        /// The mean period in the bad state.
        bad: Duration,
        /// The loss probability if the channel is good during the whole transmission.
        loss_good: f64,
        /// The loss probability otherwise.
        loss_bad: f64,
        /// True if the direction has its own channel.
        channel: ChannelSharing,
    },
    /// The packets within these time spans; each includes its start and excludes its end.
    Outages(Vec<(Time, Time)>),
    /// After a first loss, all packets are lost for a time that is drawn uniformly up to `duration`.
    Burst {
        /// The probability of a first loss.
        probability: f64,
        /// The longest burst.
        duration: Duration,
    },
    /// Each n-th packet.
    Every(u64),
    /// These packets, counted from 1, in order.
    List(Vec<u64>),
    /// A share of the packets that carry an SCTP chunk, evenly spaced (M-NET-8).
    Chunk {
        /// The type of the chunk.
        kind: ChunkKind,
        /// The share, 0 to 1.
        share: f64,
    },
}

/// Which two-state channel a direction of a link uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelSharing {
    /// A queue of its own.
    Own,
    /// The channel of the forward direction: both directions are bad at the same time.
    Shared,
}

/// Where on the link packets are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossPlace {
    /// Before the queue: a lost packet does not use the link.
    Entry,
    /// After transmission: it has used the link.
    Exit,
}

/// The queue of packets that wait while a link transmits.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueConfig {
    /// First in, first out; a packet that finds the queue full is dropped (M-NET-2).
    DropTail(QueueLimit),
    /// Random early detection (M-RED-1).
    Red(RedConfig),
    /// Controlled delay (RFC 8289).
    CoDel(CoDelConfig),
    /// Proportional integral controller enhanced (RFC 8033).
    Pie(PieConfig),
    /// Flow queueing with controlled delay (RFC 8290).
    FqCoDel(FqCoDelConfig),
}

/// The amount a queue holds, without the packet in transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// A number of packets.
    Packets(u64),
    /// A number of bytes.
    Bytes(ByteCount),
}

/// A change of a link during a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// It carries packets again.
    Up,
    /// It loses the packets that wait, the packet in transmission and packets that arrive; packets in propagation
    /// still arrive.
    Down,
    /// Another rate, also for the rest of the packet in transmission.
    Rate(Rate),
    /// Another delay for packets whose transmission ends from now on.
    Delay(Delay),
    /// Other losses.
    Loss(LossConfig),
    /// Another size limit for packets that arrive from now on.
    Mtu(Option<ByteCount>),
}

impl QueueConfig {
    /// The capacity.
    pub fn limit(&self) -> QueueLimit {
        match self {
            QueueConfig::DropTail(limit) => *limit,
            QueueConfig::Red(config) => config.limit,
            QueueConfig::CoDel(config) => config.limit,
            QueueConfig::Pie(config) => config.limit,
            QueueConfig::FqCoDel(config) => config.limit,
        }
    }

    fn limit_mut(&mut self) -> &mut QueueLimit {
        match self {
            QueueConfig::DropTail(limit) => limit,
            QueueConfig::Red(config) => &mut config.limit,
            QueueConfig::CoDel(config) => &mut config.limit,
            QueueConfig::Pie(config) => &mut config.limit,
            QueueConfig::FqCoDel(config) => &mut config.limit,
        }
    }
}

impl QueueLimit {
    /// Returns true if a queue in which `backlog` waits has room for a packet of `size`.
    pub(crate) fn has_room(self, backlog: Backlog, size: ByteCount) -> bool {
        match self {
            QueueLimit::Packets(limit) => backlog.packets < limit,
            QueueLimit::Bytes(limit) => backlog.bytes + size <= limit,
        }
    }

    /// Returns true if more waits than the queue holds.
    pub(crate) fn is_exceeded(self, backlog: Backlog) -> bool {
        match self {
            QueueLimit::Packets(limit) => backlog.packets > limit,
            QueueLimit::Bytes(limit) => backlog.bytes > limit,
        }
    }
}

impl Trace {
    /// The bytes that one opportunity carries.
    pub const OPPORTUNITY: ByteCount = ByteCount::new(1504);
}

impl LossConfig {
    /// Nothing is lost.
    pub const NONE: LossConfig = LossConfig { kind: LossKind::None, after: Time::ZERO, at: LossPlace::Entry };
}

impl LossConfig {
    /// The long-term fraction of lost packets, 0 to 1. If it depends on the traffic, because a first loss causes
    /// others, it is the probability of a first loss, as in the models of M-NET-4. Outages and lists end, so in the
    /// long term they count as zero; so do losses of packets with a chunk, for most packets carry another.
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
            LossKind::None | LossKind::Outages(_) | LossKind::List(_) | LossKind::Chunk { .. } => 0.0,
        }
    }
}

impl Rate {
    /// The rate at the start; `None` for a trace, which has times and no rate.
    pub fn at_start(&self) -> Option<BitRate> {
        match self {
            Rate::Fixed(rate) => Some(*rate),
            Rate::Steps(steps) => steps.first().map(|(_, rate)| *rate),
            Rate::Trace(_) => None,
        }
    }
}

impl Jitter {
    /// Every packet takes the same time.
    pub const NONE: Jitter = Jitter::Uniform(Duration::ZERO);

    /// The same, where it is uniform with a greatest additional delay of at least `least`.
    #[must_use]
    pub fn at_least(self, least: Duration) -> Jitter {
        match self {
            Jitter::Uniform(most) => Jitter::Uniform(most.max(least)),
            Jitter::Normal(_) => self,
        }
    }

    /// Returns true if every packet takes the same time.
    pub fn is_none(self) -> bool {
        let (Jitter::Uniform(most) | Jitter::Normal(most)) = self;
        most.is_zero()
    }
}

impl Delay {
    /// The delay at the time `at`.
    #[inline]
    pub(crate) fn at(&self, at: Time) -> Duration {
        match self {
            Delay::Fixed(delay) => *delay,
            Delay::Steps(steps) => {
                let current = steps.partition_point(|step| step.0 <= at).saturating_sub(1);
                steps.get(current).map_or(Duration::ZERO, |step| step.1)
            }
        }
    }

    /// The delay at the start.
    pub fn at_start(&self) -> Duration {
        match self {
            Delay::Fixed(delay) => *delay,
            Delay::Steps(steps) => steps.first().map_or(Duration::ZERO, |(_, delay)| *delay),
        }
    }
}

impl LinkConfig {
    /// A link without jitter or loss, with a queue of 50 packets (the default of M-NET-2).
    pub fn new(rate: BitRate, delay: Duration) -> LinkConfig {
        LinkConfig {
            rate: Rate::Fixed(rate),
            delay: Delay::Fixed(delay),
            jitter: Jitter::NONE,
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
