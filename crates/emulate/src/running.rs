//! The handle of the thread that drives the links: starts it, asks for reports, stops it.

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
pub struct Running {
    requests: Sender<EngineRequest>,
    bell: UnixStream,
    thread: Option<JoinHandle<RelayReport>>,
}

impl Running {
    /// Begins to drive `network`, which is that of `scenario`. The scenario's clock begins to run with the first datagram
    /// that is received at one of `attachments`; there is one per path.
    ///
    /// # Errors
    /// The system has no thread or no pipe for it.
    pub fn start(
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

    /// What was done so far, and the sockets of which the kernel may tell more.
    pub fn ask(&self) -> EngineStatus {
        let (answer, report) = channel();
        self.request(EngineRequest::Report(answer));
        // No answer means that the thread has panicked; its message is on standard error.
        report.recv().unwrap_or_default()
    }

    /// Ends it and says what was done.
    pub fn stop(&mut self) -> RelayReport {
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
