//! The end of an association between the honest two, and what must hold of it.

use anabranch_base::Duration;
use anabranch_sctp::event::CloseReason;

use super::cast::Cast;
use super::tally::Column;
use super::verdict::{Class, Fault};
use crate::pair::{End, Faults};

impl Cast {
    /// Everything is delivered, both close, and both forget the association.
    pub(crate) fn part(&mut self) -> Result<(), Fault> {
        self.pair.faults = Faults::default();
        for end in [End::A, End::Z] {
            let gone = (0..self.pair.pipes.len()).filter(|&pipe| {
                let address = self.pair.address(end, pipe);
                self.pair.end(end).missing.contains(&address)
            });
            for pipe in gone.collect::<Vec<_>>() {
                self.come_back(end, pipe)?;
            }
        }
        let begun = self.pair.now;
        let patience = self.patience();
        while !(self.is_over(End::A) && self.is_over(End::Z)) {
            for end in [End::A, End::Z] {
                self.read(end)?;
                // Waits until the association is open; otherwise it would be aborted.
                self.close(end)?;
            }
            self.pass(Duration::from_millis(500))?;
            if self.pair.now.since(begun) > patience {
                let states = [End::A, End::Z].map(|end| self.living(end).map(|_| self.pair.at(end).state()));
                return Err(Fault::new(
                    Class::Standstill,
                    format!(
                        "{:?} messages and bytes are not delivered after {patience}: {states:?}",
                        self.given
                    ),
                ));
            }
        }
        self.read(End::A)?;
        self.read(End::Z)?;
        self.judge_end()?;
        self.forget()
    }

    /// Judges how the association ended at both ends.
    fn judge_end(&mut self) -> Result<(), Fault> {
        let reasons = [End::A, End::Z].map(|end| self.pair.closed(end));
        for reason in &reasons {
            let powers = self.scene.powers;
            self.tally.count(Column::End, format!("{}, where somebody {powers}", name_of(reason.as_ref())));
        }
        if self.scene.powers.forges {
            return Ok(());
        }
        let is_graceful = reasons.iter().all(|reason| *reason == Some(CloseReason::Graceful));
        if is_graceful {
            self.crashes = 0;
        }
        if is_graceful && self.ledgers[0].len() == self.ledgers[1].len() {
            let complete = self
                .ledgers
                .iter()
                .flat_map(|all| all.last())
                .try_for_each(|ledger| ledger.check_complete(0));
            return complete.map_err(|what| Fault::new(Class::Lost, what));
        }
        let named = || [End::A, End::Z].into_iter().zip(&reasons);
        let accusation = named().find_map(|(end, reason)| match reason {
            Some(CloseReason::ProtocolViolation { what }) => Some(format!("{end:?} says {what}")),
            _ => None,
        });
        if let Some(what) = accusation {
            return self.report(Fault::new(Class::Accused, what));
        }
        // An attacker that sees packets may repeat an ABORT.
        let may_end = self.scene.powers.sees || self.may_end;
        let end = named().find_map(|(end, reason)| match reason {
            Some(CloseReason::Graceful) | None => None,
            Some(other) => Some(format!("{end:?} says {other}")),
        });
        end.filter(|_| !may_end).map_or(Ok(()), |what| self.report(Fault::new(Class::Ended, what)))
    }

    /// Both ends forget the association, and what is sent next belongs to another.
    fn forget(&mut self) -> Result<(), Fault> {
        for end in [End::A, End::Z] {
            if let Some(id) = self.pair.side(end).id.take() {
                self.turn_away(end, id);
            }
            self.pair.side(end).events.clear();
        }
        self.watch()?;
        self.witness.turn_page();
        // Where A lost its memory, Z may have noticed less often.
        let number = self.ledgers.iter().map(Vec::len).max().unwrap_or(0);
        for end in [End::A, End::Z] {
            while self.ledgers[end as usize].len() <= number {
                self.begin_ledger(end);
            }
        }
        (self.given, self.may_end) = ([0; 2], false);
        Ok(())
    }

    /// The longest time until all is delivered: five time-outs at their longest, then ten messages a second and a
    /// packet of the least size a second, which is less than any of these networks carries. An end whose peer is gone
    /// sends eleven times until it notices; and an attacker that forges may close all windows, until the shutdown's
    /// guard ends the association.
    fn patience(&self) -> Duration {
        let [messages, bytes] = self.given;
        let alone = if self.may_end { 700 } else { 0 };
        if self.scene.powers.forges {
            Duration::from_secs(2_000)
        } else {
            Duration::from_secs(300 + alone + messages / 10 + bytes / 500)
        }
    }
}

fn name_of(reason: Option<&CloseReason>) -> String {
    match reason {
        None => "never began".to_owned(),
        Some(reason) => {
            let text = format!("{reason:?}");
            text.split([' ', '{']).next().unwrap_or_default().to_owned()
        }
    }
}
