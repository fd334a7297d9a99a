//! What is said before a test begins: who is there, by how much the clocks differ, what is wanted. It knows both ends'
//! parts, and not the test.

use anabranch_base::{ByteCount, Duration};
use anabranch_cli::bench_protocol::{
    Ask, DATA_HEADER, Frame, Limits, MAX_MESSAGE, Offset, Pings, Server, ServerStep, decode, encode,
};
use anabranch_net::{Association, SendOptions};
use anabranch_sctp::config::Config;
use bytes::Bytes;
use tokio::time::timeout;

use crate::clock;
use crate::failure::Failure;
use crate::peer::Peer;

/// What a client learns of a server.
#[derive(Clone, Copy, Debug)]
pub struct Greeting {
    /// What it allows.
    pub limits: Limits,
    /// Its clock beside ours.
    pub offset: Offset,
}

/// What an end with such settings allows and can take.
pub fn limits_of(config: &Config) -> Limits {
    let receive_buffer = config.receive_growth.as_ref().map_or(config.receive_buffer, |growth| growth.limit);
    // A message takes its place until it is whole: several must fit the buffer as it is at first.
    let message = (config.receive_buffer.min(config.send_buffer) / 4).clamp(DATA_HEADER, MAX_MESSAGE);
    Limits { duration: LONGEST_TEST, message, receive_buffer }
}

/// The client's part: greets, and asks what time it is there until the answer is as good as it gets.
///
/// # Errors
/// The server does not answer, or with something else.
pub async fn greet(association: &Association, peer: &Peer) -> Result<Greeting, Failure> {
    let ours = clock::machine();
    say(association, peer, encode(&Frame::Hello { machine: ours })).await?;
    let Frame::Welcome { machine: theirs, limits } = hear(association, peer).await? else {
        return Err(peer.garbage(&"an answer to HELLO that is none"));
    };
    let mut pings = Pings::default();
    let began = clock::of_machine();
    while pings.answered() < PINGS
        && (pings.answered() < 2 || clock::of_machine().since(began) < LONGEST_PINGS)
    {
        say(association, peer, encode(&Frame::Ping { asked: clock::of_machine() })).await?;
        let Frame::Pong { asked, answered } = hear(association, peer).await? else {
            return Err(peer.garbage(&"an answer to PING that is none"));
        };
        pings.on_pong(asked, answered, clock::of_machine());
    }
    Ok(Greeting { limits, offset: pings.offset(ours, theirs) })
}

/// The client's part: asks for a test.
///
/// # Errors
/// It is refused, or the server does not answer.
pub async fn ask(association: &Association, peer: &Peer, ask: Ask) -> Result<(), Failure> {
    say(association, peer, encode(&Frame::Ask(ask))).await?;
    match hear(association, peer).await? {
        Frame::Ready => Ok(()),
        _ => Err(peer.garbage(&"an answer to ASK that is none")),
    }
}

/// The server's part: answers until a test is wanted; `None` where the client leaves without.
///
/// # Errors
/// A client that speaks something else, is refused, or falls silent.
pub async fn answer(
    association: &Association,
    peer: &Peer,
    mut server: Server,
) -> Result<Option<Ask>, Failure> {
    loop {
        let message = match timeout(PATIENCE, association.recv()).await {
            Ok(Ok(message)) => message.into_bytes(),
            Ok(Err(_)) => return Ok(None),
            Err(_) => return Err(silent(peer)),
        };
        let step = server.handle(clock::of_machine(), &message).map_err(|error| peer.garbage(&error))?;
        match step {
            ServerStep::Answer(frame) => say(association, peer, frame).await?,
            ServerStep::Begin(ask, frame) => {
                say(association, peer, frame).await?;
                return Ok(Some(ask));
            }
            ServerStep::Refuse(why, frame) => {
                say(association, peer, frame).await?;
                return Err(Failure::Refused(format!("refused {peer}: {why}")));
            }
        }
    }
}

/// Sends a frame.
///
/// # Errors
/// The association is over.
pub async fn say(association: &Association, peer: &Peer, frame: Bytes) -> Result<(), Failure> {
    association.send(frame, SendOptions::default()).await.map_err(|error| peer.not_sent(error))
}

/// The server's next frame; a refusal is a failure.
async fn hear(association: &Association, peer: &Peer) -> Result<Frame, Failure> {
    let heard = timeout(PATIENCE, association.recv()).await.map_err(|_| silent(peer))?;
    let message = heard.map_err(|reason| peer.failure(reason))?;
    match decode(&message.into_bytes()).map_err(|error| peer.garbage(&error))? {
        Frame::Refused(why) => {
            let _ = timeout(PATIENCE, association.close()).await;
            Err(Failure::Refused(format!("{peer} refused the test: {why}")))
        }
        frame => Ok(frame),
    }
}

fn silent(peer: &Peer) -> Failure {
    Failure::PeerGone(format!("{peer} is there and said nothing for {} s", PATIENCE.as_secs()))
}

/// How many messages a default test has under way in the smallest buffer.
pub fn usual_length(given: Option<ByteCount>, is_paced: Paced, largest: ByteCount) -> ByteCount {
    let usual = match is_paced {
        Paced::Yes => USUAL_PACED,
        Paced::No => USUAL,
    };
    given.unwrap_or(usual.min(largest))
}

/// Whether messages have times at which they are due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paced {
    /// They have.
    Yes,
    /// They are sent as they go.
    No,
}

/// How long an end that should speak may be silent.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(10);
/// A server allows no longer test.
const LONGEST_TEST: Duration = Duration::from_secs(3_600);
/// So many questions for the time are enough,
const PINGS: u32 = 10;
/// and where the round trips are long, two.
const LONGEST_PINGS: Duration = Duration::from_secs(1);
/// What `send` puts into a message.
const USUAL: ByteCount = ByteCount::from_kib(64);
/// Seven packets of an MPEG transport stream, as video over UDP has them.
const USUAL_PACED: ByteCount = ByteCount::new(1_316);
