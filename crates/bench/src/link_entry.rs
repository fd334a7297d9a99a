//! One link of this machine in a result, for scripts. The keys are stable.

use anabranch_base::ByteCount;
use anabranch_net::{LinkReport, PathRole};
use serde::Serialize;

/// The bytes charged to a link. Keys in the order in which they are printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LinkEntry {
    /// The interface or the address.
    pub name: String,
    /// True if the link is a backup, used only while no other link works.
    pub backup: bool,
    /// True if the link is secondary: it carries new data only while the links without a role are full.
    pub secondary: bool,
    /// The limit of its bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// Bytes of all IP packets in both directions.
    pub charged_bytes: u64,
    /// Bytes of the IP packets sent.
    pub sent_bytes: u64,
    /// Bytes of the IP packets received.
    pub received_bytes: u64,
    /// True if the link is no longer used because its limit is reached.
    pub used_up: bool,
}

impl From<&LinkReport> for LinkEntry {
    fn from(link: &LinkReport) -> LinkEntry {
        LinkEntry {
            name: link.name.clone(),
            backup: link.role == PathRole::Backup,
            secondary: link.role == PathRole::Secondary,
            max_bytes: link.most.map(ByteCount::get),
            charged_bytes: link.charged().get(),
            sent_bytes: link.sent.get(),
            received_bytes: link.received.get(),
            used_up: link.is_used_up,
        }
    }
}
