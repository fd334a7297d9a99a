//! A sending program: which test packets an end sends over one lane in one segment, and when.

use anabranch_base::{BitRate, ByteCount, Duration};
use serde::{Deserialize, Serialize};

/// A sending program of one lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The lane.
    pub lane: u8,
    /// The pause before its first packet, in microseconds.
    pub after_us: u32,
    /// The sizes of the IP packets in turn.
    pub sizes: Vec<u16>,
    /// The stages, one after another.
    pub stages: Vec<Stage>,
}

/// Bursts of packets at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The number of packets.
    pub packets: u32,
    /// The packets of a burst, sent back to back.
    pub burst: u16,
    /// The nanoseconds from the start of one burst to that of the next.
    pub gap_ns: u64,
}

/// The error of a program that cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// There are too few or too many sizes.
    #[error("a sending program of {0} packet sizes, expected 1 to {MOST_SIZES}")]
    Sizes(usize),
    /// A size is out of range.
    #[error("a test packet of {0} bytes, expected {LEAST_SIZE} to {MOST_SIZE}")]
    Size(u16),
    /// There are too few or too many stages.
    #[error("a sending program of {0} stages, expected 1 to {MOST_STAGES}")]
    Stages(usize),
    /// A stage is empty, has no burst, or is too fast.
    #[error(
        "a stage of {packets} packets in bursts of {burst}, each {gap_ns} ns: expected packets, bursts up to \
             {MOST_BURST}, and gaps of {LEAST_GAP} ns to {MOST_GAP} ns"
    )]
    Stage {
        /// The packets.
        packets: u32,
        /// The packets of a burst.
        burst: u16,
        /// The gap.
        gap_ns: u64,
    },
    /// There are too many packets.
    #[error("a sending program of {0} packets, at most {MOST_PACKETS} are possible")]
    Packets(u64),
}

impl Program {
    /// Checks that the program can be executed.
    ///
    /// # Errors
    /// The value that is out of range.
    pub fn check(&self) -> Result<(), ProgramError> {
        if !(1..=MOST_SIZES).contains(&self.sizes.len()) {
            return Err(ProgramError::Sizes(self.sizes.len()));
        }
        if let Some(size) = self.sizes.iter().find(|size| !(LEAST_SIZE..=MOST_SIZE).contains(*size)) {
            return Err(ProgramError::Size(*size));
        }
        if !(1..=MOST_STAGES).contains(&self.stages.len()) {
            return Err(ProgramError::Stages(self.stages.len()));
        }
        let is_wrong = |stage: &&Stage| {
            let has_gap = (LEAST_GAP..=MOST_GAP).contains(&stage.gap_ns);
            stage.packets == 0 || !(1..=MOST_BURST).contains(&stage.burst) || !has_gap
        };
        if let Some(&Stage { packets, burst, gap_ns }) = self.stages.iter().find(is_wrong) {
            return Err(ProgramError::Stage { packets, burst, gap_ns });
        }
        let packets: u64 = self.stages.iter().map(|stage| u64::from(stage.packets)).sum();
        if packets > MOST_PACKETS.into() { Err(ProgramError::Packets(packets)) } else { Ok(()) }
    }

    /// The number of packets.
    pub fn packets(&self) -> u32 {
        self.stages.iter().map(|stage| stage.packets).fold(0, u32::saturating_add)
    }

    /// The most bytes of IP packets.
    pub fn bytes(&self) -> ByteCount {
        ByteCount::new(u64::from(self.packets()) * u64::from(self.largest()))
    }

    /// The time from its beginning to its end.
    pub fn duration(&self) -> Duration {
        let stages = self.stages.iter().map(Stage::duration).fold(Duration::ZERO, |sum, stage| sum + stage);
        Duration::from_micros(self.after_us.into()) + stages
    }

    /// The highest rate of its stages.
    pub fn rate(&self) -> BitRate {
        let bits = |stage: &Stage| {
            let bits = u128::from(self.largest()) * 8 * u128::from(stage.burst) * 1_000_000_000;
            u64::try_from(bits / u128::from(stage.gap_ns.max(1))).unwrap_or(u64::MAX)
        };
        BitRate::from_bits_per_second(self.stages.iter().map(bits).max().unwrap_or(0))
    }

    fn largest(&self) -> u16 {
        self.sizes.iter().copied().max().unwrap_or(0)
    }
}

impl Stage {
    /// The time from its beginning to that of the next stage.
    pub fn duration(&self) -> Duration {
        self.gap() * u64::from(self.packets.div_ceil(u32::from(self.burst.max(1))))
    }

    /// The time from the start of one burst to that of the next.
    pub fn gap(&self) -> Duration {
        Duration::from_nanos(self.gap_ns)
    }
}

const MOST_SIZES: usize = 64;
/// The smallest IP packet that is asked for; the transport sends a larger one if its headers need it.
const LEAST_SIZE: u16 = 40;
/// The largest IP packet of Ethernet with jumbo frames.
const MOST_SIZE: u16 = 9_216;
const MOST_STAGES: usize = 8;
const MOST_BURST: u16 = 256;
/// A microsecond.
const LEAST_GAP: u64 = 1_000;
/// A minute.
const MOST_GAP: u64 = 60_000_000_000;
/// The most packets of one program.
pub(super) const MOST_PACKETS: u32 = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Program {
        let trains = Stage { packets: 60, burst: 20, gap_ns: 300_000_000 };
        Program { lane: 1, after_us: 1_000, sizes: vec![100, 1_500], stages: vec![trains] }
    }

    #[test]
    fn a_program_says_its_length_bytes_and_rate() {
        let program = program();
        assert_eq!((program.check(), program.packets()), (Ok(()), 60));
        assert_eq!(program.duration(), Duration::from_millis(901));
        assert_eq!(program.bytes(), ByteCount::new(90_000));
        assert_eq!(program.rate(), BitRate::from_bits_per_second(800_000));
    }

    #[test]
    fn programs_without_a_meaning_are_refused() {
        let with = |change: fn(&mut Program)| {
            let mut program = program();
            change(&mut program);
            program.check()
        };
        assert_eq!(with(|program| program.sizes.clear()), Err(ProgramError::Sizes(0)));
        assert_eq!(with(|program| program.sizes[0] = 39), Err(ProgramError::Size(39)));
        assert_eq!(with(|program| program.stages.clear()), Err(ProgramError::Stages(0)));
        assert!(matches!(with(|program| program.stages[0].burst = 0), Err(ProgramError::Stage { .. })));
        assert!(matches!(with(|program| program.stages[0].gap_ns = 0), Err(ProgramError::Stage { .. })));
        assert!(matches!(with(|program| program.stages[0].packets = 0), Err(ProgramError::Stage { .. })));
        assert_eq!(
            with(|program| program.stages[0].packets = u32::MAX),
            Err(ProgramError::Packets(u32::MAX.into()))
        );
    }
}
