//! The receiver's rules: when a SACK is due, what it reports, and which window it advertises. They see plain values,
//! not chunks in wire format or the parts that hold the data.

mod any_order;
mod by_paths;
mod content;
mod dac;
mod delayed;
mod flow_control;
mod full;
mod new_gaps;
mod standard;
mod timing;
mod two_levels;

pub use any_order::AnyOrder;
pub use by_paths::DacOnSeveralPaths;
pub use content::{Arrived, Listed, SackContent};
pub use dac::{Dac, DacWire};
pub use delayed::DelayedAck;
pub use flow_control::{BufferSample, FlowControl};
pub use full::FullSack;
pub use new_gaps::NewGaps;
pub use standard::StandardFlow;
pub use timing::{AckTiming, PacketNews, When};
pub use two_levels::TwoLevelFlow;
