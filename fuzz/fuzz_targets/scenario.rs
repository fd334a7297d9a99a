//! See the body of the same name in `crates/scenario/tests/hostile/mod.rs`.
#![no_main]

#[path = "../../crates/scenario/tests/hostile/mod.rs"]
mod hostile;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hostile::scenario(bytes));
