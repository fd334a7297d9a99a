//! See the body of the same name in `crates/sctp/tests/hostile/mod.rs`.
#![no_main]

#[path = "../../crates/sctp/tests/hostile/mod.rs"]
mod hostile;
#[path = "../../crates/sctp/tests/pair/mod.rs"]
mod pair;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hostile::handshake(bytes));
