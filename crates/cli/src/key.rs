//! Finds the key that both ends need in a file or in the environment, or creates a new one.

use std::fs::File;
use std::io::{self, BufRead, Read as _};
use std::path::{Path, PathBuf};

use anabranch_net::{Clients, Key, KeyError, Security};
use zeroize::Zeroizing;

use crate::arguments::{Output, Secrecy};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::notice;

/// The protection of packets at an end that listens.
#[derive(Debug)]
pub(crate) struct ListeningKey {
    /// The sealing of packets, with its key.
    pub security: Security,
    /// The key, if it is new and the other end needs it.
    pub fresh: Option<Key>,
    /// The file that the key was read from, as it was given.
    pub file: Option<PathBuf>,
}

impl ListeningKey {
    /// A key for each client.
    pub(crate) fn of_clients(clients: &Clients) -> ListeningKey {
        ListeningKey { security: Security::Clients(clients.clone()), fresh: None, file: None }
    }
}

/// The protection of packets at an end that dials.
///
/// # Errors
/// No key is given, or the given one is invalid.
pub(crate) async fn to_dial(secrecy: &Secrecy, interrupt: &mut Interrupt) -> Result<Security, Failure> {
    given(secrecy, interrupt).await?.ok_or_else(|| {
        Failure::Key(format!(
            "no key is given: set {VARIABLE} to the key that the other end printed, or give both ends one \
             with --key-file (--insecure sends unprotected)"
        ))
    })
}

/// The protection of packets at an end that listens: without a key, a new one is made.
///
/// # Errors
/// The given key is invalid, the system has no random numbers for a new one, or a new one would not be printed.
pub(crate) async fn to_listen(
    secrecy: &Secrecy,
    output: Output,
    interrupt: &mut Interrupt,
) -> Result<ListeningKey, Failure> {
    if let Some(security) = given(secrecy, interrupt).await? {
        return Ok(ListeningKey { security, fresh: None, file: secrecy.key_file.clone() });
    }
    if notice::is_in_journal() {
        return Err(Failure::Key(format!(
            "a new key would be shown in the journal, to all who may read it: give --key-file, or set {VARIABLE} (in a unit: \
             LoadCredential=key:FILE and --key-file ${{CREDENTIALS_DIRECTORY}}/key)"
        )));
    }
    let key = fresh()?;
    if output.quiet {
        return Err(Failure::Key(format!(
            "with --quiet the new key would not be shown: set {VARIABLE}, or give --key-file"
        )));
    }
    Ok(ListeningKey { security: Security::Sealed(key.clone()), fresh: Some(key), file: None })
}

/// A new key.
///
/// # Errors
/// The operating system has no random numbers.
pub(crate) fn fresh() -> Result<Key, Failure> {
    Key::fresh().map_err(|error| Failure::Key(error.to_string()))
}

/// The protection as results name it.
pub(crate) fn word(security: &Security) -> &'static str {
    if security.is_sealed() { "sealed" } else { "insecure" }
}

/// The protection that is given by arguments or else by the environment.
async fn given(secrecy: &Secrecy, interrupt: &mut Interrupt) -> Result<Option<Security>, Failure> {
    if secrecy.insecure {
        return Ok(Some(Security::Insecure));
    }
    let key = match &secrecy.key_file {
        Some(path) => {
            let file = path.clone();
            // Reading a FIFO may block.
            let key = interrupt.or_done(move || read(&file)).await?;
            let wrong = |why: String| Failure::Key(format!("the key file {path:?}: {why}"));
            Some(security_of(&key.map_err(wrong)?).map_err(|error| wrong(error.to_string()))?)
        }
        None => from_environment()?,
    };
    if let Some(Security::Sealed(key)) = &key
        && is_evident(&key.reveal())
    {
        notice::warn(
            "This key can be guessed, so that anybody on the network path can read and change the data; a good one: \
             openssl rand -hex 16",
        );
    }
    Ok(key)
}

