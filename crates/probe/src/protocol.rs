//! The protocol by which one end measures the paths of an association: one frame a message, in order, on stream 0, with a
//! payload protocol identifier of its own; and the bodies of the test packets.
//!
//! ```text
//! client                                            server
//!   HELLO    version                             ->
//!                                                <-   WELCOME  its limits; or REFUSED, and why
//!   RUN      segment, what the server sends      ->
//!   both ends send test packets of this segment
//!   RUN      the next segment: a pause           ->
//!   STOP     the segment to report               ->
//!                                                <-   ARRIVALS …, DONE  what arrived, what was sent
//!   and so on
//!   END      a report of the client              ->
//!                                                <-   END  a report of the server
//!   BYE                                          ->
//! ```
//!
//! A client whose first frame is QUIET sends and gets some test packets of segment 1, and is silent for the seconds that it
//! says, but for what the transport sends itself. Which paths lead to it after that?
//!
//! ```text
//! client                                            server
//!   QUIET    the seconds of silence             ->
//!                                                <-   WELCOME; or REFUSED, and why
//!   both ends send test packets of segment 1; then silence
//!                                                <-   test packets of segment 2
//!   STOP     segment 2, if none came on a path   ->
//!                                                <-   DONE  what was sent
//!   both ends send test packets of segment 3
//!   BYE                                          ->
//! ```
//!
//! A frame is its kind in one byte and the fields below, integers in network byte order:
//!
//! | kind | fields |
//! |---|---|
//! | 0xD0 HELLO | version (1) |
//! | 0xD1 WELCOME | [`Limits`] as JSON |
//! | 0xD2 REFUSED | why (1 to 1,024, UTF-8) |
//! | 0xD3 RUN | segment (2), a list of [`Program`]s as JSON |
//! | 0xD4 STOP | segment (2) |
//! | 0xD5 DONE | [`Done`] as JSON |
//! | 0xD6 ARRIVALS | segment (2), lane (1), then for each arrival the number and the time, as `ArrivalsFrame` says |
//! | 0xD7 END | a [`Report`] as JSON |
//! | 0xD8 BYE | |
//! | 0xD9 QUIET | version (1), seconds of silence (1) |
//!
//! A RUN, or a test packet of a later segment, ends the programs of the segment before it.

mod arrivals;
mod body;
mod done;
mod frame;
mod limits;
mod program;
mod report;
mod varint;

pub(crate) use arrivals::MOST_ARRIVALS;
pub use arrivals::{Arrival, ArrivalsFrame};
pub use body::{BODY_LENGTH, BodyError, Echo, TestBody};
pub use done::{Done, LaneSent};
pub(crate) use frame::PPID;
pub use frame::{ContentError, Frame, FrameError, VERSION, decode, encode, is_hello, is_quiet};
pub use limits::Limits;
pub use program::{Program, ProgramError, Stage};
pub use report::Report;
