//! SACKs that report only what is new (M-IPCC-9, YE 6.6): the gap blocks that changed lately.

use anabranch_base::ByteCount;

use super::DacWire;
use super::content::{Arrived, Listed, SackContent};
use crate::policy::ConfigError;
use crate::policy::rules::StandardRules;
use crate::seq::Tsn;
use crate::wire::Sack;

/// A run of TSNs, and the number of SACKs that reported it unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ReportedRun {
    first: Tsn,
    last: Tsn,
    times: u8,
}

/// Reports each run of TSNs in a fixed number of SACKs, and again when it grows, so that the loss of a SACK does not
/// lose its report; or when one of its chunks arrives again, because the sender does not know that it arrived.
///
/// The list of duplicates names the TSNs that were reported and then dropped. This receiver drops none, so that it is
/// empty.
#[derive(Clone, Debug)]
pub struct NewGaps {
    /// The number of SACKs that report a run.
    times: u8,
    /// The runs of the last SACK, ascending.
    known: Vec<ReportedRun>,
    /// Memory for the runs of the next SACK.
    next: Vec<ReportedRun>,
}

impl NewGaps {
    /// A rule that reports each run in `times` SACKs; in YE's text, one.
    pub fn new(times: u8) -> NewGaps {
        NewGaps { times, known: Vec::new(), next: Vec::new() }
    }

    /// Checks that SACKs do not carry the plain number of packets, which takes all their flags.
    ///
    /// # Errors
    /// SACKs carry the plain number.
    pub fn check(rules: &StandardRules) -> Result<(), ConfigError> {
        match rules.dac_wire {
            DacWire::Plain => {
                let expected = "bits76 where sack.gaps is new".to_owned();
                Err(ConfigError::new("dac_wire", &"plain", expected))
            }
            DacWire::Bits76 => Ok(()),
        }
    }
}

impl SackContent for NewGaps {
    fn fill(&mut self, arrived: Arrived<'_>, limit: ByteCount, listed: &mut Listed) {
        let entries = limit.as_len().saturating_sub(Sack::HEADER_LEN) / Sack::ENTRY_LEN;
        listed.gaps.clear();
        listed.duplicates.clear();
        self.next.clear();
        let mut before = self.known.iter().peekable();
        for gap in arrived.gaps {
            let [first, last] = [gap.start, gap.end].map(|offset| arrived.cumulative.plus(offset.into()));
            while before.next_if(|run| run.first.is_before(first)).is_some() {}
            let same = before.next_if(|run| (run.first, run.last) == (first, last));
            let is_unknown =
                arrived.duplicates.iter().any(|tsn| !tsn.is_before(first) && !tsn.is_after(last));
            let mut times = same.filter(|_| !is_unknown).map_or(0, |run| run.times);
            if times < self.times && listed.gaps.len() < entries {
                listed.gaps.push(gap);
                times += 1;
            }
            self.next.push(ReportedRun { first, last, times });
        }
        std::mem::swap(&mut self.known, &mut self.next);
    }

    fn flags(&self) -> u8 {
        Sack::NEW_GAPS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::GapBlock;

    /// The gap blocks of a SACK with this cumulative TSN and room for `room` blocks.
    fn listed(
        content: &mut NewGaps,
        (cumulative, room): (u32, u64),
        gaps: &[(u16, u16)],
        duplicates: &[u32],
    ) -> Vec<(u16, u16)> {
        let mut blocks = gaps.iter().map(|&(start, end)| GapBlock { start, end });
        let duplicates: Vec<Tsn> = duplicates.iter().map(|&tsn| Tsn::new(tsn)).collect();
        let arrived =
            Arrived { cumulative: Tsn::new(cumulative), gaps: &mut blocks, duplicates: &duplicates };
        let mut listed = Listed::default();
        content.fill(arrived, ByteCount::new(16 + 4 * room), &mut listed);
        assert!(listed.duplicates.is_empty(), "nothing is dropped");
        listed.gaps.iter().map(|gap| (gap.start, gap.end)).collect()
    }

    #[test]
    fn a_run_is_reported_in_three_sacks_and_again_when_it_grows() {
        let mut content = NewGaps::new(3);
        let mut report = |gaps: &[(u16, u16)]| listed(&mut content, (10, 99), gaps, &[]);
        let one = [(2, 3)];
        assert_eq!([(); 4].map(|()| report(&one)), [one.to_vec(), one.to_vec(), one.to_vec(), vec![]]);
        assert_eq!(report(&[(2, 3), (5, 5)]), [(5, 5)]);
        assert_eq!(report(&[(2, 4), (6, 6)]), [(2, 4), (6, 6)], "other runs");
    }

    #[test]
    fn a_run_stays_the_same_when_the_cumulative_tsn_moves_below_it() {
        let mut content = NewGaps::new(1);
        assert_eq!(listed(&mut content, (10, 99), &[(2, 3), (9, 9)], &[]), [(2, 3), (9, 9)]);
        assert_eq!(listed(&mut content, (13, 99), &[(6, 6)], &[]), []);
    }

    #[test]
    fn what_had_no_room_is_reported_by_the_next_sack() {
        let mut content = NewGaps::new(1);
        let gaps = [(2, 2), (4, 4), (6, 6)];
        assert_eq!(listed(&mut content, (10, 2), &gaps, &[]), [(2, 2), (4, 4)]);
        assert_eq!(listed(&mut content, (10, 2), &gaps, &[]), [(6, 6)]);
    }

    #[test]
    fn what_arrives_again_is_reported_again() {
        let mut content = NewGaps::new(1);
        let gaps = [(2, 4), (6, 6)];
        listed(&mut content, (10, 99), &gaps, &[]);
        assert_eq!(listed(&mut content, (10, 99), &gaps, &[13, 11]), [(2, 4)]);
    }

    #[test]
    fn the_flag_is_none_of_those_that_count_packets() {
        assert_eq!(NewGaps::new(3).flags(), 0x20);
    }
}
