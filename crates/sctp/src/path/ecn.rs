//! Tests whether ECN works on a path: packets with ECT must arrive, and a mark must return as a report (after RFC 9000
//! §13.4.2).

use anabranch_base::{Ecn, Time};

use crate::seq::Tsn;

/// The state of the ECN test on one path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EcnTrial {
    stage: Stage,
    /// Expiries of T3-rtx in a row, on a path where packets with ECT arrived before.
    silent: u8,
    /// The number of times that a path without an answer to packets with ECT answered one without.
    vanished: u8,
    /// The packet that this end marked itself last, until its report arrives or is overdue.
    own_mark: Option<OwnMark>,
    /// The number of those packets that were acknowledged without a report.
    unreported: u8,
    /// The chunk that the last report of one of them named: later reports that repeat it do not indicate congestion.
    reported: Option<Tsn>,
}

/// The chunks of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PacketChunks {
    /// The first.
    pub first: Tsn,
    /// The last.
    pub last: Tsn,
}

impl PacketChunks {
    /// The chunks of a packet that has `earlier` and then the chunk `tsn`.
    pub(crate) fn with(earlier: Option<PacketChunks>, tsn: Tsn) -> PacketChunks {
        PacketChunks { first: earlier.map_or(tsn, |chunks| chunks.first), last: tsn }
    }
}

/// A packet that left with CE instead of ECT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OwnMark {
    chunks: PacketChunks,
    is_acked: bool,
}

/// The progress of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Packets leave with ECT since then, and none of them was acknowledged.
    Fresh(Time),
    /// T3-rtx expired: packets leave without ECT since then, to find out whether the path or ECT fails.
    Doubted(Time),
    /// Packets with ECT arrive.
    Arriving,
    /// Marks return too.
    Proven,
    /// ECN does not work.
    Failed(EcnFault),
}

/// The reason why a path is used without ECN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnFault {
    /// Packets with ECT are lost, and others arrive.
    Vanish,
    /// Marks do not return.
    Unreported,
}

impl Default for Stage {
    fn default() -> Stage {
        Stage::Fresh(Time::ZERO)
    }
}

impl EcnTrial {
    /// The codepoint of a packet with these chunks. If `is_tested`, some of the first packets of a path leave with CE, as if
    /// a queue had marked them.
    pub(crate) fn codepoint(&mut self, chunks: PacketChunks, is_new: bool, is_tested: bool) -> Ecn {
        match self.stage {
            Stage::Doubted(_) | Stage::Failed(_) => Ecn::NotEct,
            Stage::Arriving if is_tested && is_new && self.own_mark.is_none() => {
                self.own_mark = Some(OwnMark { chunks, is_acked: false });
                Ecn::Ce
            }
            Stage::Fresh(_) | Stage::Arriving | Stage::Proven => Ecn::Ect0,
        }
    }

    /// The T3-rtx timer expired.
    pub(crate) fn on_timeout(&mut self, now: Time) {
        self.silent = self.silent.saturating_add(1);
        self.stage = match self.stage {
            Stage::Fresh(_) => Stage::Doubted(now),
            Stage::Arriving | Stage::Proven if self.silent >= MOST_SILENT => Stage::Doubted(now),
            Stage::Doubted(_) => Stage::Fresh(now),
            other => other,
        };
    }

    /// The chunk `tsn` was lost: if its packet had this end's own mark, no report is due.
    pub(crate) fn on_lost(&mut self, tsn: Tsn) {
        self.own_mark = self.own_mark.filter(|own| own.chunks.first != tsn);
    }

    /// The first chunk of the packet that this end marked itself and whose report is due.
    pub(crate) fn own_mark(&self) -> Option<Tsn> {
        self.own_mark.map(|own| own.chunks.first)
    }

