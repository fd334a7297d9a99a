//! The receiving end: messages go to a thread that reads frames, hashes and writes; its verdicts go back.

use crate::protocol::{
    Digest, FileKind, FileVerdict, FrameRef, Offer, Receiver, ReceiverError, ReceiverStep, encode,
};
use anabranch_base::ByteCount;
use anabranch_net::reason::REFUSED;
use anabranch_net::{Association, CloseReason, SendOptions};
use bytes::Bytes;
use tokio::sync::mpsc;

use crate::PIECES_BETWEEN;
use crate::destination::Destination;
use crate::event::{Event, Remark, Transferred};
use crate::messages::MessageStream;
use crate::refusals;
use crate::store::IncomingFile;
use crate::transfer::{Teller, Transfer};

/// Why not everything was received and stored.
#[derive(Debug, thiserror::Error)]
pub enum ReceiveFilesError {
    /// The sender breaks the file protocol. The association has been aborted.
    #[error("the sender violates the file protocol: {0}")]
    Protocol(#[from] ReceiverError),
    /// There is no thread that could write files. The association has been aborted.
    #[error("cannot start a thread that writes files: {0}")]
    NoThread(std::io::Error),
    /// The association ended in the middle of a file.
    #[error("\"{name}\" is incomplete: {reason}")]
    Incomplete {
        /// The file.
        name: String,
        /// How much of it is kept for another transfer to continue; `None` if it was discarded.
        kept: Option<ByteCount>,
        /// How the association ended.
        reason: CloseReason,
    },
    /// These files were refused or failed; of very many, the first. The others were stored.
    #[error("{} files were refused or failed, the first: \"{}\": {}", .0.len(), .0[0].name, .0[0].verdict.why)]
    NotStored(Vec<Transferred>),
    /// The association ended other than by the sender's goodbye: the sender may not have heard the last verdict.
    #[error("the association ended before the sender had finished: {0}")]
    Ended(CloseReason),
}

/// What the writing thread says.
#[derive(Debug)]
enum WriterEvent {
    Began {
        name: String,
        size: Option<ByteCount>,
        /// True if what is there of it is looked for.
        is_asked: bool,
    },
    /// What the user should know.
    Remark(Remark),
    /// How much of the file was there already.
    Had(ByteCount),
    Stored(ByteCount),
    /// All of the file is there, and is read back.
    Verifying,
    Say(Bytes),
    Judged {
        name: Option<String>,
        digest: Option<Digest>,
        verdict: FileVerdict,
    },
    Broken(ReceiverError),
    MadeDirectory,
    /// The sender vanished; how much of the file is kept.
    Left(ByteCount),
}

/// Receives files into `destination` until the sender closes the association. A transfer of no file is not an error.
pub fn receive_files(association: &Association, destination: Destination) -> Transfer<'_, ReceiveFilesError> {
    Transfer::new(|teller| receive_all(association, destination, teller))
}

/// Receives files as [`receive_files`] does, from a sender that listens: this end dialled, and says that it wants them.
pub fn fetch_files(association: &Association, destination: Destination) -> Transfer<'_, ReceiveFilesError> {
    Transfer::new(move |teller| async move {
        // Where the association is gone already, reading says so.
        let _ = association.send(encode(&FrameRef::Fetch), SendOptions::default()).await;
        receive_all(association, destination, teller).await
    })
}

async fn receive_all(
    association: &Association,
    destination: Destination,
    teller: Teller,
) -> Result<(), ReceiveFilesError> {
    let (messages, to_write) = mpsc::channel(PIECES_BETWEEN);
    // A sender that accepts no results is not read any further.
    let (to_tell, mut news) = mpsc::channel(NEWS_BETWEEN);
    let started = std::thread::Builder::new().spawn(move || Writer::new(destination, to_tell).run(to_write));
    if let Err(error) = started {
        association.abort(&format!("cannot receive: {}", refusals::reason(&error)));
        return Err(ReceiveFilesError::NoThread(error));
    }
    let reading = async move {
        let mut incoming = MessageStream::of(association);
        loop {
            match incoming.next().await {
                // Where the thread takes no more, it has told why, and the association is being aborted.
                Ok(message) => drop(messages.send(message).await),
                Err(reason) => return reason,
            }
        }
    };
    let telling = async {
        let mut receiving = Receiving::new(association, teller);
        while let Some(news) = news.recv().await {
            receiving.on_news(news).await;
        }
        receiving
    };
    let (reason, receiving) = tokio::join!(reading, telling);
    receiving.end(reason)
}

