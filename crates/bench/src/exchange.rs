//! A running test, at either end: it sends and receives data, and exchanges the reports of both ends.

use std::pin::Pin;

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_net::monitor::{self, PathMonitor};
use anabranch_net::{Association, Clock, CloseReason, SendError, SendOptions, TryRecvError};
use tokio::time::{MissedTickBehavior, Sleep, interval, sleep};

use crate::clock;
use crate::direction::TestDirection;
use crate::intervals::{Interval, Intervals};
use crate::load;
use crate::measured::{Measured, Role};
use crate::path_entry::PathEntry;
use crate::protocol::{
    Ask, DeliveryMeter, Dropped, EndReport, Frame, IncomingError, IncomingFrame, SenderReport, TestReceiver,
    encode,
};

/// A test on which both ends agreed.
#[derive(Clone, Copy, Debug)]
pub struct AgreedTest {
    /// The request.
    pub ask: Ask,
    /// The role of this end.
    pub role: Role,
    /// The possible error of measured delays, because the two clocks differ.
    pub clock_error: Duration,
    /// The limit to which this end's receive buffer may grow.
    pub receive_buffer_limit: ByteCount,
}

/// The error of a test that did not end as agreed.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// The association ended.
    #[error("the association ended before the test was over: {0}")]
    Ended(CloseReason),
    /// The association takes no more messages.
    #[error("the association accepts no more messages: {0}")]
    NotTaken(SendError),
    /// The other end breaks the test protocol.
    #[error(transparent)]
    Protocol(#[from] IncomingError),
    /// The other end did not finish in time.
    #[error("{missing} within {:.0} s after the test", MOST_LATE.as_secs_f64())]
    Late {
        /// The step that is missing.
        missing: &'static str,
    },
}

/// A running test at this end. It makes progress only while [`Exchange::next`] is awaited.
pub struct Exchange<'a> {
    association: &'a Association,
    test: AgreedTest,
    incoming: TestReceiver,
    intervals: Intervals,
    monitors: Vec<(TestDirection, PathMonitor)>,
    before: Vec<PathEntry>,
    began: Time,
    processor_before: Duration,
    sending: Option<Sending>,
    ticks: tokio::time::Interval,
    late: Pin<Box<Sleep>>,
    sent: Option<SenderReport>,
    /// True if this end sends no more data and has said so.
    has_sent_end: bool,
    /// The path entries at the time when this end had sent everything.
    paths: Option<Vec<PathEntry>>,
    /// The time at which the other end's END arrived.
    heard_all: Option<Time>,
    is_told: bool,
    error: Option<ExchangeError>,
}

