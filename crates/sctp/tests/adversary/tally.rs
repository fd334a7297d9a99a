//! Counts what happened in all plays together, to show that the mix is real.

use std::collections::BTreeMap;
use std::fmt;

/// Counts by kind, and the most of what is bounded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    counts: BTreeMap<(Column, String), u64>,
    most: BTreeMap<&'static str, Most>,
}

/// The counted events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Column {
    /// Plays, by the powers of the attacker.
    Powers,
    /// Moves of the attacker, by kind.
    Move,
    /// Packets of the attacker, by their effect.
    Packet,
    /// Their chunks, by type.
    Chunk,
    /// States of the association that they were meant for.
    State,
    /// Associations between the honest two, by how they ended at an end.
    End,
    /// Faults that are known.
    Known,
}

/// The largest value of a bounded quantity, beside its bound.
#[derive(Clone, Copy, Debug, Default)]
struct Most {
    value: u64,
    bound: u64,
    seed: u64,
}

impl Tally {
    /// One more.
    pub(crate) fn count(&mut self, column: Column, what: impl Into<String>) {
        *self.counts.entry((column, what.into())).or_default() += 1;
    }

    /// Notes a value of a quantity with its bound; the value nearest to its bound is kept.
    pub(crate) fn watch(&mut self, what: &'static str, seed: u64, value: u64, bound: u64) {
        let most = self.most.entry(what).or_default();
        let is_nearer = u128::from(value) * u128::from(most.bound.max(1))
            > u128::from(most.value) * u128::from(bound.max(1));
        if is_nearer || most.bound == 0 {
            *most = Most { value, bound, seed };
        }
    }

    /// Returns the count.
    pub(crate) fn of(&self, column: Column, what: &str) -> u64 {
        self.counts.get(&(column, what.to_owned())).copied().unwrap_or(0)
    }

    /// Adds the counts of another tally.
    pub(crate) fn add(&mut self, other: &Tally) {
        for (key, count) in &other.counts {
            *self.counts.entry(key.clone()).or_default() += count;
        }
        for (what, most) in &other.most {
            self.watch(what, most.seed, most.value, most.bound);
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut last = None;
        for ((column, what), count) in &self.counts {
            if last != Some(column) {
                writeln!(f, "{column:?}")?;
                last = Some(column);
            }
            writeln!(f, "  {count:>12}  {what}")?;
        }
        writeln!(f, "Nearest to its bound")?;
        for (what, Most { value, bound, seed }) in &self.most {
            writeln!(f, "  {value:>12}  of {bound:>10}  {what} (seed {seed})")?;
        }
        Ok(())
    }
}
