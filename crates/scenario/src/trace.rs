//! Reads Mahimahi traces.

use std::ops::Range;

use anabranch_base::Time;

use crate::tree::quoted;

/// A fault in a trace, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFault {
    /// The bytes of the text.
    pub at: Range<usize>,
    /// The message.
    pub message: String,
}

/// The delivery opportunities of a trace, from its start: one line each, in whole milliseconds, not decreasing. The
/// file may end in blank lines.
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

/// The expected form of a line.
pub const EXPECTED: &str = "a time in whole milliseconds on each line, not less than the line before";
