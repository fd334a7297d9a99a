//! Checks every event: packets and their costs, and unexpected associations.

use anabranch_sctp::association::Association;
use anabranch_sctp::endpoint::AssociationId;
use anabranch_sctp::event::Event;

use super::cast::Cast;
use super::tally::Column;
use super::verdict::{Class, Fault};
use crate::pair::End;

impl Cast {
    /// Checks what happened since the last call: packets, their costs, and unexpected associations.
    pub(crate) fn watch(&mut self) -> Result<(), Fault> {
        for line in &self.pair.log {
            self.witness.note(&self.pair, line);
        }
        let packet_costs = self.pair.meter.as_mut().map(|meter| std::mem::take(&mut meter.packet_costs));
        for packet_cost in &packet_costs.unwrap_or_default() {
            for fault in self.bounds.check(&self.pair, packet_cost, &mut self.tally) {
                self.report(fault)?;
            }
        }
        for end in [End::A, End::Z] {
            if let Some(fault) = self.bounds.check_held(&self.pair, end, &mut self.tally) {
                self.report(fault)?;
            }
        }
        self.pair.log.clear();
        for end in [End::A, End::Z] {
            // What an end opened itself is not accepted again either.
            let side = self.pair.end(end);
            let open = side.id.and_then(|id| side.endpoint.association(id)).filter(|one| one.is_open());
            self.accepted.extend(open.map(Association::tags));
        }
        self.meet_strays()?;
        self.notice_restart()
    }

    /// Z notices that A lost its memory: what it sends now belongs to the association that A opened then.
    fn notice_restart(&mut self) -> Result<(), Fault> {
        let events = &mut self.pair.z.events;
        let before = events.len();
        events.retain(|event| *event != Event::Restarted);
        let restarts = before - events.len();
        (0..restarts).for_each(|_| self.begin_ledger(End::Z));
        if restarts > 0 && self.crashes == 0 && !self.scene.powers.forges {
            Err(Fault::new(Class::Ended, "Z began anew, and A had lost nothing"))
        } else {
            Ok(())
        }
    }

    /// Associations with events that are not the one that is played.
    fn meet_strays(&mut self) -> Result<(), Fault> {
        for end in [End::A, End::Z] {
            for (id, event) in std::mem::take(&mut self.pair.side(end).strays) {
                self.meet(end, id, event)?;
            }
        }
        Ok(())
    }

    fn meet(&mut self, end: End, id: AssociationId, event: Event) -> Result<(), Fault> {
        if self.pair.side(end).id == Some(id) {
            self.pair.side(end).events.push(event);
            return Ok(());
        }
        let Some(tags) = self.pair.end(end).endpoint.association(id).map(Association::tags) else {
            return Ok(());
        };
        let begins = matches!(event, Event::Connected | Event::Restarted);
        if let Some(liar) = self.liars.iter_mut().find(|liar| Some(liar.tag) == tags.1) {
            if begins {
                liar.id = Some(id);
            }
            if matches!(event, Event::Closed(_)) {
                liar.id = None;
                self.turn_away(end, id);
            }
            return Ok(());
        }
        if begins && !self.accepted.insert(tags) {
            self.turn_away(end, id);
            let what = format!("{end:?} opened an association for the second time with one cookie");
            return self.report(Fault::new(Class::Reopened, what));
        }
        let partner = self.pair.end(end.other());
        let partner = partner.id.and_then(|id| partner.endpoint.association(id)).map(Association::tags);
        let is_partner = partner == tags.1.map(|peer| (peer, Some(tags.0)));
        if begins && is_partner && self.is_over(end) {
            return self.adopt(end, id, event);
        }
        if matches!(event, Event::Closed(_)) {
            self.turn_away(end, id);
        }
        Ok(())
    }

    /// The association is the one with the other honest end.
    fn adopt(&mut self, end: End, id: AssociationId, event: Event) -> Result<(), Fault> {
        if let Some(before) = self.pair.side(end).id.replace(id) {
            // A lost its memory, and Z had noticed nothing but that all was over.
            self.read_from(end, before)?;
            self.turn_away(end, before);
            self.begin_ledger(end);
        }
        self.pair.side(end).events = vec![event];
        Ok(())
    }

    /// An application forgets an association.
    pub(super) fn turn_away(&mut self, end: End, id: AssociationId) {
        self.pair.within(end, |side, now| side.endpoint.remove(now, id));
        self.pair.settle(end);
    }

    /// Counts a known fault, and reports any other.
    pub(crate) fn report(&mut self, fault: Fault) -> Result<(), Fault> {
        if !fault.is_known() {
            return Err(fault);
        }
        self.tally.count(Column::Known, format!("{:?}", fault.class));
        Ok(())
    }
}
