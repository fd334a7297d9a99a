//! Times as programs print them before a line or in a cell: seconds since 1970, dates with times, times of day.

use anabranch_base::Duration;

/// A time, as far as it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// Since 1970, or another epoch that all times of a file share.
    Dated(Duration),
    /// Since a midnight.
    OfDay(Duration),
}

/// Makes the times of one file comparable: a time of day far before the last one is of the next day.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    last: Option<Moment>,
    days: u64,
}

impl Clock {
    /// The time on the file's axis; `None` where the file mixes forms that cannot be compared.
    pub(crate) fn read(&mut self, moment: Moment) -> Option<Duration> {
        let before = self.last.replace(moment);
        match (before, moment) {
            (None | Some(Moment::Dated(_)), Moment::Dated(at)) => Some(at),
            (None, Moment::OfDay(at)) => Some(at),
            (Some(Moment::OfDay(last)), Moment::OfDay(at)) => {
                self.days += u64::from(at + DAY / 2 < last);
                Some(at + DAY * self.days)
            }
            _ => None,
        }
    }
}

/// The time at the start of a line, and the rest of the line.
pub(crate) fn leading(line: &str) -> Option<(Moment, &str)> {
    if let Some(inner) = line.strip_prefix('[') {
        let (inner, rest) = inner.split_once(']')?;
        let inner = inner.trim();
        let moment = seconds(inner).map(Moment::Dated).or_else(|| whole(inner))?;
        return Some((moment, rest.trim_start_matches([' ', '\t', ':'])));
    }
    let begun = || {
        let (moment, rest) = dated(line).or_else(|| since_1970(line)).or_else(|| of_day(line))?;
        let rest = rest.strip_prefix([' ', '\t']).or_else(|| rest.is_empty().then_some(rest))?;
        Some((moment, rest.trim_start()))
    };
    begun().or_else(|| of_date(line))
}

/// The time that a whole text is.
pub(crate) fn whole(text: &str) -> Option<Moment> {
    leading(text).filter(|(_, rest)| rest.is_empty()).map(|(moment, _)| moment)
}

/// `2023-11-14T22:13:20.5+01:00`, `2023/11/14 22:13:20,5`, `14.11.2023 22:13:20`.
fn dated(text: &str) -> Option<(Moment, &str)> {
    let (first, rest) = digits(text, 1..=4)?;
    let mark = rest.chars().next().filter(|mark| matches!(mark, '-' | '/' | '.'))?;
    let (month, rest) = digits(&rest[1..], 1..=2)?;
    let (last, rest) = digits(rest.strip_prefix(mark)?, 1..=4)?;
    // With points the day comes first; `11/12/2023` could be November or December.
    let (year, month, day) = match mark {
        '.' => (last, month, first),
        _ if first > 31 => (first, month, last),
        _ => return of_day(rest.trim_start_matches([',', ' '])),
    };
    if year < 1970 || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let (at, rest) = time(rest.trim_start_matches([',', ' ', 'T', 't', '_']))?;
    let (east, rest) = zone(rest);
    let since = Duration::from_secs(days(year, month, day).checked_mul(86_400)?) + at;
    let seconds = i64::try_from(since.as_nanos() / 1_000_000_000).ok()? - east;
    let fraction = Duration::from_nanos(since.as_nanos() % 1_000_000_000);
    Some((Moment::Dated(Duration::from_secs(u64::try_from(seconds).ok()?) + fraction), rest))
}

/// `22:13:20.5`, perhaps after a month and a day (`Nov 14 22:13:20`, from `ts`).
fn of_day(text: &str) -> Option<(Moment, &str)> {
    let after_month = || {
        let (word, rest) = text.split_once(' ')?;
        let (_, rest) = digits(rest.trim_start(), 1..=2)?;
        let is_word = word.chars().count() <= 9 && word.chars().all(|c| c.is_alphabetic() || c == '.');
        is_word.then_some(rest.strip_prefix(' ')?)
    };
    let (at, rest) = time(text).or_else(|| time(after_month()?))?;
    Some((Moment::OfDay(at), rest))
}

/// `Tue Nov 14 22:13:20 CET 2023: `, from `date`, with words of any language.
fn of_date(text: &str) -> Option<(Moment, &str)> {
    let start = text[..text.find(':')?].rfind(' ')? + 1;
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | ',' | '.' | '+' | '-');
    if start > 32 || !text.starts_with(char::is_alphabetic) || !text[..start].chars().all(is_plain) {
        return None;
    }
    let (at, rest) = time(&text[start..])?;
    let (zone, rest) =
        rest.split_once(": ").filter(|(zone, _)| zone.len() <= 24 && zone.chars().all(is_plain))?;
    let at = match zone.trim_start().get(..2) {
        Some("PM" | "pm") if at < DAY / 2 => at + DAY / 2,
        Some("AM" | "am") if at >= DAY / 2 => at.saturating_sub(DAY / 2),
        _ => at,
    };
    Some((Moment::OfDay(at), rest.trim_start()))
}

/// `1700000000.123456`: ten digits before the point until 2286.
fn since_1970(text: &str) -> Option<(Moment, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let is_recent = text[..end].split('.').next().is_some_and(|whole| whole.len() == 10);
    let at = seconds(&text[..end]).filter(|_| is_recent)?;
    Some((Moment::Dated(at), &text[end..]))
}

