//! The receiving end: messages go to a thread that reads frames, hashes and writes; its verdicts go back. It
//! knows the order of a transfer, and not which path carried it.

use anabranch_base::ByteCount;
use anabranch_cli::file_protocol::{
    Digest, FrameRef, Kind, Offer, Outcome, Receiver, ReceiverError, Step, Verdict, encode,
};
use anabranch_net::{Association, CloseReason, SendOptions};
use bytes::Bytes;
use tokio::sync::mpsc;

use super::destination::Destination;
use super::messages::Messages;
use super::store::Arriving;
use super::{PIECES_BETWEEN, Progress, Transferred};
use crate::failure::Failure;
use crate::peer::Peer;
use crate::quantity::show_size;
use crate::report::shortened;

/// What the writing thread says.
#[derive(Debug)]
enum News {
    Began {
        name: String,
        size: Option<ByteCount>,
        /// Whether what is there of it is looked for.
        is_asked: bool,
    },
    /// What the user should know.
    Remark(String),
    /// So much of the file was there already.
    Had(ByteCount),
    Stored(ByteCount),
    Say(Bytes),
    Judged {
        name: Option<String>,
        digest: Option<Digest>,
        verdict: Verdict,
    },
    Broken(ReceiverError),
    MadeDirectory,
    /// The sender vanished; so much of the file is kept.
    Left(ByteCount),
}

/// Receives files into `destination` until the sender closes the association.
///
/// # Errors
/// Where the sender vanished, broke the protocol, or a file could not be stored. A transfer of no file is no
/// error; see [`Progress::done`].
pub async fn receive_files(
    association: &Association,
    peer: &Peer,
    destination: Destination,
    progress: &Progress,
) -> Result<(), Failure> {
    let (messages, to_write) = mpsc::channel(PIECES_BETWEEN);
    // A sender that hears no verdicts is not heard either.
    let (to_tell, mut news) = mpsc::channel(NEWS_BETWEEN);
    std::thread::spawn(move || Writer::new(destination, to_tell).run(to_write));
    let reading = async move {
        let mut incoming = Messages::of(association);
        loop {
            match incoming.next().await {
                // Where the thread takes no more, it has told why, and the association is being aborted.
                Ok(message) => drop(messages.send(message).await),
                Err(reason) => return reason,
            }
        }
    };
    let telling = async {
        let mut end = End::default();
        while let Some(news) = news.recv().await {
            tell(association, progress, news, &mut end).await;
        }
        end
    };
    let (reason, end) = tokio::join!(reading, telling);
    if let Some(error) = end.broken {
        return Err(peer.garbage(&error));
    }
    if let Some(name) = progress.current() {
        let what_is_left = match end.left {
            Some(left) => {
                let left = show_size(left);
                format!("\"{name}\" is incomplete: {left} are kept, send it again and it goes on")
            }
            None => format!("\"{name}\" is incomplete and was thrown away"),
        };
        return Err(match peer.failure(reason) {
            Failure::PeerGone(why) => Failure::PeerGone(format!("{why}; {what_is_left}")),
            other => other,
        });
    }
    let judged = progress.done();
    let bad = judged.iter().filter(|file| !file.verdict.is_verified());
    let complaints: Vec<String> = bad.map(complaint).collect();
    let complaints: Vec<String> = shortened(&complaints, "were refused or failed").collect();
    match reason {
        _ if !complaints.is_empty() => Err(Failure::NotStored(complaints)),
        CloseReason::Graceful => Ok(()),
        // The last verdict may not have arrived: the sender cannot know that all is well.
        reason => Err(peer.failure(reason)),
    }
}

/// What the writing thread said at its end.
#[derive(Default)]
struct End {
    broken: Option<ReceiverError>,
    left: Option<ByteCount>,
}

async fn tell(association: &Association, progress: &Progress, news: News, end: &mut End) {
    match news {
        News::Began { name, size, is_asked } => {
            progress.begin(&name);
            if is_asked {
                progress.compare();
            }
            progress.expect(size.unwrap_or_default());
        }
        News::Remark(text) => progress.remark(text),
        News::Had(size) => progress.skip(size),
        News::Stored(size) => progress.advance(size),
        // Where the association is gone already, reading says so.
        News::Say(frame) => drop(association.send(frame, SendOptions::default()).await),
        News::Judged { name, digest, verdict } => {
            let frame = encode(&FrameRef::Verdict(verdict.clone()));
            let _ = association.send(frame, SendOptions::default()).await;
            let (size, resumed) = progress.current_bytes();
            let name = name.or_else(|| progress.current()).unwrap_or_default();
            progress.finish(Transferred { name, size, resumed, digest, verdict });
        }
        News::MadeDirectory => {
            progress.make_directory();
            let frame = encode(&FrameRef::Verdict(Verdict::verified()));
            let _ = association.send(frame, SendOptions::default()).await;
        }
        News::Left(size) => {
            progress.keep_part();
            end.left = Some(size);
        }
        News::Broken(error) => {
            association.abort(&format!("file protocol: {error}"));
            end.broken = Some(error);
        }
    }
}

