//! Reads a file on a separate thread and makes the frames to send.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use crate::protocol::{Digest, FileKind, Offer, Sender, SenderError};
use anabranch_base::ByteCount;
use bytes::Bytes;
use rustix::fs::{Mode, OFlags};
use tokio::sync::{mpsc, oneshot};

use crate::PIECES_BETWEEN;
use crate::frame_memory::FrameMemory;
use crate::hashing::hash_of;
use crate::sources::{SourceEntry, reason};

/// A file that a thread reads.
#[derive(Debug)]
pub(crate) struct FileReader {
    /// The pieces in order, closed after the last.
    pub pieces: mpsc::Receiver<Piece>,
    /// The sender for the receiver's answers about the file, if it is resumable.
    pub words: Option<AnswerSender>,
    /// The kind of the file.
    pub kind: FileKind,
}

/// Passes the receiver's answers about a file to the reading thread, each once and in their order. An answer that the
/// thread no longer waits for is dropped: the file was given up.
#[derive(Debug)]
pub(crate) struct AnswerSender {
    has: Option<oneshot::Sender<ByteCount>>,
    begins: Option<oneshot::Sender<ByteCount>>,
}

impl AnswerSender {
    /// Passes on that the receiver has `size` of the file. Returns false if that answer was not expected.
    pub(crate) fn has(&mut self, size: ByteCount) -> bool {
        self.has.take().map(|word| word.send(size)).is_some()
    }

    /// Passes on that the file begins at `at`. Returns false if that answer was not expected.
    pub(crate) fn begins(&mut self, at: ByteCount) -> bool {
        self.has.is_none() && self.begins.take().map(|word| word.send(at)).is_some()
    }
}

/// The receiving side of the answers, in the thread.
struct AnswerReceiver {
    has: oneshot::Receiver<ByteCount>,
    begins: oneshot::Receiver<ByteCount>,
}

fn words() -> (AnswerSender, AnswerReceiver) {
    let ((has, asked), (begins, told)) = (oneshot::channel(), oneshot::channel());
    (AnswerSender { has: Some(has), begins: Some(begins) }, AnswerReceiver { has: asked, begins: told })
}

/// The output of the reading thread.
#[derive(Debug)]
pub(crate) enum Piece {
    /// A frame, with or without a piece of the file.
    Frame {
        frame: Bytes,
        /// The size of the piece in it.
        size: ByteCount,
    },
    /// The file begins after `size` bytes, which the receiver has. Sent without a frame.
    Begins {
        /// The size of that beginning.
        size: ByteCount,
        /// The size of a receiver's part that is not a beginning of the file.
        useless: ByteCount,
    },
    /// The end of the file.
    End {
        frame: Bytes,
        /// The hash of the file.
        digest: Digest,
    },
    /// The file is given up.
    GivenUp {
        /// The GIVE-UP frame.
        frame: Bytes,
        why: String,
    },
}

impl FileReader {
    /// Starts reading in pieces of at most `piece` bytes, [`PIECES_BETWEEN`] ahead. A file that cannot be opened is
    /// still offered and then given up, so that the receiver knows that it is missing.
    pub(crate) fn begin(mut entry: SourceEntry, piece: usize) -> FileReader {
        let (pieces, receiver) = mpsc::channel(PIECES_BETWEEN);
        let (words, asked) = words();
        let opened = Input::open(&mut entry);
        let (offer, kind) = (entry.offer.clone(), entry.offer.kind);
        let is_asked = matches!(kind, FileKind::Resumable { .. });
        let started = opened.and_then(|input| {
            let reader = ReaderThread { entry, pieces: pieces.clone(), piece, sender: Sender::default() };
            std::thread::Builder::new().spawn(move || reader.read(input, asked))
        });
        if let Err(error) = started {
            give_up(offer, &pieces, reason(&error));
        }
        FileReader { pieces: receiver, words: is_asked.then_some(words), kind }
    }
}

/// Offers a file that cannot be read, and gives it up. The channel has room for both frames.
fn give_up(offer: Offer, pieces: &mpsc::Sender<Piece>, why: String) {
    let mut sender = Sender::default();
    let is_directory = offer.kind == FileKind::Directory;
    if let Ok(frame) = sender.offer(offer) {
        let _ = pieces.try_send(Piece::Frame { frame, size: ByteCount::ZERO });
    }
    if !is_directory {
        let frame = sender.give_up(&why);
        let _ = pieces.try_send(Piece::GivenUp { frame, why });
    }
}

