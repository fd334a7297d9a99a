//! Compares the public items of the crates that other programs use with `crates/NAME/api.txt`, or writes these files anew.
//!
//! ```sh
//! cargo run --package anabranch-api             # what differs
//! cargo run --package anabranch-api -- --write  # after a change that is meant
//! ```
//!
//! The items come from the JSON of rustdoc, which a stable compiler gives only with `RUSTC_BOOTSTRAP`.

#![allow(clippy::print_stderr, reason = "a tool says what differs")]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

use public_api::Builder;
use similar::TextDiff;

/// The crates whose items docs/compatibility.md promises to keep.
const CRATES: [&str; 3] = ["base", "sctp", "net"];

fn main() -> ExitCode {
    let is_to_write = env::args().skip(1).any(|word| word == "--write");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut status = ExitCode::SUCCESS;
    for name in CRATES {
        let file = root.join(format!("crates/{name}/api.txt"));
        match items(&root, name) {
            Err(why) => {
                eprintln!("the items of anabranch-{name} cannot be listed: {why}");
                status = ExitCode::FAILURE;
            }
            Ok(found) if is_to_write => {
                if let Err(error) = fs::write(&file, found) {
                    eprintln!("{}: {error}", file.display());
                    status = ExitCode::FAILURE;
                }
            }
            Ok(found) => {
                let golden = fs::read_to_string(&file).unwrap_or_default();
                if golden != found {
                    eprint!("{}", difference(name, &golden, &found));
                    status = ExitCode::FAILURE;
                }
            }
        }
    }
    status
}

/// The public items of a crate, one a line, without those of blanket and automatic implementations.
fn items(root: &Path, name: &str) -> Result<String, String> {
    let json = json(root, name)?;
    let api = Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .map_err(|error| error.to_string())?;
    Ok(api.items().map(|item| format!("{item}\n")).collect())
}

/// Makes the JSON of a crate; returns its file.
fn json(root: &Path, name: &str) -> Result<PathBuf, String> {
    // A folder of its own: build scripts that see the variable would be run again for the next build of everything.
    let target =
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from).join("api");
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["rustdoc", "--quiet", "--locked", "--lib", "--package", &format!("anabranch-{name}")]);
    cargo.arg("--target-dir").arg(&target);
    cargo.args(["--", "-Z", "unstable-options", "--output-format", "json"]);
    let status =
        cargo.current_dir(root).env("RUSTC_BOOTSTRAP", "1").status().map_err(|error| error.to_string())?;
    if !status.success() {
        return Err(format!("cargo rustdoc ended with {status}"));
    }
    Ok(target.join(format!("doc/anabranch_{name}.json")))
}

/// The lines that differ, and what to do.
fn difference(name: &str, golden: &str, found: &str) -> String {
    let lines = TextDiff::from_lines(golden, found);
    format!(
        "crates/{name}/api.txt differs from the crate. If that is meant, say it in CHANGELOG.md and run\n  \
         cargo run --package anabranch-api -- --write\n{}",
        lines.unified_diff().context_radius(0).header("golden", "now")
    )
}
