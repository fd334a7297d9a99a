//! The exchange before a test begins: the offset of the clocks, the limits of the server, the request of the client.

use anabranch_base::{BitRate, ByteCount, Duration};
use anabranch_net::{Association, CloseReason, Config, SendError, SendOptions};
use bytes::Bytes;
use tokio::time::timeout;

use crate::clock;
use crate::exchange::AgreedTest;
use crate::measured::Role;
use crate::protocol::{
    Ask, DATA_HEADER, Frame, FrameError, MAX_MESSAGE, Offset, Pings, RequestedDirection, Server, ServerError,
    ServerLimits, ServerStep, decode, encode,
};

/// Why the ends did not agree on a test.
#[derive(Debug, thiserror::Error)]
pub enum AgreeError {
    /// The association ended.
    #[error("the association ended before the test began: {0}")]
    Ended(CloseReason),
    /// The association takes no more messages.
    #[error("the association accepts no more messages: {0}")]
    NotTaken(SendError),
    /// The other end is there and says nothing.
    #[error("the other end answers but has sent no message for {} s", .0.as_secs())]
    Silent(std::time::Duration),
    /// The server sent something that is not a frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The server answered with a frame that does not answer this one.
    #[error("an unexpected answer to {0}")]
    NotAnAnswer(&'static str),
    /// The client breaks the test protocol.
    #[error(transparent)]
    Client(#[from] ServerError),
    /// The server refused the test.
    #[error("the server refused the test: {0}")]
    RefusedThere(String),
    /// This server refused the client's test, and has said so.
    #[error("refused the test: {0}")]
    RefusedHere(String),
    /// This client cannot do what it was to ask for.
    #[error("this end cannot do that: {0}")]
    Impossible(String),
}

impl AgreeError {
    /// Returns true if the peer is a program of ours that belongs to another.
    pub fn is_wrong_partner(&self) -> bool {
        matches!(self, AgreeError::Client(ServerError::Files))
    }

    /// Returns true if the peer asked for nothing that this server understands: that is not a test.
    pub fn is_of_no_test(&self) -> bool {
        matches!(self, AgreeError::Client(_) | AgreeError::Frame(_) | AgreeError::Silent(_))
    }
}

/// The test that a client wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestRequest {
    /// Which way the data goes.
    pub direction: RequestedDirection,
    /// The duration.
    pub duration: Duration,
    /// The length of a message; by default what is usual, as far as both ends can take it.
    pub message: Option<ByteCount>,
    /// The rate at which messages are due; by default as fast as the paths take them.
    pub rate: Option<BitRate>,
    /// How often the receiving end notes what arrived.
    pub interval: Duration,
}

impl Default for TestRequest {
    /// Ten seconds from the client to the server, as fast as the paths take it.
    fn default() -> TestRequest {
        TestRequest {
            direction: RequestedDirection::Forward,
            duration: Duration::from_secs(10),
            message: None,
            rate: None,
            interval: Duration::from_secs(1),
        }
    }
}

/// What an end with such settings allows and can take.
pub fn limits_of(config: &Config) -> ServerLimits {
    let receive_buffer = config.receive_growth.as_ref().map_or(config.receive_buffer, |growth| growth.limit);
    // A message takes its place until it is whole: several must fit the buffer as it is at first.
    let message = (config.receive_buffer.min(config.send_buffer) / 4).clamp(DATA_HEADER, MAX_MESSAGE);
    ServerLimits { duration: LONGEST_TEST, message, receive_buffer }
}

/// The client's part: learns how the clocks differ and what the server allows, and asks for a test. After an error the
/// association is the caller's to abort.
///
/// # Errors
/// The server refuses, does not answer, or answers with something else; or this end cannot do it.
pub async fn agree(
    association: &Association,
    here: &ServerLimits,
    wish: TestRequest,
) -> Result<AgreedTest, AgreeError> {
    let (there, offset) = greet(association).await?;
    let ask = wish.ask(&there, here, offset.nanos);
    ask.check(here).map_err(AgreeError::Impossible)?;
    say(association, encode(&Frame::Ask(ask))).await?;
    match hear(association).await? {
        Frame::Ready => {}
        _ => return Err(AgreeError::NotAnAnswer("ASK")),
    }
    let (role, clock_error) = (Role::Client, offset.error);
    Ok(AgreedTest { ask, role, clock_error, receive_buffer_limit: here.receive_buffer })
}

impl TestRequest {
    /// The test in messages that the receiving end can take.
    fn ask(&self, there: &ServerLimits, here: &ServerLimits, offset_ns: i64) -> Ask {
        let usual = if self.rate.is_some() { USUAL_PACED } else { USUAL };
        let message = self.message.unwrap_or(usual.min(there.message.min(here.message)));
        let TestRequest { direction, duration, rate, interval, .. } = *self;
        Ask { direction, duration, message, rate, interval, offset_ns }
    }
}

/// Greets, and asks for the server's time until the answer is as good as it gets.
async fn greet(association: &Association) -> Result<(ServerLimits, Offset), AgreeError> {
    let ours = clock::machine();
    say(association, encode(&Frame::Hello { machine: ours })).await?;
    let Frame::Welcome { machine: theirs, limits } = hear(association).await? else {
        return Err(AgreeError::NotAnAnswer("HELLO"));
    };
    let mut pings = Pings::default();
    let began = clock::of_machine();
    while pings.answered() < PINGS
        && (pings.answered() < 2 || clock::of_machine().since(began) < LONGEST_PINGS)
    {
        say(association, encode(&Frame::Ping { asked: clock::of_machine() })).await?;
        let Frame::Pong { asked, answered } = hear(association).await? else {
            return Err(AgreeError::NotAnAnswer("PING"));
        };
        pings.on_pong(asked, answered, clock::of_machine());
    }
    Ok((limits, pings.offset(ours, theirs)))
}

/// The server's part: answers until a test is wanted; `None` where the client leaves without asking for one. After an
/// error other than [`AgreeError::RefusedHere`] the association is the caller's to abort.
///
/// # Errors
/// A client that uses another protocol, is refused, or falls silent.
pub async fn answer(
    association: &Association,
    limits: &ServerLimits,
) -> Result<Option<AgreedTest>, AgreeError> {
    let mut server = Server::new(clock::machine(), *limits);
    loop {
        let message = match timeout(PATIENCE, association.recv()).await {
            Ok(Ok(message)) => message.into_bytes(),
            Ok(Err(_)) => return Ok(None),
            Err(_) => return Err(AgreeError::Silent(PATIENCE)),
        };
        match server.handle(clock::of_machine(), &message)? {
            ServerStep::Answer(frame) => say(association, frame).await?,
            ServerStep::Begin(ask, frame) => {
                say(association, frame).await?;
                let (role, clock_error) = (Role::Server, Duration::ZERO);
                return Ok(Some(AgreedTest {
                    ask,
                    role,
                    clock_error,
                    receive_buffer_limit: limits.receive_buffer,
                }));
            }
            ServerStep::Refuse(why, frame) => {
                say(association, frame).await?;
                return Err(AgreeError::RefusedHere(why));
            }
        }
    }
}

async fn say(association: &Association, frame: Bytes) -> Result<(), AgreeError> {
    association.send(frame, SendOptions::default()).await.map_err(AgreeError::NotTaken)
}

/// The server's next frame; a refusal is an error.
async fn hear(association: &Association) -> Result<Frame, AgreeError> {
    let heard = timeout(PATIENCE, association.recv()).await.map_err(|_| AgreeError::Silent(PATIENCE))?;
    match decode(&heard.map_err(AgreeError::Ended)?.into_bytes())? {
        Frame::Refused(why) => {
            let _ = timeout(PATIENCE, association.close()).await;
            Err(AgreeError::RefusedThere(why))
        }
        frame => Ok(frame),
    }
}

/// The time an end whose turn it is may be silent.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(10);
/// A server allows no longer test.
const LONGEST_TEST: Duration = Duration::from_secs(3_600);
/// The number of questions for the time are enough,
const PINGS: u32 = 10;
/// and where the round trips are long, two.
const LONGEST_PINGS: Duration = Duration::from_secs(1);
/// The usual length of a message: what a transfer of files puts into one.
const USUAL: ByteCount = ByteCount::from_kib(64);
/// Seven packets of an MPEG transport stream, as video over UDP has them.
const USUAL_PACED: ByteCount = ByteCount::new(1_316);
