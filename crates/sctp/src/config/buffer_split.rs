//! Whether paths share the buffers or each have a part of them. `path/share.rs` has the rule.

/// Which buffers are split evenly among the paths that carry new data, so that a slow path cannot fill them
/// (Dreibholz, Becke, Rathgeb, Tüxen: "On the Use of Concurrent Multipath Transfer over Asymmetric Paths",
/// GLOBECOM 2010). Both are rules of the sender of the data: the peer need not know.
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
}

impl BufferSplit {
    /// Whether each path has its part of this end's send buffer.
    pub const fn splits_send_buffer(self) -> bool {
        matches!(self, BufferSplit::Sender | BufferSplit::Both)
    }

    /// Whether each path has its part of the peer's receive buffer.
    pub const fn splits_receive_buffer(self) -> bool {
        matches!(self, BufferSplit::Receiver | BufferSplit::Both)
    }
}
