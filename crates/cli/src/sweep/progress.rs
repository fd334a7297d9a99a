//! The progress of a sweep.

use std::num::NonZeroUsize;

use anabranch_base::Duration;
use anabranch_lab::sweep;
use serde_json::json;

use crate::meter::{Progress, rounded_time};

/// Returns the progress of a sweep on so many threads; `None` while its points are read.
pub(super) fn progress(far: Option<sweep::Progress>, threads: NonZeroUsize) -> Progress {
    let sweep::Progress { done, expected, left, .. } = far.unwrap_or_default();
    let left = left.map(|work| work / threads.get() as u64);
    let words = match far {
        Some(_) => {
            let left = left.map_or(String::new(), |left| format!(", about {} left", rounded_time(left)));
            format!("{done} of {expected} runs done{left}")
        }
        None => "reading the points".to_owned(),
    };
    Progress {
        done,
        all: Some(expected.max(1)),
        words,
        document: json!({
            "done_runs": done,
            "expected_runs": expected,
            "left_s": left.map(Duration::as_secs_f64),
        }),
    }
}
