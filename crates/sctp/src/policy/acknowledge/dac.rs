//! CMT's delayed acknowledgement at the receiver: the order of arrival does not cause an immediate SACK, and each
//! SACK says how many packets it answers (M-CMT-4).

use anabranch_base::Duration;

use super::timing::{AckTiming, PacketNews, When};
use crate::wire::Sack;

/// The encoding of the number of packets in a SACK's flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DacWire {
    /// In the two high bits, up to 3: compatible with FreeBSD.
    Bits76,
    /// The plain number, as ns-2 writes it; only for comparing traces.
    Plain,
}

/// One SACK for `every` packets of the association, in order or not.
#[derive(Clone, Debug)]
pub struct Dac {
    every: u32,
    delay: Duration,
    wire: DacWire,
    /// True if a SACK that leaves before it answers `every` packets has the number 0, as in [ns-2's
    /// module](crate::policy::ns2).
    counts_full_only: bool,
    packets: u32,
}

impl DacWire {
    /// The flags of a SACK that answers `packets` packets.
    pub fn flags(self, packets: u32) -> u8 {
        match self {
            DacWire::Bits76 => Sack::flags_of_packet_count(packets),
            DacWire::Plain => u8::try_from(packets).unwrap_or(u8::MAX),
        }
    }

    /// The number of packets that `sack` answers; 0 if it does not say.
    pub fn packets(self, sack: &Sack<'_>) -> u8 {
        match self {
            DacWire::Bits76 => sack.packet_count(),
            DacWire::Plain => sack.flags,
        }
    }
}

impl Dac {
    /// A SACK after `every` packets with data, or `delay` after the first unreported packet.
    pub fn new(every: u32, delay: Duration, wire: DacWire) -> Dac {
        Dac { every, delay, wire, counts_full_only: false, packets: 0 }
    }

    /// Sets whether a SACK that leaves for another reason than its number of packets has the number 0.
    pub(crate) fn counting_full_only(self, counts_full_only: bool) -> Dac {
        Dac { counts_full_only, ..self }
    }
}

impl AckTiming for Dac {
    fn on_packet(&mut self, news: &PacketNews) -> When {
        self.packets = self.packets.saturating_add(1);
        // A packet that opens, extends or closes a gap is not urgent, because paths reorder packets.
        let is_urgent = news.duplicates_only || news.dropped || news.immediate || news.shutting_down;
        if self.packets >= self.every || is_urgent { When::Now } else { When::After(self.delay) }
    }

    fn on_sack_sent(&mut self) {
        self.packets = 0;
    }

    fn packets_since_sack(&self) -> u32 {
        self.packets
    }

    fn flags(&self) -> u8 {
        let is_said = self.packets >= self.every || !self.counts_full_only;
        self.wire.flags(if is_said { self.packets } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seq::Tsn;

    const DELAY: Duration = Duration::from_millis(200);

    fn dac() -> Dac {
        Dac::new(2, DELAY, DacWire::Bits76)
    }

    #[test]
    fn a_gap_does_not_cause_an_immediate_sack() {
        let gap = PacketNews { has_gap: true, ..PacketNews::default() };
        let closed = PacketNews { closed_gap: true, ..PacketNews::default() };
        let mut dac = dac();
        assert_eq!([gap, closed].map(|news| dac.on_packet(&news)), [When::After(DELAY), When::Now]);
    }

    #[test]
    fn duplicates_the_i_bit_lack_of_room_and_shutdown_are() {
        let urgent = [
            PacketNews { duplicates_only: true, ..PacketNews::default() },
            PacketNews { dropped: true, ..PacketNews::default() },
            PacketNews { immediate: true, ..PacketNews::default() },
            PacketNews { shutting_down: true, ..PacketNews::default() },
        ];
        for news in urgent {
            assert_eq!(dac().on_packet(&news), When::Now, "{news:?}");
        }
    }

    /// G25: n = 1, 2, 3, 7 packets since the last SACK.
    #[test]
    fn g25_the_flags_count_packets_up_to_three() {
        let flags = [1, 2, 3, 7].map(|packets| {
            let mut dac = dac();
            for _ in 0..packets {
                dac.on_packet(&PacketNews::default());
            }
            let flags = dac.flags();
            dac.on_sack_sent();
            (flags, dac.flags())
        });
        assert_eq!(flags, [0x40, 0x80, 0xc0, 0xc0].map(|counted| (counted, 0)));
    }

    #[test]
    fn a_sack_that_leaves_before_it_is_full_may_say_no_number() {
        let flags = [1, 2].map(|packets| {
            let mut dac = dac().counting_full_only(true);
            for _ in 0..packets {
                dac.on_packet(&PacketNews::default());
            }
            dac.flags()
        });
        assert_eq!(flags, [0, 0x80]);
    }

    #[test]
    fn the_plain_form_is_the_number_itself() {
        let counted = [1, 2, 300].map(|packets| DacWire::Plain.flags(packets));
        assert_eq!(counted, [1, 2, 255]);
        let sack = |flags| Sack {
            cumulative_tsn_ack: Tsn::new(0),
            a_rwnd: 0,
            flags,
            gap_blocks: [].as_slice().into(),
            duplicates: [].as_slice().into(),
        };
        assert_eq!(DacWire::Plain.packets(&sack(2)), 2);
        assert_eq!(DacWire::Bits76.packets(&sack(0x80)), 2);
        assert_eq!(DacWire::Bits76.packets(&sack(0)), 0);
    }
}
