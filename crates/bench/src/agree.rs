//! The exchange before a test begins: the offset of the clocks, the limits of the server, the request of the client.

use anabranch_base::{BitRate, ByteCount, Duration};
use anabranch_net::{Association, CloseReason, Config, SendError, SendOptions};
use bytes::Bytes;
use tokio::time::timeout;

use crate::clock;
use crate::exchange::AgreedTest;
use crate::measured::Role;
use crate::protocol::{
    Ask, DATA_HEADER, Deadlines, Frame, FrameError, MAX_MESSAGE, Offset, Pings, RequestedDirection, Server,
    ServerError, ServerLimits, ServerStep, decode, encode,
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
    /// The other end is reachable but sends no message.
    #[error("the other end answers but has sent no message for {} s", .0.as_secs())]
    Silent(std::time::Duration),
    /// The server sent something that is not a frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The server answered with a frame of another kind than this request expects.
    #[error("an unexpected answer to {0}")]
    NotAnAnswer(&'static str),
    /// The client breaks the test protocol.
    #[error(transparent)]
    Client(#[from] ServerError),
    /// The server refused the test.
    #[error("the server refused the test: {0}")]
    RefusedThere(String),
    /// This server refused the client's test and has sent the reason.
    #[error("refused the test: {0}")]
    RefusedHere(String),
    /// A test with deadlines was requested, and an end does not give messages up.
    #[error(
        "deadlines need `sctp.partial_reliability` at both ends: it is off at one, or the other end's version does \
         not have it"
    )]
    NoDeadlines,
    /// This client cannot run the test that it would request.
    #[error("this end cannot do that: {0}")]
    Impossible(String),
}

impl AgreeError {
    /// Returns true if the peer is an anabranch program of another kind, such as a file transfer.
    pub fn is_wrong_partner(&self) -> bool {
        matches!(self, AgreeError::Client(ServerError::Files))
    }

    /// Returns true if the peer never requested a test that this server understands.
    pub fn is_of_no_test(&self) -> bool {
        matches!(self, AgreeError::Client(_) | AgreeError::Frame(_) | AgreeError::Silent(_))
    }
}

/// The test that a client requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestRequest {
    /// The direction of the data.
    pub direction: RequestedDirection,
    /// The duration.
    pub duration: Duration,
    /// The length of a message; by default the usual length, as far as both ends accept it.
    pub message: Option<ByteCount>,
    /// The rate at which messages are due; by default as fast as the paths take them.
    pub rate: Option<BitRate>,
    /// The interval at which the receiving end records the bytes delivered.
    pub interval: Duration,
    /// The deadlines of messages at a rate; both ends need [`Config::partial_reliability`].
    pub deadlines: Option<Deadlines>,
}

impl Default for TestRequest {
    /// Ten seconds from the client to the server, as fast as the paths accept messages.
    fn default() -> TestRequest {
        TestRequest {
            direction: RequestedDirection::Forward,
            duration: Duration::from_secs(10),
            message: None,
            rate: None,
            interval: Duration::from_secs(1),
            deadlines: None,
        }
    }
}

/// The limits of an end with these settings.
pub fn limits_of(config: &Config) -> ServerLimits {
    let receive_buffer = config.receive_growth.as_ref().map_or(config.receive_buffer, |growth| growth.limit);
    // A message occupies the buffer until it is complete: several must fit in its initial size.
    let message = (config.receive_buffer.min(config.send_buffer) / 4).clamp(DATA_HEADER, MAX_MESSAGE);
    ServerLimits { duration: LONGEST_TEST, message, receive_buffer }
}

/// The client's part: measures the clock offset, learns the server's limits, and requests a test. After an error the
/// caller aborts the association.
///
/// # Errors
/// The server refuses, does not answer, or sends an unexpected frame; or this end cannot run the test.
pub async fn agree(
    association: &Association,
    here: &ServerLimits,
    wish: TestRequest,
) -> Result<AgreedTest, AgreeError> {
    if wish.deadlines.is_some() && !association.has_partial_reliability() {
        return Err(AgreeError::NoDeadlines);
    }
    let (there, offset) = greet(association).await?;
    let ask = wish.ask(&there, here, offset.nanos);
    ask.check(here).map_err(AgreeError::Impossible)?;
    send(association, encode(&Frame::Ask(ask))).await?;
    match receive(association).await? {
        Frame::Ready => {}
        _ => return Err(AgreeError::NotAnAnswer("ASK")),
    }
    let (role, clock_error) = (Role::Client, offset.error);
    Ok(AgreedTest { ask, role, clock_error, receive_buffer_limit: here.receive_buffer })
}

