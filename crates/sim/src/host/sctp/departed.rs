//! Packets that left an association together, in the memory into which it wrote them. They are copied nowhere, and the
//! memory that is freed last is used next: the processor has it in its nearest cache.

use std::cell::RefCell;

use bytes::Bytes;

use super::Slabs;

/// Packets that left together. Leaves `packets` empty: large ones keep their memory, small ones are a copy.
pub(super) fn departed(packets: &mut Vec<u8>, slabs: &mut Slabs) -> Bytes {
    if packets.len() <= SMALL {
        let copy = slabs.copy(packets);
        packets.clear();
        return copy;
    }
    let free = FREE.with_borrow_mut(Vec::pop).unwrap_or_default();
    Bytes::from_owner(Used(std::mem::replace(packets, free)))
}

/// The memory of packets that exist.
#[derive(Debug)]
struct Used(Vec<u8>);

thread_local! {
    /// Empty memory of packets that no longer exist. It is this thread's, so that none waits for another, and has no effect
    /// on any result.
    static FREE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

impl AsRef<[u8]> for Used {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Used {
    fn drop(&mut self) {
        let mut memory = std::mem::take(&mut self.0);
        memory.clear();
        // A thread that ends has no list any more: then the memory goes back to the system.
        let _ = FREE.try_with(|free| {
            let mut free = free.borrow_mut();
            if free.len() < MOST {
                free.push(memory);
            }
        });
    }
}

/// Packets of so many bytes, such as one with a SACK, are copied: memory of their own would be more than a copy costs.
const SMALL: usize = 512;

/// The most memory that is kept free, in batches of packets.
const MOST: usize = 4_096;

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(byte: u8, len: usize, slabs: &mut Slabs) -> Bytes {
        let mut packets = vec![byte; len];
        let departed = departed(&mut packets, slabs);
        assert_eq!(packets, []);
        departed
    }

    #[test]
    fn packets_keep_their_bytes_while_any_of_them_is_kept() {
        let mut slabs = Slabs::new();
        let mut kept = Vec::new();
        for number in 0..100 {
            let mut both = batch(number, 2_800, &mut slabs);
            let small = batch(number, 40, &mut slabs);
            kept.push((number, [both.split_to(1_400), small]));
            if number % 3 == 0 {
                kept.swap_remove(number as usize % kept.len());
            }
        }
        let is_kept =
            |(number, packets): &(u8, [Bytes; 2])| packets.iter().flatten().all(|byte| byte == number);
        assert!(kept.iter().all(is_kept));
    }

    #[test]
    fn the_memory_that_was_freed_last_is_used_next() {
        let mut slabs = Slabs::new();
        let [first, last] = [1, 2].map(|byte| batch(byte, 1_400, &mut slabs));
        let place = last.as_ptr();
        drop((first, last));
        let mut packets = vec![3; 1_400];
        departed(&mut packets, &mut slabs);
        packets.push(4);
        assert_eq!(packets.as_ptr(), place);
    }
}
