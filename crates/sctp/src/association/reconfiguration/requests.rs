//! This end's requests: what is wished for, and the one request that is under way. "At any given time, there MUST NOT be
//! more than one request in flight" (RFC 6525 §5.1.1).

use super::encoded::EncodedReConfig;
use crate::event::StreamChange;
use crate::policy::PathId;
use crate::seq::Tsn;
use crate::wire::{ReConfig, ReConfigParameter, StreamSet};

/// The requests of this end.
#[derive(Debug)]
pub(crate) struct Requests {
    /// The number of the next request.
    next: Tsn,
    outstanding: Option<Outstanding>,
    /// The outgoing streams that will be reset.
    outgoing: StreamSet,
    /// The incoming streams whose reset will be requested.
    incoming: StreamSet,
    /// True if the association will be reset.
    association: bool,
    /// The numbers of streams to add: outgoing, and incoming.
    additions: (u16, u16),
}

/// The request that is under way.
#[derive(Clone, Debug)]
pub(crate) struct Outstanding {
    /// The number of the request.
    pub number: Tsn,
    /// The change that it requests.
    pub change: StreamChange,
    /// The streams that it resets.
    pub streams: StreamSet,
    /// The path on which it was last sent.
    pub path: PathId,
    /// The peer's request that it answers, or that its own answer will.
    pub answered: Option<Tsn>,
    /// True if the peer carries it out later.
    pub is_in_progress: bool,
    chunk: EncodedReConfig,
}

/// The wishes that may be requested now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ready {
    /// The messages before the reset of outgoing streams were sent, up to this TSN.
    pub outgoing: Option<Tsn>,
    /// True if all data is acknowledged.
    pub association: bool,
}

impl Outstanding {
    /// The chunk.
    pub(crate) fn chunk(&self) -> EncodedReConfig {
        self.chunk.clone()
    }

    /// Returns true if it resets the association.
    pub(crate) fn is_association(&self) -> bool {
        self.change == StreamChange::ResetAssociation
    }
}

impl Requests {
    /// No requests; the first one will have the number `first`.
    pub(super) fn new(first: Tsn) -> Requests {
        let (outgoing, incoming) = Default::default();
        Requests { next: first, outstanding: None, outgoing, incoming, association: false, additions: (0, 0) }
    }

    /// Wishes to reset outgoing streams.
    pub(crate) fn wish_outgoing(&mut self, streams: &StreamSet) {
        self.outgoing.add(streams);
    }

    /// Wishes that the peer resets streams.
    pub(crate) fn wish_incoming(&mut self, streams: &StreamSet) {
        self.incoming.add(streams);
    }

    /// Wishes to reset the association.
    pub(crate) fn wish_association(&mut self) {
        self.association = true;
    }

    /// Wishes for so many more outgoing and incoming streams.
    pub(crate) fn wish_streams(&mut self, outgoing: u16, incoming: u16) {
        let (more, back) = &mut self.additions;
        *more = more.saturating_add(outgoing);
        *back = back.saturating_add(incoming);
    }

    /// Begins the next request that may be sent, on `path`. A reset of outgoing streams answers the request `answers`.
    pub(crate) fn begin(&mut self, path: PathId, ready: Ready, answers: Tsn) -> Option<EncodedReConfig> {
        if self.outstanding.is_some() {
            return None;
        }
        let (change, streams) = self.take_next(ready)?;
        let request = self.next;
        let listed = streams.to_list();
        let parameter = match change {
            StreamChange::ResetOutgoing(_) => ReConfigParameter::ResetOutgoing {
                request,
                response: answers,
                last_tsn: ready.outgoing?,
                streams: listed[..].into(),
            },
            StreamChange::ResetIncoming(_) => {
                ReConfigParameter::ResetIncoming { request, streams: listed[..].into() }
            }
            StreamChange::ResetAssociation => ReConfigParameter::ResetAssociation { request },
            StreamChange::AddOutgoing(count) => ReConfigParameter::AddOutgoing { request, count },
            StreamChange::AddIncoming(count) => ReConfigParameter::AddIncoming { request, count },
        };
        let chunk = EncodedReConfig::new(&ReConfig::of(parameter));
        self.next = request.next();
        let (number, answered, is_in_progress) = (request, None, false);
        self.outstanding = Some(Outstanding {
            number,
            change,
            streams,
            path,
            answered,
            is_in_progress,
            chunk: chunk.clone(),
        });
        Some(chunk)
    }

