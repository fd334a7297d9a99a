//! The JSON document of a scenario that was made.

use std::path::Path;

use anabranch_observe::{Body, resolved};
use anabranch_traces::{Fact, FactBasis, RecordedLink};
use anabranch_transfer::hex;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::Made;

/// The document of a made file: its sources, and the file itself.
pub(super) fn of(made: &Made, write: Option<&Path>) -> Body {
    let body = json!({
        "title": made.written.title,
        "written": write.map(|path| path.display().to_string()),
        "links": made.links.iter().map(link).collect::<Vec<_>>(),
        "scenario": made.written.text,
        "resolved": resolved(&made.scenario),
    });
    Body::of(&body).about(hex(&Sha256::digest(&made.written.text).into()))
}

fn link(link: &RecordedLink) -> Value {
    let file = |(name, made_by): &(String, String)| json!({ "file": name, "made_by": made_by });
    let value = |fact: &Fact| json!({ "key": fact.what, "measured": fact.basis == FactBasis::Measured, "how": fact.how });
    json!({
        "name": link.name,
        "length_s": link.length.as_secs_f64(),
        "files": link.files.iter().map(file).collect::<Vec<_>>(),
        "values": link.facts().iter().map(value).collect::<Vec<_>>(),
        "remarks": link.remarks(),
    })
}
