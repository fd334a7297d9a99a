//! What of the anabranch program other programs may use: the file protocol. It knows no argument, no screen
//! and no socket; those are the binary's.

pub mod file_protocol;
