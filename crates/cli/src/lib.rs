//! What of the anabranch program other programs may use: the file protocol, the test protocol, and the records of a
//! simulated run. It knows no argument, no screen and no socket; those are the binary's.

pub mod bench_protocol;
pub mod file_protocol;
pub mod path_entry;
mod reason;
