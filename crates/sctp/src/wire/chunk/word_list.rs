//! A list of 32-bit entries, as in SACK and FORWARD-TSN: borrowed from a received packet, or given for a packet to
//! send.

use std::fmt;

/// An entry of 32 bits.
pub trait Word: Copy {
    /// The entry with the wire bytes `bytes`.
    fn from_wire(bytes: [u8; 4]) -> Self;
    /// The bytes in wire format.
    fn to_wire(self) -> [u8; 4];
}

/// Entries that are borrowed from a received packet, each decoded when it is read, or from a slice that is to be
/// sent. Two lists with the same entries are equal.
#[derive(Clone, Copy)]
pub struct WordList<'a, T>(WordSource<'a, T>);

#[derive(Clone, Copy)]
enum WordSource<'a, T> {
    Wire(&'a [[u8; 4]]),
    Given(&'a [T]),
}

impl<'a, T: Word> WordList<'a, T> {
    /// No entries.
    pub const EMPTY: WordList<'a, T> = WordList(WordSource::Given(&[]));

    pub(super) fn from_wire(words: &'a [[u8; 4]]) -> WordList<'a, T> {
        WordList(WordSource::Wire(words))
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        match self.0 {
            WordSource::Wire(words) => words.len(),
            WordSource::Given(entries) => entries.len(),
        }
    }

    /// Returns true if the list is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entries in wire order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator + use<'a, T> {
        let source = self.0;
        (0..self.len()).map(move |index| match source {
            WordSource::Wire(words) => T::from_wire(words[index]),
            WordSource::Given(entries) => entries[index],
        })
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        match self.0 {
            WordSource::Wire(words) => out.extend_from_slice(words.as_flattened()),
            WordSource::Given(entries) => out.extend(entries.iter().flat_map(|entry| entry.to_wire())),
        }
    }

    /// Writes ` name=[a b c]`, or nothing if the list is empty.
    pub(super) fn write_named(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result
    where
        T: fmt::Display,
    {
        for (index, entry) in self.iter().enumerate() {
            match index {
                0 => write!(f, " {name}=[{entry}")?,
                _ => write!(f, " {entry}")?,
            }
        }
        if self.is_empty() { Ok(()) } else { f.write_str("]") }
    }
}

impl<'a, T: Word> From<&'a [T]> for WordList<'a, T> {
    fn from(entries: &'a [T]) -> WordList<'a, T> {
        WordList(WordSource::Given(entries))
    }
}

impl<T: Word + PartialEq> PartialEq for WordList<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<T: Word + Eq> Eq for WordList<'_, T> {}

impl<T: Word + fmt::Debug> fmt::Debug for WordList<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::GapBlock;
    use super::*;

    #[test]
    fn entries_of_a_packet_equal_given_ones() {
        let read = WordList::from_wire(&[[0, 2, 0, 3], [0, 5, 0, 5]]);
        let given = [GapBlock { start: 2, end: 3 }, GapBlock { start: 5, end: 5 }];
        assert_eq!(read, WordList::from(&given[..]));
        assert_ne!(read, WordList::from(&given[..1]));
        assert_eq!(read.iter().next_back(), Some(given[1]));
        let (mut a, mut b) = (Vec::new(), Vec::new());
        read.encode(&mut a);
        WordList::from(&given[..]).encode(&mut b);
        assert_eq!(a, b);
    }
}
