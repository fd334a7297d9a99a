//! The peer's receive window as this end estimates it, and the probes of a closed window (RFC 9260 §6.1 A, §6.2.1).

use anabranch_base::{ByteCount, Duration};

use crate::config::Config;
use crate::seq::Tsn;

/// The peer's receive window.
#[derive(Clone, Copy, Debug)]
pub(super) struct PeerWindow {
    /// The number of bytes that may still be sent.
    open: ByteCount,
    /// The window of the last SACK.
    advertised: ByteCount,
    /// The largest window advertised so far.
    buffer: ByteCount,
    /// A chunk that was sent although the window had no room for it, and is not acknowledged.
    probe: Option<Tsn>,
    /// The number of consecutive probes.
    probes: u32,
    /// True if the next chunk may be sent as a probe.
    may_probe: bool,
    /// True if a SACK arrived since the probe was sent, or since the last time-out.
    has_answered: bool,
    /// True if lost chunks keep their room in the window, so that no new data takes it. RFC 9260 §6.2.1 frees it ("add
    /// the data size of those chunks to the rwnd"): new data then fills the buffer, and the retransmission for which
    /// all of it waits is refused.
    keeps_room: bool,
    /// True if the last SACK left less room than is in flight or lost: the peer may have refused some of it.
    is_overdrawn: bool,
}

impl PeerWindow {
    /// The window of a peer that advertised `buffer` in its handshake and accepts `open` bytes now.
    pub(super) fn new(buffer: ByteCount, open: ByteCount, config: &Config) -> PeerWindow {
        PeerWindow {
            open,
            advertised: buffer,
            buffer,
            probe: None,
            probes: 0,
            may_probe: false,
            has_answered: false,
            keeps_room: config.failover.quick && config.cmt.ns2.lost_may_keep_room(),
            is_overdrawn: false,
        }
    }

    /// Handles the `a_rwnd` of a SACK. Returns the largest window before, if this one is larger.
    #[inline]
    pub(crate) fn on_advertised(&mut self, a_rwnd: ByteCount) -> Option<ByteCount> {
        self.advertised = a_rwnd;
        self.has_answered = true;
        let before = self.buffer;
        self.buffer = before.max(a_rwnd);
        (a_rwnd > before).then_some(before)
    }

    /// Sets the number of bytes that may still be sent.
    pub(crate) fn set_open(&mut self, open: ByteCount) {
        self.open = open;
    }

    /// Counts the chunk `tsn`, sent for the first time or again, with its `weight` in the window. It is a probe if
    /// probes are allowed and the window has no room for it.
    #[inline]
    pub(super) fn on_sent(&mut self, tsn: Tsn, weight: ByteCount, is_again: bool) {
        let taken = if self.keeps_room && is_again { ByteCount::ZERO } else { weight };
        if std::mem::take(&mut self.may_probe) && taken > self.open {
            self.probe = Some(tsn);
            self.probes += 1;
            self.has_answered = false;
        }
        self.open = self.open.saturating_sub(taken);
    }

    /// Frees the room of a lost chunk of `weight`, unless lost chunks keep it.
    #[inline]
    pub(super) fn on_lost(&mut self, weight: ByteCount) {
        if !self.keeps_room {
            self.open += weight;
        }
    }

    /// Handles the expiry of T3-rtx.
    pub(super) fn on_timeout(&mut self) {
        self.has_answered = false;
    }

    /// Allows the next chunk to be sent as a probe.
    pub(crate) fn allow_probe(&mut self) {
        self.may_probe = true;
    }

    /// Ends the probe: it was acknowledged, or the window is open.
    pub(crate) fn end_probe(&mut self) {
        self.probe = None;
        self.probes = 0;
    }

    /// Notes whether the SACK just read leaves less room than the `owed` bytes that are in flight or lost after it, so
    /// that the peer may have refused a part. Returns the same for the SACK before.
    #[inline]
    pub(crate) fn note_owed(&mut self, owed: ByteCount) -> bool {
        std::mem::replace(&mut self.is_overdrawn, owed > self.advertised)
    }

