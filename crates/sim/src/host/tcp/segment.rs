//! A TCP segment as bytes: a real header (RFC 9293 §3.1) with options, without the data themselves. Acknowledgements
//! have SACK blocks (RFC 2018); over several paths the mapping to the connection's data is in a DSS option (RFC 8684
//! §3.3). An experimental option (RFC 4727) tells how many bytes of data follow and when the application gave them.

use std::ops::Range;

use anabranch_base::{ByteCount, Time};

use super::position::Position;

/// A segment with data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DataSegment {
    /// Where its data begin in the subflow.
    pub start: Position,
    /// Where its data begin in the connection.
    pub data: Position,
    /// The number of bytes.
    pub size: ByteCount,
    /// When the application gave them.
    pub given: Time,
}

/// A segment without data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Acknowledgement {
    /// The next expected position on the subflow.
    pub next: Position,
    /// The next expected position in the connection.
    pub data_next: Position,
    /// The ranges that arrived beyond `next` on the subflow, the newest first.
    pub blocks: Blocks,
}

/// Up to three ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Blocks {
    ranges: [Range<Position>; Blocks::MOST],
    count: usize,
}

/// A segment of either kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    /// With data.
    Data(DataSegment),
    /// Without.
    Acknowledgement(Acknowledgement),
}

/// The positions near which those of a header are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    /// The next position that the receiver expects on the subflow.
    pub arriving: Position,
    /// The first unacknowledged byte on the subflow.
    pub unacknowledged: Position,
}

/// The format of the segments that both ends agreed on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    /// The port of both ends.
    pub port: u16,
    /// True if there are several paths.
    pub is_multipath: bool,
}

impl Blocks {
    /// The number of blocks an acknowledgement has at most.
    pub(super) const MOST: usize = 3;

    /// Returns the first of `ranges` that fit.
    pub(super) fn of(ranges: &[Range<Position>]) -> Blocks {
        let mut blocks = Blocks::default();
        for range in ranges.iter().take(Blocks::MOST) {
            blocks.ranges[blocks.count] = range.clone();
            blocks.count += 1;
        }
        blocks
    }

    /// The ranges.
    pub(super) fn ranges(&self) -> &[Range<Position>] {
        &self.ranges[..self.count]
    }
}

impl Format {
    /// The header of a segment with data.
    pub(super) fn data(self, segment: &DataSegment) -> Header {
        let mut header = Header::new(self.port, segment.start, Position::START);
        header.option(
            EXPERIMENT,
            &[&segment.given.as_nanos().to_be_bytes(), &(segment.size.get() as u16).to_be_bytes()],
        );
        if self.is_multipath {
            header.option(
                MULTIPATH,
                &[
                    &[DSS, DSS_MAPS],
                    &segment.data.get().to_be_bytes(),
                    &segment.start.on_wire().to_be_bytes(),
                    &(segment.size.get() as u16).to_be_bytes(),
                ],
            );
        }
        header.finished()
    }

    /// The header of a segment without data.
    pub(super) fn acknowledgement(self, acknowledgement: &Acknowledgement) -> Header {
        let mut header = Header::new(self.port, Position::START, acknowledgement.next);
        let ranges = acknowledgement.blocks.ranges();
        if !ranges.is_empty() {
            header.begin(SACK, 8 * ranges.len());
            for range in ranges {
                header.push(&range.start.on_wire().to_be_bytes());
                header.push(&range.end.on_wire().to_be_bytes());
            }
        }
        if self.is_multipath {
            header.option(
                MULTIPATH,
                &[&[DSS, DSS_ACKNOWLEDGES], &acknowledgement.data_next.get().to_be_bytes()],
            );
        }
        header.finished()
    }

    /// The segment with this header; `None` if it is not one of ours.
    pub(super) fn decode(self, header: &[u8], expected: Expected) -> Option<Segment> {
        let word = |at: usize| Some(u32::from_be_bytes(header.get(at..at + 4)?.try_into().ok()?));
        let start = expected.arriving.nearest(word(4)?);
        let next = expected.unacknowledged.nearest(word(8)?);
        let mut rest = header.get(FIXED..usize::from(header.get(12)? >> 4) * 4)?;
        let mut acknowledgement = Acknowledgement { next, data_next: next, blocks: Blocks::default() };
        let mut segment = None;
        while let [kind, after @ ..] = rest {
            if *kind == NO_OPERATION {
                rest = after;
                continue;
            }
            let length = usize::from(*rest.get(1)?).max(2);
            let value = rest.get(2..length)?;
            match *kind {
                EXPERIMENT => {
                    let (given, size) = value.split_first_chunk::<8>()?;
                    let size = u16::from_be_bytes(size.try_into().ok()?);
                    segment = Some(DataSegment {
                        start,
                        data: start,
                        size: ByteCount::new(size.into()),
                        given: Time::from_nanos(u64::from_be_bytes(*given)),
                    });
                }
                SACK => acknowledgement.blocks = blocks(value, next),
                MULTIPATH => {
                    let position = Position::after(u64::from_be_bytes(*value.get(2..)?.first_chunk::<8>()?));
                    acknowledgement.data_next = position;
                    segment = segment.map(|segment| DataSegment { data: position, ..segment });
                }
                _ => {}
            }
            rest = rest.get(length..)?;
        }
        Some(segment.map_or(Segment::Acknowledgement(acknowledgement), Segment::Data))
    }
}

