//! The state of ASCONF requests and answers (RFC 5061 §5): the serial numbers of both ends, the outstanding ASCONF, the
//! queued changes, and the last answer, which may have to be repeated.

use std::net::{IpAddr, SocketAddr};

use crate::association::init::address_parameter;
use crate::policy::PathId;
use crate::seq::Tsn;
use crate::wire::{Asconf, AsconfAck, Cause, Parameter};

/// A change of this end's addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressChange {
    /// This host has the address now.
    Add(SocketAddr),
    /// This host no longer has the address.
    Delete(SocketAddr),
}

/// The action for an ASCONF that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AsconfAction {
    /// It is the next one: it is processed.
    Next,
    /// It repeats the last one: the same answer is sent.
    Repeat(AsconfAck),
    /// "it must be either a stale packet or from an attacker" (E5).
    Stale,
}

/// The result of an ASCONF-ACK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AsconfOutcome {
    /// The requested changes; true for those that were made.
    Changes(Vec<(AddressChange, bool)>),
    /// It does not answer the outstanding ASCONF.
    Old,
    /// It answers an ASCONF that was never sent: "the endpoint MUST ABORT the association" (F0).
    Illegal,
}

/// The state of address reconfiguration.
#[derive(Debug)]
pub(super) struct Reconfiguration {
    /// The serial number of the next ASCONF.
    next: Tsn,
    outstanding: Option<Outstanding>,
    /// The queued changes, at most one for each address.
    waiting: Vec<AddressChange>,
    /// The serial number of the peer's last ASCONF, and its answer if there was one.
    peer: Tsn,
    answer: Option<AsconfAck>,
    /// True if the peer does not support ASCONF.
    is_refused: bool,
}

/// "One and only one SCTP packet-holding ASCONF Chunk(s) MAY be in transit and unacknowledged" (C1).
#[derive(Debug)]
struct Outstanding {
    asconf: Asconf,
    /// The change with correlation id `i` is at index `i`.
    changes: Vec<AddressChange>,
    path: PathId,
}

impl AddressChange {
    /// The address that changes.
    pub(crate) fn address(self) -> SocketAddr {
        match self {
            AddressChange::Add(address) | AddressChange::Delete(address) => address,
        }
    }

    fn is_add(self) -> bool {
        matches!(self, AddressChange::Add(_))
    }

    fn request(self, id: u32) -> Parameter {
        match self {
            AddressChange::Add(address) => Parameter::AddAddress { id, address: address.ip() },
            AddressChange::Delete(address) => Parameter::DeleteAddress { id, address: address.ip() },
        }
    }
}

impl Reconfiguration {
    /// The initial state. "The Sequence Number MUST be initialized at the start of the association to the same value
    /// as the Initial Transmission Sequence Number" (A2).
    pub(super) fn new(local_tsn: Tsn, peer_tsn: Tsn) -> Reconfiguration {
        Reconfiguration {
            next: local_tsn,
            outstanding: None,
            waiting: Vec::new(),
            peer: peer_tsn.previous(),
            answer: None,
            is_refused: false,
        }
    }

    /// Queues a change to report to the peer. If it reverses a queued change, both are dropped.
    pub(super) fn note(&mut self, change: AddressChange) {
        if self.is_refused {
            return;
        }
        let before = self.waiting.iter().position(|earlier| earlier.address() == change.address());
        let taken_back = before.map(|at| self.waiting.remove(at));
        if taken_back.is_none_or(|earlier| earlier.is_add() == change.is_add()) {
            self.waiting.push(change);
        }
    }

    /// The next ASCONF, to be sent on `path`, if one may be sent now. Additions come first, so that a deletion never
    /// removes the last address (F5). Without an addition, deletions wait until the peer `knows_another`.
    pub(super) fn request(&mut self, path: PathId, lookup: IpAddr, knows_another: bool) -> Option<Asconf> {
        if self.outstanding.is_some() {
            return None;
        }
        let has_addition = self.waiting.iter().any(|change| change.is_add());
        let (mut changes, deletions): (Vec<_>, Vec<_>) =
            self.waiting.iter().partition(|change| change.is_add());
        if has_addition || knows_another {
            changes.extend(deletions);
        }
        changes.truncate(MOST_CHANGES);
        if changes.is_empty() {
            return None;
        }
        self.waiting.retain(|change| !changes.contains(change));
        let requests = changes.iter().zip(0..).map(|(change, id)| change.request(id));
        let parameters = std::iter::once(address_parameter(lookup)).chain(requests).collect();
        let asconf = Asconf { serial: self.next, parameters };
        self.next = self.next.next();
        self.outstanding = Some(Outstanding { asconf: asconf.clone(), changes, path });
        Some(asconf)
    }

    /// The outstanding ASCONF, to be sent again on `path`: "it MUST be the same" (B4).
    pub(crate) fn repeat_request(&mut self, path: PathId) -> Option<Asconf> {
        let outstanding = self.outstanding.as_mut()?;
        outstanding.path = path;
        Some(outstanding.asconf.clone())
    }

