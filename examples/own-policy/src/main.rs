//! The anabranch program with custom policies in every command. The installed program runs this one with `anabranch sim
//! --policies target/release/own-policy`.
//!
//! ```sh
//! cargo run --package own-policy -- sim scenarios/phone.toml --set sctp.scheduler=three-to-one
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut registry = anabranch_cli::shipped_policies();
    own_policies::add_to(&mut registry);
    anabranch_cli::run(registry)
}