/// The source of the bytes.
enum Input {
    /// A directory has none.
    Nothing,
    Standard,
    /// A pipe or a device, whose opening may block.
    Stream(PathBuf),
    File(File),
}

impl Input {
    /// Opens a file and updates its offer to the present state.
    fn open(entry: &mut SourceEntry) -> io::Result<Input> {
        match entry.offer.kind {
            FileKind::Directory => Ok(Input::Nothing),
            _ if entry.path == Path::new("-") => Ok(Input::Standard),
            FileKind::File { size: None } => Ok(Input::Stream(entry.path.clone())),
            FileKind::File { .. } | FileKind::Resumable { .. } => {
                // A file may have become a link or a pipe since the sources were found.
                let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
                let file = File::from(rustix::fs::open(&entry.path, flags, Mode::empty())?);
                let found = file.metadata()?;
                if !found.is_file() {
                    return Err(io::Error::other("it is no longer a file"));
                }
                entry.refresh(&found);
                Ok(Input::File(file))
            }
        }
    }
}

/// The state of the reading thread. It ends early when its pieces are no longer received.
struct ReaderThread {
    entry: SourceEntry,
    pieces: mpsc::Sender<Piece>,
    piece: usize,
    sender: Sender,
}

/// The reason for which the thread ends early.
enum EarlyEnd {
    /// The rest is not needed.
    Unwanted,
    /// The file cannot be read any further.
    Broken(String),
}

impl ReaderThread {
    fn read(self, input: Input, asked: AnswerReceiver) {
        let is_asked = matches!(self.entry.offer.kind, FileKind::Resumable { .. });
        match input {
            Input::Nothing => self.run(io::empty()),
            Input::Standard => self.run(io::stdin().lock()),
            Input::Stream(path) => match File::open(path) {
                Ok(file) => self.run(file),
                Err(error) => self.fail(&error),
            },
            Input::File(file) if is_asked => self.run_after(file, asked),
            Input::File(file) => self.run_whole(&file),
        }
    }

    fn run(mut self, input: impl Read) {
        let sent = self.offer().and_then(|()| self.rest(input)).and_then(|()| self.end());
        self.finish(sent);
    }

    /// Offers the file and gives it up, because it cannot be read.
    fn fail(mut self, error: &io::Error) {
        let sent = self.offer().and(Err(EarlyEnd::Broken(reason(error))));
        self.finish(sent);
    }

    fn run_whole(mut self, file: &File) {
        let sent = self.offer().and_then(|()| self.file(file));
        self.finish(sent);
    }

    /// Sends a file of which the receiver may have a part.
    fn run_after(mut self, mut file: File, asked: AnswerReceiver) {
        let sent = self.offer().and_then(|()| {
            self.skip(&mut file, asked)?;
            self.file(&file)
        });
        self.finish(sent);
    }

    /// Sends the rest of a file, and gives it up if it changed meanwhile.
    fn file(&mut self, file: &File) -> Result<(), EarlyEnd> {
        self.rest(file)?;
        let was = self.entry.offer.clone();
        self.entry.refresh(&file.metadata()?);
        let now = &self.entry.offer;
        match (was.size(), now.size()) {
            (Some(promised), Some(read)) if promised != read => {
                Err(SenderError::Changed { promised, read }.into())
            }
            _ if was.modified != now.modified => Err(EarlyEnd::Broken(
                "it changed while it was read: its modification time differs".to_owned(),
            )),
            _ => self.end(),
        }
    }

    fn offer(&mut self) -> Result<(), EarlyEnd> {
        let frame = self.sender.offer(self.entry.offer.clone())?;
        self.hand_over(Piece::Frame { frame, size: ByteCount::ZERO })
    }