    /// The path of the outstanding ASCONF.
    pub(crate) fn requested_on(&self) -> Option<PathId> {
        self.outstanding.as_ref().map(|outstanding| outstanding.path)
    }

    /// Returns true if the peer may not know `address` yet: then only an ASCONF is sent from it (F1).
    pub(crate) fn is_unannounced(&self, address: SocketAddr) -> bool {
        let under_way = self.outstanding.iter().flat_map(|outstanding| &outstanding.changes);
        self.waiting.iter().chain(under_way).any(|change| *change == AddressChange::Add(address))
    }

    /// Handles the ASCONF-ACK `ack`.
    pub(super) fn on_answer(&mut self, ack: &AsconfAck) -> AsconfOutcome {
        let Some(outstanding) = self.outstanding.take_if(|asked| asked.asconf.serial == ack.serial) else {
            let is_illegal = self.outstanding.is_none() && !ack.serial.is_before(self.next);
            return if is_illegal { AsconfOutcome::Illegal } else { AsconfOutcome::Old };
        };
        if ack.responses.iter().any(is_not_understood) {
            self.refuse();
        }
        AsconfOutcome::Changes(judge(&outstanding.changes, &ack.responses))
    }

    /// Stops requests that the peer does not support: "the sender of the ASCONF MUST NOT send any further" (A9).
    pub(super) fn refuse(&mut self) {
        self.is_refused = true;
        self.outstanding = None;
        self.waiting.clear();
    }

    /// The action for the peer's ASCONF with this serial number.
    pub(crate) fn action_for(&self, serial: Tsn) -> AsconfAction {
        match &self.answer {
            _ if serial == self.peer.next() => AsconfAction::Next,
            Some(answer) if answer.serial == serial => AsconfAction::Repeat(answer.clone()),
            _ => AsconfAction::Stale,
        }
    }

    /// Stores `answer`, the answer to the peer's next ASCONF.
    pub(crate) fn on_answered(&mut self, answer: AsconfAck) {
        self.peer = answer.serial;
        self.answer = Some(answer);
    }
}

/// The changes; true for those that were made. "All TLVs with no response before the failed TLV are considered
/// successful [...] All TLVs after the failed response are considered unsuccessful unless a specific success indication
/// is present" (A7).
fn judge(changes: &[AddressChange], responses: &[Parameter]) -> Vec<(AddressChange, bool)> {
    let mut has_failed = false;
    let mut judged = Vec::with_capacity(changes.len());
    for (&change, wanted) in changes.iter().zip(0..) {
        let is_refused = |response: &Parameter| matches!(response, Parameter::ErrorCauseIndication { id, .. } if *id == wanted);
        let is_done =
            |response: &Parameter| matches!(response, Parameter::SuccessIndication(id) if *id == wanted);
        has_failed |= responses.iter().any(is_refused);
        judged.push((change, !has_failed || responses.iter().any(is_done)));
    }
    judged
}

/// Returns true if the peer does not recognize the parameter of a request (F3a).
fn is_not_understood(response: &Parameter) -> bool {
    let Parameter::ErrorCauseIndication { causes, .. } = response else { return false };
    causes.iter().any(|cause| matches!(cause, Cause::UnrecognizedParameters(_)))
}

