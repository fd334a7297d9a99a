//! The scenario file: one description of paths, flows and events for the simulator, the emulator and the
//! models. It knows the file as text and as values, and not what a setting does; it opens no file itself.
//!
//! ```
//! use anabranch_scenario::{NoFiles, Scenario, Setting, Source};
//!
//! let source = Source::new("two.toml", r#"
//!     [run]
//!     time = "10 s"
//!     [[link]]
//!     name = "wifi"
//!     rate = "21 Mbit/s"
//! "#);
//! let setting = Setting::parse("link.wifi.loss=0.01")?;
//! let scenario = Scenario::parse(&source, &NoFiles, &[setting])?;
//! assert_eq!(scenario.flows[0].name, "main");
//! # Ok::<(), anabranch_scenario::ScenarioError>(())
//! ```

mod document;
mod error;
mod excerpt;
mod fault;
mod files;
pub mod model;
mod nearest;
pub mod quantity;
mod read;
pub mod resolved;
mod setting;
mod source;
mod tree;
mod words;

pub use document::Document;
pub use error::{ErrorKind, Place, ScenarioError, Style};
pub use files::{Files, NoFiles};
pub use model::Scenario;
pub use setting::Setting;
pub use source::Source;
