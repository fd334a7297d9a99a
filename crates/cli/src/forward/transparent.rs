//! Flows of this host that the kernel leads to this program, and the look-ups of the bond's own names, which go beside the
//! bond.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anabranch_forward::captured::{self, CapturedConnection, CapturedDatagram, Replies, question};
use anabranch_forward::{Bond, name_servers};
use anabranch_transparent::{self as transparent, Capture, OWN_MARK, Request};
use socket2::SockRef;
use tokio::net::UdpSocket;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::arguments::ForwardArguments;
use crate::failure::Failure;
use crate::notice;
use crate::report::Outcome;

/// The flows of programs without settings, if they are carried.
#[derive(Debug)]
pub(super) struct Captured(Option<Flows>);

/// The flows of this host. Clones share them.
#[derive(Clone, Debug)]
struct Flows {
    capture: Arc<Capture>,
    replies: Arc<transparent::Replies>,
    /// The names of the other end, in lower case.
    names: Arc<[String]>,
    look_ups: Arc<Semaphore>,
}

impl Captured {
    /// Lets the kernel lead flows here, if the command line asks for it.
    ///
    /// # Errors
    /// The kernel or the rights of this user do not permit it.
    pub(super) fn open(arguments: &ForwardArguments) -> Result<Captured, Failure> {
        if !arguments.is_transparent() {
            return Ok(Captured(None));
        }
        let request = Request {
            taken: arguments.transparent.clone(),
            except: arguments.except.clone(),
            is_strict: arguments.strict,
        };
        let capture = Capture::open(&request).map_err(|error| Failure::Bind(error.to_string()))?;
        if !arguments.quiet {
            notice::tell(&carried(arguments));
        }
        let names = arguments.to.iter().map(|to| to.name.to_ascii_lowercase()).collect();
        let look_ups = Arc::new(Semaphore::new(MOST_LOOK_UPS));
        Ok(Captured(Some(Flows { capture: Arc::new(capture), replies: Arc::default(), names, look_ups })))
    }

    /// Carries the flows over `bond` by `tasks`.
    pub(super) fn serve(&self, bond: &Bond, tasks: &mut JoinSet<()>) {
        let Captured(Some(flows)) = self else { return };
        tasks.spawn(captured::serve(Arc::new(flows.clone()), bond.clone()));
        let capture = Arc::clone(&flows.capture);
        tasks.spawn(async move { match capture.keep(|what| notice::warn(&what.to_string())).await {} });
        let capture = Arc::clone(&flows.capture);
        tasks.spawn(
            async move { match capture.end_stranded(|what| notice::warn(&what.to_string())).await {} },
        );
    }

    /// The mark of this program's own packets, if others are captured.
    pub(super) fn mark(&self) -> Option<u32> {
        self.0.as_ref().map(|_| OWN_MARK)
    }

    /// Removes the rules, but those of `--strict`.
    pub(super) fn close(self, arguments: &ForwardArguments) {
        let Captured(Some(flows)) = self else { return };
        flows.capture.close();
        if arguments.strict && !arguments.quiet {
            notice::warn(
                "the rules of --strict remain and drop everything until `anabranch forward --release`",
            );
        }
    }
}

/// The line about the flows that are carried.
fn carried(arguments: &ForwardArguments) -> String {
    let taken: Vec<String> = arguments.transparent.iter().map(ToString::to_string).collect();
    let strict =
        if arguments.strict { "; all else is dropped until `anabranch forward --release`" } else { "" };
    format!("carrying flows without proxy settings: {}{strict}", taken.join(", "))
}

