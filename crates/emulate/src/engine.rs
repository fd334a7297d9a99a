//! The thread that drives the links: it receives, runs the links, sends and waits.

use std::io::Read as _;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender};

use anabranch_base::{Duration, Machine as _, Time};

use crate::attachment::{Attachment, Handover, ReadPoint, ReceivedDatagram};
use crate::clock::Clock;
use crate::kernel::{Inode, drops};
use crate::network::Network;
use crate::pace::Pace;
use crate::report::{LinkReport, RelayReport};
use crate::socket::ReceiveBuffers;
use crate::timing::Errors;
use crate::waiting::{rest, wait, wake_punctually};

/// The state of the thread.
#[derive(Debug)]
pub(crate) struct Engine {
    pub clock: Clock,
    pub names: Names,
    pub network: Network,
    pub attachments: Vec<Box<dyn Attachment>>,
    pub requests: Receiver<EngineRequest>,
    /// Readable when there is a request.
    pub bell: UnixStream,
}

/// The names of links and paths.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub links: Vec<String>,
    pub paths: Vec<String>,
}

/// A request to the thread.
#[derive(Debug)]
pub(crate) enum EngineRequest {
    /// Requests a report of its work so far.
    Report(Sender<EngineStatus>),
    /// Requests its end.
    Stop,
}

/// The answer of the thread.
#[derive(Debug, Default)]
pub(crate) struct EngineStatus {
    /// The report, without the drops of the kernel.
    pub report: RelayReport,
    /// The sockets it uses.
    pub sockets: Vec<Inode>,
}

/// The state between two turns of the loop.
#[derive(Debug)]
struct EngineState {
    /// The time on the thread's clock at which the scenario's clock started: with the first datagram of a client.
    zero: Option<Time>,
    errors: Errors,
    pace: Pace,
    /// The due times of the datagrams that each attachment holds.
    held: Vec<Vec<Time>>,
    buffers: ReceiveBuffers,
    incoming: Vec<ReceivedDatagram>,
    swept: Time,
}

enum AfterRequest {
    Go,
    Stop,
}

impl Engine {
    /// Relays until it is requested to stop, or its owner is dropped.
    pub(crate) fn run(mut self) -> RelayReport {
        wake_punctually();
        let mut run = EngineState {
            zero: None,
            errors: Errors::new(),
            pace: Pace::of_turn(self.clock.now()),
            held: vec![Vec::new(); self.attachments.len()],
            buffers: ReceiveBuffers::new(),
            incoming: Vec::new(),
            swept: self.clock.now(),
        };
        loop {
            if let Some(span) = run.pace.rest(self.clock.now()) {
                rest(span);
            }
            let (is_asked, readable) = self.wait(run.zero);
            run.pace = Pace::of_turn(self.clock.now());
            self.turn(&mut run, &readable);
            self.sweep(&mut run);
            if is_asked && matches!(self.answer(&run), AfterRequest::Stop) {
                let EngineStatus { report, sockets } = self.report(&run);
                return RelayReport { kernel_drops: drops(&sockets), ..report };
            }
        }
    }

    /// Receives and sends. Datagrams with earlier arrival times must enter the links before these advance; otherwise
    /// due datagrams are sent first, and do not wait while a train is read.
    fn turn(&mut self, run: &mut EngineState, readable: &[(usize, ReadPoint)]) {
        if self.attachments.iter().any(|attachment| attachment.knows_arrivals()) {
            self.receive(run, readable);
            self.carry(run);
        } else {
            self.carry(run);
            self.receive(run, readable);
        }
    }

