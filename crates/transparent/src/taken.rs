//! The text of what is carried: `host`, `uid=1000`, `cgroup=user.slice`, `port=443`, `from=eth1`, `to=10.1.0.0/16`.

use std::fmt;
use std::str::FromStr;

use anabranch_nets::{NetworkError, Ports, PortsError, network, show};
use ipnet::IpNet;

/// Flows that are carried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// `host`: all flows of this host.
    Host,
    /// `uid=1000`, `uid=alice`: flows of the processes of a user.
    User(User),
    /// `cgroup=PATH`: flows of the processes in a control group of version 2 and those below it; the path is relative to
    /// `/sys/fs/cgroup`.
    Cgroup(String),
    /// `port=443`, `port=80,8000-8100`: flows of this host to these ports.
    Ports(Ports),
    /// `from=192.168.7.0/24`, `from=eth1`: flows that this host forwards for a network behind it.
    From(Behind),
    /// `to=10.1.0.0/16`: private destinations of the selected flows, which are otherwise not carried.
    To(IpNet),
}

/// A user, by number or by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum User {
    /// The number of the user.
    Id(u32),
    /// The name, looked up when the capture opens.
    Name(String),
}

/// A network behind this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Behind {
    /// Source addresses.
    Net(IpNet),
    /// The interface where its packets arrive.
    Interface(String),
}

/// The error of text that does not say what is carried.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TakenError {
    /// The text has none of the known forms.
    #[error(
        "{0:?} does not say what to carry: write host, uid=1000, cgroup=user.slice, port=443, from=192.168.7.0/24, \
         from=eth1 or to=10.1.0.0/16"
    )]
    Unknown(String),
    /// Neither the number nor the name of a user.
    #[error("{0:?} is not a user: write a number or a name, such as uid=1000 or uid=alice")]
    User(String),
    /// Not a path below `/sys/fs/cgroup`.
    #[error(
        "{0:?} is not a control group below /sys/fs/cgroup: write its path, such as cgroup=user.slice/user-1000.slice"
    )]
    Cgroup(String),
    /// Not a list of ports.
    #[error("{0}: write port=443 or port=8000-8100")]
    Ports(#[from] PortsError),
    /// Neither a network nor the name of an interface.
    #[error(
        "{0:?} is not a network behind this host: write a network or an interface, such as from=192.168.7.0/24 or from=eth1"
    )]
    Behind(String),
    /// Every address.
    #[error(
        "from={0} is every network: name the one behind this host, such as from=192.168.7.0/24 or from=eth1"
    )]
    Everywhere(IpNet),
    /// Loopback is not a network behind this host.
    #[error("from=lo is this host itself: write host")]
    Loopback,
    /// Not a network.
    #[error(transparent)]
    Net(#[from] NetworkError),
}

impl FromStr for Taken {
    type Err = TakenError;

    fn from_str(text: &str) -> Result<Taken, TakenError> {
        if text == "host" {
            return Ok(Taken::Host);
        }
        let (key, value) = text.split_once('=').ok_or_else(|| TakenError::Unknown(text.to_owned()))?;
        match key {
            "uid" => user(value).map(Taken::User),
            "cgroup" => cgroup(value).map(Taken::Cgroup),
            "port" => Ok(Taken::Ports(value.parse()?)),
            "from" => behind(value).map(Taken::From),
            "to" => Ok(Taken::To(network(value)?)),
            _ => Err(TakenError::Unknown(text.to_owned())),
        }
    }
}

fn user(text: &str) -> Result<User, TakenError> {
    let refused = || TakenError::User(text.to_owned());
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // The kernel has no user of the largest number.
        let id = text.parse().ok().filter(|id| *id != u32::MAX);
        return id.map(User::Id).ok_or_else(refused);
    }
    let is_name = |name: &&str| {
        let is_plain =
            |character: char| !character.is_whitespace() && !character.is_control() && character != ':';
        !name.is_empty() && name.len() <= LONGEST_USER && name.chars().all(is_plain)
    };
    Some(text).filter(is_name).map(|name| User::Name(name.to_owned())).ok_or_else(refused)
}

/// A path below `/sys/fs/cgroup`, which may be written with it.
fn cgroup(text: &str) -> Result<String, TakenError> {
    let path = text.strip_prefix("/sys/fs/cgroup/").unwrap_or(text);
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let is_below = |part: &&str| **part != *".." && !part.contains('\0');
    if parts.is_empty() || !parts.iter().all(is_below) || text.len() > LONGEST_PATH {
        return Err(TakenError::Cgroup(text.to_owned()));
    }
    Ok(parts.join("/"))
}

