//! Buffer splitting: an even part of the buffers for each path. `path/share.rs` has the rule.

/// The buffers that are split evenly among the paths that carry new data, so that a slow path cannot fill them
/// (Dreibholz, Becke, Rathgeb, Tüxen: "On the Use of Concurrent Multipath Transfer over Asymmetric Paths", GLOBECOM
/// 2010). The sender of the data applies both rules alone; the peer need not support them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BufferSplit {
    /// No split: the paths share the buffers without limits.
    #[default]
    None,
    /// This end's send buffer.
    Sender,
    /// The peer's receive buffer.
    Receiver,
    /// Both.
    Both,
    /// The peer's receive buffer; the flight of a path counts as its use.
    ReceiverFlight,
    /// Both; the flight of a path counts as its use.
    BothFlight,
}

impl BufferSplit {
    /// Returns true if each path has a part of this end's send buffer.
    pub(crate) const fn splits_send_buffer(self) -> bool {
        matches!(self, BufferSplit::Sender | BufferSplit::Both | BufferSplit::BothFlight)
    }

    /// Returns true if each path has a part of the peer's receive buffer.
    pub const fn splits_receive_buffer(self) -> bool {
        let counts_held = matches!(self, BufferSplit::Receiver | BufferSplit::Both);
        counts_held || self.counts_flight()
    }

    /// Returns true if a path's use of a split buffer is its flight, and false if it is the chunks not yet cumulatively
    /// acknowledged.
    pub(crate) const fn counts_flight(self) -> bool {
        matches!(self, BufferSplit::ReceiverFlight | BufferSplit::BothFlight)
    }
}
