//! The sending end: a thread reads and hashes files, their frames go out as the association takes them, and the
//! receiver's verdicts come in their own time.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};

use crate::protocol::{Digest, FileKind, FileOutcome, FileVerdict, ReceiverAnswer, Sender, SenderError};
use anabranch_base::{BitRate, ByteCount, Duration};
use anabranch_net::{Association, CloseReason, SendError, SendOptions};
use bytes::Bytes;
use tokio::time::{interval, sleep, timeout};

use crate::event::{Event, Remark, Transferred};
use crate::limit::Limit;
use crate::reading::{AnswerSender, FileReader, Piece};
use crate::sources::{SourceEntry, Sources, Unreadable};
use crate::transfer::{Teller, Transfer};
use crate::underway::Underway;

/// Why not everything was sent and stored. After any but [`SendFilesError::NotStored`] the association is still the
/// caller's to abort, with a reason for the other end.
#[derive(Debug, thiserror::Error)]
pub enum SendFilesError {
    /// The association ended before every file had its verdict.
    #[error("the association ended before every file was verified: {0}")]
    Ended(CloseReason),
    /// The association takes no more messages.
    #[error("the association accepts no more data: {0}")]
    NotTaken(SendError),
    /// The receiver breaks the file protocol.
    #[error("the receiver violates the file protocol: {0}")]
    Protocol(#[from] SenderError),
    /// These files were not sent or not stored. The others were.
    #[error("{} files were not sent or not stored, the first: {}", .0.len(), .0[0])]
    NotStored(Vec<NotStored>),
}

/// One file that was not sent or not stored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotStored {
    /// It cannot be read here.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// It was begun and given up here.
    #[error("cannot send \"{name}\": {why}")]
    GivenUp {
        /// The file.
        name: String,
        /// Why it was given up.
        why: String,
    },
    /// The receiver refused it.
    #[error("the receiver refused \"{name}\": {why}")]
    Refused {
        /// The file.
        name: String,
        /// The receiver's reason.
        why: String,
    },
    /// The receiver failed to store it.
    #[error("the receiver could not store \"{name}\": {why}")]
    Failed {
        /// The file.
        name: String,
        /// The receiver's reason.
        why: String,
    },
}

/// Sends all of `sources`, one after another, no faster than `rate`, and waits for the receiver's verdict on each. At the
/// end the association is closed.
pub fn send_files(
    association: &Association,
    sources: Sources,
    rate: Option<BitRate>,
) -> Transfer<'_, SendFilesError> {
    Transfer::new(|teller| send_all(association, sources, rate, teller))
}

/// Sends all of `sources` as [`send_files`] does, to a receiver that dialled: once it has said that it wants them.
pub fn serve_files(
    association: &Association,
    sources: Sources,
    rate: Option<BitRate>,
) -> Transfer<'_, SendFilesError> {
    Transfer::new(move |teller| async move {
        let first = timeout(FIRST_WORD, association.recv()).await.map_err(|_| SenderError::Silent)?;
        let first = first.map_err(SendFilesError::Ended)?;
        Sender::is_wanted(&first.into_bytes())?;
        send_all(association, sources, rate, teller).await
    })
}

async fn send_all(
    association: &Association,
    sources: Sources,
    rate: Option<BitRate>,
    teller: Teller,
) -> Result<(), SendFilesError> {
    teller.tell(Event::Expected(sources.size()));
    let outgoing = AckedAssociation { association, teller, underway: Mutex::default() };
    let mut sending = SendTask {
        outgoing: &outgoing,
        limit: Limit::new(rate),
        piece: Limit::piece(rate),
        offered: VecDeque::new(),
        judged: 0,
        not_stored: sources.unreadable.into_iter().map(NotStored::Unreadable).collect(),
    };
    let sent = tokio::select! {
        sent = sending.all(sources.entries) => sent,
        never = outgoing.count_acknowledged() => match never {},
    };
    // Every verdict is here, or nothing will be acknowledged any more.
    let left = if sent.is_ok() { ByteCount::ZERO } else { association.unacknowledged() };
    outgoing.on_acknowledged(left);
    sent?;
    // Every result is here: how the association ends does not matter, and a receiver that is gone is not waited for.
    let _ = timeout(GOODBYE, association.close()).await;
    let not_stored = sending.not_stored;
    if not_stored.is_empty() { Ok(()) } else { Err(SendFilesError::NotStored(not_stored)) }
}

