//! An interpreter for packetdrill's SCTP scripts. The machine under test is the protocol core under a virtual clock; the
//! script plays the application above it, and the network and the peer below it.
//!
//! `script` reads a script into values, `packet` writes, reads and compares packets, `machine` is the core with its
//! clock, `sockets` the socket interface over it, and `player` plays a script.
//!
//! ```
//! use anabranch_conformance::{Symbols, Verdict, run};
//!
//! let script = "
//! 0.0 socket(..., SOCK_STREAM, IPPROTO_SCTP) = 3
//! +0.0 bind(3, ..., ...) = 0
//! +0.0 < sctp(tag=1): HEARTBEAT[flgs=0, HEARTBEAT_INFORMATION[len=9, val=...]]
//! +0.0 > sctp: ABORT[flgs=T]
//! ";
//! assert_eq!(run(script, &Symbols::new(["FreeBSD"])), Verdict::Passed);
//! ```

mod controls;
mod machine;
mod packet;
mod player;
mod script;
mod sockets;
mod suite;
mod values;
mod verdict;

pub use script::Symbols;
pub use suite::{Played, find, play_file};
pub use verdict::{Failure, Lacking, Verdict};

use script::Script;

/// Plays the script `text`, of which `symbols` select the conditional parts.
pub fn run(text: &str, symbols: &Symbols) -> Verdict {
    run_with_trace(text, symbols).0
}

/// Plays the script `text`. Returns also a line for each call and packet, in order of time.
pub(crate) fn run_with_trace(text: &str, symbols: &Symbols) -> (Verdict, Vec<String>) {
    match Script::read(text, symbols) {
        Ok(script) => player::play(&script),
        Err(error) => (Verdict::Unreadable(Lacking { line: error.line, what: error.what }), Vec::new()),
    }
}
