//! Measures the paths of an [`Association`](anabranch_net::Association): goodput, delays and stalls counted at the
//! receiving end, the counters of each path, and the bottleneck.
//!
//! The crate parses no arguments, writes nothing to a terminal, and opens no association. A running test returns an
//! [`Interval`] a second for its owner to show.
//!
//! # In one page
//!
//! The server answers, the client requests a test, and both run it to its end:
//!
//! ```
//! use anabranch_base::Duration;
//! use anabranch_bench::{Exchange, Remedy, TestRequest, agree, answer, judge, limits_of, summary_of};
//! use anabranch_net::{Endpoint, Options, Security};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let options = |accepts| Options {
//! #     local: vec!["127.0.0.1:0".parse().expect("an address")],
//! #     accepts,
//! #     ..Options::with(Security::Insecure)
//! # };
//! # let config = options(false).config;
//! # let (there, here) = (Endpoint::bind(options(true))?, Endpoint::bind(options(false))?);
//! let limits = limits_of(&config);
//! let addresses = there.local_addresses();
//! let server = tokio::spawn(async move {
//!     let association = there.accept().await.expect("a client comes");
//!     let test = answer(&association, &limits).await.expect("a good client").expect("a test");
//!     let mut exchange = Exchange::begin(&association, test);
//!     while exchange.next().await.expect("a test to its end").is_some() {}
//!     association.closed().await;
//! });
//!
//! let association = here.connect(&addresses).await?;
//! let wish = TestRequest { duration: Duration::from_millis(300), ..TestRequest::default() };
//! let test = agree(&association, &limits, wish).await?;
//! let mut exchange = Exchange::begin(&association, test);
//! while let Some(interval) = exchange.next().await? {
//!     assert_eq!(interval.directions.len(), 1); // from the client to the server
//! }
//! let measured = exchange.measured();
//! association.close().await?;
//! server.await?;
//! let (forward, _) = measured.directions();
//! assert!(forward.goodput_bps() > 0.0);
//! let diagnosis = judge(&summary_of(&measured, &config), &[], Remedy::to_string);
//! assert!(!diagnosis.limited_by.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! `examples/loopback.rs` goes on from here: it measures a path of the loopback interface and prints its rate.
//!
//! # The parts
//!
//! [`agree()`] and [`answer`] are the exchange before a test, [`Exchange`] is the running test, [`Measured`] has the
//! reports of both ends. [`judge`] of the crate `anabranch-diagnose` is a function of plain numbers: it names the bottleneck
//! ([`Diagnosis::limited_by`]) and gives advice; the program words each [`Remedy`] in its own options.
//! [`BenchDocument`] has the keys that scripts rely on.
//!
//! [`protocol`] has the frames and both ends' state, without I/O.

mod agree;
mod clock;
mod counters;
mod deadline_entry;
mod direction;
mod document;
mod exchange;
mod intervals;
pub(crate) mod link_entry;
mod load;
mod measured;
mod names;
pub mod path_entry;
pub mod protocol;
mod summary;

pub use anabranch_diagnose::{Alone, Diagnosis, Remedy, RemedyWords, judge};

pub use agree::{AgreeError, TestRequest, agree, answer, answer_after, limits_of};
pub use clock::processor_time;
pub use deadline_entry::DeadlineEntry;
pub use direction::TestDirection;
pub use document::{AloneEntry, BenchDocument};
pub use exchange::{AgreedTest, Exchange, ExchangeError};
pub use intervals::{DirectionInterval, Interval, PathInterval};
pub use link_entry::LinkEntry;
pub use measured::{Measured, OneDirection, Role, cpu_s_per_gb};
pub use path_entry::PathEntry;
pub use summary::{control, summary_of};
