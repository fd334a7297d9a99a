//! The request of a client, and the limits of a server.

use anabranch_base::{BitRate, ByteCount, Duration};

use super::deadlines::Deadlines;

/// The sending end or ends of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestedDirection {
    /// The client.
    Forward,
    /// The server.
    Reverse,
    /// Both at once.
    Both,
}

/// A requested test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The sending end.
    pub direction: RequestedDirection,
    /// The duration.
    pub duration: Duration,
    /// The length of each message, its header of 17 bytes included.
    pub message: ByteCount,
    /// The rate; `None` for as fast as the transport accepts messages.
    pub rate: Option<BitRate>,
    /// The length of the intervals in which delivered bytes are counted.
    pub interval: Duration,
    /// The server's clock minus the client's, in nanoseconds.
    pub offset_ns: i64,
    /// The deadlines of messages at a rate.
    pub deadlines: Option<Deadlines>,
}

/// The limits of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerLimits {
    /// The longest test.
    pub duration: Duration,
    /// The longest message.
    pub message: ByteCount,
    /// The limit to which the server's receive buffer may grow.
    pub receive_buffer: ByteCount,
}

impl RequestedDirection {
    /// Returns true if the client sends.
    pub fn is_forward(self) -> bool {
        self != RequestedDirection::Reverse
    }

    /// Returns true if the server sends.
    pub fn is_reverse(self) -> bool {
        self != RequestedDirection::Forward
    }

    /// The name in documents.
    pub fn word(self) -> &'static str {
        match self {
            RequestedDirection::Forward => "forward",
            RequestedDirection::Reverse => "reverse",
            RequestedDirection::Both => "both",
        }
    }

    pub(super) fn code(self) -> u8 {
        match self {
            RequestedDirection::Forward => 0,
            RequestedDirection::Reverse => 1,
            RequestedDirection::Both => 2,
        }
    }

    pub(super) fn from_code(code: u8) -> Option<RequestedDirection> {
        [RequestedDirection::Forward, RequestedDirection::Reverse, RequestedDirection::Both]
            .into_iter()
            .find(|known| known.code() == code)
    }
}

impl Ask {
    /// Checks that the values make sense and are within `limits`.
    ///
    /// # Errors
    /// The reason, for the user at the other end.
    pub fn check(&self, limits: &ServerLimits) -> Result<(), String> {
        let seconds = |span: Duration| format!("{} s", span.as_secs_f64());
        if self.duration < SHORTEST || self.duration > limits.duration {
            let (from, to) = (seconds(SHORTEST), seconds(limits.duration));
            return Err(format!(
                "a test of {} was requested; allowed are {from} to {to}",
                seconds(self.duration)
            ));
        }
        let largest = limits.message.min(MAX_MESSAGE);
        if self.message < DATA_HEADER || self.message > largest {
            let (from, to) = (DATA_HEADER.get(), largest.get());
            return Err(format!(
                "messages of {} B were requested; allowed are {from} to {to} B",
                self.message.get()
            ));
        }
        if self.interval < SHORTEST {
            return Err(format!(
                "intervals of {} were requested; the minimum is {}",
                seconds(self.interval),
                seconds(SHORTEST)
            ));
        }
        match (self.deadlines, self.rate) {
            (Some(_), None) => {
                return Err("a deadline counts from when a message is due: give a rate".to_owned());
            }
            (Some(deadlines), _) => deadlines.check(self.duration)?,
            (None, _) => {}
        }
        match self.rate {
            Some(rate) if self.gap(rate) > self.duration => Err(format!(
                "at {rate} less than one message of {} B is due in {}: use shorter messages or a higher rate",
                self.message.get(),
                seconds(self.duration)
            )),
            _ => Ok(()),
        }
    }

    /// The time from one message to the next at `rate`.
    pub fn gap(&self, rate: BitRate) -> Duration {
        rate.time_for(self.message).unwrap_or(Duration::MAX)
    }
}

/// The shortest test and the shortest interval: shorter ones measure nothing.
const SHORTEST: Duration = Duration::from_millis(100);

/// The longest message of a test, its header included.
pub(crate) const MAX_MESSAGE: ByteCount = ByteCount::from_mib(1);
/// The shortest message: a DATA frame without padding.
pub(crate) const DATA_HEADER: ByteCount = ByteCount::new(17);

#[cfg(test)]
mod tests {
    use super::super::deadlines::Order;
    use super::*;

    const LIMITS: ServerLimits = ServerLimits {
        duration: Duration::from_secs(3_600),
        message: ByteCount::from_kib(64),
        receive_buffer: ByteCount::from_mib(1),
    };

    fn ask() -> Ask {
        Ask {
            direction: RequestedDirection::Forward,
            duration: Duration::from_secs(10),
            message: ByteCount::from_kib(64),
            rate: None,
            interval: Duration::from_secs(1),
            offset_ns: 0,
            deadlines: None,
        }
    }

    #[test]
    fn what_a_server_does_not_allow_is_refused_with_what_it_does() {
        assert_eq!(ask().check(&LIMITS), Ok(()));
        let long = Ask { duration: Duration::from_secs(7_200), ..ask() };
        assert_eq!(
            long.check(&LIMITS),
            Err("a test of 7200 s was requested; allowed are 0.1 s to 3600 s".to_owned())
        );
        let large = Ask { message: ByteCount::new(65_537), ..ask() };
        assert!(large.check(&LIMITS).is_err_and(|why| why.contains("17 to 65536 B")));
        assert!(Ask { message: ByteCount::new(16), ..ask() }.check(&LIMITS).is_err());
        assert!(Ask { duration: Duration::ZERO, ..ask() }.check(&LIMITS).is_err());
        assert!(Ask { interval: Duration::ZERO, ..ask() }.check(&LIMITS).is_err());
    }

    #[test]
    fn a_rate_at_which_nothing_is_due_is_refused() {
        let slow = Ask { rate: Some(BitRate::from_bits_per_second(1_000)), ..ask() };
        assert!(slow.check(&LIMITS).is_err_and(|why| why.contains("less than one message")));
        assert_eq!(Ask { message: ByteCount::new(125), ..slow }.check(&LIMITS), Ok(()));
    }

    #[test]
    fn a_deadline_without_a_rate_is_refused_as_is_one_that_no_message_could_miss() {
        let deadline = Duration::from_millis(100);
        let deadlines = Some(Deadlines { deadline, lifetime: Some(deadline), order: Order::Sent });
        let paced = Ask { rate: Some(BitRate::from_mbps(1)), deadlines, ..ask() };
        assert_eq!(paced.check(&LIMITS), Ok(()));
        assert!(Ask { rate: None, ..paced }.check(&LIMITS).is_err_and(|why| why.contains("give a rate")));
        let short = Ask { duration: Duration::from_millis(100), message: ByteCount::new(100), ..paced };
        assert_eq!(short.check(&LIMITS), Ok(()));
        let long = Deadlines { deadline: Duration::from_secs(11), lifetime: None, order: Order::Sent };
        assert!(Ask { deadlines: Some(long), ..paced }.check(&LIMITS).is_err());
    }

    #[test]
    fn messages_are_as_far_apart_as_their_rate_says() {
        assert_eq!(ask().gap(BitRate::from_bits_per_second(65_536 * 8)), Duration::from_secs(1));
    }
}