    /// Skips what the receiver has if that is the beginning of this file; otherwise starts at 0.
    fn skip(&mut self, file: &mut File, asked: AnswerReceiver) -> Result<(), EarlyEnd> {
        let has = asked.has.blocking_recv().map_err(|_| EarlyEnd::Unwanted)?;
        let own = hash_of(file, has)?.map(|hash| (has, hash));
        let (said, hash) = own.unwrap_or_default();
        let frame = self.sender.from(said, hash)?;
        self.hand_over(Piece::Frame { frame, size: ByteCount::ZERO })?;
        let at = if said.is_zero() {
            said
        } else {
            asked.begins.blocking_recv().map_err(|_| EarlyEnd::Unwanted)?
        };
        self.sender.begins(at)?;
        if at.is_zero() {
            file.rewind()?;
        }
        self.hand_over(Piece::Begins { size: at, useless: has - at })
    }

    fn rest(&mut self, mut input: impl Read) -> Result<(), EarlyEnd> {
        let mut frames = FrameMemory::new(1 + self.piece);
        loop {
            let mut frame = frames.take();
            let length = fill(&mut input, &mut frame[1..])?;
            if length == 0 {
                return Ok(());
            }
            self.sender.data_in_place(&mut frame[..=length])?;
            let frame = frames.filled(frame, 1 + length);
            self.hand_over(Piece::Frame { frame, size: ByteCount::of_len(length) })?;
        }
    }

    fn end(&mut self) -> Result<(), EarlyEnd> {
        if self.entry.offer.kind == FileKind::Directory {
            return Ok(());
        }
        let (frame, digest) = self.sender.end()?;
        self.hand_over(Piece::End { frame, digest })
    }

    fn hand_over(&self, piece: Piece) -> Result<(), EarlyEnd> {
        self.pieces.blocking_send(piece).map_err(|_| EarlyEnd::Unwanted)
    }

    fn finish(mut self, sent: Result<(), EarlyEnd>) {
        if let Err(EarlyEnd::Broken(why)) = sent {
            let frame = self.sender.give_up(&why);
            let _ = self.hand_over(Piece::GivenUp { frame, why });
        }
    }
}

impl From<SenderError> for EarlyEnd {
    fn from(error: SenderError) -> EarlyEnd {
        EarlyEnd::Broken(error.to_string())
    }
}

impl From<io::Error> for EarlyEnd {
    fn from(error: io::Error) -> EarlyEnd {
        EarlyEnd::Broken(reason(&error))
    }
}

