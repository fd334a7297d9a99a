//! The offer of a file or a directory that precedes its data, and its encoding.

use anabranch_base::ByteCount;
use bytes::{Buf as _, BufMut as _, BytesMut};

use super::path::{FilePath, PathError};

/// The error of bytes that are not a frame. Only this protocol has paths.
pub type FrameError = anabranch_net::frame::FrameError<PathError>;

/// The announcement of a file or a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The path at the receiver.
    pub path: FilePath,
    /// The kind, with the size.
    pub kind: FileKind,
    /// Unix permission bits, without set-user-id and its like.
    pub mode: Option<u32>,
    /// The modification time.
    pub modified: Option<Modified>,
}

/// The kind of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A directory, which has no data and no end.
    Directory,
    /// A file whose data follows immediately.
    File {
        /// The length; `None` if it is not known yet (a pipe).
        size: Option<ByteCount>,
    },
    /// A file of which the receiver may already have the beginning: the sender waits for its answer.
    Resumable {
        /// The length.
        size: ByteCount,
    },
}

/// A modification time, as file systems store it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modified {
    /// Seconds since 1970; negative before.
    pub seconds: i64,
    /// Nanoseconds, fewer than a billion.
    pub nanoseconds: u32,
}

impl Offer {
    /// The length of the file, if known.
    pub fn size(&self) -> Option<ByteCount> {
        match self.kind {
            FileKind::Directory => None,
            FileKind::File { size } => size,
            FileKind::Resumable { size } => Some(size),
        }
    }
}

/// Decodes the fields after the version.
pub(super) fn decode(mut offer: &[u8]) -> Result<Offer, FrameError> {
    let short = FrameError::Length { kind: "OFFER", length: 2 + offer.len(), expected: "at least 28" };
    let numbers = Numbers::decode(&mut offer).ok_or(short)?;
    numbers.check()?;
    let Numbers { size, mode, seconds, nanoseconds, .. } = numbers;
    let size = ByteCount::new(size);
    let kind = match (numbers.has(DIRECTORY), numbers.has(RESUMABLE)) {
        (true, _) => FileKind::Directory,
        (false, true) => FileKind::Resumable { size },
        (false, false) => FileKind::File { size: numbers.has(SIZE_KNOWN).then_some(size) },
    };
    Ok(Offer {
        path: FilePath::new(offer)?,
        kind,
        mode: numbers.has(MODE_KNOWN).then_some(mode),
        modified: numbers.has(TIME_KNOWN).then_some(Modified { seconds, nanoseconds }),
    })
}

/// Encodes the fields after the version.
pub(super) fn encode(offer: &Offer, bytes: &mut BytesMut) {
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    let size = offer.size();
    let flags = flag(size.is_some(), SIZE_KNOWN)
        | flag(offer.mode.is_some(), MODE_KNOWN)
        | flag(offer.modified.is_some(), TIME_KNOWN)
        | flag(offer.kind == FileKind::Directory, DIRECTORY)
        | flag(matches!(offer.kind, FileKind::Resumable { .. }), RESUMABLE);
    let modified = offer.modified.unwrap_or(Modified { seconds: 0, nanoseconds: 0 });
    bytes.put_u8(flags);
    bytes.put_u64(size.unwrap_or_default().get());
    bytes.put_u32(offer.mode.unwrap_or_default() & PERMISSIONS);
    bytes.put_i64(modified.seconds);
    bytes.put_u32(modified.nanoseconds.min(SECOND - 1));
    bytes.put_slice(offer.path.as_bytes());
}

/// The numeric fields of an offer in their order on the wire.
#[derive(Clone, Copy)]
struct Numbers {
    flags: u8,
    size: u64,
    mode: u32,
    seconds: i64,
    nanoseconds: u32,
}

impl Numbers {
    fn decode(offer: &mut &[u8]) -> Option<Numbers> {
        Some(Numbers {
            flags: offer.try_get_u8().ok()?,
            size: offer.try_get_u64().ok()?,
            mode: offer.try_get_u32().ok()?,
            seconds: offer.try_get_i64().ok()?,
            nanoseconds: offer.try_get_u32().ok()?,
        })
    }

    fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Requires zero in the fields that the flags declare absent, so that each offer has one encoding.
    fn check(self) -> Result<(), FrameError> {
        let wrong = |field, value| Err(FrameError::Field { field, value });
        let has_size = self.has(SIZE_KNOWN);
        let is_sized_wrongly = if self.has(DIRECTORY) {
            has_size || self.has(RESUMABLE)
        } else {
            self.has(RESUMABLE) && !has_size
        };
        if self.flags & !KNOWN != 0 || is_sized_wrongly {
            return wrong("an offer's flags", self.flags.into());
        }
        if self.mode & !PERMISSIONS != 0 || (!self.has(MODE_KNOWN) && self.mode != 0) {
            return wrong("an offer's mode", self.mode.into());
        }
        if !has_size && self.size != 0 {
            return wrong("an offer's unknown size", self.size);
        }
        if !self.has(TIME_KNOWN) && self.seconds != 0 {
            return wrong("an offer's unknown time", self.seconds.unsigned_abs());
        }
        if self.nanoseconds >= SECOND || (!self.has(TIME_KNOWN) && self.nanoseconds != 0) {
            return wrong("an offer's nanoseconds", self.nanoseconds.into());
        }
        Ok(())
    }
}

const SIZE_KNOWN: u8 = 1;
const MODE_KNOWN: u8 = 2;
const TIME_KNOWN: u8 = 4;
const DIRECTORY: u8 = 8;
const RESUMABLE: u8 = 16;
const KNOWN: u8 = SIZE_KNOWN | MODE_KNOWN | TIME_KNOWN | DIRECTORY | RESUMABLE;
/// Read, write and execute for owner, group and others.
const PERMISSIONS: u32 = 0o777;
/// In nanoseconds.
const SECOND: u32 = 1_000_000_000;