/// `22:13:20` with or without a fraction.
fn time(text: &str) -> Option<(Duration, &str)> {
    let (hours, rest) = digits(text, 1..=2)?;
    let (minutes, rest) = digits(rest.strip_prefix(':')?, 2..=2)?;
    let (whole, rest) = digits(rest.strip_prefix(':')?, 2..=2)?;
    if hours > 23 || minutes > 59 || whole > 60 {
        return None;
    }
    let at = Duration::from_secs(hours * 3_600 + minutes * 60 + whole);
    let fraction = rest.strip_prefix(['.', ',']).and_then(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let digits = &rest[..end.min(9)];
        seconds(&format!("0.{digits}")).map(|fraction| (fraction, &rest[end..]))
    });
    Some(fraction.map_or((at, rest), |(fraction, rest)| (at + fraction, rest)))
}

/// The offset of the zone in seconds, positive to the east, and the rest: `Z`, `+0100`, `-05:00`, or nothing.
fn zone(text: &str) -> (i64, &str) {
    if let Some(rest) = text.strip_prefix(['Z', 'z']) {
        return (0, rest);
    }
    let read = || {
        let sign = if text.starts_with('+') { 1 } else { -1 };
        let text = text.strip_prefix(['+', '-'])?;
        let (hours, minutes, rest) = match digits(text, 2..=4)? {
            (both, rest) if rest.len() + 4 == text.len() => (both / 100, both % 100, rest),
            (hours, rest) => {
                let (minutes, rest) =
                    rest.strip_prefix(':').and_then(|rest| digits(rest, 2..=2)).unwrap_or((0, rest));
                (hours, minutes, rest)
            }
        };
        Some((sign * i64::try_from(hours * 3_600 + minutes * 60).ok()?, rest))
    };
    read().unwrap_or((0, text))
}

/// A number with a count of digits in this range, and the rest.
fn digits(text: &str, count: std::ops::RangeInclusive<usize>) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = text[..end].parse().ok().filter(|_| count.contains(&end))?;
    Some((number, &text[end..]))
}

fn seconds(text: &str) -> Option<Duration> {
    anabranch_scenario::quantity::span(&format!("{text} s")).ok()
}

/// The days from 1970 to a date of the Gregorian calendar.
fn days(year: u64, month: u64, day: u64) -> u64 {
    // The year begins in March, so that a leap day ends it.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_years = year * 365 + year / 4 - year / 100 + year / 400;
    of_years + (month * 153 + 2) / 5 + day - 1 - 719_468
}

const DAY: Duration = Duration::from_secs(86_400);

#[cfg(test)]
mod tests {
    use super::*;

    const DATED: u64 = 1_700_000_000;

    #[test]
    fn moments_are_read_in_each_form_that_programs_print() {
        let at = |millis: u64| Some(Moment::Dated(Duration::from_millis(DATED * 1_000 + millis)));
        for (text, expected) in [
            ("[1700000000.123]", at(123)),
            ("1700000000", at(0)),
            ("1700000000.5", at(500)),
            ("2023-11-14T22:13:20Z", at(0)),
            ("2023-11-14T22:13:20.123Z", at(123)),
            ("2023-11-14 22:13:20,123", at(123)),
            ("2023-11-14T23:13:20.5+0100", at(500)),
            ("2023-11-14T17:13:20-05:00", at(0)),
            ("2023-11-14T23:13:20+01", at(0)),
            ("[2023-11-14 22:13:20.5]", at(500)),
            ("2023/11/14 22:13:20", at(0)),
            ("14.11.2023 22:13:20.250", at(250)),
            ("14.11.2023, 22:13:20", at(0)),
            ("22:13:20.5", Some(Moment::OfDay(Duration::from_millis(80_000_500)))),
            ("Nov 14 22:13:20", Some(Moment::OfDay(Duration::from_secs(80_000)))),
            ("11/14/2023 22:13:20", Some(Moment::OfDay(Duration::from_secs(80_000)))),
            ("2024-02-29 00:00:00", Some(Moment::Dated(Duration::from_secs(1_709_164_800)))),
            ("1970-01-01 00:00:00", Some(Moment::Dated(Duration::ZERO))),
            ("1970-01-01 00:00:00+0100", None),
            ("2023-13-14 22:13:20", None),
            ("12.5", None),
            ("64 bytes", None),
            ("", None),
        ] {
            assert_eq!(whole(text), expected, "{text}");
        }
        let line = "Nov 14 22:13:20 64 bytes from";
        assert_eq!(leading(line).map(|(_, rest)| rest), Some("64 bytes from"));
        assert_eq!(leading("[1.5] 64 bytes").map(|(_, rest)| rest), Some("64 bytes"));
        let evening = Some((Moment::OfDay(Duration::from_secs(80_000)), "64 bytes"));
        assert_eq!(leading("Tue Nov 14 22:13:20 CET 2023: 64 bytes"), evening);
        assert_eq!(leading("Di 14. Nov 22:13:20 CET 2023: 64 bytes"), evening);
        assert_eq!(leading("Tue 14 Nov 2023 10:13:20 PM CET: 64 bytes"), evening);
        assert_eq!(leading("From 10:20:30::1 icmp_seq=8 Destination unreachable: No route"), None);
    }

    #[test]
    fn times_of_day_go_on_after_midnight_and_other_forms_are_not_compared_with_them() {
        let mut clock = Clock::default();
        let times = ["23:59:59", "00:00:01", "00:00:00", "23:00:00", "01:00:00"];
        let read = times.map(|time| clock.read(whole(time)?).map(|at| at.as_millis() / 1_000));
        assert_eq!(read, [86_399, 86_401, 86_400, 169_200, 176_400].map(Some));
        assert_eq!(clock.read(Moment::Dated(DAY)), None);
    }
}
