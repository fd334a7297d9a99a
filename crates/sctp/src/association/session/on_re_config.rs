//! Handles RE-CONFIG: the peer's requests, and its answers to ours (RFC 6525 §5.2).

use anabranch_base::Time;

use super::Session;
use super::reconfiguring::post_answer;
use crate::association::ground::Timer;
use crate::association::receiver::BadData;
use crate::association::reconfiguration::{Answer, EncodedReConfig, Judgement, Outstanding};
use crate::event::{Event, StreamChange};
use crate::policy::PathId;
use crate::seq::Tsn;
use crate::wire::{ReConfig, ReConfigParameter, ReConfigResult, StreamSet};

/// The result of a request that is the next one.
enum Outcome {
    /// It has this result, which is kept.
    Done(ReConfigResult),
    /// It is in progress, and this end's own request answers it.
    Implied,
    /// It must be repeated later, as if it had not arrived.
    NotYet,
    /// The association was reset: this end's next TSN, and the peer's.
    Reset(Tsn, Tsn),
}

impl Session {
    /// Handles a RE-CONFIG that arrived on `path`. An end that `is_closing` makes no requests of its own.
    pub(super) fn on_re_config(
        &mut self,
        now: Time,
        path: PathId,
        chunk: &ReConfig<'_>,
        is_closing: bool,
    ) -> Result<(), BadData> {
        let mut answers = Vec::new();
        for parameter in chunk.parameters() {
            match parameter {
                ReConfigParameter::Response { request, result, next_tsns } => {
                    self.on_response(now, request, result, next_tsns)?;
                }
                request => answers.extend(self.on_request(now, &request, is_closing)?),
            }
        }
        let mut parameters = answers.into_iter().map(Answer::parameter);
        if let Some(first) = parameters.next() {
            let second = parameters.next();
            self.ground.answer(path, EncodedReConfig::new(&ReConfig { first, second }));
        }
        Ok(())
    }

    /// Finishes the reset of the peer's streams that waited for data, if the data has arrived.
    pub(super) fn finish_deferred_reset(&mut self) -> Result<(), BadData> {
        let Some(state) = &mut self.reconfiguration else { return Ok(()) };
        let (Some(number), Some(deferred)) = (state.answers.deferred(), self.receiver.deferred()) else {
            return Ok(());
        };
        let last = deferred.after();
        if last.is_after(self.receiver.cumulative()) {
            return Ok(());
        }
        let answer = Answer::new(number, ReConfigResult::Performed);
        state.answers.set_deferred(None);
        state.answers.on_finished(answer);
        let streams = self.receiver.finish_deferral(&mut self.ground, last.next())?;
        self.ground.log.event(Event::IncomingStreamsReset(streams.to_list()));
        post_answer(&mut self.ground, answer);
        Ok(())
    }

    /// Finishes the reset of the association for which the peer asked, if all of this end's data is acknowledged.
    pub(super) fn finish_association_reset(&mut self, now: Time) {
        let waiting = self.reconfiguration.as_ref().and_then(|state| state.answers.association());
        let Some(number) = waiting.filter(|_| self.sender.is_settled()) else { return };
        let next_tsns = Some(self.perform_association_reset(now));
        let answer = Answer { number, result: ReConfigResult::Performed, next_tsns };
        if let Some(state) = &mut self.reconfiguration {
            state.answers.set_association(None);
            state.answers.on_finished(answer);
        }
        post_answer(&mut self.ground, answer);
    }

    /// Handles a request. Returns its answer, unless this end's own request is one.
    fn on_request(
        &mut self,
        now: Time,
        request: &ReConfigParameter<'_>,
        is_closing: bool,
    ) -> Result<Option<Answer>, BadData> {
        let (Some(state), Some(number)) = (&self.reconfiguration, request.request()) else { return Ok(None) };
        match state.answers.judge(number) {
            Judgement::Bad => return Ok(Some(Answer::new(number, ReConfigResult::BadNumber))),
            Judgement::Repeat(answer) => return Ok(Some(answer)),
            Judgement::Next => {}
        }
        let outcome = self.carry_out(now, request, is_closing)?;
        let in_progress = Answer::new(number, ReConfigResult::InProgress);
        let answer = match outcome {
            Outcome::NotYet => return Ok(Some(in_progress)),
            Outcome::Implied => in_progress,
            Outcome::Done(result) => Answer::new(number, result),
            Outcome::Reset(sender, receiver) => Answer {
                next_tsns: Some((sender, receiver)),
                ..Answer::new(number, ReConfigResult::Performed)
            },
        };
        if let Some(state) = &mut self.reconfiguration {
            state.answers.on_answered(answer);
        }
        if !matches!(outcome, Outcome::Implied) {
            return Ok(Some(answer));
        }
        self.advance_reconfiguration(now);
        let is_sent = self.reconfiguration.as_ref().is_some_and(|state| state.requests.answers(number));
        Ok((!is_sent).then_some(answer))
    }

