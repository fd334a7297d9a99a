//! What every crate of anabranch shares: [`Time`] and [`Duration`], [`ByteCount`] and [`BitRate`], [`Seed`], [`Ecn`], and
//! [`Machine`], the interface of everything that an engine schedules.
//!
//! No protocol, no network and no clock belongs here.

mod ecn;
mod machine;
mod seed;
mod time;
mod units;

pub use ecn::Ecn;
pub use machine::Machine;
pub use seed::Seed;
pub use time::{Duration, Time};
pub use units::{BitRate, ByteCount};
