//! Requests changes of streams: the application's wishes, the next request, and one that is not answered (RFC 6525 §5.1).

use anabranch_base::Time;

use super::Session;
use crate::association::ReconfigurationError;
use crate::association::ground::{Ground, PeerGone, Timer};
use crate::association::reconfiguration::{Answer, EncodedReConfig, Outstanding, Ready, Reconfiguration};
use crate::policy::PathId;
use crate::wire::{ReConfig, ReConfigResult, StreamSet};

impl Session {
    /// Wishes to reset outgoing streams: their later messages wait.
    pub(crate) fn reset_outgoing(&mut self, streams: &StreamSet) -> Result<(), ReconfigurationError> {
        check_exist(streams, self.ground.agreement.outbound_streams)?;
        let Some(state) = &mut self.reconfiguration else { return Err(ReconfigurationError::NotAgreed) };
        if state.requests.is_resetting(streams) {
            return Err(ReconfigurationError::UnderWay);
        }
        state.requests.wish_outgoing(streams);
        self.sender.hold(streams);
        Ok(())
    }

    /// Wishes that the peer resets streams.
    pub(crate) fn request_incoming_reset(&mut self, streams: &StreamSet) -> Result<(), ReconfigurationError> {
        check_exist(streams, self.ground.agreement.inbound_streams)?;
        let Some(state) = &mut self.reconfiguration else { return Err(ReconfigurationError::NotAgreed) };
        if state.requests.is_requesting(streams) {
            return Err(ReconfigurationError::UnderWay);
        }
        state.requests.wish_incoming(streams);
        Ok(())
    }

    /// Wishes for more streams.
    pub(crate) fn add_streams(&mut self, outgoing: u16, incoming: u16) -> Result<(), ReconfigurationError> {
        let agreement = &self.ground.agreement;
        let Some(state) = &mut self.reconfiguration else { return Err(ReconfigurationError::NotAgreed) };
        let (more, back) = state.requests.additions();
        let wanted = [
            u32::from(agreement.outbound_streams) + more + u32::from(outgoing),
            u32::from(agreement.inbound_streams) + back + u32::from(incoming),
        ];
        match wanted.into_iter().find(|&wanted| wanted > u32::from(u16::MAX)) {
            Some(wanted) => return Err(ReconfigurationError::TooMany { wanted }),
            None if outgoing == 0 && incoming == 0 => return Err(ReconfigurationError::Nothing),
            None => state.requests.wish_streams(outgoing, incoming),
        }
        Ok(())
    }

    /// Wishes to reset the association: all later messages wait.
    pub(crate) fn reset_association(&mut self) -> Result<(), ReconfigurationError> {
        let Some(state) = &mut self.reconfiguration else { return Err(ReconfigurationError::NotAgreed) };
        let is_wished = state.requests.is_resetting(&StreamSet::all());
        if is_wished || state.answers.association().is_some() {
            return Err(ReconfigurationError::UnderWay);
        }
        state.requests.wish_association();
        self.sender.hold(&StreamSet::all());
        Ok(())
    }

    /// Returns true if a request of this end is not answered.
    pub(crate) fn is_reconfiguring(&self) -> bool {
        self.reconfiguration
            .as_ref()
            .is_some_and(|state| state.requests.outstanding().is_some() || !state.requests.has_no_wish())
    }

    /// Returns true if the association is being reset by this end, which must not close before the answer: messages of
    /// the peer wait for it.
    pub(super) fn awaits_association_reset(&self) -> bool {
        self.reconfiguration.as_ref().is_some_and(|state| state.requests.is_resetting_association())
    }