    /// Returns true if [`note_owed`](PeerWindow::note_owed) would have an effect.
    #[inline]
    pub(crate) fn may_be_overdrawn(&self, owed: ByteCount) -> bool {
        self.is_overdrawn || self.keeps_room && owed > self.advertised
    }

    /// The bytes that count against an advertised window: those in `flight`, and those `marked` as lost if they keep
    /// their room.
    #[inline]
    pub(crate) fn owed(&self, flight: ByteCount, marked: ByteCount) -> ByteCount {
        if self.keeps_room { flight + marked } else { flight }
    }

    /// The number of bytes that may still be sent.
    #[inline]
    pub(super) fn open(&self) -> ByteCount {
        self.open
    }

    /// The room for a lost chunk of `weight`, including the room that it may have kept.
    #[inline]
    pub(crate) fn open_for_lost(&self, weight: ByteCount) -> ByteCount {
        if self.keeps_room { self.open + weight } else { self.open }
    }

    /// The window of the last SACK.
    pub(crate) fn advertised(&self) -> ByteCount {
        self.advertised
    }

    /// The largest window advertised so far.
    pub(super) fn buffer(&self) -> ByteCount {
        self.buffer
    }

    /// The outstanding probe.
    pub(super) fn probe(&self) -> Option<Tsn> {
        self.probe
    }

    /// The time before the next probe: one `rto`, doubled after each probe.
    pub(crate) fn probe_wait(&self, rto: Duration) -> Duration {
        rto * (1 << self.probes.min(10))
    }

    /// Returns true if the next chunk may be sent as a probe.
    pub(crate) fn may_probe(&self) -> bool {
        self.may_probe
    }

    /// Returns true if a SACK arrived since the probe was sent, or since the last time-out.
    pub(crate) fn has_answered(&self) -> bool {
        self.has_answered
    }

    /// Returns true if the last SACK left less room than was in flight or lost.
    pub(crate) fn is_overdrawn(&self) -> bool {
        self.is_overdrawn
    }

    /// Returns true if the peer is alive and has no room for a chunk of `weight`.
    #[inline]
    pub(crate) fn refuses(&self, weight: ByteCount) -> bool {
        self.has_answered && weight > self.advertised
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(open: u64, config: &Config) -> PeerWindow {
        PeerWindow::new(ByteCount::new(100), ByteCount::new(open), config)
    }

    #[test]
    fn only_what_the_window_has_no_room_for_is_a_probe() {
        let mut window = window(30, &Config::rfc9260());
        window.allow_probe();
        window.on_sent(Tsn::new(1), ByteCount::new(20), false);
        assert_eq!((window.probe(), window.open().get(), window.may_probe()), (None, 10, false));
        window.allow_probe();
        window.on_sent(Tsn::new(2), ByteCount::new(20), false);
        assert_eq!((window.probe(), window.open().get()), (Some(Tsn::new(2)), 0));
        let second = Duration::from_secs(1);
        assert_eq!(window.probe_wait(second), second * 2);
        window.end_probe();
        assert_eq!(window.probe_wait(second), second);
    }

    #[test]
    fn what_is_lost_gives_its_room_back_by_the_standard_and_keeps_it_with_quick_failover() {
        let mut standard = window(0, &Config::rfc9260());
        standard.on_lost(ByteCount::new(20));
        assert_eq!(standard.open().get(), 20);
        let mut quick = Config::rfc9260();
        quick.failover.quick = true;
        let mut keeps = window(0, &quick);
        keeps.on_lost(ByteCount::new(20));
        assert_eq!((keeps.open().get(), keeps.open_for_lost(ByteCount::new(20)).get()), (0, 20));
        keeps.on_sent(Tsn::new(1), ByteCount::new(20), true);
        assert_eq!(keeps.open().get(), 0, "it has its room");
    }
}
