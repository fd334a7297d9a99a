//! A scheduler sees which chunk is which, and is asked for each one, those that share a packet too.

use std::collections::BTreeMap;

use anabranch_sctp::association::Message;
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::schedule::{Index, QueueView, Scheduler, may_carry};
use anabranch_sctp::policy::{PathId, Registry, View};
use anabranch_sctp::wire::{Chunk, Data};

use crate::pair::{End, Pair, chunks};
use crate::{counted, ms};

/// Assigns a chunk to a path when it is queued: those with an even TSN to the first, those with an odd one to the second.
#[derive(Debug, Default)]
struct ByParity {
    /// Every chunk that was queued, by its TSN.
    assigned: BTreeMap<u32, PathId>,
}

impl ByParity {
    /// The oldest chunk that is assigned to `path`.
    fn oldest(&self, path: PathId, queue: &QueueView<'_>) -> Option<Index> {
        let index = (0..queue.chunks).map(Index).find(|&index| {
            let chunk = queue.chunk(index).expect("it is counted");
            assert_eq!(queue.index_of(chunk.tsn), Some(index));
            self.assigned.get(&chunk.tsn.get()) == Some(&path)
        })?;
        assert!(queue.chunk(index).expect("it was just found").packet <= queue.widest);
        Some(index)
    }
}

impl Scheduler for ByParity {
    fn on_queued(&mut self, queue: &QueueView<'_>, _view: &View<'_>) {
        assert_eq!(queue.chunk(Index::OLDEST).map(|chunk| chunk.tsn), Some(queue.first_tsn));
        for index in (0..queue.chunks).map(Index) {
            let tsn = queue.chunk(index).expect("it is counted").tsn.get();
            self.assigned.insert(tsn, PathId::from_index(tsn as usize % 2));
        }
    }

    fn pick(&mut self, queue: &QueueView<'_>, view: &View<'_>) -> Option<(PathId, Index)> {
        let mut able = view.paths.iter().filter(|sample| may_carry(sample, queue));
        able.find_map(|sample| Some((sample.id, self.oldest(sample.id, queue)?)))
    }

    fn pick_more(&mut self, path: PathId, queue: &QueueView<'_>, _view: &View<'_>) -> Option<Index> {
        self.oldest(path, queue)
    }
}

#[test]
fn a_scheduler_places_every_chunk_by_its_tsn_and_chooses_what_shares_a_packet() {
    let mut registry = Registry::standard();
    registry.schedulers.add("by-parity", |_| Box::<ByParity>::default());
    let config = Config { scheduler: "by-parity".into(), ..counted() };
    let mut pair = Pair::open_with(&registry, &config, 2);
    pair.keep_packets();
    pair.z.reads_at_once = true;
    pair.send_at_once(End::A, 60, 100);
    pair.run_for(ms(2_000));

    let mut most_in_one_packet = 0;
    for line in pair.log.iter().filter(|line| line.from == End::A && line.text.contains("DATA")) {
        let data: Vec<u32> = chunks(&line.bytes).iter().filter_map(tsn).collect();
        assert!(data.iter().all(|tsn| *tsn as usize % 2 == line.pipe), "{data:?} on pipe {}", line.pipe);
        most_in_one_packet = most_in_one_packet.max(data.len());
    }
    assert!(most_in_one_packet > 5, "small chunks share packets: {most_in_one_packet}");
    let read: usize = pair.z.read.iter().map(Message::len).sum();
    assert_eq!(read, 6_000, "all arrive");
}

fn tsn(chunk: &Chunk<'_>) -> Option<u32> {
    match chunk {
        Chunk::Data(Data { tsn, .. }) => Some(tsn.get()),
        _ => None,
    }
}
