//! The content of this end's HEARTBEATs, which their answers return (RFC 9260 §8.3): a nonce, the path that is
//! probed, and, if an address is challenged, a proof.

use anabranch_base::ByteCount;

use crate::policy::PathId;

/// A queued MTU probe.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MtuProbe {
    pub probe: Probe,
    /// The size of the IP packet.
    pub size: ByteCount,
}

/// The content of a HEARTBEAT-ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProbeAnswer {
    pub probe: Probe,
    /// The proof, if a candidate path was challenged.
    pub proof: Option<u64>,
}

impl ProbeAnswer {
    pub(crate) fn decode(info: &[u8]) -> Option<ProbeAnswer> {
        let (probe, proof) = info.split_at_checked(PROBE_LEN)?;
        let proof = match proof {
            [] => None,
            proof => Some(u64::from_be_bytes(proof.try_into().ok()?)),
        };
        Some(ProbeAnswer { probe: Probe::decode(probe)?, proof })
    }
}

/// The content of a HEARTBEAT: a nonce against forgery, and the path that it probes. It does not have the sending time:
/// that is stored locally, because the peer could forge it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Probe {
    pub nonce: u64,
    pub path: PathId,
}

impl Probe {
    pub(super) fn encode(self) -> Vec<u8> {
        let mut info = vec![0; PROBE_LEN];
        info[..8].copy_from_slice(&self.nonce.to_be_bytes());
        info[8..16].copy_from_slice(&(self.path.index() as u64).to_be_bytes());
        info
    }

    fn decode(info: &[u8]) -> Option<Probe> {
        let info: &[u8; PROBE_LEN] = info.try_into().ok()?;
        let (nonce, rest) = info.split_first_chunk::<8>()?;
        let index = u64::from_be_bytes(*rest.first_chunk::<8>()?);
        let path = PathId::from_index(usize::from(u16::try_from(index).ok()?));
        Some(Probe { nonce: u64::from_be_bytes(*nonce), path })
    }
}

/// M-SCTP-1: 60 bytes a packet.
const PROBE_LEN: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_survives_the_round_trip_and_other_heartbeat_information_is_not_taken_for_one() {
        let probe = Probe { nonce: 0x0102_0304_0506_0708, path: PathId::from_index(3) };
        assert_eq!(Probe::decode(&probe.encode()), Some(probe));
        assert_eq!(Probe::decode(&[0; 19]), None);
        assert_eq!(Probe::decode(&[0xff; 20]), None, "no path has that number");
        let proven = [probe.encode(), vec![0, 0, 0, 0, 0, 0, 1, 2]].concat();
        assert_eq!(ProbeAnswer::decode(&proven), Some(ProbeAnswer { probe, proof: Some(0x0102) }));
        assert_eq!(ProbeAnswer::decode(&probe.encode()), Some(ProbeAnswer { probe, proof: None }));
        assert_eq!(ProbeAnswer::decode(&proven[..27]), None);
    }
}