fn complaint(file: &Transferred) -> String {
    let word = if file.verdict.outcome == Outcome::Refused { "refused" } else { "failed" };
    let name = if file.name.is_empty() { String::new() } else { format!(" \"{}\"", file.name) };
    format!("{word}{name}: {}", file.verdict.why)
}

/// The thread that reads frames and writes files.
struct Writer {
    destination: Destination,
    receiver: Receiver,
    file: Option<Box<dyn Arriving>>,
    news: mpsc::Sender<News>,
}

impl Writer {
    fn new(destination: Destination, news: mpsc::Sender<News>) -> Writer {
        Writer { destination, receiver: Receiver::default(), file: None, news }
    }

    /// Ends when the association does or breaks the protocol. What is there of a file that is not complete stays where
    /// its sender may go on with it, else it vanishes.
    fn run(mut self, mut messages: mpsc::Receiver<Bytes>) {
        while let Some(message) = messages.blocking_recv() {
            if let Err(error) = self.handle(&message) {
                self.tell(News::Broken(error));
                break;
            }
        }
        self.leave();
        self.destination.finish();
    }

    fn handle(&mut self, message: &[u8]) -> Result<(), ReceiverError> {
        match self.receiver.handle(message)? {
            Step::MakeDirectory(offer) => match self.destination.make_directory(&offer) {
                Ok(()) => self.tell(News::MadeDirectory),
                Err(verdict) => {
                    self.tell(News::Judged { name: Some(offer.path.to_string()), digest: None, verdict });
                }
            },
            Step::Create(offer) => self.open(&offer),
            Step::Find(offer) => {
                self.open(&offer);
                if let Some(file) = &self.file {
                    let frame = self.receiver.has(file.there());
                    self.tell(News::Say(frame));
                }
            }
            Step::Compare => self.compare(),
            Step::BeginAnew => self.go_on(ByteCount::ZERO),
            Step::Write(piece) => self.write(piece),
            Step::Keep { path, digest, .. } => {
                let kept = self.file.take().map_or(Ok(()), |file| file.keep(&digest));
                let verdict = kept.err().unwrap_or_else(Verdict::verified);
                self.tell(News::Judged { name: Some(path.to_string()), digest: Some(digest), verdict });
            }
            Step::Discard(verdict) => {
                self.file = None;
                self.tell(News::Judged { name: None, digest: None, verdict });
            }
            Step::Ignore => {}
        }
        Ok(())
    }

    /// Makes a place for the file on offer, or finds what is there of it.
    fn open(&mut self, offer: &Offer) {
        let is_asked = matches!(offer.kind, Kind::Resumable { .. });
        self.tell(News::Began { name: offer.path.to_string(), size: offer.size(), is_asked });
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
                    self.tell(News::Say(frame));
                }
            }
            Err(verdict) => self.give_up(verdict),
        }
    }

    fn tell_remark(&mut self) {
        if let Some(remark) = self.file.as_mut().and_then(|file| file.take_remark()) {
            self.tell(News::Remark(remark));
        }
    }

    /// The file begins after so many bytes: after what is there, or anew.
    fn go_on(&mut self, from: ByteCount) {
        self.tell(News::Had(from));
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
            Ok(()) => self.tell(News::Stored(ByteCount::of_len(piece.len()))),
            Err(verdict) => self.give_up(verdict),
        }
    }

    fn give_up(&mut self, verdict: Verdict) {
        let name = self.receiver.current().map(|(offer, _)| offer.path.to_string());
        self.receiver.give_up();
        self.file = None;
        self.tell(News::Judged { name, digest: None, verdict });
    }

    /// The sender is gone: what is there of its file waits for it.
    fn leave(&mut self) {
        let Some(file) = self.file.take() else { return };
        if let Some(left) = file.leave(self.receiver.hash()) {
            self.tell(News::Left(left));
        }
    }

    fn tell(&self, news: News) {
        // Nobody listens when the program is ending.
        let _ = self.news.blocking_send(news);
    }
}

/// How much news may wait until its turn comes.
const NEWS_BETWEEN: usize = 64;
