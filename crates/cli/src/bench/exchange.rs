//! A test while it runs, at either end: data goes, data comes, both ends say what they saw. It knows the order of
//! these, and not what was agreed before.

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_cli::bench_protocol::{Ask, Frame, Incoming, Report, Sent, Step, Tally, encode};
use anabranch_cli::path_entry::PathEntry;
use anabranch_net::{Association, SendError, TryRecvError};
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::dialogue::say;
use super::intervals::Intervals;
use super::measured::{Role, Way};
use super::pour;
use crate::clock::{self, Stopwatch};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::peer::Peer;
use crate::report::entry;
use crate::watch::{Direction, Watch, addresses_of};

/// A test that both ends agreed on.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// What was asked for.
    pub ask: Ask,
    /// Which end this is.
    pub role: Role,
    /// How far this end's receive buffer may grow.
    pub receive_buffer_limit: ByteCount,
}

/// How a test ended here.
#[derive(Debug)]
pub struct Ended {
    /// What this end saw.
    pub ours: Report,
    /// What the other told, if it came to that.
    pub theirs: Option<Report>,
    /// Why it did not end as agreed.
    pub failure: Option<Failure>,
}

/// Runs the test to its end. After Ctrl-C the association is aborted, and what was seen until then is what there is.
pub async fn exchange(
    association: &Association,
    peer: &Peer,
    test: Test,
    intervals: &mut Intervals,
    interrupt: &mut Interrupt,
) -> Ended {
    let mut half = Half::new(association, peer, test, intervals);
    let failure = half.run(interrupt).await.err();
    if let Some(failure) = &failure {
        association.abort(&failure.to_string());
    }
    let ours = half.report();
    Ended { ours, theirs: half.incoming.report().cloned(), failure }
}

/// This end's half of a running test.
struct Half<'a> {
    association: &'a Association,
    peer: &'a Peer,
    test: Test,
    incoming: Incoming,
    intervals: &'a mut Intervals,
    watches: Vec<(Way, Watch)>,
    before: Vec<PathEntry>,
    began: Time,
    processor_before: Duration,
    sent: Option<Sent>,
    /// What the paths did until this end had sent all.
    paths: Option<Vec<PathEntry>>,
    /// When the other's end was heard.
    heard_all: Option<Time>,
    is_told: bool,
}