    /// Takes the outstanding request: it is answered.
    pub(crate) fn take_outstanding(&mut self) -> Option<Outstanding> {
        self.outstanding.take()
    }

    /// Notes that the outstanding request answers the peer's request `number`.
    pub(crate) fn set_answered(&mut self, number: Option<Tsn>) {
        if let Some(outstanding) = &mut self.outstanding {
            outstanding.answered = number;
        }
    }

    /// Returns true if the outstanding request answers the peer's request `number`.
    pub(crate) fn answers(&self, number: Tsn) -> bool {
        self.outstanding.as_ref().is_some_and(|outstanding| outstanding.answered == Some(number))
    }

    /// The outstanding request.
    pub(crate) fn outstanding(&self) -> Option<&Outstanding> {
        self.outstanding.as_ref()
    }

    /// The outstanding request, mutable.
    pub(crate) fn outstanding_mut(&mut self) -> Option<&mut Outstanding> {
        self.outstanding.as_mut()
    }

    /// Drops all wishes and the outstanding request.
    pub(crate) fn clear(&mut self) {
        *self = Requests::new(self.next);
    }

    /// The outgoing streams that will be reset.
    pub(crate) fn outgoing(&self) -> &StreamSet {
        &self.outgoing
    }

    /// The outgoing streams of the request that is under way.
    pub(crate) fn outgoing_under_way(&self) -> Option<&StreamSet> {
        let is_outgoing = |change: &StreamChange| matches!(change, StreamChange::ResetOutgoing(_));
        self.outstanding.as_ref().filter(|one| is_outgoing(&one.change)).map(|one| &one.streams)
    }

    /// The outgoing streams that are being reset, or will be: their messages wait.
    pub(crate) fn held(&self) -> StreamSet {
        if self.is_resetting_association() {
            return StreamSet::all();
        }
        let mut held = self.outgoing.clone();
        held.add(self.outgoing_under_way().unwrap_or(&StreamSet::default()));
        held
    }

    /// Returns true if one of these outgoing streams is being reset, or will be.
    pub(crate) fn is_resetting(&self, streams: &StreamSet) -> bool {
        let is_under_way = self.outgoing_under_way().is_some_and(|under_way| under_way.meets(streams));
        self.outgoing.meets(streams) || is_under_way || self.is_resetting_association()
    }

    /// Returns true if the reset of one of these incoming streams is requested, or will be.
    pub(crate) fn is_requesting(&self, streams: &StreamSet) -> bool {
        let is_incoming = |one: &&Outstanding| matches!(one.change, StreamChange::ResetIncoming(_));
        let under_way = self.outstanding.as_ref().filter(is_incoming);
        self.incoming.meets(streams) || under_way.is_some_and(|one| one.streams.meets(streams))
    }

    /// Returns true if the association is being reset by this end, or will be.
    pub(crate) fn is_resetting_association(&self) -> bool {
        self.association || self.outstanding.as_ref().is_some_and(Outstanding::is_association)
    }

    /// The streams that are being added, or will be: outgoing, and incoming.
    pub(crate) fn additions(&self) -> (u32, u32) {
        let (outgoing, incoming) = self.additions;
        let (more, back) = match self.outstanding.as_ref().map(|one| &one.change) {
            Some(StreamChange::AddOutgoing(count)) => (*count, 0),
            Some(StreamChange::AddIncoming(count)) => (0, *count),
            _ => (0, 0),
        };
        (u32::from(outgoing) + u32::from(more), u32::from(incoming) + u32::from(back))
    }

    /// Returns true if nothing is wished for that is not under way.
    pub(crate) fn has_no_wish(&self) -> bool {
        let has_resets = !self.outgoing.is_empty() || !self.incoming.is_empty() || self.association;
        !has_resets && self.additions == (0, 0)
    }