fn blocks(value: &[u8], near: Position) -> Blocks {
    let mut blocks = Blocks::default();
    for block in value.as_chunks::<8>().0.iter().take(Blocks::MOST) {
        let edge = |at: usize| {
            near.nearest(u32::from_be_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]]))
        };
        blocks.ranges[blocks.count] = edge(0)..edge(4);
        blocks.count += 1;
    }
    blocks
}

/// The number of bytes of data follow a header, which are not in the simulated packet.
pub fn following_data(header: &[u8]) -> usize {
    match header.get(FIXED..FIXED + 12) {
        Some([EXPERIMENT, .., high, low]) => usize::from(u16::from_be_bytes([*high, *low])),
        _ => 0,
    }
}

/// A header in the making.
#[derive(Clone, Debug)]
pub(super) struct Header {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Header {
    fn new(port: u16, sequence: Position, next: Position) -> Header {
        let mut bytes = [0; LONGEST];
        bytes[0..2].copy_from_slice(&port.to_be_bytes());
        bytes[2..4].copy_from_slice(&port.to_be_bytes());
        bytes[4..8].copy_from_slice(&sequence.on_wire().to_be_bytes());
        bytes[8..12].copy_from_slice(&next.on_wire().to_be_bytes());
        bytes[13] = ACK;
        bytes[14..16].copy_from_slice(&u16::MAX.to_be_bytes());
        Header { bytes, length: FIXED }
    }

    /// The bytes.
    pub(super) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    fn option(&mut self, kind: u8, values: &[&[u8]]) {
        self.begin(kind, values.iter().map(|value| value.len()).sum());
        values.iter().for_each(|value| self.push(value));
    }

    fn begin(&mut self, kind: u8, length: usize) {
        self.push(&[kind, 2 + length as u8]);
    }

    fn push(&mut self, value: &[u8]) {
        self.bytes[self.length..self.length + value.len()].copy_from_slice(value);
        self.length += value.len();
    }

    /// Padded to whole words.
    fn finished(mut self) -> Header {
        while !self.length.is_multiple_of(4) {
            self.push(&[NO_OPERATION]);
        }
        self.bytes[12] = (self.length as u8 / 4) << 4;
        self
    }
}

/// The header without options, and the longest with them.
const FIXED: usize = 20;
const LONGEST: usize = 60;
/// The flag that every segment of an open connection has.
const ACK: u8 = 0x10;
const NO_OPERATION: u8 = 1;
const SACK: u8 = 5;
const MULTIPATH: u8 = 30;
const EXPERIMENT: u8 = 254;
/// The subtype of a DSS option in the high four bits, and its flags: a data sequence number, or a data acknowledgement,
/// of eight bytes.
const DSS: u8 = 0x20;
const DSS_MAPS: u8 = 0x0c;
const DSS_ACKNOWLEDGES: u8 = 0x03;

#[cfg(test)]
mod tests {
    use super::*;

    const EXPECTED: Expected =
        Expected { arriving: Position::after(5 << 32), unacknowledged: Position::after(7 << 32) };

    #[test]
    fn a_segment_survives_its_header() {
        for is_multipath in [false, true] {
            let format = Format { port: 49_152, is_multipath };
            let start = Position::after((5 << 32) + 1_448);
            let data = if is_multipath { Position::after(99) } else { start };
            let size = ByteCount::new(1_448);
            let segment = DataSegment { start, data, size, given: Time::from_nanos(123_456_789_012) };
            let header = format.data(&segment);
            assert_eq!(format.decode(header.as_slice(), EXPECTED), Some(Segment::Data(segment)));
            assert_eq!(following_data(header.as_slice()), 1_448);

            let next = Position::after((7 << 32) + 10);
            let far = |from: u64, to: u64| Position::after((7 << 32) + from)..Position::after((7 << 32) + to);
            let blocks = Blocks::of(&[far(30, 40), far(20, 25), far(50, 60), far(70, 80)]);
            let data_next = if is_multipath { Position::after(77) } else { next };
            let acknowledgement = Acknowledgement { next, data_next, blocks };
            let header = format.acknowledgement(&acknowledgement);
            assert!(header.as_slice().len() <= LONGEST && following_data(header.as_slice()) == 0);
            let decoded = format.decode(header.as_slice(), EXPECTED);
            assert_eq!(decoded, Some(Segment::Acknowledgement(acknowledgement)));
        }
    }

    #[test]
    fn what_is_not_ours_is_refused() {
        let format = Format { port: 1, is_multipath: false };
        for bytes in [&[][..], &[0; 12], &[0xff; 20], &[0xff; 60]] {
            assert_eq!(format.decode(bytes, EXPECTED), None);
        }
    }
}
