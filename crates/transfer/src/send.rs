//! The sending end: a thread reads and hashes files, their frames are sent as the association accepts them, and the
//! receiver's verdicts arrive independently.

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

/// The error of a transfer that did not send and store everything. After any error but [`SendFilesError::NotStored`]
/// the caller aborts the association, with a reason for the other end.
#[derive(Debug, thiserror::Error)]
pub enum SendFilesError {
    /// The association ended before every file had its verdict.
    #[error("the association ended before every file was verified: {0}")]
    Ended(CloseReason),
    /// The association accepts no more messages.
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
    /// The sender cannot read it.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// The sender began it and gave it up.
    #[error("cannot send \"{name}\": {why}")]
    GivenUp {
        /// The file.
        name: String,
        /// The reason.
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

/// Sends all `sources`, one after another, no faster than `rate`, waits for the receiver's verdict on each, and
/// closes the association.
pub fn send_files(
    association: &Association,
    sources: Sources,
    rate: Option<BitRate>,
) -> Transfer<'_, SendFilesError> {
    Transfer::new(|teller| send_all(association, sources, rate, teller))
}

/// Sends all `sources` as [`send_files`] does, to a receiver that connected, once it has sent FETCH.
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
    // Every verdict has arrived, or nothing more will be acknowledged.
    let left = if sent.is_ok() { ByteCount::ZERO } else { association.unacknowledged() };
    outgoing.on_acknowledged(left);
    sent?;
    // Every verdict has arrived: the way the association ends does not matter, and a receiver that is gone is not
    // waited for.
    let _ = timeout(GOODBYE, association.close()).await;
    let not_stored = sending.not_stored;
    if not_stored.is_empty() { Ok(()) } else { Err(SendFilesError::NotStored(not_stored)) }
}

/// The association with the messages handed to it and their acknowledged bytes.
struct AckedAssociation<'a> {
    association: &'a Association,
    teller: Teller,
    underway: Mutex<Underway>,
}

impl AckedAssociation<'_> {
    /// Counts acknowledged bytes periodically. Never ends.
    async fn count_acknowledged(&self) -> Infallible {
        let mut ticks = interval(LOOK);
        loop {
            ticks.tick().await;
            self.on_acknowledged(self.association.unacknowledged());
        }
    }

    /// Records a message handed to the association whose last `size` bytes are of a file. They count when
    /// acknowledged.
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

/// A transfer in progress.
struct SendTask<'a> {
    outgoing: &'a AckedAssociation<'a>,
    limit: Limit,
    /// The largest piece.
    piece: usize,
    /// The offered files without a verdict, the oldest first.
    offered: VecDeque<Offered>,
    /// The number of verdicts received.
    judged: u64,
    not_stored: Vec<NotStored>,
}

/// A file without a verdict yet.
struct Offered {
    name: String,
    kind: FileKind,
    /// The announced length.
    promised: ByteCount,
    /// The bytes sent, or already at the receiver.
    size: ByteCount,
    /// The bytes already at the receiver.
    resumed: ByteCount,
    /// The hash, once the file was sent completely.
    digest: Option<Digest>,
    /// The reason for which this end gave it up.
    given_up: Option<String>,
    /// The sender for the receiver's answers about it.
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

    /// Sends one file, or until the receiver's verdict arrives.
    async fn one(
        &mut self,
        name: String,
        promised: ByteCount,
        reading: FileReader,
    ) -> Result<(), SendFilesError> {
        let FileReader { mut pieces, words, kind } = reading;
        self.tell(Event::Began { name: name.clone(), compares: words.is_some() });
        // The number of verdicts once this file has its own.
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

    /// Waits for the receiver's next message.
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
                    Err(out_of_turn("a HAS frame"))
                }
            }
            ReceiverAnswer::Begins(at) => {
                if self.asked().is_some_and(|words| words.begins(at)) {
                    Ok(())
                } else {
                    Err(out_of_turn("a BEGINS frame"))
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

    /// The sender for the receiver's answers about the offered file.
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

/// The longest wait for the end of the association: time to retransmit a lost SHUTDOWN, over another path as well.
const GOODBYE: std::time::Duration = std::time::Duration::from_secs(5);
/// The longest wait for a receiver's FETCH, so that a silent one does not block others. A lost packet is
/// retransmitted several times in that time.
const FIRST_WORD: std::time::Duration = std::time::Duration::from_secs(10);
/// The interval at which acknowledged bytes are counted.
const LOOK: std::time::Duration = std::time::Duration::from_millis(50);
/// The most files that wait for their verdict.
const MOST_OFFERED: usize = 256;