/// This number of requests with IPv6 addresses fits into any packet: "SHOULD not be larger than the PMTU" (C5).
const MOST_CHANGES: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> SocketAddr {
        text.parse().expect("an address")
    }

    fn fresh() -> Reconfiguration {
        Reconfiguration::new(Tsn::new(u32::MAX), Tsn::new(40))
    }

    fn request(state: &mut Reconfiguration, knows_another: bool) -> Option<String> {
        let asconf = state.request(PathId::FIRST, address("10.0.0.1:9").ip(), knows_another);
        asconf.map(|asconf| asconf.to_string())
    }

    fn ack(serial: u32, responses: Vec<Parameter>) -> AsconfAck {
        AsconfAck { serial: Tsn::new(serial), responses }
    }

    fn refused(id: u32, cause: Cause) -> Parameter {
        Parameter::ErrorCauseIndication { id, causes: vec![cause] }
    }

    #[test]
    fn one_request_is_under_way_at_a_time_and_the_next_waits_for_its_answer() {
        let mut state = fresh();
        let (first, second) = (address("10.0.1.1:9"), address("10.0.2.1:9"));
        state.note(AddressChange::Add(first));
        assert_eq!(request(&mut state, true).as_deref(), Some("ASCONF(serial=4294967295 add 10.0.1.1)"));
        state.note(AddressChange::Add(second));
        assert_eq!(request(&mut state, true), None);
        assert!(state.is_unannounced(first) && state.is_unannounced(second));
        let again = state.repeat_request(PathId::from_index(1)).map(|asconf| asconf.to_string());
        assert_eq!(again.as_deref(), Some("ASCONF(serial=4294967295 add 10.0.1.1)"));
        assert_eq!(state.requested_on(), Some(PathId::from_index(1)));
        assert_eq!(state.on_answer(&ack(7, Vec::new())), AsconfOutcome::Old);
        let done = AsconfOutcome::Changes(vec![(AddressChange::Add(first), true)]);
        assert_eq!(state.on_answer(&ack(u32::MAX, Vec::new())), done);
        assert!(!state.is_unannounced(first));
        assert_eq!(
            request(&mut state, true).as_deref(),
            Some("ASCONF(serial=0 add 10.0.2.1)"),
            "numbers wrap"
        );
    }

    #[test]
    fn additions_go_before_deletions_and_the_last_address_is_not_deleted_alone() {
        let mut state = fresh();
        state.note(AddressChange::Delete(address("10.0.0.1:9")));
        assert_eq!(request(&mut state, false), None, "it waits for another");
        state.note(AddressChange::Add(address("[2001:db8::1]:9")));
        let both = "ASCONF(serial=4294967295 add 2001:db8::1 delete 10.0.0.1)";
        assert_eq!(request(&mut state, false).as_deref(), Some(both));
    }

    #[test]
    fn what_the_peer_was_not_told_need_not_be_taken_back() {
        let mut state = fresh();
        state.note(AddressChange::Add(address("10.0.1.1:9")));
        state.note(AddressChange::Delete(address("10.0.1.1:9")));
        assert_eq!(request(&mut state, true), None);
        state.note(AddressChange::Delete(address("10.0.2.1:9")));
        state.note(AddressChange::Delete(address("10.0.2.1:9")));
        assert_eq!(request(&mut state, true).as_deref(), Some("ASCONF(serial=4294967295 delete 10.0.2.1)"));
        state.note(AddressChange::Add(address("10.0.2.1:9")));
        state.on_answer(&ack(u32::MAX, Vec::new()));
        assert_eq!(
            request(&mut state, true).as_deref(),
            Some("ASCONF(serial=0 add 10.0.2.1)"),
            "it was told"
        );
    }

    #[test]
    fn an_answer_to_nothing_is_illegal_and_an_old_one_is_not() {
        let mut state = fresh();
        assert_eq!(state.on_answer(&ack(u32::MAX - 1, Vec::new())), AsconfOutcome::Old);
        assert_eq!(state.on_answer(&ack(u32::MAX, Vec::new())), AsconfOutcome::Illegal);
        assert_eq!(state.on_answer(&ack(5, Vec::new())), AsconfOutcome::Illegal);
    }

    #[test]
    fn what_follows_a_refusal_has_failed_unless_it_is_said_to_be_done() {
        let changes: Vec<_> =
            (1..5).map(|host| AddressChange::Add(SocketAddr::from(([10, 0, host, 1], 9)))).collect();
        let outcomes = |responses: &[Parameter]| -> Vec<bool> {
            judge(&changes, responses).into_iter().map(|(_, is_done)| is_done).collect()
        };
        assert_eq!(outcomes(&[]), [true; 4]);
        let short = || Cause::ResourceShortage(Vec::new());
        assert_eq!(outcomes(&[refused(1, short())]), [true, false, false, false]);
        assert_eq!(
            outcomes(&[refused(1, short()), Parameter::SuccessIndication(3)]),
            [true, false, false, true]
        );
    }

    #[test]
    fn a_peer_that_does_not_understand_is_not_asked_again() {
        let mut state = fresh();
        state.note(AddressChange::Add(address("10.0.1.1:9")));
        request(&mut state, true);
        let unknown = refused(0, Cause::UnrecognizedParameters(Vec::new()));
        let failed = AsconfOutcome::Changes(vec![(AddressChange::Add(address("10.0.1.1:9")), false)]);
        assert_eq!(state.on_answer(&ack(u32::MAX, vec![unknown])), failed);
        state.note(AddressChange::Add(address("10.0.2.1:9")));
        assert_eq!(request(&mut state, true), None);
    }

    #[test]
    fn a_request_that_comes_again_has_the_same_answer_and_any_other_number_has_none() {
        let mut state = fresh();
        assert_eq!(state.action_for(Tsn::new(39)), AsconfAction::Stale, "the last before the first");
        assert_eq!(state.action_for(Tsn::new(40)), AsconfAction::Next);
        let answer = ack(40, vec![Parameter::SuccessIndication(3)]);
        state.on_answered(answer.clone());
        assert_eq!(state.action_for(Tsn::new(40)), AsconfAction::Repeat(answer));
        assert_eq!(
            [41, 42, 39].map(|serial| state.action_for(Tsn::new(serial))),
            [AsconfAction::Next, AsconfAction::Stale, AsconfAction::Stale]
        );
    }
}
