//! Lines of `ping` in any language: blanks and marks of other scripts replaced by ASCII, and the numbers after `=`.
//! Words differ between languages and are not compared.

use anabranch_base::Duration;
use anabranch_scenario::quantity::span;

/// A number with its name, such as `time=12.3 ms`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Assignment<'l> {
    pub name: &'l str,
    pub number: &'l str,
    /// The word after the number; may be empty.
    pub unit: &'l str,
}

impl Assignment<'_> {
    /// The number, if it is a whole one.
    pub(super) fn count(&self) -> Option<u64> {
        self.number.parse().ok().filter(|number| *number < MOST)
    }
}

/// The line with ASCII blanks and marks, trimmed.
pub(super) fn plain(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    for c in line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}' || c == '\0').chars() {
        match c {
            '，' | '、' | '،' => text.push_str(", "),
            '：' => text.push(':'),
            '＝' => text.push('='),
            '（' => text.push('('),
            '）' => text.push(')'),
            '％' | '٪' => text.push('%'),
            '！' => text.push('!'),
            c if c.is_whitespace() => text.push(' '),
            c => text.push(c),
        }
    }
    text
}

/// The numbers of a line after `=` or `<`, in order.
pub(super) fn assignments(line: &str) -> Vec<Assignment<'_>> {
    if line.len() > LONGEST {
        return Vec::new();
    }
    line.match_indices(['=', '<']).filter_map(|(at, _)| assignment(&line[..at], &line[at + 1..])).collect()
}

fn assignment<'l>(before: &'l str, behind: &'l str) -> Option<Assignment<'l>> {
    let before = before.trim_end_matches([' ', '=', '<']);
    let is_of_name = |c: char| is_of_word(c) || c.is_ascii_digit() || c == '_';
    let start = before
        .rfind(|c: char| !is_of_name(c))
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let name = &before[start..];
    let behind = behind.trim_start_matches([' ', '<']);
    let end = behind.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(behind.len());
    let number = behind[..end].trim_end_matches(['.', ',']);
    if name.is_empty() || number.is_empty() {
        return None;
    }
    Some(Assignment { name, number, unit: unit(&behind[number.len()..]) })
}

/// The word at the start of a text, unless it is the name of the next number.
fn unit(text: &str) -> &str {
    let text = text.strip_prefix(' ').unwrap_or(text);
    let end = text.find(|c: char| !is_of_word(c)).unwrap_or(text.len());
    let is_name = text[end..].trim_start().starts_with(['=', '<', '_']);
    if is_name { "" } else { &text[..end] }
}

/// Letters of an old code page may have become any character but ASCII.
fn is_of_word(c: char) -> bool {
    c.is_ascii_alphabetic() || !c.is_ascii()
}

/// A time as printed, with a point or a comma; `None` if it is not one.
pub(super) fn milliseconds(number: &str, unit: &str) -> Option<Duration> {
    if number.matches([',', '.']).count() > 1 {
        return None;
    }
    // Any unit but ASCII's other ones means milliseconds, in some language.
    let unit = match unit {
        "us" | "usec" | "µs" | "μs" => "us",
        "s" | "sec" => "s",
        _ => "ms",
    };
    span(&format!("{} {unit}", number.replace(',', "."))).ok()
}

/// The rounding error of a printed time.
pub(super) fn resolution(number: &str) -> Duration {
    let decimals = number.split_once([',', '.']).map_or(0, |(_, fraction)| fraction.len().min(6));
    Duration::from_nanos(1_000_000 / 10_u64.pow(u32::try_from(decimals).unwrap_or(6)))
}

/// The longest line with numbers after `=`, in bytes.
const LONGEST: usize = 1_000;

/// The largest plausible count of packets.
const MOST: u64 = 1 << 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_each_language() {
        let read = |line: &str| -> Vec<(String, String, String)> {
            let line = plain(line);
            let owned = |a: &Assignment<'_>| (a.name.to_owned(), a.number.to_owned(), a.unit.to_owned());
            assignments(&line).iter().map(owned).collect()
        };
        for (line, expected) in [
            (
                "icmp_seq=1 ttl=57 time=12.3 ms",
                vec![("icmp_seq", "1", ""), ("ttl", "57", ""), ("time", "12.3", "ms")],
            ),
            (
                "icmp_seq =1 ttl =57 დრო=12.3 მწმ",
                vec![("icmp_seq", "1", ""), ("ttl", "57", ""), ("დრო", "12.3", "მწმ")],
            ),
            ("temps=18,9\u{a0}ms", vec![("temps", "18,9", "ms")]),
            ("时间=18.9 毫秒", vec![("时间", "18.9", "毫秒")]),
            ("Bytes=32 Zeit<1ms TTL=117", vec![("Bytes", "32", ""), ("Zeit", "1", "ms"), ("TTL", "117", "")]),
            (
                "バイト数 =32 時間 =15ms TTL=117",
                vec![("バイト数", "32", ""), ("時間", "15", "ms"), ("TTL", "117", "")],
            ),
            ("Sent = 4, Lost = 1 (25% loss),", vec![("Sent", "4", ""), ("Lost", "1", "")]),
            ("PING6(56=40+8+8 bytes)", vec![("56", "40", "")]),
            (
                "\u{fffd}\u{fffd}=14\u{fffd}\u{fffd} TTL=117",
                vec![("\u{fffd}\u{fffd}", "14", "\u{fffd}\u{fffd}"), ("TTL", "117", "")],
            ),
            ("icmp_seq=x", vec![]),
        ] {
            let expected: Vec<_> = expected
                .iter()
                .map(|(a, b, c)| ((*a).to_owned(), (*b).to_owned(), (*c).to_owned()))
                .collect();
            assert_eq!(read(line), expected, "{line}");
        }
    }

    #[test]
    fn times_are_read_with_a_point_or_a_comma() {
        assert_eq!(milliseconds("16,076", "ms"), Some(Duration::from_micros(16_076)));
        assert_eq!(milliseconds("250", "us"), Some(Duration::from_micros(250)));
        assert_eq!(milliseconds("1.2.3", "ms"), None);
        assert_eq!(resolution("16,07"), Duration::from_micros(10));
    }
}
