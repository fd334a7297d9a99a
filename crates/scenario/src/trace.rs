//! Reads Mahimahi's traces, for scenarios that name one and for programs that make a scenario from one.

use std::ops::Range;

use anabranch_base::Time;

use crate::tree::quoted;

/// What is wrong with a trace, and at which bytes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFault {
    /// Where.
    pub at: Range<usize>,
    /// What.
    pub message: String,
}

/// The moments of a trace, from its start: each line is one, in whole milliseconds, not less than the line before. Blank
/// lines may end the file.
///
/// # Errors
/// The first line that is not such a moment, or a trace without any.
pub fn opportunities(text: &str) -> Result<Vec<Time>, TraceFault> {
    let mut moments = Vec::new();
    let mut start = 0;
    for line in text.trim_end().split_inclusive('\n') {
        let digits = line.trim();
        let at = start..start + line.trim_end().len();
        start += line.len();
        let nanos = digits.parse::<u64>().ok().and_then(|ms| ms.checked_mul(1_000_000));
        let Some(moment) = nanos.map(Time::from_nanos) else {
            return Err(TraceFault {
                at,
                message: format!("{} is not a time in milliseconds", quoted(digits)),
            });
        };
        if moments.last().is_some_and(|last| moment < *last) {
            return Err(TraceFault { at, message: format!("{digits} ms is less than the line before") });
        }
        moments.push(moment);
    }
    if moments.is_empty() {
        return Err(TraceFault { at: 0..0, message: "the trace is empty".to_owned() });
    }
    Ok(moments)
}

/// What each line should be.
pub const EXPECTED: &str = "a time in whole milliseconds on each line, not less than the line before";
