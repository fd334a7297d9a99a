//! The sending end's view of a transfer: it makes the frames in order, hashes on the way and reads the
//! verdict. It knows no file system.

use anabranch_base::ByteCount;
use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::frame::{Digest, FrameError, FrameRef, MAX_PIECE, Offer, Verdict, decode, encode};

/// Makes a sender's messages and reads the receiver's.
#[derive(Debug, Default)]
pub struct Sender {
    file: Option<Leaving>,
}

/// Why a frame cannot be made, or the receiver's was wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SenderError {
    /// Not a frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// A frame or a call that has no place here.
    #[error("{0} out of turn")]
    OutOfTurn(&'static str),
    /// A piece that no frame takes.
    #[error("a piece of {0} bytes; a frame takes 1 to {MAX_PIECE}")]
    Piece(usize),
    /// The file is not what it was when it was offered.
    #[error("it changed while it was read: {read} instead of {promised}")]
    Changed {
        /// What was promised.
        promised: ByteCount,
        /// What was read.
        read: ByteCount,
    },
}

#[derive(Debug)]
struct Leaving {
    promised: Option<ByteCount>,
    read: ByteCount,
    hash: Sha256,
}

impl Sender {
    /// Begins a file.
    ///
    /// # Errors
    /// Before the file before it has its end or was given up.
    pub fn offer(&mut self, offer: Offer) -> Result<Bytes, SenderError> {
        if self.file.is_some() {
            return Err(SenderError::OutOfTurn("an offer"));
        }
        self.file = Some(Leaving { promised: offer.size, read: ByteCount::ZERO, hash: Sha256::new() });
        Ok(encode(&FrameRef::Offer(offer)))
    }

    /// The next piece of the file.
    ///
    /// # Errors
    /// Without an offer, for a piece of no or too many bytes, and for more than was promised.
    pub fn data(&mut self, piece: &[u8]) -> Result<Bytes, SenderError> {
        let file = self.file.as_mut().ok_or(SenderError::OutOfTurn("data"))?;
        if piece.is_empty() || piece.len() > MAX_PIECE {
            return Err(SenderError::Piece(piece.len()));
        }
        file.read += ByteCount::of_len(piece.len());
        if let Some(promised) = file.promised.filter(|promised| file.read > *promised) {
            return Err(SenderError::Changed { promised, read: file.read });
        }
        file.hash.update(piece);
        Ok(encode(&FrameRef::Data(piece)))
    }

    /// The file's end, and its hash.
    ///
    /// # Errors
    /// Without an offer, and for less than was promised.
    pub fn end(&mut self) -> Result<(Bytes, Digest), SenderError> {
        let file = self.file.take().ok_or(SenderError::OutOfTurn("an end"))?;
        if let Some(promised) = file.promised.filter(|promised| file.read != *promised) {
            return Err(SenderError::Changed { promised, read: file.read });
        }
        let digest = file.hash.finalize().into();
        Ok((encode(&FrameRef::End { size: file.read, digest }), digest))
    }

    /// Gives up the file that is being sent, because the receiver does not want it. The next may be offered.
    pub fn give_up(&mut self) {
        self.file = None;
    }

    /// Reads a message of the receiver: its verdict on the last file.
    ///
    /// # Errors
    /// For anything else than a verdict.
    pub fn verdict(message: &[u8]) -> Result<Verdict, SenderError> {
        match decode(message)? {
            FrameRef::Verdict(verdict) => Ok(verdict),
            FrameRef::Offer(_) => Err(SenderError::OutOfTurn("an offer")),
            FrameRef::Data(_) => Err(SenderError::OutOfTurn("data")),
            FrameRef::End { .. } => Err(SenderError::OutOfTurn("an end")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::name::FileName;
    use super::super::receiver::{Receiver, Step};
    use super::*;

    fn offer(size: Option<u64>) -> Offer {
        let name = FileName::new("a").expect("a plain name");
        Offer { name, size: size.map(ByteCount::new), mode: Some(0o600) }
    }

    #[test]
    fn what_a_sender_makes_a_receiver_keeps() {
        let (mut sender, mut receiver) = (Sender::default(), Receiver::default());
        let first = sender.offer(offer(Some(5))).expect("the first file");
        assert_eq!(receiver.handle(&first), Ok(Step::Create(offer(Some(5)))));
        for piece in [b"ab".as_slice(), b"cde"] {
            let frame = sender.data(piece).expect("a piece");
            assert_eq!(receiver.handle(&frame), Ok(Step::Write(piece)));
        }
        let (frame, sent) = sender.end().expect("all of it");
        assert!(matches!(receiver.handle(&frame), Ok(Step::Keep { digest, .. }) if digest == sent));
        let verdict = encode(&FrameRef::Verdict(Verdict::verified()));
        assert_eq!(Sender::verdict(&verdict), Ok(Verdict::verified()));
    }

    #[test]
    fn a_file_that_changes_while_it_is_read_is_noticed() {
        let mut sender = Sender::default();
        sender.offer(offer(Some(3))).expect("an offer");
        let changed = |read| SenderError::Changed { promised: ByteCount::new(3), read: ByteCount::new(read) };
        assert_eq!(sender.data(b"abcd"), Err(changed(4)));
        sender.give_up();
        sender.offer(offer(Some(3))).expect("the next offer");
        sender.data(b"ab").expect("a piece");
        assert_eq!(sender.end(), Err(changed(2)));
    }

    #[test]
    fn calls_out_of_turn_are_errors() {
        let mut sender = Sender::default();
        assert_eq!(sender.data(b"x"), Err(SenderError::OutOfTurn("data")));
        assert_eq!(sender.end(), Err(SenderError::OutOfTurn("an end")));
        sender.offer(offer(None)).expect("an offer");
        assert_eq!(sender.offer(offer(None)), Err(SenderError::OutOfTurn("an offer")));
        assert_eq!(sender.data(b""), Err(SenderError::Piece(0)));
        assert_eq!(sender.data(&[0; MAX_PIECE + 1]), Err(SenderError::Piece(MAX_PIECE + 1)));
    }

    #[test]
    fn a_receiver_that_speaks_garbage_is_an_error() {
        let frame = Sender::default().offer(offer(None)).expect("an offer");
        assert_eq!(Sender::verdict(&frame), Err(SenderError::OutOfTurn("an offer")));
        assert_eq!(Sender::verdict(b"HTTP"), Err(FrameError::UnknownKind(b'H').into()));
    }
}
