//! The state machine of the receiving end: which message may follow, the next step, and the check of the hash.

use anabranch_base::ByteCount;
use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::frame::{Beginning, Digest, FileVerdict, FrameRef, decode, encode, is_of_bench};
use super::offer::{FileKind, FrameError, Offer};
use super::path::FilePath;

/// Handles a sender's messages in their order.
#[derive(Debug, Default)]
pub struct Receiver {
    state: ReceiverState,
}

/// The step that the owner of a [`Receiver`] takes after a message.
#[derive(Debug, PartialEq, Eq)]
pub enum ReceiverStep<'a> {
    /// Make this directory and send a verdict.
    MakeDirectory(Offer),
    /// Create this file. If that fails, call [`Receiver::give_up`] and send a verdict.
    Create(Offer),
    /// Look for a stored beginning of this file, and call [`Receiver::has`] with its size. If that fails, give up as
    /// above.
    Find(Offer),
    /// The sender's hash of that beginning has arrived: hash the stored part, and call [`Receiver::compare`]. If that
    /// fails, give up as above.
    Compare,
    /// The file is sent from its start: discard the stored part.
    BeginAnew,
    /// Append these bytes to the file. If that fails, give up as above.
    Write(&'a [u8]),
    /// The file is complete and its hash is right: make it permanent and send a verdict.
    Keep {
        /// The path of the file.
        path: FilePath,
        /// The length.
        size: ByteCount,
        /// The hash computed by the receiver.
        digest: Digest,
    },
    /// Discard the file and send this verdict.
    Discard(FileVerdict),
    /// Do nothing: the message belongs to a file that was given up.
    Ignore,
}

/// The error of a sender that breaks the protocol. The association must be aborted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReceiverError {
    /// The message is not a frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The frame is not expected now.
    #[error("unexpected message: {0}")]
    OutOfTurn(&'static str),
    /// Both ends receive.
    #[error("both ends receive: start one of them with send")]
    AlsoReceives,
    /// The other end runs `anabranch bench`.
    #[error("{MEASURES}")]
    Measures,
    /// The file is longer or shorter than announced.
    #[error("{received} of \"{name}\" arrived, {promised} were announced")]
    Size {
        /// The file.
        name: String,
        /// The bytes received.
        received: ByteCount,
        /// The announced size.
        promised: ByteCount,
    },
}

#[derive(Debug, Default)]
enum ReceiverState {
    /// Waits for an offer.
    #[default]
    Waiting,
    /// A resumable file was offered; the owner has not yet called `has`.
    Asked(Offer),
    /// HAS was sent; FROM follows.
    Answered(Offer, ByteCount),
    /// FROM arrived; the owner has not yet compared the hashes.
    Comparing(Offer, Beginning),
    /// Receives the pieces of this file.
    Receiving(CurrentFile),
    /// Ignores the rest of a file that was given up.
    Ignoring,
}

#[derive(Debug)]
struct CurrentFile {
    offer: Offer,
    received: ByteCount,
    hash: Sha256,
}

