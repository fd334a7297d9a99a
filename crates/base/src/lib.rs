//! The types shared by every crate of anabranch: [`Time`] and [`Duration`], [`ByteCount`] and [`BitRate`], [`Seed`],
//! [`Ecn`], [`Machine`], the interface of everything that an engine schedules, [`setting`], the definition of
//! settings, and [`mod@counter`], the definition of counters.
//!
//! The crate has no protocol, network or clock.

pub mod counter;
mod ecn;
pub mod exact;
mod machine;
mod seed;
pub mod setting;
mod time;
mod units;

pub use ecn::Ecn;
pub use machine::Machine;
pub use seed::Seed;
pub use time::{Duration, Time};
pub use units::{BitRate, ByteCount, Distance, Speed};
