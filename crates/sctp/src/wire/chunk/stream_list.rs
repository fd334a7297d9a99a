//! A list of streams: borrowed from a received packet, or given for a packet to send.

use std::fmt;

use crate::wire::StreamId;

/// Streams that are borrowed from a received packet, each decoded when it is read, or from a slice that is to be sent.
/// Two lists with the same streams are equal.
#[derive(Clone, Copy)]
pub struct StreamList<'a>(StreamSource<'a>);

#[derive(Clone, Copy)]
enum StreamSource<'a> {
    Wire(&'a [[u8; 2]]),
    Given(&'a [StreamId]),
}

impl<'a> StreamList<'a> {
    /// No streams.
    pub const EMPTY: StreamList<'a> = StreamList(StreamSource::Given(&[]));

    pub(super) fn from_wire(numbers: &'a [[u8; 2]]) -> StreamList<'a> {
        StreamList(StreamSource::Wire(numbers))
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        match self.0 {
            StreamSource::Wire(numbers) => numbers.len(),
            StreamSource::Given(streams) => streams.len(),
        }
    }

    /// Returns true if the list is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The streams in wire order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = StreamId> + use<'a> {
        let source = self.0;
        (0..self.len()).map(move |index| match source {
            StreamSource::Wire(numbers) => StreamId::new(u16::from_be_bytes(numbers[index])),
            StreamSource::Given(streams) => streams[index],
        })
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        match self.0 {
            StreamSource::Wire(numbers) => out.extend_from_slice(numbers.as_flattened()),
            StreamSource::Given(streams) => {
                out.extend(streams.iter().flat_map(|stream| stream.get().to_be_bytes()));
            }
        }
    }
}

impl<'a> From<&'a [StreamId]> for StreamList<'a> {
    fn from(streams: &'a [StreamId]) -> StreamList<'a> {
        StreamList(StreamSource::Given(streams))
    }
}

impl PartialEq for StreamList<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for StreamList<'_> {}

impl fmt::Debug for StreamList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl fmt::Display for StreamList<'_> {
    /// Writes `all streams`, or the streams as `[1 2]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, stream) in self.iter().enumerate() {
            match index {
                0 => write!(f, "[{stream}")?,
                _ => write!(f, " {stream}")?,
            }
        }
        f.write_str(if self.is_empty() { "all streams" } else { "]" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_a_packet_equal_given_ones() {
        let read = StreamList::from_wire(&[[0, 2], [1, 0]]);
        let given = [StreamId::new(2), StreamId::new(256)];
        assert_eq!(read, StreamList::from(&given[..]));
        assert_ne!(read, StreamList::EMPTY);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        read.encode(&mut a);
        StreamList::from(&given[..]).encode(&mut b);
        assert_eq!(a, b);
        assert_eq!(
            (read.to_string(), StreamList::EMPTY.to_string()),
            ("[2 256]".into(), "all streams".into())
        );
    }
}
