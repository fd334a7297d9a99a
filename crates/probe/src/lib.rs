//! Measures the paths of an association with test packets, at both ends.
//!
//! One end, the client, [measures](measure); the other, a server, [responds](respond). Commands come from the client,
//! and the judgement is there: the server executes sending programs within its [`Limits`] and reports the arrivals. A
//! server that lies makes numbers wrong, and nothing else: every frame is bounded and checked.
//!
//! [`Conductor`] and [`Responder`] are the two ends without clock or socket.

mod arrival_log;
mod conductor;
mod error;
mod exchange;
mod pacer;
mod progress;
pub mod protocol;
mod receiver;
mod responder;
mod runner;
mod traffic;

pub use conductor::{Conductor, LaneFacts};
pub use error::ProbeError;
pub use exchange::{Input, Output};
pub use progress::{Phase, Progress};
pub use protocol::{Limits, is_hello};
pub use responder::Responder;
pub use runner::{Host, Plan, measure, respond};
pub use traffic::{IncomingTest, OutgoingTest};
