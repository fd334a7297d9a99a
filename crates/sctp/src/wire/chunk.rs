//! Every chunk by its type (RFC 9260 §3.2), and the frame that all chunks share.

mod abort;
mod asconf;
mod asconf_ack;
mod auth;
mod congestion_window_reduced;
mod cookie_ack;
mod cookie_echo;
mod data;
mod ecn_echo;
mod error;
mod forward_tsn;
mod heartbeat;
mod heartbeat_ack;
mod i_data;
mod i_forward_tsn;
mod init;
mod init_ack;
mod nr_sack;
mod pad;
mod raw;
mod re_config;
mod sack;
mod shutdown;
mod shutdown_ack;
mod shutdown_complete;
mod stream_list;
mod test;
mod unknown;
mod user_data;
mod word_list;

use std::fmt;

pub use abort::Abort;
pub use asconf::Asconf;
pub use asconf_ack::AsconfAck;
pub use auth::{Auth, HmacAlgorithm};
pub use congestion_window_reduced::CongestionWindowReduced;
pub use cookie_ack::CookieAck;
pub use cookie_echo::CookieEcho;
use data::ChunkFlags;
pub use data::Data;
pub use ecn_echo::EcnEcho;
pub use error::ErrorChunk;
pub use forward_tsn::{ForwardTsn, SkippedStream, SkippedStreams};
pub use heartbeat::{Heartbeat, HeartbeatLayout};
pub use heartbeat_ack::HeartbeatAck;
pub use i_data::{IData, Place};
pub use i_forward_tsn::{IForwardTsn, SkippedMessage};
pub use init::{Init, InitLayout};
pub use init_ack::InitAck;
pub use nr_sack::NrSack;
pub use pad::Pad;
pub(super) use raw::{HEADER_LEN as CHUNK_HEADER_LEN, RawChunk};
pub use re_config::{ReConfig, ReConfigParameter, ReConfigResult};
pub use sack::{Duplicates, GapBlock, GapBlocks, Sack};
pub use shutdown::Shutdown;
pub use shutdown_ack::ShutdownAck;
pub use shutdown_complete::ShutdownComplete;
pub use stream_list::StreamList;
pub use test::Test;
pub use unknown::{UnknownChunk, UnrecognizedAction};
pub(crate) use user_data::UserData;
pub use word_list::{Word, WordList};

use super::ChunkError;
use super::fields::padded;

