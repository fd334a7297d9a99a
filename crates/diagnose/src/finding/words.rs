//! The words of findings: names, numbers, and the sentence with its advice.

use anabranch_base::BitRate;

use super::Finding;
use crate::evidence::{Direction, Place};
use crate::remedy::{Remedy, RemedyWords};

/// The sentence of a finding with its advice.
pub(super) fn text(finding: &Finding, words: RemedyWords) -> String {
    let Some(remedy) = &finding.remedy else { return finding.sentence.clone() };
    let said = match remedy {
        Remedy::Set { .. } => format!("`{}`", words(remedy)),
        _ => words(remedy),
    };
    let place = match finding.place {
        Some(Place::There) => " at the other end",
        _ => "",
    };
    let promise = finding.promise.as_ref().map_or(String::new(), |promise| {
        let goodput = promise.goodput_bps;
        let half = (goodput.high - goodput.low) / 2.0;
        format!(", simulated {}", with_error(goodput.value, half))
    });
    format!("{}: {said}{place}{promise}", finding.sentence)
}

/// `17.8 ± 0.4 Mbit/s`, both in the unit of the value.
fn with_error(bps: f64, half: f64) -> String {
    let (unit, factor) = if bps >= 1e6 { ("Mbit/s", 1e6) } else { ("kbit/s", 1e3) };
    let digits = |value: f64| if value < 9.95 { format!("{value:.2}") } else { format!("{value:.1}") };
    format!("{} ± {} {unit}", digits(bps / factor), digits(half / factor))
}

/// A name that another host or the system gave, without characters that a terminal obeys.
pub(super) fn name(text: &str) -> String {
    let shown = |c: char| {
        let is_turning =
            matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if c.is_control() || is_turning { c.escape_default().to_string() } else { c.to_string() }
    };
    text.chars().take(LONGEST_NAME).map(shown).collect()
}

/// Names in a row: `wlan0, wwan0 and eth0`.
pub(super) fn names(all: &[&str]) -> String {
    let all: Vec<String> = all.iter().map(|one| name(one)).collect();
    match all.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => "no link".to_owned(),
    }
}

/// The direction, as it is said of a link.
pub(super) fn towards(direction: Direction) -> &'static str {
    match direction {
        Direction::Forward => "on the way there",
        Direction::Reverse => "on the way back",
    }
}

/// The end, as a subject.
pub(super) fn end(place: Place) -> &'static str {
    match place {
        Place::Here => "this end",
        Place::There => "the other end",
    }
}

/// `19.9 Mbit/s`.
pub(super) fn rate(bps: f64) -> String {
    BitRate::from_bits_per_second(bps.clamp(0.0, 1e15) as u64).to_string()
}

/// `3.1 MB/s`, of bits a second.
pub(super) fn byte_rate(bps: f64) -> String {
    match bps.clamp(0.0, 1e15) / 8.0 {
        slow if slow < 99_950.0 => format!("{:.1} kB/s", slow / 1e3),
        fast => format!("{:.1} MB/s", fast / 1e6),
    }
}

/// `12 ms`, `1.4 s`.
pub(super) fn time(seconds: f64) -> String {
    match seconds.clamp(0.0, 1e9) {
        short if short < 0.00995 => format!("{:.1} ms", short * 1e3),
        short if short < 0.9995 => format!("{:.0} ms", short * 1e3),
        long => format!("{long:.1} s"),
    }
}

const LONGEST_NAME: usize = 64;
