//! The replaceable parts: rules chosen by name, each in one file. A rule sees plain values and the [`View`], never the
//! parts of the association.

pub mod acknowledge;
mod config_error;
pub mod congestion;
pub mod loss_detection;
pub mod ns2;
pub mod registry;
pub mod response;
pub mod retransmission;
mod rules;
pub mod schedule;
pub mod slow_start;
pub mod testing;
pub(crate) mod view;
pub mod window;

pub use config_error::ConfigError;
pub use registry::{Registry, UnknownPolicy};
pub use view::{Blocker, Delivery, Hints, OneWay, PathId, PathSample, PathState, View};
