//! Lists of ports such as `80,443,8000-8100`.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A list of ports from 1 to 65535 and ranges of them, in the order of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ports(Vec<RangeInclusive<u16>>);

/// The error of text that is not a list of ports.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortsError {
    /// An entry is neither a port nor a range.
    #[error("{0:?} is not a port from 1 to 65535, nor a range such as 8000-8100")]
    Entry(String),
    /// A range ends before it begins.
    #[error("the range of ports {0}-{1} ends before it begins")]
    Reversed(u16, u16),
}

impl Ports {
    /// The ranges, where a port alone is a range of one.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = RangeInclusive<u16>> {
        self.0.iter().cloned()
    }
}

impl FromStr for Ports {
    type Err = PortsError;

    fn from_str(text: &str) -> Result<Ports, PortsError> {
        text.split(',').map(range).collect::<Result<_, _>>().map(Ports)
    }
}

fn range(text: &str) -> Result<RangeInclusive<u16>, PortsError> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (port(first), port(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        (Some(first), Some(last)) => Err(PortsError::Reversed(first, last)),
        _ => Err(PortsError::Entry(text.to_owned())),
    }
}

fn port(text: &str) -> Option<u16> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|port| is_number && *port > 0)
}

impl fmt::Display for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, range) in self.0.iter().enumerate() {
            f.write_str(if index > 0 { "," } else { "" })?;
            write!(f, "{}", range.start())?;
            if range.start() < range.end() {
                write!(f, "-{}", range.end())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_shown_as_it_was_read() {
        for text in ["443", "1,65535", "80,443,8000-8100"] {
            assert_eq!(text.parse::<Ports>().expect(text).to_string(), text);
        }
    }

    #[test]
    fn text_that_is_not_a_list_is_refused() {
        for text in ["", "0", "65536", "+80", "80,", "80-", "-80", "80-90-100", "http"] {
            assert!(matches!(text.parse::<Ports>(), Err(PortsError::Entry(_))), "{text:?}");
        }
        assert_eq!("80-79".parse::<Ports>(), Err(PortsError::Reversed(80, 79)));
    }
}
