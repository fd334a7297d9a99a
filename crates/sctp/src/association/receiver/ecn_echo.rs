//! The receiver's half of ECN: reports the congestion marks of packets that arrived (ECNE; M-ECN-3).

use super::Receiver;
use crate::association::ground::Ground;
use crate::association::packing::Packing;
use crate::config::EcnUse;
use crate::policy::PathId;
use crate::seq::Tsn;
use crate::wire::{CongestionWindowReduced, EcnEcho, EncodeChunk};

/// The reports of marked packets, at most one for each path.
#[derive(Clone, Debug, Default)]
pub(super) struct EcnEchoes(Vec<(PathId, Unanswered)>);

impl EcnEchoes {
    /// Drops the report of a removed path, on which no CWR can arrive.
    pub(super) fn remove_path(&mut self, path: PathId) {
        self.0.retain(|(known, _)| *known != path);
    }
}

/// Marked packets that are not reported yet, or, with CWRs, whose report is not answered yet.
#[derive(Clone, Copy, Debug)]
struct Unanswered {
    /// The lowest TSN in the first of them.
    lowest: Tsn,
    packets: u32,
}

impl Unanswered {
    /// The ECNE, in the form with the packet count: usrsctp 0.9.5 stops reading after a shorter one, and misses the
    /// SACK.
    fn echo(&self) -> EcnEcho {
        EcnEcho::Counted { lowest: self.lowest, packets: self.packets }
    }
}

impl Receiver {
    /// Notes a marked packet with data on `path`; `lowest` is its lowest TSN.
    pub(crate) fn on_marked(&mut self, ground: &Ground, path: PathId, lowest: Tsn) {
        let ecn = ground.ecn();
        if ecn == EcnUse::Off {
            return;
        }
        match self.ecn_echo.0.iter_mut().find(|(known, _)| *known == path) {
            Some((_, unanswered)) => unanswered.packets = unanswered.packets.saturating_add(1),
            None => self.ecn_echo.0.push((path, Unanswered { lowest, packets: 1 })),
        }
        // M-ECN-3: a report is sent once, and at once. With CWRs it is repeated until it is answered.
        self.is_sack_due |= ecn == EcnUse::Echo;
    }

    /// Handles a CWR on `path`. A mark of the same packet is still reported. FreeBSD answers each report of a round
    /// trip: such an answer does not end the report of a later mark, whose TSN is higher.
    pub(crate) fn on_cwr(&mut self, ground: &Ground, path: PathId, cwr: CongestionWindowReduced) {
        if ground.ecn() != EcnUse::Cwr {
            return;
        }
        let ends = |on: PathId, lowest: Tsn| {
            cwr.overrides || cwr.lowest_tsn == lowest || on == path && cwr.lowest_tsn.is_after(lowest)
        };
        self.ecn_echo.0.retain(|(on, unanswered)| !ends(*on, unanswered.lowest));
    }

    /// Appends the reports of marks to a packet, before a SACK. Returns true if there is room for them and `sack_len`
    /// more bytes.
    #[inline]
    pub(super) fn pack_echoes(
        &mut self,
        ground: &mut Ground,
        sack_len: usize,
        packing: &mut Packing<'_>,
    ) -> bool {
        if self.ecn_echo.0.is_empty() {
            return true;
        }
        let echoes = self.ecn_echo.0.iter().map(|(_, unanswered)| unanswered.echo());
        let len: usize = echoes.map(|echo| packing.auth_len(&echo) + echo.encoded_len()).sum();
        if len + sack_len > packing.remaining() {
            return false;
        }
        for (path, unanswered) in &self.ecn_echo.0 {
            if packing.push(&unanswered.echo()).is_ok() {
                ground.paths.counters_mut(*path).sent_echoes += 1;
            }
        }
        if ground.ecn() == EcnUse::Echo {
            self.ecn_echo.0.clear();
        }
        true
    }
}
