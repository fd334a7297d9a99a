//! Congestion marks: the receiver reports those of packets that arrived (ECNE), and the sender answers these reports
//! (CWR; M-ECN-3 to -5).

use anabranch_base::{Ecn, Time};

use super::outbox::Control;
use super::packet_auth::PacketAuth;
use super::reading::NewlyAcked;
use super::session::Session;
use crate::config::EcnUse;
use crate::event::Event;
use crate::path::{EcnFault, PacketChunks};
use crate::policy::PathId;
use crate::policy::response::Signal;
use crate::seq::Tsn;
use crate::wire::{CongestionWindowReduced, EcnEcho, EncodeChunk, PacketBuilder};

/// The reports of congestion marks that this end owes its peer, and the peer's reports. Every list has at most one
/// entry for each path.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    /// Paths with marked packets to report.
    echoes: Vec<(PathId, Unanswered)>,
    /// The reports in the packet that is being read.
    reports: Vec<(PathId, Report)>,
    /// The last answer on each path: the TSN of the report.
    answers: Vec<(PathId, Tsn)>,
    /// The last report on each path that was answered by two cuts.
    cut_twice: Vec<(PathId, Tsn)>,
    /// CWRs that leave before the next new data on their path.
    owed: Vec<(PathId, CongestionWindowReduced)>,
    /// The first TSN after the last CWR without a cut: no other one leaves until it is acknowledged.
    ended: Vec<(PathId, Tsn)>,
}

impl Marks {
    /// A path was removed: no CWR comes on it, and none is sent.
    pub(super) fn forget(&mut self, path: PathId) {
        self.echoes.retain(|(known, _)| *known != path);
        self.reports.retain(|(known, _)| *known != path);
        self.answers.retain(|(known, _)| *known != path);
        self.cut_twice.retain(|(known, _)| *known != path);
        self.owed.retain(|(known, _)| *known != path);
        self.ended.retain(|(known, _)| *known != path);
    }
}

/// Marked packets that are not yet reported, or with CWRs not yet answered.
#[derive(Clone, Copy, Debug)]
struct Unanswered {
    /// The lowest TSN of the first of them.
    lowest: Tsn,
    packets: u32,
}

