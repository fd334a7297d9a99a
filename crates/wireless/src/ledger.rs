//! The number of copies of each packet the mesh has, so that each packet has one fate. A second copy exists from the time a
//! station receives a frame until the sender knows that, and after a sender that never knew it.

/// The number of a packet, used again after it.
pub(crate) type EntryId = u32;

/// The packets in the mesh.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    entries: Vec<Entry>,
    free: Vec<EntryId>,
    held: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    copies: u32,
    has_arrived: bool,
}

impl Ledger {
    /// A packet enters.
    pub(crate) fn enter(&mut self) -> EntryId {
        self.held += 1;
        let entry = Entry { copies: 1, has_arrived: false };
        if let Some(id) = self.free.pop() {
            self.entries[id as usize] = entry;
            return id;
        }
        self.entries.push(entry);
        (self.entries.len() - 1) as EntryId
    }

    /// A further station has the packet.
    pub(crate) fn copy(&mut self, id: EntryId) {
        self.entries[id as usize].copies += 1;
    }

    /// A copy is gone. Returns whether the packet is lost with it.
    #[must_use]
    pub(crate) fn drop_copy(&mut self, id: EntryId) -> bool {
        let entry = &mut self.entries[id as usize];
        entry.copies -= 1;
        let (is_last, is_lost) = (entry.copies == 0, entry.copies == 0 && !entry.has_arrived);
        if is_last {
            self.free.push(id);
        }
        self.held -= u64::from(is_lost);
        is_lost
    }

    /// A copy arrives. Returns whether another arrived before.
    #[must_use]
    pub(crate) fn arrive(&mut self, id: EntryId) -> bool {
        let entry = &mut self.entries[id as usize];
        let is_duplicate = std::mem::replace(&mut entry.has_arrived, true);
        entry.copies -= 1;
        if entry.copies == 0 {
            self.free.push(id);
        }
        self.held -= u64::from(!is_duplicate);
        is_duplicate
    }

    /// Packets without a fate.
    pub(crate) fn held(&self) -> u64 {
        self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_lost_with_its_last_copy_and_arrives_with_its_first() {
        let mut ledger = Ledger::default();
        let [lost, arrived] = [ledger.enter(), ledger.enter()];
        ledger.copy(lost);
        assert!(!ledger.drop_copy(lost));
        assert!(ledger.drop_copy(lost));
        ledger.copy(arrived);
        ledger.copy(arrived);
        assert!(!ledger.arrive(arrived));
        assert_eq!(ledger.held(), 0);
        assert!(ledger.arrive(arrived), "a duplicate");
        assert!(!ledger.drop_copy(arrived), "it has arrived");
    }
}
