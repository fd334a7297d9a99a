//! The state machine of the sending end: makes the frames in order, hashes the data, and reads the verdicts.

use anabranch_base::ByteCount;
use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::frame::{Beginning, DATA, Digest, FileVerdict, FrameRef, MAX_PIECE, decode, encode, is_of_bench};
use super::offer::{FileKind, FrameError, Offer};
use super::receiver::MEASURES;

/// Makes a sender's messages and decodes the receiver's.
#[derive(Debug, Default)]
pub struct Sender {
    file: Option<Leaving>,
}

/// The error of a frame that cannot be made, or of a wrong frame from the receiver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SenderError {
    /// The message is not a frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The frame or the call is not expected now.
    #[error("unexpected message: {0}")]
    OutOfTurn(&'static str),
    /// Both ends send.
    #[error("both ends send: start one of them with recv")]
    AlsoSends,
    /// The other end runs `anabranch bench`.
    #[error("{MEASURES}")]
    Measures,
    /// The end that connected did not send FETCH in time.
    #[error("it connected and asked for no file")]
    Silent,
    /// The piece is empty or too long for a frame.
    #[error("a piece of {0} bytes; a frame takes 1 to {MAX_PIECE}")]
    Piece(usize),
    /// The file's size changed after the offer.
    #[error("it changed while it was read: {read} instead of {promised}")]
    Changed {
        /// The announced size.
        promised: ByteCount,
        /// The bytes read.
        read: ByteCount,
    },
}

/// The message of a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReceiverAnswer {
    /// The verdict on the oldest file that has none yet.
    Verdict(FileVerdict),
    /// The size of the receiver's part of the offered file.
    Has(ByteCount),
    /// The position where the offered file begins: after the receiver's part, or 0.
    Begins(ByteCount),
    /// A probe, which needs no answer.
    Here,
}

#[derive(Debug)]
struct Leaving {
    promised: Option<ByteCount>,
    read: ByteCount,
    hash: Sha256,
}

impl SenderError {
    /// Returns true if the peer is an anabranch program of another kind, such as a second sender.
    pub fn is_wrong_partner(&self) -> bool {
        matches!(self, SenderError::AlsoSends | SenderError::Measures)
    }
}

impl Sender {
    /// Checks the first frame of a receiver that connected.
    ///
    /// # Errors
    /// The frame is not FETCH: the peer sends files as well, or uses another protocol.
    pub fn is_wanted(message: &[u8]) -> Result<(), SenderError> {
        if is_of_bench(message) {
            return Err(SenderError::Measures);
        }
        if message.first() == Some(&super::frame::OFFER) {
            return Err(SenderError::AlsoSends);
        }
        match decode(message)? {
            FrameRef::Fetch => Ok(()),
            _ => Err(SenderError::OutOfTurn("an answer before FETCH")),
        }
    }

    /// Begins a file, or announces a directory. After a [`FileKind::Resumable`] the sender waits for the receiver's
    /// HAS and then answers it with [`from`](Sender::from).
    ///
    /// # Errors
    /// The previous file has neither ended nor been given up.
    pub fn offer(&mut self, offer: Offer) -> Result<Bytes, SenderError> {
        if self.file.is_some() {
            return Err(SenderError::OutOfTurn("an offer"));
        }
        if offer.kind != FileKind::Directory {
            self.file = Some(Leaving { promised: offer.size(), read: ByteCount::ZERO, hash: Sha256::new() });
        }
        Ok(encode(&FrameRef::Offer(offer)))
    }

    /// Answers HAS with the hash of the file's first `size` bytes, as many as the receiver has. If `size` is 0, the
    /// data follows; otherwise the receiver answers where it [begins](Sender::begins).
    ///
    /// # Errors
    /// No file was offered, or data was sent already.
    pub fn from(&mut self, size: ByteCount, hash: Sha256) -> Result<Bytes, SenderError> {
        let file = self.file.as_mut().filter(|file| file.read.is_zero());
        let file = file.ok_or(SenderError::OutOfTurn("a FROM frame"))?;
        let digest = hash.clone().finalize().into();
        (file.read, file.hash) = (size, hash);
        Ok(encode(&FrameRef::From(Beginning { size, digest })))
    }

