//! Both ends over real sockets.

mod disk;
mod driving;
mod facts;
mod interfaces;
mod lanes;
mod lateness;
mod processor;
mod silence;

use std::convert::Infallible;
use std::path::PathBuf;

use anabranch_base::ByteCount;
use anabranch_diagnose::recording::Recording;
use anabranch_net::{Association, Endpoint};
use bytes::Bytes;

use crate::conductor::Conductor;
use crate::error::ProbeError;
use crate::progress::Progress;
use crate::protocol::{Limits, PPID, is_quiet};
use crate::quiet::Answering;
use crate::responder::Responder;
use driving::Drive;
use facts::Start;
use interfaces::FillWatch;

pub use disk::check_folder;
pub use silence::{SilentPath, SilentPaths, fall_silent};

/// The facts that a caller knows of its machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Host {
    /// The limit to which the SCTP receive buffer may grow.
    pub receive_buffer_limit: ByteCount,
    /// The size of the SCTP send buffer.
    pub send_buffer: ByteCount,
    /// The folder in which it stores files, if it does: at the end of a measurement a file is written there for a moment.
    pub folder: Option<PathBuf>,
}

/// A measurement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// True if at most 2 MB a path are sent, in both directions together.
    pub is_light: bool,
    /// This machine.
    pub host: Host,
}

/// Measures all paths of an association, whose messages no other task may read meanwhile. It takes as long as the first
/// `progress` says, longer where a deep queue or rare losses need it, and at most 150 s.
///
/// # Errors
/// The other end refuses, does not answer, or breaks the protocol; no path carries test packets; or the association ends.
pub async fn measure(
    endpoint: &Endpoint,
    association: &Association,
    plan: &Plan,
    mut progress: impl FnMut(Progress),
) -> Result<Recording, ProbeError> {
    if !association.has_test_packets() {
        return Err(ProbeError::TestsOff);
    }
    let lanes = lanes::of(association).await;
    let start = Start::now(endpoint, association);
    let mut watch = FillWatch::default();
    let machine = Conductor::new(association.now(), &lanes, plan.is_light);
    let drive = Drive { endpoint, association, start: &start, host: &plan.host };
    let on_progress = |step: Progress| {
        watch.on_progress(&step);
        progress(step);
    };
    let mut recording = drive.run(machine, on_progress).await?;
    watch.judge(&mut recording);
    // The transport has searched meanwhile.
    lanes::put_mtu(&mut recording, association, &lanes);
    Ok(recording)
}

/// Answers a client whose first message, for which [`is_hello`](crate::is_hello) is true, was received. Afterwards the
/// association is as it was before.
///
/// # Errors
/// The client asks for more than `limits`, falls silent, or breaks the protocol; or the association ends.
pub async fn respond(
    endpoint: &Endpoint,
    association: &Association,
    first: &[u8],
    limits: &Limits,
    host: &Host,
) -> Result<(), ProbeError> {
    let start = Start::now(endpoint, association);
    let drive = Drive { endpoint, association, start: &start, host };
    let (now, told) = (association.now(), Some(Bytes::copy_from_slice(first)));
    if is_quiet(PPID, first) {
        return drive.run_from(Answering::new(now, *limits), told, |_| {}).await;
    }
    drive.run_from(Responder::new(now, *limits), told, |_| {}).await
}

/// A future that never completes.
async fn never() -> Infallible {
    std::future::pending().await
}
