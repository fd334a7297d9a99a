//! The frames of the protocol, and their encoding.

use anabranch_base::ByteCount;
use bytes::{BufMut, Bytes, BytesMut};

use super::offer::{self, FrameError, Offer};
use anabranch_net::reason::{self, MAX_WHY};

/// The version of this protocol.
pub const VERSION: u8 = 3;
/// The most bytes of a file in one DATA frame.
pub const MAX_PIECE: usize = 64 * 1024;

/// A SHA-256 hash.
pub type Digest = [u8; 32];

/// One frame; the data is borrowed from its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameRef<'a> {
    /// The announcement of a file or a directory.
    Offer(Offer),
    /// The next piece of the file.
    Data(&'a [u8]),
    /// The end of the file.
    End {
        /// The size of the file.
        size: ByteCount,
        /// The hash of the file.
        digest: Digest,
    },
    /// The receiver's verdict on a file or a directory.
    Verdict(FileVerdict),
    /// The receiver's answer to a resumable offer: the size of the part it has.
    Has(ByteCount),
    /// The sender's answer to HAS: the hash of that much of its own file, or an empty beginning if the part is of no
    /// use.
    From(Beginning),
    /// The receiver's answer to FROM: the position at which the data begins.
    Begins(ByteCount),
    /// The sender gives up the offered file, for this reason.
    GiveUp(String),
    /// A probe: SCTP's acknowledgement shows that the other end is still there.
    Here,
    /// The first frame of a receiver that connects: the sender may begin.
    Fetch,
}

/// The beginning of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// The length.
    pub size: ByteCount,
    /// The hash of that many bytes.
    pub digest: Digest,
}

/// The receiver's verdict on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileVerdict {
    /// The outcome.
    pub outcome: FileOutcome,
    /// The reason for the user; empty if the file was verified.
    pub why: String,
}

/// The outcome of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOutcome {
    /// The file is stored, and its hash is right.
    Verified,
    /// The receiver did not accept it.
    Refused,
    /// The receiver accepted it but could not store it.
    Failed,
}

impl FileVerdict {
    /// The verdict for a stored file.
    pub fn verified() -> FileVerdict {
        FileVerdict { outcome: FileOutcome::Verified, why: String::new() }
    }

    /// The verdict for a file that is not accepted.
    pub fn refused(why: &dyn ToString) -> FileVerdict {
        FileVerdict { outcome: FileOutcome::Refused, why: why.to_string() }
    }

    /// The verdict for a file that could not be stored.
    pub fn failed(why: &dyn ToString) -> FileVerdict {
        FileVerdict { outcome: FileOutcome::Failed, why: why.to_string() }
    }

    /// Returns true if the file is stored and verified.
    pub fn is_verified(&self) -> bool {
        self.outcome == FileOutcome::Verified
    }
}

/// Decodes one frame. Every byte of it has a meaning.
///
/// # Errors
/// The bytes are not a frame.
pub fn decode(frame: &[u8]) -> Result<FrameRef<'_>, FrameError> {
    let (&kind, rest) = frame.split_first().ok_or(FrameError::Empty)?;
    match kind {
        OFFER => {
            // The version is read first, so that a newer layout is reported as a version mismatch.
            match rest.split_first() {
                Some((&VERSION, offer)) => Ok(FrameRef::Offer(offer::decode(offer)?)),
                Some((&version, _)) => {
                    Err(FrameError::Version { protocol: "file", found: version, supported: VERSION })
                }
                None => Err(FrameError::length("OFFER", rest, "at least 28")),
            }
        }
        DATA if rest.is_empty() || rest.len() > MAX_PIECE => {
            Err(FrameError::length("DATA", frame, "2 to 65,537"))
        }
        DATA => Ok(FrameRef::Data(rest)),
        END => {
            let (size, digest) = decode_sized(rest).ok_or_else(|| FrameError::length("END", rest, "41"))?;
            Ok(FrameRef::End { size, digest })
        }
        VERDICT => decode_verdict(rest),
        HAS => Ok(FrameRef::Has(decode_size(rest).ok_or_else(|| FrameError::length("HAS", rest, "9"))?)),
        FROM => {
            let (size, digest) = decode_sized(rest).ok_or_else(|| FrameError::length("FROM", rest, "41"))?;
            Ok(FrameRef::From(Beginning { size, digest }))
        }
        BEGINS => {
            Ok(FrameRef::Begins(decode_size(rest).ok_or_else(|| FrameError::length("BEGINS", rest, "9"))?))
        }
        GIVE_UP if rest.len() > MAX_WHY => Err(FrameError::length("GIVE-UP", rest, "1 to 1,025")),
        GIVE_UP => Ok(FrameRef::GiveUp(decode_why(rest)?)),
        HERE if rest.is_empty() => Ok(FrameRef::Here),
        HERE => Err(FrameError::length("HERE", rest, "1")),
        FETCH => decode_fetch(rest),
        unknown => Err(FrameError::UnknownKind(unknown)),
    }
}

