//! The sending end: files are read and hashed by a thread, their frames go out as the association takes them.
//! It knows how to read a file, and not which path carries it.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anabranch_base::ByteCount;
use anabranch_cli::file_protocol::{Digest, FileName, MAX_PIECE, Offer, Outcome, Sender, SenderError};
use anabranch_net::{Association, SendOptions};
use bytes::Bytes;
use tokio::sync::mpsc;

use super::{PIECES_BETWEEN, Progress, Transferred};
use crate::failure::Failure;
use crate::peer::Peer;

/// A file to be sent, opened.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    reader: Reader,
    offer: Offer,
}

#[derive(Debug)]
enum Reader {
    File(File),
    StandardInput,
}

/// What the reading thread hands over.
enum Piece {
    Frame { frame: Bytes, size: ByteCount },
    End { frame: Bytes, digest: Digest },
    Broken(Failure),
}

impl Source {
    /// Opens `path`, or standard input for `-`; `name` is what the receiver is told, by default the path's
    /// last part.
    ///
    /// # Errors
    /// Where it cannot be read or its name may not travel.
    pub fn open(path: &Path, name: Option<&str>) -> Result<Source, Failure> {
        let failure = |why: String| Failure::File { path: path.to_owned(), why };
        let from_stdin = path == Path::new("-");
        let base = match (name, from_stdin) {
            (Some(name), _) => FileName::new(name),
            (None, true) => FileName::new("stdin"),
            (None, false) => FileName::from_bytes(path.file_name().unwrap_or_default().as_encoded_bytes()),
        };
        if from_stdin {
            let name = base.map_err(|error| failure(error.to_string()))?;
            let offer = Offer { name, size: None, mode: None };
            return Ok(Source { path: path.to_owned(), reader: Reader::StandardInput, offer });
        }
        let file = File::open(path).map_err(|error| failure(reason(&error)))?;
        let found = file.metadata().map_err(|error| failure(reason(&error)))?;
        if found.is_dir() {
            let advice = "it is a directory; pack it: tar c DIR | anabranch send - --name DIR.tar --to …";
            return Err(failure(advice.to_owned()));
        }
        let name = base.map_err(|error| failure(format!("{error}; --name gives it another")))?;
        // The length of a pipe or device is not known.
        let size = found.is_file().then_some(ByteCount::new(found.len()));
        let offer = Offer { name, size, mode: permissions(&found) };
        Ok(Source { path: path.to_owned(), reader: Reader::File(file), offer })
    }

    /// How long the file is, where that is known.
    pub fn size(&self) -> Option<ByteCount> {
        self.offer.size
    }
}

/// Sends all of `sources`, one after another, and waits for the receiver's verdict on each.
///
/// # Errors
/// Where the transfer broke off, or the receiver did not store everything.
pub async fn send_files(
    association: &Association,
    peer: &Peer,
    sources: Vec<Source>,
    progress: &Progress,
) -> Result<(), Failure> {
    sources.iter().filter_map(Source::size).for_each(|size| progress.expect(size));
    let mut complaints = Vec::new();
    for source in sources {
        let name = source.offer.name.to_string();
        progress.begin(&name);
        let sent = send_file(association, peer, source, progress).await;
        if let Err(failure) = &sent {
            association.abort(&failure.to_string());
        }
        let file = sent?;
        if !file.verdict.is_verified() {
            let word = if file.verdict.outcome == Outcome::Refused { "refused" } else { "could not store" };
            complaints.push(format!("the receiver {word} {name:?}: {}", file.verdict.why));
        }
        progress.finish(file);
    }
    // Every verdict is here: how the goodbye goes changes nothing.
    let _ = association.close().await;
    if complaints.is_empty() { Ok(()) } else { Err(Failure::NotStored(complaints)) }
}

async fn send_file(
    association: &Association,
    peer: &Peer,
    source: Source,
    progress: &Progress,
) -> Result<Transferred, Failure> {
    let name = source.offer.name.to_string();
    let mut pieces = read(source);
    let mut digest = None;
    let verdict = {
        let answer = association.recv();
        let sending = send_pieces(association, peer, &mut pieces, progress);
        tokio::pin!(answer, sending);
        let message = tokio::select! {
            // A verdict before the end: there is no point in sending the rest.
            early = &mut answer => early,
            sent = &mut sending => {
                digest = Some(sent?);
                answer.await
            }
        };
        let message = message.map_err(|reason| peer.failure(reason))?;
        Sender::verdict(&message.into_bytes()).map_err(|error| peer.garbage(&error))?
    };
    if verdict.is_verified() && digest.is_none() {
        return Err(peer.garbage(&SenderError::OutOfTurn("a verdict")));
    }
    Ok(Transferred { name, size: progress.current_bytes(), digest, verdict })
}

