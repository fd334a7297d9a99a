//! Which packets a link loses, one rule in each file. A rule sees times, sizes, rounds and
//! contents of packets; the link decides at which point it calls the rule.

mod bernoulli;
mod burst;
mod chunk;
mod correlated;
mod counted;
mod gilbert_elliott;
mod outages;

use std::fmt::Debug;
use std::ops::Range;

use anabranch_base::{ByteCount, Duration, Seed, Time};

use crate::config::{ChannelSharing, LossKind};
use crate::packet::Payload;
use crate::random::Random;

/// The view that a loss rule has of a packet.
#[derive(Clone, Copy, Debug)]
pub struct PacketInfo<'p> {
    /// The size, including all headers.
    pub size: ByteCount,
    /// The content.
    pub load: &'p dyn Payload,
}

/// A rule by which packets are lost. It is called once for every packet, in the order of their transmission.
pub trait LossModel: Debug + Send {
    /// Returns true if the packet is lost. `sent` is the time of its transmission. If packets are lost before the queue,
    /// `sent` is empty and begins when the packet arrives.
    fn loses(&mut self, sent: Range<Time>, packet: &PacketInfo<'_>) -> bool;
}

/// The seeds from which a rule may draw.
#[derive(Clone, Debug)]
pub struct LossSeeds {
    /// The seed of this rule only.
    pub own: Seed,
    /// The seed of this direction's two-state channel.
    pub channel: Seed,
    /// The seed of the forward direction's two-state channel.
    pub forward_channel: Seed,
}

/// The rule for `kind`; `None` if nothing is lost.
pub fn build(kind: &LossKind, seeds: &LossSeeds) -> Option<Box<dyn LossModel>> {
    let random = Random::new(&seeds.own);
    Some(match kind {
        LossKind::None => return None,
        LossKind::Bernoulli { probability } => Box::new(bernoulli::Bernoulli::new(*probability, random)),
        LossKind::Correlated { probability } => Box::new(correlated::Correlated::new(*probability, random)),
        LossKind::GilbertElliott { good, bad, loss_good, loss_bad, channel } => {
            let channel = two_states(*good, *bad, *channel, seeds);
            Box::new(gilbert_elliott::GilbertElliott::new(channel, *loss_good, *loss_bad, random))
        }
        LossKind::Outages(spans) => Box::new(outages::Outages::new(spans.clone())),
        LossKind::Burst { probability, duration } => {
            Box::new(burst::Burst::new(*probability, *duration, random))
        }
        LossKind::Every(n) => Box::new(counted::Every::new(*n)),
        LossKind::List(numbers) => Box::new(counted::List::new(numbers.clone())),
        LossKind::Chunk { kind, share } => Box::new(chunk::ShareOfChunks::new(*kind, *share)),
    })
}

/// When the rule for `kind` is in its bad state, or loses everything by an outage, before `end`: at most `most` periods.
pub(crate) fn bad_periods(kind: &LossKind, seeds: &LossSeeds, end: Time, most: usize) -> Vec<(Time, Time)> {
    match kind {
        LossKind::GilbertElliott { good, bad, channel, .. } => {
            two_states(*good, *bad, *channel, seeds).bad_periods(end, most)
        }
        LossKind::Outages(spans) => {
            spans.iter().copied().take_while(|(from, _)| *from < end).take(most).collect()
        }
        _ => Vec::new(),
    }
}

fn two_states(
    good: Duration,
    bad: Duration,
    channel: ChannelSharing,
    seeds: &LossSeeds,
) -> gilbert_elliott::TwoStates {
    let seed = match channel {
        ChannelSharing::Own => &seeds.channel,
        ChannelSharing::Shared => &seeds.forward_channel,
    };
    gilbert_elliott::TwoStates::new(good, bad, Random::new(seed))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::packet::Round;

    /// The content of a packet in the round with this number of the first window.
    #[derive(Debug)]
    pub(crate) struct InRound(pub u64);

    impl Payload for InRound {
        fn round(&self) -> Option<Round> {
            Some(Round { window: 0, number: self.0 })
        }
    }

    /// A packet of 1,500 bytes with this content.
    pub(crate) fn info(load: &dyn Payload) -> PacketInfo<'_> {
        PacketInfo { size: ByteCount::new(1500), load }
    }

    /// Returns true if the rule loses each of `count` packets that arrive a millisecond apart.
    pub(crate) fn losses(rule: &mut dyn LossModel, count: u64) -> Vec<bool> {
        let at = |index| Time::ZERO + anabranch_base::Duration::from_millis(index);
        (0..count).map(|index| rule.loses(at(index)..at(index), &info(&InRound(0)))).collect()
    }

    /// The random stream of the tests.
    pub(crate) fn random() -> Random {
        Random::new(&Seed::from_number(1))
    }
}
