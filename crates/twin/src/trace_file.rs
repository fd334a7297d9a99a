//! A varying rate as a Mahimahi trace, which a run repeats.

use anabranch_link::config::Trace;

/// A file beside the scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFile {
    /// The name, without folders.
    pub name: String,
    /// The content.
    pub text: String,
}

/// The lines of a trace with these rates, `(seconds, bits a second)`; `None` if they are not steps in time that
/// carry something, or too many. The last step takes as long as those before it on average.
pub(crate) fn trace(steps: &[(f64, f64)]) -> Option<String> {
    let (begin, end) = bounds(steps)?;
    let milliseconds = ((end - begin) * 1e3).round() as u64;
    let per_opportunity = Trace::OPPORTUNITY.get() as f64 * 8.0;
    let mut lines: Vec<u64> = Vec::new();
    let (mut credit, mut step) = (0.0, 0);
    for millisecond in 0..milliseconds {
        let at = begin + millisecond as f64 / 1e3;
        while steps.get(step + 1).is_some_and(|(next, _)| *next <= at) {
            step += 1;
        }
        credit += steps[step].1 / 1e3 / per_opportunity;
        while credit >= 1.0 {
            lines.push(millisecond + 1);
            credit -= 1.0;
        }
        if lines.len() > MOST_LINES {
            return None;
        }
    }
    if lines.is_empty() {
        return None;
    }
    // A trace begins anew after its last line: without one at its end, a pause there would be cut.
    if lines.last() < Some(&milliseconds) {
        lines.push(milliseconds);
    }
    Some(lines.iter().map(|line| format!("{line}\n")).collect())
}

/// The begin and the end of `steps`.
fn bounds(steps: &[(f64, f64)]) -> Option<(f64, f64)> {
    let is_sound = |(at, rate): &(f64, f64)| at.is_finite() && (0.0..MOST_RATE).contains(rate);
    let is_ordered = steps.windows(2).all(|pair| pair[0].0 < pair[1].0);
    if !(2..=MOST_STEPS).contains(&steps.len()) || !steps.iter().all(is_sound) || !is_ordered {
        return None;
    }
    let (begin, last) = (steps[0].0, steps[steps.len() - 1].0);
    let end = last + (last - begin) / (steps.len() - 1) as f64;
    (LEAST_SECONDS..=MOST_SECONDS).contains(&(end - begin)).then_some((begin, end))
}

const MOST_STEPS: usize = 10_000;
const MOST_LINES: usize = 400_000;
const MOST_RATE: f64 = 1e12;
const LEAST_SECONDS: f64 = 0.05;
const MOST_SECONDS: f64 = 600.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_carries_what_its_steps_carry_and_lasts_as_long() {
        // A second of 12.032 Mbit/s, a packet each millisecond, and a second of nothing.
        let text = trace(&[(3.0, 12_032_000.0), (4.0, 0.0)]).expect("two steps");
        let lines: Vec<u64> = text.lines().map(|line| line.parse().expect("a number")).collect();
        assert!((1_000..=1_001).contains(&(lines.len())), "{}", lines.len());
        assert_eq!((lines[0], lines[998], lines.last()), (1, 999, Some(&2_000)));
    }

    #[test]
    fn what_is_not_a_course_of_rates_has_no_trace() {
        for steps in [
            vec![],
            vec![(0.0, 1e6)],
            vec![(0.0, 0.0), (1.0, 0.0)],
            vec![(1.0, 1e6), (0.0, 1e6)],
            vec![(0.0, f64::NAN), (1.0, 1e6)],
            vec![(0.0, 1e6), (f64::INFINITY, 1e6)],
            vec![(0.0, 1e11), (300.0, 1e11)],
            vec![(0.0, -1.0), (1.0, 1e6)],
        ] {
            assert_eq!(trace(&steps), None, "{steps:?}");
        }
    }
}
