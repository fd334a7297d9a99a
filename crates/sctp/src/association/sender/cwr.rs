//! The sender's half of ECN: answers the peer's reports of congestion marks (CWR; M-ECN-3 to -5).

use anabranch_base::Time;

use super::Sender;
use super::reading::NewlyAcked;
use crate::association::ground::Ground;
use crate::config::EcnUse;
use crate::event::Event;
use crate::path::EcnFault;
use crate::policy::PathId;
use crate::policy::response::Signal;
use crate::seq::Tsn;
use crate::wire::CongestionWindowReduced;

/// The peer's reports of congestion marks, and this end's answers. Every list has at most one entry for each path.
#[derive(Clone, Debug, Default)]
pub(super) struct Cwr {
    /// The reports in the packet that is being processed.
    reports: Vec<(PathId, Report)>,
    /// The TSN of the last answered report on each path.
    answers: Vec<(PathId, Tsn)>,
    /// The TSN of the last report on each path that was answered by two cuts.
    cut_twice: Vec<(PathId, Tsn)>,
    /// The CWRs to send before the next new data on their path.
    owed: Vec<(PathId, CongestionWindowReduced)>,
    /// The first TSN after the last CWR without a cut: no other such CWR is sent until it is acknowledged.
    ended: Vec<(PathId, Tsn)>,
}

impl Cwr {
    /// Drops the state of a removed path.
    pub(super) fn remove_path(&mut self, path: PathId) {
        self.reports.retain(|(known, _)| *known != path);
        self.answers.retain(|(known, _)| *known != path);
        self.cut_twice.retain(|(known, _)| *known != path);
        self.owed.retain(|(known, _)| *known != path);
        self.ended.retain(|(known, _)| *known != path);
    }
}

/// A report of a marked packet.
#[derive(Clone, Copy, Debug)]
struct Report {
    /// The TSN that it names.
    lowest: Option<Tsn>,
    /// True if a cut was open on its path when it arrived. The SACK in the same packet may end the window of data of that
    /// cut, and the report belongs to this window.
    was_cut: bool,
    /// True if an earlier report was open on its path when it arrived.
    was_reported: bool,
}

/// Sets the entry of `path`.
fn set<T>(list: &mut Vec<(PathId, T)>, path: PathId, value: T) {
    list.retain(|(known, _)| *known != path);
    list.push((path, value));
}

impl Sender {
    /// Notes the peer's report of a marked packet. The packet carried the chunk `lowest`; if the report names no chunk,
    /// it is any packet sent on the path on which the report `arrived`. The report is applied after the rest of its
    /// packet, so that a SACK after it is processed first.
    pub(crate) fn on_ecn_echo(&mut self, ground: &mut Ground, arrived: PathId, lowest: Option<Tsn>) {
        let ecn = ground.ecn();
        if ecn == EcnUse::Off {
            return;
        }
        // M-ECN-3: without CWRs, a repeated report is not a new one. Other stacks repeat it forever.
        let answered = |tsn| self.cwr.answers.iter().find(|(_, known)| ecn == EcnUse::Cwr && *known == tsn);
        let path = match lowest {
            None => arrived,
            Some(tsn) => match self.buffer.path_of(tsn).or_else(|| answered(tsn).map(|(path, _)| *path)) {
                Some(path) => path,
                None => return self.end_late_report(ground, arrived, tsn),
            },
        };
        ground.paths.counters_mut(path).received_echoes += 1;
        let sample = ground.paths.sample(path);
        let report = Report { lowest, was_cut: sample.cut_open, was_reported: sample.ecn_open };
        if self.cwr.reports.iter().all(|(known, _)| *known != path) {
            self.cwr.reports.push((path, report));
        }
        ground.paths.change_after_loss(path, |state| state.await_echo(true));
    }

    /// Answers a report of data that is acknowledged already. The peer repeats the report until a CWR arrives, which is
    /// sent without a cut, as in other stacks, and at most once in a round trip.
    fn end_late_report(&mut self, ground: &Ground, arrived: PathId, tsn: Tsn) {
        if ground.ecn() == EcnUse::Cwr && !tsn.is_after(self.buffer.ack_point()) {
            self.end_report(arrived, tsn);
        }
    }

