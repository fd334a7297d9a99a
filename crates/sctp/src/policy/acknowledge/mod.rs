//! The receiver's rules: when a SACK is due, what it lists and which window it advertises. They know plain
//! values, and nothing of chunks on the wire or of the parts that hold the data.

mod content;
mod delayed;
mod flow_control;
mod full;
mod standard;
mod timing;

pub use content::{Arrived, Listed, SackContent};
pub use delayed::DelayedAck;
pub use flow_control::{BufferSample, FlowControl};
pub use full::FullSack;
pub use standard::StandardFlow;
pub use timing::{AckTiming, PacketNews, When};
