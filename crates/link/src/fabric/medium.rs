//! Media that several stations share, and how a fabric uses them.

use std::any::Any;
use std::fmt::Debug;

use anabranch_base::Machine;

use crate::packet::{Fate, Packet};

/// A station of a medium, by its number. A station is a port where packets enter and leave the medium.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Station(u16);

/// A packet from one station to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossing<L> {
    /// The station that sends it.
    pub from: Station,
    /// The station that is to receive it.
    pub to: Station,
    /// The packet.
    pub packet: Packet<L>,
}

/// A medium: packets enter at one station, and leave at another or are lost, as on a link. Any machine with these
/// inputs and outputs is a medium. `Any` lets the driver reach what a medium has beyond that.
pub trait Medium<L>: Machine<Input = Crossing<L>, Output = Fate<L>> + Debug + Send + Any {}

impl<L, T: Machine<Input = Crossing<L>, Output = Fate<L>> + Debug + Send + Any> Medium<L> for T {}

impl Station {
    /// The station with this number.
    pub const fn new(number: u16) -> Station {
        Station(number)
    }

    /// The number.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