    /// Ends the report that names `tsn` by a CWR on `path`, unless one is in flight.
    fn end_report(&mut self, path: PathId, tsn: Tsn) {
        let acked = self.buffer.ack_point();
        let was_ended = self.cwr.ended.iter().any(|(known, until)| *known == path && acked.is_before(*until));
        let is_owed = self.cwr.owed.iter().any(|(known, _)| *known == path);
        if !was_ended && !is_owed {
            self.cwr.owed.push((path, CongestionWindowReduced { lowest_tsn: tsn, overrides: true }));
        }
    }

    /// Returns true if a report on `path` was answered by two cuts, and a window of data has been acknowledged since. A
    /// new mark would have another TSN: the answers are lost, or arrive on a path on which they end nothing, because
    /// the chunk was sent on several. Cutting for each repetition would keep the path at the minimum window.
    fn is_repeated(&self, ground: &Ground, path: PathId, report: &Report) -> bool {
        let answer = report.lowest.map(|tsn| (path, tsn));
        let is_answered = answer.is_some_and(|answer| self.cwr.cut_twice.contains(&answer));
        ground.ecn() == EcnUse::Cwr && is_answered && !report.was_cut && !report.was_reported
    }

    /// Answers the reports of marks after all chunks of their packet were read.
    #[inline]
    pub(crate) fn answer_reports(&mut self, ground: &mut Ground, now: Time) {
        while let Some((path, report)) = self.cwr.reports.pop() {
            ground.paths.change_after_loss(path, |state| state.await_echo(false));
            if let Some(tsn) = report.lowest.filter(|_| self.is_repeated(ground, path, &report)) {
                self.end_report(path, tsn);
                continue;
            }
            let Report { lowest, was_cut, was_reported } = report;
            let is_own = ground.paths.trial_mut(path).on_report(lowest);
            let is_cut =
                !is_own && !was_cut && self.respond(ground, Signal::EcnEcho, path, now).cut.is_some();
            if is_cut {
                ground.paths.counters_mut(path).ecn_cuts += 1;
            }
            if is_cut || was_cut && !was_reported && !is_own {
                let highest = self.buffer.highest_on(path);
                ground.paths.change_after_loss(path, |state| state.on_ecn_echo(highest));
            }
            if is_cut || is_own || ground.settings.config.cwr_always {
                let answer = lowest.unwrap_or(self.buffer.ack_point());
                if is_cut && self.cwr.answers.contains(&(path, answer)) {
                    set(&mut self.cwr.cut_twice, path, answer);
                }
                set(&mut self.cwr.answers, path, answer);
                if ground.ecn() == EcnUse::Cwr {
                    let cwr = CongestionWindowReduced { lowest_tsn: answer, overrides: false };
                    set(&mut self.cwr.owed, path, cwr);
                }
            }
        }
    }

    /// Queues the CWR due on `path` before new data is sent there. Returns true if there is one. It answers the marks
    /// of everything sent before it (RFC 3168 §6.1.2), so it names the last TSN of that: usrsctp and Linux report the
    /// last mark, and end the report if the CWR does not name an earlier chunk.
    #[inline]
    pub(super) fn queue_cwr(&mut self, ground: &mut Ground, path: PathId) -> bool {
        let Some(at) = self.cwr.owed.iter().position(|(known, _)| *known == path) else { return false };
        let (_, cwr) = self.cwr.owed.swap_remove(at);
        let lowest_tsn = cwr.lowest_tsn.later(self.buffer.highest_sent());
        if cwr.overrides {
            set(&mut self.cwr.ended, path, self.buffer.highest_sent().next());
        }
        ground.outbox.push_first(path, CongestionWindowReduced { lowest_tsn, ..cwr });
        ground.paths.counters_mut(path).sent_cwrs += 1;
        true
    }

    /// Checks whether ECN works on the paths where a SACK acknowledged data, summed up in `tally`.
    #[inline]
    pub(super) fn judge_ecn(&self, ground: &mut Ground, tally: &[NewlyAcked], now: Time) {
        if ground.ecn() == EcnUse::Off {
            return;
        }
        for path in ground.paths.ids() {
            let Some((_, sent_at)) = tally[path.index()].newest else { continue };
            let trial = ground.paths.trial_mut(path);
            let has_own = trial.own_mark().is_some_and(|tsn| self.buffer.is_acked(tsn));
            if let Some(fault) = trial.on_acked(now, sent_at, has_own) {
                ground.log.event(Event::EcnUnusable(path, fault));
            }
        }
    }
}

/// The reason for which a path is used without ECN, as text for users.
impl std::fmt::Display for EcnFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            EcnFault::Vanish => "packets with ECT are lost there, and others are not",
            EcnFault::Unreported => "congestion marks do not come back",
        })
    }
}
