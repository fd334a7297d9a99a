//! RE-CONFIG: requests to change the streams of an association, and their answers.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};
use super::stream_list::StreamList;
use crate::seq::Tsn;
use crate::wire::fields::{u16_at, u32_at};
use crate::wire::tlv::{self, Tlv, Tlvs};
use crate::wire::{ChunkError, ChunkFault, TlvError};

/// A RE-CONFIG chunk (RFC 6525 §3.1). Lists of streams stay in the packet.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// | Type = 130    |  Chunk Flags  |      Chunk Length             |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                  Re-configuration Parameter                   /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /             Re-configuration Parameter (optional)             /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReConfig<'a> {
    /// The first parameter.
    pub first: ReConfigParameter<'a>,
    /// The second one, where [`ReConfig::may_combine`] allows it.
    pub second: Option<ReConfigParameter<'a>>,
}

/// A parameter of a RE-CONFIG (RFC 6525 §4). Requests are numbered; the first number of an association equals the sender's
/// first TSN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReConfigParameter<'a> {
    /// Type 13: the sender begins anew to count the messages on these outgoing streams, or on all if the list is empty.
    ResetOutgoing {
        /// The number of the request.
        request: Tsn,
        /// The number of the request that it answers, or that of the peer's last request.
        response: Tsn,
        /// The last TSN before the reset.
        last_tsn: Tsn,
        /// The streams.
        streams: StreamList<'a>,
    },
    /// Type 14: the sender requests that the peer resets these of its outgoing streams, or all if the list is empty.
    ResetIncoming {
        /// The number of the request.
        request: Tsn,
        /// The streams.
        streams: StreamList<'a>,
    },
    /// Type 15: all SSNs and TSNs of both ends begin anew.
    ResetAssociation {
        /// The number of the request.
        request: Tsn,
    },
    /// Type 16: the answer to a request.
    Response {
        /// The number of the request.
        request: Tsn,
        /// The answer: one of [`ReConfigResult`], or an unknown number.
        result: u32,
        /// After the reset of an association: the next TSN of the sender of this answer, and that of its receiver.
        next_tsns: Option<(Tsn, Tsn)>,
    },
    /// Type 17: the sender adds outgoing streams.
    AddOutgoing {
        /// The number of the request.
        request: Tsn,
        /// The number of new streams.
        count: u16,
    },
    /// Type 18: the sender requests that the peer adds outgoing streams.
    AddIncoming {
        /// The number of the request.
        request: Tsn,
        /// The number of new streams.
        count: u16,
    },
}

/// The answer to a request of a RE-CONFIG (RFC 6525 §4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReConfigResult {
    /// There was nothing to do.
    NothingToDo,
    /// It was carried out.
    Performed,
    /// It is not allowed.
    Denied,
    /// It names a stream that does not exist.
    WrongStream,
    /// Another request is being processed.
    OtherInProgress,
    /// The number of the request is not the next one.
    BadNumber,
    /// It will be carried out later: the request is repeated until then.
    InProgress,
}

impl<'a> ReConfig<'a> {
    /// The chunk type.
    pub const KIND: u8 = 130;

