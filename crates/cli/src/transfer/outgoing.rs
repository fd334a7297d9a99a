//! The sending end: files are read and hashed by a thread, their frames go out as the association takes them, and the
//! receiver's verdicts come in their own time. It knows the order of a transfer, and not which path carries it.

use std::collections::VecDeque;

use anabranch_base::ByteCount;
use anabranch_cli::file_protocol::{Answer, Beginning, Digest, Kind, Outcome, Sender, SenderError, Verdict};
use anabranch_net::{Association, CloseReason, SendOptions};
use bytes::Bytes;
use tokio::sync::oneshot;

use super::reading::{Piece, Reading};
use super::sources::{Entry, Sources};
use super::{Progress, Transferred};
use crate::failure::Failure;
use crate::peer::Peer;

/// Sends all of `sources`, one after another, and waits for the receiver's verdict on each.
///
/// # Errors
/// Where the transfer broke off, or not everything was sent and stored.
pub async fn send_files(
    association: &Association,
    peer: &Peer,
    sources: Sources,
    progress: &Progress,
) -> Result<(), Failure> {
    progress.expect(sources.size());
    let offered = VecDeque::new();
    let mut sending =
        Sending { association, peer, progress, offered, judged: 0, complaints: sources.complaints };
    let sent = sending.all(sources.entries).await;
    if let Err(failure) = &sent {
        association.abort(&failure.to_string());
    }
    sent?;
    // Every verdict is here: how the goodbye goes changes nothing.
    let _ = association.close().await;
    match sending.complaints {
        none if none.is_empty() => Ok(()),
        complaints => Err(Failure::NotStored(complaints)),
    }
}

/// A transfer on its way.
struct Sending<'a> {
    association: &'a Association,
    peer: &'a Peer,
    progress: &'a Progress,
    /// What was offered and has no verdict, the oldest first.
    offered: VecDeque<Offered>,
    /// How many verdicts came.
    judged: u64,
    complaints: Vec<String>,
}

/// A file that the receiver has said nothing of yet.
struct Offered {
    name: String,
    kind: Kind,
    size: ByteCount,
    /// Its hash, once all of it was sent.
    digest: Option<Digest>,
    /// Who waits for what the receiver has of it.
    has: Option<oneshot::Sender<Beginning>>,
}

impl Sending<'_> {
    async fn all(&mut self, entries: Vec<Entry>) -> Result<(), Failure> {
        for entry in entries {
            while self.offered.len() >= MOST_OFFERED {
                self.hear().await?;
            }
            let path = entry.path.clone();
            let (name, kind) = (entry.offer.path.to_string(), entry.offer.kind);
            match Reading::begin(entry) {
                Ok(reading) => self.one(name, kind, reading).await?,
                Err(why) => self.complaints.push(format!("cannot send {path:?}: {why}")),
            }
        }
        while !self.offered.is_empty() {
            self.hear().await?;
        }
        Ok(())
    }

    /// Sends one file, as far as the receiver wants it.
    async fn one(&mut self, name: String, kind: Kind, reading: Reading) -> Result<(), Failure> {
        self.progress.begin(&name);
        let Reading { mut pieces, has } = reading;
        // The number of verdicts when this file has one.
        let its_verdict = self.judged + self.offered.len() as u64 + 1;
        self.offered.push_back(Offered { name, kind, size: ByteCount::ZERO, digest: None, has });
        while self.judged < its_verdict {
            let piece = tokio::select! {
                biased;
                answer = self.association.recv() => {
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
    async fn pass_on(&mut self, piece: Piece, its_verdict: u64) -> Result<(), Failure> {
        let (frame, size) = match &piece {
            Piece::Frame { frame, size } => (frame, *size),
            Piece::From { frame, .. } | Piece::End { frame, .. } | Piece::GivenUp { frame, .. } => {
                (frame, ByteCount::ZERO)
            }
        };
        let association = self.association;
        let sending = association.send(frame.clone(), SendOptions::default());
        tokio::pin!(sending);
        loop {
            tokio::select! {
                sent = &mut sending => {
                    sent.map_err(|error| self.peer.not_sent(error))?;
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
        self.progress.advance(size);
        let Some(file) = self.offered.back_mut() else { return Ok(()) };
        file.size += size;
        match piece {
            Piece::From { size, .. } => {
                file.size = size;
                self.progress.skip(size);
            }
            Piece::End { digest, .. } => file.digest = Some(digest),
            Piece::Frame { .. } | Piece::GivenUp { .. } => {}
        }
        Ok(())
    }

    /// Waits for the receiver's next word.
    async fn hear(&mut self) -> Result<(), Failure> {
        let message = self.association.recv().await;
        self.on_message(message.map(anabranch_net::Message::into_bytes))
    }

    fn on_message(&mut self, message: Result<Bytes, CloseReason>) -> Result<(), Failure> {
        let message = message.map_err(|reason| self.peer.failure(reason))?;
        let answer = Sender::answer(&message).map_err(|error| self.peer.garbage(&error))?;
        let out_of_turn = |what| self.peer.garbage(&SenderError::OutOfTurn(what));
        match answer {
            Answer::Has(beginning) => {
                let asked = self.offered.back_mut().and_then(|file| file.has.take());
                // Where nobody waits any more, the file was given up.
                asked
                    .map(|word| word.send(beginning))
                    .map(drop)
                    .ok_or_else(|| out_of_turn("what a receiver has"))
            }
            Answer::Verdict(verdict) => {
                let file = self.offered.pop_front().ok_or_else(|| out_of_turn("a verdict"))?;
                if verdict.is_verified() && file.digest.is_none() && file.kind != Kind::Directory {
                    return Err(out_of_turn("a verdict"));
                }
                self.judged += 1;
                self.on_verdict(file, verdict);
                Ok(())
            }
        }
    }

    fn on_verdict(&mut self, file: Offered, verdict: Verdict) {
        let Offered { name, kind, size, digest, .. } = file;
        if !verdict.is_verified() {
            let word = if verdict.outcome == Outcome::Refused { "refused" } else { "could not store" };
            self.complaints.push(format!("the receiver {word} \"{name}\": {}", verdict.why));
        }
        if kind != Kind::Directory || !verdict.is_verified() {
            self.progress.finish(Transferred { name, size, digest, verdict });
        }
    }
}

/// So many files may wait for their verdict.
const MOST_OFFERED: usize = 256;
