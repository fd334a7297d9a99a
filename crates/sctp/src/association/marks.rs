//! Congestion marks: the receiver reports those of packets that arrived (ECNE), and the sender answers these reports
//! (CWR; M-ECN-3 to -5).

use anabranch_base::{Ecn, Time};

use super::outbox::Control;
use super::packet_auth::PacketAuth;
use super::reading::NewlyAcked;
use super::session::Session;
use crate::config::EcnUse;
use crate::event::Event;
use crate::path::EcnFault;
use crate::policy::PathId;
use crate::policy::response::Signal;
use crate::seq::Tsn;
use crate::wire::{CongestionWindowReduced, EcnEcho, EncodeChunk, PacketBuilder};

/// The reports of congestion marks that this end owes its peer, and the peer's reports. Every list has at most one
/// entry for each path.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    /// Paths with marked packets to report, and the lowest TSN of such a packet.
    echoes: Vec<(PathId, Tsn)>,
    /// The reports in the packet that is being read.
    reports: Vec<(PathId, Report)>,
    /// The TSN of the last report of each path. A report that is repeated belongs to the same path.
    known: Vec<(PathId, Tsn)>,
    /// CWRs that leave before the next new data on their path.
    owed: Vec<(PathId, Tsn)>,
}

/// A report of a marked packet.
#[derive(Clone, Copy, Debug)]
struct Report {
    /// The TSN that it names.
    lowest: Option<Tsn>,
    /// Whether a cut was open on its path when it arrived. The SACK in the same packet may end the window of data of that
    /// cut, and the report belongs to this window.
    was_cut: bool,
    /// The same for an earlier report.
    was_reported: bool,
}

/// Sets the entry of `path`.
fn set<T>(list: &mut Vec<(PathId, T)>, path: PathId, value: T) {
    list.retain(|(known, _)| *known != path);
    list.push((path, value));
}

impl Session {
    /// How both ends use ECN.
    pub(super) fn ecn(&self) -> EcnUse {
        if self.agreement.ecn { self.settings.config.ecn } else { EcnUse::Off }
    }

    /// A packet with data arrived on `path` with a mark; `lowest` is its lowest TSN.
    pub(super) fn on_marked(&mut self, path: PathId, lowest: Tsn) {
        let ecn = self.ecn();
        if ecn == EcnUse::Off {
            return;
        }
        if self.marks.echoes.iter().all(|(known, _)| *known != path) {
            self.marks.echoes.push((path, lowest));
        }
        // M-ECN-3: a report is sent once, and at once. With CWRs it is repeated anyway.
        self.is_sack_due |= ecn == EcnUse::Echo;
    }

    /// A CWR arrived on `path`: the peer has answered the report of `lowest`. A mark in the same packet is reported.
    pub(super) fn on_cwr(&mut self, path: PathId, lowest: Tsn) {
        if self.ecn() == EcnUse::Cwr {
            self.marks.echoes.retain(|entry| entry.0 != path && entry.1 != lowest);
        }
    }

    /// Appends the reports of marks to a packet, before a SACK. Returns whether there is room for them and `sack_len` more
    /// bytes.
    pub(super) fn pack_echoes(
        &mut self,
        sack_len: usize,
        builder: &mut PacketBuilder<'_>,
        auth: &mut PacketAuth,
    ) -> bool {
        if self.marks.echoes.is_empty() {
            return true;
        }
        let echoes = self.marks.echoes.iter().map(|(_, lowest)| EcnEcho::Lowest(*lowest));
        let len: usize =
            echoes.map(|echo| PacketAuth::cost(self.keys.as_ref(), &echo) + echo.encoded_len()).sum();
        if len + sack_len > builder.remaining() {
            return false;
        }
        for (path, lowest) in &self.marks.echoes {
            if auth.push(self.keys.as_ref(), builder, &EcnEcho::Lowest(*lowest)).is_ok() {
                self.paths.counters_mut(*path).sent_echoes += 1;
            }
        }
        if self.ecn() == EcnUse::Echo {
            self.marks.echoes.clear();
        }
        true
    }