    /// Waits for datagrams, a request or the next departure. Returns true if there may be a request, and the read
    /// points at which datagrams may wait.
    fn wait(&self, zero: Option<Time>) -> (bool, Vec<(usize, ReadPoint)>) {
        let attachments = self.attachments.iter().enumerate();
        let (points, sockets): (Vec<(usize, ReadPoint)>, Vec<BorrowedFd<'_>>) = attachments
            .flat_map(|(index, attachment)| {
                attachment.read_points().into_iter().map(move |(point, socket)| ((index, point), socket))
            })
            .unzip();
        let polled: Vec<BorrowedFd<'_>> = std::iter::once(self.bell.as_fd()).chain(sockets).collect();
        let due = zero.zip(self.network.poll_timeout()).map(|(zero, due)| zero + due.since(Time::ZERO));
        let ready = wait(&polled, due.map(|due| due.since(self.clock.now())));
        let readable = points.into_iter().zip(&ready[1..]).filter(|(_, is_ready)| **is_ready);
        (ready[0], readable.map(|(point, _)| point).collect())
    }

    /// Passes received datagrams of all sockets to the network, in the order in which the kernel received them.
    fn receive(&mut self, run: &mut EngineState, readable: &[(usize, ReadPoint)]) {
        for (index, point) in readable {
            if let Some(attachment) = self.attachments.get_mut(*index) {
                attachment.receive(*point, &self.clock, &mut run.buffers, &mut run.incoming);
            }
        }
        run.pace.on_packets(run.incoming.len());
        run.incoming.sort_by_key(|incoming| incoming.at);
        for ReceivedDatagram { at, entry } in run.incoming.drain(..) {
            let zero = *run.zero.get_or_insert(at);
            self.network.handle(scenario_time(zero, at), entry);
        }
    }

    /// Runs the links up to now, and sends all datagrams that are due, including those that are late.
    fn carry(&mut self, run: &mut EngineState) {
        let Some(zero) = run.zero else { return };
        let now = scenario_time(zero, self.clock.now());
        self.network.handle_timeout(now);
        while let Some(departure) = self.network.poll(now) {
            run.pace.on_packets(1);
            let (at, path) = (departure.at, departure.path);
            let Some(attachment) = self.attachments.get_mut(path) else { continue };
            match attachment.send(departure) {
                Handover::Done => run.errors.add(scenario_time(zero, self.clock.now()).since(at)),
                Handover::Held => run.held[path].push(at),
            }
        }
        for (attachment, held) in self.attachments.iter_mut().zip(&mut run.held) {
            if !held.is_empty() {
                attachment.flush();
                let now = scenario_time(zero, self.clock.now());
                held.drain(..).for_each(|at| run.errors.add(now.since(at)));
            }
        }
    }

    fn sweep(&mut self, run: &mut EngineState) {
        let now = self.clock.now();
        if now.since(run.swept) >= SWEEP_EVERY {
            run.swept = now;
            self.attachments.iter_mut().for_each(|attachment| attachment.forget_idle(now));
        }
    }

    fn answer(&mut self, run: &EngineState) -> AfterRequest {
        // Empty the pipe first: a later request is then handled in the next turn.
        while matches!(self.bell.read(&mut [0; 64]), Ok(1..)) {}
        loop {
            match self.requests.try_recv() {
                Ok(EngineRequest::Report(answer)) => {
                    let report = self.report(run);
                    // A caller that no longer waits does not need the answer.
                    let _ = answer.send(report);
                }
                Ok(EngineRequest::Stop) | Err(std::sync::mpsc::TryRecvError::Disconnected) => {
                    return AfterRequest::Stop;
                }
                Err(std::sync::mpsc::TryRecvError::Empty) => return AfterRequest::Go,
            }
        }
    }

    fn report(&mut self, run: &EngineState) -> EngineStatus {
        let links = self.network.sides().into_iter().zip(&self.names.links);
        let attachments = self.attachments.iter().zip(&self.names.paths);
        let report = RelayReport {
            time: run.zero.map(|zero| self.clock.now().since(zero)),
            links: links
                .map(|([forward, reverse], name)| LinkReport { name: name.clone(), forward, reverse })
                .collect(),
            paths: attachments.map(|(attachment, name)| attachment.report(name)).collect(),
            timing: run.errors.summary(),
            kernel_drops: None,
        };
        let read_points = self.attachments.iter().flat_map(|attachment| attachment.read_points());
        let sockets = read_points.filter(|(point, _)| !matches!(point, ReadPoint::Interface(_)));
        EngineStatus { report, sockets: sockets.filter_map(|(_, socket)| Inode::of(socket)).collect() }
    }
}

fn scenario_time(zero: Time, at: Time) -> Time {
    Time::ZERO + at.since(zero)
}

/// The interval between removals of idle clients.
const SWEEP_EVERY: Duration = Duration::from_secs(10);
