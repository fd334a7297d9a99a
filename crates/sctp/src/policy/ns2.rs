//! The rules in which the CMT module of ns-2.35 differs from ours, one switch each: for comparison with that module's
//! results. docs/oracle.md says what each of them changes; two of them together are `cmt.recovery = "ns2"`.

/// A rule of ns-2's CMT module, with the number that it has in docs/oracle.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ns2Rule {
    /// Windows grow in fast recovery. A lost chunk above the highest TSN that was outstanding on its path at the last cut
    /// cuts again, and one that is not above does not: nothing ends the recovery (M-CMT-2, "Peers").
    Recovery = 1,
    /// The lowest chunk of a path that was sent once stays the one that the window update waits for when it is marked, until
    /// it is acknowledged or a chunk of the path is sent elsewhere (M-CMT-3, without the flags set on a mark).
    LowestStays = 2,
    /// A cut may raise a window that is below the floor. Missing reports on one path also cut the paths whose lost chunks
    /// wait.
    CutsWaiting = 3,
    /// Missing reports on one path give every path on which a chunk waits for fast retransmit a packet beyond its window.
    ExemptsWaiting = 4,
    /// Idle decay runs from the last data sent, whether data is in flight or not, and lifts windows below 4 units.
    DecayInFlight = 5,
    /// DAC: a cumulative acknowledgement makes no SACK mixed, a SACK that left by its timer reports nothing missing, and
    /// the number of packets is believed as it stands.
    PacketCount = 6,
    /// Building a packet of retransmissions for one path makes the path of the next lost chunk search its lowest chunk
    /// anew.
    SearchByPacket = 7,
    /// T3-rtx restarts when any chunk of its path is acknowledged cumulatively; bursts are bounded for good after the first
    /// retransmission is acknowledged; a chunk whose acknowledgement was taken back counts again; a loss that does not cut
    /// the window does not end the measurement of a round trip.
    Accounts = 8,
}

/// A set of such rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ns2Rules(u16);

impl Ns2Rules {
    /// None of them: ours.
    pub const NONE: Ns2Rules = Ns2Rules(0);
    /// The recovery of a path as ns-2's module has it: `cmt.recovery = "ns2"`.
    pub const RECOVERY: Ns2Rules = Ns2Rules::NONE.with(Ns2Rule::Recovery).with(Ns2Rule::LowestStays);
    /// How many rules there are: their numbers begin at 1.
    pub const COUNT: u32 = Ns2Rule::Accounts as u32;

    /// These rules and one more.
    pub const fn with(self, rule: Ns2Rule) -> Ns2Rules {
        Ns2Rules(self.0 | 1 << rule as u16)
    }

    /// Whether the rule is one of them.
    pub const fn has(self, rule: Ns2Rule) -> bool {
        self.0 & 1 << rule as u16 != 0
    }

    /// Whether all rules of `others` are among them.
    pub const fn has_all(self, others: Ns2Rules) -> bool {
        self.0 & others.0 == others.0
    }

    /// The union of both sets.
    pub const fn and(self, others: Ns2Rules) -> Ns2Rules {
        Ns2Rules(self.0 | others.0)
    }

    /// These rules but for `others`.
    pub const fn without(self, others: Ns2Rules) -> Ns2Rules {
        Ns2Rules(self.0 & !others.0)
    }

    /// The rules with these numbers; a number that no rule has is passed over.
    pub fn of_numbers(numbers: &[u32]) -> Ns2Rules {
        let known = numbers.iter().filter(|number| (1..=Ns2Rules::COUNT).contains(*number));
        Ns2Rules(known.fold(0, |set, number| set | 1 << number))
    }

    /// The numbers of the rules, ascending.
    pub fn numbers(self) -> Vec<u32> {
        (1..=Ns2Rules::COUNT).filter(|number| self.0 & 1 << number != 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_the_rules_that_were_put_into_it_by_number_or_by_name() {
        let all: Vec<u32> = (1..=8).collect();
        assert_eq!(Ns2Rules::of_numbers(&all).numbers(), all);
        assert_eq!(Ns2Rules::of_numbers(&[2, 1, 0, 9]), Ns2Rules::RECOVERY);
        let set = Ns2Rules::RECOVERY.with(Ns2Rule::Accounts);
        assert_eq!(set.numbers(), [1, 2, 8]);
        assert!(set.has_all(Ns2Rules::RECOVERY) && !set.has(Ns2Rule::DecayInFlight));
        assert_eq!(set.without(Ns2Rules::RECOVERY).numbers(), [8]);
        assert!(!set.without(Ns2Rules::RECOVERY).has_all(Ns2Rules::RECOVERY));
    }
}
