//! The receiving end: messages go to a thread that reads frames, hashes and writes; its verdicts go back. It
//! knows the order of a transfer, and not which path carried it.

use anabranch_base::ByteCount;
use anabranch_cli::file_protocol::{
    Digest, FrameRef, Outcome, Receiver, ReceiverError, Step, Verdict, encode,
};
use anabranch_net::{Association, CloseReason, SendOptions};
use bytes::Bytes;
use tokio::sync::mpsc;

use super::store::{PartFile, Store};
use super::{PIECES_BETWEEN, Progress, Transferred};
use crate::failure::Failure;
use crate::peer::Peer;

/// What the writing thread says.
#[derive(Debug)]
enum News {
    Began { name: String, size: Option<ByteCount> },
    Stored(ByteCount),
    Judged { name: Option<String>, digest: Option<Digest>, verdict: Verdict },
    Broken(ReceiverError),
}

/// Receives files into `store` until the sender closes the association.
///
/// # Errors
/// Where the sender vanished, broke the protocol, or a file could not be stored. A transfer of no file is no
/// error; see [`Progress::done`].
pub async fn receive_files(
    association: &Association,
    peer: &Peer,
    store: Store,
    progress: &Progress,
) -> Result<(), Failure> {
    let (messages, to_write) = mpsc::channel(PIECES_BETWEEN);
    let (to_tell, mut news) = mpsc::unbounded_channel();
    std::thread::spawn(move || Writer::new(store, to_tell).run(to_write));
    let reading = async move {
        loop {
            match association.recv().await {
                // Where the thread takes no more, it has told why, and the association is being aborted.
                Ok(message) => drop(messages.send(message.into_bytes()).await),
                Err(reason) => return reason,
            }
        }
    };
    let telling = async {
        let mut broken = None;
        while let Some(news) = news.recv().await {
            broken = tell(association, progress, news).await.or(broken);
        }
        broken
    };
    let (reason, broken) = tokio::join!(reading, telling);
    if let Some(error) = broken {
        return Err(peer.garbage(&error));
    }
    if let Some(name) = progress.current() {
        let failure = peer.failure(reason);
        return Err(match failure {
            Failure::PeerGone(why) => {
                Failure::PeerGone(format!("{why}; {name:?} is incomplete and was thrown away"))
            }
            other => other,
        });
    }
    let judged = progress.done();
    let bad = judged.iter().filter(|file| !file.verdict.is_verified());
    let complaints: Vec<String> = bad.map(complaint).collect();
    match reason {
        _ if !complaints.is_empty() => Err(Failure::NotStored(complaints)),
        CloseReason::Graceful => Ok(()),
        // The last verdict may not have arrived: the sender cannot know that all is well.
        reason => Err(peer.failure(reason)),
    }
}

async fn tell(association: &Association, progress: &Progress, news: News) -> Option<ReceiverError> {
    match news {
        News::Began { name, size } => {
            progress.begin(&name);
            progress.expect(size.unwrap_or_default());
        }
        News::Stored(size) => progress.advance(size),
        News::Judged { name, digest, verdict } => {
            let frame = encode(&FrameRef::Verdict(verdict.clone()));
            // Where the association is gone already, reading says so.
            let _ = association.send(frame, SendOptions::default()).await;
            let size = progress.current_bytes();
            let name = name.or_else(|| progress.current()).unwrap_or_default();
            progress.finish(Transferred { name, size, digest, verdict });
        }
        News::Broken(error) => {
            association.abort(&format!("file protocol: {error}"));
            return Some(error);
        }
    }
    None
}

fn complaint(file: &Transferred) -> String {
    let word = if file.verdict.outcome == Outcome::Refused { "refused" } else { "failed" };
    let name = if file.name.is_empty() { String::new() } else { format!(" {:?}", file.name) };
    format!("{word}{name}: {}", file.verdict.why)
}

/// The thread that reads frames and writes files.
struct Writer {
    store: Store,
    receiver: Receiver,
    file: Option<PartFile>,
    news: mpsc::UnboundedSender<News>,
}

impl Writer {
    fn new(store: Store, news: mpsc::UnboundedSender<News>) -> Writer {
        Writer { store, receiver: Receiver::default(), file: None, news }
    }

    /// Ends when the association does or breaks the protocol; a file that is not complete vanishes.
    fn run(mut self, mut messages: mpsc::Receiver<Bytes>) {
        while let Some(message) = messages.blocking_recv() {
            if let Err(error) = self.handle(&message) {
                self.tell(News::Broken(error));
                return;
            }
        }
    }

    fn handle(&mut self, message: &[u8]) -> Result<(), ReceiverError> {
        match self.receiver.handle(message)? {
            Step::Create(offer) => {
                self.tell(News::Began { name: offer.name.to_string(), size: offer.size });
                match self.store.create(&offer) {
                    Ok(file) => self.file = Some(file),
                    Err(verdict) => self.give_up(verdict),
                }
            }
            Step::Write(piece) => {
                let written = self.file.as_mut().map_or(Ok(()), |file| file.write(piece));
                match written {
                    Ok(()) => self.tell(News::Stored(ByteCount::of_len(piece.len()))),
                    Err(verdict) => self.give_up(verdict),
                }
            }
            Step::Keep { name, digest, .. } => {
                let kept = self.file.take().map_or(Ok(()), PartFile::keep);
                let verdict = kept.err().unwrap_or_else(Verdict::verified);
                self.tell(News::Judged { name: Some(name.to_string()), digest: Some(digest), verdict });
            }
            Step::Discard(verdict) => {
                self.file = None;
                self.tell(News::Judged { name: None, digest: None, verdict });
            }
            Step::Ignore => {}
        }
        Ok(())
    }

    fn give_up(&mut self, verdict: Verdict) {
        let name = self.receiver.current().map(|(offer, _)| offer.name.to_string());
        self.receiver.give_up();
        self.file = None;
        self.tell(News::Judged { name, digest: None, verdict });
    }

    fn tell(&self, news: News) {
        // Nobody listens when the program is ending.
        let _ = self.news.send(news);
    }
}