impl TestRequest {
    /// The request, with messages no longer than the receiving end accepts.
    fn ask(&self, there: &ServerLimits, here: &ServerLimits, offset_ns: i64) -> Ask {
        let usual = if self.rate.is_some() { USUAL_PACED } else { USUAL };
        let message = self.message.unwrap_or(usual.min(there.message.min(here.message)));
        let TestRequest { direction, duration, rate, interval, deadlines, .. } = *self;
        Ask { direction, duration, message, rate, interval, offset_ns, deadlines }
    }
}

/// Sends HELLO, then PINGs until the clock offset is known well enough.
async fn greet(association: &Association) -> Result<(ServerLimits, Offset), AgreeError> {
    let ours = clock::machine();
    send(association, encode(&Frame::Hello { machine: ours })).await?;
    let Frame::Welcome { machine: theirs, limits } = receive(association).await? else {
        return Err(AgreeError::NotAnAnswer("HELLO"));
    };
    let mut pings = Pings::default();
    let began = clock::of_machine();
    while pings.answered() < PINGS
        && (pings.answered() < 2 || clock::of_machine().since(began) < LONGEST_PINGS)
    {
        send(association, encode(&Frame::Ping { asked: clock::of_machine() })).await?;
        let Frame::Pong { asked, answered } = receive(association).await? else {
            return Err(AgreeError::NotAnAnswer("PING"));
        };
        pings.on_pong(asked, answered, clock::of_machine());
    }
    Ok((limits, pings.offset(ours, theirs)))
}

/// The server's part: answers until the client requests a test; `None` if the client leaves without requesting one.
/// After an error other than [`AgreeError::RefusedHere`] the caller aborts the association.
///
/// # Errors
/// A client that uses another protocol, is refused, or falls silent.
pub async fn answer(
    association: &Association,
    limits: &ServerLimits,
) -> Result<Option<AgreedTest>, AgreeError> {
    match next(association).await? {
        Some(first) => answer_after(first, association, limits).await,
        None => Ok(None),
    }
}

/// Like [`answer`], to a client whose `first` message was received.
///
/// # Errors
/// As [`answer`].
pub async fn answer_after(
    first: Bytes,
    association: &Association,
    limits: &ServerLimits,
) -> Result<Option<AgreedTest>, AgreeError> {
    let mut server = Server::new(clock::machine(), *limits);
    let mut message = first;
    loop {
        match server.handle(clock::of_machine(), &message)? {
            ServerStep::Answer(frame) => send(association, frame).await?,
            ServerStep::Begin(ask, frame) => {
                send(association, frame).await?;
                let (role, clock_error) = (Role::Server, Duration::ZERO);
                return Ok(Some(AgreedTest {
                    ask,
                    role,
                    clock_error,
                    receive_buffer_limit: limits.receive_buffer,
                }));
            }
            ServerStep::Refuse(why, frame) => {
                send(association, frame).await?;
                return Err(AgreeError::RefusedHere(why));
            }
        }
        match next(association).await? {
            Some(following) => message = following,
            None => return Ok(None),
        }
    }
}

/// The next message of the client; `None` if it leaves.
async fn next(association: &Association) -> Result<Option<Bytes>, AgreeError> {
    let heard = timeout(PATIENCE, association.recv()).await.map_err(|_| AgreeError::Silent(PATIENCE))?;
    Ok(heard.ok().map(anabranch_net::Message::into_bytes))
}

async fn send(association: &Association, frame: Bytes) -> Result<(), AgreeError> {
    association.send(frame, SendOptions::default()).await.map_err(AgreeError::NotTaken)
}

/// The server's next frame; a refusal is an error.
async fn receive(association: &Association) -> Result<Frame, AgreeError> {
    let heard = timeout(PATIENCE, association.recv()).await.map_err(|_| AgreeError::Silent(PATIENCE))?;
    match decode(&heard.map_err(AgreeError::Ended)?.into_bytes())? {
        Frame::Refused(why) => {
            let _ = timeout(PATIENCE, association.close()).await;
            Err(AgreeError::RefusedThere(why))
        }
        frame => Ok(frame),
    }
}

/// The longest time to wait for the other end's next frame.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(10);
/// The longest test a server allows.
const LONGEST_TEST: Duration = Duration::from_secs(3_600);
/// The number of PINGs that suffice,
const PINGS: u32 = 10;
/// or two, if they take longer than this.
const LONGEST_PINGS: Duration = Duration::from_secs(1);
/// The default message length, the same as a file transfer's.
const USUAL: ByteCount = ByteCount::from_kib(64);
/// The default message length at a rate: seven packets of an MPEG transport stream, as in video over UDP.
const USUAL_PACED: ByteCount = ByteCount::new(1_316);