/// Encodes one frame. A reason longer than [`MAX_WHY`] is truncated, and its control characters become spaces.
pub fn encode(frame: &FrameRef<'_>) -> Bytes {
    let mut bytes = BytesMut::new();
    match frame {
        FrameRef::Offer(offer) => {
            bytes.put_slice(&[OFFER, VERSION]);
            offer::encode(offer, &mut bytes);
        }
        FrameRef::Data(piece) => {
            bytes.reserve(1 + piece.len());
            bytes.put_u8(DATA);
            bytes.put_slice(piece);
        }
        FrameRef::End { size, digest } | FrameRef::From(Beginning { size, digest }) => {
            bytes.put_u8(if matches!(frame, FrameRef::End { .. }) { END } else { FROM });
            bytes.put_u64(size.get());
            bytes.put_slice(digest);
        }
        FrameRef::Has(size) | FrameRef::Begins(size) => {
            bytes.put_u8(if matches!(frame, FrameRef::Has(_)) { HAS } else { BEGINS });
            bytes.put_u64(size.get());
        }
        FrameRef::Verdict(verdict) => {
            bytes.put_slice(&[VERDICT, verdict.outcome.code()]);
            reason::encode(&verdict.why, &mut bytes);
        }
        FrameRef::GiveUp(why) => {
            bytes.put_u8(GIVE_UP);
            reason::encode(why, &mut bytes);
        }
        FrameRef::Here => bytes.put_u8(HERE),
        FrameRef::Fetch => bytes.put_slice(&[FETCH, VERSION]),
    }
    bytes.freeze()
}

/// Returns true if `message` is the first one of `anabranch bench`, which has an OFFER's kind and fewer bytes than any OFFER.
pub(super) fn is_of_bench(message: &[u8]) -> bool {
    message.first() == Some(&OFFER) && message.len() == BENCH_HELLO
}

fn decode_fetch(rest: &[u8]) -> Result<FrameRef<'_>, FrameError> {
    match rest {
        [VERSION] => Ok(FrameRef::Fetch),
        [] | [VERSION, ..] => Err(FrameError::length("FETCH", rest, "2")),
        [version, ..] => Err(FrameError::Version { protocol: "file", found: *version, supported: VERSION }),
    }
}

fn decode_size(rest: &[u8]) -> Option<ByteCount> {
    Some(ByteCount::new(u64::from_be_bytes(rest.try_into().ok()?)))
}

/// A size and a hash.
fn decode_sized(rest: &[u8]) -> Option<(ByteCount, Digest)> {
    let (size, digest) = rest.split_first_chunk::<8>()?;
    Some((ByteCount::new(u64::from_be_bytes(*size)), digest.try_into().ok()?))
}

fn decode_verdict(rest: &[u8]) -> Result<FrameRef<'_>, FrameError> {
    let (&code, why) = rest.split_first().ok_or(FrameError::length("VERDICT", rest, "2 to 1,026"))?;
    if why.len() > MAX_WHY {
        return Err(FrameError::length("VERDICT", rest, "2 to 1,026"));
    }
    let outcome =
        FileOutcome::from_code(code).ok_or(FrameError::Field { field: "a verdict", value: code.into() })?;
    Ok(FrameRef::Verdict(FileVerdict { outcome, why: decode_why(why)? }))
}

fn decode_why(why: &[u8]) -> Result<String, FrameError> {
    reason::decode(why).ok_or(REASON)
}

/// The error of a reason that is not text or contains control characters.
const REASON: FrameError = FrameError::Text("a verdict's reason");

impl FileOutcome {
    /// The name in documents and logs.
    pub fn word(self) -> &'static str {
        match self {
            FileOutcome::Verified => "verified",
            FileOutcome::Refused => "refused",
            FileOutcome::Failed => "failed",
        }
    }

    fn code(self) -> u8 {
        match self {
            FileOutcome::Verified => 0,
            FileOutcome::Refused => 1,
            FileOutcome::Failed => 2,
        }
    }

    fn from_code(code: u8) -> Option<FileOutcome> {
        [FileOutcome::Verified, FileOutcome::Refused, FileOutcome::Failed]
            .into_iter()
            .find(|o| o.code() == code)
    }
}

