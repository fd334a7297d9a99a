//! Refragments waiting chunks when packets become smaller.

use std::collections::VecDeque;

use anabranch_base::ByteCount;

use super::chunk::OutboundChunk;

/// Cuts the chunks after the first `settled` ones, which were never sent, into pieces of at most `largest` bytes of
/// user data. The first ones keep their TSNs (RFC 8899 §6.2: "once an SCTP message has been sent, it cannot be
/// resegmented").
pub(super) fn refit(chunks: &mut VecDeque<OutboundChunk>, settled: usize, largest: ByteCount) {
    let is_too_large = |chunk: &OutboundChunk| ByteCount::of_len(chunk.length()) > largest;
    if !chunks.iter().skip(settled).any(is_too_large) {
        return;
    }
    for chunk in chunks.split_off(settled) {
        chunks.extend(chunk.split(largest.as_len()));
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::{Outgoing, Reliability, SendBuffer};
    use super::*;
    use crate::config::Charge;
    use crate::policy::PathId;
    use crate::policy::schedule::Index;
    use crate::seq::Tsn;
    use crate::wire::{Ppid, StreamId};

    fn buffer(lengths: &[usize]) -> SendBuffer {
        let mut buffer = SendBuffer::new(Tsn::new(1), Charge::Chunk, Charge::User);
        buffer.add_path(PathId::FIRST);
        for &length in lengths {
            let (stream, ppid) = (StreamId::new(0), Ppid::new(0));
            let payload = Bytes::from((0..length).map(|at| at as u8).collect::<Vec<u8>>());
            buffer.push(
                Outgoing {
                    stream,
                    ppid,
                    unordered: false,
                    immediate: false,
                    reliability: Reliability::Full,
                    payload,
                },
                ByteCount::new(100),
            );
        }
        buffer
    }

    /// The chunks that wait: the length of each, and whether it begins and ends its message.
    fn waiting(buffer: &mut SendBuffer) -> Vec<(usize, bool, bool)> {
        let tsns: Vec<Tsn> =
            (0..buffer.waiting_chunks()).filter_map(|index| buffer.waiting(Index(index))).collect();
        let shape = |tsn| {
            let data = buffer.data(tsn);
            (data.payload.len(), data.beginning, data.ending)
        };
        tsns.into_iter().map(shape).collect()
    }

    #[test]
    fn what_waits_is_cut_and_keeps_its_beginning_and_ending() {
        let mut buffer = buffer(&[150, 30]);
        let bytes = buffer.waiting_bytes();
        buffer.refit(ByteCount::new(60));
        assert_eq!(
            waiting(&mut buffer),
            [(60, true, false), (40, false, false), (50, false, true), (30, true, true)]
        );
        assert_eq!(buffer.waiting_bytes(), bytes);
        buffer.refit(ByteCount::new(100));
        assert_eq!(buffer.waiting_chunks(), 4, "what was cut stays so");
    }

    #[test]
    fn what_was_sent_and_what_stands_before_it_keeps_its_tsn() {
        let mut buffer = buffer(&[300]);
        buffer.on_sent(Tsn::new(2), PathId::FIRST, 0);
        buffer.refit(ByteCount::new(60));
        assert_eq!(waiting(&mut buffer), [(100, true, false), (60, false, false), (40, false, true)]);
        assert_eq!(buffer.data(Tsn::new(2)).payload.len(), 100);
        assert_eq!(buffer.waiting_bytes(), ByteCount::new(200));
    }
}
