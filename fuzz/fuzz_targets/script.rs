//! See the body of the same name in `crates/conformance/tests/hostile/mod.rs`.
#![no_main]

#[path = "../../crates/conformance/tests/hostile/mod.rs"]
mod hostile;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hostile::script(bytes));
