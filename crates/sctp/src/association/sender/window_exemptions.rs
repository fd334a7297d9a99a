//! The paths on which a SACK allows one packet of retransmissions beyond cwnd (RFC 9260 §7.2.4 rule 3; M-SCTP-7,
//! M-CMT-6).

use crate::policy::PathId;

/// The unused exemptions of the last SACKs.
#[derive(Clone, Debug, Default)]
pub(super) struct WindowExemptions {
    /// The exemptions valid on any path.
    anywhere: u32,
    /// The exemptions of paths that recover independently: "one packet may be sent *to that* destination".
    paths: Vec<PathId>,
}

impl WindowExemptions {
    /// Lets the next packet of retransmissions exceed cwnd, on any path.
    pub(crate) fn grant_anywhere(&mut self) {
        self.anywhere = self.anywhere.max(1);
    }

    /// Lets one more packet of retransmissions exceed cwnd, on any path.
    pub(crate) fn grant_one_more(&mut self) {
        self.anywhere += 1;
    }

    /// Lets the next packet of retransmissions to `path` exceed cwnd.
    pub(super) fn grant(&mut self, path: PathId) {
        if !self.paths.contains(&path) {
            self.paths.push(path);
        }
    }

    /// Returns true if a packet of retransmissions to `path` may exceed cwnd.
    pub(crate) fn covers(&self, path: PathId) -> bool {
        self.anywhere > 0 || self.paths.contains(&path)
    }

    /// Uses up an exemption for a packet on `path`.
    pub(super) fn spend(&mut self, path: PathId) {
        self.anywhere = self.anywhere.saturating_sub(1);
        self.remove_path(path);
    }

    /// Drops the exemption of a removed path.
    pub(super) fn remove_path(&mut self, path: PathId) {
        self.paths.retain(|&other| other != path);
    }

    /// Ends all exemptions: each is valid only for the packets that its SACK triggers.
    pub(super) fn clear(&mut self) {
        self.anywhere = 0;
        self.paths.clear();
    }

    /// Returns true without exemptions.
    pub(super) fn is_none(&self) -> bool {
        self.anywhere == 0 && self.paths.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_packet_and_the_association_one_for_all() {
        let second = PathId::from_index(1);
        let mut exemptions = WindowExemptions::default();
        exemptions.grant(PathId::FIRST);
        exemptions.grant(PathId::FIRST);
        assert_eq!([PathId::FIRST, second].map(|path| exemptions.covers(path)), [true, false]);
        exemptions.spend(PathId::FIRST);
        assert!(exemptions.is_none());
        exemptions.grant_anywhere();
        assert!(exemptions.covers(second));
        exemptions.spend(second);
        assert!(!exemptions.covers(PathId::FIRST));
    }
}
