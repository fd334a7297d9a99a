//! Which paths a SACK lets carry one packet of retransmissions beyond cwnd (RFC 9260 §7.2.4 rule 3; M-SCTP-7, M-CMT-6).

use crate::policy::PathId;

/// What is left of the exemptions that the last SACKs gave.
#[derive(Clone, Debug, Default)]
pub struct Exempt {
    /// The association's one: for whatever path the first packet takes.
    anywhere: bool,
    /// Those of paths that recover by themselves: "one packet may be sent *to that* destination".
    paths: Vec<PathId>,
}

impl Exempt {
    /// The next packet of retransmissions may pass cwnd, wherever it goes.
    pub fn grant_anywhere(&mut self) {
        self.anywhere = true;
    }

    /// The next packet of retransmissions to `path` may.
    pub fn grant(&mut self, path: PathId) {
        if !self.paths.contains(&path) {
            self.paths.push(path);
        }
    }

    /// Whether a packet of retransmissions to `path` may pass cwnd.
    pub fn covers(&self, path: PathId) -> bool {
        self.anywhere || self.paths.contains(&path)
    }

    /// Such a packet is on its way.
    pub fn spend(&mut self, path: PathId) {
        self.anywhere = false;
        self.forget(path);
    }

    /// `path` is gone.
    pub fn forget(&mut self, path: PathId) {
        self.paths.retain(|&other| other != path);
    }

    /// Nothing more was to be sent: an exemption does not outlive its SACK.
    pub fn clear(&mut self) {
        self.anywhere = false;
        self.paths.clear();
    }

    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        !self.anywhere && self.paths.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_packet_and_the_association_one_for_all() {
        let second = PathId::from_index(1);
        let mut exempt = Exempt::default();
        exempt.grant(PathId::FIRST);
        exempt.grant(PathId::FIRST);
        assert_eq!([PathId::FIRST, second].map(|path| exempt.covers(path)), [true, false]);
        exempt.spend(PathId::FIRST);
        assert!(exempt.is_none());
        exempt.grant_anywhere();
        assert!(exempt.covers(second));
        exempt.spend(second);
        assert!(!exempt.covers(PathId::FIRST));
    }
}
