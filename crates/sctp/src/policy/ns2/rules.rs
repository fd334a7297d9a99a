//! The rules of ns-2's CMT module by name and number, and sets of them. The names stay in this folder, and the numbers are
//! those of the setting `cmt.ns2_rules`.

use super::Ns2;

/// A rule of ns-2's CMT module, with its number in docs/oracle.md. Each method of [`Ns2`] names the rule on which it
/// depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Windows grow in recovery, and a loss above the recover point cuts again.
    Recovery = 1,
    /// A path's lowest chunk stays the lost one until its repair is acknowledged.
    LowestStays = 2,
    /// A cut may raise a window, and cuts other paths that wait with lost chunks.
    CutsWaiting = 3,
    /// Every path with a chunk waiting for fast retransmit has an exemption.
    ExemptsWaiting = 4,
    /// Idle decay runs with data in flight, and lifts windows below 4 units.
    DecayInFlight = 5,
    /// DAC: cumulative acknowledgements make no SACK mixed, SACKs by the timer count nothing.
    PacketCount = 6,
    /// Building a packet for one path makes the next lost chunk's path search anew.
    SearchByPacket = 7,
    /// T3-rtx restarts, Max.Burst for good, chunks acknowledged twice, round-trip samples.
    Accounts = 8,
}

impl Ns2 {
    /// Without rules: every method returns the value of our CMT.
    pub const NONE: Ns2 = Ns2(0);
    /// The recovery of a path in ns-2's module: `cmt.recovery = "ns2"`.
    pub const RECOVERY: Ns2 = Ns2::NONE.with(Rule::Recovery).with(Rule::LowestStays);
    /// The number of rules; their numbers start at 1.
    pub const COUNT: u32 = Rule::Accounts as u32;

    /// The rules with these numbers; unknown numbers are ignored.
    pub fn of_numbers(numbers: &[u32]) -> Ns2 {
        let known = numbers.iter().filter(|number| (1..=Ns2::COUNT).contains(*number));
        Ns2(known.fold(0, |set, number| set | 1 << number))
    }

    /// The numbers of the rules, ascending.
    pub fn numbers(self) -> Vec<u32> {
        (1..=Ns2::COUNT).filter(|number| self.0 & 1 << number != 0).collect()
    }

    /// The union of both sets.
    pub const fn and(self, others: Ns2) -> Ns2 {
        Ns2(self.0 | others.0)
    }

    /// These rules without `others`.
    pub const fn without(self, others: Ns2) -> Ns2 {
        Ns2(self.0 & !others.0)
    }

    /// Returns true if all rules of `others` are among them.
    pub(crate) const fn has_all(self, others: Ns2) -> bool {
        self.0 & others.0 == others.0
    }

    /// These rules and `rule`.
    pub(super) const fn with(self, rule: Rule) -> Ns2 {
        Ns2(self.0 | 1 << rule as u16)
    }

    /// Returns true if `rule` is one of them.
    #[inline]
    pub(super) const fn has(self, rule: Rule) -> bool {
        self.0 & 1 << rule as u16 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_the_rules_that_were_put_into_it_by_number_or_by_name() {
        let all: Vec<u32> = (1..=8).collect();
        assert_eq!(Ns2::of_numbers(&all).numbers(), all);
        assert_eq!(Ns2::of_numbers(&[2, 1, 0, 9]), Ns2::RECOVERY);
        let set = Ns2::RECOVERY.with(Rule::Accounts);
        assert_eq!(set.numbers(), [1, 2, 8]);
        assert!(set.has_all(Ns2::RECOVERY) && !set.has(Rule::DecayInFlight));
        assert_eq!(set.without(Ns2::RECOVERY).numbers(), [8]);
        assert!(!set.without(Ns2::RECOVERY).has_all(Ns2::RECOVERY));
    }
}