/// A chunk as decoded from a packet. The chunks of the hot path borrow from the packet.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  Chunk Type   |  Chunk Flags  |         Chunk Length          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                          Chunk Value                          /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chunk<'a> {
    /// Type 0: user data.
    Data(Data<'a>),
    /// Type 1: opens an association.
    Init(Init),
    /// Type 2: answers an INIT.
    InitAck(InitAck),
    /// Type 3: acknowledges DATA.
    Sack(Sack<'a>),
    /// Type 4: tests whether a path works.
    Heartbeat(Heartbeat),
    /// Type 5: answers a HEARTBEAT.
    HeartbeatAck(HeartbeatAck),
    /// Type 6: ends an association at once.
    Abort(Abort),
    /// Type 7: begins a graceful shutdown.
    Shutdown(Shutdown),
    /// Type 8: answers a SHUTDOWN.
    ShutdownAck,
    /// Type 9: reports an error, without ending the association.
    Error(ErrorChunk),
    /// Type 10: returns the State Cookie.
    CookieEcho(CookieEcho<'a>),
    /// Type 11: answers a COOKIE-ECHO.
    CookieAck,
    /// Type 12: reports a congestion mark.
    EcnEcho(EcnEcho),
    /// Type 13: answers an ECNE.
    CongestionWindowReduced(CongestionWindowReduced),
    /// Type 14: completes a graceful shutdown.
    ShutdownComplete(ShutdownComplete),
    /// Type 132: makes a packet longer (RFC 4820).
    Pad(Pad),
    /// Type 165: measures a path; an extension of this implementation.
    Test(Test<'a>),
    /// Type 15: authenticates the chunks after it in its packet (RFC 4895).
    Auth(Auth<'a>),
    /// Type 64: user data of which messages may be interleaved (RFC 8260).
    IData(IData<'a>),
    /// Type 16: acknowledges DATA, in part for good (draft-natarajan-tsvwg-sctp-nrsack).
    NrSack(NrSack<'a>),
    /// Type 128: answers an ASCONF.
    AsconfAck(AsconfAck),
    /// Type 130: requests changes of streams, or answers such requests (RFC 6525).
    ReConfig(ReConfig<'a>),
    /// Type 192: moves the cumulative TSN over abandoned DATA (RFC 3758).
    ForwardTsn(ForwardTsn<'a>),
    /// Type 193: requests changes of the sender's addresses (RFC 5061).
    Asconf(Asconf),
    /// Type 194: moves the cumulative TSN over abandoned I-DATA (RFC 8260).
    IForwardTsn(IForwardTsn),
    /// Any other type.
    Unknown(UnknownChunk<'a>),
}

/// A chunk that can be appended to a packet.
pub trait EncodeChunk {
    /// The chunk's type on the wire.
    fn kind(&self) -> u8;

    /// The bytes of the chunk's value: without its header of 4 bytes and without padding.
    fn value_len(&self) -> usize;

    /// Appends the chunk with its header and its padding.
    ///
    /// # Panics
    ///
    /// The value is longer than the length field can express, 65,531 bytes. A [`PacketBuilder`](super::PacketBuilder)
    /// refuses such a chunk before.
    fn encode(&self, out: &mut Vec<u8>);

    /// The bytes that the chunk takes in a packet, including its header and its padding.
    fn encoded_len(&self) -> usize {
        padded(raw::HEADER_LEN + self.value_len())
    }
}

impl<'a> Chunk<'a> {
    /// The name of its type (RFC 9260 §3.2); `UNKNOWN` for a type that this codec does not decode.
    pub fn name(&self) -> &'static str {
        match self {
            Chunk::Data(_) => "DATA",
            Chunk::Init(_) => "INIT",
            Chunk::InitAck(_) => "INIT-ACK",
            Chunk::Sack(_) => "SACK",
            Chunk::Heartbeat(_) => "HEARTBEAT",
            Chunk::HeartbeatAck(_) => "HEARTBEAT-ACK",
            Chunk::Abort(_) => "ABORT",
            Chunk::Shutdown(_) => "SHUTDOWN",
            Chunk::ShutdownAck => "SHUTDOWN-ACK",
            Chunk::Error(_) => "ERROR",
            Chunk::CookieEcho(_) => "COOKIE-ECHO",
            Chunk::CookieAck => "COOKIE-ACK",
            Chunk::EcnEcho(_) => "ECNE",
            Chunk::CongestionWindowReduced(_) => "CWR",
            Chunk::ShutdownComplete(_) => "SHUTDOWN-COMPLETE",
            Chunk::Pad(_) => "PAD",
            Chunk::Test(_) => "TEST",
            Chunk::Auth(_) => "AUTH",
            Chunk::NrSack(_) => "NR-SACK",
            Chunk::Asconf(_) => "ASCONF",
            Chunk::AsconfAck(_) => "ASCONF-ACK",
            Chunk::ReConfig(_) => "RE-CONFIG",
            Chunk::ForwardTsn(_) => "FORWARD-TSN",
            Chunk::IData(_) => "I-DATA",
            Chunk::IForwardTsn(_) => "I-FORWARD-TSN",
            Chunk::Unknown(_) => "UNKNOWN",
        }
    }

    /// Decodes the value of a chunk with a valid frame.
    pub(super) fn decode(raw: RawChunk<'a>) -> Result<Chunk<'a>, ChunkError> {
        Ok(match raw.kind {
            Data::KIND => Chunk::Data(Data::decode(raw)?),
            Init::KIND => Chunk::Init(Init::decode(raw)?),
            InitAck::KIND => Chunk::InitAck(InitAck::decode(raw)?),
            Sack::KIND => Chunk::Sack(Sack::decode(raw)?),
            Heartbeat::KIND => Chunk::Heartbeat(Heartbeat::decode(raw)?),
            HeartbeatAck::KIND => Chunk::HeartbeatAck(HeartbeatAck::decode(raw)?),
            Abort::KIND => Chunk::Abort(Abort::decode(raw)?),
            Shutdown::KIND => Chunk::Shutdown(Shutdown::decode(raw)?),
            ShutdownAck::KIND => ShutdownAck::decode(raw).map(|ShutdownAck| Chunk::ShutdownAck)?,
            ErrorChunk::KIND => Chunk::Error(ErrorChunk::decode(raw)?),
            CookieEcho::KIND => Chunk::CookieEcho(CookieEcho::decode(raw)),
            CookieAck::KIND => CookieAck::decode(raw).map(|CookieAck| Chunk::CookieAck)?,
            EcnEcho::KIND => Chunk::EcnEcho(EcnEcho::decode(raw)?),
            CongestionWindowReduced::KIND => {
                Chunk::CongestionWindowReduced(CongestionWindowReduced::decode(raw)?)
            }
            ShutdownComplete::KIND => Chunk::ShutdownComplete(ShutdownComplete::decode(raw)?),
            Pad::KIND => Chunk::Pad(Pad::decode(raw)),
            Test::KIND => Chunk::Test(Test::decode(raw)),
            Auth::KIND => Chunk::Auth(Auth::decode(raw)?),
            NrSack::KIND => Chunk::NrSack(NrSack::decode(raw)?),
            AsconfAck::KIND => Chunk::AsconfAck(AsconfAck::decode(raw)?),
            Asconf::KIND => Chunk::Asconf(Asconf::decode(raw)?),
            ReConfig::KIND => Chunk::ReConfig(ReConfig::decode(raw)?),
            ForwardTsn::KIND => Chunk::ForwardTsn(ForwardTsn::decode(raw)?),
            IData::KIND => Chunk::IData(IData::decode(raw)?),
            IForwardTsn::KIND => Chunk::IForwardTsn(IForwardTsn::decode(raw)?),
            _ => Chunk::Unknown(UnknownChunk::decode(raw)),
        })
    }

    /// The chunk's type on the wire.
    pub fn kind(&self) -> u8 {
        match self {
            Chunk::Data(_) => Data::KIND,
            Chunk::Init(_) => Init::KIND,
            Chunk::InitAck(_) => InitAck::KIND,
            Chunk::Sack(_) => Sack::KIND,
            Chunk::Heartbeat(_) => Heartbeat::KIND,
            Chunk::HeartbeatAck(_) => HeartbeatAck::KIND,
            Chunk::Abort(_) => Abort::KIND,
            Chunk::Shutdown(_) => Shutdown::KIND,
            Chunk::ShutdownAck => ShutdownAck::KIND,
            Chunk::Error(_) => ErrorChunk::KIND,
            Chunk::CookieEcho(_) => CookieEcho::KIND,
            Chunk::CookieAck => CookieAck::KIND,
            Chunk::EcnEcho(_) => EcnEcho::KIND,
            Chunk::CongestionWindowReduced(_) => CongestionWindowReduced::KIND,
            Chunk::ShutdownComplete(_) => ShutdownComplete::KIND,
            Chunk::Pad(_) => Pad::KIND,
            Chunk::Test(_) => Test::KIND,
            Chunk::Auth(_) => Auth::KIND,
            Chunk::NrSack(_) => NrSack::KIND,
            Chunk::AsconfAck(_) => AsconfAck::KIND,
            Chunk::ReConfig(_) => ReConfig::KIND,
            Chunk::ForwardTsn(_) => ForwardTsn::KIND,
            Chunk::IData(_) => IData::KIND,
            Chunk::IForwardTsn(_) => IForwardTsn::KIND,
            Chunk::Asconf(_) => Asconf::KIND,
            Chunk::Unknown(chunk) => chunk.kind,
        }
    }

    fn as_known(&self) -> &dyn KnownChunk {
        match self {
            Chunk::Data(chunk) => chunk,
            Chunk::Init(chunk) => chunk,
            Chunk::InitAck(chunk) => chunk,
            Chunk::Sack(chunk) => chunk,
            Chunk::Heartbeat(chunk) => chunk,
            Chunk::HeartbeatAck(chunk) => chunk,
            Chunk::Abort(chunk) => chunk,
            Chunk::Shutdown(chunk) => chunk,
            Chunk::ShutdownAck => &ShutdownAck,
            Chunk::Error(chunk) => chunk,
            Chunk::CookieEcho(chunk) => chunk,
            Chunk::CookieAck => &CookieAck,
            Chunk::EcnEcho(chunk) => chunk,
            Chunk::CongestionWindowReduced(chunk) => chunk,
            Chunk::ShutdownComplete(chunk) => chunk,
            Chunk::Pad(chunk) => chunk,
            Chunk::Test(chunk) => chunk,
            Chunk::Auth(chunk) => chunk,
            Chunk::NrSack(chunk) => chunk,
            Chunk::AsconfAck(chunk) => chunk,
            Chunk::ReConfig(chunk) => chunk,
            Chunk::ForwardTsn(chunk) => chunk,
            Chunk::IData(chunk) => chunk,
            Chunk::IForwardTsn(chunk) => chunk,
            Chunk::Asconf(chunk) => chunk,
            Chunk::Unknown(chunk) => chunk,
        }
    }
}

/// The traits of every known chunk of [`Chunk`].
trait KnownChunk: EncodeChunk + fmt::Display {}

impl<C: EncodeChunk + fmt::Display> KnownChunk for C {}

impl EncodeChunk for Chunk<'_> {
    fn kind(&self) -> u8 {
        Chunk::kind(self)
    }

    fn value_len(&self) -> usize {
        self.as_known().value_len()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        self.as_known().encode(out);
    }
}

impl fmt::Display for Chunk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_known(), f)
    }
}
