//! The paths on which a SACK allows one packet of retransmissions beyond cwnd (RFC 9260 §7.2.4 rule 3; M-SCTP-7,
//! M-CMT-6).

use crate::policy::PathId;

/// The unused exemptions that the last SACKs gave.
#[derive(Clone, Debug, Default)]
pub struct WindowExemptions {
    /// Those of the association, for the paths that its next packets take.
    anywhere: u32,
    /// Those of paths that recover independently: "one packet may be sent *to that* destination".
    paths: Vec<PathId>,
}

impl WindowExemptions {
    /// The next packet of retransmissions may pass cwnd, on any path.
    pub fn grant_anywhere(&mut self) {
        self.anywhere = self.anywhere.max(1);
    }

    /// So does one more packet.
    pub fn grant_one_more(&mut self) {
        self.anywhere += 1;
    }

    /// The next packet of retransmissions to `path` may pass cwnd.
    pub fn grant(&mut self, path: PathId) {
        if !self.paths.contains(&path) {
            self.paths.push(path);
        }
    }

    /// Returns true if a packet of retransmissions to `path` may pass cwnd.
    pub fn covers(&self, path: PathId) -> bool {
        self.anywhere > 0 || self.paths.contains(&path)
    }

    /// A packet that used the exemption leaves on `path`.
    pub fn spend(&mut self, path: PathId) {
        self.anywhere = self.anywhere.saturating_sub(1);
        self.remove_path(path);
    }

    /// `path` is removed.
    pub fn remove_path(&mut self, path: PathId) {
        self.paths.retain(|&other| other != path);
    }

    /// Nothing more is to be sent: an exemption ends with its SACK.
    pub fn clear(&mut self) {
        self.anywhere = 0;
        self.paths.clear();
    }

    /// Returns true if there are no exemptions.
    pub fn is_none(&self) -> bool {
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
