//! The anabranch program.
fn main() {}
