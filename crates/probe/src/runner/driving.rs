//! Drives an end over an association: messages, test packets and timers in, messages and test packets out.

use std::collections::VecDeque;
use std::pin::Pin;

use anabranch_base::{BitRate, Duration, Machine, Time};
use anabranch_diagnose::recording::End;
use anabranch_net::{Association, Endpoint, Message, ReceivedTest, SendOptions, Tests};
use bytes::Bytes;
use tokio::time::{sleep, timeout};

use super::facts::Start;
use super::lateness::Lateness;
use super::{Host, disk, never};
use crate::error::ProbeError;
use crate::exchange::{Input, Output};
use crate::progress::Progress;
use crate::protocol::PPID;
use crate::traffic::IncomingTest;

/// An association with what its end says of itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drive<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) association: &'a Association,
    pub(super) start: &'a Start,
    pub(super) host: &'a Host,
}

/// The inside of a running drive.
struct Running<M> {
    machine: M,
    /// The messages that wait for room in the send buffer.
    waiting: VecDeque<Bytes>,
    lateness: Lateness,
    asked: Option<Asked>,
}

/// The facts of this end, which wait for its disk.
struct Asked {
    facts: Box<End>,
    disk: Pin<Box<dyn Future<Output = Option<BitRate>> + Send>>,
}

impl Drive<'_> {
    /// Drives `machine` to its end.
    pub(super) async fn run<T, M: Machine<Input = Input, Output = Output<T>>>(
        self,
        machine: M,
        progress: impl FnMut(Progress),
    ) -> Result<T, ProbeError> {
        self.run_from(machine, None, progress).await
    }

    /// Drives `machine`, to which `first` is said, to its end.
    pub(super) async fn run_from<T, M: Machine<Input = Input, Output = Output<T>>>(
        self,
        machine: M,
        first: Option<Bytes>,
        mut progress: impl FnMut(Progress),
    ) -> Result<T, ProbeError> {
        let association = self.association;
        let mut tests = association.tests();
        let mut running =
            Running { machine, waiting: VecDeque::new(), lateness: Lateness::new(), asked: None };
        if let Some(first) = first {
            running.machine.handle(association.now(), Input::Message(first));
        }
        loop {
            if let Some(result) = self.drain(&mut running, &mut progress) {
                self.flush(&mut running.waiting).await;
                return result;
            }
            self.turn(&mut running, &mut tests).await?;
        }
    }

    /// Handles the outputs that wait, at most a turn's; the result once the machine has finished.
    fn drain<T, M: Machine<Input = Input, Output = Output<T>>>(
        self,
        running: &mut Running<M>,
        progress: &mut impl FnMut(Progress),
    ) -> Option<Result<T, ProbeError>> {
        let association = self.association;
        for _ in 0..MOST_OUTPUTS {
            match running.machine.poll(association.now())? {
                Output::Message(message) => running.waiting.push_back(message),
                Output::Test(test) => {
                    if association.send_test(test.path, &test.body, test.size).is_err() {
                        running.machine.handle(association.now(), Input::Refused { lane: test.lane });
                    }
                }
                Output::WantFacts { paths } => {
                    let Drive { endpoint, start, host, .. } = self;
                    let facts = Box::new(start.facts(endpoint, association, host, &paths, &running.lateness));
                    let disk = Box::pin(disk::write_rate(host.folder.clone()));
                    running.asked = Some(Asked { facts, disk });
                }
                Output::Progress(step) => progress(step),
                Output::Finished(result) => return Some(result),
            }
        }
        None
    }

    /// Waits for the next input, and handles it.
    async fn turn<T, M: Machine<Input = Input, Output = Output<T>>>(
        self,
        running: &mut Running<M>,
        tests: &mut Tests,
    ) -> Result<(), ProbeError> {
        let association = self.association;
        let due = running.machine.poll_timeout();
        tokio::select! {
            message = association.recv() => {
                let message = message_of(message.map_err(ProbeError::Closed)?)?;
                running.machine.handle(association.now(), Input::Message(message));
            }
            packets = tests.recv() => {
                let packets = packets.map_err(ProbeError::Closed)?;
                packets.into_iter().for_each(|test| running.machine.handle(association.now(), Input::Test(incoming(test))));
            }
            sent = self.send_first(&running.waiting) => {
                sent?;
                running.waiting.pop_front();
            }
            facts = known(&mut running.asked) => {
                running.asked = None;
                running.machine.handle(association.now(), Input::Facts(facts));
            }
            () = self.until(due) => {
                let now = association.now();
                if let Some(due) = due {
                    running.lateness.add(now.since(due));
                }
                running.machine.handle_timeout(now);
            }
        }
        Ok(())
    }

    /// Sends the first message that waits.
    async fn send_first(self, waiting: &VecDeque<Bytes>) -> Result<(), ProbeError> {
        let Some(message) = waiting.front() else { match never().await {} };
        let mut options = SendOptions::default();
        options.ppid = PPID;
        self.association.send(message.clone(), options).await.map_err(ProbeError::Send)
    }

    async fn until(self, due: Option<Time>) {
        let Some(due) = due else { match never().await {} };
        let span: Duration = due.since(self.association.now());
        if !span.is_zero() {
            sleep(span.into()).await;
        }
    }

    /// Sends what waits before the end, as far as the other end takes it.
    async fn flush(self, waiting: &mut VecDeque<Bytes>) {
        while !waiting.is_empty() {
            match timeout(LAST_WORDS, self.send_first(waiting)).await {
                Ok(Ok(())) => waiting.pop_front(),
                _ => return,
            };
        }
    }
}

/// The facts that were asked for, once the disk is known too.
async fn known(asked: &mut Option<Asked>) -> Box<End> {
    let Some(Asked { facts, disk }) = asked else { match never().await {} };
    let disk_write = disk.await;
    Box::new(End { disk_write, ..(**facts).clone() })
}

/// The bytes of a message of this protocol.
fn message_of(message: Message) -> Result<Bytes, ProbeError> {
    if message.ppid == PPID { Ok(message.into_bytes()) } else { Err(ProbeError::Foreign) }
}

fn incoming(test: ReceivedTest) -> IncomingTest {
    IncomingTest { path: test.path, body: test.body, size: test.size, at: test.at }
}

/// The most outputs between two looks at the inputs.
const MOST_OUTPUTS: usize = 256;
/// The time in which the last messages are sent.
const LAST_WORDS: std::time::Duration = std::time::Duration::from_secs(5);