    /// A SACK acknowledged chunks that left only once, the last of them at `sent_at`. `has_own` is true if the chunk of
    /// [`own_mark`](EcnTrial::own_mark) is acknowledged. Returns a fault that is found now.
    pub(crate) fn on_acked(&mut self, now: Time, sent_at: Time, has_own: bool) -> Option<EcnFault> {
        self.silent = 0;
        match self.stage {
            Stage::Doubted(since) if sent_at > since => {
                // The path may have been down before: only the second time in a row shows that ECT is the cause.
                self.vanished += 1;
                self.stage = Stage::Fresh(now);
                return (self.vanished >= MOST_VANISHED).then(|| self.fail(EcnFault::Vanish)).flatten();
            }
            Stage::Fresh(since) if sent_at > since => {
                self.stage = Stage::Arriving;
                self.vanished = 0;
            }
            // It left with ECT, before the doubt.
            Stage::Doubted(since) if sent_at < since => self.stage = Stage::Arriving,
            Stage::Fresh(_) | Stage::Doubted(_) | Stage::Arriving | Stage::Proven | Stage::Failed(_) => {}
        }
        let own = self.own_mark.as_mut().filter(|_| has_own)?;
        // The report comes with the SACK of the marked packet; if that SACK was lost, with a later one.
        if !std::mem::replace(&mut own.is_acked, true) {
            return None;
        }
        self.own_mark = None;
        self.unreported += 1;
        (self.unreported >= MOST_UNREPORTED).then(|| self.fail(EcnFault::Unreported)).flatten()
    }

    /// The peer reported a mark of the packet with `tsn`. Returns true if it is this end's own mark.
    pub(crate) fn on_report(&mut self, tsn: Option<Tsn>) -> bool {
        if tsn.is_some() && self.reported == tsn {
            return true;
        }
        if !matches!(self.stage, Stage::Failed(_)) {
            self.stage = Stage::Proven;
        }
        // The report names the packet's first chunk (RFC 4960 appendix A), or its last (FreeBSD).
        let own = self.own_mark.take().map(|own| own.chunks);
        let is_own = own.is_some_and(|own| tsn.is_none_or(|tsn| tsn == own.first || tsn == own.last));
        if is_own {
            self.reported = tsn;
        }
        is_own
    }

    fn fail(&mut self, fault: EcnFault) -> Option<EcnFault> {
        self.stage = Stage::Failed(fault);
        Some(fault)
    }
}

/// The number of packets marked by this end that may remain without a report: reports are sent only once, and may be
/// lost.
const MOST_UNREPORTED: u8 = 3;
/// The number of expiries of T3-rtx in a row that do not cause a doubt on a path where ECT arrived before.
const MOST_SILENT: u8 = 2;
/// The number of times in a row that packets without ECT must arrive where packets with ECT did not.
const MOST_VANISHED: u8 = 2;

#[cfg(test)]
mod tests {
    use anabranch_base::Duration;

    use super::*;

    fn tsn(number: u32) -> Tsn {
        Tsn::new(number)
    }

    /// A packet with one chunk.
    fn alone(number: u32) -> PacketChunks {
        PacketChunks { first: tsn(number), last: tsn(number) }
    }

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    impl EcnTrial {
        fn is_proven(&self) -> bool {
            self.stage == Stage::Proven
        }
    }

    /// A trial on which a packet with ECT was acknowledged.
    fn arriving() -> EcnTrial {
        let mut trial = EcnTrial::default();
        assert_eq!(trial.codepoint(alone(1), true, true), Ecn::Ect0);
        assert_eq!(trial.on_acked(at(1), at(1), false), None);
        trial
    }

    #[test]
    fn a_mark_of_this_end_that_comes_back_proves_the_path_and_is_no_congestion() {
        let mut trial = arriving();
        assert_eq!(trial.codepoint(alone(2), true, true), Ecn::Ce);
        assert_eq!(trial.codepoint(alone(3), true, true), Ecn::Ect0, "one packet at a time");
        assert!(trial.on_report(Some(tsn(2))) && trial.is_proven());
        assert!(trial.on_report(Some(tsn(2))), "it is repeated until a CWR arrives");
        assert!(!trial.on_report(Some(tsn(3))), "that packet was marked by a queue");
        assert_eq!(trial.codepoint(alone(4), true, true), Ecn::Ect0);
    }

