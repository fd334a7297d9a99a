//! The answers to the peer's requests: the number that is expected, and the last answers, which may have to be repeated
//! (RFC 6525 §5.2.1).

use std::collections::VecDeque;

use crate::seq::Tsn;
use crate::wire::{ReConfigParameter, ReConfigResult};

/// The answer to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The number of the request.
    pub number: Tsn,
    /// The result.
    pub result: ReConfigResult,
    /// After a reset of the association: this end's next TSN, and the peer's.
    pub next_tsns: Option<(Tsn, Tsn)>,
}

/// The action for a request with some number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// It is the next one: it is carried out.
    Next,
    /// It was answered so: "the same RE-CONFIG chunk MUST to be sent back in response" (§5.2.1).
    Repeat(Answer),
    /// It is out of turn.
    Bad,
}

/// The answers to the peer's requests.
#[derive(Debug)]
pub(crate) struct Answers {
    expected: Tsn,
    /// The last two: a chunk has at most two requests.
    last: VecDeque<Answer>,
    /// The reset of the peer's streams that waits for data before it.
    deferred: Option<Tsn>,
    /// The request to reset these outgoing streams that waits for this end's own request.
    awaited: Option<Tsn>,
    /// The reset of the association that waits until this end's data is acknowledged.
    association: Option<Tsn>,
}

impl Answer {
    /// The answer `result` to the request `number`.
    pub(crate) fn new(number: Tsn, result: ReConfigResult) -> Answer {
        Answer { number, result, next_tsns: None }
    }

    /// The parameter that carries it.
    pub(crate) fn parameter(self) -> ReConfigParameter<'static> {
        let (request, result) = (self.number, self.result.to_wire());
        ReConfigParameter::Response { request, result, next_tsns: self.next_tsns }
    }
}

impl Answers {
    /// Expects the request `first`.
    pub(super) fn new(first: Tsn) -> Answers {
        Answers { expected: first, last: VecDeque::new(), deferred: None, awaited: None, association: None }
    }

    /// Stores the answer to the request that was expected.
    pub(crate) fn on_answered(&mut self, answer: Answer) {
        self.expected = answer.number.next();
        if self.last.len() == KEPT {
            self.last.pop_front();
        }
        self.last.push_back(answer);
    }

    /// Changes the answer to a request that was in progress, if it is still kept.
    pub(crate) fn on_finished(&mut self, answer: Answer) {
        if let Some(kept) = self.last.iter_mut().find(|kept| kept.number == answer.number) {
            *kept = answer;
        }
    }

    /// Sets the request whose reset of the peer's streams waits for data.
    pub(crate) fn set_deferred(&mut self, number: Option<Tsn>) {
        self.deferred = number;
    }

    /// Sets the request that this end's next reset of outgoing streams answers.
    pub(crate) fn set_awaited(&mut self, number: Tsn) {
        self.awaited = Some(number);
    }

    /// Takes the request that a reset of outgoing streams answered.
    pub(crate) fn take_awaited(&mut self) -> Option<Tsn> {
        self.awaited.take()
    }

    /// Sets the request to reset the association that waits.
    pub(crate) fn set_association(&mut self, number: Option<Tsn>) {
        self.association = number;
    }

    /// The action for a request with this number.
    pub(crate) fn judge(&self, number: Tsn) -> Judgement {
        match self.last.iter().find(|answer| answer.number == number) {
            _ if number == self.expected => Judgement::Next,
            Some(answer) => Judgement::Repeat(*answer),
            None => Judgement::Bad,
        }
    }

    /// The number of the peer's last request, or the one before its first.
    pub(crate) fn last_number(&self) -> Tsn {
        self.expected.previous()
    }

    /// The request whose reset of the peer's streams waits for data.
    pub(crate) fn deferred(&self) -> Option<Tsn> {
        self.deferred
    }

    /// The request that this end's next reset of outgoing streams answers.
    pub(crate) fn awaited(&self) -> Option<Tsn> {
        self.awaited
    }

    /// The request to reset the association that waits.
    pub(crate) fn association(&self) -> Option<Tsn> {
        self.association
    }
}

/// The most requests of one chunk.
const KEPT: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_two_requests_are_answered_as_before_and_others_are_out_of_turn() {
        let mut answers = Answers::new(Tsn::new(u32::MAX));
        let number = |offset| Tsn::new(u32::MAX).plus(offset);
        assert_eq!((answers.judge(number(0)), answers.judge(number(1))), (Judgement::Next, Judgement::Bad));
        assert_eq!(answers.last_number(), Tsn::new(u32::MAX - 1));
        for offset in 0..3 {
            answers.on_answered(Answer::new(number(offset), ReConfigResult::InProgress));
        }
        answers.on_finished(Answer::new(number(1), ReConfigResult::Performed));
        answers.on_finished(Answer::new(number(9), ReConfigResult::Performed));
        assert_eq!((answers.judge(number(0)), answers.judge(number(3))), (Judgement::Bad, Judgement::Next));
        let done = Answer::new(number(1), ReConfigResult::Performed);
        assert_eq!(answers.judge(number(1)), Judgement::Repeat(done));
        let pending = Answer::new(number(2), ReConfigResult::InProgress);
        assert_eq!(answers.judge(number(2)), Judgement::Repeat(pending));
    }
}