    /// The peer reports a marked packet. The packet carried the chunk `lowest`; if the report names no chunk, it is any
    /// packet that left on the path on which the report `arrived`. The report is applied after the rest of its packet, so
    /// that a SACK behind it comes first.
    pub(super) fn on_ecn_echo(&mut self, arrived: PathId, lowest: Option<Tsn>) {
        if self.ecn() == EcnUse::Off {
            return;
        }
        let known = |tsn| self.marks.known.iter().find(|(_, known)| *known == tsn).map(|(path, _)| *path);
        let path = match lowest {
            None => Some(arrived),
            Some(tsn) => self.send.path_of(tsn).or_else(|| known(tsn)),
        };
        let Some(path) = path else {
            // The chunk is acknowledged, and its report was answered long ago: the peer did not get the answer.
            if let Some(tsn) = lowest.filter(|tsn| !self.send.ack_point().is_before(*tsn)) {
                self.owe_cwr(arrived, tsn);
            }
            return;
        };
        self.paths.counters_mut(path).received_echoes += 1;
        let sample = self.paths.sample(path);
        let report = Report { lowest, was_cut: sample.cut_open, was_reported: sample.ecn_open };
        if self.marks.reports.iter().all(|(known, _)| *known != path) {
            self.marks.reports.push((path, report));
        }
        self.paths.change_after_loss(path, |state| state.awaits_echo = true);
    }

    /// All chunks of a packet are read: answers its reports of marks.
    pub(super) fn answer_reports(&mut self, now: Time) {
        while let Some((path, Report { lowest, was_cut, was_reported })) = self.marks.reports.pop() {
            self.paths.change_after_loss(path, |state| state.awaits_echo = false);
            let is_own = self.paths.trial_mut(path).on_report(lowest);
            let is_cut = !is_own && !was_cut && self.respond(Signal::EcnEcho, path, now).cut.is_some();
            if is_cut {
                self.paths.counters_mut(path).ecn_cuts += 1;
            }
            let is_first_after_loss = was_cut && !was_reported && !is_own;
            if is_cut || is_first_after_loss {
                let highest = self.send.highest_on(path);
                self.paths.change_after_loss(path, |state| state.on_ecn_echo(highest));
            }
            let lowest = lowest.unwrap_or(self.send.ack_point());
            set(&mut self.marks.known, path, lowest);
            // RFC 3168 §6.1.2: a CWR answers for a window that is smaller, whatever made it so.
            if is_cut || is_own || is_first_after_loss {
                self.owe_cwr(path, lowest);
            }
        }
    }

    /// The report of `lowest` is to be answered on `path`, where the peer wants answers.
    fn owe_cwr(&mut self, path: PathId, lowest: Tsn) {
        if self.ecn() == EcnUse::Cwr {
            set(&mut self.marks.owed, path, lowest);
        }
    }

    /// New data is about to leave on `path`: a CWR that is owed there leaves before it. Returns whether there is one.
    pub(super) fn queue_cwr(&mut self, path: PathId) -> bool {
        let Some(at) = self.marks.owed.iter().position(|(known, _)| *known == path) else { return false };
        let (_, lowest_tsn) = self.marks.owed.swap_remove(at);
        let chunk = Box::new(CongestionWindowReduced { lowest_tsn });
        self.outbox.push_front(Control { path, is_probe: false, chunk });
        self.paths.counters_mut(path).sent_cwrs += 1;
        true
    }

    /// The codepoint of a packet with data on `path`, whose first chunk is `first`.
    pub(super) fn codepoint(&mut self, path: PathId, first: Tsn, is_new: bool) -> Ecn {
        if self.ecn() == EcnUse::Off {
            return Ecn::NotEct;
        }
        let is_tested = self.settings.config.ecn_test;
        self.paths.trial_mut(path).codepoint(first, is_new, is_tested)
    }

    /// A SACK acknowledged what `tally` says of each path: learns whether ECN works there.
    pub(super) fn judge_ecn(&mut self, tally: &[NewlyAcked], now: Time) {
        if self.ecn() == EcnUse::Off {
            return;
        }
        for path in self.paths.ids() {
            let Some((_, sent_at)) = tally[path.index()].newest else { continue };
            let trial = self.paths.trial_mut(path);
            let has_own = trial.own_mark().is_some_and(|tsn| self.send.is_acked(tsn));
            if let Some(fault) = trial.on_acked(now, sent_at, has_own) {
                self.events.push_back(Event::EcnUnusable(path, fault));
            }
        }
    }
}

/// Why a path is used without ECN, for people.
impl std::fmt::Display for EcnFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            EcnFault::Vanish => "packets with ECT are lost there, and others are not",
            EcnFault::Unreported => "congestion marks do not come back",
        })
    }
}
