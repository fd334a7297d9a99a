//! The frames of 802.11 that stations send, how long they take, and what the duration field says.

pub(crate) mod encode;

use anabranch_base::{BitRate, ByteCount, Duration};

use crate::config::RadioConfig;

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FrameKind {
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Acknowledgement.
    Ack,
    /// A data frame with a packet of a driver.
    Data,
    /// A broadcast data frame with a route request of DSR.
    RouteRequest,
    /// A data frame with a route reply of DSR.
    RouteReply,
    /// A data frame with a route error of DSR.
    RouteError,
}

impl FrameKind {
    /// Every kind.
    pub const ALL: [FrameKind; 7] = [
        FrameKind::Rts,
        FrameKind::Cts,
        FrameKind::Ack,
        FrameKind::Data,
        FrameKind::RouteRequest,
        FrameKind::RouteReply,
        FrameKind::RouteError,
    ];

    /// Returns true if it is a data frame of the MAC: any but RTS, CTS and ACK.
    pub const fn is_data(self) -> bool {
        !matches!(self, FrameKind::Rts | FrameKind::Cts | FrameKind::Ack)
    }
}

/// The times and sizes of a radio that follow from its configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AirTimes {
    pub(crate) slot: Duration,
    pub(crate) sifs: Duration,
    pub(crate) difs: Duration,
    /// The wait after a frame that was not understood: SIFS + ACK + DIFS (IEEE 802.11-2016 §10.3.2.3.7).
    pub(crate) eifs: Duration,
    pub(crate) rts: Duration,
    pub(crate) cts: Duration,
    pub(crate) ack: Duration,
    plcp: Duration,
    rate: BitRate,
    basic_rate: BitRate,
    /// MAC, LLC and SNAP headers and FCS.
    headers: ByteCount,
}

impl AirTimes {
    pub(crate) fn new(config: &RadioConfig) -> AirTimes {
        let basic = |bytes| config.plcp + span(config.basic_rate, bytes);
        let ack = basic(ACK);
        AirTimes {
            slot: config.slot,
            sifs: config.sifs,
            difs: config.difs,
            eifs: config.sifs + ack + config.difs,
            rts: basic(RTS),
            cts: basic(CTS),
            ack,
            plcp: config.plcp,
            rate: config.rate,
            basic_rate: config.basic_rate,
            headers: config.mac_header + config.llc_header,
        }
    }

    /// The size of the frame around an IP packet of `packet` bytes.
    pub(crate) fn mpdu(&self, packet: ByteCount) -> ByteCount {
        self.headers + packet
    }

    /// The air time of a data frame of `mpdu` bytes to one station.
    pub(crate) fn data(&self, mpdu: ByteCount) -> Duration {
        self.plcp + span(self.rate, mpdu)
    }

    /// The air time of a data frame of `mpdu` bytes to all stations.
    pub(crate) fn broadcast(&self, mpdu: ByteCount) -> Duration {
        self.plcp + span(self.basic_rate, mpdu)
    }

    /// The duration field of an RTS: CTS, data and ACK with their spaces (M-MAC-3).
    pub(crate) fn rts_duration(&self, mpdu: ByteCount) -> Duration {
        self.sifs * 3 + self.cts + self.data(mpdu) + self.ack
    }

    /// The duration field of the CTS that answers an RTS with this one.
    pub(crate) fn cts_duration(&self, rts_duration: Duration) -> Duration {
        rts_duration.saturating_sub(self.sifs + self.cts)
    }

    /// The duration field of a data frame to one station.
    pub(crate) fn data_duration(&self) -> Duration {
        self.sifs + self.ack
    }

    /// The time after an RTS within which another frame must begin, or its reservation ends (M-MAC-3).
    pub(crate) fn reservation(&self) -> Duration {
        self.sifs * 2 + self.cts + self.slot * 2
    }

    /// The time a station waits for a CTS.
    pub(crate) fn cts_wait(&self) -> Duration {
        self.sifs + self.cts + self.slot
    }

    /// The time a station waits for an ACK.
    pub(crate) fn ack_wait(&self) -> Duration {
        self.sifs + self.ack + self.slot
    }
}

/// A rate of zero does not pass the check of the configuration; here it is one bit a second.
fn span(rate: BitRate, bytes: ByteCount) -> Duration {
    let rate = rate.max(BitRate::from_bits_per_second(1));
    rate.time_for(bytes).unwrap_or(Duration::from_secs(1))
}

/// Bytes of an RTS, FCS included.
pub(crate) const RTS: ByteCount = ByteCount::new(20);
/// Bytes of a CTS, FCS included.
pub(crate) const CTS: ByteCount = ByteCount::new(14);
/// Bytes of an ACK, FCS included.
pub(crate) const ACK: ByteCount = ByteCount::new(14);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn air_times_at_one_megabit_are_those_of_the_standard() {
        let air = AirTimes::new(&RadioConfig { mac_header: ByteCount::new(28), ..RadioConfig::default() });
        let micros = Duration::from_micros;
        assert_eq!([air.rts, air.cts, air.ack], [352, 304, 304].map(micros));
        assert_eq!(air.eifs, micros(364));
        let mpdu = air.mpdu(ByteCount::new(540));
        assert_eq!(mpdu, ByteCount::new(576));
        assert_eq!(air.data(mpdu), micros(192 + 4_608));
        assert_eq!(air.rts_duration(mpdu), micros(30 + 304 + 4_800 + 304));
        assert_eq!(air.cts_duration(air.rts_duration(mpdu)), micros(20 + 4_800 + 304));
        assert_eq!(air.data_duration(), micros(314));
    }
}