impl Unanswered {
    /// In the form with their number: usrsctp 0.9.5 does not read on behind a shorter one, and misses the SACK.
    fn echo(&self) -> EcnEcho {
        EcnEcho::Counted { lowest: self.lowest, packets: self.packets }
    }
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
        match self.marks.echoes.iter_mut().find(|(known, _)| *known == path) {
            Some((_, unanswered)) => unanswered.packets = unanswered.packets.saturating_add(1),
            None => self.marks.echoes.push((path, Unanswered { lowest, packets: 1 })),
        }
        // M-ECN-3: a report is sent once, and at once. With CWRs it is repeated anyway.
        self.is_sack_due |= ecn == EcnUse::Echo;
    }

    /// A CWR arrived on `path`. A mark in the same packet is reported. FreeBSD answers each report of a round trip: such an
    /// answer does not end the report of a later mark, which its TSN precedes.
    pub(super) fn on_cwr(&mut self, path: PathId, cwr: CongestionWindowReduced) {
        if self.ecn() != EcnUse::Cwr {
            return;
        }
        let ends = |on: PathId, lowest: Tsn| {
            cwr.overrides || cwr.lowest_tsn == lowest || on == path && cwr.lowest_tsn.is_after(lowest)
        };
        self.marks.echoes.retain(|(on, unanswered)| !ends(*on, unanswered.lowest));
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
        let echoes = self.marks.echoes.iter().map(|(_, unanswered)| unanswered.echo());
        let len: usize =
            echoes.map(|echo| PacketAuth::cost(self.keys.as_ref(), &echo) + echo.encoded_len()).sum();
        if len + sack_len > builder.remaining() {
            return false;
        }
        for (path, unanswered) in &self.marks.echoes {
            if auth.push(self.keys.as_ref(), builder, &unanswered.echo()).is_ok() {
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
        let ecn = self.ecn();
        if ecn == EcnUse::Off {
            return;
        }
        // M-ECN-3: without CWRs, a report that comes again is not another one. Other stacks repeat it forever.
        let answered = |tsn| self.marks.answers.iter().find(|(_, known)| ecn == EcnUse::Cwr && *known == tsn);
        let path = match lowest {
            None => arrived,
            Some(tsn) => match self.send.path_of(tsn).or_else(|| answered(tsn).map(|(path, _)| *path)) {
                Some(path) => path,
                None => return self.end_late_report(arrived, tsn),
            },
        };
        self.paths.counters_mut(path).received_echoes += 1;
        let sample = self.paths.sample(path);
        let report = Report { lowest, was_cut: sample.cut_open, was_reported: sample.ecn_open };
        if self.marks.reports.iter().all(|(known, _)| *known != path) {
            self.marks.reports.push((path, report));
        }
        self.paths.change_after_loss(path, |state| state.awaits_echo = true);
    }

    /// The peer reports a mark of data that it has acknowledged since. It repeats that until a CWR comes, which is sent
    /// without a cut, as other stacks do it, and at most once in a round trip.
    fn end_late_report(&mut self, arrived: PathId, tsn: Tsn) {
        if self.ecn() == EcnUse::Cwr && !tsn.is_after(self.send.ack_point()) {
            self.end_report(arrived, tsn);
        }
    }

    /// Ends the report that names `tsn` by a CWR on `path`, unless one is under way.
    fn end_report(&mut self, path: PathId, tsn: Tsn) {
        let acked = self.send.ack_point();
        let was_ended =
            self.marks.ended.iter().any(|(known, until)| *known == path && acked.is_before(*until));
        let is_owed = self.marks.owed.iter().any(|(known, _)| *known == path);
        if !was_ended && !is_owed {
            self.marks.owed.push((path, CongestionWindowReduced { lowest_tsn: tsn, overrides: true }));
        }
    }

    /// Whether a report on `path` was answered by two cuts, and a window of data has been acknowledged since. A new mark would
    /// have another TSN: the answers come by a path on which they end nothing, because the chunk was sent on several, or they
    /// are lost. To cut for it again and again would leave the path with the least window for good.
    fn is_repeated(&self, path: PathId, report: &Report) -> bool {
        let answer = report.lowest.map(|tsn| (path, tsn));
        let is_answered = answer.is_some_and(|answer| self.marks.cut_twice.contains(&answer));
        self.ecn() == EcnUse::Cwr && is_answered && !report.was_cut && !report.was_reported
    }

    /// All chunks of a packet are read: answers its reports of marks.
    pub(super) fn answer_reports(&mut self, now: Time) {
        while let Some((path, report)) = self.marks.reports.pop() {
            self.paths.change_after_loss(path, |state| state.awaits_echo = false);
            if let Some(tsn) = report.lowest.filter(|_| self.is_repeated(path, &report)) {
                self.end_report(path, tsn);
                continue;
            }
            let Report { lowest, was_cut, was_reported } = report;
            let is_own = self.paths.trial_mut(path).on_report(lowest);
            let is_cut = !is_own && !was_cut && self.respond(Signal::EcnEcho, path, now).cut.is_some();
            if is_cut {
                self.paths.counters_mut(path).ecn_cuts += 1;
            }
            if is_cut || was_cut && !was_reported && !is_own {
                let highest = self.send.highest_on(path);
                self.paths.change_after_loss(path, |state| state.on_ecn_echo(highest));
            }
            if is_cut || is_own || self.settings.config.cwr_always {
                let answer = lowest.unwrap_or(self.send.ack_point());
                if is_cut && self.marks.answers.contains(&(path, answer)) {
                    set(&mut self.marks.cut_twice, path, answer);
                }
                set(&mut self.marks.answers, path, answer);
                if self.ecn() == EcnUse::Cwr {
                    let cwr = CongestionWindowReduced { lowest_tsn: answer, overrides: false };
                    set(&mut self.marks.owed, path, cwr);
                }
            }
        }
    }

    /// New data is about to leave on `path`: a CWR that is owed there leaves before it. Returns whether there is one. It
    /// answers marks of all that left before it (RFC 3168 §6.1.2), so it names the last of that: usrsctp and Linux report the
    /// last mark, and end the report if the CWR does not name an earlier chunk.
    pub(super) fn queue_cwr(&mut self, path: PathId) -> bool {
        let Some(at) = self.marks.owed.iter().position(|(known, _)| *known == path) else { return false };
        let (_, cwr) = self.marks.owed.swap_remove(at);
        let lowest_tsn = cwr.lowest_tsn.later(self.send.highest_sent());
        if cwr.overrides {
            set(&mut self.marks.ended, path, self.send.highest_sent().next());
        }
        let chunk = Box::new(CongestionWindowReduced { lowest_tsn, ..cwr });
        self.outbox.push_front(Control { path, is_probe: false, chunk });
        self.paths.counters_mut(path).sent_cwrs += 1;
        true
    }

    /// The codepoint of a packet with these chunks on `path`.
    pub(super) fn codepoint(&mut self, path: PathId, chunks: PacketChunks, is_new: bool) -> Ecn {
        let is_off = self.ecn() == EcnUse::Off;
        if is_off || !is_new && !self.settings.config.ect_retransmissions {
            return Ecn::NotEct;
        }
        let is_tested = self.settings.config.ecn_test;
        self.paths.trial_mut(path).codepoint(chunks, is_new, is_tested)
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
