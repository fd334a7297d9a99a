//! Fragments the application's messages into chunks that every usable path carries (RFC 9260 §6.9).

use anabranch_base::ByteCount;

use super::Sender;
use crate::association::ground::Ground;
use crate::config::{IpVersion, MtuDiscovery};
use crate::policy::{PathSample, PathState};
use crate::send::Outgoing;
use crate::wire::IData;

impl Sender {
    /// Adds a message to the send queue. It is fragmented at once if the packet size is fixed, else shortly before it
    /// is sent.
    #[inline]
    pub(super) fn queue_message(&mut self, ground: &Ground, message: Outgoing) {
        match ground.settings.config.mtu_discovery {
            MtuDiscovery::Off => self.buffer.push(message, largest_payload(ground)),
            MtuDiscovery::On => {
                self.buffer.push_whole(message);
                self.cut_ahead(ground);
            }
        }
    }

    /// Adds a message that is to leave before all that wait.
    #[inline(never)]
    pub(super) fn queue_prompt(&mut self, ground: &Ground, message: Outgoing) {
        self.buffer.push_prompt(message, largest_payload(ground));
    }

    /// The amount of waiting data among which the scheduler last chose.
    pub(crate) fn look_ahead(&self) -> ByteCount {
        self.rules.scheduler.look_ahead()
    }

    /// Fragments the messages that are sent next.
    #[inline]
    pub(super) fn cut_ahead(&mut self, ground: &Ground) {
        if self.buffer.has_unfragmented() {
            let largest = largest_payload(ground);
            self.buffer.cut_ahead(largest, self.look_ahead());
        }
    }
}

/// The largest user data of a chunk that every usable path carries.
pub(super) fn largest_payload(ground: &Ground) -> ByteCount {
    let config = &ground.settings.config;
    let is_usable = |sample: &&PathSample| match config.mtu_discovery {
        MtuDiscovery::Off => sample.state != PathState::Removed,
        MtuDiscovery::On => sample.state.works() || sample.state == PathState::PotentiallyFailed,
    };
    let usable = ground.paths.samples().iter().filter(is_usable);
    let longer = if ground.agreement.features.interleaving { IData::LONGER } else { 0 };
    match usable.map(|sample| sample.packet_limit).min() {
        Some(narrowest) => config.payload_in_packet(narrowest - ByteCount::of_len(longer)),
        None => config.payload_within(config.first_mtu(IpVersion::V6), IpVersion::V6),
    }
}
