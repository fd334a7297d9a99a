//! Transfers files and directories over all paths of an [`Association`](anabranch_net::Association): read and hashed
//! at one end, stored and verified at the other, and continued after an interruption.
//!
//! The crate parses no arguments, writes nothing to a terminal, and opens no association. A transfer reports its
//! progress as a stream of [`Event`]s for its owner to show.
//!
//! # In one page
//!
//! ```
//! use anabranch_net::{Endpoint, Options, Security};
//! use anabranch_transfer::{Destination, Event, Overwrite, Sources, fetch_files, receive_files, send_files, serve_files};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let options = |accepts| Options {
//! #     local: vec!["127.0.0.1:0".parse().expect("an address")],
//! #     accepts,
//! #     ..Options::with(Security::Insecure)
//! # };
//! # let (server, client) = (Endpoint::bind(options(true))?, Endpoint::bind(options(false))?);
//! let (from, to) = (tempfile::tempdir()?, tempfile::tempdir()?);
//! std::fs::write(from.path().join("greeting"), "hello")?;
//! let to_path = to.path().to_owned();
//! let addresses = server.local_addresses();
//! let receiver = tokio::spawn(async move {
//!     let association = server.accept().await.expect("a sender comes");
//!     let destination = Destination::open(&to_path, Overwrite::Never).expect("a directory");
//!     receive_files(&association, destination).finish().await
//! });
//!
//! let association = client.connect(&addresses).await?;
//! let sources = Sources::find(&[from.path().join("greeting")], None)?;
//! let mut sending = send_files(&association, sources, None);
//! let mut sent = 0;
//! while let Some(event) = sending.next().await? {
//!     if let Event::Progress(bytes) = event {
//!         sent += bytes.get(); // which the receiver has acknowledged
//!     }
//! }
//! assert_eq!(sent, 5);
//! assert_eq!(std::fs::read(to.path().join("greeting"))?, b"hello");
//! receiver.await??;
//! # Ok(())
//! # }
//! ```
//!
//! `examples/directory.rs` goes on from here: it sends a directory and shows its own progress.
//!
//! # Sending
//!
//! [`Sources::find`] examines everything that is named before anything is sent: directories with their content,
//! symbolic links left out and listed. `-` is standard input. [`send_files`] sends them one after another and waits
//! for a verdict on each; a [rate](send_files) limits all paths together.
//!
//! # Receiving
//!
//! A [`Destination`] is a directory, or standard output for one file. Nothing is stored outside the directory: names
//! with `..` and symbolic links in a path are refused. A file gets its name only when it is complete and its SHA-256
//! is right; until then it is in a hidden directory beside its place. [`receive_files`] ends when the sender closes
//! the association.
//!
//! # Continuing
//!
//! For a file of at least a mebibyte the sender asks how much the receiver has. If the hashes of that beginning
//! agree, the file continues after it. The receiver records how much of a file has arrived, so that the transfer
//! continues after a kill or a power cut.
//!
//! # Events and errors
//! A [`Transfer`] makes progress while [`Transfer::next`] is awaited. Each operation has its own enum of errors:
//! [`FindError`], [`OpenError`], [`SendFilesError`], [`ReceiveFilesError`]. A file that cannot be sent or stored does
//! not end the transfer of the others: the error at the end lists such files.
//!
//! # The protocol
//!
//! [`protocol`] has the frames and both ends' state, without I/O.

mod destination;
mod event;
mod frame_memory;
mod hashing;
mod limit;
mod messages;
mod output;
pub mod protocol;
mod reading;
mod receive;
mod refusals;
mod send;
mod sources;
mod store;
mod transfer;
mod underway;

pub use destination::{Destination, is_output};
pub use event::{Event, Remark, Transferred};
pub use output::StandardOutput;
pub use receive::{ReceiveFilesError, fetch_files, receive_files};
pub use send::{NotStored, SendFilesError, send_files, serve_files};
pub use sources::{FindError, LeftOut, LeftOutKind, SourceEntry, Sources, Unreadable};
pub use store::{OpenError, Overwrite, Store};
pub use transfer::Transfer;

/// A hash as `sha256sum` prints it.
pub fn hex(digest: &protocol::Digest) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The most pieces that wait between disk and network, together 2 MiB.
const PIECES_BETWEEN: usize = 32;