/// Reads until `buffer` is full or the input ends, so that a slow pipe does not cause small messages.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(length) => filled += length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use crate::protocol::{FilePath, MAX_PIECE, Receiver, ReceiverStep};
    use sha2::{Digest as _, Sha256};

    use super::*;

    fn entry(path: &Path, kind: FileKind) -> SourceEntry {
        let told = FilePath::new(b"a").expect("a good name");
        SourceEntry { path: path.to_owned(), offer: Offer { path: told, kind, mode: None, modified: None } }
    }

    /// The pieces of a file of which the receiver has this beginning.
    fn pieces(entry: SourceEntry, has: Option<&[u8]>) -> Vec<Piece> {
        pieces_of(FileReader::begin(entry, MAX_PIECE), has)
    }

    fn pieces_of(mut reading: FileReader, has: Option<&[u8]>) -> Vec<Piece> {
        let mut pieces = vec![reading.pieces.blocking_recv().expect("an offer")];
        let mut receiver = Receiver::default();
        receiver.handle(frame(&pieces[0])).expect("a good frame");
        if let (Some(mut words), Some(has)) = (reading.words, has) {
            assert!(!words.begins(ByteCount::ZERO), "the first word is how much is there");
            assert!(words.has(ByteCount::of_len(has.len())));
            receiver.has(ByteCount::of_len(has.len()));
            pieces.push(reading.pieces.blocking_recv().expect("where it begins"));
            if receiver.handle(frame(&pieces[1])) == Ok(ReceiverStep::Compare) {
                assert!(words.begins(receiver.compare(Some(Sha256::new_with_prefix(has))).0));
            }
            assert!(!words.has(ByteCount::ZERO), "it is said once");
        }
        while let Some(piece) = reading.pieces.blocking_recv() {
            pieces.push(piece);
        }
        pieces
    }

    fn frame(piece: &Piece) -> &Bytes {
        match piece {
            Piece::Frame { frame, .. } | Piece::End { frame, .. } | Piece::GivenUp { frame, .. } => frame,
            Piece::Begins { .. } => panic!("no frame: {piece:?}"),
        }
    }

    fn file(content: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        io::Write::write_all(&mut file, content).expect("room");
        file
    }

    #[test]
    fn a_file_is_read_in_full_pieces() {
        let content = vec![7; 2 * MAX_PIECE + 1];
        let file = file(&content);
        let size = Some(ByteCount::of_len(content.len()));
        let pieces = pieces(entry(file.path(), FileKind::File { size }), None);
        let lengths: Vec<usize> = pieces[1..].iter().map(|piece| frame(piece).len()).collect();
        assert_eq!(lengths, [MAX_PIECE + 1, MAX_PIECE + 1, 2, 41]);
        let mut receiver = Receiver::default();
        let steps: Vec<_> =
            pieces.iter().map(|piece| receiver.handle(frame(piece)).expect("a good frame")).collect();
        assert!(matches!(steps.last(), Some(ReceiverStep::Keep { .. })));
    }

    #[test]
    fn a_file_goes_on_where_the_receiver_has_its_beginning_and_begins_anew_where_it_has_something_else() {
        let file = file(b"abcdef");
        for (has, rest) in
            [(b"abc".as_slice(), b"def".as_slice()), (b"abd", b"abcdef"), (b"abcdefg", b"abcdef")]
        {
            let kind = FileKind::Resumable { size: ByteCount::new(6) };
            let pieces = pieces(entry(file.path(), kind), Some(has));
            let from = ByteCount::of_len(6 - rest.len());
            let useless = ByteCount::of_len(if from.is_zero() { has.len() } else { 0 });
            let is_right = |piece: &Piece| matches!(piece, Piece::Begins { size, useless: u } if (*size, *u) == (from, useless));
            assert!(is_right(&pieces[2]), "{:?}", pieces[2]);
            assert_eq!(&frame(&pieces[3])[1..], rest);
            let whole: Digest = Sha256::digest(b"abcdef").into();
            assert!(matches!(&pieces[4], Piece::End { digest, .. } if *digest == whole));
        }
    }

    /// The reason for which a file of four bytes is given up if `change` happens before it is read.
    fn given_up(change: impl Fn(&File) -> io::Result<()>) -> String {
        let file = file(b"abcd");
        let kind = FileKind::Resumable { size: ByteCount::new(4) };
        let reading = FileReader::begin(entry(file.path(), kind), MAX_PIECE);
        // The thread waits for HAS.
        change(file.as_file()).expect("it is ours");
        match pieces_of(reading, Some(b"")).pop() {
            Some(Piece::GivenUp { why, .. }) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_file_that_changes_meanwhile_is_given_up() {
        let second = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1);
        assert_eq!(given_up(|file| file.set_len(3)), "it changed while it was read: 3 B instead of 4 B");
        assert_eq!(given_up(|file| file.set_len(5)), "it changed while it was read: 5 B instead of 4 B");
        assert_eq!(
            given_up(|file| file.set_modified(second)),
            "it changed while it was read: its modification time differs"
        );
    }

    #[test]
    fn a_directory_is_its_offer_alone() {
        assert_eq!(pieces(entry(Path::new("/"), FileKind::Directory), None).len(), 1);
    }

    #[test]
    fn what_cannot_be_read_is_offered_and_given_up() {
        let dir = tempfile::tempdir().expect("a directory");
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("/etc/passwd", &link).expect("a link");
        let size = ByteCount::new(1);
        let kinds = [FileKind::File { size: Some(size) }, FileKind::Resumable { size }];
        for (path, right) in [
            (Path::new("/nowhere"), "there is no such file"),
            (&link, "it has become a symbolic link, which is not followed"),
            (dir.path(), "it is no longer a file"),
        ] {
            for kind in kinds {
                let pieces = pieces(entry(path, kind), None);
                assert!(matches!(&pieces[..], [_, Piece::GivenUp { why, .. }] if why == right), "{pieces:?}");
            }
        }
        let pieces = pieces(entry(Path::new("/nowhere"), FileKind::File { size: None }), None);
        assert!(matches!(&pieces[1], Piece::GivenUp { .. }), "{pieces:?}");
    }
}