/// The protection by a key: one that two ends share, or one of a server's clients, which is twice as long.
fn security_of(text: &str) -> Result<Security, KeyError> {
    if text.trim().len() == CLIENT_DIGITS {
        text.parse().map(Security::Client)
    } else {
        text.parse().map(Security::Sealed)
    }
}

fn from_environment() -> Result<Option<Security>, Failure> {
    let Some(text) = std::env::var_os(VARIABLE) else { return Ok(None) };
    let text = Zeroizing::new(text.to_string_lossy().into_owned());
    security_of(&text).map(Some).map_err(|error| Failure::Key(format!("{VARIABLE}: {error}")))
}

/// Returns true if the key is easily guessed: one or a few bytes that repeat, or bytes that count up or down.
fn is_evident(digits: &str) -> bool {
    let bytes: Vec<u8> = digits
        .as_bytes()
        .chunks(2)
        .filter_map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok())
        .collect();
    let repeats = |period: usize| bytes.iter().zip(bytes.iter().skip(period)).all(|(one, next)| one == next);
    let step = |by: u8| bytes.windows(2).all(|pair| pair[0].wrapping_add(by) == pair[1]);
    [1, 2, 4, 8].into_iter().any(repeats) || (1..=0x11).chain(0xef..=0xff).any(step)
}

fn read(path: &Path) -> Result<Zeroizing<String>, String> {
    if path == Path::new("-") {
        return read_line(io::stdin().lock());
    }
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            format!("it does not exist; to create it: (umask 077; openssl rand -hex 16 > {})", path.display())
        }
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    })?;
    check_permissions(&file, path)?;
    let mut text = Zeroizing::new(String::new());
    file.take(LONGEST).read_to_string(&mut text).map_err(|error| not_read(&error))?;
    Ok(text)
}

/// Reads the first line of standard input; what follows it is left for others.
fn read_line(input: impl BufRead) -> Result<Zeroizing<String>, String> {
    let mut text = Zeroizing::new(String::new());
    input.take(LONGEST).read_line(&mut text).map_err(|error| not_read(&error))?;
    Ok(text)
}

fn not_read(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::InvalidData => "it is not text; a key has 32 hexadecimal digits".to_owned(),
        _ => error.to_string(),
    }
}

/// Refuses keys that other users can read. Checks the opened file, not its name.
#[cfg(unix)]
pub(crate) fn check_permissions(file: &File, path: &Path) -> Result<(), String> {
    let found = file.metadata().map_err(|error| error.to_string())?;
    let mode = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o777;
    let directory = std::env::var_os(CREDENTIALS);
    match mode & of_others(path, directory.as_deref().map(Path::new)) {
        0 => Ok(()),
        _ => Err(format!(
            "other users may read or change it (mode {mode:03o}): run chmod 600 {}",
            path.display()
        )),
    }
}

/// The permissions that other users may not have. Only the service may enter the directory of its credentials, where access by
/// a list (acl(5)) shows as that of the group.
#[cfg(unix)]
fn of_others(path: &Path, credentials: Option<&Path>) -> u32 {
    let is_in = |directory: &Path| {
        let [directory, parent] = [Some(directory), path.parent()].map(|one| one?.canonicalize().ok());
        directory.is_some() && directory == parent
    };
    if credentials.is_some_and(is_in) { 0o037 } else { 0o077 }
}

#[cfg(not(unix))]
pub(crate) fn check_permissions(_: &File, _: &Path) -> Result<(), String> {
    Ok(())
}

/// The environment variable for the key.
pub(crate) const VARIABLE: &str = "ANABRANCH_KEY";
/// The environment variable for the directory of a service's credentials (systemd.exec(5)).
#[cfg(unix)]
const CREDENTIALS: &str = "CREDENTIALS_DIRECTORY";
/// The number of digits of a client's key.
const CLIENT_DIGITS: usize = 64;
/// The maximum length of a key file.
const LONGEST: u64 = 256;

