//! The receiving end: messages go to a thread that decodes frames, hashes and writes; its verdicts come back.

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

/// The error of a transfer that did not receive and store everything.
#[derive(Debug, thiserror::Error)]
pub enum ReceiveFilesError {
    /// The sender breaks the file protocol. The association has been aborted.
    #[error("the sender violates the file protocol: {0}")]
    Protocol(#[from] ReceiverError),
    /// The writing thread cannot be started. The association has been aborted.
    #[error("cannot start a thread that writes files: {0}")]
    NoThread(std::io::Error),
    /// The association ended in the middle of a file.
    #[error("\"{name}\" is incomplete: {reason}")]
    Incomplete {
        /// The file.
        name: String,
        /// The bytes kept for another transfer to continue; `None` if the file was discarded.
        kept: Option<ByteCount>,
        /// The reason for which the association ended.
        reason: CloseReason,
    },
    /// These files were refused or failed (the first 100,000 of them). The others were stored.
    #[error("{} files were refused or failed, the first: \"{}\": {}", .0.len(), .0[0].name, .0[0].verdict.why)]
    NotStored(Vec<Transferred>),
    /// The association ended before the sender closed it: the sender may lack the last verdict.
    #[error("the association ended before the sender had finished: {0}")]
    Ended(CloseReason),
}

/// An event of the writing thread.
#[derive(Debug)]
enum WriterEvent {
    Began {
        name: String,
        size: Option<ByteCount>,
        /// True if the file is resumable.
        is_asked: bool,
    },
    /// A remark for the user.
    Remark(Remark),
    /// The bytes of the file that were already stored.
    Had(ByteCount),
    Stored(ByteCount),
    /// The file is complete and is read back.
    Verifying,
    Say(Bytes),
    Judged {
        name: Option<String>,
        digest: Option<Digest>,
        verdict: FileVerdict,
    },
    Broken(ReceiverError),
    MadeDirectory,
    /// The sender vanished; this many bytes of the file are kept.
    Left(ByteCount),
}

/// Receives files into `destination` until the sender closes the association. A transfer without files is not an
/// error.
pub fn receive_files(association: &Association, destination: Destination) -> Transfer<'_, ReceiveFilesError> {
    Transfer::new(|teller| receive_all(association, destination, teller))
}

/// Receives files as [`receive_files`] does, from a sender that listens: this end connected, and sends FETCH first.
pub fn fetch_files(association: &Association, destination: Destination) -> Transfer<'_, ReceiveFilesError> {
    Transfer::new(move |teller| async move {
        // If the association has ended, the next receive reports it.
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
    // A sender that does not accept verdicts is not read any further.
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
                // If the thread accepts no more, it has reported why, and the association is being aborted.
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

/// The state of a transfer outside the writing thread.
struct Receiving<'a> {
    association: &'a Association,
    teller: Teller,
    /// The current file.
    current: Option<String>,
    /// The bytes stored of it, and those of them that were stored before.
    size: ByteCount,
    resumed: ByteCount,
    not_stored: Vec<Transferred>,
    broken: Option<ReceiverError>,
    /// The bytes of the current file that are kept when the sender vanishes.
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

    /// If the association has ended, the next receive reports it.
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

    /// The result of the transfer, after the association ended for `reason`.
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

/// The thread that decodes frames and writes files.
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

    /// Ends with the association or at a protocol error. An incomplete file is kept if its sender may continue it,
    /// and removed otherwise.
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

    /// Creates the offered file, or opens what is stored of it.
    fn open(&mut self, offer: &Offer) {
        let is_asked = matches!(offer.kind, FileKind::Resumable { .. });
        self.tell(WriterEvent::Began { name: offer.path.to_string(), size: offer.size(), is_asked });
        match self.destination.create(offer) {
            Ok(file) => self.file = Some(file),
            Err(verdict) => self.give_up(verdict),
        }
        self.tell_remark();
    }

    /// Compares the sender's hash of the beginning with the stored part.
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

    /// The sender has vanished: keeps the stored part of its file.
    fn leave(&mut self) {
        let Some(file) = self.file.take() else { return };
        if let Some(left) = file.leave(self.receiver.hash()) {
            self.tell(WriterEvent::Left(left));
        }
    }

    fn tell(&self, news: WriterEvent) {
        // Fails if the transfer was dropped.
        let _ = self.news.blocking_send(news);
    }
}

/// The most events of the writing thread that wait to be handled.
const NEWS_BETWEEN: usize = 64;
/// The most files listed in an error, so that the memory is bounded whatever a peer offers.
const MOST_LISTED: usize = 100_000;
