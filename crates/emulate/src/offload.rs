//! Trains of packets, as which a kernel that offloads segmentation hands packets over and takes them: one read gives the
//! packets of a train, and packets that leave together go back as a train. Between the two each packet is on its own.
//!
//! The packets of a train have no checksums of their transport yet: only the sum of the pseudo-header stands there, and
//! the kernel that gets a train trusts it, as it trusts those that never leave the machine. So a packet keeps that sum on
//! the links, [`Datagram::checksum`](crate::network::Datagram::checksum) says so, and the checksum is completed only where
//! a link damages the packet.

#[cfg(target_os = "linux")]
mod header;
#[cfg(target_os = "linux")]
mod split;
#[cfg(target_os = "linux")]
mod train;
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
mod transport;

#[cfg(test)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
mod samples;

#[cfg(target_os = "linux")]
pub use header::Header;
#[cfg(target_os = "linux")]
pub use split::{Piece, split};
#[cfg(target_os = "linux")]
pub use train::{Train, write_alone};
pub use transport::complete;