    /// Takes the next wish that may be requested, and its streams.
    fn take_next(&mut self, ready: Ready) -> Option<(StreamChange, StreamSet)> {
        if !self.outgoing.is_empty() && ready.outgoing.is_some() {
            let streams = self.outgoing.take_some(MOST_STREAMS);
            return Some((StreamChange::ResetOutgoing(streams.to_list()), streams));
        }
        if !self.incoming.is_empty() {
            let streams = self.incoming.take_some(MOST_STREAMS);
            return Some((StreamChange::ResetIncoming(streams.to_list()), streams));
        }
        let (outgoing, incoming) = &mut self.additions;
        let change = if *outgoing > 0 {
            StreamChange::AddOutgoing(std::mem::take(outgoing))
        } else if *incoming > 0 {
            StreamChange::AddIncoming(std::mem::take(incoming))
        } else if self.association && ready.association {
            self.association = false;
            StreamChange::ResetAssociation
        } else {
            return None;
        };
        Some((change, StreamSet::default()))
    }
}

/// The streams of one request: it fits a packet that every network carries.
const MOST_STREAMS: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::StreamId;

    fn set(streams: impl Iterator<Item = u16>) -> StreamSet {
        StreamSet::of_list(streams.map(StreamId::new))
    }

    fn begin(requests: &mut Requests, outgoing: Option<u32>, association: bool) -> Option<StreamChange> {
        let ready = Ready { outgoing: outgoing.map(Tsn::new), association };
        requests.begin(PathId::FIRST, ready, Tsn::new(3))?;
        requests.outstanding().map(|outstanding| outstanding.change.clone())
    }

    #[test]
    fn one_request_is_under_way_at_a_time_and_wishes_are_batched() {
        let mut requests = Requests::new(Tsn::new(u32::MAX));
        requests.wish_outgoing(&set(3..4));
        requests.wish_outgoing(&set(1..2));
        assert_eq!(begin(&mut requests, None, false), None, "its messages were not sent");
        let listed = [1, 3].map(StreamId::new).to_vec();
        assert_eq!(begin(&mut requests, Some(9), false), Some(StreamChange::ResetOutgoing(listed)));
        assert!(requests.is_resetting(&set(3..4)) && !requests.is_resetting(&set(2..3)));
        requests.wish_incoming(&set(7..8));
        assert_eq!(
            requests.begin(PathId::FIRST, Ready { outgoing: None, association: true }, Tsn::new(0)),
            None
        );
        assert_eq!(requests.take_outstanding().map(|one| one.number), Some(Tsn::new(u32::MAX)));
        assert!(begin(&mut requests, None, true).is_some() && requests.has_no_wish());
        assert_eq!(requests.take_outstanding().map(|one| one.number), Some(Tsn::new(0)), "numbers wrap");
    }

    #[test]
    fn many_streams_are_several_requests() {
        let mut requests = Requests::new(Tsn::new(1));
        requests.wish_outgoing(&set(0..500));
        for (number, count) in [(1, 200), (2, 200), (3, 100)] {
            let Some(StreamChange::ResetOutgoing(streams)) = begin(&mut requests, Some(0), false) else {
                panic!("there is no request {number}")
            };
            assert_eq!(streams.len(), count);
            assert_eq!(requests.take_outstanding().map(|one| one.number), Some(Tsn::new(number)));
        }
        assert!(requests.has_no_wish());
    }

    #[test]
    fn additions_are_summed_and_the_association_is_last() {
        let mut requests = Requests::new(Tsn::new(1));
        requests.wish_association();
        requests.wish_streams(2, 0);
        requests.wish_streams(3, 4);
        assert_eq!(requests.additions(), (5, 4));
        assert_eq!(begin(&mut requests, None, true), Some(StreamChange::AddOutgoing(5)));
        assert_eq!(requests.additions(), (5, 4));
        assert_eq!(requests.take_outstanding().map(|one| one.number), Some(Tsn::new(1)));
        assert_eq!(begin(&mut requests, None, true), Some(StreamChange::AddIncoming(4)));
        assert_eq!(requests.take_outstanding().map(|one| one.number), Some(Tsn::new(2)));
        assert_eq!(begin(&mut requests, None, false), None);
        assert_eq!(begin(&mut requests, None, true), Some(StreamChange::ResetAssociation));
        assert!(requests.is_resetting(&set(0..1)));
    }
}
