//! Executes one sending program: which packet is due, and which were not sent in time.

use anabranch_base::{Duration, Time};

use crate::protocol::Program;

/// A running program.
#[derive(Clone, Debug)]
pub(crate) struct Pacer {
    program: Program,
    stage: usize,
    /// The packets of the stage that were sent or skipped.
    passed: u32,
    /// The beginning of the stage.
    began: Time,
    /// The packets of all stages that were sent or skipped.
    slot: usize,
    sent: u32,
    unsent: u32,
    is_stopped: bool,
}

/// A packet to send now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DuePacket {
    /// The number.
    pub number: u32,
    /// The size of the IP packet.
    pub size: u16,
}

impl Pacer {
    /// A program that begins at `now`.
    pub(crate) fn new(now: Time, program: Program) -> Pacer {
        let began = now + Duration::from_micros(program.after_us.into());
        Pacer { program, stage: 0, passed: 0, began, slot: 0, sent: 0, unsent: 0, is_stopped: false }
    }

    /// The time at which the next packet is due; `None` after the last.
    pub(crate) fn due(&self) -> Option<Time> {
        let stage = self.program.stages.get(self.stage).filter(|_| !self.is_stopped)?;
        Some(self.began + stage.gap() * u64::from(self.passed / u32::from(stage.burst.max(1))))
    }

    /// The next packet that is due at `now`. Packets that are later than [`LATEST`], and than the distance of bursts, are
    /// skipped, so that a late timer sends a small burst only.
    pub(crate) fn take(&mut self, now: Time) -> Option<DuePacket> {
        loop {
            let due = self.due().filter(|due| *due <= now)?;
            let gap = self.program.stages[self.stage].gap();
            let size = self.program.sizes.get(self.slot % self.program.sizes.len().max(1)).copied()?;
            self.pass();
            if now.since(due) > LATEST.max(gap) {
                self.unsent = self.unsent.saturating_add(1);
                continue;
            }
            self.sent += 1;
            return Some(DuePacket { number: self.sent - 1, size });
        }
    }

    /// The packet that was taken last could not be sent: the next one has its number.
    pub(crate) fn on_refused(&mut self) {
        self.sent = self.sent.saturating_sub(1);
        self.unsent = self.unsent.saturating_add(1);
    }

    /// Ends the program.
    pub(crate) fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// The packets that were sent.
    pub(crate) fn sent(&self) -> u32 {
        self.sent
    }

    /// The packets that were due and not sent in time.
    pub(crate) fn unsent(&self) -> u32 {
        self.unsent
    }

    fn pass(&mut self) {
        let stage = self.program.stages[self.stage];
        self.slot += 1;
        self.passed += 1;
        if self.passed >= stage.packets {
            self.began += stage.duration();
            self.stage += 1;
            self.passed = 0;
        }
    }
}

/// The lateness up to which a packet is sent.
const LATEST: Duration = Duration::from_millis(4);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Stage;

    fn at(micros: u64) -> Time {
        Time::ZERO + Duration::from_micros(micros)
    }

    fn pacer(stages: &[(u32, u16, u64)]) -> Pacer {
        let stage =
            |&(packets, burst, micros): &(u32, u16, u64)| Stage { packets, burst, gap_ns: micros * 1_000 };
        let stages = stages.iter().map(stage).collect();
        Pacer::new(at(0), Program { lane: 0, after_us: 500, sizes: vec![100, 200], stages })
    }

    fn taken(pacer: &mut Pacer, micros: u64) -> Vec<(u32, u16)> {
        std::iter::from_fn(|| pacer.take(at(micros))).map(|due| (due.number, due.size)).collect()
    }

    #[test]
    fn packets_are_due_by_bursts_and_stages_one_after_another() {
        let mut pacer = pacer(&[(4, 2, 1_000), (2, 1, 10_000)]);
        assert_eq!((taken(&mut pacer, 499), pacer.due()), (vec![], Some(at(500))));
        assert_eq!(taken(&mut pacer, 500), [(0, 100), (1, 200)]);
        assert_eq!(pacer.due(), Some(at(1_500)));
        assert_eq!(taken(&mut pacer, 1_500), [(2, 100), (3, 200)]);
        assert_eq!(pacer.due(), Some(at(2_500)));
        assert_eq!(taken(&mut pacer, 12_500), [(4, 100), (5, 200)]);
        assert_eq!((pacer.due(), pacer.sent(), pacer.unsent()), (None, 6, 0));
    }

    #[test]
    fn a_late_timer_sends_a_small_burst_and_counts_the_rest() {
        let mut pacer = pacer(&[(1_000, 1, 100)]);
        assert_eq!(taken(&mut pacer, 50_500).len(), 41);
        assert_eq!((pacer.sent(), pacer.unsent()), (41, 460));
    }

    #[test]
    fn a_refused_packet_gives_its_number_to_the_next_but_not_its_size() {
        let mut pacer = pacer(&[(10, 1, 1_000)]);
        assert_eq!(taken(&mut pacer, 500), [(0, 100)]);
        pacer.on_refused();
        assert_eq!(taken(&mut pacer, 1_500), [(0, 200)]);
        pacer.stop();
        assert_eq!((pacer.due(), pacer.sent(), pacer.unsent()), (None, 1, 1));
    }
}
