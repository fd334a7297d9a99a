//! Measures the paths of an association with test packets, at both ends.
//!
//! One end, the client, [measures](measure); the other, a server, [responds](respond). Commands come from the client,
//! and the judgement is there: the server executes sending programs within its [`Limits`] and reports the arrivals. A
//! server that lies makes numbers wrong, and nothing else: every frame is bounded and checked.
//!
//! Beside it, over an association of its own, the client may [fall silent](fall_silent), and see which paths still lead to
//! it afterwards.
//!
//! [`Conductor`] and [`Responder`] are the two ends of a measurement without clock or socket, [`Asking`] and [`Answering`]
//! those of a silence.

mod arrival_log;
mod conductor;
mod error;
mod exchange;
mod pacer;
mod progress;
pub mod protocol;
mod quiet;
mod receiver;
mod responder;
mod runner;
mod traffic;

pub use conductor::{Conductor, LaneFacts};
pub use error::ProbeError;
pub use exchange::{Input, Output};
pub use progress::{Phase, Progress};
pub use protocol::{Limits, is_hello, is_quiet};
pub use quiet::{Answering, Asking, LaneHeard};
pub use responder::Responder;
pub use runner::{Host, Plan, SilentPath, SilentPaths, check_folder, fall_silent, measure, respond};
pub use traffic::{IncomingTest, OutgoingTest};