    /// Carries out the peer's next request.
    fn carry_out(
        &mut self,
        now: Time,
        request: &ReConfigParameter<'_>,
        is_closing: bool,
    ) -> Result<Outcome, BadData> {
        let Some(state) = &self.reconfiguration else { return Ok(Outcome::NotYet) };
        let own = state.requests.outstanding();
        let has_own = own.is_some();
        let resets_own = own.is_some_and(Outstanding::is_association);
        Ok(match *request {
            ReConfigParameter::ResetAssociation { .. } if is_closing => Outcome::Done(ReConfigResult::Denied),
            ReConfigParameter::ResetAssociation { request } => {
                self.on_reset_association(now, request, has_own)
            }
            // The numbers to which the request refers are not certain before the answer.
            _ if resets_own => Outcome::NotYet,
            ReConfigParameter::ResetOutgoing { request, response, last_tsn, streams } => {
                self.on_implied_answer(response);
                self.on_reset_outgoing(request, last_tsn, StreamSet::of_list(streams.iter()))
            }
            ReConfigParameter::ResetIncoming { .. }
            | ReConfigParameter::AddOutgoing { .. }
            | ReConfigParameter::AddIncoming { .. }
                if is_closing =>
            {
                Outcome::Done(ReConfigResult::Denied)
            }
            ReConfigParameter::ResetIncoming { request, streams } => {
                self.on_reset_incoming(request, &StreamSet::of_list(streams.iter()))
            }
            ReConfigParameter::AddOutgoing { count, .. } => Outcome::Done(self.on_add_outgoing(count)),
            ReConfigParameter::AddIncoming { count, .. } => Outcome::Done(self.on_add_incoming(count)),
            ReConfigParameter::Response { .. } => Outcome::NotYet,
        })
    }

    /// Resets the peer's outgoing streams, or holds their messages until all data up to `last_tsn` has arrived (§5.2.2).
    fn on_reset_outgoing(&mut self, number: Tsn, last_tsn: Tsn, streams: StreamSet) -> Outcome {
        let Some(state) = &mut self.reconfiguration else { return Outcome::NotYet };
        let inbound = self.ground.agreement.inbound_streams;
        if streams.highest().is_some_and(|stream| stream.get() >= inbound) {
            return Outcome::Done(ReConfigResult::WrongStream);
        }
        let is_complete = !last_tsn.is_after(self.receiver.cumulative());
        match self.receiver.deferred() {
            Some(deferred) if *deferred.streams() == streams => {
                let last = deferred.after().later(last_tsn);
                deferred.set_after(last);
            }
            Some(_) => return Outcome::Done(ReConfigResult::OtherInProgress),
            None if is_complete => {
                self.receiver.restart_numbers(&mut self.ground, &streams);
                self.ground.log.event(Event::IncomingStreamsReset(streams.to_list()));
                return Outcome::Done(ReConfigResult::Performed);
            }
            None => self.receiver.defer(streams, last_tsn),
        }
        state.answers.set_deferred(Some(number));
        Outcome::Done(ReConfigResult::InProgress)
    }

    /// Resets outgoing streams because the peer asks for it: this end's request to do so answers it (§5.2.3).
    fn on_reset_incoming(&mut self, number: Tsn, streams: &StreamSet) -> Outcome {
        let Some(state) = &mut self.reconfiguration else { return Outcome::NotYet };
        let outbound = self.ground.agreement.outbound_streams;
        if streams.highest().is_some_and(|stream| stream.get() >= outbound) {
            return Outcome::Done(ReConfigResult::WrongStream);
        }
        if state.answers.association().is_some() || state.requests.is_resetting_association() {
            return Outcome::Done(ReConfigResult::OtherInProgress);
        }
        let mut fresh = streams.clone();
        if let Some(under_way) = state.requests.outgoing_under_way() {
            fresh.remove(under_way);
        }
        if fresh.is_empty() {
            state.requests.set_answered(Some(number));
            return Outcome::Done(ReConfigResult::InProgress);
        }
        state.requests.wish_outgoing(&fresh);
        state.answers.set_awaited(number);
        self.sender.hold(&fresh);
        Outcome::Implied
    }

