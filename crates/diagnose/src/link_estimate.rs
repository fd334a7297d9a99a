//! The estimate of a link: what one path can carry each way.

use serde::Serialize;

use crate::estimated::Estimated;

/// The estimate of the link under one lane.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LinkEstimate {
    /// The lane's name.
    pub name: String,
    /// Measured, or the reason why nothing could be measured.
    pub status: LinkStatus,
    /// The least round-trip time in seconds: propagation, and the sending of a small packet each way.
    pub round_trip_s: Option<Estimated>,
    /// The median of the round-trip times at rest, in seconds.
    pub round_trip_median_s: Option<Estimated>,
    /// The MTU: the largest IP packet that arrived, in bytes, of the ways the smaller one; where none was tried, the one that the
    /// transport uses.
    pub mtu_bytes: Option<u64>,
    /// A size that vanished on the way there though the transport uses it.
    pub mtu_hole_bytes: Option<u64>,
    /// A size that vanished on the way back though the transport of the other end uses it.
    pub mtu_hole_reverse_bytes: Option<u64>,
    /// From this end to the other.
    pub forward: DirectionEstimate,
    /// From the other end to this one.
    pub reverse: DirectionEstimate,
    /// The names of the lanes with which it shares a bottleneck from this end to the other.
    pub shares_forward: Vec<String>,
    /// The same from the other end to this one.
    pub shares_reverse: Vec<String>,
}

/// One direction of a link.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DirectionEstimate {
    /// The capacity in bits a second of IP packets.
    pub rate_bps: Option<Estimated>,
    /// The rate over time while the link was filled, `(seconds, bits a second)`, if it varies by more than noise.
    pub rate_steps: Option<Vec<(f64, f64)>>,
    /// The queue before the bottleneck.
    pub queue: Option<Queue>,
    /// The share of packets lost below the knee, by chance.
    pub chance_loss: Option<Estimated>,
    /// The runs of these losses; `None` if they are single.
    pub loss_runs: Option<LossRuns>,
    /// The share lost while the queue was full.
    pub queue_loss: Option<Estimated>,
    /// The variation of the delay at rest, in seconds: the 95 % quantile less the least.
    pub variation_s: Option<Estimated>,
    /// The delay added while the link is full, in seconds.
    pub delay_under_load_s: Option<Estimated>,
}

/// The queue of a bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Queue {
    /// The depth in seconds of the link's rate.
    pub depth_s: Estimated,
    /// The depth in bytes.
    pub depth_bytes: Estimated,
    /// True if it was not filled to its end: then the depth is at least this.
    pub is_at_least: bool,
    /// True if packets above the rate were dropped without a queue: a policer. The depth is then what it lets pass at once.
    pub is_policer: bool,
}

/// Losses in runs, as a Gilbert-Elliott process that loses every packet of the bad state (Gilbert 1960).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LossRuns {
    /// The probability of a step from good to bad, a packet.
    pub good_to_bad: Estimated,
    /// The probability of a step from bad to good.
    pub bad_to_good: Estimated,
    /// The mean distance of the packets that showed them, in seconds. Divided by the probability of leaving a state it is the
    /// mean time in that state, for a process that goes by time instead of packets.
    pub spacing_s: f64,
}

/// The result of measuring a lane.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkStatus {
    /// It was measured.
    #[default]
    Measured,
    /// Nothing came back.
    Dead,
    /// This machine, or the other, was later than what would be measured.
    TooLate,
}
