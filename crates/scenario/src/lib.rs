//! The scenario file: one description of paths, flows and events for the simulator, the emulator and the
//! models.

pub mod model;

pub use model::Scenario;
