//! One link of this machine in a result, for scripts. The keys are stable.

use anabranch_base::ByteCount;
use anabranch_net::LinkReport;
use serde::Serialize;

/// What a link was charged. Keys in the order in which they are printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LinkEntry {
    /// The interface or the address.
    pub name: String,
    /// True if it was used only while no other link carried.
    pub backup: bool,
    /// The most that it was allowed to carry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// Bytes of all IP packets, both ways.
    pub charged_bytes: u64,
    /// Those that left.
    pub sent_bytes: u64,
    /// Those that arrived.
    pub received_bytes: u64,
    /// True if it was given up because of its limit.
    pub used_up: bool,
}

impl From<&LinkReport> for LinkEntry {
    fn from(link: &LinkReport) -> LinkEntry {
        LinkEntry {
            name: link.name.clone(),
            backup: link.is_backup,
            max_bytes: link.most.map(ByteCount::get),
            charged_bytes: link.charged().get(),
            sent_bytes: link.sent.get(),
            received_bytes: link.received.get(),
            used_up: link.is_used_up,
        }
    }
}