impl Flows {
    /// Returns true for a question for the address of the other end: the bond needs the answer first. A resolver may have
    /// appended a search domain.
    fn is_own(&self, datagram: &CapturedDatagram) -> bool {
        if datagram.destination.port() != RESOLVER_PORT {
            return false;
        }
        let Some(asked) = question(&datagram.data) else { return false };
        let is_of = |name: &String| {
            asked.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.names.iter().any(is_of)
    }

    /// Asks the name server that the program meant, beside the bond.
    fn ask_beside(&self, datagram: CapturedDatagram) {
        let Ok(place) = Arc::clone(&self.look_ups).try_acquire_owned() else { return };
        let flows = self.clone();
        tokio::spawn(async move {
            if let Ok(Ok(answer)) = timeout(ANSWER, asked(&datagram)).await {
                flows.reply(datagram.destination, datagram.program, &answer);
            }
            drop(place);
        });
    }
}

impl captured::Capture for Flows {
    async fn accept(&self) -> io::Result<CapturedConnection> {
        tokio::select! {
            accepted = self.capture.accept() => {
                let transparent::Connection { stream, program, destination, stranded } = accepted?;
                Ok(CapturedConnection { connection: stream, program, destination, stranded })
            }
            accepted = self.capture.stub().accept() => {
                let (connection, program) = accepted?;
                // Loopback keeps its addresses.
                let (_, stranded) = oneshot::channel();
                Ok(CapturedConnection { connection, program, destination: stub_of(program), stranded })
            }
        }
    }

    async fn receive(&self) -> CapturedDatagram {
        loop {
            let datagram = tokio::select! {
                received = self.capture.receive() => received.map(|transparent::Datagram { data, program, destination }| {
                    CapturedDatagram { data, program, destination }
                }),
                received = self.capture.stub().receive() => received.map(|(data, program)| {
                    CapturedDatagram { data, program, destination: stub_of(program) }
                }),
            };
            match datagram {
                Ok(datagram) if self.is_own(&datagram) => self.ask_beside(datagram),
                Ok(datagram) => return datagram,
                Err(_) => sleep(PAUSE).await,
            }
        }
    }
}

impl Replies for Flows {
    fn reply(&self, source: SocketAddr, program: SocketAddr, data: &[u8]) {
        if source == stub_of(program) {
            let (capture, data) = (Arc::clone(&self.capture), data.to_vec());
            tokio::spawn(async move { capture.stub().answer(&data, program).await });
        } else {
            let _ = self.replies.send(data, source, program);
        }
    }
}

/// The address that stands for the name server on loopback which a program asked: nothing else is captured there.
fn stub_of(program: SocketAddr) -> SocketAddr {
    match program {
        SocketAddr::V4(_) => (Ipv4Addr::LOCALHOST, RESOLVER_PORT).into(),
        SocketAddr::V6(_) => (Ipv6Addr::LOCALHOST, RESOLVER_PORT).into(),
    }
}

/// The answer of the name server that a program asked.
async fn asked(question: &CapturedDatagram) -> io::Result<Vec<u8>> {
    let is_stub = question.destination == stub_of(question.program);
    let own = is_stub.then(|| name_servers().first().copied()).flatten();
    let server = own.unwrap_or(question.destination);
    let any: SocketAddr = match server {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(any).await?;
    SockRef::from(&socket).set_mark(OWN_MARK)?;
    socket.connect(server).await?;
    socket.send(&question.data).await?;
    let mut answer = vec![0; LONGEST_ANSWER];
    let length = socket.recv(&mut answer).await?;
    answer.truncate(length);
    Ok(answer)
}

/// Removes what a run that has ended left: its rules and routes, and those of `--strict`.
///
/// # Errors
/// A program still uses them, or this user may not remove them.
pub(super) fn release() -> Result<Outcome, Failure> {
    let released = transparent::release().map_err(|error| Failure::Bind(error.to_string()))?;
    notice::tell(&released.to_string());
    Ok(Outcome::default())
}

const RESOLVER_PORT: u16 = 53;
const LONGEST_ANSWER: usize = 65_535;
/// The time for an answer beside the bond; resolvers ask again after five seconds.
const ANSWER: Duration = Duration::from_secs(5);
const MOST_LOOK_UPS: usize = 32;
/// The pause after an error of a socket, which may last.
const PAUSE: Duration = Duration::from_millis(10);
