//! The receiver: handles DATA from its arrival until the application reads it and a SACK acknowledges it.

mod ecn_echo;
mod growth;
mod in_parts;
mod on_data;
mod on_forward_tsn;
mod resetting;
mod rules;
mod sack;

use anabranch_base::ByteCount;

pub(super) use on_data::{BadData, PacketData};
pub(super) use rules::AckRules;

use super::ground::Ground;
use crate::config::NrGaps;
use crate::policy::PathId;
use crate::policy::acknowledge::Listed;
use crate::receive::{
    Allowance, Arrivals, Assembly, Deferred, Delivery, Numbering, ReadyMessages, ReceiveBuffer, Tuning,
    Unreadable,
};
use crate::seq::Tsn;
use ecn_echo::EcnEchoes;

/// The receiving half of an association.
#[derive(Debug)]
pub(super) struct Receiver {
    arrivals: Arrivals,
    assembly: Assembly,
    delivery: Delivery,
    /// Messages that wait for a reset of their streams.
    deferred: Option<Box<Deferred>>,
    buffer: ReceiveBuffer,
    /// True if messages may be delivered in parts.
    may_divide: bool,
    /// Lets the receive buffer grow; `None` if its size is fixed.
    tuning: Option<Tuning>,
    rules: AckRules,
    /// The path for the next SACK.
    sack_path: PathId,
    is_sack_due: bool,
    /// True if NR-SACKs are sent in place of SACKs. Where SACKs report only new gaps, they stay SACKs.
    is_firm: bool,
    /// The messages that the application cannot read yet; `None` unless NR-SACKs tell it apart.
    unreadable: Option<Unreadable>,
    /// The reports of congestion marks to send.
    ecn_echo: EcnEchoes,
    /// The reused memory for the lists of the next SACK.
    listed: Listed,
}

impl Receiver {
    /// The receiver of a new association over the paths of `ground`.
    pub(super) fn new(ground: &Ground, rules: AckRules) -> Receiver {
        let (config, agreement) = (&ground.settings.config, &ground.agreement);
        let is_firm = agreement.features.nr_sack && !agreement.receiver.new_gaps;
        let two_levels = agreement.receiver.two_levels;
        let second_level = if two_levels { config.second_level() } else { ByteCount::ZERO };
        let numbering = if agreement.features.interleaving { Numbering::Mid } else { Numbering::Ssn };
        Receiver {
            arrivals: Arrivals::new(agreement.peer_tsn),
            assembly: Assembly::new(agreement.features.interleaving),
            delivery: Delivery::new(agreement.inbound_streams, numbering),
            deferred: None,
            buffer: ReceiveBuffer::new(config.receive_buffer).with_second_level(second_level),
            may_divide: config.partial_delivery && !agreement.receiver.stream_credits,
            tuning: config.receive_growth.map(|growth| {
                let allowance = Allowance::none(ground.settings.budget.clone());
                Tuning::new(growth, allowance).with_credits(agreement.receiver.stream_credits)
            }),
            rules,
            sack_path: ground.paths.primary(),
            is_sack_due: false,
            is_firm,
            unreadable: (is_firm && config.nr_gaps == NrGaps::Readable).then(Unreadable::default),
            ecn_echo: EcnEchoes::default(),
            listed: Listed::default(),
        }
    }

    /// Returns true if a SACK is due now.
    pub(crate) fn is_sack_due(&self) -> bool {
        self.is_sack_due
    }

    /// Sets the path of the next SACK.
    pub(crate) fn answer_on(&mut self, path: PathId) {
        self.sack_path = path;
    }

    /// The cumulative TSN ack point of received data.
    pub(super) fn cumulative(&self) -> Tsn {
        self.arrivals.cumulative()
    }

    /// The received user data that the application has not read, including incomplete messages.
    pub(super) fn held(&self) -> ByteCount {
        self.buffer.held()
    }

    /// The size of the receive buffer.
    pub(super) fn capacity(&self) -> ByteCount {
        self.buffer.capacity()
    }

    /// Drops the state of a removed path.
    pub(super) fn remove_path(&mut self, path: PathId) {
        self.ecn_echo.remove_path(path);
    }

    /// The complete unread messages.
    pub(crate) fn into_ready(self) -> ReadyMessages {
        self.delivery.into_ready()
    }
}