    /// A chunk with one parameter.
    pub fn of(first: ReConfigParameter<'a>) -> ReConfig<'a> {
        ReConfig { first, second: None }
    }

    /// The parameters in wire order.
    pub fn parameters(&self) -> impl Iterator<Item = ReConfigParameter<'a>> + use<'a> {
        std::iter::once(self.first).chain(self.second)
    }

    /// Returns true if `second` may follow `first` in a chunk (RFC 6525 §3.1).
    pub fn may_combine(first: &ReConfigParameter<'_>, second: &ReConfigParameter<'_>) -> bool {
        use ReConfigParameter::{AddIncoming, AddOutgoing, ResetIncoming, ResetOutgoing, Response};
        matches!(
            (first, second),
            (ResetOutgoing { .. }, ResetIncoming { .. })
                | (AddOutgoing { .. }, AddIncoming { .. })
                | (Response { .. }, ResetOutgoing { .. } | Response { .. })
        )
    }

    pub(super) fn decode(raw: RawChunk<'a>) -> Result<ReConfig<'a>, ChunkError> {
        let fault = |error| raw.error(ChunkFault::Parameter { initiate_tag: None, error });
        let mut parameters = Tlvs::new(raw.value).map(|item| {
            let (kind, value) = item.map_err(fault)?;
            ReConfigParameter::decode(kind, value).map_err(fault)?.ok_or(raw.error(ChunkFault::Combination))
        });
        let first = parameters.next().ok_or(raw.error(ChunkFault::Combination))??;
        let second = parameters.next().transpose()?;
        let is_allowed = second.is_none_or(|second| ReConfig::may_combine(&first, &second));
        if !is_allowed || parameters.next().is_some() {
            return Err(raw.error(ChunkFault::Combination));
        }
        Ok(ReConfig { first, second })
    }

    fn items(&self) -> ([ReConfigParameter<'a>; 2], usize) {
        ([self.first, self.second.unwrap_or(self.first)], 1 + usize::from(self.second.is_some()))
    }
}

impl<'a> ReConfigParameter<'a> {
    /// The number of the request; `None` for an answer.
    pub fn request(&self) -> Option<Tsn> {
        match *self {
            ReConfigParameter::ResetOutgoing { request, .. }
            | ReConfigParameter::ResetIncoming { request, .. }
            | ReConfigParameter::ResetAssociation { request }
            | ReConfigParameter::AddOutgoing { request, .. }
            | ReConfigParameter::AddIncoming { request, .. } => Some(request),
            ReConfigParameter::Response { .. } => None,
        }
    }

    /// The parameter of type `kind`; `None` if the type is another one.
    fn decode(kind: u16, value: &'a [u8]) -> Result<Option<ReConfigParameter<'a>>, TlvError> {
        let number = |at| Tsn::new(u32_at(value, at));
        Ok(Some(match kind {
            RESET_OUTGOING => ReConfigParameter::ResetOutgoing {
                streams: streams_after(kind, value, 12)?,
                request: number(0),
                response: number(4),
                last_tsn: number(8),
            },
            RESET_INCOMING => ReConfigParameter::ResetIncoming {
                streams: streams_after(kind, value, 4)?,
                request: number(0),
            },
            RESET_ASSOCIATION => {
                tlv::fixed::<4>(kind, value)?;
                ReConfigParameter::ResetAssociation { request: number(0) }
            }
            RESPONSE => {
                let next_tsns = match value.len() {
                    16 => Some((number(8), number(12))),
                    _ => tlv::fixed::<8>(kind, value).map(|_| None)?,
                };
                ReConfigParameter::Response { request: number(0), result: u32_at(value, 4), next_tsns }
            }
            ADD_OUTGOING => {
                tlv::fixed::<8>(kind, value)?;
                ReConfigParameter::AddOutgoing { request: number(0), count: u16_at(value, 4) }
            }
            ADD_INCOMING => {
                tlv::fixed::<8>(kind, value)?;
                ReConfigParameter::AddIncoming { request: number(0), count: u16_at(value, 4) }
            }
            _ => return Ok(None),
        }))
    }
}

/// The streams behind the first `fixed` bytes of a value.
fn streams_after(kind: u16, value: &[u8], fixed: usize) -> Result<StreamList<'_>, TlvError> {
    let length = tlv::HEADER_LEN + value.len();
    let Some((_, list)) = value.split_at_checked(fixed) else {
        return Err(TlvError::TooShort { kind, length, minimum: tlv::HEADER_LEN + fixed });
    };
    let (numbers, []) = list.as_chunks::<2>() else {
        return Err(TlvError::BrokenEntry { kind, length });
    };
    Ok(StreamList::from_wire(numbers))
}

impl Tlv for ReConfigParameter<'_> {
    fn kind(&self) -> u16 {
        match self {
            ReConfigParameter::ResetOutgoing { .. } => RESET_OUTGOING,
            ReConfigParameter::ResetIncoming { .. } => RESET_INCOMING,
            ReConfigParameter::ResetAssociation { .. } => RESET_ASSOCIATION,
            ReConfigParameter::Response { .. } => RESPONSE,
            ReConfigParameter::AddOutgoing { .. } => ADD_OUTGOING,
            ReConfigParameter::AddIncoming { .. } => ADD_INCOMING,
        }
    }

    fn value_len(&self) -> usize {
        match self {
            ReConfigParameter::ResetOutgoing { streams, .. } => 12 + 2 * streams.len(),
            ReConfigParameter::ResetIncoming { streams, .. } => 4 + 2 * streams.len(),
            ReConfigParameter::ResetAssociation { .. } => 4,
            ReConfigParameter::Response { next_tsns, .. } => 8 + if next_tsns.is_some() { 8 } else { 0 },
            ReConfigParameter::AddOutgoing { .. } | ReConfigParameter::AddIncoming { .. } => 8,
        }
    }

    fn encode_value(&self, out: &mut Vec<u8>) {
        let mut put = |number: u32| out.extend_from_slice(&number.to_be_bytes());
        match *self {
            ReConfigParameter::ResetOutgoing { request, response, last_tsn, streams } => {
                [request, response, last_tsn].into_iter().for_each(|number| put(number.get()));
                streams.encode(out);
            }
            ReConfigParameter::ResetIncoming { request, streams } => {
                put(request.get());
                streams.encode(out);
            }
            ReConfigParameter::ResetAssociation { request } => put(request.get()),
            ReConfigParameter::Response { request, result, next_tsns } => {
                put(request.get());
                put(result);
                if let Some((sender, receiver)) = next_tsns {
                    put(sender.get());
                    put(receiver.get());
                }
            }
            ReConfigParameter::AddOutgoing { request, count }
            | ReConfigParameter::AddIncoming { request, count } => {
                put(request.get());
                put(u32::from(count) << 16);
            }
        }
    }
}

impl EncodeChunk for ReConfig<'_> {
    fn kind(&self) -> u8 {
        ReConfig::KIND
    }

    fn value_len(&self) -> usize {
        let (items, count) = self.items();
        tlv::list_len(&items[..count])
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, ReConfig::KIND, 0, out, |out| {
            let (items, count) = self.items();
            tlv::encode_list(&items[..count], out);
        });
    }
}

