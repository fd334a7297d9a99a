//! The rounds of the streams whose message waits for room in the send buffer: new and short ones first, each for a quantum
//! of data, then the others, first come, first served (the two lists of RFC 8290 §4.2).

use std::collections::VecDeque;

use anabranch_base::ByteCount;
use anabranch_sctp::wire::StreamId;

/// The streams that wait.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// Those that have a part of their quantum left.
    new: VecDeque<StreamId>,
    old: VecDeque<StreamId>,
    /// The messages of all streams that were served so far.
    served: u64,
    /// The data of new streams that was served since an old one had its turn.
    passed: ByteCount,
}

/// The service of one stream.
#[derive(Debug, Default)]
pub(super) struct Round {
    is_waiting: bool,
    /// The count of messages that were served before its last one; `None` before the first.
    last: Option<u64>,
    /// The data since it was last sparse.
    used: ByteCount,
}

impl Rounds {
    /// Notes that a stream has a message. Returns true if the stream is sparse: it was served nothing while each stream
    /// that waits had a turn. It has a whole quantum then.
    pub(super) fn on_message(&self, round: &mut Round) -> bool {
        let missed = round.last.map_or(u64::MAX, |last| self.served - last);
        let is_sparse = missed > (self.new.len() + self.old.len()) as u64;
        if is_sparse && !round.is_waiting {
            round.used = ByteCount::ZERO;
        }
        is_sparse
    }

    /// Returns true if no stream waits.
    pub(super) fn is_empty(&self) -> bool {
        self.new.is_empty() && self.old.is_empty()
    }

    /// Takes the stream whose turn it is. An old one has a turn after some data of new ones.
    pub(super) fn take(&mut self) -> Option<StreamId> {
        let is_round_of_old = self.new.is_empty() || self.passed >= MOST_PASSED;
        let old = if is_round_of_old { self.old.pop_front() } else { None };
        old.or_else(|| self.new.pop_front())
    }

    /// Puts a stream back that was taken and could not be served: it comes first.
    pub(super) fn put_back(&mut self, stream: StreamId, round: &mut Round) {
        round.is_waiting = true;
        self.list(round).push_front(stream);
    }

    /// Lets a stream wait, unless it does.
    pub(super) fn wait(&mut self, stream: StreamId, round: &mut Round) {
        if !std::mem::replace(&mut round.is_waiting, true) {
            self.list(round).push_back(stream);
        }
    }

    /// Takes a stream out that waits.
    pub(super) fn remove(&mut self, stream: StreamId, round: &mut Round) {
        if std::mem::take(&mut round.is_waiting) {
            self.list(round).retain(|other| *other != stream);
        }
    }

    /// Notes that a message was served.
    pub(super) fn on_served(&mut self, round: &mut Round, bytes: ByteCount) {
        round.last = Some(self.served);
        self.served += 1;
        if round.used >= QUANTUM {
            self.passed = ByteCount::ZERO;
        } else if !self.old.is_empty() {
            self.passed += bytes;
        }
        round.used += bytes;
    }

    /// The list of a stream, which keeps it while the stream waits.
    fn list(&mut self, round: &Round) -> &mut VecDeque<StreamId> {
        if round.is_new() { &mut self.new } else { &mut self.old }
    }
}

impl Round {
    /// Returns true if the stream has a part of its quantum left.
    pub(super) fn is_new(&self) -> bool {
        self.used < QUANTUM
    }

    /// Notes that the stream was taken and waits no more.
    pub(super) fn end(&mut self) {
        self.is_waiting = false;
    }
}

/// The data for which a stream is new: a page or a picture, and a small part of a download.
const QUANTUM: ByteCount = ByteCount::from_kib(64);
/// The data of new streams behind which an old one has a turn.
const MOST_PASSED: ByteCount = ByteCount::from_kib(256);

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Serves messages of 8 KiB: each stream of `ready` always has one, and those of `later` join before the turn of their
    /// number. Returns the order.
    fn served(ready: &[u16], later: &[(usize, u16)], count: usize) -> Vec<u16> {
        let mut rounds = Rounds::default();
        let mut states: BTreeMap<u16, Round> = BTreeMap::new();
        let mut order = Vec::new();
        let arrive = |rounds: &mut Rounds, states: &mut BTreeMap<u16, Round>, id: u16| {
            let round = states.entry(id).or_default();
            rounds.on_message(round);
            rounds.wait(StreamId::new(id), round);
        };
        for id in ready {
            arrive(&mut rounds, &mut states, *id);
        }
        for number in 0..count {
            for (_, id) in later.iter().filter(|(at, _)| *at == number) {
                arrive(&mut rounds, &mut states, *id);
            }
            let id = rounds.take().expect("one waits").get();
            let round = states.get_mut(&id).expect("known");
            round.end();
            rounds.on_served(round, ByteCount::from_kib(8));
            order.push(id);
            arrive(&mut rounds, &mut states, id);
        }
        order
    }

    #[test]
    fn streams_that_have_used_their_quantum_take_turns() {
        let order = served(&[1, 2, 3], &[], 60);
        assert_eq!(order[24..30], [1, 2, 3, 1, 2, 3]);
    }

    #[test]
    fn a_new_stream_is_served_first_for_a_quantum_and_takes_turns_then() {
        let order = served(&[1, 2], &[(30, 7)], 60);
        assert_eq!(order[30..38], [7; 8]);
        assert_eq!(order[38..44].iter().filter(|id| **id == 7).count(), 2, "{order:?}");
    }

    #[test]
    fn many_new_streams_do_not_keep_an_old_one_from_its_turn() {
        let later: Vec<(usize, u16)> = (10..40).map(|id| (30, id)).collect();
        let order = served(&[1, 2], &later, 250);
        let rounds = order[30..].iter().filter(|id| **id < 10).count();
        assert!((6..=8).contains(&rounds), "one behind 32 messages: {rounds}");
    }

    #[test]
    fn a_stream_that_pauses_for_a_round_is_sparse_again_and_one_that_does_not_is_not() {
        let (mut rounds, mut bulk, mut echo) = (Rounds::default(), Round::default(), Round::default());
        assert!(rounds.on_message(&mut echo) && rounds.on_message(&mut bulk));
        rounds.on_served(&mut echo, ByteCount::new(64));
        rounds.on_served(&mut bulk, ByteCount::from_kib(64));
        rounds.wait(StreamId::new(1), &mut bulk);
        assert!(rounds.on_message(&mut echo), "the bulk stream had a turn");
        rounds.on_served(&mut echo, ByteCount::new(64));
        assert!(!rounds.on_message(&mut echo), "nobody had one since");
        rounds.remove(StreamId::new(1), &mut bulk);
        assert!(rounds.is_empty() && rounds.take().is_none());
    }
}
