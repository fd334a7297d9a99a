//! What every crate of anabranch shares: [`Time`] and [`Duration`], [`ByteCount`] and [`BitRate`],
//! [`Seed`], and [`Machine`], the one shape of everything that an engine schedules.
//!
//! It knows no protocol, no network, and no clock of the machine it runs on.

mod machine;
mod seed;
mod time;
mod units;

pub use machine::Machine;
pub use seed::Seed;
pub use time::{Duration, Time};
pub use units::{BitRate, ByteCount};
