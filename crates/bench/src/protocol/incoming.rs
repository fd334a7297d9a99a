//! The messages that an end receives during a test: data if the other end sends, then the end of data, then a report.

use anabranch_base::Time;

use super::frame::{Frame, FrameError, decode};
use super::report::EndReport;
use super::tally::{DeliveryMeter, TallyError};

/// The receiving half of a running test.
#[derive(Clone, Debug)]
pub struct TestReceiver {
    tally: Option<DeliveryMeter>,
    has_ended: bool,
    report: Option<EndReport>,
}

/// The kind of a received frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncomingFrame {
    /// A data message.
    Counted,
    /// The end of the data.
    Ended,
    /// The report of the other end.
    Reported,
}

/// The error of an unexpected or invalid message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IncomingError {
    /// The message is not a frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The messages are out of order or incomplete.
    #[error(transparent)]
    Tally(#[from] TallyError),
    /// The frame is not expected now.
    #[error("unexpected message: {0}")]
    OutOfTurn(&'static str),
}

impl TestReceiver {
    /// A receiver before the first message; `tally` counts the data if the other end sends.
    pub fn new(tally: Option<DeliveryMeter>) -> TestReceiver {
        TestReceiver { has_ended: tally.is_none(), tally, report: None }
    }

    /// Handles a message of the association that arrived at `now`.
    ///
    /// # Errors
    /// The message is invalid or unexpected.
    pub fn handle(&mut self, now: Time, message: &[u8]) -> Result<IncomingFrame, IncomingError> {
        match (decode(message)?, &mut self.tally) {
            (Frame::Data { number, due, length }, Some(tally)) if !self.has_ended => {
                tally.on_data(now, number, due, length)?;
                Ok(IncomingFrame::Counted)
            }
            (Frame::End { messages, bytes }, Some(tally)) if !self.has_ended => {
                tally.on_end(now, messages, bytes)?;
                self.has_ended = true;
                Ok(IncomingFrame::Ended)
            }
            // It was given up and arrives after all, behind END on a slower path.
            (Frame::Data { .. }, Some(tally)) if tally.has_deadlines() => Ok(IncomingFrame::Counted),
            (Frame::Report(report), _) if self.has_ended && self.report.is_none() => {
                self.report = Some(*report);
                Ok(IncomingFrame::Reported)
            }
            (frame, _) => Err(IncomingError::OutOfTurn(word(&frame))),
        }
    }

    /// Returns true if the other end sends no more data.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The delivery counts, if the other end sends.
    pub fn tally(&self) -> Option<&DeliveryMeter> {
        self.tally.as_ref()
    }

    /// The report of the other end, once it arrived.
    pub fn report(&self) -> Option<&EndReport> {
        self.report.as_ref()
    }
}

/// The name of the frame's kind.
pub(super) fn word(frame: &Frame) -> &'static str {
    match frame {
        Frame::Hello { .. } => "HELLO",
        Frame::Welcome { .. } => "WELCOME",
        Frame::Refused(_) => "REFUSED",
        Frame::Ping { .. } => "PING",
        Frame::Pong { .. } => "PONG",
        Frame::Ask(_) => "ASK",
        Frame::Ready => "READY",
        Frame::Data { .. } => "DATA",
        Frame::End { .. } => "END",
        Frame::Report(_) => "REPORT",
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::{ByteCount, Duration};

    use super::super::ask::{Ask, RequestedDirection};
    use super::super::deadlines::{Deadlines, Order};
    use super::super::frame::{data, encode};
    use super::*;

    fn receiving(deadlines: Option<Deadlines>) -> TestReceiver {
        let ask = Ask {
            direction: RequestedDirection::Forward,
            duration: Duration::from_secs(1),
            message: ByteCount::new(100),
            rate: None,
            interval: Duration::from_secs(1),
            offset_ns: 0,
            deadlines,
        };
        TestReceiver::new(Some(DeliveryMeter::new(&ask, 0)))
    }

    #[test]
    fn with_deadlines_messages_may_be_missing_and_one_may_come_behind_the_end() {
        let deadline = Duration::from_millis(100);
        let mut incoming =
            receiving(Some(Deadlines { deadline, lifetime: Some(deadline), order: Order::Arrived }));
        for number in [4, 2] {
            let message = data(number, Time::ZERO, ByteCount::new(100));
            assert_eq!(incoming.handle(Time::ZERO, &message), Ok(IncomingFrame::Counted));
        }
        let end = encode(&Frame::End { messages: 5, bytes: ByteCount::new(500) });
        assert_eq!(incoming.handle(Time::ZERO, &end), Ok(IncomingFrame::Ended));
        let behind = data(3, Time::ZERO, ByteCount::new(100));
        assert_eq!(incoming.handle(Time::ZERO, &behind), Ok(IncomingFrame::Counted));
        assert_eq!(incoming.tally().map(|tally| tally.received(Time::ZERO).messages), Some(2));
        assert!(incoming.handle(Time::ZERO, &end).is_err());
    }

    #[test]
    fn data_then_the_end_then_a_report_and_nothing_else() {
        let mut incoming = receiving(None);
        let report = encode(&Frame::Report(Box::default()));
        let end = encode(&Frame::End { messages: 1, bytes: ByteCount::new(100) });
        let early = incoming.handle(Time::ZERO, &report);
        assert_eq!(early, Err(IncomingError::OutOfTurn("REPORT")));
        let first = data(0, Time::ZERO, ByteCount::new(100));
        assert_eq!(incoming.handle(Time::ZERO, &first), Ok(IncomingFrame::Counted));
        assert_eq!(incoming.handle(Time::ZERO, &end), Ok(IncomingFrame::Ended));
        assert_eq!(incoming.handle(Time::ZERO, &first), Err(IncomingError::OutOfTurn("DATA")));
        assert_eq!(incoming.handle(Time::ZERO, &report), Ok(IncomingFrame::Reported));
        assert_eq!(incoming.handle(Time::ZERO, &report), Err(IncomingError::OutOfTurn("REPORT")));
        assert!(incoming.has_ended() && incoming.report().is_some());
    }

    #[test]
    fn an_end_that_only_sends_accepts_only_a_report() {
        let mut incoming = TestReceiver::new(None);
        let first = data(0, Time::ZERO, ByteCount::new(100));
        assert_eq!(incoming.handle(Time::ZERO, &first), Err(IncomingError::OutOfTurn("DATA")));
        let report = encode(&Frame::Report(Box::default()));
        assert_eq!(incoming.handle(Time::ZERO, &report), Ok(IncomingFrame::Reported));
    }
}
