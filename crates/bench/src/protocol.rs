//! The protocol by which two ends measure an association: one frame a message, in order, on stream 0.
//!
//! ```text
//! client                                        server
//!   HELLO    version, machine                ->
//!                                            <-   WELCOME  machine, its limits; or REFUSED, and why
//!   PING     time                            ->
//!                                            <-   PONG     the same, and the server's time
//!   several times: the best gives the difference of the clocks
//!   ASK      direction, duration, sizes …    ->
//!                                            <-   READY; or REFUSED, and why
//!   the sending end, or both: DATA, DATA, …, END
//!   an end that has sent all and heard the other's END: REPORT
//!   the client closes the association when it has both reports
//! ```
//!
//! A frame is its kind in one byte and the fields below, integers in network byte order, times in nanoseconds of
//! the writer's clock:
//!
//! | kind | fields |
//! |---|---|
//! | 1 HELLO | version (1), machine (8) |
//! | 2 WELCOME | machine (8), longest duration (8), largest message (8), receive buffer (8) |
//! | 3 REFUSED | why (1 to 1,024, UTF-8) |
//! | 4 PING | time (8) |
//! | 5 PONG | the time asked with (8), time (8) |
//! | 6 ASK | direction (1: forward 0, reverse 1, both 2), duration (8), message (8), rate in bit/s or 0 (8), interval (8), the server's clock less the client's (8, signed) |
//! | 7 READY | |
//! | 8 DATA | number (8), when it was due (8), filling (0 to 1 MiB − 17) |
//! | 9 END | how many messages (8), how many bytes (8) |
//! | 10 REPORT | a [`EndReport`] as JSON (2 to 32,768) |
//! | 11 ASK with deadlines | the fields of 6, deadline (8), lifetime or 0 (8), order (1: as sent 0, as arrived 1) |
//!
//! With deadlines, numbers of DATA may be missing, and the sender waits with END until each message is acknowledged or
//! given up.

mod ask;
mod deadlines;
mod frame;
mod incoming;
mod offset;
mod report;
mod server;
mod tally;

pub use anabranch_net::reason::MAX_WHY;
pub use ask::{Ask, RequestedDirection, ServerLimits};
pub(crate) use ask::{DATA_HEADER, MAX_MESSAGE};
pub use deadlines::{Deadlines, Order};
pub use frame::{Frame, FrameError, VERSION, data, decode, encode};
pub use incoming::{IncomingError, IncomingFrame, TestReceiver};
pub use offset::{Offset, Pings};
pub use report::{Delays, Dropped, EndReport, ReceiverReport, ReportError, SenderReport};
pub use server::{Server, ServerError, ServerStep};
pub use tally::{DeliveryMeter, TallyError};