fn behind(text: &str) -> Result<Behind, TakenError> {
    let refused = || TakenError::Behind(text.to_owned());
    match network(text) {
        Ok(net) if net.prefix_len() == 0 => Err(TakenError::Everywhere(net)),
        Ok(net) => Ok(Behind::Net(net)),
        Err(error @ NetworkError::HostBits(_)) => Err(error.into()),
        Err(NetworkError::Text(_)) if text == "lo" => Err(TakenError::Loopback),
        Err(NetworkError::Text(_)) if is_interface(text) => Ok(Behind::Interface(text.to_owned())),
        Err(NetworkError::Text(_)) => Err(refused()),
    }
}

/// The kernel's rule for names of interfaces (`dev_valid_name`); numbers with dots are mistyped addresses.
fn is_interface(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_graphic() && byte != b'/' && byte != b':';
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    (1..=LONGEST_INTERFACE).contains(&name.len()) && name.bytes().all(is_allowed) && !is_number
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Taken::Host => f.write_str("host"),
            Taken::User(User::Id(id)) => write!(f, "uid={id}"),
            Taken::User(User::Name(name)) => write!(f, "uid={name}"),
            Taken::Cgroup(path) => write!(f, "cgroup={path}"),
            Taken::Ports(ports) => write!(f, "port={ports}"),
            Taken::From(Behind::Interface(name)) => write!(f, "from={name}"),
            Taken::From(Behind::Net(net)) => {
                f.write_str("from=")?;
                show(*net, f)
            }
            Taken::To(net) => {
                f.write_str("to=")?;
                show(*net, f)
            }
        }
    }
}

/// The longest name of a user that is looked up.
const LONGEST_USER: usize = 256;
/// The longest path that the kernel opens (`PATH_MAX`).
const LONGEST_PATH: usize = 4096;
/// The longest name of an interface (`IFNAMSIZ` without the zero).
pub(crate) const LONGEST_INTERFACE: usize = 15;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_carried_is_shown_as_it_was_read() {
        for text in [
            "host",
            "uid=1000",
            "uid=alice",
            "cgroup=user.slice/user-1000.slice",
            "port=443",
            "port=80,8000-8100",
            "from=192.168.7.0/24",
            "from=eth1",
            "from=fd00:7::/64",
            "to=10.1.0.0/16",
            "to=10.1.2.3",
        ] {
            assert_eq!(text.parse::<Taken>().expect(text).to_string(), text);
        }
        assert_eq!("cgroup=/sys/fs/cgroup/a//b/".parse(), Ok(Taken::Cgroup("a/b".to_owned())));
    }

    #[test]
    fn text_that_says_nothing_is_refused_with_an_example() {
        let error = |text: &str| text.parse::<Taken>().expect_err(text);
        for text in ["", "all", "host=1", "user=alice", "="] {
            assert!(matches!(error(text), TakenError::Unknown(_)), "{text:?}");
        }
        for text in ["uid=", "uid=4294967295", "uid=99999999999", "uid=a b", "uid=a:b"] {
            assert!(matches!(error(text), TakenError::User(_)), "{text:?}");
        }
        for text in ["cgroup=", "cgroup=/", "cgroup=../a", "cgroup=a/../../b"] {
            assert!(matches!(error(text), TakenError::Cgroup(_)), "{text:?}");
        }
        for text in
            ["from=", "from=10.0.0", "from=10.0.0.0/33", "from=fd00::/129", "from=an-interface-too-long"]
        {
            assert!(matches!(error(text), TakenError::Behind(_)), "{text:?}");
        }
        assert!(matches!(error("from=0.0.0.0/0"), TakenError::Everywhere(_)));
        assert!(matches!(error("from=10.0.0.1/8"), TakenError::Net(NetworkError::HostBits(_))));
        assert_eq!(error("from=lo"), TakenError::Loopback);
        assert_eq!(
            error("port=https").to_string(),
            "\"https\" is not a port from 1 to 65535, nor a range such as 8000-8100: write port=443 or port=8000-8100"
        );
    }

    proptest! {
        #[test]
        fn anything_carried_survives_a_round_trip(
            text in "uid=[1-9][0-9]{0,8}|uid=[a-z_][a-z0-9_-]{0,31}|cgroup=[a-z]+\\.slice(/[a-z@:.-]{3,9}){0,3}|port=[1-9][0-9]{0,3}(,2-9)?|from=[a-z][a-z0-9.-]{0,14}x?"
        ) {
            if let Ok(taken) = text.parse::<Taken>() {
                prop_assert_eq!(taken.to_string().parse(), Ok(taken));
            } else {
                prop_assert!(text == "from=lo" || text.len() > "from=".len() + LONGEST_INTERFACE, "{}", text);
            }
        }

        #[test]
        fn any_text_is_a_value_or_an_error(text in "(host|uid|cgroup|port|from|to)?=?\\PC{0,30}") {
            if let Ok(taken) = text.parse::<Taken>() {
                prop_assert_eq!(taken.to_string().parse(), Ok(taken));
            }
        }
    }
}
