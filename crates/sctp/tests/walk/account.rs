//! The laws of windows and counters whatever happened: no event sends more beyond a window than it may, and the bytes
//! that one end was given, the network carried and the other end got add up.

use anabranch_base::ByteCount;
use anabranch_sctp::association::Association;
use anabranch_sctp::endpoint::AssociationId;
use anabranch_sctp::event::Event;
use anabranch_sctp::policy::PathId;
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;
use anabranch_sctp::policy::retransmission::LostBy;

use crate::pair::{End, Pair};

/// Both ends as they were after the last event.
pub(crate) struct Account {
    mtu: ByteCount,
    cmt: CmtRules,
    exempts_by_path: bool,
    /// Windows come from a model as a whole, which may take some of one back after a packet has left.
    has_model: bool,
    seen: [Seen; 2],
    /// User data that each end was given to send.
    given: [ByteCount; 2],
}

/// An end as it was.
#[derive(Default)]
struct Seen {
    id: Option<AssociationId>,
    paths: Vec<Carried>,
}

/// The traffic of a path.
#[derive(Clone, Copy, Debug, Default)]
struct Carried {
    sent: ByteCount,
    /// Chunks lost by missing reports, and probes.
    exempting: u64,
    window: ByteCount,
}

impl Account {
    pub(crate) fn new(mtu: u64, cmt: CmtRules, exempts_by_path: bool, has_model: bool) -> Account {
        let (seen, given) = Default::default();
        Account { mtu: ByteCount::new(mtu), cmt, exempts_by_path, has_model, seen, given }
    }

    /// An end was given a message.
    pub(crate) fn on_given(&mut self, end: End, length: usize) {
        self.given[end as usize] += ByteCount::of_len(length);
    }

    /// To be asked after each event at an end: whether one sent more than windows allow.
    pub(crate) fn check_event(&mut self, pair: &mut Pair) -> Result<(), String> {
        for end in [End::A, End::Z] {
            let side = pair.side(end);
            let Some(association) = side.id.and_then(|id| side.endpoint.association(id)) else { continue };
            let seen = &mut self.seen[end as usize];
            let now: Vec<Carried> =
                association.paths().iter().map(|path| carried(association, path.id)).collect();
            let before = if side.id == seen.id { std::mem::take(&mut seen.paths) } else { Vec::new() };
            *seen = Seen { id: side.id, paths: now.clone() };
            self.check_windows(association, &before, &now).map_err(|why| format!("{end:?} {why}"))?;
        }
        Ok(())
    }

    /// New data and retransmissions leave while a path's flight is below its window, and so pass it by less than a
    /// packet. Only one packet of retransmissions may leave whatever the flight: to a path that lost something by this
    /// event, or is probed (RFC 8985 §7.3), where fast retransmit is split, to any path if something was lost where it is not (M-SCTP-7, M-CMT-6).
    fn check_windows(
        &self,
        association: &Association,
        before: &[Carried],
        now: &[Carried],
    ) -> Result<(), String> {
        let was = |index: usize| before.get(index).copied().unwrap_or_default();
        let lost = |index: usize| now[index].exempting > was(index).exempting;
        let lost_anywhere = (0..now.len()).any(lost);
        for path in association.paths() {
            let index = path.id.index();
            let exempts_waiting = self.cmt.ns2.exempts_waiting(LostBy::MissingReports);
            let by_path = self.exempts_by_path || self.cmt.recovers_by_path() && !exempts_waiting;
            let is_exempt = if by_path { lost(index) } else { lost_anywhere };
            let exempt = if is_exempt { self.mtu } else { ByteCount::ZERO };
            let sent = now[index].sent.saturating_sub(was(index).sent);
            let window = if self.has_model { path.cwnd.max(was(index).window) } else { path.cwnd };
            if sent > exempt && path.flight > window + self.mtu + exempt {
                let (id, flight, cwnd) = (path.id, path.flight, window);
                return Err(format!(
                    "sent {sent} on {id}, which has {flight} in flight now and a window of {cwnd}"
                ));
            }
        }
        Ok(())
    }

    /// Given data is acknowledged, still kept, or given up; acknowledged data has arrived; nothing arrives that was not given.
    pub(crate) fn check_sums(&self, pair: &mut Pair) -> Result<(), String> {
        let has_restarted =
            [End::A, End::Z].iter().any(|&end| pair.side(end).events.contains(&Event::Restarted));
        if has_restarted {
            return Ok(());
        }
        for end in [End::A, End::Z] {
            let given = self.given[end as usize];
            let Some([acked, kept, sent, _]) = sums(pair, end) else { continue };
            let given_up = given_up(&pair.side(end).events);
            if acked > given || acked + kept + given_up < given || sent < acked {
                return Err(format!(
                    "{end:?} was given {given}, has sent {sent}, keeps {kept}, and {acked} are acknowledged"
                ));
            }
            let Some([.., received]) = sums(pair, end.other()) else { continue };
            if received > given || received < acked {
                return Err(format!(
                    "{end:?} was given {given}, {received} arrived, and {acked} are acknowledged"
                ));
            }
        }
        Ok(())
    }
}

/// The user data of the messages that were given up.
fn given_up(events: &[Event]) -> ByteCount {
    let bytes = |event: &Event| match event {
        Event::GivenUp { bytes, .. } => *bytes,
        _ => ByteCount::ZERO,
    };
    events.iter().map(bytes).sum()
}

/// The user data that an end knows to be acknowledged, keeps, has sent and has received; `None` without an association.
fn sums(pair: &mut Pair, end: End) -> Option<[ByteCount; 4]> {
    if pair.closed(end).is_some() {
        return None;
    }
    let side = pair.side(end);
    let association = side.id.and_then(|id| side.endpoint.association(id))?;
    let counters = || association.paths().iter().map(|path| association.path_counters(path.id));
    let acked = counters().map(|counters| counters.acked_bytes).sum();
    let sent = counters().map(|counters| counters.sent_bytes).sum();
    let received = counters().map(|counters| counters.received_bytes).sum();
    (!association.paths().is_empty()).then(|| [acked, association.unacknowledged(), sent, received])
}

fn carried(association: &Association, path: PathId) -> Carried {
    let counters = association.path_counters(path);
    let exempting = counters.fast_retransmits + counters.tail_probes;
    let sample = association.paths().iter().find(|sample| sample.id == path);
    let window = sample.map_or(ByteCount::ZERO, |sample| sample.cwnd);
    Carried { sent: counters.sent_bytes, exempting, window }
}