#[cfg(test)]
mod tests {
    use super::*;

    fn told(content: &[u8], mode: u32) -> Result<Key, String> {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("key");
        std::fs::write(&path, content).expect("a file");
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode)).expect("ours");
        let key = read(&path).and_then(|text| text.parse().map_err(|error: KeyError| error.to_string()));
        key.map_err(|error| error.replace(&*path.to_string_lossy(), "FILE"))
    }

    #[test]
    fn a_key_file_has_one_key_and_is_its_owners() {
        let text = b"000102030405060708090a0b0c0d0e0f\n";
        let key = Key::from_bytes(std::array::from_fn(|place| place as u8));
        assert_eq!(told(text, 0o600), Ok(key.clone()));
        assert_eq!(told(text, 0o400), Ok(key));
        for mode in [0o644, 0o640, 0o620, 0o604] {
            let why = format!("other users may read or change it (mode {mode:03o}): run chmod 600 FILE");
            assert_eq!(told(text, mode), Err(why));
        }
    }

    #[test]
    fn a_credential_may_be_readable_by_a_list_that_shows_as_the_group() {
        let (credentials, other) = (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
        let of = |folder: &Path| of_others(&folder.join("key"), Some(credentials.path()));
        assert_eq!(0o440 & of(credentials.path()), 0);
        for mode in [0o460, 0o444, 0o402, 0o410] {
            assert_ne!(mode & of(credentials.path()), 0, "{mode:o}");
        }
        assert_ne!(0o440 & of(other.path()), 0);
        assert_ne!(0o440 & of_others(&credentials.path().join("key"), None), 0);
        assert_ne!(0o440 & of_others(&credentials.path().join("deeper/key"), Some(credentials.path())), 0);
    }

    #[test]
    fn a_key_that_anybody_would_try_is_evident_and_a_drawn_one_is_not() {
        for evident in [
            "00000000000000000000000000000000",
            "ffffffffffffffffffffffffffffffff",
            "deadbeefdeadbeefdeadbeefdeadbeef",
            "0123456789abcdef0123456789abcdef",
            "000102030405060708090a0b0c0d0e0f",
            "00112233445566778899aabbccddeeff",
            "ffeeddccbbaa99887766554433221100",
        ] {
            assert!(is_evident(evident), "{evident}");
        }
        for _ in 0..100 {
            assert!(!is_evident(&fresh().expect("random numbers").reveal()));
        }
        assert!(!is_evident("5ec1e700000000000000000000000001"), "that of the tests");
    }

    #[test]
    fn a_key_from_standard_input_is_its_first_line() {
        let mut input = std::io::Cursor::new(b"5ec1e7\nthe rest".to_vec());
        assert_eq!(read_line(&mut input).as_deref().map(String::as_str), Ok("5ec1e7\n"));
        assert_eq!(input.position(), 7);
        assert!(read_line(&[b'a'; 100_000][..]).is_ok_and(|text| text.len() == 256));
        assert!(read_line(&[0xff; 10][..]).is_err());
    }

    #[test]
    fn an_invalid_key_file_is_reported_without_its_content() {
        assert_eq!(told(b"", 0o600), Err("a key is 32 hexadecimal digits, not 0 characters".to_owned()));
        let passphrase = told(b"correct horse battery staple", 0o600).expect_err("too easy to guess");
        assert_eq!(passphrase, "a key is 32 hexadecimal digits, not 28 characters");
        assert!(told(&[0xff; 32], 0o600).expect_err("no text").starts_with("it is not text"));
        assert!(told(&[b'a'; 100_000], 0o600).is_err());
        let missing = read(Path::new("/nowhere/key")).expect_err("nothing there");
        assert!(missing.contains("openssl rand -hex 16 > /nowhere/key"), "{missing}");
    }
}
