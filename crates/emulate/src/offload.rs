//! Trains of packets, in which a kernel with segmentation offload passes and accepts packets: one read returns the
//! packets of a train, and packets that are sent together are written as a train. In between each packet is separate.
//!
//! The packets of a train have no complete transport checksum: the field has only the sum of the pseudo-header, which
//! the receiving kernel trusts, as for packets that never leave the machine. A packet therefore keeps that sum on the
//! links, recorded in [`Datagram::checksum`](crate::network::Datagram::checksum), and the checksum is completed only
//! if a link damages the packet.

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
pub(crate) use header::Header;
#[cfg(target_os = "linux")]
pub(crate) use split::{Piece, split};
#[cfg(target_os = "linux")]
pub(crate) use train::{Train, write_alone};
pub(crate) use transport::complete;