/// What is known of a transfer besides what the writing thread does.
struct Receiving<'a> {
    association: &'a Association,
    teller: Teller,
    /// The file that is arriving.
    current: Option<String>,
    /// How much of it is there, and how much of that was before.
    size: ByteCount,
    resumed: ByteCount,
    not_stored: Vec<Transferred>,
    broken: Option<ReceiverError>,
    /// How much of the current file stays when the sender is gone.
    kept: Option<ByteCount>,
}

impl<'a> Receiving<'a> {
    fn new(association: &'a Association, teller: Teller) -> Receiving<'a> {
        let [size, resumed] = [ByteCount::ZERO; 2];
        let (current, not_stored, broken, kept) = (None, Vec::new(), None, None);
        Receiving { association, teller, current, size, resumed, not_stored, broken, kept }
    }

    async fn on_news(&mut self, news: WriterEvent) {
        match news {
            WriterEvent::Began { name, size, is_asked } => {
                (self.current, self.size, self.resumed) =
                    (Some(name.clone()), ByteCount::ZERO, ByteCount::ZERO);
                self.teller.tell(Event::Began { name, compares: is_asked });
                self.teller.tell(Event::Expected(size.unwrap_or_default()));
            }
            WriterEvent::Remark(remark) => self.teller.tell(Event::Remark(remark)),
            WriterEvent::Had(size) => {
                (self.size, self.resumed) = (size, size);
                self.teller.tell(Event::Resumed(size));
            }
            WriterEvent::Stored(size) => {
                self.size += size;
                self.teller.tell(Event::Progress(size));
            }
            WriterEvent::Verifying => self.teller.tell(Event::Verifying),
            WriterEvent::Say(frame) => self.say(frame).await,
            WriterEvent::Judged { name, digest, verdict } => {
                self.say(encode(&FrameRef::Verdict(verdict.clone()))).await;
                self.on_judged(name, digest, verdict);
            }
            WriterEvent::MadeDirectory => {
                self.teller.tell(Event::MadeDirectory);
                self.say(encode(&FrameRef::Verdict(FileVerdict::verified()))).await;
            }
            WriterEvent::Left(size) => {
                self.kept = Some(size);
                self.teller.tell(Event::Kept(size));
            }
            WriterEvent::Broken(error) => {
                let topic = if error.is_wrong_partner() { REFUSED } else { "file protocol: " };
                self.association.abort(&format!("{topic}{error}"));
                self.broken = Some(error);
            }
        }
    }

    /// Where the association is gone already, reading says so.
    async fn say(&self, frame: Bytes) {
        let _ = self.association.send(frame, SendOptions::default()).await;
    }

    fn on_judged(&mut self, name: Option<String>, digest: Option<Digest>, verdict: FileVerdict) {
        let name = name.or_else(|| self.current.clone()).unwrap_or_default();
        let (size, resumed) = (self.size, self.resumed);
        if self.current.as_ref() == Some(&name) {
            (self.current, self.size) = (None, ByteCount::ZERO);
        }
        let file = Transferred { name, size, resumed, digest, verdict };
        if !file.verdict.is_verified() && self.not_stored.len() < MOST_LISTED {
            self.not_stored.push(file.clone());
        }
        self.teller.tell(Event::Finished(file));
    }

    /// How the transfer ended, after the association ended for this reason.
    fn end(self, reason: CloseReason) -> Result<(), ReceiveFilesError> {
        if let Some(error) = self.broken {
            return Err(error.into());
        }
        if let Some(name) = self.current {
            return Err(ReceiveFilesError::Incomplete { name, kept: self.kept, reason });
        }
        match reason {
            _ if !self.not_stored.is_empty() => Err(ReceiveFilesError::NotStored(self.not_stored)),
            CloseReason::Graceful => Ok(()),
            reason => Err(ReceiveFilesError::Ended(reason)),
        }
    }
}

/// The thread that reads frames and writes files.
struct Writer {
    destination: Destination,
    receiver: Receiver,
    file: Option<Box<dyn IncomingFile>>,
    news: mpsc::Sender<WriterEvent>,
}

impl Writer {
    fn new(destination: Destination, news: mpsc::Sender<WriterEvent>) -> Writer {
        Writer { destination, receiver: Receiver::default(), file: None, news }
    }

    /// Ends when the association does or breaks the protocol. What is there of a file that is not complete stays where
    /// its sender may continue it; otherwise it is removed.
    fn run(mut self, mut messages: mpsc::Receiver<Bytes>) {
        while let Some(message) = messages.blocking_recv() {
            if let Err(error) = self.handle(&message) {
                self.tell(WriterEvent::Broken(error));
                break;
            }
        }
        self.leave();
        self.destination.finish();
    }

