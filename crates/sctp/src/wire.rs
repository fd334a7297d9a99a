//! The codec, without state: the layout of every chunk, parameter and error cause.

mod builder;
#[cfg(test)]
mod capture;
mod cause;
mod checksum;
mod chunk;
mod error;
mod fields;
mod ids;
mod packet;
mod parameter;
mod path_role;
mod stream_set;
mod tlv;

pub use builder::{Full, PacketBuilder};
pub use cause::Cause;
pub use checksum::{Checksum, fill_in_checksum};
pub(crate) use chunk::UserData;
pub use chunk::{
    Abort, Asconf, AsconfAck, Auth, Chunk, CongestionWindowReduced, CookieAck, CookieEcho, Data, Duplicates,
    EcnEcho, EncodeChunk, ErrorChunk, ForwardTsn, GapBlock, GapBlocks, Heartbeat, HeartbeatAck,
    HeartbeatLayout, HmacAlgorithm, IData, IForwardTsn, Init, InitAck, InitLayout, NrSack, Pad, Place,
    ReConfig, ReConfigParameter, ReConfigResult, Sack, Shutdown, ShutdownAck, ShutdownComplete,
    SkippedMessage, SkippedStream, SkippedStreams, StreamList, Test, UnknownChunk, UnrecognizedAction, Word,
    WordList,
};
pub use error::{ChunkError, ChunkFault, WireError};
pub(crate) use ids::MessageKey;
pub use ids::{Ppid, StreamId, VerificationTag};
pub use packet::{Chunks, CommonHeader, Packet};
pub use parameter::Parameter;
pub use path_role::PathRole;
pub(crate) use stream_set::StreamSet;
pub use tlv::TlvError;
