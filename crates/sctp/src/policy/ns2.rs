//! The rules in which the CMT module of ns-2.35 differs from our CMT, with one switch for each. They serve to compare
//! our results with those of that module. docs/oracle.md says what each rule changes; two of them together are
//! `cmt.recovery = "ns2"`.

/// A rule of ns-2's CMT module, with its number in docs/oracle.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ns2Rule {
    /// Windows grow in fast recovery. A lost chunk above the highest TSN that was outstanding on its path at the last
    /// cut cuts the window again, other lost chunks do not. Nothing ends the recovery (M-CMT-2, "Peers").
    Recovery = 1,
    /// The window update waits for the lowest chunk of a path that was sent once. When this chunk is marked, the
    /// window update still waits for it, until it is acknowledged or a chunk of the path is sent on another path
    /// (M-CMT-3, without the flags set on a mark).
    LowestStays = 2,
    /// A cut may raise a window that is below the floor. Missing reports on one path also cut the paths whose lost
    /// chunks wait.
    CutsWaiting = 3,
    /// Missing reports on one path allow one packet beyond the window on every path on which a chunk waits for fast
    /// retransmit.
    ExemptsWaiting = 4,
    /// Idle decay starts at the last data sent, even if data is in flight, and raises windows below 4 units.
    DecayInFlight = 5,
    /// DAC: a cumulative acknowledgement does not make a SACK mixed, a SACK that its timer sent does not report
    /// missing chunks, and the number of packets is used as it is.
    PacketCount = 6,
    /// After a packet of retransmissions for one path, the path of the next lost chunk searches for its lowest chunk
    /// again.
    SearchByPacket = 7,
    /// T3-rtx restarts when a chunk of its path is acknowledged cumulatively that is not below both chunks for which the
    /// window update waits: the lowest sent once and the lowest sent again. After the first retransmission is
    /// acknowledged, bursts are always bounded. A chunk whose acknowledgement was taken back counts again. A loss
    /// that does not cut the window does not end the measurement of a round trip.
    Accounts = 8,
}

/// A set of such rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ns2Rules(u16);

impl Ns2Rules {
    /// No rule: our CMT.
    pub const NONE: Ns2Rules = Ns2Rules(0);
    /// The recovery of a path in ns-2's module: `cmt.recovery = "ns2"`.
    pub const RECOVERY: Ns2Rules = Ns2Rules::NONE.with(Ns2Rule::Recovery).with(Ns2Rule::LowestStays);
    /// How many rules there are; their numbers start at 1.
    pub const COUNT: u32 = Ns2Rule::Accounts as u32;

    /// These rules and `rule`.
    pub const fn with(self, rule: Ns2Rule) -> Ns2Rules {
        Ns2Rules(self.0 | 1 << rule as u16)
    }

    /// Whether `rule` is one of them.
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

    /// These rules without `others`.
    pub const fn without(self, others: Ns2Rules) -> Ns2Rules {
        Ns2Rules(self.0 & !others.0)
    }

    /// The rules with these numbers; unknown numbers are ignored.
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
