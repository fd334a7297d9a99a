//! The links on which paths begin.

use anabranch_net::{Interface, PathReport};

use super::bonds::Link;

/// The links and interfaces of this host.
pub(super) struct Ends<'a> {
    pub(super) links: &'a [Link],
    pub(super) known: &'a [Interface],
}

impl Ends<'_> {
    /// The name of the link on which a path begins, if its address is not any. A link may be an address alone.
    pub(super) fn link_of(&self, path: &PathReport) -> Option<&str> {
        let ip = path.addresses.local.ip();
        let address = ip.to_string();
        let link = self.links.iter().find(|link| link.name == address);
        let interface = || self.known.iter().find(|interface| interface.addresses.contains(&ip));
        link.map(|link| link.name.as_str()).or_else(|| interface().map(|interface| interface.name.as_str()))
    }
}
