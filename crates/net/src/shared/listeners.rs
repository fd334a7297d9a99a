//! Listeners to the events and records of associations.

use anabranch_sctp::association::Association;
use anabranch_sctp::endpoint::AssociationId;
use anabranch_sctp::event::Event;
use anabranch_sctp::record::Record;

use super::Core;
use crate::association_entry::AssociationEntry;
use crate::feed::Listener;
use crate::phase::Phase;

impl Core {
    /// Subscribes a listener to an association's events from now on; an ended association has none.
    pub(crate) fn subscribe(&mut self, id: AssociationId) -> Listener<Event> {
        match self.living(id) {
            Some(entry) => entry.events.listen(KEPT_EVENTS),
            None => Listener::too_late(),
        }
    }

    /// Subscribes a listener to the measurements on an association's paths from now on; an ended association has
    /// none.
    pub(crate) fn record(&mut self, id: AssociationId) -> Listener<Record> {
        let Some(entry) = self.living(id) else { return Listener::too_late() };
        let listener = entry.records.listen(KEPT_RECORDS);
        if !self.recorded.contains(&id) {
            self.recorded.push(id);
            let _ = self.endpoint.association_mut(id).map(Association::record);
        }
        listener
    }

    /// Stops recording if the last listener of records was dropped.
    pub(crate) fn stop_recording_without_listener(&mut self, id: AssociationId) {
        if self.associations.get_mut(&id).is_none_or(|entry| entry.records.has_no_listener()) {
            self.recorded.retain(|recorded| *recorded != id);
            let _ = self.endpoint.association_mut(id).map(Association::stop_recording);
        }
    }

    /// Publishes the records since the last call.
    pub(crate) fn tell_records(&mut self) {
        let Core { recorded, associations, endpoint, .. } = self;
        for id in recorded {
            if let (Some(entry), Some(association)) =
                (associations.get_mut(id), endpoint.association_mut(*id))
            {
                while let Some(record) = association.poll_record() {
                    entry.records.publish(&record);
                }
            }
        }
    }

    fn living(&mut self, id: AssociationId) -> Option<&mut AssociationEntry> {
        self.associations.get_mut(&id).filter(|entry| !matches!(entry.phase, Phase::Closed(_)))
    }
}

/// The most events kept for a slow listener.
const KEPT_EVENTS: usize = 64;
/// The most records kept: some hundred round trips on a few paths, a quarter of a megabyte.
const KEPT_RECORDS: usize = 4_096;

#[cfg(test)]
mod tests {
    use anabranch_base::Seed;
    use anabranch_sctp::config::Config;
    use anabranch_sctp::endpoint::{Endpoint, EndpointConfig};
    use anabranch_sctp::policy::Registry;

    use crate::clock::Clock;
    use crate::pairing::pair_by_route;
    use crate::report::SocketReports;
    use crate::seal::Security;
    use crate::shared::Shared;

    #[test]
    fn an_association_is_recorded_from_the_first_listener_to_the_last() {
        let config = EndpointConfig {
            association: Config::rfc9260(),
            registry: Registry::standard(),
            port: 9899,
            accepts: false,
            local: vec![([127, 0, 0, 1], 1).into()],
            max_associations: 2,
        };
        let endpoint = Endpoint::new(config, Seed::from_number(1)).expect("an endpoint");
        let shared = Shared::new(endpoint, Clock::start(), SocketReports::default(), &Security::Insecure);
        let mut core = shared.lock();
        let remote = [([127, 0, 0, 1], 2).into()];
        let pairing = pair_by_route(crate::system::host(), core.endpoint.locals(), &remote);
        let (id, _) = core.connect(&remote, &pairing).expect("it is tried");
        assert!(core.recorded.is_empty());
        let (first, second) = (core.record(id), core.record(id));
        assert_eq!(core.recorded, [id]);
        drop(first);
        core.stop_recording_without_listener(id);
        assert_eq!(core.recorded, [id], "one still listens");
        drop(second);
        core.stop_recording_without_listener(id);
        assert!(core.recorded.is_empty());
    }
}
