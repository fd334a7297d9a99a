//! The definition of a counter: its name, unit and meaning, the results that show it, and its access to the field of
//! its struct. Each table of counters is beside that struct; documents, columns and pages are made from it.

use crate::ByteCount;

/// One counter of a `T`.
#[derive(Clone, Copy, Debug)]
pub struct Counter<T: 'static> {
    /// The key in documents, and the last part of its column's name.
    pub name: &'static str,
    /// The unit, in the plural; `B` for bytes.
    pub unit: &'static str,
    /// The meaning, as a column describes it.
    pub meaning: &'static str,
    /// The results that show it.
    pub shown: Shown,
    /// The end of a data flow that counts it.
    pub counted_by: DataEnd,
    /// The row that shows it on a page for readers.
    pub row: PageRow,
    /// Reads the count.
    pub read: fn(&T) -> u64,
    /// Sets the count.
    pub write: fn(&mut T, u64),
}

/// The results that show a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Every result.
    Everywhere,
    /// The documents, columns and pages of simulated runs only.
    Simulations,
    /// The documents of tools with real sockets only.
    Tools,
    /// No result; programs read its field.
    Nowhere,
}

/// An end of a data flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataEnd {
    /// The end that sends the data.
    Sender,
    /// The end that receives it.
    Receiver,
}

/// The row that shows a counter on a page for readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageRow {
    /// A row with its name and its meaning.
    Named,
    /// A row with another name and explanation.
    Worded(&'static str, &'static str),
    /// No row.
    Absent,
}

/// A type of counter fields.
pub trait Count: Copy {
    /// The field as a number.
    fn number(self) -> u64;

    /// The field that a number means.
    fn of_number(number: u64) -> Self;
}

impl Shown {
    /// Returns true if results of the kind `place` show such a counter.
    pub fn includes(self, place: Shown) -> bool {
        self == Shown::Everywhere || self == place
    }
}

impl<T: Copy + 'static> Counter<T> {
    /// The difference of `now` and `before`. Fields outside `table` are those of `now`.
    pub fn difference(table: impl Iterator<Item = &'static Counter<T>>, now: &T, before: &T) -> T {
        Counter::combined(table, now, before, u64::saturating_sub)
    }

    /// The sum of both. Fields outside `table` are those of `one`.
    pub fn sum(table: impl Iterator<Item = &'static Counter<T>>, one: &T, other: &T) -> T {
        Counter::combined(table, one, other, u64::saturating_add)
    }

    /// The counts of both ends of a data flow: those counted by the receiver from `receiver`, the rest from `sender`.
    pub fn of_both_ends(table: impl Iterator<Item = &'static Counter<T>>, sender: &T, receiver: &T) -> T {
        let table = table.filter(|counter| counter.counted_by == DataEnd::Receiver);
        Counter::combined(table, sender, receiver, |_, receivers| receivers)
    }

    fn combined(
        table: impl Iterator<Item = &'static Counter<T>>,
        one: &T,
        other: &T,
        of: fn(u64, u64) -> u64,
    ) -> T {
        let mut result = *one;
        table
            .for_each(|counter| (counter.write)(&mut result, of((counter.read)(one), (counter.read)(other))));
        result
    }
}

impl Count for u64 {
    fn number(self) -> u64 {
        self
    }

    fn of_number(number: u64) -> u64 {
        number
    }
}

impl Count for ByteCount {
    fn number(self) -> u64 {
        self.get()
    }

    fn of_number(number: u64) -> ByteCount {
        ByteCount::new(number)
    }
}

/// Makes the [`Counter`] of a field of its target: the field, by which it is named, its unit and its meaning. It is
/// shown everywhere, by its name, and counted by the sender of data; struct update syntax changes that. Another name
/// is given before the field: `"marked" = received_ecn.ce`.
///
/// ```
/// use anabranch_base::counter;
/// use anabranch_base::counter::{Counter, Shown};
///
/// struct Tally {
///     sent: u64,
/// }
///
/// let counter: Counter<Tally> = counter!(sent, "packets", "packets that left");
/// let mut tally = Tally { sent: 3 };
/// (counter.write)(&mut tally, 4);
/// assert_eq!((counter.name, counter.shown, tally.sent), ("sent", Shown::Everywhere, 4));
/// ```
#[macro_export]
macro_rules! counter {
    (@entry $name:expr, $first:ident $(. $more:ident)*, $unit:literal, $meaning:literal) => {
        $crate::counter::Counter {
            name: $name,
            unit: $unit,
            meaning: $meaning,
            shown: $crate::counter::Shown::Everywhere,
            counted_by: $crate::counter::DataEnd::Sender,
            row: $crate::counter::PageRow::Named,
            read: |target| $crate::counter::Count::number(target.$first $(. $more)*),
            write: |target, number| target.$first $(. $more)* = $crate::counter::Count::of_number(number),
        }
    };
    ($field:ident, $unit:literal, $meaning:literal) => {
        $crate::counter!(@entry stringify!($field), $field, $unit, $meaning)
    };
    ($name:literal = $first:ident $(. $more:ident)*, $unit:literal, $meaning:literal) => {
        $crate::counter!(@entry $name, $first $(. $more)*, $unit, $meaning)
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    struct Tally {
        sent: u64,
        bytes: ByteCount,
        arrived: u64,
        level: u64,
    }

    const TABLE: &[Counter<Tally>] = &[
        crate::counter!(sent, "packets", "packets that left"),
        crate::counter!(bytes, "B", "their bytes"),
        Counter {
            counted_by: DataEnd::Receiver,
            ..crate::counter!(arrived, "packets", "packets that arrived")
        },
    ];

    fn tally(sent: u64, bytes: u64, arrived: u64, level: u64) -> Tally {
        Tally { sent, bytes: ByteCount::new(bytes), arrived, level }
    }

    #[test]
    fn a_table_subtracts_and_adds_what_it_lists_and_leaves_the_rest() {
        let (now, before) = (tally(5, 500, 4, 9), tally(2, 200, 6, 8));
        assert_eq!(Counter::difference(TABLE.iter(), &now, &before), tally(3, 300, 0, 9));
        assert_eq!(Counter::sum(TABLE.iter(), &now, &before), tally(7, 700, 10, 9));
    }

    #[test]
    fn each_end_gives_what_it_counts() {
        let (sender, receiver) = (tally(5, 500, 1, 9), tally(2, 200, 4, 8));
        assert_eq!(Counter::of_both_ends(TABLE.iter(), &sender, &receiver), tally(5, 500, 4, 9));
    }

    #[test]
    fn a_place_shows_its_own_counters_and_those_of_everywhere() {
        let places = [Shown::Simulations, Shown::Tools];
        let shows = |shown: Shown| places.map(|place| shown.includes(place));
        assert_eq!(shows(Shown::Everywhere), [true, true]);
        assert_eq!(shows(Shown::Simulations), [true, false]);
        assert_eq!(shows(Shown::Nowhere), [false, false]);
    }
}
