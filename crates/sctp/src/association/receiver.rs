//! The receiver: everything from a DATA chunk that arrived to the application that reads it, and to the SACK that
//! acknowledges it.

mod ecn_echo;
mod growth;
mod on_data;
mod rules;
mod sack;

use anabranch_base::ByteCount;

pub use on_data::{BadData, PacketData};
pub use rules::AckRules;

use super::ground::Ground;
use crate::policy::PathId;
use crate::policy::acknowledge::Listed;
use crate::receive::{Allowance, Arrivals, Delivery, ReadyMessages, Reassembly, ReceiveBuffer, Tuning};
use crate::seq::Tsn;
use ecn_echo::EcnEchoes;

/// The receiving half of an association.
#[derive(Debug)]
pub struct Receiver {
    arrivals: Arrivals,
    reassembly: Reassembly,
    delivery: Delivery,
    buffer: ReceiveBuffer,
    /// Lets the receive buffer grow; `None` if its size is fixed.
    tuning: Option<Tuning>,
    rules: AckRules,
    /// The path for a SACK that is due, or will be.
    sack_path: PathId,
    is_sack_due: bool,
    /// The reports of congestion marks that are owed.
    ecn_echo: EcnEchoes,
    /// The memory for what the next SACK lists.
    listed: Listed,
}

impl Receiver {
    /// The receiver of a new association over the paths of `ground`.
    pub fn new(ground: &Ground, rules: AckRules) -> Receiver {
        let (config, agreement) = (&ground.settings.config, &ground.agreement);
        let two_levels = agreement.receiver.two_levels;
        let second_level = if two_levels { config.second_level() } else { ByteCount::ZERO };
        Receiver {
            arrivals: Arrivals::new(agreement.peer_tsn),
            reassembly: Reassembly::new(),
            delivery: Delivery::new(agreement.inbound_streams),
            buffer: ReceiveBuffer::new(config.receive_buffer).with_second_level(second_level),
            tuning: config
                .receive_growth
                .map(|growth| Tuning::new(growth, Allowance::none(ground.settings.budget.clone()))),
            rules,
            sack_path: ground.paths.primary(),
            is_sack_due: false,
            ecn_echo: EcnEchoes::default(),
            listed: Listed::default(),
        }
    }

    /// Returns true if a SACK is to leave now.
    pub fn is_sack_due(&self) -> bool {
        self.is_sack_due
    }

    /// The next SACK goes to `path`.
    pub fn answer_on(&mut self, path: PathId) {
        self.sack_path = path;
    }

    /// The cumulative TSN ack point of what arrived.
    pub fn cumulative(&self) -> Tsn {
        self.arrivals.cumulative()
    }

    /// User data that waits for the application or for the rest of its message.
    pub fn held(&self) -> ByteCount {
        self.buffer.held()
    }

    /// The size of the receive buffer.
    pub fn capacity(&self) -> ByteCount {
        self.buffer.capacity()
    }

    /// The path was removed.
    pub fn remove_path(&mut self, path: PathId) {
        self.ecn_echo.remove_path(path);
    }

    /// The complete messages that nobody has read.
    pub fn into_ready(self) -> ReadyMessages {
        self.delivery.into_ready()
    }
}
