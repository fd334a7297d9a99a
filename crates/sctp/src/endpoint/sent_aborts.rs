//! The ABORTs of associations that this end aborted, kept for peers that did not receive them.

use std::collections::VecDeque;

use super::channel::Channel;
use crate::wire::VerificationTag;

/// The latest ABORTs.
#[derive(Debug, Default)]
pub(super) struct SentAborts {
    latest: VecDeque<SentAbort>,
}

#[derive(Debug)]
struct SentAbort {
    tag: VerificationTag,
    channel: Channel,
    packet: Vec<u8>,
}

impl SentAborts {
    /// Keeps the ABORT of the association with our tag `tag`, which is removed now.
    pub(super) fn keep(&mut self, tag: VerificationTag, channel: Channel, packet: Vec<u8>) {
        if self.latest.len() == MOST {
            self.latest.pop_front();
        }
        self.latest.push_back(SentAbort { tag, channel, packet });
    }

    /// The ABORT of the association with our tag `tag`.
    pub(super) fn of(&self, tag: VerificationTag, channel: Channel) -> Option<&[u8]> {
        let mut aborts = self.latest.iter().filter(|abort| abort.tag == tag && abort.channel == channel);
        aborts.next().map(|abort| abort.packet.as_slice())
    }
}

/// The number of ABORTs kept: each has up to half a kilobyte, and is needed within a round trip or two.
const MOST: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_are_kept_each_for_its_tag_and_channel() {
        let mut aborts = SentAborts::default();
        for number in 0..=MOST as u32 {
            aborts.keep(VerificationTag::new(number), Channel::PLAIN, number.to_be_bytes().to_vec());
        }
        let of = |tag, channel| aborts.of(VerificationTag::new(tag), channel);
        assert_eq!(of(0, Channel::PLAIN), None);
        assert_eq!(of(1, Channel::PLAIN), Some([0, 0, 0, 1].as_slice()));
        assert_eq!(of(1, Channel::new(7)), None);
    }
}