impl Receiver {
    /// Handles one message and returns the next step.
    ///
    /// # Errors
    /// The peer breaks the protocol.
    pub fn handle<'a>(&mut self, message: &'a [u8]) -> Result<ReceiverStep<'a>, ReceiverError> {
        if is_of_bench(message) {
            return Err(ReceiverError::Measures);
        }
        let frame = match decode(message) {
            // An invalid name is the user's mistake, not a protocol error: the next file may follow.
            Err(FrameError::Content(error))
                if matches!(self.state, ReceiverState::Waiting | ReceiverState::Ignoring) =>
            {
                self.state = ReceiverState::Ignoring;
                return Ok(ReceiverStep::Discard(FileVerdict::refused(&error)));
            }
            frame => frame?,
        };
        match frame {
            FrameRef::Offer(offer) => self.on_offer(offer),
            FrameRef::Data(piece) => self.on_data(piece),
            FrameRef::End { size, digest } => self.on_end(size, digest),
            FrameRef::From(beginning) => self.on_from(beginning),
            FrameRef::GiveUp(why) => self.on_given_up(&why),
            FrameRef::Verdict(_) => Err(ReceiverError::OutOfTurn("a verdict")),
            FrameRef::Has(_) | FrameRef::Begins(_) => Err(ReceiverError::OutOfTurn("a HAS or BEGINS frame")),
            FrameRef::Here => Ok(ReceiverStep::Ignore),
            FrameRef::Fetch => Err(ReceiverError::AlsoReceives),
        }
    }

    /// Answers [`ReceiverStep::Find`]: `size` bytes of the file are stored. Returns the message for the sender.
    pub fn has(&mut self, size: ByteCount) -> Bytes {
        if let ReceiverState::Asked(offer) = std::mem::take(&mut self.state) {
            self.state = ReceiverState::Answered(offer, size);
        }
        encode(&FrameRef::Has(size))
    }

    /// Answers [`ReceiverStep::Compare`] with the hash of the stored part, if it has one. Returns the position where
    /// the data begins, which is after the part if the sender's hash is the same and 0 otherwise, and the message for
    /// the sender. The sender learns nothing else about the part.
    pub fn compare(&mut self, hash: Option<Sha256>) -> (ByteCount, Bytes) {
        let mut from = ByteCount::ZERO;
        if let ReceiverState::Comparing(offer, Beginning { size, digest }) = std::mem::take(&mut self.state) {
            let same = hash.filter(|hash| Digest::from(hash.clone().finalize()) == digest);
            from = if same.is_some() { size } else { ByteCount::ZERO };
            self.state = ReceiverState::Receiving(CurrentFile {
                offer,
                received: from,
                hash: same.unwrap_or_default(),
            });
        }
        (from, encode(&FrameRef::Begins(from)))
    }

    /// Gives up the current file: the rest of it is ignored.
    pub fn give_up(&mut self) {
        if self.current().is_some() {
            self.state = ReceiverState::Ignoring;
        }
    }

    /// The current file, and how much of it is stored.
    pub fn current(&self) -> Option<(&Offer, ByteCount)> {
        match &self.state {
            ReceiverState::Receiving(file) => Some((&file.offer, file.received)),
            ReceiverState::Asked(offer) => Some((offer, ByteCount::ZERO)),
            ReceiverState::Answered(offer, size)
            | ReceiverState::Comparing(offer, Beginning { size, .. }) => Some((offer, *size)),
            ReceiverState::Waiting | ReceiverState::Ignoring => None,
        }
    }

    /// The hash of the stored part of the current file.
    pub fn hash(&self) -> Option<&Sha256> {
        match &self.state {
            ReceiverState::Receiving(file) => Some(&file.hash),
            _ => None,
        }
    }

    fn on_offer(&mut self, offer: Offer) -> Result<ReceiverStep<'static>, ReceiverError> {
        if self.current().is_some() {
            return Err(ReceiverError::OutOfTurn("an offer"));
        }
        let shown = offer.clone();
        Ok(match offer.kind {
            FileKind::Directory => {
                self.state = ReceiverState::Waiting;
                ReceiverStep::MakeDirectory(offer)
            }
            FileKind::File { .. } => {
                self.state = ReceiverState::Receiving(CurrentFile {
                    offer,
                    received: ByteCount::ZERO,
                    hash: Sha256::new(),
                });
                ReceiverStep::Create(shown)
            }
            FileKind::Resumable { .. } => {
                self.state = ReceiverState::Asked(offer);
                ReceiverStep::Find(shown)
            }
        })
    }

    fn on_from(&mut self, beginning: Beginning) -> Result<ReceiverStep<'static>, ReceiverError> {
        match std::mem::take(&mut self.state) {
            ReceiverState::Ignoring => {
                self.state = ReceiverState::Ignoring;
                Ok(ReceiverStep::Ignore)
            }
            ReceiverState::Answered(offer, _) if beginning.size.is_zero() => {
                self.state = ReceiverState::Receiving(CurrentFile {
                    offer,
                    received: ByteCount::ZERO,
                    hash: Sha256::new(),
                });
                Ok(ReceiverStep::BeginAnew)
            }
            ReceiverState::Answered(offer, size) if beginning.size == size => {
                self.state = ReceiverState::Comparing(offer, beginning);
                Ok(ReceiverStep::Compare)
            }
            _ => Err(ReceiverError::OutOfTurn("a FROM frame")),
        }
    }

    fn on_given_up(&mut self, why: &str) -> Result<ReceiverStep<'static>, ReceiverError> {
        match std::mem::take(&mut self.state) {
            ReceiverState::Waiting => Err(ReceiverError::OutOfTurn("a GIVE-UP frame")),
            ReceiverState::Ignoring => Ok(ReceiverStep::Ignore),
            ReceiverState::Asked(_)
            | ReceiverState::Answered(..)
            | ReceiverState::Comparing(..)
            | ReceiverState::Receiving(_) => {
                Ok(ReceiverStep::Discard(FileVerdict::failed(&format!("the sender gave up: {why}"))))
            }
        }
    }

    fn on_data<'a>(&mut self, piece: &'a [u8]) -> Result<ReceiverStep<'a>, ReceiverError> {
        match &mut self.state {
            ReceiverState::Waiting
            | ReceiverState::Asked(_)
            | ReceiverState::Answered(..)
            | ReceiverState::Comparing(..) => Err(ReceiverError::OutOfTurn("data")),
            ReceiverState::Ignoring => Ok(ReceiverStep::Ignore),
            ReceiverState::Receiving(file) => {
                file.received += ByteCount::of_len(piece.len());
                if let Some(promised) = file.offer.size().filter(|promised| file.received > *promised) {
                    return Err(file.wrong_size(promised));
                }
                file.hash.update(piece);
                Ok(ReceiverStep::Write(piece))
            }
        }
    }

    fn on_end(&mut self, size: ByteCount, digest: Digest) -> Result<ReceiverStep<'static>, ReceiverError> {
        match std::mem::take(&mut self.state) {
            ReceiverState::Waiting
            | ReceiverState::Asked(_)
            | ReceiverState::Answered(..)
            | ReceiverState::Comparing(..) => Err(ReceiverError::OutOfTurn("an end")),
            ReceiverState::Ignoring => Ok(ReceiverStep::Ignore),
            ReceiverState::Receiving(file) => {
                let promised = file.offer.size().unwrap_or(size);
                if file.received != size || size != promised {
                    return Err(file.wrong_size(promised));
                }
                if Digest::from(file.hash.finalize()) != digest {
                    return Ok(ReceiverStep::Discard(FileVerdict::failed(
                        &"the SHA-256 of what arrived differs",
                    )));
                }
                Ok(ReceiverStep::Keep { path: file.offer.path, size, digest })
            }
        }
    }
}

