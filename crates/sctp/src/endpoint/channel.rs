//! Maps associations to channels. The driver guarantees that a channel has only two ends.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::AssociationId;

/// A number for a peer whose packets the driver authenticates below SCTP.
///
/// An association uses only the channel in which it was opened. A peer with another channel can neither add data to
/// the association nor end it, even with the right tags and addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Channel(u64);

/// Reports the use of a channel to its driver, which may drop unused channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelUse {
    /// An association uses the channel.
    Taken(Channel),
    /// That association was removed. Answers to late packets are still sent on the channel.
    Released(Channel),
}

/// The channels of an endpoint's associations.
#[derive(Debug, Default)]
pub(super) struct Channels {
    /// The channels, except the plain one.
    of: BTreeMap<AssociationId, Channel>,
    /// The same entries, ordered by channel.
    by_channel: BTreeSet<(Channel, AssociationId)>,
    news: VecDeque<ChannelUse>,
}

impl Channel {
    /// No authentication below SCTP: only tags and cookies protect (RFC 9260).
    pub const PLAIN: Channel = Channel(0);

    /// The channel with this number; 0 is [`Channel::PLAIN`].
    pub const fn new(number: u64) -> Channel {
        Channel(number)
    }

    /// The number.
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl Channels {
    /// Notes that association `id` uses `channel` from now on.
    pub(super) fn bind(&mut self, id: AssociationId, channel: Channel) {
        if channel != Channel::PLAIN {
            self.of.insert(id, channel);
            self.by_channel.insert((channel, id));
            self.news.push_back(ChannelUse::Taken(channel));
        }
    }

    /// Association `id` was removed.
    pub(super) fn release(&mut self, id: AssociationId) {
        if let Some(channel) = self.of.remove(&id) {
            self.by_channel.remove(&(channel, id));
            self.news.push_back(ChannelUse::Released(channel));
        }
    }

    /// The next report for the driver.
    pub(super) fn poll(&mut self) -> Option<ChannelUse> {
        self.news.pop_front()
    }

    /// The associations that use `channel`, which is not the plain one.
    pub(super) fn associations(&self, channel: Channel) -> impl Iterator<Item = AssociationId> {
        let entries = self.by_channel.range((channel, AssociationId::FIRST)..);
        entries.take_while(move |entry| entry.0 == channel).map(|entry| entry.1)
    }

    /// The channel of association `id`.
    pub(super) fn of(&self, id: AssociationId) -> Channel {
        self.of.get(&id).copied().unwrap_or(Channel::PLAIN)
    }
}
