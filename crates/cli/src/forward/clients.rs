//! The file of a server's clients: a key that all of them share, and a name and a key of each.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anabranch_net::{ClientKey, Clients, Key};
use serde::Deserialize;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};
use zeroize::Zeroizing;

use crate::failure::Failure;
use crate::key::{self, check_permissions};
use crate::notice;

/// The clients of a file, which is read again when it changes. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct ClientFile {
    path: PathBuf,
    /// The clients that may connect.
    pub(super) clients: Clients,
    changes: watch::Sender<u64>,
}

/// The content of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    door: String,
    #[serde(default)]
    client: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    key: String,
}

/// The keys of the file.
struct Keys {
    door: Key,
    clients: Vec<(String, Key)>,
}

impl ClientFile {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// It cannot be read, or is wrong: with its line and column.
    pub(super) fn open(path: &Path) -> Result<ClientFile, Failure> {
        let keys = read(path).map_err(|why| wrong(path, &why))?;
        let clients = Clients::new(keys.door);
        clients.replace(keys.clients).map_err(|error| wrong(path, &error.to_string()))?;
        Ok(ClientFile { path: path.to_owned(), clients, changes: watch::Sender::new(0) })
    }

    /// A value that changes whenever clients were removed.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Reads the file again whenever it changes. A file that is wrong is reported, and the clients stay.
    pub(super) async fn follow(self) {
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut seen = stamp(&self.path);
        loop {
            ticks.tick().await;
            let now = stamp(&self.path);
            if now == seen {
                continue;
            }
            seen = now;
            match self.read_again() {
                Ok(removed) if removed.is_empty() => {}
                Ok(removed) => {
                    notice::tell(&format!("{}: removed {}", self.path.display(), removed.join(", ")));
                    self.changes.send_modify(|count| *count += 1);
                }
                Err(why) => {
                    notice::warn(&format!("{}; the clients stay as they were", wrong(&self.path, &why)));
                }
            }
        }
    }

    fn read_again(&self) -> Result<Vec<String>, String> {
        let keys = read(&self.path)?;
        self.clients.replace(keys.clients).map_err(|error| error.to_string())
    }
}

/// Adds a client to the file at `path`, which is made if there is none. Returns the client's key.
///
/// # Errors
/// The file is wrong or cannot be written, or has the name already.
pub(super) fn add(path: &Path, name: &str) -> Result<ClientKey, Failure> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_name) {
        return Err(Failure::Arguments(format!(
            "{name:?} is not a client's name: letters, digits, `-`, `_` and `.`, at most {LONGEST_NAME}"
        )));
    }
    let own = key::fresh()?;
    let failed = |error: std::io::Error| wrong(path, &error.to_string());
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let is_new = !path.exists();
    let door = if is_new {
        key::fresh()?
    } else {
        let keys = read(path).map_err(|why| wrong(path, &why))?;
        if keys.clients.iter().any(|(known, _)| known == name) {
            return Err(Failure::Arguments(format!("{} has a client {name:?} already", path.display())));
        }
        keys.door
    };
    let mut text = Zeroizing::new(String::new());
    if is_new {
        text.push_str(&format!(
            "# The clients of `anabranch forward --serve --clients`. A client without its lines is cut off within a second.\n\
             # `door` is known to all of them and never changes.\ndoor = \"{}\"\n",
            *door.reveal()
        ));
    }
    text.push_str(&format!("\n[[client]]\nname = \"{name}\"\nkey = \"{}\"\n", *own.reveal()));
    let mut file = options.open(path).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    Ok(ClientKey::new(door, own))
}

fn read(path: &Path) -> Result<Keys, String> {
    let file = File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            "it does not exist; --add-client NAME makes it, with a first client".to_owned()
        }
        _ => error.to_string(),
    })?;
    check_permissions(&file, path)?;
    let mut text = Zeroizing::new(String::new());
    file.take(LONGEST).read_to_string(&mut text).map_err(|error| error.to_string())?;
    parse(&text)
}

fn parse(text: &str) -> Result<Keys, String> {
    let content: Content = toml::from_str(text).map_err(|error| {
        // The line itself may have a key.
        let at = error.span().map_or(0, |span| span.start).min(text.len());
        let before = text.get(..at).unwrap_or_default();
        let (line, column) = (
            before.matches('\n').count() + 1,
            before.len() - before.rfind('\n').map_or(0, |end| end + 1) + 1,
        );
        format!("line {line}, column {column}: {}", error.message())
    })?;
    let door = content.door.parse().map_err(|error| format!("`door`: {error}"))?;
    let client = |Entry { name, key }: Entry| match key.parse() {
        Ok(key) => Ok((name, key)),
        Err(error) => Err(format!("the key of {name:?}: {error}")),
    };
    let clients = content.client.into_iter().map(client).collect::<Result<_, String>>()?;
    Ok(Keys { door, clients })
}

fn wrong(path: &Path, why: &str) -> Failure {
    Failure::Key(format!("the clients' file {}: {why}", path.display()))
}

/// The time of the last change, and the size.
fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let known = std::fs::metadata(path).ok()?;
    Some((known.modified().ok()?, known.len()))
}

/// The time between two looks at the file.
const INTERVAL: Duration = Duration::from_millis(400);
const LONGEST: u64 = 4 << 20;
const LONGEST_NAME: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_added_to_a_file_of_its_owner_and_read_again() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("clients.toml");
        assert!(read(&path).is_err_and(|why| why.contains("--add-client")));
        let key = add(&path, "alice").expect("new");
        add(&path, "bob").expect("another");
        let keys = read(&path).expect("good");
        let names: Vec<&str> = keys.clients.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["alice", "bob"]);
        let alice = ClientKey::new(keys.door.clone(), keys.clients[0].1.clone());
        assert_eq!(*alice.reveal(), *key.reveal());
        let error = add(&path, "bob").expect_err("twice").to_string();
        assert!(error.contains("has a client \"bob\" already"), "{error}");
        assert!(add(&path, "a b").is_err());
    }

    #[test]
    fn a_wrong_file_is_named_by_line_and_column_and_no_key_is_shown() {
        let secret = "5ec1e700000000000000000000000001";
        for (text, complaint) in [
            (format!("dor = \"{secret}\"\n"), "line 1, column 1: unknown field `dor`"),
            (format!("door = \"{secret}\"\n[[client]]\nname = 7\nkey = \"\"\n"), "line 3, column 8"),
            (format!("door = \"{secret}\"\n[[client]]\nname = \"a\"\nkey = \"12\"\n"), "the key of \"a\""),
            (format!("door = \"{secret}"), "line 1"),
        ] {
            let error = parse(&text).err().expect("wrong");
            assert!(error.contains(complaint) && !error.contains(secret), "{error}");
        }
    }
}
