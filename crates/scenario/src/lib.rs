//! The scenario file: one description of paths, flows and events for the simulator, the emulator and the models, as
//! text and as values. The crate opens no file itself.
//!
//! The settings of an association are listed in [`anabranch_sctp::config::settings`], its policies in a [`Registry`].
//!
//! ```
//! use anabranch_scenario::{Assignment, NoFiles, Registry, registry, Scenario, Source};
//!
//! let source = Source::new("two.toml", r#"
//!     [run]
//!     time = "10 s"
//!     [[link]]
//!     name = "wifi"
//!     rate = "21 Mbit/s"
//! "#);
//! let setting = Assignment::parse("link.wifi.loss=0.01")?;
//! let scenario = Scenario::parse(&source, &NoFiles, &[setting], &registry())?;
//! assert_eq!(scenario.flows[0].name, "main");
//! # Ok::<(), anabranch_scenario::ScenarioError>(())
//! ```

mod assignment;
mod choice;
mod document;
mod error;
mod excerpt;
mod fault;
mod files;
pub mod model;
mod nearest;
mod parse;
pub mod quantity;
mod read;
pub mod reference;
pub mod resolved;
mod settings;
mod source;
pub mod toml_text;
pub mod tools;
pub mod trace;
mod tree;

/// The registry of all policies that a scenario may name.
pub use anabranch_policies::registry;
pub use anabranch_sctp::policy::Registry;
pub use assignment::Assignment;
pub use document::ParsedDocument;
pub use error::{ErrorKind, Location, ScenarioError};
pub use excerpt::{Excerpt, Style};
pub use files::{Files, NoFiles};
pub use model::Scenario;
pub use source::Source;
