//! Cuts the application's messages into chunks that every usable path carries (RFC 9260 §6.9).

use anabranch_base::ByteCount;

use super::session::Session;
use crate::config::{IpVersion, MtuDiscovery};
use crate::policy::{PathSample, PathState};
use crate::send::Outgoing;

impl Session {
    /// Adds a message to the send queue. It is cut at once if the packet size is fixed, else shortly before it is
    /// sent.
    pub(super) fn queue_message(&mut self, message: Outgoing) {
        match self.settings.config.mtu_discovery {
            MtuDiscovery::Off => self.send.push(message, self.largest_payload()),
            MtuDiscovery::On => {
                self.send.push_whole(message);
                self.cut_ahead();
            }
        }
    }

    /// Cuts the messages that are to be sent soon.
    pub(super) fn cut_ahead(&mut self) {
        if self.send.has_uncut() {
            let largest = self.largest_payload();
            self.send.cut_ahead(largest, self.policies.scheduler.look_ahead());
        }
    }

    /// The most user data in one chunk that every usable path carries.
    pub(super) fn largest_payload(&self) -> ByteCount {
        let config = &self.settings.config;
        let is_usable = |sample: &&PathSample| match config.mtu_discovery {
            MtuDiscovery::Off => sample.state != PathState::Removed,
            MtuDiscovery::On => sample.state.works() || sample.state == PathState::PotentiallyFailed,
        };
        let usable = self.paths.samples().iter().filter(is_usable);
        match usable.map(|sample| sample.packet_limit).min() {
            Some(narrowest) => config.payload_in_packet(narrowest),
            None => config.payload_within(config.first_mtu(IpVersion::V6), IpVersion::V6),
        }
    }
}
