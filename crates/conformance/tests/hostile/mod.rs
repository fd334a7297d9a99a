//! The body of this crate's fuzz target: the invariants of any bytes played as a script. `hostile_scripts.rs` runs it
//! on its own inputs, without a fuzzer.

use anabranch_conformance::{Symbols, Verdict, run};

/// The bytes are a script. Reading and playing them ends without a panic; a verdict names a line of the script.
pub(crate) fn script(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let line = match run(&text, &Symbols::new(["FreeBSD"])) {
        Verdict::Passed => return,
        Verdict::Failed(failure) => failure.line,
        Verdict::NotApplicable(lacking) | Verdict::Unreadable(lacking) => lacking.line,
    };
    assert!(line <= text.lines().count().max(1), "line {line} of\n{text}");
}
