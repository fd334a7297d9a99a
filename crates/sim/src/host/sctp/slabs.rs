//! Memory for packets in the network, which is used again when nothing refers to it.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

/// A ring of slabs: the oldest slab becomes free first.
#[derive(Debug)]
pub(crate) struct Slabs {
    current: BytesMut,
    full: VecDeque<BytesMut>,
}

impl Slabs {
    /// One slab.
    pub(crate) fn new() -> Slabs {
        Slabs { current: BytesMut::with_capacity(SLAB), full: VecDeque::new() }
    }

    /// A copy of a packet, or of packets that left together. Nothing is allocated when there are slabs for all packets in the network.
    pub(crate) fn copy(&mut self, packet: &[u8]) -> Bytes {
        if self.current.capacity() < packet.len() {
            self.turn(SLAB.max(packet.len()));
        }
        self.current.extend_from_slice(packet);
        self.current.split().freeze()
    }

    /// Continues with a slab of `size` bytes: the oldest one, if nothing refers to it any more.
    fn turn(&mut self, size: usize) {
        let free = self.full.pop_front_if(|oldest| oldest.try_reclaim(size));
        let next = free.unwrap_or_else(|| BytesMut::with_capacity(size));
        self.full.push_back(std::mem::replace(&mut self.current, next));
        if self.full.len() > MOST {
            // The rest of it lives as long as its packets.
            self.full.pop_front();
        }
    }
}

/// The bytes of a slab: two full packets. If hundreds of ends each have a few packets in the network, larger slabs
/// need more memory than the processor's caches hold.
const SLAB: usize = 3 * 1024;

/// The most slabs that wait to become free: a packet that is kept for long does not make the ring grow.
const MOST: usize = 512;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slab_is_used_again_when_its_packets_are_gone() {
        let mut slabs = Slabs::new();
        let mut waiting = VecDeque::new();
        for number in 0..1_000_u32 {
            let packet: Vec<u8> = (0..1_400).map(|at| (number + at) as u8).collect();
            waiting.push_back((slabs.copy(&packet), packet));
            if waiting.len() > 20 {
                let (copy, packet) = waiting.pop_front().expect("twenty wait");
                assert_eq!(copy, packet);
            }
        }
        assert!(slabs.full.len() <= 2 + 21 / (SLAB / 1_400), "{} slabs", slabs.full.len());
    }

    #[test]
    fn a_packet_that_is_kept_costs_its_slab_and_no_more() {
        let mut slabs = Slabs::new();
        let kept = slabs.copy(&[1; 1_400]);
        for _ in 0..10 * MOST {
            slabs.copy(&[2; SLAB]);
        }
        assert!(slabs.full.len() <= MOST, "{} slabs", slabs.full.len());
        assert_eq!(kept[..], [1; 1_400]);
    }

    #[test]
    fn a_packet_may_be_larger_than_a_slab() {
        let mut slabs = Slabs::new();
        let large = vec![3; 2 * SLAB];
        assert_eq!(
            [slabs.copy(&large), slabs.copy(b"small"), slabs.copy(&large)],
            [&large[..], b"small", &large]
        );
    }
}