/// The length of the first message of the test protocol (HELLO).
const BENCH_HELLO: usize = 10;
pub(super) const OFFER: u8 = 1;
pub(super) const DATA: u8 = 2;
const END: u8 = 3;
const VERDICT: u8 = 4;
const HAS: u8 = 5;
const FROM: u8 = 6;
const GIVE_UP: u8 = 7;
const HERE: u8 = 8;
const BEGINS: u8 = 9;
const FETCH: u8 = 10;

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};

    use super::super::offer::{FileKind, Modified};
    use super::super::path::FilePath;
    use super::*;

    fn offer_of(
        path: &str,
        kind: FileKind,
        mode: Option<u32>,
        modified: Option<Modified>,
    ) -> FrameRef<'static> {
        let path = FilePath::new(path.as_bytes()).expect("a plain path");
        FrameRef::Offer(Offer { path, kind, mode, modified })
    }

    fn offer(size: Option<u64>, mode: Option<u32>) -> FrameRef<'static> {
        offer_of("a.bin", FileKind::File { size: size.map(ByteCount::new) }, mode, None)
    }

    #[test]
    fn an_offer_is_these_bytes() {
        let modified = Modified { seconds: -2, nanoseconds: 1 };
        let kind = FileKind::Resumable { size: ByteCount::new(65_536) };
        let full =
            b"\x01\x03\x17\0\0\0\0\0\x01\0\0\0\0\x01\xa4\xff\xff\xff\xff\xff\xff\xff\xfe\0\0\0\x01d/a.bin";
        let least = [b"\x01\x03\0".as_slice(), &[0; 24], b"a.bin"].concat();
        let directory = [b"\x01\x03\x08".as_slice(), &[0; 24], b"d"].concat();
        for (bytes, frame) in [
            (full.as_slice(), offer_of("d/a.bin", kind, Some(0o644), Some(modified))),
            (&least, offer(None, None)),
            (&directory, offer_of("d", FileKind::Directory, None, None)),
        ] {
            assert_eq!(encode(&frame), bytes);
            assert_eq!(decode(bytes), Ok(frame));
        }
    }

    #[test]
    fn what_is_too_short_or_too_long_is_refused() {
        let frames = [
            encode(&offer(Some(1), None)),
            encode(&FrameRef::End { size: ByteCount::new(1), digest: [7; 32] }),
            encode(&FrameRef::From(Beginning { size: ByteCount::new(1), digest: [7; 32] })),
            encode(&FrameRef::Has(ByteCount::new(1))),
            encode(&FrameRef::Begins(ByteCount::new(1))),
        ];
        for frame in frames {
            for length in 0..27.min(frame.len()) {
                assert!(decode(&frame[..length]).is_err(), "{length} bytes of {frame:?}");
            }
        }
        let mut long = encode(&FrameRef::End { size: ByteCount::new(1), digest: [7; 32] }).to_vec();
        long.push(0);
        assert!(matches!(decode(&long), Err(FrameError::Length { length: 42, .. })));
        assert!(matches!(decode(&[DATA]), Err(FrameError::Length { .. })));
        assert!(matches!(decode(&[DATA; MAX_PIECE + 2]), Err(FrameError::Length { .. })));
        assert!(decode(&[DATA; MAX_PIECE + 1]).is_ok());
        assert!(matches!(decode(&[VERDICT]), Err(FrameError::Length { .. })));
        assert!(matches!(decode(&[HERE, 0]), Err(FrameError::Length { length: 2, .. })));
        assert!(matches!(decode(&[FETCH]), Err(FrameError::Length { .. })));
        assert!(matches!(decode(&[FETCH, VERSION, 0]), Err(FrameError::Length { .. })));
        assert!(matches!(decode(&[FETCH, VERSION + 1, 0]), Err(FrameError::Version { .. })));
        assert_eq!(decode(&encode(&FrameRef::Fetch)), Ok(FrameRef::Fetch));
    }

    #[test]
    fn values_without_a_meaning_are_refused() {
        assert_eq!(decode(b"GET / HTTP/1.1"), Err(FrameError::UnknownKind(b'G')));
        assert_eq!(
            decode(&[OFFER, 2, 9, 9]),
            Err(FrameError::Version { protocol: "file", found: 2, supported: 3 })
        );
        let with = |flags: u8, at: usize, byte: u8| {
            let mut bytes = [[OFFER, VERSION, flags].as_slice(), &[0; 24], b"a"].concat();
            bytes[at] = byte;
            decode(&bytes).expect_err("means nothing").to_string()
        };
        for flags in [32, 16, 8 | 1, 8 | 16, 8 | 16 | 1] {
            assert_eq!(with(flags, 27, b'a'), format!("an offer's flags is {flags:#x}, which is not valid"));
        }
        // The set-user-id bit is never sent.
        assert_eq!(with(2, 13, 0x0f), "an offer's mode is 0xf00, which is not valid");
        assert_eq!(with(0, 14, 1), "an offer's mode is 0x1, which is not valid");
        assert_eq!(with(0, 10, 1), "an offer's unknown size is 0x1, which is not valid");
        assert_eq!(with(0, 22, 1), "an offer's unknown time is 0x1, which is not valid");
        assert_eq!(with(4, 23, 0xff), "an offer's nanoseconds is 0xff000000, which is not valid");
        assert!(matches!(decode(&[VERDICT, 3]), Err(FrameError::Field { .. })));
        assert_eq!(decode(&[VERDICT, 2, 0xff]), Err(REASON));
        assert_eq!(decode(&[VERDICT, 2, 0x1b]), Err(REASON));
        assert_eq!(decode(&[GIVE_UP, 0x1b]), Err(REASON));
        assert!(matches!(decode(&[GIVE_UP; MAX_WHY + 2]), Err(FrameError::Length { .. })));
        let climbing = [b"\x01\x03\0".as_slice(), &[0; 24], b"../x"].concat();
        assert!(matches!(decode(&climbing), Err(FrameError::Content(_))));
    }

    #[test]
    fn a_reason_travels_without_control_characters() {
        let frame = encode(&FrameRef::Verdict(FileVerdict::refused(&"a\u{1b}[2Jb")));
        assert_eq!(decode(&frame), Ok(FrameRef::Verdict(FileVerdict::refused(&"a [2Jb"))));
    }

    #[test]
    fn a_long_reason_is_cut_between_characters() {
        let why = "ä".repeat(MAX_WHY);
        let frame = encode(&FrameRef::Verdict(FileVerdict::failed(&why)));
        let Ok(FrameRef::Verdict(read)) = decode(&frame) else { panic!("{frame:?}") };
        assert_eq!(read.why, "ä".repeat(MAX_WHY / 2));
    }

    fn frames() -> impl Strategy<Value = Vec<u8>> {
        let verdicts =
            prop_oneof![Just(FileOutcome::Verified), Just(FileOutcome::Refused), Just(FileOutcome::Failed)];
        prop_oneof![
            prop::collection::vec(any::<u8>(), 0..100),
            (any::<u8>(), prop::collection::vec(any::<u8>(), 0..60))
                .prop_map(|(kind, rest)| { [[kind % 12].as_slice(), &rest].concat() }),
            (prop::option::of(any::<u64>()), prop::option::of(0_u32..0o1000))
                .prop_map(|(size, mode)| encode(&offer(size, mode)).to_vec()),
            (any::<i64>(), 0_u32..1_000_000_000, any::<u64>()).prop_map(|(seconds, nanoseconds, size)| {
                let kind = FileKind::Resumable { size: ByteCount::new(size) };
                encode(&offer_of("d/e/f", kind, None, Some(Modified { seconds, nanoseconds }))).to_vec()
            }),
            (any::<u64>(), any::<Digest>()).prop_map(|(size, digest)| {
                encode(&FrameRef::End { size: ByteCount::new(size), digest }).to_vec()
            }),
            (any::<u64>(), any::<Digest>()).prop_map(|(size, digest)| {
                encode(&FrameRef::From(Beginning { size: ByteCount::new(size), digest })).to_vec()
            }),
            "\\PC{0,40}".prop_map(|why| encode(&FrameRef::GiveUp(why)).to_vec()),
            any::<u64>().prop_map(|size| encode(&FrameRef::Has(ByteCount::new(size))).to_vec()),
            any::<u64>().prop_map(|size| encode(&FrameRef::Begins(ByteCount::new(size))).to_vec()),
            (verdicts, "\\PC{0,40}").prop_map(|(outcome, why)| {
                encode(&FrameRef::Verdict(FileVerdict { outcome, why })).to_vec()
            }),
        ]
    }

    proptest! {
        #[test]
        fn what_can_be_read_is_written_back_byte_for_byte(bytes in frames()) {
            if let Ok(frame) = decode(&bytes) {
                let written = encode(&frame);
                prop_assert_eq!(written.as_ref(), bytes.as_slice());
            }
        }
    }
}
