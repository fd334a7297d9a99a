//! What every crate of anabranch shares: [`Time`] and [`Duration`], [`ByteCount`] and [`BitRate`], [`Seed`], [`Ecn`],
//! [`Machine`], the interface of everything that an engine schedules, [`setting`], which says what users can set, and
//! [`mod@counter`], which says what results count.
//!
//! No protocol, no network and no clock belongs here.

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
