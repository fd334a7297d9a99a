//! Script numbers against live numbers. Only the machine under test draws its own: its tag and its initial TSN. The
//! numbers of the peer are used as the script says.

use super::form::Numbering;

/// The sender of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sender {
    /// The machine under test.
    Us,
    /// The peer, which the script plays.
    Peer,
}

impl Sender {
    /// The other end.
    pub(super) fn other(self) -> Sender {
        match self {
            Sender::Us => Sender::Peer,
            Sender::Peer => Sender::Us,
        }
    }
}

/// A number in the script and on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Pair {
    script: u32,
    live: u32,
}

impl Pair {
    fn to_live(self, number: u32) -> u32 {
        number.wrapping_sub(self.script).wrapping_add(self.live)
    }

    fn to_script(self, number: u32) -> u32 {
        number.wrapping_sub(self.live).wrapping_add(self.script)
    }
}

/// The numbers of an association, in the script and on the wire.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    tag: Pair,
    tsn: Pair,
    /// The tags of the peer, the newest last.
    peer_tags: Vec<u32>,
    /// The state cookie that the machine under test made last.
    pub(super) cookie: Option<Vec<u8>>,
    /// The heartbeat information that the machine under test sent last.
    pub(super) heartbeat: Option<Vec<u8>>,
}

impl Numbers {
    /// Takes the tag and the initial TSN of the machine under test, each as (script, live).
    pub(super) fn renew_ours(&mut self, tag: (u32, u32), tsn: (u32, u32)) {
        self.tag = Pair { script: tag.0, live: tag.1 };
        self.tsn = Pair { script: tsn.0, live: tsn.1 };
    }

    /// Takes a tag of the peer.
    pub(super) fn add_peer_tag(&mut self, tag: u32) {
        self.peer_tags.retain(|known| *known != tag);
        self.peer_tags.push(tag);
    }

    /// The tags of the peer, the newest last.
    pub(super) fn peer_tags(&self) -> &[u32] {
        &self.peer_tags
    }

    /// The live number for `number` in a packet of `sender`.
    pub(super) fn to_live(&self, numbering: Numbering, sender: Sender, number: u32) -> u32 {
        match (numbering, sender) {
            (Numbering::SenderTsn, Sender::Us) | (Numbering::ReceiverTsn, Sender::Peer) => {
                self.tsn.to_live(number)
            }
            (Numbering::SenderTag, Sender::Us) if number == self.tag.script => self.tag.live,
            _ => number,
        }
    }

    /// The script's number for `number` in a packet of `sender`.
    pub(super) fn to_script(&self, numbering: Numbering, sender: Sender, number: u32) -> u32 {
        match (numbering, sender) {
            (Numbering::SenderTsn, Sender::Us) | (Numbering::ReceiverTsn, Sender::Peer) => {
                self.tsn.to_script(number)
            }
            (Numbering::SenderTag, Sender::Us) if number == self.tag.live => self.tag.script,
            _ => number,
        }
    }

    /// The live verification tag for our tag `tag` of the script. Zero stays zero, and no other tag becomes zero.
    pub(super) fn our_live_tag(&self, tag: u32) -> u32 {
        if tag == 0 { 0 } else { self.tag.to_live(tag).max(1) }
    }

    /// The tag of the machine under test on the wire; zero before it chose one.
    pub(super) fn live_tag(&self) -> u32 {
        self.tag.live
    }

    /// The script's tag for a live verification tag that reflects ours.
    pub(super) fn our_script_tag(&self, tag: u32) -> u32 {
        if tag == 0 { 0 } else { self.tag.to_script(tag) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers() -> Numbers {
        let mut numbers = Numbers::default();
        numbers.renew_ours((1, 0x8000_0000), (1, 0xffff_ffff));
        numbers
    }

    #[test]
    fn our_numbers_are_mapped_modulo_2_to_the_32() {
        let numbers = numbers();
        assert_eq!(numbers.to_script(Numbering::SenderTsn, Sender::Us, 0), 2);
        assert_eq!(numbers.to_live(Numbering::ReceiverTsn, Sender::Peer, 3), 1);
    }

    #[test]
    fn numbers_of_the_peer_stay_as_the_script_says() {
        let numbers = numbers();
        assert_eq!(numbers.to_script(Numbering::ReceiverTsn, Sender::Us, 7), 7);
        assert_eq!(numbers.to_live(Numbering::SenderTsn, Sender::Peer, 7), 7);
        assert_eq!(numbers.to_live(Numbering::Plain, Sender::Peer, 7), 7);
    }

    #[test]
    fn only_our_own_tag_is_mapped() {
        let numbers = numbers();
        assert_eq!(numbers.to_script(Numbering::SenderTag, Sender::Us, 0x8000_0000), 1);
        assert_eq!(numbers.to_script(Numbering::SenderTag, Sender::Us, 5), 5);
    }

    #[test]
    fn a_wrong_verification_tag_stays_as_far_from_ours() {
        let numbers = numbers();
        assert_eq!(numbers.our_live_tag(3), 0x8000_0002);
        assert_eq!(numbers.our_live_tag(0), 0);
        assert_eq!(numbers.our_script_tag(0x8000_0002), 3);
        assert_eq!(numbers.our_live_tag(0x8000_0001), 1, "no tag but zero becomes zero");
    }

    #[test]
    fn without_an_association_numbers_stay() {
        assert_eq!(Numbers::default().our_live_tag(3), 3);
        assert_eq!(Numbers::default().to_script(Numbering::SenderTsn, Sender::Us, 9), 9);
    }
}
