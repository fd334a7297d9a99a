//! The sending end: files are read and hashed by a thread, their frames go out as the association takes them, and the
//! receiver's verdicts come in their own time. It knows the order of a transfer, and not which path carries it.

use std::collections::VecDeque;
use std::convert::Infallible;

use anabranch_base::{BitRate, ByteCount, Duration};
use anabranch_cli::file_protocol::{Answer, Digest, Kind, Outcome, Sender, SenderError, Verdict};
use anabranch_net::{Association, CloseReason, SendOptions};
use bytes::Bytes;
use tokio::time::{interval, sleep, timeout};

use super::limit::Limit;
use super::reading::{Piece, Reading, Words};
use super::sources::{Entry, Sources};
use super::{Progress, Transferred};
use crate::failure::Failure;
use crate::peer::Peer;
use crate::quantity::show_size;
use crate::report::shortened;

/// Sends all of `sources`, one after another, no faster than `rate`, and waits for the receiver's verdict on each.
///
/// # Errors
/// Where the transfer broke off, or not everything was sent and stored.
pub async fn send_files(
    association: &Association,
    peer: &Peer,
    sources: Sources,
    rate: Option<BitRate>,
    progress: &Progress,
) -> Result<(), Failure> {
    progress.expect(sources.size());
    progress.leave_out(sources.left_out);
    let mut sending = Sending {
        association,
        peer,
        progress,
        limit: Limit::new(rate),
        piece: Limit::piece(rate),
        offered: VecDeque::new(),
        judged: 0,
        complaints: sources.complaints,
    };
    let sent = tokio::select! {
        sent = sending.all(sources.entries) => sent,
        never = follow(association, progress) => match never {},
    };
    // Every verdict is here, or nothing will be acknowledged any more.
    let left = if sent.is_ok() { ByteCount::ZERO } else { association.unacknowledged() };
    progress.acknowledge(left);
    if let Err(failure) = &sent {
        association.abort(&failure.to_string());
    }
    sent?;
    // Every verdict is here: how the goodbye goes changes nothing, and a receiver that is gone is not waited for.
    let _ = timeout(GOODBYE, association.close()).await;
    match sending.complaints {
        none if none.is_empty() => Ok(()),
        complaints => Err(Failure::NotStored(shortened(&complaints, MORE).collect())),
    }
}

/// Counts as sent what the receiver has acknowledged. Never ends.
async fn follow(association: &Association, progress: &Progress) -> Infallible {
    let mut ticks = interval(LOOK);
    loop {
        ticks.tick().await;
        progress.acknowledge(association.unacknowledged());
    }
}

/// A transfer on its way.
struct Sending<'a> {
    association: &'a Association,
    peer: &'a Peer,
    progress: &'a Progress,
    limit: Limit,
    /// How long a piece is at most.
    piece: usize,
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
    /// How long it should be.
    promised: ByteCount,
    /// How much of it was sent, or is there already.
    size: ByteCount,
    /// How much is there already.
    resumed: ByteCount,
    /// Its hash, once all of it was sent.
    digest: Option<Digest>,
    /// Why it was given up here.
    given_up: Option<String>,
    /// Who waits for what the receiver has of it.
    words: Option<Words>,
}

impl Sending<'_> {
    async fn all(&mut self, entries: Vec<Entry>) -> Result<(), Failure> {
        for entry in entries {
            while self.offered.len() >= MOST_OFFERED {
                self.hear().await?;
            }
            let path = entry.path.clone();
            let (name, promised) = (entry.offer.path.to_string(), entry.offer.size().unwrap_or_default());
            match Reading::begin(entry, self.piece) {
                Ok(reading) => self.one(name, promised, reading).await?,
                Err(why) => {
                    self.progress.forgo(promised);
                    self.complaints.push(format!("cannot send {path:?}: {why}"));
                }
            }
        }
        while !self.offered.is_empty() {
            self.hear().await?;
        }
        Ok(())
    }

    /// Sends one file, as far as the receiver wants it.
    async fn one(&mut self, name: String, promised: ByteCount, reading: Reading) -> Result<(), Failure> {
        self.progress.begin(&name);
        let Reading { mut pieces, words, kind } = reading;
        if words.is_some() {
            self.progress.compare();
        }
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
            Piece::End { frame, .. } | Piece::GivenUp { frame, .. } => (frame, ByteCount::ZERO),
            Piece::Begins { .. } => {
                self.on_passed_on(piece);
                return Ok(());
            }
        };
        let association = self.association;
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
        self.progress.hand_over(length, size);
        self.on_passed_on(piece);
        Ok(())
    }

    fn on_passed_on(&mut self, piece: Piece) {
        let Some(file) = self.offered.back_mut() else { return };
        match piece {
            Piece::Frame { size, .. } => file.size += size,
            Piece::Begins { size, useless } => {
                (file.size, file.resumed) = (size, size);
                self.progress.skip(size);
                if useless > ByteCount::ZERO {
                    let (name, useless) = (&file.name, show_size(useless));
                    self.progress.remark(format!(
                        "the {useless} of \"{name}\" at the receiver are of another file: it begins anew"
                    ));
                }
            }
            Piece::End { digest, .. } => file.digest = Some(digest),
            Piece::GivenUp { why, .. } => file.given_up = Some(why),
        }
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
            Answer::Here => Ok(()),
            Answer::Has(size) => match self.asked().is_some_and(|words| words.has(size)) {
                true => Ok(()),
                false => Err(out_of_turn("what a receiver has")),
            },
            Answer::Begins(at) => match self.asked().is_some_and(|words| words.begins(at)) {
                true => Ok(()),
                false => Err(out_of_turn("where a file begins")),
            },
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

    /// Who waits for what the receiver has of the file on offer.
    fn asked(&mut self) -> Option<&mut Words> {
        self.offered.back_mut()?.words.as_mut()
    }

    fn on_verdict(&mut self, file: Offered, verdict: Verdict) {
        let Offered { name, kind, promised, size, resumed, digest, given_up, .. } = file;
        if !verdict.is_verified() {
            self.progress.forgo(promised.saturating_sub(size));
            self.complaints.push(match (given_up, verdict.outcome) {
                (Some(why), _) => format!("cannot send \"{name}\": {why}"),
                (None, Outcome::Refused) => format!("the receiver refused \"{name}\": {}", verdict.why),
                (None, _) => format!("the receiver could not store \"{name}\": {}", verdict.why),
            });
        }
        if kind == Kind::Directory && verdict.is_verified() {
            self.progress.make_directory();
        } else {
            self.progress.finish(Transferred { name, size, resumed, digest, verdict });
        }
    }
}

/// Behind the first of very many complaints.
const MORE: &str = "were not sent or stored";
/// A goodbye that is lost is said again, over another path as well.
const GOODBYE: std::time::Duration = std::time::Duration::from_secs(5);
/// How often it is seen what was acknowledged.
const LOOK: std::time::Duration = std::time::Duration::from_millis(50);
/// So many files may wait for their verdict.
const MOST_OFFERED: usize = 256;
