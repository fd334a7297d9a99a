//! Whether paths share the buffers or each path has a part of them. `path/share.rs` has the rule.

/// Which buffers are split evenly among the paths that carry new data, so that a slow path cannot fill them
/// (Dreibholz, Becke, Rathgeb, Tüxen: "On the Use of Concurrent Multipath Transfer over Asymmetric Paths", GLOBECOM
/// 2010). The sender of the data applies both rules alone; the peer need not support them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BufferSplit {
    /// No split: the first path to send takes the room.
    #[default]
    None,
    /// This end's send buffer.
    Sender,
    /// The peer's receive buffer.
    Receiver,
    /// Both.
    Both,
    /// The peer's receive buffer, with the flight of a path as the part that it has used.
    ReceiverFlight,
    /// Both, with the flight of a path as the part that it has used.
    BothFlight,
}

impl BufferSplit {
    /// Returns true if each path has a part of this end's send buffer.
    pub const fn splits_send_buffer(self) -> bool {
        matches!(self, BufferSplit::Sender | BufferSplit::Both | BufferSplit::BothFlight)
    }

    /// Returns true if each path has a part of the peer's receive buffer.
    pub const fn splits_receive_buffer(self) -> bool {
        let counts_held = matches!(self, BufferSplit::Receiver | BufferSplit::Both);
        counts_held || self.counts_flight()
    }

    /// Returns true if the part that a path has used is its flight (`true`), or the chunks that it holds until they are
    /// cumulatively acknowledged.
    pub const fn counts_flight(self) -> bool {
        matches!(self, BufferSplit::ReceiverFlight | BufferSplit::BothFlight)
    }
}
