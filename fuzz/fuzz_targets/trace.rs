//! See the body of the same name in `crates/traces/tests/hostile/mod.rs`.
#![no_main]

#[path = "../../crates/traces/tests/hostile/mod.rs"]
mod hostile;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hostile::trace(bytes));