impl ReceiverError {
    /// Returns true if the peer is an anabranch program of another kind, such as a second receiver.
    pub fn is_wrong_partner(&self) -> bool {
        matches!(self, ReceiverError::AlsoReceives | ReceiverError::Measures)
    }
}

/// The message if one of two ends was started with `bench`.
pub(super) const MEASURES: &str = "one end measures and the other transfers files: start both with bench, or one with send and one with recv";

impl CurrentFile {
    fn wrong_size(&self, promised: ByteCount) -> ReceiverError {
        let name = self.offer.path.to_string();
        ReceiverError::Size { name, received: self.received, promised }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy, any, prop, proptest};

    use super::super::frame::{MAX_PIECE, VERSION, encode};
    use super::*;

    fn offer_of(kind: FileKind) -> Offer {
        Offer { path: FilePath::new(b"a").expect("a plain name"), kind, mode: None, modified: None }
    }

    fn offer(size: Option<u64>) -> Offer {
        offer_of(FileKind::File { size: size.map(ByteCount::new) })
    }

    fn resumable(size: u64) -> Vec<u8> {
        encode(&FrameRef::Offer(offer_of(FileKind::Resumable { size: ByteCount::new(size) }))).to_vec()
    }

    fn from(beginning: &[u8]) -> Vec<u8> {
        let size = ByteCount::of_len(beginning.len());
        let digest = Sha256::digest(beginning).into();
        encode(&FrameRef::From(Beginning { size, digest })).to_vec()
    }