impl ReConfigResult {
    /// The answer with the wire value `number`, if it is known.
    pub(crate) fn from_wire(number: u32) -> Option<ReConfigResult> {
        ALL_RESULTS.get(usize::try_from(number).ok()?).copied()
    }

    /// The wire value.
    pub(crate) fn to_wire(self) -> u32 {
        self as u32
    }
}

impl fmt::Display for ReConfigResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ReConfigResult::NothingToDo => "nothing to do",
            ReConfigResult::Performed => "performed",
            ReConfigResult::Denied => "denied",
            ReConfigResult::WrongStream => "a stream does not exist",
            ReConfigResult::OtherInProgress => "another request is in progress",
            ReConfigResult::BadNumber => "bad sequence number",
            ReConfigResult::InProgress => "in progress",
        })
    }
}

impl fmt::Display for ReConfigParameter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReConfigParameter::ResetOutgoing { request, last_tsn, streams, .. } => {
                write!(f, "#{request} reset outgoing {streams} after tsn {last_tsn}")
            }
            ReConfigParameter::ResetIncoming { request, streams } => {
                write!(f, "#{request} reset incoming {streams}")
            }
            ReConfigParameter::ResetAssociation { request } => write!(f, "#{request} reset all numbers"),
            ReConfigParameter::Response { request, result, next_tsns } => {
                match ReConfigResult::from_wire(*result) {
                    Some(known) => write!(f, "answer to #{request}: {known}")?,
                    None => write!(f, "answer to #{request}: result {result}")?,
                }
                next_tsns
                    .map_or(Ok(()), |(sender, receiver)| write!(f, ", next tsns {sender} and {receiver}"))
            }
            ReConfigParameter::AddOutgoing { request, count } => {
                write!(f, "#{request} add {count} outgoing streams")
            }
            ReConfigParameter::AddIncoming { request, count } => {
                write!(f, "#{request} add {count} incoming streams")
            }
        }
    }
}

impl fmt::Display for ReConfig<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RE-CONFIG({}", self.first)?;
        self.second.map_or(Ok(()), |second| write!(f, "; {second}"))?;
        f.write_str(")")
    }
}

const RESET_OUTGOING: u16 = 13;
const RESET_INCOMING: u16 = 14;
const RESET_ASSOCIATION: u16 = 15;
const RESPONSE: u16 = 16;
const ADD_OUTGOING: u16 = 17;
const ADD_INCOMING: u16 = 18;

