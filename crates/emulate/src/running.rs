//! The handle of the thread that drives the links: starts it, requests reports, stops it.

use std::io::{self, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use anabranch_scenario::Scenario;

use crate::attachment::Attachment;
use crate::clock::Clock;
use crate::engine::{Engine, EngineRequest, EngineStatus, Names};
use crate::network::Network;
use crate::report::RelayReport;

/// Running links between the attachments of paths. They end when this is dropped; packets still on them are lost.
#[derive(Debug)]
pub(crate) struct Running {
    requests: Sender<EngineRequest>,
    bell: UnixStream,
    thread: Option<JoinHandle<RelayReport>>,
}

impl Running {
    /// Starts to drive `network`, made from `scenario`. The scenario's clock starts with the first datagram received
    /// at one of `attachments`, of which there is one per path.
    ///
    /// # Errors
    /// A thread or a pipe cannot be created.
    pub(crate) fn start(
        scenario: &Scenario,
        network: Network,
        attachments: Vec<Box<dyn Attachment>>,
    ) -> io::Result<Running> {
        let (requests, asked) = channel();
        let (bell, ears) = UnixStream::pair()?;
        ears.set_nonblocking(true)?;
        let engine = Engine {
            clock: Clock::start(),
            names: Names {
                links: scenario.links.iter().map(|link| link.name.clone()).collect(),
                paths: scenario.paths.iter().map(|path| path.name.clone()).collect(),
            },
            network,
            attachments,
            requests: asked,
            bell: ears,
        };
        let thread = std::thread::Builder::new().name("links".to_owned()).spawn(move || engine.run())?;
        Ok(Running { requests, bell, thread: Some(thread) })
    }

    /// The report so far, and the sockets for which the kernel counts drops.
    pub(crate) fn ask(&self) -> EngineStatus {
        let (answer, report) = channel();
        self.request(EngineRequest::Report(answer));
        // Without an answer the thread has panicked; its message is on standard error.
        report.recv().unwrap_or_default()
    }

    /// Stops the thread and returns its report.
    pub(crate) fn stop(&mut self) -> RelayReport {
        self.request(EngineRequest::Stop);
        let ended = self.thread.take().and_then(|thread| thread.join().ok());
        ended.unwrap_or_default()
    }

    fn request(&self, request: EngineRequest) {
        let _ = self.requests.send(request);
        let _ = (&self.bell).write_all(&[0]);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.stop();
        }
    }
}