    fn offered(size: Option<u64>) -> Vec<u8> {
        encode(&FrameRef::Offer(offer(size))).to_vec()
    }

    fn data(piece: &[u8]) -> Vec<u8> {
        encode(&FrameRef::Data(piece)).to_vec()
    }

    fn end(size: u64, content: &[u8]) -> Vec<u8> {
        let digest = Sha256::digest(content).into();
        encode(&FrameRef::End { size: ByteCount::new(size), digest }).to_vec()
    }

    #[test]
    fn a_file_is_created_written_and_kept() {
        let mut receiver = Receiver::default();
        assert_eq!(receiver.handle(&offered(Some(6))), Ok(ReceiverStep::Create(offer(Some(6)))));
        assert_eq!(receiver.handle(&data(b"abc")), Ok(ReceiverStep::Write(b"abc")));
        assert_eq!(receiver.handle(&data(b"def")), Ok(ReceiverStep::Write(b"def")));
        assert_eq!(receiver.current().map(|(_, received)| received), Some(ByteCount::new(6)));
        let digest = Sha256::digest(b"abcdef").into();
        let kept = ReceiverStep::Keep { path: offer(None).path, size: ByteCount::new(6), digest };
        assert_eq!(receiver.handle(&end(6, b"abcdef")), Ok(kept));
        assert_eq!(receiver.current(), None);
    }

    #[test]
    fn a_peer_of_the_wrong_kind_is_told_from_garbage() {
        let told = |message: &[u8]| Receiver::default().handle(message).expect_err("no sender");
        assert_eq!(told(&encode(&FrameRef::Fetch)), ReceiverError::AlsoReceives);
        assert_eq!(told(b"\x01\x0112345678"), ReceiverError::Measures);
        assert!(told(b"\x01\x0112345678").is_wrong_partner() && !told(b"GET / HTT").is_wrong_partner());
    }

    #[test]
    fn files_of_unknown_and_of_no_length_are_kept() {
        for promised in [None, Some(0)] {
            let mut receiver = Receiver::default();
            receiver.handle(&offered(promised)).expect("an offer");
            assert!(matches!(receiver.handle(&end(0, b"")), Ok(ReceiverStep::Keep { .. })));
        }
    }

    #[test]
    fn a_wrong_hash_discards_the_file_and_the_next_may_come() {
        let mut receiver = Receiver::default();
        receiver.handle(&offered(None)).expect("an offer");
        receiver.handle(&data(b"abc")).expect("data");
        let Ok(ReceiverStep::Discard(verdict)) = receiver.handle(&end(3, b"abd")) else {
            panic!("kept a wrong file")
        };
        assert_eq!(verdict, FileVerdict::failed(&"the SHA-256 of what arrived differs"));
        assert!(matches!(receiver.handle(&offered(None)), Ok(ReceiverStep::Create(_))));
    }

    #[test]
    fn the_rest_of_a_file_given_up_is_ignored() {
        for ended in [true, false] {
            let mut receiver = Receiver::default();
            receiver.handle(&offered(None)).expect("an offer");
            receiver.give_up();
            assert_eq!(receiver.handle(&data(b"abc")), Ok(ReceiverStep::Ignore));
            if ended {
                assert_eq!(receiver.handle(&end(3, b"abc")), Ok(ReceiverStep::Ignore));
            }
            assert!(matches!(receiver.handle(&offered(None)), Ok(ReceiverStep::Create(_))));
        }
    }