impl<'a> Exchange<'a> {
    /// Starts the test at this end. It needs a tokio runtime with time.
    pub fn begin(association: &'a Association, test: AgreedTest) -> Exchange<'a> {
        let AgreedTest { ask, role, .. } = test;
        // The local clock minus the sender's.
        let offset = match role {
            Role::Server => ask.offset_ns,
            Role::Client => ask.offset_ns.saturating_neg(),
        };
        let tally = role.receives(ask.direction).then(|| DeliveryMeter::new(&ask, offset));
        let clock = Clock::start();
        let mut monitors: Vec<(TestDirection, PathMonitor)> = TestDirection::of(ask.direction)
            .into_iter()
            .map(|one| (one, PathMonitor::new(clock, data_direction(role, one))))
            .collect();
        monitors.iter_mut().for_each(|(_, monitor)| monitor.update(association));
        let mut intervals = Intervals::new(ask.interval);
        intervals.begin(&monitors);
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut exchange = Exchange {
            association,
            test,
            incoming: TestReceiver::new(tally),
            intervals,
            monitors,
            before: Vec::new(),
            began: clock::of_machine(),
            processor_before: clock::processor_time(),
            sending: None,
            ticks,
            late: Box::pin(sleep((ask.duration + MOST_LATE).into())),
            sent: None,
            has_sent_end: !role.sends(ask.direction),
            paths: None,
            heard_all: None,
            is_told: false,
            error: None,
        };
        exchange.before = exchange.entries();
        let sends = role.sends(ask.direction);
        exchange.sending = sends.then(|| Sending(tokio::spawn(load::send(association.clone(), ask))));
        exchange
    }

    /// Runs the test to the end of the next interval; `None` when the test is over and both ends have reported. If
    /// the future is dropped, [`measured`](Exchange::measured) returns the result so far, and the test cannot be
    /// continued.
    ///
    /// # Errors
    /// The test did not end as agreed. The caller aborts the association.
    pub async fn next(&mut self) -> Result<Option<Interval>, ExchangeError> {
        loop {
            if let Some(interval) = self.intervals.take_fresh() {
                return Ok(Some(interval));
            }
            if let Some(error) = self.error.take() {
                return Err(error);
            }
            if self.is_told && self.incoming.report().is_some() {
                return Ok(None);
            }
            // An interval that ended before an error is reported before it.
            self.error = self.advance().await.err();
        }
    }

    /// The reports of both ends; the other end's only if it arrived.
    pub fn measured(self) -> Measured {
        let AgreedTest { ask, role, clock_error, .. } = self.test;
        let (ours, theirs) = (self.report(), self.incoming.report().cloned());
        let links = self.association.links();
        Measured { ask, clock_error, role, ours, theirs, intervals: self.intervals.into_all(), links }
    }

    /// Waits for one event and handles it.
    async fn advance(&mut self) -> Result<(), ExchangeError> {
        tokio::select! {
            sent = end_of(&mut self.sending) => {
                self.sending = None;
                self.on_sent(sent.map_err(ExchangeError::NotTaken)?);
            }
            message = self.association.recv() => match message {
                Ok(message) => self.on_message(&message.into_bytes())?,
                Err(reason) => return Err(ExchangeError::Ended(reason)),
            },
            _ = self.ticks.tick() => self.update(),
            () = &mut self.late => return Err(self.late()),
        }
        self.take_waiting()?;
        self.end().await?;
        if self.has_sent_end && self.incoming.has_ended() && !self.is_told {
            self.tell().await?;
        }
        Ok(())
    }

    /// Handles queued messages in one turn of the loop.
    fn take_waiting(&mut self) -> Result<(), ExchangeError> {
        for _ in 0..MOST_AT_ONCE {
            match self.association.try_recv() {
                Ok(message) => self.on_message(&message.into_bytes())?,
                // The next await reports the end of the association.
                Err(TryRecvError::Empty | TryRecvError::Closed(_)) => break,
                Err(_) => break,
            }
        }
        Ok(())
    }

    fn on_message(&mut self, message: &[u8]) -> Result<(), ExchangeError> {
        let now = clock::of_machine();
        match self.incoming.handle(now, message)? {
            IncomingFrame::Ended => {
                self.heard_all = Some(now);
                self.update_last();
            }
            IncomingFrame::Counted | IncomingFrame::Reported => {}
        }
        Ok(())
    }

    fn on_sent(&mut self, sent: SenderReport) {
        self.update_last();
        self.paths = Some(self.entries());
        self.sent = Some(sent);
    }

    /// Sends END after the data. Where messages may be given up, or overtake each other, it is sent when the fate of
    /// each is known.
    async fn end(&mut self) -> Result<(), ExchangeError> {
        let Some(sent) = self.sent.as_ref().filter(|_| !self.has_sent_end) else { return Ok(()) };
        if self.test.ask.deadlines.is_some() && !self.association.unacknowledged().is_zero() {
            return Ok(());
        }
        self.has_sent_end = true;
        load::end(self.association, sent).await.map_err(ExchangeError::NotTaken)
    }

    /// The data that this end sent, with the messages that were given up so far.
    fn sent(&self) -> Option<SenderReport> {
        let given_up = self.association.given_up();
        let add = |dropped| Dropped { unsent: given_up.unsent, sent: given_up.sent, ..dropped };
        self.sent.clone().map(|sent| SenderReport { dropped: sent.dropped.map(add), ..sent })
    }

    async fn tell(&mut self) -> Result<(), ExchangeError> {
        let report = Frame::Report(Box::new(self.report()));
        self.is_told = true;
        let told = self.association.send(encode(&report), SendOptions::default()).await;
        told.map_err(ExchangeError::NotTaken)
    }

    /// Updates the path monitors, and ends the interval if it is due.
    fn update(&mut self) {
        self.monitors.iter_mut().for_each(|(_, monitor)| monitor.update(self.association));
        let age = self.age();
        if self.intervals.is_due(age) && age <= self.test.ask.duration + TICK.into() {
            self.intervals.on_end(age, &self.monitors);
        }
    }

    /// Ends the last interval with the test.
    fn update_last(&mut self) {
        self.monitors.iter_mut().for_each(|(_, monitor)| monitor.update(self.association));
        self.intervals.on_last(self.age(), &self.monitors);
    }

    fn age(&self) -> Duration {
        clock::of_machine().since(self.began)
    }

    /// The report of this end so far.
    fn report(&self) -> EndReport {
        let seconds = self.age().as_secs_f64();
        let span = self.sent.as_ref().map_or(seconds, |sent| sent.seconds);
        let paths = self.paths.clone().unwrap_or_else(|| self.entries());
        let before = |path: &PathEntry| self.before.iter().find(|before| before.name == path.name);
        let since = |path: &PathEntry| path.since(before(path).unwrap_or(&PathEntry::default()), span);
        let until = self.heard_all.unwrap_or_else(clock::of_machine);
        EndReport {
            sent: self.sent(),
            received: self.incoming.tally().map(|tally| tally.received(until)),
            cpu_s: clock::processor_time().saturating_sub(self.processor_before).as_secs_f64(),
            seconds,
            receive_buffer_bytes: self.association.receive_buffer().get(),
            receive_buffer_limit_bytes: self.test.receive_buffer_limit.get(),
            paths: paths.iter().map(since).collect(),
        }
    }

    /// The entries of all paths: the data they carried from this end if it sends, else the data they delivered to it.
    fn entries(&self) -> Vec<PathEntry> {
        let sends = |direction: &TestDirection| Role::sending(*direction) == self.test.role;
        let monitor = self.monitors.iter().find(|(direction, _)| sends(direction)).or(self.monitors.first());
        let Some((_, monitor)) = monitor else { return Vec::new() };
        monitor.paths().iter().map(|path| PathEntry::of(monitor, path, Duration::ZERO)).collect()
    }

    fn late(&self) -> ExchangeError {
        let missing = match (self.sent.is_some(), self.incoming.has_ended()) {
            (false, true) if self.test.role.sends(self.test.ask.direction) => "it accepts no more data",
            (_, false) => "the last of its data did not arrive",
            _ => "it did not send its report",
        };
        ExchangeError::Late { missing }
    }
}

impl std::fmt::Debug for Exchange<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exchange").field("test", &self.test).finish_non_exhaustive()
    }
}

/// The sending task, aborted when this is dropped.
struct Sending(tokio::task::JoinHandle<Result<SenderReport, SendError>>);

impl Drop for Sending {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Waits for the sending task and returns its report; pending forever if there is none.
async fn end_of(sending: &mut Option<Sending>) -> Result<SenderReport, SendError> {
    match sending {
        Some(Sending(task)) => task.await.unwrap_or(Err(SendError::Closing)),
        None => std::future::pending().await,
    }
}

fn data_direction(role: Role, direction: TestDirection) -> monitor::DataDirection {
    if Role::sending(direction) == role {
        monitor::DataDirection::Sending
    } else {
        monitor::DataDirection::Receiving
    }
}

/// The interval between updates of the monitors.
const TICK: std::time::Duration = std::time::Duration::from_millis(50);
/// The longest time for the last data and both reports after the end of a test.
const MOST_LATE: Duration = Duration::from_secs(20);
/// The most messages handled before other events.
const MOST_AT_ONCE: usize = 64;
