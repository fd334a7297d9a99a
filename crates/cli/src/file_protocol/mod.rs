//! How files travel over an association: one frame a message, in order, on stream 0. It knows bytes and whose
//! turn it is, and no file system, socket or clock.
//!
//! ```text
//! sender                                   receiver
//!   OFFER    version, name, size, mode  ->
//!   DATA     up to 64 KiB               ->   may refuse as soon as it saw the offer,
//!   DATA     ...                        ->   or fail at any time; the sender then stops
//!   END      size, SHA-256              ->
//!                                       <-   VERDICT  verified | refused | failed, and why
//!   the next OFFER, or the association ends
//! ```
//!
//! A frame is its kind in one byte and the fields below, integers in network byte order:
//!
//! | kind | fields |
//! |---|---|
//! | 1 OFFER | version (1), flags (1: size known, 2: mode known), size (8), mode (4), name (1 to 255, UTF-8) |
//! | 2 DATA | 1 to 65,536 bytes of the file |
//! | 3 END | size (8), SHA-256 (32) |
//! | 4 VERDICT | 0 verified, 1 refused, 2 failed (1); why (0 to 1,024, UTF-8) |

mod frame;
mod name;
mod receiver;
mod sender;

pub use frame::{
    Digest, FrameError, FrameRef, MAX_FRAME, MAX_PIECE, MAX_WHY, Offer, Outcome, VERSION, Verdict, decode,
    encode,
};
pub use name::{FileName, NameError};
pub use receiver::{Receiver, ReceiverError, Step};
pub use sender::{Sender, SenderError};
