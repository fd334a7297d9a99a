//! TSN, SSN, MID and FSN, which wrap and compare by serial-number arithmetic (RFC 9260 §1.6, RFC 1982).

use std::fmt;

/// A Transmission Sequence Number: 32 bits that wrap.
///
/// It has no `<`: two TSNs have an order only if their distance is less than 2³¹.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tsn(u32);

/// A Stream Sequence Number: 16 bits that wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ssn(u16);

/// A Message Identifier: 32 bits that wrap, counted for each stream and each order (RFC 8260 §2.1). The SSN of DATA is
/// the MID of a message with 16 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mid(u32);

/// A Fragment Sequence Number: the place of a fragment in its message, from 0 (RFC 8260 §2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fsn(u32);

impl Mid {
    /// The MID with the wire value `value`.
    pub const fn new(value: u32) -> Mid {
        Mid(value)
    }

    /// The value on the wire.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The MID after this one.
    #[must_use]
    pub(crate) const fn next(self) -> Mid {
        Mid(self.0.wrapping_add(1))
    }

    /// The MID before this one.
    #[must_use]
    pub(crate) const fn previous(self) -> Mid {
        Mid(self.0.wrapping_sub(1))
    }

    /// Returns true if this MID comes after `other`.
    pub(crate) const fn is_after(self, other: Mid) -> bool {
        (other.0.wrapping_sub(self.0) as i32) < 0
    }

    /// The SSN of the same message.
    pub(crate) const fn ssn(self) -> Ssn {
        Ssn(self.0 as u16)
    }
}

impl From<Ssn> for Mid {
    fn from(ssn: Ssn) -> Mid {
        Mid(u32::from(ssn.0))
    }
}

impl Fsn {
    /// The FSN with the wire value `value`.
    pub const fn new(value: u32) -> Fsn {
        Fsn(value)
    }

    /// The value on the wire.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl Tsn {
    /// The TSN with the wire value `value`.
    pub const fn new(value: u32) -> Tsn {
        Tsn(value)
    }

    /// The value on the wire.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The TSN after this one.
    #[must_use]
    pub const fn next(self) -> Tsn {
        Tsn(self.0.wrapping_add(1))
    }

    /// The TSN before this one.
    #[must_use]
    pub const fn previous(self) -> Tsn {
        Tsn(self.0.wrapping_sub(1))
    }

    /// The TSN `distance` after this one.
    #[must_use]
    pub const fn plus(self, distance: u32) -> Tsn {
        Tsn(self.0.wrapping_add(distance))
    }

    /// The distance from `earlier` forward to this TSN, with wrapping.
    pub const fn distance_from(self, earlier: Tsn) -> u32 {
        self.0.wrapping_sub(earlier.0)
    }

    /// Returns true if this TSN comes before `other`.
    pub const fn is_before(self, other: Tsn) -> bool {
        (self.0.wrapping_sub(other.0) as i32) < 0
    }

    /// Returns true if this TSN comes after `other`.
    pub const fn is_after(self, other: Tsn) -> bool {
        other.is_before(self)
    }

    /// The later of the two.
    #[must_use]
    pub const fn later(self, other: Tsn) -> Tsn {
        if self.is_before(other) { other } else { self }
    }
}

impl Ssn {
    /// The SSN with the wire value `value`.
    pub const fn new(value: u16) -> Ssn {
        Ssn(value)
    }

    /// The value on the wire.
    pub const fn get(self) -> u16 {
        self.0
    }

    /// The SSN after this one.
    #[must_use]
    pub const fn next(self) -> Ssn {
        Ssn(self.0.wrapping_add(1))
    }

    /// The distance from `earlier` forward to this SSN, with wrapping.
    pub const fn distance_from(self, earlier: Ssn) -> u16 {
        self.0.wrapping_sub(earlier.0)
    }

    /// Returns true if this SSN comes before `other`.
    pub const fn is_before(self, other: Ssn) -> bool {
        (self.0.wrapping_sub(other.0) as i16) < 0
    }
}

impl fmt::Display for Tsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for Ssn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for Mid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for Fsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tsns_compare_across_the_wrap() {
        let last = Tsn::new(u32::MAX);
        assert!(last.is_before(last.next()));
        assert_eq!(last.next(), Tsn::new(0));
        assert_eq!(Tsn::new(3).distance_from(last), 4);
        assert_eq!(last.later(Tsn::new(3)), Tsn::new(3));
        assert!(!last.is_before(last));
    }

    #[test]
    fn ssns_compare_across_the_wrap() {
        assert!(Ssn::new(u16::MAX).is_before(Ssn::new(0)));
        assert_eq!(Ssn::new(0).distance_from(Ssn::new(u16::MAX)), 1);
    }
}