    /// Handles BEGINS: the data begins at `at`.
    ///
    /// # Errors
    /// No file was offered, or `at` is neither the size of the compared beginning nor 0.
    pub fn begins(&mut self, at: ByteCount) -> Result<(), SenderError> {
        let file = self.file.as_mut().filter(|file| at.is_zero() || file.read == at);
        let file = file.ok_or(SenderError::OutOfTurn("a BEGINS frame"))?;
        if at.is_zero() {
            (file.read, file.hash) = (ByteCount::ZERO, Sha256::new());
        }
        Ok(())
    }

    /// The next piece of the file.
    ///
    /// # Errors
    /// No file was offered, the piece is empty or too long, or the file exceeds its announced size.
    pub fn data(&mut self, piece: &[u8]) -> Result<Bytes, SenderError> {
        self.note(piece)?;
        Ok(encode(&FrameRef::Data(piece)))
    }

    /// Completes a DATA frame whose piece is already in `frame` from the second byte on.
    ///
    /// # Errors
    /// As for [`data`](Sender::data).
    pub(crate) fn data_in_place(&mut self, frame: &mut [u8]) -> Result<(), SenderError> {
        let (kind, piece) = frame.split_first_mut().ok_or(SenderError::Piece(0))?;
        self.note(piece)?;
        *kind = DATA;
        Ok(())
    }

    fn note(&mut self, piece: &[u8]) -> Result<(), SenderError> {
        let file = self.file.as_mut().ok_or(SenderError::OutOfTurn("data"))?;
        if piece.is_empty() || piece.len() > MAX_PIECE {
            return Err(SenderError::Piece(piece.len()));
        }
        file.read += ByteCount::of_len(piece.len());
        if let Some(promised) = file.promised.filter(|promised| file.read > *promised) {
            return Err(SenderError::Changed { promised, read: file.read });
        }
        file.hash.update(piece);
        Ok(())
    }

    /// Ends the file. Returns the frame and the hash.
    ///
    /// # Errors
    /// No file was offered, or it is shorter than announced.
    pub fn end(&mut self) -> Result<(Bytes, Digest), SenderError> {
        let file = self.file.take().ok_or(SenderError::OutOfTurn("an end"))?;
        if let Some(promised) = file.promised.filter(|promised| file.read != *promised) {
            return Err(SenderError::Changed { promised, read: file.read });
        }
        let digest = file.hash.finalize().into();
        Ok((encode(&FrameRef::End { size: file.read, digest }), digest))
    }

    /// Gives up the offered file. Another may follow; the receiver still sends a verdict on this one.
    pub fn give_up(&mut self, why: &dyn ToString) -> Bytes {
        self.file = None;
        encode(&FrameRef::GiveUp(why.to_string()))
    }