    #[test]
    fn the_report_of_an_own_mark_may_name_the_last_chunk_of_the_packet() {
        for (named, is_own) in [(2, true), (3, false), (4, true), (5, false)] {
            let mut trial = arriving();
            let chunks = PacketChunks { first: tsn(2), last: tsn(4) };
            assert_eq!(trial.codepoint(chunks, true, true), Ecn::Ce);
            assert_eq!(trial.on_report(Some(tsn(named))), is_own, "{named}");
            assert_eq!(trial.on_report(Some(tsn(named))), is_own, "{named}, repeated");
        }
    }

    #[test]
    fn marks_that_never_come_back_end_the_use_of_ecn() {
        let mut trial = arriving();
        let mut faults = Vec::new();
        for number in 1..=3 {
            assert_eq!(trial.codepoint(alone(number * 10), true, true), Ecn::Ce);
            faults.extend([false, true, true].map(|has_own| trial.on_acked(at(2), at(2), has_own)));
        }
        let found: Vec<EcnFault> = faults.into_iter().flatten().collect();
        assert_eq!(found, [EcnFault::Unreported]);
        assert_eq!(trial.codepoint(alone(99), true, true), Ecn::NotEct);
        assert!(!trial.on_report(None) && !trial.is_proven(), "too late");
    }

    #[test]
    fn a_report_with_the_next_sack_is_in_time() {
        let mut trial = arriving();
        trial.codepoint(alone(2), true, true);
        assert_eq!(trial.on_acked(at(2), at(2), true), None);
        assert!(trial.on_report(None), "a report without a TSN, too");
        assert!(trial.is_proven());
    }

    #[test]
    fn a_marked_packet_that_is_lost_says_nothing() {
        let mut trial = arriving();
        for number in 1..=10 {
            assert_eq!(trial.codepoint(alone(number * 10), true, true), Ecn::Ce);
            trial.on_lost(tsn(number * 10));
            assert_eq!((trial.own_mark(), trial.on_acked(at(2), at(2), true)), (None, None));
        }
    }

    #[test]
    fn a_path_that_carries_nothing_with_ect_is_used_without() {
        let mut trial = EcnTrial::default();
        trial.codepoint(alone(1), true, true);
        trial.on_timeout(at(1));
        assert_eq!(trial.codepoint(alone(1), false, true), Ecn::NotEct);
        assert_eq!(trial.on_acked(at(3), at(2), false), None, "the path may have been down");
        assert_eq!(trial.codepoint(alone(2), true, true), Ecn::Ect0);
        assert_eq!(trial.on_acked(at(4), at(2), false), None, "this left without ECT");
        trial.on_timeout(at(5));
        assert_eq!(trial.on_acked(at(7), at(6), false), Some(EcnFault::Vanish));
        assert_eq!(trial.codepoint(alone(3), true, true), Ecn::NotEct);
    }

    #[test]
    fn a_late_acknowledgement_of_a_packet_with_ect_removes_the_doubt() {
        let mut trial = EcnTrial::default();
        trial.on_timeout(at(2));
        assert_eq!(trial.on_acked(at(3), at(1), false), None);
        assert_eq!(trial.codepoint(alone(2), true, false), Ecn::Ect0);
        assert_eq!(trial.stage, Stage::Arriving);
    }

    #[test]
    fn a_path_that_carries_nothing_at_all_is_tried_again() {
        let mut trial = EcnTrial::default();
        trial.on_timeout(at(1));
        trial.on_timeout(at(2));
        assert_eq!(trial.codepoint(alone(1), false, true), Ecn::Ect0);
        assert_eq!(trial.on_acked(at(3), at(3), false), None);
        trial.on_timeout(at(4));
        assert_eq!(
            trial.codepoint(alone(2), true, false),
            Ecn::Ect0,
            "one later time-out says nothing of ECT"
        );
        trial.on_timeout(at(6));
        assert_eq!(trial.codepoint(alone(3), true, false), Ecn::NotEct, "the way may be another now");
    }
}
