//! Parses the directory of another host, `user@host:dir`, as scp(1) writes it.

use std::path::PathBuf;

use super::{HostPort, SendArguments};

/// A directory of a host that is reached by ssh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RemotePlace {
    /// The destination that ssh takes: `host` or `user@host`.
    pub destination: String,
    /// The host in it.
    pub host: String,
    /// The directory, relative to the home directory unless it begins with `/`.
    pub dir: String,
}

/// The receiver of a sender's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Receiver<'a> {
    /// A receiver that listens on these hosts.
    Dialled(&'a [HostPort]),
    /// Receivers that dial these addresses.
    Awaited(&'a [HostPort]),
    /// A receiver that is started by ssh.
    Started(RemotePlace),
}

impl SendArguments {
    /// The sources, and their receiver.
    ///
    /// # Errors
    /// No receiver is named, or more than one.
    pub(crate) fn parts(&self) -> Result<(&[PathBuf], Receiver<'_>), String> {
        match (&self.listen, self.to.as_slice()) {
            (Some(hosts), _) => return Ok((&self.files, Receiver::Awaited(hosts))),
            (None, hosts @ [_, ..]) => return Ok((&self.files, Receiver::Dialled(hosts))),
            (None, []) => {}
        }
        match (self.files.split_last(), self.remote_word()) {
            (Some((_, [])), Some(_)) => Err("name a FILE to send before HOST:DIR".to_owned()),
            (Some((_, files)), Some((destination, dir))) => {
                Ok((files, Receiver::Started(RemotePlace::of(destination, dir)?)))
            }
            _ => {
                Err("no receiver is named: give --to HOST, --listen, or [USER@]HOST:DIR as the last argument"
                    .to_owned())
            }
        }
    }

    /// The last word, split, if it has the form of a directory of another host.
    pub(crate) fn remote_word(&self) -> Option<(&str, &str)> {
        split(self.files.last()?.to_str()?)
    }
}

impl RemotePlace {
    fn of(destination: &str, dir: &str) -> Result<RemotePlace, String> {
        let (user, host) = match destination.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, destination),
        };
        let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
        let is_unclear = |word: &str| {
            word.is_empty()
                || word.starts_with('-')
                || word.contains(|c: char| c.is_control() || c.is_whitespace())
        };
        if is_unclear(bare) || user.is_some_and(is_unclear) {
            return Err(format!(
                "{destination:?} is not [USER@]HOST: neither is empty, begins with a hyphen or contains a space"
            ));
        }
        if dir.contains('\0') {
            return Err("the directory contains a zero byte".to_owned());
        }
        let destination = user.map_or_else(|| bare.to_owned(), |user| format!("{user}@{bare}"));
        Ok(RemotePlace { destination, host: bare.to_owned(), dir: dir.to_owned() })
    }
}

/// Splits a word that names another host: its first colon, outside brackets, precedes any slash and is not its first
/// character.
fn split(word: &str) -> Option<(&str, &str)> {
    let within = word.find(['[', '/']).filter(|&at| {
        word[at..].starts_with('[') && (at == 0 || word[..at].ends_with('@')) && !word[..at].contains(':')
    });
    let colon = match within {
        Some(open) => open + word[open..].find("]:")? + 1,
        None => word.find(':')?,
    };
    (colon > 0 && !word[..colon].contains('/')).then(|| (&word[..colon], &word[colon + 1..]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_word_with_a_colon_before_any_slash_names_another_host() {
        for (word, parts) in [
            ("host:", Some(("host", ""))),
            ("me@host:a b/c:d", Some(("me@host", "a b/c:d"))),
            ("host:/srv", Some(("host", "/srv"))),
            ("[2001:db8::1]:x", Some(("[2001:db8::1]", "x"))),
            ("me@[::1]:", Some(("me@[::1]", ""))),
            ("./a:b", None),
            ("/a:b", None),
            (":a", None),
            ("a", None),
            ("[::1]", None),
        ] {
            assert_eq!(split(word), parts, "{word}");
        }
    }

    #[test]
    fn brackets_are_not_part_of_the_host() {
        let place = RemotePlace::of("me@[::1]", "").expect("a host");
        assert_eq!((place.destination.as_str(), place.host.as_str()), ("me@::1", "::1"));
    }

    #[test]
    fn a_host_that_ssh_would_read_as_an_option_is_refused() {
        for wrong in ["-oProxyCommand=x", "me@-x", "-me@host", "@host", "me@", "a b", "a\nb", "[]"] {
            assert!(RemotePlace::of(wrong, "").is_err(), "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn no_word_panics(word in "[-a@:\\[\\]/. \u{e9}]{0,12}") {
            if let Some((destination, dir)) = split(&word) {
                prop_assert_eq!(format!("{destination}:{dir}"), word.as_str());
                if let Ok(place) = RemotePlace::of(destination, dir) {
                    prop_assert!(!place.destination.starts_with('-') && !place.host.starts_with('-'));
                }
            }
        }
    }
}
