//! The configuration of a mesh as plain values: the radios of one channel, and the stations that have them.

mod check;
mod movements;
mod settings;

pub use check::ConfigError;
pub use movements::MOVEMENTS;
pub use settings::{radio_settings, station_settings};

use anabranch_base::{BitRate, ByteCount, Distance, Duration, Speed};
use anabranch_link::config::{QueueConfig, QueueLimit};

/// The radios of one channel (M-MAC-1 to M-MAC-4): all stations of a mesh have the same.
#[derive(Clone, Debug, PartialEq)]
pub struct RadioConfig {
    /// The rate of data frames to one station.
    pub rate: BitRate,
    /// The rate of RTS, CTS, ACK and broadcast frames.
    pub basic_rate: BitRate,
    /// The distance within which a frame can be received.
    pub range: Distance,
    /// The distance within which a transmission is sensed, and destroys the reception of others. At least `range`.
    pub carrier_sense: Distance,
    /// The length of a slot.
    pub slot: Duration,
    /// The short interframe space.
    pub sifs: Duration,
    /// The DCF interframe space.
    pub difs: Duration,
    /// The smallest contention window, in slots: the first back-off is 0 to this.
    pub cw_min: u32,
    /// The largest contention window, in slots.
    pub cw_max: u32,
    /// The preamble and the PLCP header of a frame, as a time.
    pub plcp: Duration,
    /// The MAC header and the FCS of a data frame.
    pub mac_header: ByteCount,
    /// The LLC and SNAP headers of a data frame.
    pub llc_header: ByteCount,
    /// Frames to one station whose MPDU (MAC header and FCS included) is larger than this use RTS and CTS; `None`
    /// for no frame.
    pub rts_threshold: Option<ByteCount>,
    /// Attempts for frames up to the RTS threshold.
    pub short_retry: u32,
    /// Attempts for frames above the RTS threshold.
    pub long_retry: u32,
    /// The attempts that count against these limits.
    pub retry_count: RetryCount,
    /// The queue of each station.
    pub queue: QueueConfig,
    /// A frame is received in spite of others that overlap it if its power is this many decibels above each of
    /// theirs, with the power falling by the fourth power of the distance; `None`: any overlap destroys it.
    pub capture: Option<f64>,
}

/// Which failed attempts count against which retry limit (M-MAC-4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryCount {
    /// Each failed attempt of a frame, RTS or data, counts against the frame's one limit: the long one above the RTS
    /// threshold, the short one up to it.
    Every,
    /// IEEE 802.11: a failed RTS, or a failed frame up to the threshold, counts in the short counter; a failed frame
    /// above the threshold in the long counter; a CTS resets the short counter.
    Standard,
}

/// A station: where it is, and how it moves.
#[derive(Clone, Debug, PartialEq)]
pub struct StationConfig {
    /// Where it is at the beginning.
    pub position: Position,
    /// The movement.
    pub movement: Movement,
}

/// A place in the plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// To the east.
    pub x: Distance,
    /// To the north.
    pub y: Distance,
}

/// The movement of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement {
    /// It stays where it is.
    Still,
    /// Random waypoint: it goes in a straight line to a place that is drawn uniformly from the area, at a speed that
    /// is drawn uniformly, waits there, and goes on.
    RandomWaypoint {
        /// The corner of the area that is farthest from the origin, which is the opposite corner.
        area: Position,
        /// The least speed, above zero.
        slowest: Speed,
        /// The largest speed.
        fastest: Speed,
        /// The time it waits at each place.
        pause: Duration,
    },
}

/// The routing protocol of a flow's packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routing {
    /// Dynamic source routing (M-DSR-1).
    Dsr,
    /// The route with the fewest hops when the run starts, for all of it. Packets carry no route.
    Static,
}

impl Default for RadioConfig {
    /// 802.11 with DSSS at 1 Mbit/s and the long preamble, and the thesis's ranges (M-MAC-1).
    fn default() -> RadioConfig {
        RadioConfig {
            rate: BitRate::from_mbps(1),
            basic_rate: BitRate::from_mbps(1),
            range: Distance::from_metres(300),
            carrier_sense: Distance::from_metres(300),
            slot: Duration::from_micros(20),
            sifs: Duration::from_micros(10),
            difs: Duration::from_micros(50),
            cw_min: 31,
            cw_max: 1_023,
            plcp: Duration::from_micros(192),
            mac_header: ByteCount::new(34),
            llc_header: ByteCount::new(8),
            rts_threshold: Some(ByteCount::new(256)),
            short_retry: 7,
            long_retry: 4,
            retry_count: RetryCount::Every,
            queue: QueueConfig::DropTail(QueueLimit::Packets(50)),
            capture: None,
        }
    }
}

impl Default for StationConfig {
    /// At the origin, without movement.
    fn default() -> StationConfig {
        StationConfig { position: Position::default(), movement: Movement::Still }
    }
}