    fn handle(&mut self, message: &[u8]) -> Result<(), ReceiverError> {
        match self.receiver.handle(message)? {
            ReceiverStep::MakeDirectory(offer) => match self.destination.make_directory(&offer) {
                Ok(()) => self.tell(WriterEvent::MadeDirectory),
                Err(verdict) => {
                    self.tell(WriterEvent::Judged {
                        name: Some(offer.path.to_string()),
                        digest: None,
                        verdict,
                    });
                }
            },
            ReceiverStep::Create(offer) => self.open(&offer),
            ReceiverStep::Find(offer) => {
                self.open(&offer);
                if let Some(file) = &self.file {
                    let frame = self.receiver.has(file.there());
                    self.tell(WriterEvent::Say(frame));
                }
            }
            ReceiverStep::Compare => self.compare(),
            ReceiverStep::BeginAnew => self.go_on(ByteCount::ZERO),
            ReceiverStep::Write(piece) => self.write(piece),
            ReceiverStep::Keep { path, digest, .. } => {
                self.tell(WriterEvent::Verifying);
                let kept = self.file.take().map_or(Ok(()), |file| file.keep(&digest));
                let verdict = kept.err().unwrap_or_else(FileVerdict::verified);
                self.tell(WriterEvent::Judged {
                    name: Some(path.to_string()),
                    digest: verdict.is_verified().then_some(digest),
                    verdict,
                });
            }
            ReceiverStep::Discard(verdict) => {
                self.file = None;
                self.tell(WriterEvent::Judged { name: None, digest: None, verdict });
            }
            ReceiverStep::Ignore => {}
        }
        Ok(())
    }

    /// Makes a place for the file on offer, or finds what is there of it.
    fn open(&mut self, offer: &Offer) {
        let is_asked = matches!(offer.kind, FileKind::Resumable { .. });
        self.tell(WriterEvent::Began { name: offer.path.to_string(), size: offer.size(), is_asked });
        match self.destination.create(offer) {
            Ok(file) => self.file = Some(file),
            Err(verdict) => self.give_up(verdict),
        }
        self.tell_remark();
    }

    /// The sender has said which hash its file's beginning has: is that what is there?
    fn compare(&mut self) {
        let Some(file) = &mut self.file else { return };
        match file.hash() {
            Ok(hash) => {
                let (from, frame) = self.receiver.compare(hash);
                self.tell_remark();
                self.go_on(from);
                if self.file.is_some() {
                    self.tell(WriterEvent::Say(frame));
                }
            }
            Err(verdict) => self.give_up(verdict),
        }
    }

    fn tell_remark(&mut self) {
        if let Some(remark) = self.file.as_mut().and_then(|file| file.take_remark()) {
            self.tell(WriterEvent::Remark(remark));
        }
    }

    /// The file continues after `from` bytes that are stored already, or starts at 0.
    fn go_on(&mut self, from: ByteCount) {
        self.tell(WriterEvent::Had(from));
        let Some(file) = self.file.take() else { return };
        if from.is_zero() && file.there() > ByteCount::ZERO {
            match file.begin_anew() {
                Ok(file) => self.file = Some(file),
                Err(verdict) => self.give_up(verdict),
            }
        } else {
            self.file = Some(file);
        }
    }

    fn write(&mut self, piece: &[u8]) {
        let written = match (&mut self.file, self.receiver.hash()) {
            (Some(file), Some(hash)) => file.write(piece, hash),
            _ => Ok(()),
        };
        match written {
            Ok(()) => self.tell(WriterEvent::Stored(ByteCount::of_len(piece.len()))),
            Err(verdict) => self.give_up(verdict),
        }
    }

    fn give_up(&mut self, verdict: FileVerdict) {
        let name = self.receiver.current().map(|(offer, _)| offer.path.to_string());
        self.receiver.give_up();
        self.file = None;
        self.tell(WriterEvent::Judged { name, digest: None, verdict });
    }

    /// The sender is gone: what is there of its file waits for it.
    fn leave(&mut self) {
        let Some(file) = self.file.take() else { return };
        if let Some(left) = file.leave(self.receiver.hash()) {
            self.tell(WriterEvent::Left(left));
        }
    }

    fn tell(&self, news: WriterEvent) {
        // When the transfer is dropped, the news has no listener.
        let _ = self.news.blocking_send(news);
    }
}

/// The amount of news that may wait until its turn comes.
const NEWS_BETWEEN: usize = 64;
/// The number of files that are listed in an error: a peer that offers without end takes no memory without end.
const MOST_LISTED: usize = 100_000;