const ALL_RESULTS: [ReConfigResult; 7] = [
    ReConfigResult::NothingToDo,
    ReConfigResult::Performed,
    ReConfigResult::Denied,
    ReConfigResult::WrongStream,
    ReConfigResult::OtherInProgress,
    ReConfigResult::BadNumber,
    ReConfigResult::InProgress,
];

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::StreamId;
    use crate::wire::capture::{assert_is_chunk, chunk_error};

    const STREAMS: [StreamId; 3] = [StreamId::new(1), StreamId::new(2), StreamId::new(515)];

    // Bytes after the diagrams of RFC 6525 §4.1 and §4.2.
    #[test]
    fn outgoing_and_incoming_streams_are_reset_by_one_chunk() {
        let (request, response, last_tsn) = (Tsn::new(7), Tsn::new(8), Tsn::new(9));
        let streams = STREAMS[..].into();
        let first = ReConfigParameter::ResetOutgoing { request, response, last_tsn, streams };
        let second = ReConfigParameter::ResetIncoming { request: Tsn::new(8), streams: StreamList::EMPTY };
        let both = ReConfig { first, second: Some(second) };
        let dump = "82000024 000d0016 00000007 00000008 00000009 00010002 02030000 000e0008 00000008";
        assert_is_chunk(dump, &Chunk::ReConfig(both));
        let text = "RE-CONFIG(#7 reset outgoing [1 2 515] after tsn 9; #8 reset incoming all streams)";
        assert_eq!(both.to_string(), text);
        assert_is_chunk(
            "8200001a 000d0016 00000007 00000008 00000009 00010002 02030000",
            &Chunk::ReConfig(ReConfig::of(first)),
        );
    }

    // Bytes after the diagrams of RFC 6525 §4.3, §4.5 and §4.6.
    #[test]
    fn all_numbers_are_reset_and_streams_are_added() {
        let request = Tsn::new(7);
        let reset = ReConfig::of(ReConfigParameter::ResetAssociation { request });
        assert_is_chunk("8200000c 000f0008 00000007", &Chunk::ReConfig(reset));
        let first = ReConfigParameter::AddOutgoing { request, count: 3 };
        let second = Some(ReConfigParameter::AddIncoming { request: Tsn::new(8), count: 515 });
        let add = ReConfig { first, second };
        assert_is_chunk(
            "8200001c 0011000c 00000007 00030000 0012000c 00000008 02030000",
            &Chunk::ReConfig(add),
        );
        assert_eq!(add.to_string(), "RE-CONFIG(#7 add 3 outgoing streams; #8 add 515 incoming streams)");
    }

    // Bytes after the diagram of RFC 6525 §4.4.
    #[test]
    fn an_answer_has_both_tsns_or_none() {
        let (request, result) = (Tsn::new(7), ReConfigResult::Performed.to_wire());
        let next_tsns = Some((Tsn::new(1), Tsn::new(2)));
        let answer = ReConfig::of(ReConfigParameter::Response { request, result, next_tsns });
        assert_is_chunk("82000018 00100014 00000007 00000001 00000001 00000002", &Chunk::ReConfig(answer));
        assert_eq!(answer.to_string(), "RE-CONFIG(answer to #7: performed, next tsns 1 and 2)");
        let unknown = ReConfigParameter::Response { request, result: 9, next_tsns: None };
        assert_is_chunk("82000010 0010000c 00000007 00000009", &Chunk::ReConfig(ReConfig::of(unknown)));
        let half = TlvError::WrongLength { kind: 16, length: 16, expected: 12 };
        let fault = chunk_error("82000014 00100010 00000007 00000001 00000001").fault;
        assert_eq!(fault, ChunkFault::Parameter { initiate_tag: None, error: half });
    }

    #[test]
    fn every_result_has_its_number() {
        for number in 0..7 {
            assert_eq!(ReConfigResult::from_wire(number).map(ReConfigResult::to_wire), Some(number));
        }
        assert_eq!(ReConfigResult::from_wire(7), None);
    }

    #[test]
    fn other_combinations_are_errors() {
        let reset = "000f0008 00000007";
        let answer = "0010000c 00000007 00000009";
        assert_eq!(chunk_error("82000004").fault, ChunkFault::Combination);
        assert_eq!(chunk_error(&format!("82000014 {reset} {reset}")).fault, ChunkFault::Combination);
        assert_eq!(chunk_error(&format!("82000018 {answer} {reset}")).fault, ChunkFault::Combination);
        assert_eq!(
            chunk_error(&format!("82000028 {answer} {answer} {answer}")).fault,
            ChunkFault::Combination
        );
        assert_eq!(chunk_error("82000008 80050004").fault, ChunkFault::Combination);
        let cut = TlvError::BrokenEntry { kind: 14, length: 9 };
        let fault = chunk_error("8200000d 000e0009 00000007 00000000").fault;
        assert_eq!(fault, ChunkFault::Parameter { initiate_tag: None, error: cut });
        let short = TlvError::TooShort { kind: 13, length: 8, minimum: 16 };
        let fault = chunk_error("8200000c 000d0008 00000007").fault;
        assert_eq!(fault, ChunkFault::Parameter { initiate_tag: None, error: short });
    }
}
