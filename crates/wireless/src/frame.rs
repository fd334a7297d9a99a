//! Frames of 802.11: their kinds, sizes and times on air, and the durations that they announce (IEEE 802.11-1999 §7.2, §9.2).

use anabranch_base::{BitRate, ByteCount, Duration};
use anabranch_link::fabric::Station;

use crate::config::RadioConfig;

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FrameKind {
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Acknowledgement.
    Ack,
    /// A packet of a flow.
    Data,
    /// A packet of DSR: a route request, which is broadcast, a reply or an error.
    Routing,
}

/// The header of a frame, as far as the simulation needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its kind.
    pub kind: FrameKind,
    /// The station that sends it.
    pub from: Station,
    /// The station that it is for; `None` for a broadcast.
    pub to: Option<Station>,
    /// Its bytes, from the MAC header to the FCS.
    pub size: ByteCount,
    /// For how long after its end others may not send (the duration field).
    pub duration: Duration,
    /// Whether it was sent before.
    pub is_retry: bool,
    /// The number of the packet that it carries, at its sender.
    pub sequence: u16,
}

impl Frame {
    /// Whether it carries a packet, of a flow or of DSR.
    pub fn has_packet(&self) -> bool {
        matches!(self.kind, FrameKind::Data | FrameKind::Routing)
    }
}

/// The times of frames and of the gaps between them, computed once.
#[derive(Clone, Copy, Debug)]
pub struct AirTimes {
    /// The short interframe space.
    pub sifs: Duration,
    /// The DCF interframe space.
    pub difs: Duration,
    /// The extended interframe space, after a frame with errors: SIFS, an ACK and DIFS.
    pub eifs: Duration,
    /// A slot.
    pub slot: Duration,
    /// An RTS.
    pub rts: Duration,
    /// A CTS.
    pub cts: Duration,
    /// An ACK.
    pub ack: Duration,
    plcp: Duration,
    rate: BitRate,
    basic_rate: BitRate,
}

impl AirTimes {
    /// The times of these radios.
    pub fn of(config: &RadioConfig) -> AirTimes {
        let control = |size| config.plcp + time_for(config.basic_rate, size);
        let ack = control(ACK);
        AirTimes {
            sifs: config.sifs,
            difs: config.difs,
            eifs: config.sifs + ack + config.difs,
            slot: config.slot,
            rts: control(RTS),
            cts: control(CTS),
            ack,
            plcp: config.plcp,
            rate: config.rate,
            basic_rate: config.basic_rate,
        }
    }

    /// How long a frame that carries `size` bytes, from the MAC header to the FCS, to one station is on air.
    pub fn unicast(&self, size: ByteCount) -> Duration {
        self.plcp + time_for(self.rate, size)
    }

    /// The same for a broadcast.
    pub fn broadcast(&self, size: ByteCount) -> Duration {
        self.plcp + time_for(self.basic_rate, size)
    }

    /// How long after a frame a station knows that it is not answered: SIFS, the answer and a slot.
    pub fn answer_timeout(&self, answer: Duration) -> Duration {
        self.sifs + answer + self.slot
    }

    /// How long after an RTS a station that only heard the RTS waits for the data before it gives the medium free again.
    pub fn data_must_begin(&self) -> Duration {
        self.sifs + self.sifs + self.cts + self.slot + self.slot
    }
}

/// The size of an RTS.
pub const RTS: ByteCount = ByteCount::new(20);
/// The size of a CTS.
pub const CTS: ByteCount = ByteCount::new(14);
/// The size of an ACK.
pub const ACK: ByteCount = ByteCount::new(14);

/// A rate of zero is refused where it is read.
fn time_for(rate: BitRate, size: ByteCount) -> Duration {
    rate.time_for(size).unwrap_or(Duration::from_secs(3_600))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_at_one_megabit_take_their_times() {
        let times = AirTimes::of(&RadioConfig::default());
        let micros = |span: Duration| span.as_nanos() / 1_000;
        assert_eq!([times.rts, times.cts, times.ack].map(micros), [352, 304, 304]);
        assert_eq!(micros(times.eifs), 364);
        assert_eq!(micros(times.unicast(ByteCount::new(576))), 4_800);
        assert_eq!(micros(times.answer_timeout(times.ack)), 334);
    }
}
