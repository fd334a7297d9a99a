//! The limits of a server: what a client may let it send.

use anabranch_base::{BitRate, ByteCount, Duration};
use serde::{Deserialize, Serialize};

use super::program::Program;

/// The limits of a server for a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The highest rate of a lane, in bits a second of IP packets.
    pub rate: BitRate,
    /// The most bytes of all programs together.
    pub bytes: ByteCount,
    /// The longest measurement.
    pub duration: Duration,
    /// The most lanes.
    pub lanes: u8,
}

/// The limits as they are written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LimitsText {
    rate_bps: u64,
    bytes: u64,
    duration_ns: u64,
    lanes: u8,
}

impl Limits {
    /// Checks the programs of a segment, before which `used_bytes` of the limit were sent.
    ///
    /// # Errors
    /// The reason, in words for the user of the client.
    pub fn check(&self, programs: &[Program], used_bytes: ByteCount) -> Result<(), String> {
        if programs.len() > usize::from(self.lanes) {
            return Err(format!("{} lanes: this end measures at most {}", programs.len(), self.lanes));
        }
        for (index, program) in programs.iter().enumerate() {
            program.check().map_err(|error| error.to_string())?;
            if program.lane >= self.lanes || programs[..index].iter().any(|other| other.lane == program.lane)
            {
                return Err(format!("lane {} twice, or beyond the {} of this end", program.lane, self.lanes));
            }
            if program.rate() > self.rate {
                return Err(format!(
                    "test packets at {}: this end sends at most {}",
                    program.rate(),
                    self.rate
                ));
            }
            if program.duration() > self.duration {
                let (asked, most) = (program.duration(), self.duration);
                return Err(format!("test packets for {asked}: this end sends them for at most {most}"));
            }
        }
        let bytes = used_bytes + programs.iter().map(Program::bytes).sum();
        if bytes > self.bytes {
            return Err(format!("test packets of {bytes} in all: this end sends at most {}", self.bytes));
        }
        Ok(())
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            rate: BitRate::from_mbps(1_000),
            bytes: ByteCount::new(4_000_000_000),
            duration: Duration::from_secs(180),
            lanes: 16,
        }
    }
}

impl From<Limits> for LimitsText {
    fn from(limits: Limits) -> LimitsText {
        LimitsText {
            rate_bps: limits.rate.bits_per_second(),
            bytes: limits.bytes.get(),
            duration_ns: limits.duration.as_nanos(),
            lanes: limits.lanes,
        }
    }
}

impl From<LimitsText> for Limits {
    fn from(text: LimitsText) -> Limits {
        Limits {
            rate: BitRate::from_bits_per_second(text.rate_bps),
            bytes: ByteCount::new(text.bytes),
            duration: Duration::from_nanos(text.duration_ns),
            lanes: text.lanes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::program::Stage;
    use super::*;

    fn program(lane: u8, packets: u32, gap_ns: u64) -> Program {
        Program { lane, after_us: 0, sizes: vec![1_500], stages: vec![Stage { packets, burst: 1, gap_ns }] }
    }

    #[test]
    fn what_is_too_much_is_refused_in_words() {
        let limits = Limits { bytes: ByteCount::new(1_000_000), lanes: 2, ..Limits::default() };
        let check = |programs: &[Program], used_bytes| limits.check(programs, ByteCount::new(used_bytes));
        assert_eq!(check(&[program(0, 600, 100_000), program(1, 66, 100_000)], 1_000), Ok(()));
        let refused = [
            (check(&[program(0, 600, 100_000), program(1, 66, 100_000)], 1_001), "in all"),
            (check(&[program(2, 1, 100_000)], 0), "lane 2"),
            (check(&[program(0, 1, 100_000), program(0, 1, 100_000)], 0), "lane 0 twice"),
            (check(&[program(0, 1, 11_000)], 0), "Gbit/s"),
            (check(&[program(0, 4, 50_000_000_000)], 0), "for at most"),
            (check(&[program(0, 0, 100_000)], 0), "stage of 0"),
            (check(&[program(0, 1, 100_000), program(1, 1, 100_000), program(2, 1, 100_000)], 0), "3 lanes"),
        ];
        for (result, word) in refused {
            assert!(result.clone().is_err_and(|why| why.contains(word)), "{word}: {result:?}");
        }
    }
}