impl<'a> Half<'a> {
    fn new(
        association: &'a Association,
        peer: &'a Peer,
        test: Test,
        intervals: &'a mut Intervals,
    ) -> Half<'a> {
        let Test { ask, role, .. } = test;
        // Our clock less the sender's.
        let offset = match role {
            Role::Server => ask.offset_ns,
            Role::Client => ask.offset_ns.saturating_neg(),
        };
        let tally = role.receives(ask.direction).then(|| Tally::new(&ask, offset));
        let watched = Stopwatch::start();
        let mut watches: Vec<(Way, Watch)> = Way::of(ask.direction)
            .into_iter()
            .map(|way| (way, Watch::new(watched, direction(role, way), addresses_of)))
            .collect();
        watches.iter_mut().for_each(|(_, watch)| watch.look(association));
        intervals.begin(&watches);
        let mut half = Half {
            association,
            peer,
            test,
            incoming: Incoming::new(tally),
            intervals,
            watches,
            before: Vec::new(),
            began: clock::of_machine(),
            processor_before: clock::of_processor(),
            sent: None,
            paths: None,
            heard_all: None,
            is_told: false,
        };
        half.before = half.entries();
        half
    }

    async fn run(&mut self, interrupt: &mut Interrupt) -> Result<(), Failure> {
        let (association, ask) = (self.association, self.test.ask);
        let sends = self.test.role.sends(ask.direction);
        let mut pouring = sends.then(|| Pouring(tokio::spawn(pour::pour(association.clone(), ask))));
        let late = sleep((ask.duration + MOST_LATE).into());
        tokio::pin!(late);
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            tokio::select! {
                sent = end_of(&mut pouring) => {
                    pouring = None;
                    self.on_poured(sent.map_err(|error| self.peer.not_sent(error))?).await?;
                }
                message = association.recv() => match message {
                    Ok(message) => self.on_message(&message.into_bytes())?,
                    Err(reason) => return Err(self.peer.failure(reason)),
                },
                _ = ticks.tick() => self.look(),
                () = interrupt.pressed() => return Err(Failure::Interrupted),
                () = &mut late => return Err(self.late()),
            }
            self.take_waiting()?;
            if pouring.is_none() && self.incoming.has_ended() && !self.is_told {
                self.tell().await?;
            }
            if self.is_told && self.incoming.report().is_some() {
                return Ok(());
            }
        }
    }

    /// What has arrived already costs no turn of the loop each.
    fn take_waiting(&mut self) -> Result<(), Failure> {
        for _ in 0..MOST_AT_ONCE {
            match self.association.try_recv() {
                Ok(message) => self.on_message(&message.into_bytes())?,
                // How it ended is told when it is waited for.
                Err(TryRecvError::Empty | TryRecvError::Closed(_)) => break,
                Err(_) => break,
            }
        }
        Ok(())
    }

    fn on_message(&mut self, message: &[u8]) -> Result<(), Failure> {
        let now = clock::of_machine();
        match self.incoming.handle(now, message).map_err(|error| self.peer.garbage(&error))? {
            Step::Ended => {
                self.heard_all = Some(now);
                self.look_last();
            }
            Step::Counted | Step::Reported => {}
        }
        Ok(())
    }

    async fn on_poured(&mut self, sent: Sent) -> Result<(), Failure> {
        self.look_last();
        self.paths = Some(self.entries());
        let ended = pour::end(self.association, &sent).await;
        self.sent = Some(sent);
        ended.map_err(|error| self.peer.not_sent(error))
    }

    async fn tell(&mut self) -> Result<(), Failure> {
        let report = Frame::Report(Box::new(self.report()));
        self.is_told = true;
        say(self.association, self.peer, encode(&report)).await
    }

    /// Looks at the paths; where an interval is over, it is shown.
    fn look(&mut self) {
        self.watches.iter_mut().for_each(|(_, watch)| watch.look(self.association));
        let age = self.age();
        if self.intervals.is_due(age) && age <= self.test.ask.duration + TICK.into() {
            self.intervals.on_end(age, &self.watches);
        }
    }

    /// The last interval ends with the test.
    fn look_last(&mut self) {
        self.watches.iter_mut().for_each(|(_, watch)| watch.look(self.association));
        self.intervals.on_last(self.age(), &self.watches);
    }

    fn age(&self) -> Duration {
        clock::of_machine().since(self.began)
    }

    /// What this end saw until now.
    fn report(&self) -> Report {
        let seconds = self.age().as_secs_f64();
        let span = self.sent.as_ref().map_or(seconds, |sent| sent.seconds);
        let paths = self.paths.clone().unwrap_or_else(|| self.entries());
        let before = |path: &PathEntry| self.before.iter().find(|before| before.name == path.name);
        let since = |path: &PathEntry| path.since(before(path).unwrap_or(&PathEntry::default()), span);
        let until = self.heard_all.unwrap_or_else(clock::of_machine);
        Report {
            sent: self.sent.clone(),
            received: self.incoming.tally().map(|tally| tally.received(until)),
            cpu_s: clock::of_processor().saturating_sub(self.processor_before).as_secs_f64(),
            seconds,
            receive_buffer_bytes: self.association.receive_buffer().get(),
            receive_buffer_limit_bytes: self.test.receive_buffer_limit.get(),
            paths: paths.iter().map(since).collect(),
        }
    }

    /// Every path as it is: what it carried away from here, if this end sends, else what it brought.
    fn entries(&self) -> Vec<PathEntry> {
        let sends = |way: &Way| Role::sending(*way) == self.test.role;
        let watch = self.watches.iter().find(|(way, _)| sends(way)).or(self.watches.first());
        let Some((_, watch)) = watch else { return Vec::new() };
        watch.paths().iter().map(|path| entry(watch, path, Duration::ZERO)).collect()
    }

    fn late(&self) -> Failure {
        let missing = match (self.sent.is_some(), self.incoming.has_ended()) {
            (false, true) if self.test.role.sends(self.test.ask.direction) => "it takes no more data",
            (_, false) => "the last of its data did not arrive",
            _ => "it did not say what it saw",
        };
        let waited = MOST_LATE.as_secs_f64();
        Failure::PeerGone(format!("{}: {missing} within {waited:.0} s after the test", self.peer))
    }
}

/// The task that sends; it ends with whoever waits for it.
struct Pouring(tokio::task::JoinHandle<Result<Sent, SendError>>);

impl Drop for Pouring {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What was sent, when all of it was; never, where nothing is.
async fn end_of(pouring: &mut Option<Pouring>) -> Result<Sent, SendError> {
    match pouring {
        Some(Pouring(task)) => task.await.unwrap_or(Err(SendError::Closing)),
        None => std::future::pending().await,
    }
}

fn direction(role: Role, way: Way) -> Direction {
    if Role::sending(way) == role { Direction::Sending } else { Direction::Receiving }
}

/// How often the paths are looked at.
const TICK: std::time::Duration = std::time::Duration::from_millis(50);
/// What is under way at the end of a test, and what both ends saw, may take so long.
const MOST_LATE: Duration = Duration::from_secs(20);
/// So many messages are taken before anything else has its turn.
const MOST_AT_ONCE: usize = 64;
