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
    /// Returns true if the list has this port.
    pub fn contains(&self, port: u16) -> bool {
        self.0.iter().any(|range| range.contains(&port))
    }

    /// The ranges, where a port alone is a range of one.
    pub fn ranges(&self) -> impl Iterator<Item = RangeInclusive<u16>> {
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

/// Reads a port from 1 to 65535; the standard library would read a sign.
pub fn port(text: &str) -> Option<u16> {
    let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|port| is_decimal && *port != 0)
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
    fn a_list_has_its_ports_and_the_ends_of_its_ranges() {
        let ports: Ports = "80,443,8000-8100".parse().expect("a list");
        for (port, is_in) in [(79, false), (80, true), (81, false), (443, true), (7999, false), (8000, true)]
        {
            assert_eq!(ports.contains(port), is_in, "{port}");
        }
        assert!(ports.contains(8100) && !ports.contains(8101) && !ports.contains(0));
        assert_eq!(ports.to_string(), "80,443,8000-8100");
    }

    #[test]
    fn the_last_port_ends_a_range() {
        let ports: Ports = "1-65535".parse().expect("a list");
        assert!(ports.contains(1) && ports.contains(65535) && !ports.contains(0));
    }

    #[test]
    fn text_that_is_not_a_list_is_refused() {
        for (text, entry) in [
            ("", ""),
            ("0", "0"),
            ("80,", ""),
            ("65536", "65536"),
            ("80,x", "x"),
            ("1-", "1-"),
            ("1-2-3", "1-2-3"),
        ] {
            assert_eq!(text.parse::<Ports>(), Err(PortsError::Entry(entry.to_owned())), "{text:?}");
        }
        for text in ["+80", " 80", "-80", "0-9"] {
            assert_eq!(text.parse::<Ports>(), Err(PortsError::Entry(text.to_owned())));
        }
        assert_eq!("9-8".parse::<Ports>(), Err(PortsError::Reversed(9, 8)));
    }
}
