//! The three blocks of a pcapng file that a capture of several interfaces needs (draft-ietf-opsawg-pcapng §4.1, §4.2,
//! §4.3), little-endian.

use std::io::{self, Write};

use anabranch_base::Time;

/// A pcapng file being written.
#[derive(Debug)]
pub(super) struct Blocks<W> {
    out: W,
    block: Vec<u8>,
}

/// The link type of an interface (the registry of link types).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkType {
    /// IP packets.
    RawIp = 101,
    /// Radiotap headers, each followed by an 802.11 frame.
    Radiotap = 127,
}

/// The direction in which a packet passed its interface (`epb_flags`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PacketDirection {
    /// The capturing host received it.
    Inbound,
    /// The capturing host sent it.
    Outbound,
}

impl<W: Write> Blocks<W> {
    /// Begins a file with its section header; `comment` and `program` may be empty.
    ///
    /// # Errors
    /// The file cannot be written; likewise below.
    pub(super) fn new(out: W, comment: &str, program: &str) -> io::Result<Blocks<W>> {
        let mut blocks = Blocks { out, block: Vec::new() };
        blocks.begin();
        blocks.u32(BYTE_ORDER);
        blocks.u32(VERSION);
        blocks.bytes(&UNKNOWN_LENGTH);
        blocks.text(COMMENT, comment);
        blocks.text(PROGRAM, program);
        blocks.end_of_options();
        blocks.end(SECTION)?;
        Ok(blocks)
    }

    /// Adds an interface of packets of this kind, timed in nanoseconds. The first is number 0.
    pub(super) fn interface(&mut self, link: LinkType, name: &str, description: &str) -> io::Result<()> {
        self.begin();
        self.u32(link as u32);
        self.u32(WHOLE_PACKETS);
        self.text(INTERFACE_NAME, name);
        self.text(INTERFACE_DESCRIPTION, description);
        self.option(TIME_RESOLUTION, &[NANOSECONDS]);
        self.end_of_options();
        self.end(INTERFACE)
    }

    /// Adds a packet seen at an interface; `length` is its length on the wire, more than is captured where its end is
    /// left out.
    pub(super) fn packet(
        &mut self,
        interface: u32,
        at: Time,
        direction: PacketDirection,
        packet: &[u8],
        length: usize,
    ) -> io::Result<()> {
        let number = |length: usize| u32::try_from(length).map_err(|_| io::ErrorKind::FileTooLarge);
        let (captured, length) = (number(packet.len())?, number(length)?);
        let nanos = at.as_nanos();
        self.begin();
        self.u32(interface);
        self.u32((nanos >> 32) as u32);
        self.u32(nanos as u32);
        self.u32(captured);
        self.u32(length);
        self.bytes(packet);
        self.pad();
        self.option(FLAGS, &(direction as u32 + 1).to_le_bytes());
        self.end_of_options();
        self.end(ENHANCED_PACKET)
    }

    /// Flushes and returns the file.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn begin(&mut self) {
        self.block.clear();
    }

    /// Writes the block with its type first and its length on either side.
    fn end(&mut self, kind: u32) -> io::Result<()> {
        let length = u32::try_from(self.block.len() + 12).map_err(|_| io::ErrorKind::FileTooLarge)?;
        self.out.write_all(&kind.to_le_bytes())?;
        self.out.write_all(&length.to_le_bytes())?;
        self.out.write_all(&self.block)?;
        self.out.write_all(&length.to_le_bytes())
    }

    fn text(&mut self, code: u16, text: &str) {
        if !text.is_empty() {
            self.option(code, &text.as_bytes()[..text.floor_char_boundary(LONGEST_TEXT)]);
        }
    }

    /// `value` is shorter than 65,536 bytes.
    fn option(&mut self, code: u16, value: &[u8]) {
        self.bytes(&code.to_le_bytes());
        self.bytes(&(value.len() as u16).to_le_bytes());
        self.bytes(value);
        self.pad();
    }

    fn end_of_options(&mut self) {
        self.u32(0);
    }

    fn u32(&mut self, value: u32) {
        self.bytes(&value.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.block.extend_from_slice(bytes);
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }
}

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const ENHANCED_PACKET: u32 = 6;

const BYTE_ORDER: u32 = 0x1a2b_3c4d;
/// 1.0: the major number in the lower half.
const VERSION: u32 = 1;
const UNKNOWN_LENGTH: [u8; 8] = [0xff; 8];
/// No limit on the captured length.
const WHOLE_PACKETS: u32 = 0;
/// Ten to the minus ninth.
const NANOSECONDS: u8 = 9;

const COMMENT: u16 = 1;
const PROGRAM: u16 = 4;
const INTERFACE_NAME: u16 = 2;
const INTERFACE_DESCRIPTION: u16 = 3;
const TIME_RESOLUTION: u16 = 9;
const FLAGS: u16 = 2;

/// Longer titles are cut: Wireshark's list of interfaces shows no more.
const LONGEST_TEXT: usize = 4_096;

#[cfg(test)]
mod tests {
    use super::*;

    fn words(bytes: &[u8]) -> Vec<u32> {
        let words = bytes.chunks(4).map(|word| word.try_into().expect("whole words"));
        words.map(u32::from_le_bytes).collect()
    }

    #[test]
    fn a_section_says_its_length_twice_and_that_the_rest_is_unknown() {
        let file = Blocks::new(Vec::new(), "", "").unwrap().finish().unwrap();
        assert_eq!(words(&file), [SECTION, 32, BYTE_ORDER, 1, u32::MAX, u32::MAX, 0, 32]);
    }

    #[test]
    fn an_interface_has_a_name_and_counts_nanoseconds() {
        let mut blocks = Blocks::new(Vec::new(), "", "").unwrap();
        blocks.interface(LinkType::RawIp, "wifi", "").unwrap();
        let wifi = u32::from_le_bytes(*b"wifi");
        assert_eq!(
            words(&blocks.finish().unwrap())[8..],
            [1, 40, LinkType::RawIp as u32, 0, 0x0004_0002, wifi, 0x0001_0009, 9, 0, 40]
        );
    }

    #[test]
    fn a_packet_is_padded_and_its_time_is_in_two_halves() {
        let mut blocks = Blocks::new(Vec::new(), "", "").unwrap();
        let at = Time::from_nanos(0x0000_0002_0000_0003);
        blocks.packet(7, at, PacketDirection::Outbound, &[1, 0, 0, 0, 2], 5).unwrap();
        blocks.packet(7, at, PacketDirection::Inbound, &[], 0).unwrap();
        let file = words(&blocks.finish().unwrap());
        assert_eq!(file[8..21], [6, 52, 7, 2, 3, 5, 5, 1, 2, 0x0004_0002, 2, 0, 52]);
        assert_eq!(file[21..], [6, 44, 7, 2, 3, 0, 0, 0x0004_0002, 1, 0, 44]);
    }

    #[test]
    fn a_long_title_is_cut_between_letters() {
        let title = "é".repeat(40_000);
        let file = Blocks::new(Vec::new(), &title, "").unwrap().finish().unwrap();
        assert!(file.len() < LONGEST_TEXT + 100 && str::from_utf8(&file[28..28 + 4_096]).is_ok());
    }
}
