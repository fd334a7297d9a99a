//! Which association speaks by which channel. It knows their numbers; what keeps a channel to two ends is the
//! driver's business.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::AssociationId;

/// By what a packet comes and goes: the driver's number for a peer whose packets it authenticates, below SCTP.
///
/// An association speaks by the channel in which it was opened and by no other: whoever has a channel of its own
/// can neither add to the associations of others nor end them, whatever tags and addresses it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Channel(u64);

/// What a driver is told of its channels, so that it may forget those that nobody uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelUse {
    /// An association speaks by it.
    Taken(Channel),
    /// That association is gone. Answers to what still comes for it leave by the channel as before.
    Released(Channel),
}

/// The channels of an endpoint's associations.
#[derive(Debug, Default)]
pub(super) struct Channels {
    /// Those that are not plain.
    of: BTreeMap<AssociationId, Channel>,
    /// The same the other way round.
    speakers: BTreeSet<(Channel, AssociationId)>,
    news: VecDeque<ChannelUse>,
}

impl Channel {
    /// Nobody authenticates anything: tags and cookies are all there is (RFC 9260).
    pub const PLAIN: Channel = Channel(0);

    /// The channel of this number; 0 is [`Channel::PLAIN`].
    pub const fn new(number: u64) -> Channel {
        Channel(number)
    }

    /// Its number.
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl Channels {
    /// The association speaks by `channel` from now on.
    pub fn bind(&mut self, id: AssociationId, channel: Channel) {
        if channel != Channel::PLAIN {
            self.of.insert(id, channel);
            self.speakers.insert((channel, id));
            self.news.push_back(ChannelUse::Taken(channel));
        }
    }

    /// The association is gone.
    pub fn release(&mut self, id: AssociationId) {
        if let Some(channel) = self.of.remove(&id) {
            self.speakers.remove(&(channel, id));
            self.news.push_back(ChannelUse::Released(channel));
        }
    }

    /// What the driver has not been told yet.
    pub fn poll(&mut self) -> Option<ChannelUse> {
        self.news.pop_front()
    }

    /// The associations that speak by `channel`, which is not the plain one.
    pub fn speakers(&self, channel: Channel) -> impl Iterator<Item = AssociationId> {
        let speakers = self.speakers.range((channel, AssociationId::FIRST)..);
        speakers.take_while(move |speaker| speaker.0 == channel).map(|speaker| speaker.1)
    }

    /// The channel of an association.
    pub fn of(&self, id: AssociationId) -> Channel {
        self.of.get(&id).copied().unwrap_or(Channel::PLAIN)
    }
}
