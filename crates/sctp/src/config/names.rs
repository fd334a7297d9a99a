//! The words with which users choose among the values of a setting.

use anabranch_base::setting::Named;

use super::{BufferSplit, BurstRule, Charge, Encapsulation, MtuDiscovery, SackWhen, StreamScheduler, Unit};
use crate::policy::acknowledge::DacWire;

impl Named for Charge {
    const WHAT: &'static str = "charge";
    const NAMES: &'static [(&'static str, Charge)] =
        &[("user", Charge::User), ("chunk", Charge::Chunk), ("packet", Charge::Packet)];
}

/// [`Unit::Bytes`] has no word: only programs choose a number of bytes.
impl Named for Unit {
    const WHAT: &'static str = "window unit";
    const NAMES: &'static [(&'static str, Unit)] =
        &[("mtu", Unit::Mtu), ("pmdcs", Unit::Pmdcs), ("bytes", Unit::FullChunk)];
}

impl Named for Encapsulation {
    const WHAT: &'static str = "encapsulation";
    const NAMES: &'static [(&'static str, Encapsulation)] =
        &[("none", Encapsulation::None), ("udp", Encapsulation::Udp), ("sealed", Encapsulation::Sealed)];
}

impl Named for StreamScheduler {
    const WHAT: &'static str = "stream scheduler";
    const NAMES: &'static [(&'static str, StreamScheduler)] = &[
        ("first-come", StreamScheduler::FirstCome),
        ("round-robin", StreamScheduler::RoundRobin),
        ("round-robin-packet", StreamScheduler::RoundRobinPacket),
        ("priority", StreamScheduler::Priority),
        ("fair-bandwidth", StreamScheduler::FairBandwidth),
        ("weighted-fair", StreamScheduler::WeightedFair),
    ];
}

impl Named for MtuDiscovery {
    const WHAT: &'static str = "MTU discovery";
    const NAMES: &'static [(&'static str, MtuDiscovery)] =
        &[("off", MtuDiscovery::Off), ("on", MtuDiscovery::On)];
}

impl Named for BufferSplit {
    const WHAT: &'static str = "buffer split";
    const NAMES: &'static [(&'static str, BufferSplit)] = &[
        ("none", BufferSplit::None),
        ("sender", BufferSplit::Sender),
        ("receiver", BufferSplit::Receiver),
        ("both", BufferSplit::Both),
        ("receiver-flight", BufferSplit::ReceiverFlight),
        ("both-flight", BufferSplit::BothFlight),
    ];
}

impl Named for BurstRule {
    const WHAT: &'static str = "burst rule";
    const NAMES: &'static [(&'static str, BurstRule)] = &[
        ("event", BurstRule::Event),
        ("after-retransmission", BurstRule::AfterRetransmission),
        ("rfc", BurstRule::Rfc),
        ("paced", BurstRule::Paced),
    ];
}

impl Named for SackWhen {
    const WHAT: &'static str = "acknowledgement timing";
    const NAMES: &'static [(&'static str, SackWhen)] =
        &[("standard", SackWhen::Standard), ("any-order", SackWhen::AnyOrder)];
}

impl Named for DacWire {
    const WHAT: &'static str = "encoding of delayed acknowledgements";
    const NAMES: &'static [(&'static str, DacWire)] =
        &[("bits76", DacWire::Bits76), ("plain", DacWire::Plain)];
}
