//! Makes scenario files of recordings of links: Mahimahi traces, tables of time, rate, delay and loss, the output of
//! `ping`, and the JSON of iperf3. The crate opens no file and prints nothing.
//!
//! [`Recording::read`] reads one file. [`RecordedLink::join`] joins the recordings of one link. [`Written`] is the
//! scenario file, with a comment for each value on how it was measured, or that it is assumed.
//!
//! ```
//! use anabranch_scenario::Source;
//! use anabranch_traces::{Choices, RecordedLink, Recording, Written};
//!
//! let table = "time_s,rate_mbps,delay_ms,loss\n0,20,15,0\n10,8,30,0.01\n";
//! let recording = Recording::read(&Source::new("walk.csv", table), None, &Choices::default())?;
//! let link = RecordedLink::join("wifi", vec![recording])?;
//! let written = Written::of(&[link], &Choices::default())?;
//! assert!(written.text.contains(r#"["10 s", "8 Mbit/s"]"#));
//! # Ok::<(), anabranch_traces::TraceError>(())
//! ```

mod choices;
mod content;
mod encoding;
mod error;
mod fault;
mod iperf3;
mod kind;
mod link;
mod mahimahi;
mod moment;
mod named;
mod observed;
mod ping;
mod recording;
mod series;
mod table;
mod written;

pub use choices::Choices;
pub use encoding::decoded;
pub use error::TraceError;
pub use kind::TraceKind;
pub use link::{Fact, FactBasis, RecordedLink};
pub use named::{GivenLink, grouped};
pub use recording::{LARGEST, Recording};
pub use written::Written;
