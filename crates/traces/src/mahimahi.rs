//! Reads Mahimahi traces, and turns delivery opportunities into rates where a scenario cannot name the file.

use anabranch_base::{BitRate, Duration, Time};
use anabranch_scenario::trace::{EXPECTED, opportunities};

use crate::content::Content;
use crate::fault::{Fault, Read};
use crate::observed::{OPPORTUNITY, Observations, ObservedRate};
use crate::series::{Amount as _, Series};

/// Reads a trace.
pub(crate) fn read(text: &str) -> Read<Content> {
    let moments = opportunities(text);
    let moments = moments.map_err(|fault| Fault::at(fault.at, fault.message).expected(EXPECTED))?;
    let length = moments.last().map_or(Duration::ZERO, |last| last.since(Time::ZERO));
    if length.is_zero() {
        return Err(Fault::at(0..0, "the trace lasts 0 ms").expected("a last line greater than 0"));
    }
    Ok(Content {
        made_by: "Mahimahi".to_owned(),
        length,
        forward: Observations { rate: Some(ObservedRate::Opportunities(moments)), ..Observations::default() },
        ..Content::default()
    })
}

/// The mean rate over each `step`, the last of which ends with the trace; `None` for more than `most` steps.
pub(crate) fn rates(moments: &[Time], step: Duration, most: usize) -> Option<Series<BitRate>> {
    let length = moments.last()?.since(Time::ZERO).as_nanos();
    let step = step.as_nanos().max(1);
    let count = usize::try_from(length.div_ceil(step)).ok().filter(|count| (1..=most).contains(count))?;
    let mut bytes = vec![0_u64; count];
    for moment in moments {
        // The last moment belongs to the last span.
        let index = usize::try_from(moment.as_nanos() / step).unwrap_or(count).min(count - 1);
        bytes[index] += OPPORTUNITY;
    }
    let rate = |(index, bytes): (usize, u64)| {
        let begin = step.saturating_mul(index as u64);
        let span = Duration::from_nanos(length.min(begin.saturating_add(step)).saturating_sub(begin).max(1));
        (Duration::from_nanos(begin), BitRate::nearest(bytes as f64 * 8.0 / span.as_secs_f64()))
    };
    Series::of(bytes.into_iter().enumerate().map(rate), Duration::from_nanos(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_what_passes_in_each_span_the_last_one_shorter() {
        let moments = [0, 50, 99, 100, 149, 150].map(|ms| Time::ZERO + Duration::from_millis(ms));
        let rates = rates(&moments, Duration::from_millis(100), 2).expect("two spans");
        let told: Vec<(u64, u64)> =
            rates.changes().iter().map(|(at, rate)| (at.as_millis(), rate.bits_per_second())).collect();
        // Three packets of 1,504 bytes in 100 ms, and as many in the remaining 50 ms.
        assert_eq!(told, [(0, 360_960), (100, 721_920)]);
        assert_eq!(super::rates(&moments, Duration::from_millis(100), 1), None);
    }
}
