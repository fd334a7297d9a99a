//! SCTP stacks behind one trait: ours and those of others, each with a single association. The stacks share their settings;
//! [`transfer`] connects two of them.
#![allow(dead_code, unused_imports, reason = "tests and benchmarks each use their own part of the stacks")]

mod anabranch;
mod dcsctp;
mod epoch;
mod pool;
mod rtc_sctp;
mod sctp_proto;
mod stack;
pub(crate) mod transfer;

pub(crate) use anabranch::Anabranch;
pub(crate) use dcsctp::Dcsctp;
pub(crate) use rtc_sctp::RtcSctp;
pub(crate) use sctp_proto::SctpProto;
pub(crate) use stack::{Buffers, Datagram, LONGEST_MESSAGE, Life, PACKET, PORT, Role, Stack};