    /// Resets the association when all data is acknowledged (§5.2.4).
    fn on_reset_association(&mut self, now: Time, number: Tsn, has_own_request: bool) -> Outcome {
        let Some(state) = &mut self.reconfiguration else { return Outcome::NotYet };
        let holds_all = state.requests.outgoing().is_all() || state.requests.is_resetting_association();
        let is_busy = self.receiver.deferred().is_some() || state.answers.association().is_some();
        if has_own_request || holds_all || is_busy {
            return Outcome::Done(ReConfigResult::OtherInProgress);
        }
        if self.sender.is_settled() {
            let (sender, receiver) = self.perform_association_reset(now);
            return Outcome::Reset(sender, receiver);
        }
        state.answers.set_association(Some(number));
        self.sender.hold(&StreamSet::all());
        Outcome::Done(ReConfigResult::InProgress)
    }

    /// Resets the association as the peer asked, and returns this end's next TSN and the peer's: "the smallest TSN not
    /// acknowledged by the receiver of the request plus 2^31" (§5.2.4). Half that distance keeps late SACKs and DATA from
    /// before the reset recognizable.
    fn perform_association_reset(&mut self, now: Time) -> (Tsn, Tsn) {
        let all = StreamSet::all();
        let receivers = self.receiver.cumulative().next().plus(1 << 30);
        let senders = self.sender.highest_sent().next();
        self.receiver.restart_numbers(&mut self.ground, &all);
        self.receiver.expect(receivers);
        self.sender.restart_numbers(&all);
        self.resume(&all, now);
        self.ground.log.event(Event::AssociationReset);
        (senders, receivers)
    }

    /// The peer adds outgoing streams (§5.2.5), perhaps because this end asked for it.
    fn on_add_outgoing(&mut self, count: u16) -> ReConfigResult {
        let config = &self.ground.settings.config;
        let most = config.most_streams.max(config.inbound_streams);
        let agreement = &mut self.ground.agreement;
        let is_wished = self.reconfiguration.as_ref().is_some_and(|state| {
            let is_addition = |change: &StreamChange| matches!(change, StreamChange::AddIncoming(_));
            state.requests.outstanding().is_some_and(|one| is_addition(&one.change))
        });
        let most = if is_wished { u16::MAX } else { most };
        let Some(streams) = agreement.inbound_streams.checked_add(count).filter(|sum| *sum <= most) else {
            return ReConfigResult::Denied;
        };
        agreement.inbound_streams = streams;
        self.receiver.set_streams(streams);
        let (outbound, inbound) = (agreement.outbound_streams, streams);
        self.ground.log.event(Event::StreamsAdded { outbound, inbound });
        if is_wished && let Some(state) = &mut self.reconfiguration {
            state.requests.take_outstanding();
            self.ground.timers.stop(Timer::Request);
            self.ground.paths.clear_errors_in_row();
        }
        ReConfigResult::Performed
    }

    /// The peer asks for more of this end's outgoing streams: this end requests them (§5.2.6).
    fn on_add_incoming(&mut self, count: u16) -> ReConfigResult {
        let config = &self.ground.settings.config;
        let most = config.most_streams.max(config.outbound_streams);
        let Some(state) = &mut self.reconfiguration else { return ReConfigResult::Denied };
        let wanted = u32::from(self.ground.agreement.outbound_streams)
            + state.requests.additions().0
            + u32::from(count);
        if count == 0 || wanted > u32::from(most) {
            return ReConfigResult::Denied;
        }
        state.requests.wish_streams(count, 0);
        ReConfigResult::Performed
    }

    /// The peer resets outgoing streams in answer to this end's request `number`.
    fn on_implied_answer(&mut self, number: Tsn) {
        let Some(state) = &mut self.reconfiguration else { return };
        let is_incoming =
            |one: &Outstanding| one.number == number && matches!(one.change, StreamChange::ResetIncoming(_));
        if state.requests.outstanding().is_some_and(is_incoming) {
            state.requests.take_outstanding();
            self.ground.timers.stop(Timer::Request);
            self.ground.paths.clear_errors_in_row();
        }
    }