/// The association, what it was given, and what it has acknowledged of that.
struct AckedAssociation<'a> {
    association: &'a Association,
    teller: Teller,
    underway: Mutex<Underway>,
}

impl AckedAssociation<'_> {
    /// Counts what the receiver acknowledges, from time to time. Never ends.
    async fn count_acknowledged(&self) -> Infallible {
        let mut ticks = interval(LOOK);
        loop {
            ticks.tick().await;
            self.on_acknowledged(self.association.unacknowledged());
        }
    }

    /// A message whose last `size` bytes are of a file was given to the association. They count when acknowledged.
    fn on_given(&self, length: ByteCount, size: ByteCount) {
        self.underway.lock().unwrap_or_else(PoisonError::into_inner).hand_over(length, size);
    }

    fn on_acknowledged(&self, unacknowledged: ByteCount) {
        let mut underway = self.underway.lock().unwrap_or_else(PoisonError::into_inner);
        let size = underway.take_acknowledged(unacknowledged);
        if size > ByteCount::ZERO {
            self.teller.tell(Event::Progress(size));
        }
    }
}

/// A transfer on its way.
struct SendTask<'a> {
    outgoing: &'a AckedAssociation<'a>,
    limit: Limit,
    /// The longest piece.
    piece: usize,
    /// What was offered and has no verdict, the oldest first.
    offered: VecDeque<Offered>,
    /// The number of verdicts that came.
    judged: u64,
    not_stored: Vec<NotStored>,
}

/// A file that has no verdict yet.
struct Offered {
    name: String,
    kind: FileKind,
    /// The length as offered.
    promised: ByteCount,
    /// How much of it was sent, or is there already.
    size: ByteCount,
    /// How much is there already.
    resumed: ByteCount,
    /// The hash, once all of it was sent.
    digest: Option<Digest>,
    /// Why it was given up here.
    given_up: Option<String>,
    /// Where the receiver's answers about it go.
    words: Option<AnswerSender>,
}