    #[test]
    fn a_name_that_climbs_is_refused_and_the_next_file_may_come() {
        let mut hostile = offered(None);
        hostile.truncate(hostile.len() - 1);
        hostile.extend_from_slice(b"../../etc/cron.d/x");
        let mut receiver = Receiver::default();
        let Ok(ReceiverStep::Discard(verdict)) = receiver.handle(&hostile) else {
            panic!("took {hostile:?}")
        };
        assert_eq!(verdict.why, r#"the path "../../etc/cron.d/x" leads to another directory"#);
        assert_eq!(receiver.handle(&data(b"abc")), Ok(ReceiverStep::Ignore));
        assert!(matches!(receiver.handle(&offered(None)), Ok(ReceiverStep::Create(_))));
    }

    #[test]
    fn a_file_goes_on_where_it_was_broken_off() {
        let mut receiver = Receiver::default();
        let offer = offer_of(FileKind::Resumable { size: ByteCount::new(6) });
        assert_eq!(receiver.handle(&resumable(6)), Ok(ReceiverStep::Find(offer)));
        let there = receiver.has(ByteCount::new(3));
        assert_eq!(decode(&there), Ok(FrameRef::Has(ByteCount::new(3))));
        assert_eq!(receiver.handle(&from(b"abc")), Ok(ReceiverStep::Compare));
        let (from, begins) = receiver.compare(Some(Sha256::new_with_prefix(b"abc")));
        assert_eq!((from, decode(&begins)), (ByteCount::new(3), Ok(FrameRef::Begins(ByteCount::new(3)))));
        receiver.handle(&data(b"def")).expect("data");
        assert!(matches!(receiver.handle(&end(6, b"abcdef")), Ok(ReceiverStep::Keep { .. })));
    }

    #[test]
    fn a_file_begins_anew_where_the_receiver_has_another_or_the_sender_says_so() {
        for (said, there) in
            [(b"abc".as_slice(), Some(b"abX".as_slice())), (b"abc", None), (b"", Some(b"abc"))]
        {
            let mut receiver = Receiver::default();
            receiver.handle(&resumable(6)).expect("an offer");
            receiver.has(ByteCount::new(3));
            let message = from(said);
            let step = receiver.handle(&message).expect("in turn");
            if !said.is_empty() {
                assert_eq!(step, ReceiverStep::Compare);
                let (from, begins) = receiver.compare(there.map(Sha256::new_with_prefix));
                assert_eq!((from, decode(&begins)), (ByteCount::ZERO, Ok(FrameRef::Begins(ByteCount::ZERO))));
            } else {
                assert_eq!(step, ReceiverStep::BeginAnew);
            }
            receiver.handle(&data(b"abcdef")).expect("data");
            assert!(matches!(receiver.handle(&end(6, b"abcdef")), Ok(ReceiverStep::Keep { .. })));
        }
    }

    /// The answers about a stored file are the same for any other file of that size, unless its hash was sent before.
    #[test]
    fn a_sender_that_does_not_know_a_files_hash_does_not_learn_it() {
        let told = |content: &[u8]| {
            let mut receiver = Receiver::default();
            receiver.handle(&resumable(6)).expect("an offer");
            let has = receiver.has(ByteCount::of_len(content.len()));
            receiver.handle(&from(b"guess!")).expect("in turn");
            (has, receiver.compare(Some(Sha256::new_with_prefix(content))).1)
        };
        assert_eq!(told(b"abcdef"), told(b"secret"));
        assert_ne!(told(b"abcdef"), told(b"guess!"));
    }

    #[test]
    fn a_file_that_the_sender_gives_up_is_thrown_away_and_the_next_may_come() {
        let give_up = encode(&FrameRef::GiveUp("it shrank".to_owned()));
        for first in [offered(Some(3)), resumable(3)] {
            let mut receiver = Receiver::default();
            receiver.handle(&first).expect("an offer");
            let verdict = FileVerdict::failed(&"the sender gave up: it shrank");
            assert_eq!(receiver.handle(&give_up), Ok(ReceiverStep::Discard(verdict)));
            assert_eq!(receiver.handle(&give_up), Err(ReceiverError::OutOfTurn("a GIVE-UP frame")));
            receiver.handle(&first).expect("the next offer");
        }
    }

    #[test]
    fn a_directory_has_no_data_and_the_next_may_come() {
        let mut receiver = Receiver::default();
        let directory = encode(&FrameRef::Offer(offer_of(FileKind::Directory)));
        for _ in 0..2 {
            assert_eq!(
                receiver.handle(&directory),
                Ok(ReceiverStep::MakeDirectory(offer_of(FileKind::Directory)))
            );
        }
        assert_eq!(receiver.handle(&data(b"x")), Err(ReceiverError::OutOfTurn("data")));
    }

    #[test]
    fn what_comes_out_of_turn_is_an_error() {
        let wrong = |messages: &[&[u8]]| {
            let mut receiver = Receiver::default();
            let (last, first) = messages.split_last().expect("a message");
            first.iter().for_each(|message| assert!(receiver.handle(message).is_ok()));
            receiver.handle(last).expect_err("out of turn").to_string()
        };
        assert_eq!(wrong(&[&data(b"abc")]), "unexpected message: data");
        assert_eq!(wrong(&[&end(0, b"")]), "unexpected message: an end");
        assert_eq!(wrong(&[&offered(None), &offered(None)]), "unexpected message: an offer");
        assert_eq!(
            wrong(&[&encode(&FrameRef::Verdict(FileVerdict::verified()))]),
            "unexpected message: a verdict"
        );
        assert_eq!(wrong(&[&offered(Some(2)), &data(b"abc")]), "3 B of \"a\" arrived, 2 B were announced");
        assert_eq!(wrong(&[&offered(Some(2)), &end(0, b"")]), "0 B of \"a\" arrived, 2 B were announced");
        assert_eq!(wrong(&[&offered(None), &end(1, b"")]), "0 B of \"a\" arrived, 1 B were announced");
        assert_eq!(wrong(&[&from(b"")]), "unexpected message: a FROM frame");
        assert_eq!(wrong(&[&offered(None), &from(b"")]), "unexpected message: a FROM frame");
        assert_eq!(wrong(&[&resumable(1), &from(b"")]), "unexpected message: a FROM frame");
        assert_eq!(wrong(&[&resumable(1), &data(b"a")]), "unexpected message: data");
        assert_eq!(wrong(&[&resumable(1), &resumable(1)]), "unexpected message: an offer");
        assert_eq!(wrong(&[b"SSH-2.0"]), "a frame of unknown kind 0x53");
    }

    #[test]
    fn a_sender_may_ask_whether_the_receiver_is_there_and_another_receiver_is_refused() {
        let mut receiver = Receiver::default();
        assert_eq!(receiver.handle(&encode(&FrameRef::Here)), Ok(ReceiverStep::Ignore));
        let refused = receiver.handle(&encode(&FrameRef::Fetch)).expect_err("two receivers");
        assert_eq!(refused.to_string(), "both ends receive: start one of them with send");
    }

    fn messages() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let message =
            (0_u8..9, prop::collection::vec(any::<u8>(), 0..50)).prop_map(|(kind, bytes)| match kind {
                0 => offered(None),
                1 => offered(Some(bytes.len() as u64)),
                2 => data(&[bytes.as_slice(), b"x"].concat()),
                3 => end(bytes.len() as u64, &bytes),
                4 => [[&[1, VERSION, 0][..], &[0; 24]].concat(), bytes].concat(),
                5 => resumable(bytes.len() as u64),
                6 => from(&bytes[..bytes.len() / 2]),
                7 => encode(&FrameRef::Offer(offer_of(FileKind::Directory))).to_vec(),
                _ => bytes,
            });
        prop::collection::vec(message, 0..20)
    }

    proptest! {
        #[test]
        fn any_messages_end_in_a_step_or_an_error(messages in messages()) {
            let mut receiver = Receiver::default();
            for message in &messages {
                match receiver.handle(message) {
                    Ok(ReceiverStep::Write(piece)) => assert!(piece.len() <= MAX_PIECE),
                    Ok(ReceiverStep::Find(_)) => drop(receiver.has(ByteCount::new(3))),
                    Ok(ReceiverStep::Compare) => drop(receiver.compare(Some(Sha256::new_with_prefix(b"abc")))),
                    Ok(_) => {}
                    Err(_) => break,
                }
            }
        }
    }
}