    /// Handles the answer to the request `number` (§5.2.7). Answers to other requests are old.
    fn on_response(
        &mut self,
        now: Time,
        number: Tsn,
        result: u32,
        next_tsns: Option<(Tsn, Tsn)>,
    ) -> Result<(), BadData> {
        let Some(state) = &mut self.reconfiguration else { return Ok(()) };
        let Some(outstanding) = state.requests.outstanding_mut().filter(|one| one.number == number) else {
            return Ok(());
        };
        self.ground.paths.clear_errors_in_row();
        // An unknown result is none that was hoped for.
        let result = ReConfigResult::from_wire(result).unwrap_or(ReConfigResult::Denied);
        // The peer resets its streams by a request of its own. It may have to wait for the answer to its request for this
        // end's streams, which this one must not block.
        let is_left_to_peer = matches!(outstanding.change, StreamChange::ResetIncoming(_));
        if result == ReConfigResult::InProgress && !is_left_to_peer {
            outstanding.is_in_progress = true;
            let is_association = outstanding.is_association();
            let rto = self.ground.paths.sample(outstanding.path).rto;
            self.ground.timers.set(Timer::Request, now + rto);
            if is_association {
                self.receiver.release_continuing(&mut self.ground)?;
            }
            return Ok(());
        }
        self.ground.timers.stop(Timer::Request);
        match state.requests.take_outstanding() {
            Some(outstanding) => self.on_answered(now, outstanding, result, next_tsns),
            None => Ok(()),
        }
    }

    /// Applies the final answer to a request.
    fn on_answered(
        &mut self,
        now: Time,
        outstanding: Outstanding,
        result: ReConfigResult,
        next_tsns: Option<(Tsn, Tsn)>,
    ) -> Result<(), BadData> {
        let Outstanding { change, streams, answered, .. } = outstanding;
        let is_done = matches!(result, ReConfigResult::NothingToDo | ReConfigResult::Performed)
            || result == ReConfigResult::InProgress;
        if let (Some(state), Some(number)) = (&mut self.reconfiguration, answered) {
            let result = if is_done { ReConfigResult::Performed } else { ReConfigResult::Denied };
            state.answers.on_finished(Answer::new(number, result));
        }
        match (&change, next_tsns) {
            (StreamChange::ResetOutgoing(_), _) => {
                if is_done {
                    self.sender.restart_numbers(&streams);
                    self.ground.log.event(Event::OutgoingStreamsReset(streams.to_list()));
                }
                self.resume(&streams, now);
            }
            (StreamChange::ResetAssociation, Some(next)) if is_done => self.adopt_tsns(now, next)?,
            (StreamChange::ResetAssociation, _) => {
                self.receiver.cancel_deferral(&mut self.ground)?;
                self.resume(&StreamSet::all(), now);
            }
            (StreamChange::AddOutgoing(count), _) if is_done => {
                let agreement = &mut self.ground.agreement;
                agreement.outbound_streams = agreement.outbound_streams.saturating_add(*count);
                let (outbound, inbound) = (agreement.outbound_streams, agreement.inbound_streams);
                self.ground.log.event(Event::StreamsAdded { outbound, inbound });
            }
            // The peer's own request follows.
            (
                StreamChange::ResetIncoming(_) | StreamChange::AddIncoming(_) | StreamChange::AddOutgoing(_),
                _,
            ) => {}
        }
        let lacks_tsns = change == StreamChange::ResetAssociation && next_tsns.is_none();
        if !is_done || lacks_tsns {
            self.ground.log.event(Event::StreamChangeRefused { change, result });
        }
        Ok(())
    }

    /// The peer has reset the association: its next TSN, and this end's (§5.2.7).
    fn adopt_tsns(&mut self, now: Time, (senders, receivers): (Tsn, Tsn)) -> Result<(), BadData> {
        let all = StreamSet::all();
        self.receiver.finish_deferral(&mut self.ground, senders)?;
        self.receiver.expect(senders);
        let Some(state) = &self.reconfiguration else { return Ok(()) };
        self.sender.renumber(&mut self.ground, receivers, &state.seed);
        self.sender.restart_numbers(&all);
        self.resume(&all, now);
        self.ground.log.event(Event::AssociationReset);
        Ok(())
    }
}
