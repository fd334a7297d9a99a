//! The state that is stored beside an incomplete file, so that its transfer can continue after a kill.

use std::io::Read as _;

use crate::protocol::{Digest, FileKind, Modified, Offer};
use anabranch_base::ByteCount;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::place::StorePath;
use crate::hex;

/// The recorded state of an incomplete file: its identity and its progress.
#[derive(Clone, Debug)]
pub(super) struct PartState {
    file: OfferIdentity,
    /// The bytes stored.
    pub received: ByteCount,
    /// The hash of those bytes.
    pub digest: Digest,
}

/// The properties that distinguish two files of one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OfferIdentity {
    size: Option<ByteCount>,
    modified: Option<Modified>,
}

/// The state in its file format.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenState {
    /// Always [`PURPOSE`].
    anabranch: String,
    size: Option<u64>,
    modified: Option<(i64, u32)>,
    received: u64,
    /// The hash of the received bytes in hexadecimal digits: what `head -c RECEIVED NAME.part | sha256sum` prints.
    sha256: String,
}

impl PartState {
    /// The state of an offered file without stored data.
    pub(crate) fn nothing_of(offer: &Offer) -> PartState {
        let file = OfferIdentity { size: offer.size(), modified: offer.modified };
        PartState { file, received: ByteCount::ZERO, digest: Sha256::digest(b"").into() }
    }

    /// Returns true if the offered file may continue from this state.
    pub(super) fn is_of(&self, offer: &Offer) -> bool {
        matches!(offer.kind, FileKind::Resumable { .. }) && self.file == PartState::nothing_of(offer).file
    }

    /// The state as text.
    pub(crate) fn to_text(&self) -> String {
        let written = WrittenState {
            anabranch: PURPOSE.to_owned(),
            size: self.file.size.map(ByteCount::get),
            modified: self.file.modified.map(|Modified { seconds, nanoseconds }| (seconds, nanoseconds)),
            received: self.received.get(),
            sha256: hex(&self.digest),
        };
        serde_json::to_string_pretty(&written).unwrap_or_default() + "\n"
    }

    /// Reads the state in the file `place`, if it has one.
    pub(super) fn read(place: &StorePath) -> Option<PartState> {
        let mut text = String::new();
        place.open_to_read().ok()?.take(LONGEST).read_to_string(&mut text).ok()?;
        PartState::from_text(&text)
    }

    /// Parses the state in `text`, if it has one.
    pub(crate) fn from_text(text: &str) -> Option<PartState> {
        let written: WrittenState = serde_json::from_str(text).ok()?;
        if written.anabranch != PURPOSE {
            return None;
        }
        let bytes: Option<Vec<u8>> = written.sha256.as_bytes().chunks(2).map(byte).collect();
        let modified = written.modified.map(|(seconds, nanoseconds)| Modified { seconds, nanoseconds });
        Some(PartState {
            file: OfferIdentity { size: written.size.map(ByteCount::new), modified },
            received: ByteCount::new(written.received),
            digest: bytes?.try_into().ok()?,
        })
    }
}

/// Parses two hexadecimal digits.
fn byte(digits: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(digits).ok().filter(|text| text.len() == 2)?;
    u8::from_str_radix(text, 16).ok()
}

/// The longest state file read.
const LONGEST: u64 = 4_096;
/// Marks the format, and explains the file to a reader. It never changes: states of earlier versions have it.
const PURPOSE: &str = "a file that is not complete; send it again and it goes on";

#[cfg(test)]
mod tests {
    use crate::protocol::FilePath;

    use super::*;

    fn offer(size: u64, seconds: i64) -> Offer {
        Offer {
            path: FilePath::new(b"a").expect("a name"),
            kind: FileKind::Resumable { size: ByteCount::new(size) },
            mode: None,
            modified: Some(Modified { seconds, nanoseconds: 5 }),
        }
    }

    #[test]
    fn what_is_written_down_is_read_again() {
        let digest = Sha256::digest(b"abc").into();
        let state =
            PartState { received: ByteCount::new(3), digest, ..PartState::nothing_of(&offer(2_000, 1)) };
        let read = PartState::from_text(&state.to_text()).expect("what was written");
        assert!(read.is_of(&offer(2_000, 1)));
        assert_eq!((read.received, read.digest), (state.received, digest));
    }

    #[test]
    fn another_file_of_the_same_name_is_another() {
        let state = PartState::nothing_of(&offer(2_000, 1));
        assert!(!state.is_of(&offer(2_001, 1)) && !state.is_of(&offer(2_000, 2)));
        // A non-resumable offer does not continue a part.
        let whole = FileKind::File { size: Some(ByteCount::new(2_000)) };
        assert!(!state.is_of(&Offer { kind: whole, ..offer(2_000, 1) }));
    }

    #[test]
    fn an_invalid_state_is_not_read() {
        let text = PartState::nothing_of(&offer(7, 1)).to_text();
        assert!(PartState::from_text(&text).is_some());
        let broken = [
            String::new(),
            "{}".to_owned(),
            text.replace("goes on", "stops"),
            text.replace("\"size\"", "\"length\""),
            text.replace("\"sha256\": \"", "\"sha256\": \"0"),
            text.replace("\"sha256\": \"", "\"sha256\": \"00"),
            text.replace("\"sha256\": \"", "\"sha256\": \"é"),
            text[..text.len() / 2].to_owned(),
        ];
        for text in broken {
            assert!(PartState::from_text(&text).is_none(), "{text}");
        }
    }
}
