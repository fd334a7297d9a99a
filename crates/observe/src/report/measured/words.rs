//! Numbers and names of a measurement as the page writes them.

use anabranch_diagnose::Estimated;

/// A name of at most `most` characters, on one line. Control characters and those that turn the direction of writing are
/// replaced: either end, or a system, may have chosen them.
pub(super) fn plain(name: &str, most: usize) -> String {
    let is_unsafe = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut letters = name.chars().map(|letter| if is_unsafe(letter) { '\u{fffd}' } else { letter });
    let mut short: String = letters.by_ref().take(most).collect();
    if letters.next().is_some() {
        short.pop();
        short.push('…');
    }
    short
}

/// `19.9 Mbit/s`.
pub(super) fn rate(bits: f64) -> String {
    scaled(bits, &[(1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")])
}

/// `21.4 ms`.
pub(super) fn span(seconds: f64) -> String {
    scaled(seconds, &[(1.0, "s"), (1e-3, "ms"), (1e-6, "µs")])
}

/// `64.0 kB`.
pub(super) fn bytes(bytes: f64) -> String {
    scaled(bytes, &[(1e6, "MB"), (1e3, "kB"), (1.0, "B")])
}

/// `1.2 %`.
pub(super) fn share(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 1.0 { format!("{percent:.2} %") } else { format!("{percent:.1} %") }
}

/// `19.9 Mbit/s (19.8 to 20.1)`: the value, and the ends of its interval.
pub(super) fn estimated(estimated: &Estimated, words: fn(f64) -> String) -> String {
    let [value, low, high] = [estimated.value, estimated.low, estimated.high].map(words);
    let unit = value.rsplit_once(' ').map_or("", |(_, unit)| unit);
    let bare = |end: &str| end.strip_suffix(unit).unwrap_or(end).trim_end().to_owned();
    format!("{value} ({} to {})", bare(&low), bare(&high))
}

/// Three digits in the largest unit that is not larger than the number.
fn scaled(number: f64, units: &[(f64, &str)]) -> String {
    if !number.is_finite() {
        return "–".to_owned();
    }
    let (factor, unit) =
        *units.iter().find(|(factor, _)| number >= *factor).unwrap_or(&units[units.len() - 1]);
    let number = number / factor;
    let decimals = match number {
        100.0.. => 0,
        10.0.. => 1,
        _ if number == 0.0 => 0,
        _ => 2,
    };
    format!("{number:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!([rate(19.94e6), rate(3.1e6), rate(999.0)], ["19.9 Mbit/s", "3.10 Mbit/s", "999 bit/s"]);
        assert_eq!([span(0.0214), span(0.0), span(1.5)], ["21.4 ms", "0 µs", "1.50 s"]);
        assert_eq!([share(0.012), share(0.0005), share(0.0)], ["1.2 %", "0.05 %", "0.0 %"]);
        assert_eq!(rate(f64::NAN), "–");
    }

    #[test]
    fn a_name_stays_on_its_line_and_in_its_direction() {
        assert_eq!(plain("a\nb\u{202e}c\0", 9), "a\u{fffd}b\u{fffd}c\u{fffd}");
        assert_eq!(plain("wlan0", 5), "wlan0");
        assert_eq!(plain("wlan0123", 5), "wlan…");
    }
}
