//! A byte's position in a stream of data. Positions inside the simulator never wrap; a header has their low 32 bits.

use std::ops::Add;

use anabranch_base::ByteCount;

/// The position of a byte, counted from the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position(u64);

impl Position {
    /// The first byte.
    pub(super) const START: Position = Position(0);

    /// The byte after `count` others.
    pub(super) const fn after(count: u64) -> Position {
        Position(count)
    }

    /// The number of bytes that are before it.
    pub(super) const fn get(self) -> u64 {
        self.0
    }

    /// The bytes from `earlier` to here; none if it is later.
    pub(super) const fn since(self, earlier: Position) -> ByteCount {
        ByteCount::new(self.0.saturating_sub(earlier.0))
    }

    /// As a header has it.
    pub(crate) const fn on_wire(self) -> u32 {
        self.0 as u32
    }

    /// The position with these low 32 bits that is nearest to this one.
    pub(super) const fn nearest(self, on_wire: u32) -> Position {
        let ahead = on_wire.wrapping_sub(self.on_wire());
        if ahead < 1 << 31 {
            Position(self.0 + ahead as u64)
        } else {
            Position(self.0.saturating_sub((1 << 32) - ahead as u64))
        }
    }
}

impl Add<ByteCount> for Position {
    type Output = Position;

    fn add(self, bytes: ByteCount) -> Position {
        Position(self.0 + bytes.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_survives_its_32_bits() {
        let reference = Position::after((3 << 32) + 7);
        for distance in [-1_000_000_000_i64, -8, -7, -1, 0, 1, 1_000_000_000] {
            let position = Position::after(((3 << 32) + 7_u64).wrapping_add_signed(distance));
            assert_eq!(reference.nearest(position.on_wire()), position, "{distance}");
        }
    }
}