async fn send_pieces(
    association: &Association,
    peer: &Peer,
    pieces: &mut mpsc::Receiver<Piece>,
    progress: &Progress,
) -> Result<Digest, Failure> {
    while let Some(piece) = pieces.recv().await {
        match piece {
            Piece::Frame { frame, size } => {
                association
                    .send(frame, SendOptions::default())
                    .await
                    .map_err(|error| peer.not_sent(error))?;
                progress.advance(size);
            }
            Piece::End { frame, digest } => {
                association
                    .send(frame, SendOptions::default())
                    .await
                    .map_err(|error| peer.not_sent(error))?;
                return Ok(digest);
            }
            Piece::Broken(failure) => return Err(failure),
        }
    }
    Err(Failure::System(io::Error::other("the reading thread ended early")))
}

/// Reads on a thread of its own, at most [`PIECES_BETWEEN`] ahead.
fn read(source: Source) -> mpsc::Receiver<Piece> {
    let (pieces, receiver) = mpsc::channel(PIECES_BETWEEN);
    std::thread::spawn(move || {
        let Source { path, reader, offer } = source;
        let result = match reader {
            Reader::File(file) => read_pieces(file, &path, offer, &pieces),
            Reader::StandardInput => read_pieces(io::stdin().lock(), &path, offer, &pieces),
        };
        if let Err(failure) = result {
            let _ = pieces.blocking_send(Piece::Broken(failure));
        }
    });
    receiver
}

fn read_pieces(
    mut input: impl Read,
    path: &Path,
    offer: Offer,
    pieces: &mpsc::Sender<Piece>,
) -> Result<(), Failure> {
    let failure = |why: String| Failure::Read { path: path.to_owned(), why };
    let wrong = |error: SenderError| failure(error.to_string());
    let mut sender = Sender::default();
    let first = Piece::Frame { frame: sender.offer(offer).map_err(wrong)?, size: ByteCount::ZERO };
    // Where nobody takes pieces any more, there is nothing left to read for.
    let mut wanted = pieces.blocking_send(first).is_ok();
    let mut buffer = vec![0; MAX_PIECE];
    while wanted {
        let length = fill(&mut input, &mut buffer).map_err(|error| failure(reason(&error)))?;
        if length == 0 {
            let (frame, digest) = sender.end().map_err(wrong)?;
            let _ = pieces.blocking_send(Piece::End { frame, digest });
            break;
        }
        let frame = sender.data(&buffer[..length]).map_err(wrong)?;
        wanted = pieces.blocking_send(Piece::Frame { frame, size: ByteCount::of_len(length) }).is_ok();
    }
    Ok(())
}

/// Reads until `buffer` is full or the input ends, so that a slow pipe does not make small messages.
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

#[cfg(unix)]
fn permissions(found: &std::fs::Metadata) -> Option<u32> {
    Some(std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o777)
}

#[cfg(not(unix))]
fn permissions(_: &std::fs::Metadata) -> Option<u32> {
    None
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use anabranch_cli::file_protocol::{Receiver, Step};

    use super::*;

    fn frames(content: &[u8], promised: Option<u64>) -> (Result<(), Failure>, Vec<Bytes>) {
        let (pieces, mut receiver) = mpsc::channel(100);
        let name = FileName::new("a").expect("a good name");
        let offer = Offer { name, size: promised.map(ByteCount::new), mode: None };
        let result = read_pieces(content, Path::new("a"), offer, &pieces);
        drop(pieces);
        let mut frames = Vec::new();
        while let Some(piece) = receiver.blocking_recv() {
            match piece {
                Piece::Frame { frame, .. } | Piece::End { frame, .. } => frames.push(frame),
                Piece::Broken(failure) => panic!("{failure}"),
            }
        }
        (result, frames)
    }

    #[test]
    fn a_file_is_read_in_full_pieces() {
        let content = vec![7; 2 * MAX_PIECE + 1];
        let (result, frames) = frames(&content, Some(content.len() as u64));
        result.expect("all was read");
        let lengths: Vec<usize> = frames[1..].iter().map(Bytes::len).collect();
        assert_eq!(lengths, [MAX_PIECE + 1, MAX_PIECE + 1, 2, 41]);
        let mut receiver = Receiver::default();
        let steps: Vec<_> =
            frames.iter().map(|frame| receiver.handle(frame).expect("a good frame")).collect();
        assert!(matches!(steps.last(), Some(Step::Keep { .. })));
    }

    #[test]
    fn a_file_that_shrinks_meanwhile_is_told() {
        let (result, _) = frames(b"abc", Some(4));
        let error = result.expect_err("too short").to_string();
        assert_eq!(error, "cannot read on in \"a\": it changed while it was read: 3 B instead of 4 B");
    }

    #[test]
    fn what_cannot_be_sent_is_told_with_what_to_do() {
        let error = |path: &str| Source::open(Path::new(path), None).expect_err(path).to_string();
        assert_eq!(error("/nowhere/x"), "cannot send \"/nowhere/x\": there is no such file");
        assert!(error("/proc").contains("tar c DIR |"));
        assert!(Source::open(Path::new("-"), Some("../x")).is_err());
        assert_eq!(Source::open(Path::new("-"), None).expect("standard input").offer.name.as_str(), "stdin");
    }
}
