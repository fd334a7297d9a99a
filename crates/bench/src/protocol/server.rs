//! The server before a test begins: it answers greetings and requests for the time, and checks the requested test.

use anabranch_base::Time;
use bytes::Bytes;

use super::ask::{Ask, ServerLimits};
use super::frame::{Frame, FrameError, decode, encode};
use super::incoming::word;

/// A server before a client has requested a test.
#[derive(Clone, Debug)]
pub struct Server {
    machine: u64,
    limits: ServerLimits,
    is_greeted: bool,
    pings: u32,
}

/// The step after a client's frame.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerStep {
    /// Send this answer.
    Answer(Bytes),
    /// Send this answer and begin the test.
    Begin(Ask, Bytes),
    /// Send this answer; the test is refused for this reason.
    Refuse(String, Bytes),
}

/// The error of a client that breaks the protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// The message is not a frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The frame is not expected now.
    #[error("unexpected message: {0}")]
    OutOfTurn(&'static str),
    /// The client is a program that transfers files.
    #[error(
        "one end measures and the other transfers files: start both with bench, or one with send and one with \
         recv"
    )]
    Files,
    /// The client sent more than 100 PINGs.
    #[error("more than {MOST_PINGS} requests for the time")]
    Pings,
}

impl Server {
    /// A server with this clock id and these limits.
    pub fn new(machine: u64, limits: ServerLimits) -> Server {
        Server { machine, limits, is_greeted: false, pings: 0 }
    }

    /// Handles a message of the client that arrived at `now`.
    ///
    /// # Errors
    /// The message is invalid or unexpected.
    pub fn handle(&mut self, now: Time, message: &[u8]) -> Result<ServerStep, ServerError> {
        if !self.is_greeted && is_of_files(message) {
            return Err(ServerError::Files);
        }
        match decode(message) {
            // A client of a newer version gets the reason before the association ends.
            Err(error @ FrameError::Version { .. }) => Ok(refuse(error.to_string())),
            Ok(Frame::Hello { .. }) if !self.is_greeted => {
                self.is_greeted = true;
                let welcome = Frame::Welcome { machine: self.machine, limits: self.limits };
                Ok(ServerStep::Answer(encode(&welcome)))
            }
            Ok(Frame::Ping { asked }) if self.is_greeted => {
                self.pings += 1;
                if self.pings > MOST_PINGS {
                    return Err(ServerError::Pings);
                }
                Ok(ServerStep::Answer(encode(&Frame::Pong { asked, answered: now })))
            }
            Ok(Frame::Ask(ask)) if self.is_greeted => Ok(match ask.check(&self.limits) {
                Ok(()) => ServerStep::Begin(ask, encode(&Frame::Ready)),
                Err(why) => refuse(why),
            }),
            Ok(frame) => Err(ServerError::OutOfTurn(word(&frame))),
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns true if `message` is the first one of a program that sends files (OFFER) or fetches them (FETCH).
fn is_of_files(message: &[u8]) -> bool {
    match message.first() {
        Some(1) => message.len() >= SHORTEST_OFFER,
        Some(10) => message.len() == FETCH,
        _ => false,
    }
}

fn refuse(why: String) -> ServerStep {
    let frame = encode(&Frame::Refused(why.clone()));
    ServerStep::Refuse(why, frame)
}

/// The length of the shortest OFFER of the file protocol: a HELLO, which has the same kind byte, is shorter.
const SHORTEST_OFFER: usize = 28;
/// The length of a FETCH of the file protocol: a REPORT, which has the same kind byte, is longer.
const FETCH: usize = 2;
/// The most PINGs of a client.
const MOST_PINGS: u32 = 100;

#[cfg(test)]
mod tests {
    use anabranch_base::{ByteCount, Duration};
    use proptest::prelude::{any, prop, prop_assert, proptest};

    use super::super::ask::RequestedDirection;
    use super::*;

    const LIMITS: ServerLimits = ServerLimits {
        duration: Duration::from_secs(60),
        message: ByteCount::from_kib(64),
        receive_buffer: ByteCount::from_mib(1),
    };

    fn ask(seconds: u64) -> Frame {
        Frame::Ask(Ask {
            direction: RequestedDirection::Forward,
            duration: Duration::from_secs(seconds),
            message: ByteCount::from_kib(64),
            rate: None,
            interval: Duration::from_secs(1),
            offset_ns: 0,
            deadlines: None,
        })
    }

    fn greeted() -> Server {
        let mut server = Server::new(7, LIMITS);
        let step = server.handle(Time::ZERO, &encode(&Frame::Hello { machine: 3 }));
        assert_eq!(step, Ok(ServerStep::Answer(encode(&Frame::Welcome { machine: 7, limits: LIMITS }))));
        server
    }

    #[test]
    fn a_greeting_the_time_and_a_test() {
        let mut server = greeted();
        let (asked, answered) = (Time::from_nanos(5), Time::from_nanos(9));
        let step = server.handle(answered, &encode(&Frame::Ping { asked }));
        assert_eq!(step, Ok(ServerStep::Answer(encode(&Frame::Pong { asked, answered }))));
        let step = server.handle(Time::ZERO, &encode(&ask(10)));
        assert!(matches!(step, Ok(ServerStep::Begin(..))), "{step:?}");
    }

    #[test]
    fn a_program_that_transfers_files_is_told_from_a_client() {
        let offer = [b"\x01\x03\0".as_slice(), &[0; 24], b"a"].concat();
        for first in [offer.as_slice(), b"\x0a\x03"] {
            assert_eq!(Server::new(7, LIMITS).handle(Time::ZERO, first), Err(ServerError::Files));
        }
    }

    #[test]
    fn what_is_too_much_is_refused_in_words() {
        let step = greeted().handle(Time::ZERO, &encode(&ask(61)));
        let Ok(ServerStep::Refuse(why, frame)) = step else { panic!("{step:?}") };
        assert!(why.contains("a test of 61 s"), "{why}");
        assert_eq!(decode(&frame), Ok(Frame::Refused(why)));
        let newer = Server::new(7, LIMITS).handle(Time::ZERO, &[1, 9, 9, 9]);
        assert!(matches!(newer, Ok(ServerStep::Refuse(..))), "{newer:?}");
    }

    #[test]
    fn a_client_must_greet_first_and_may_ask_for_the_time_only_so_often() {
        let mut server = Server::new(7, LIMITS);
        assert_eq!(server.handle(Time::ZERO, &encode(&ask(1))), Err(ServerError::OutOfTurn("ASK")));
        let mut server = greeted();
        let ping = encode(&Frame::Ping { asked: Time::ZERO });
        let failed = (0..1_000).find(|_| server.handle(Time::ZERO, &ping).is_err());
        assert_eq!(failed, Some(100));
    }

    proptest! {
        #[test]
        fn whatever_is_asked_a_test_that_begins_is_allowed(
            direction in 0_u8..4, fields in prop::collection::vec(any::<u64>(), 5..8),
        ) {
            let fields: Vec<u8> = fields.into_iter().flat_map(u64::to_be_bytes).collect();
            let kind = if fields.len() > 40 { 11 } else { 6 };
            let order = if kind == 11 { [0].as_slice() } else { &[] };
            let message = [[kind, direction].as_slice(), &fields, order].concat();
            if let Ok(ServerStep::Begin(ask, _)) = greeted().handle(Time::ZERO, &message) {
                prop_assert!(ask.check(&LIMITS).is_ok());
            }
        }
    }
}