impl SendTask<'_> {
    async fn all(&mut self, entries: Vec<SourceEntry>) -> Result<(), SendFilesError> {
        for entry in entries {
            while self.offered.len() >= MOST_OFFERED {
                self.hear().await?;
            }
            let (name, promised) = (entry.offer.path.to_string(), entry.offer.size().unwrap_or_default());
            self.one(name, promised, FileReader::begin(entry, self.piece)).await?;
        }
        while !self.offered.is_empty() {
            self.hear().await?;
        }
        Ok(())
    }

    /// Sends one file, as far as the receiver wants it.
    async fn one(
        &mut self,
        name: String,
        promised: ByteCount,
        reading: FileReader,
    ) -> Result<(), SendFilesError> {
        let FileReader { mut pieces, words, kind } = reading;
        self.tell(Event::Began { name: name.clone(), compares: words.is_some() });
        // The number of verdicts when this file has one.
        let its_verdict = self.judged + self.offered.len() as u64 + 1;
        let (size, resumed) = (ByteCount::ZERO, ByteCount::ZERO);
        self.offered.push_back(Offered {
            name,
            kind,
            promised,
            size,
            resumed,
            digest: None,
            given_up: None,
            words,
        });
        while self.judged < its_verdict {
            let piece = tokio::select! {
                biased;
                answer = self.outgoing.association.recv() => {
                    self.on_message(answer.map(anabranch_net::Message::into_bytes))?;
                    continue;
                }
                piece = pieces.recv() => piece,
            };
            let Some(piece) = piece else { break };
            self.pass_on(piece, its_verdict).await?;
        }
        Ok(())
    }

    /// Sends a piece, unless the file has its verdict before there is room for it.
    async fn pass_on(&mut self, piece: Piece, its_verdict: u64) -> Result<(), SendFilesError> {
        let (frame, size) = match &piece {
            Piece::Frame { frame, size } => (frame, *size),
            Piece::End { frame, .. } | Piece::GivenUp { frame, .. } => (frame, ByteCount::ZERO),
            Piece::Begins { .. } => {
                self.on_passed_on(piece);
                return Ok(());
            }
        };
        let association = self.outgoing.association;
        let (frame, length) = (frame.clone(), ByteCount::of_len(frame.len()));
        let wait = self.limit.reserve(size);
        let sending = async {
            if wait > Duration::ZERO {
                sleep(std::time::Duration::from_nanos(wait.as_nanos())).await;
            }
            association.send(frame, SendOptions::default()).await
        };
        tokio::pin!(sending);
        loop {
            tokio::select! {
                sent = &mut sending => {
                    sent.map_err(SendFilesError::NotTaken)?;
                    break;
                }
                answer = association.recv() => {
                    self.on_message(answer.map(anabranch_net::Message::into_bytes))?;
                    if self.judged >= its_verdict {
                        return Ok(());
                    }
                }
            }
        }
        self.outgoing.on_given(length, size);
        self.on_passed_on(piece);
        Ok(())
    }

    fn on_passed_on(&mut self, piece: Piece) {
        let Some(file) = self.offered.back_mut() else { return };
        match piece {
            Piece::Frame { size, .. } => file.size += size,
            Piece::Begins { size, useless } => {
                (file.size, file.resumed) = (size, size);
                let remark = Remark::NotItsBeginning { name: file.name.clone(), there: useless };
                self.tell(Event::Resumed(size));
                if useless > ByteCount::ZERO {
                    self.tell(Event::Remark(remark));
                }
            }
            Piece::End { digest, .. } => file.digest = Some(digest),
            Piece::GivenUp { why, .. } => file.given_up = Some(why),
        }
    }

    /// Waits for the receiver's next word.
    async fn hear(&mut self) -> Result<(), SendFilesError> {
        let message = self.outgoing.association.recv().await;
        self.on_message(message.map(anabranch_net::Message::into_bytes))
    }

    fn on_message(&mut self, message: Result<Bytes, CloseReason>) -> Result<(), SendFilesError> {
        let message = message.map_err(SendFilesError::Ended)?;
        let answer = Sender::answer(&message)?;
        let out_of_turn = |what| SendFilesError::Protocol(SenderError::OutOfTurn(what));
        match answer {
            ReceiverAnswer::Here => Ok(()),
            ReceiverAnswer::Has(size) => {
                if self.asked().is_some_and(|words| words.has(size)) {
                    Ok(())
                } else {
                    Err(out_of_turn("what a receiver has"))
                }
            }
            ReceiverAnswer::Begins(at) => {
                if self.asked().is_some_and(|words| words.begins(at)) {
                    Ok(())
                } else {
                    Err(out_of_turn("where a file begins"))
                }
            }
            ReceiverAnswer::Verdict(verdict) => {
                let file = self.offered.pop_front().ok_or_else(|| out_of_turn("a verdict"))?;
                if verdict.is_verified() && file.digest.is_none() && file.kind != FileKind::Directory {
                    return Err(out_of_turn("a verdict"));
                }
                self.judged += 1;
                self.on_verdict(file, verdict);
                Ok(())
            }
        }
    }

    /// Where the receiver's answers about the file on offer go.
    fn asked(&mut self) -> Option<&mut AnswerSender> {
        self.offered.back_mut()?.words.as_mut()
    }

    fn on_verdict(&mut self, file: Offered, verdict: FileVerdict) {
        let Offered { name, kind, promised, size, resumed, digest, given_up, .. } = file;
        if !verdict.is_verified() {
            self.tell(Event::Forgone(promised.saturating_sub(size)));
            let (name, told) = (name.clone(), verdict.why.clone());
            self.not_stored.push(match (given_up, verdict.outcome) {
                (Some(why), _) => NotStored::GivenUp { name, why },
                (None, FileOutcome::Refused) => NotStored::Refused { name, why: told },
                (None, _) => NotStored::Failed { name, why: told },
            });
        }
        if kind == FileKind::Directory && verdict.is_verified() {
            self.tell(Event::MadeDirectory);
        } else {
            self.tell(Event::Finished(Transferred { name, size, resumed, digest, verdict }));
        }
    }

    fn tell(&self, event: Event) {
        self.outgoing.teller.tell(event);
    }
}

/// A lost SHUTDOWN is sent again, over another path as well.
const GOODBYE: std::time::Duration = std::time::Duration::from_secs(5);
/// The time the first word of a receiver may take, so that a silent one does not keep others out. A lost packet is sent
/// again several times in that time.
const FIRST_WORD: std::time::Duration = std::time::Duration::from_secs(10);
/// How often acknowledged bytes are counted.
const LOOK: std::time::Duration = std::time::Duration::from_millis(50);
/// The number of files that may wait for their verdict.
const MOST_OFFERED: usize = 256;
