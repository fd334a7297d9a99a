//! The packets of a measurement, as both ends saw them.
//!
//! The clocks of the ends may differ: a delay in one direction is known up to a constant, and to the drift of the clocks.

use anabranch_base::{BitRate, ByteCount, Duration, Time};

/// A measurement of all paths of one association.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// The paths that were measured, in the order of their lanes.
    pub lanes: Vec<Lane>,
    /// This end, which measures.
    pub here: End,
    /// The other end, as far as it told.
    pub there: End,
}

/// One path: a pair of addresses, and the test packets that it carried.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lane {
    /// The name: that of the local interface where it is known, else the local address.
    pub name: String,
    /// The address here.
    pub local: String,
    /// The address of the other end.
    pub remote: String,
    /// The local interface that has the address.
    pub interface: Option<String>,
    /// The interface by which most packets really left, by its counters; `None` where that cannot be told.
    pub carried_by: Option<String>,
    /// The MTU that the transport uses, as an IP packet.
    pub mtu: ByteCount,
    /// The MTU that the transport of the other end uses; zero if it did not tell.
    pub mtu_there: ByteCount,
    /// From this end to the other.
    pub forward: Vec<Flight>,
    /// From the other end to this one.
    pub reverse: Vec<Flight>,
    /// The measured round trips, by this end's clock.
    pub round_trips: Vec<RoundTrip>,
    /// The sizes of IP packets that were tried, each with the number that was sent and arrived, from this end to the other.
    pub sizes: Vec<SizeTried>,
    /// The same from the other end to this one.
    pub sizes_reverse: Vec<SizeTried>,
    /// True if nothing ever came back over this path.
    pub is_dead: bool,
    /// The silence after which the other end no longer reached this one over this path, because a translator (NAT) forgot it;
    /// `None` if it did, or if that was not measured.
    pub forgot_within: Option<Duration>,
}

/// Test packets that one end sent over one lane with one purpose.
#[derive(Clone, Debug, PartialEq)]
pub struct Flight {
    /// The purpose.
    pub purpose: Purpose,
    /// The packets in the order of their numbers. Of a lost packet `sent` is interpolated if the other end sent it.
    pub packets: Vec<TestPacket>,
}

/// The purpose of a flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Small packets at equal distances while nothing else is sent: round trip, variation, loss at rest.
    Rest,
    /// Small packets at equal distances while other lanes are filled: what they share.
    Beside {
        /// The lane that was filled.
        filled: usize,
        /// True if it was filled from this end to the other.
        is_forward: bool,
    },
    /// Packets of full size back to back, one train after another; `number` continues, trains are `length` packets.
    Trains {
        /// The number of packets of each train.
        length: u32,
    },
    /// Packets of full size at more than the estimated capacity, until the queue is full or the time is up.
    Fill,
    /// Many small packets well below the capacity, for the losses by chance.
    Chance,
    /// Packets of full size over all lanes at once, at more than the capacity of each.
    Together,
}

/// One test packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestPacket {
    /// The number within its flight, from 0.
    pub number: u32,
    /// The time of sending, by the sender's clock.
    pub sent: Time,
    /// The size of the IP packet.
    pub size: ByteCount,
    /// The time of arrival, by the receiver's clock; `None` if it was lost.
    pub arrived: Option<Time>,
}

/// A measured round trip, without the time for which the other end held the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundTrip {
    /// The time of the answer's arrival.
    pub at: Time,
    /// The round-trip time.
    pub took: Duration,
}

/// Packets of one size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SizeTried {
    /// The size of the IP packet.
    pub size: ByteCount,
    /// The number that was sent.
    pub sent: u32,
    /// The number that arrived.
    pub arrived: u32,
}

/// The statements of an end about itself. The other end's may be wrong on purpose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct End {
    /// The lateness of its timers: how much later than asked its pauses ended, the median.
    pub lateness: Duration,
    /// The lateness that 99 of 100 pauses did not exceed.
    pub lateness_p99: Duration,
    /// The processor time that it used, as a share of the measurement's time.
    pub processor_share: f64,
    /// The share of its due test packets that it sent in time, the least of its flights.
    pub least_sent_share: f64,
    /// The receive buffer of its sockets that the system granted, in bytes.
    pub socket_receive_buffer: ByteCount,
    /// The send buffer of its sockets.
    pub socket_send_buffer: ByteCount,
    /// The datagrams that its system dropped because a socket's buffer was full.
    pub socket_drops: Option<u64>,
    /// The limit to which its SCTP receive buffer may grow.
    pub receive_buffer_limit: ByteCount,
    /// The size of its SCTP send buffer.
    pub send_buffer: ByteCount,
    /// The rate at which it writes files, of the bytes of a file: `None` if it stores none, or if that was not measured.
    pub disk_write: Option<BitRate>,
    /// The lanes in their order, as it sees them.
    pub lanes: Vec<EndLane>,
}

/// A lane as one end sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndLane {
    /// The interface of that end that has the address.
    pub interface: Option<String>,
    /// The bytes that other programs moved on that interface meanwhile, both ways.
    pub others_bytes: Option<u64>,
    /// The MTU that its transport uses, as an IP packet.
    pub mtu: Option<ByteCount>,
}
