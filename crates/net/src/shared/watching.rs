//! Who watches which association, and what they are told. It knows nobody's reason to watch, and no handle.

use anabranch_sctp::association::Association;
use anabranch_sctp::endpoint::AssociationId;
use anabranch_sctp::event::Event;
use anabranch_sctp::record::Record;

use super::Core;
use crate::feed::Listener;
use crate::slot::{Phase, Slot};

impl Core {
    /// What happens to an association from now on; nothing if it is over.
    pub fn subscribe(&mut self, id: AssociationId) -> Listener<Event> {
        match self.living(id) {
            Some(slot) => slot.news.listen(KEPT_EVENTS),
            None => Listener::too_late(),
        }
    }

    /// What is measured on an association's paths from now on; nothing if it is over.
    pub fn record(&mut self, id: AssociationId) -> Listener<Record> {
        let Some(slot) = self.living(id) else { return Listener::too_late() };
        let listener = slot.records.listen(KEPT_RECORDS);
        if !self.recorded.contains(&id) {
            self.recorded.push(id);
            let _ = self.endpoint.association_mut(id).map(Association::record);
        }
        listener
    }

    /// A listener of records is gone: with the last one goes the recording.
    pub fn stop_recording_if_unheard(&mut self, id: AssociationId) {
        if self.slots.get_mut(&id).is_none_or(|slot| slot.records.is_unheard()) {
            self.recorded.retain(|recorded| *recorded != id);
            let _ = self.endpoint.association_mut(id).map(Association::stop_recording);
        }
    }

    /// Tells what was measured since the last time.
    pub fn tell_records(&mut self) {
        let Core { recorded, slots, endpoint, .. } = self;
        for id in recorded {
            if let (Some(slot), Some(association)) = (slots.get_mut(id), endpoint.association_mut(*id)) {
                while let Some(record) = association.poll_record() {
                    slot.records.tell(&record);
                }
            }
        }
    }

    fn living(&mut self, id: AssociationId) -> Option<&mut Slot> {
        self.slots.get_mut(&id).filter(|slot| !matches!(slot.phase, Phase::Closed(_)))
    }
}

/// So many events are kept for a listener that is slow.
const KEPT_EVENTS: usize = 64;
/// So many records: some hundred round trips on a few paths, a quarter of a megabyte.
const KEPT_RECORDS: usize = 4_096;