    /// Decodes a message of the receiver.
    ///
    /// # Errors
    /// The frame is one that only senders send.
    pub fn answer(message: &[u8]) -> Result<ReceiverAnswer, SenderError> {
        // Includes an offer of another version or with an invalid name.
        if message.first() == Some(&super::frame::OFFER) {
            return Err(SenderError::AlsoSends);
        }
        match decode(message)? {
            FrameRef::Verdict(verdict) => Ok(ReceiverAnswer::Verdict(verdict)),
            FrameRef::Has(size) => Ok(ReceiverAnswer::Has(size)),
            FrameRef::Begins(at) => Ok(ReceiverAnswer::Begins(at)),
            FrameRef::Here => Ok(ReceiverAnswer::Here),
            FrameRef::Offer(_) => Err(SenderError::AlsoSends),
            FrameRef::Data(_) => Err(SenderError::OutOfTurn("data")),
            FrameRef::End { .. } => Err(SenderError::OutOfTurn("an end")),
            FrameRef::From(_) => Err(SenderError::OutOfTurn("a FROM frame")),
            FrameRef::GiveUp(_) => Err(SenderError::OutOfTurn("a GIVE-UP frame")),
            FrameRef::Fetch => Err(SenderError::OutOfTurn("a fetch")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::path::FilePath;
    use super::super::receiver::{Receiver, ReceiverStep};
    use super::*;

    fn offer(size: Option<u64>) -> Offer {
        let path = FilePath::new(b"a").expect("a plain name");
        let kind = FileKind::File { size: size.map(ByteCount::new) };
        Offer { path, kind, mode: Some(0o600), modified: None }
    }

    #[test]
    fn what_a_sender_makes_a_receiver_keeps() {
        let (mut sender, mut receiver) = (Sender::default(), Receiver::default());
        let first = sender.offer(offer(Some(5))).expect("the first file");
        assert_eq!(receiver.handle(&first), Ok(ReceiverStep::Create(offer(Some(5)))));
        for piece in [b"ab".as_slice(), b"cde"] {
            let frame = sender.data(piece).expect("a piece");
            assert_eq!(receiver.handle(&frame), Ok(ReceiverStep::Write(piece)));
        }
        let (frame, sent) = sender.end().expect("all of it");
        assert!(matches!(receiver.handle(&frame), Ok(ReceiverStep::Keep { digest, .. }) if digest == sent));
        let verdict = encode(&FrameRef::Verdict(FileVerdict::verified()));
        assert_eq!(Sender::answer(&verdict), Ok(ReceiverAnswer::Verdict(FileVerdict::verified())));
    }

    #[test]
    fn a_file_goes_on_after_what_the_receiver_has_or_begins_anew() {
        for (there, from, rest) in [(b"ab", 2, b"cde".as_slice()), (b"aX", 0, b"abcde")] {
            let (mut sender, mut receiver) = (Sender::default(), Receiver::default());
            let offer = Offer { kind: FileKind::Resumable { size: ByteCount::new(5) }, ..offer(None) };
            let first = sender.offer(offer.clone()).expect("the first file");
            assert_eq!(receiver.handle(&first), Ok(ReceiverStep::Find(offer)));
            let has = receiver.has(ByteCount::new(2));
            assert_eq!(Sender::answer(&has), Ok(ReceiverAnswer::Has(ByteCount::new(2))));
            let said =
                sender.from(ByteCount::new(2), Sha256::new_with_prefix(b"ab")).expect("before any data");
            assert_eq!(receiver.handle(&said), Ok(ReceiverStep::Compare));
            let (_, begins) = receiver.compare(Some(Sha256::new_with_prefix(there)));
            assert_eq!(Sender::answer(&begins), Ok(ReceiverAnswer::Begins(ByteCount::new(from))));
            assert!(sender.begins(ByteCount::new(1)).is_err(), "in the middle");
            sender.begins(ByteCount::new(from)).expect("in turn");
            let frame = sender.data(rest).expect("a piece");
            assert_eq!(receiver.handle(&frame), Ok(ReceiverStep::Write(rest)));
            assert!(sender.from(ByteCount::ZERO, Sha256::new()).is_err(), "after data");
            let (frame, sent) = sender.end().expect("all of it");
            assert_eq!(sent, Digest::from(Sha256::digest(b"abcde")));
            assert!(
                matches!(receiver.handle(&frame), Ok(ReceiverStep::Keep { digest, .. }) if digest == sent)
            );
        }
    }

    #[test]
    fn a_file_that_changes_while_it_is_read_is_noticed() {
        let mut sender = Sender::default();
        sender.offer(offer(Some(3))).expect("an offer");
        let changed = |read| SenderError::Changed { promised: ByteCount::new(3), read: ByteCount::new(read) };
        assert_eq!(sender.data(b"abcd"), Err(changed(4)));
        sender.give_up(&"it grew");
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
    fn a_sender_that_listens_waits_for_a_receiver_and_refuses_another_sender() {
        assert_eq!(Sender::is_wanted(&encode(&FrameRef::Fetch)), Ok(()));
        // An offer of another version shows the role as well.
        assert_eq!(Sender::is_wanted(b"\x01\x63"), Err(SenderError::AlsoSends));
        assert_eq!(Sender::is_wanted(b"\x01\x0112345678"), Err(SenderError::Measures));
        assert_eq!(Sender::answer(b"\x01\x63"), Err(SenderError::AlsoSends));
        assert!(matches!(Sender::is_wanted(b""), Err(SenderError::Frame(_))));
        assert!(matches!(Sender::is_wanted(b"\x0a\x63"), Err(SenderError::Frame(_))));
        assert!(matches!(Sender::is_wanted(&encode(&FrameRef::Here)), Err(SenderError::OutOfTurn(_))));
    }

    #[test]
    fn a_receiver_that_speaks_garbage_is_an_error() {
        let frame = Sender::default().offer(offer(None)).expect("an offer");
        assert_eq!(Sender::answer(&frame), Err(SenderError::AlsoSends));
        assert_eq!(Sender::answer(b"HTTP"), Err(FrameError::UnknownKind(b'H').into()));
    }
}
