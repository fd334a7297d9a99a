//! Captures by the real kernel, each test in network namespaces of its own. If the system refuses namespaces, the tests
//! print this and pass.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "the harness keeps what a test prints")]

mod behind;
mod beside;
mod child;
mod ends;
mod hosts;
mod kernel;
mod ping;
mod selection;
mod stranded;
mod strict;
mod stub;
mod tcp;
mod udp;

use std::fmt::Display;
use std::panic::Location;
use std::time::Duration;

use anabranch_transparent::{Capture, CaptureError, ReleaseError, Released, Request, release};
use tokio::time::timeout;

/// A request with these words.
pub(crate) fn request(taken: &[&str], except: &[&str]) -> Request {
    Request {
        taken: taken.iter().map(|text| text.parse().expect(text)).collect(),
        except: except.iter().map(|text| text.parse().expect(text)).collect(),
        is_strict: false,
    }
}

/// A strict request with these words.
pub(crate) fn strict(taken: &[&str], except: &[&str]) -> Request {
    Request { is_strict: true, ..request(taken, except) }
}

/// A capture of these flows.
pub(crate) fn capture(taken: &[&str]) -> Capture {
    open(&request(taken, &[]))
}

/// The capture of a request. A process that another test starts holds the sockets of one that was dropped, for a moment.
pub(crate) fn open(request: &Request) -> Capture {
    eventually(|| Capture::open(request), |error| matches!(error, CaptureError::AlreadyRunning))
}

/// Removes what an ended run left, with the same patience.
pub(crate) fn release_soon() -> Released {
    eventually(release, |error| matches!(error, ReleaseError::Running))
}

fn eventually<T, E: Display>(mut tried: impl FnMut() -> Result<T, E>, is_passing: fn(&E) -> bool) -> T {
    for _ in 0..PATIENCE.as_millis() / PAUSE.as_millis() {
        match tried() {
            Err(error) if is_passing(&error) => std::thread::sleep(PAUSE),
            other => return other.unwrap_or_else(|error| panic!("{error}")),
        }
    }
    tried().unwrap_or_else(|error| panic!("{error}"))
}

/// The output of what is soon ready.
#[track_caller]
pub(crate) fn soon<T>(ready: impl Future<Output = T>) -> impl Future<Output = T> {
    let caller = Location::caller();
    async move { timeout(PATIENCE, ready).await.unwrap_or_else(|_| panic!("not soon ready: {caller}")) }
}

/// Fails if it becomes ready shortly.
pub(crate) async fn not_soon<T>(waiting: impl Future<Output = T>) {
    assert!(timeout(SHORT, waiting).await.is_err(), "it became ready");
}

/// A wait that only a fault exceeds.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// Many times the time of a flow on one machine.
const SHORT: Duration = Duration::from_millis(300);
/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(10);