    /// Sends the next request, if one is wished for and possible.
    pub(super) fn advance_reconfiguration(&mut self, now: Time) {
        self.finish_association_reset(now);
        let Session { ground, sender, receiver, reconfiguration, .. } = self;
        let Some(state) = reconfiguration.as_deref_mut() else { return };
        let Reconfiguration { requests, answers, .. } = state;
        if requests.outstanding().is_some() || requests.has_no_wish() || answers.association().is_some() {
            return;
        }
        let wished = requests.outgoing();
        let is_sent = !wished.is_empty() && !sender.has_unsent_on(wished);
        let ready = Ready {
            outgoing: is_sent.then(|| sender.highest_sent()),
            association: sender.is_settled() && receiver.deferred().is_none(),
        };
        let path = ground.paths.usable(ground.paths.primary());
        let awaited = answers.awaited();
        let Some(chunk) = requests.begin(path, ready, awaited.unwrap_or(answers.last_number())) else {
            return;
        };
        if requests.outgoing_under_way().is_some() {
            requests.set_answered(answers.take_awaited());
            sender.on_reset_requested();
        }
        if requests.outstanding().is_some_and(Outstanding::is_association) {
            // Messages of the peer after its reset may arrive before its answer.
            receiver.defer(StreamSet::all(), receiver.cumulative());
        }
        send_request(ground, path, chunk, now);
    }

    /// Handles a request that was not answered: counts an error of the path and of the association, unless the peer has
    /// said that the request is in progress, and sends it again on another path (§5.1.1).
    pub(super) fn on_request_unanswered(&mut self, now: Time) -> Result<(), PeerGone> {
        let outstanding = self.reconfiguration.as_ref().and_then(|state| state.requests.outstanding());
        let Some((before, is_in_progress)) = outstanding.map(|one| (one.path, one.is_in_progress)) else {
            return Ok(());
        };
        if !is_in_progress {
            self.ground.paths.back_off(before);
            self.count_path_error(before, true, now)?;
        }
        let path =
            if is_in_progress { self.ground.paths.usable(before) } else { next_path(&self.ground, before) };
        let outstanding = self.reconfiguration.as_mut().and_then(|state| state.requests.outstanding_mut());
        if let Some(outstanding) = outstanding {
            outstanding.path = path;
            outstanding.is_in_progress = false;
            let chunk = outstanding.chunk();
            send_request(&mut self.ground, path, chunk, now);
        }
        Ok(())
    }

    /// Sends the messages on `streams` that were on hold, but for those that another reset lets wait.
    pub(super) fn resume(&mut self, streams: &StreamSet, now: Time) {
        let held = self.reconfiguration.as_ref().map(|state| state.requests.held()).unwrap_or_default();
        self.sender.resume(&mut self.ground, streams, &held, now);
    }

    /// Drops this end's requests, because the association is shutting down.
    pub(super) fn stop_reconfiguring(&mut self) {
        if let Some(state) = &mut self.reconfiguration {
            state.requests.clear();
            self.ground.timers.stop(Timer::Request);
        }
    }

    /// Refuses the peer's reset of the association that waits, because the peer closes the association.
    pub(super) fn refuse_association_reset(&mut self, now: Time) {
        let Some(state) = &mut self.reconfiguration else { return };
        let Some(number) = state.answers.association() else { return };
        state.answers.set_association(None);
        state.answers.on_finished(Answer::new(number, ReConfigResult::Denied));
        self.resume(&StreamSet::all(), now);
    }
}

/// Posts a request on `path`, and starts its timer.
pub(super) fn send_request(ground: &mut Ground, path: PathId, chunk: EncodedReConfig, now: Time) {
    ground.post(path, chunk);
    ground.timers.set(Timer::Request, now + ground.paths.sample(path).rto);
}

/// Posts an answer that the peer does not expect at this moment.
pub(super) fn post_answer(ground: &mut Ground, answer: Answer) {
    ground.answer(ground.paths.primary(), EncodedReConfig::new(&ReConfig::of(answer.parameter())));
}

/// The path after `before` that carries data, or another one.
fn next_path(ground: &Ground, before: PathId) -> PathId {
    let mut others = ground.paths.samples().iter().filter(|sample| sample.state.carries_data());
    let next = others.find(|sample| sample.id > before).map(|sample| sample.id);
    next.unwrap_or_else(|| ground.paths.usable(PathId::FIRST))
}

fn check_exist(wanted: &StreamSet, streams: u16) -> Result<(), ReconfigurationError> {
    match wanted.highest() {
        Some(stream) if stream.get() >= streams => {
            Err(ReconfigurationError::NoSuchStream { stream, streams })
        }
        _ => Ok(()),
    }
}
