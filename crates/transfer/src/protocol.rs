//! The protocol of file transfers over an association: one frame a message, in order, on stream 0.
//!
//! ```text
//! sender                                    receiver
//!   OFFER    version, path, size, times  ->
//!   DATA     up to 64 KiB                ->   may refuse as soon as it saw the offer,
//!   DATA     ...                         ->   or fail at any time; the sender then stops
//!   END      size, SHA-256               ->
//!   the next OFFER, ...                  <-   VERDICT  verified | refused | failed, and why
//!
//!   OFFER    that asks                   ->
//!                                        <-   HAS      size of the beginning that is there
//!   FROM     that size, its own SHA-256  ->
//!                                        <-   BEGINS   there if that is the same, else 0
//!   DATA, ... END                        ->
//!                                        <-   VERDICT
//! ```
//!
//! Either end may connect. A receiver that connects sends FETCH first, and the listening sender waits for it; a
//! sender that connects begins with its first OFFER. Two ends of the same role thus detect it at the first message
//! and report it.
//!
//! There is one verdict for each offer, in the order of the offers; a sender need not wait for it before the next
//! offer. A directory is an offer without data and end.
//!
//! The receiver sends no hash: only a sender that has the file can send the right one. If the stored part is of no
//! use, or there is none, FROM has size 0 and the data follows immediately, without BEGINS.
//!
//! A frame is its kind in one byte and the fields below, integers in network byte order:
//!
//! | kind | fields |
//! |---|---|
//! | 1 OFFER | version (1), flags (1: size known, 2: mode known, 4: time known, 8: directory, 16: asks), size (8), mode (4), seconds since 1970 (8), nanoseconds (4), path (1 to 4,095) |
//! | 2 DATA | 1 to 65,536 bytes of the file |
//! | 3 END | size (8), SHA-256 of the whole file (32) |
//! | 4 VERDICT | 0 verified, 1 refused, 2 failed (1); why (0 to 1,024, UTF-8) |
//! | 5 HAS | size (8) |
//! | 6 FROM | size (8), SHA-256 of that many bytes (32) |
//! | 7 GIVE-UP | why (0 to 1,024, UTF-8): what END would be, if the sender cannot continue |
//! | 8 HERE | none: the end that listens asks whether the other is still there, at any time; SCTP's acknowledgement answers |
//! | 9 BEGINS | size (8) |
//! | 10 FETCH | version (1) |

mod frame;
mod offer;
mod path;
mod receiver;
mod sender;

pub use anabranch_net::reason::MAX_WHY;
pub use frame::{Beginning, Digest, FileOutcome, FileVerdict, FrameRef, MAX_PIECE, VERSION, decode, encode};
pub use offer::{FileKind, FrameError, Modified, Offer};
pub use path::{FilePath, PathError, Shown};
pub use receiver::{Receiver, ReceiverError, ReceiverStep};
pub use sender::{ReceiverAnswer, Sender, SenderError};
