//! The words of a command line that have the form `key=value`.

use std::collections::BTreeMap;
use std::error::Error;
use std::net::SocketAddr;
use std::str::FromStr;

use anabranch_net::{Association, Endpoint};

/// `key=value` words.
pub(crate) struct Settings(BTreeMap<String, String>);

impl Settings {
    /// Reads the words of a command line.
    pub(crate) fn read(words: &[String]) -> Result<Settings, Box<dyn Error>> {
        let pairs = words.iter().map(|word| match word.split_once('=') {
            Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
            None => Err(format!("{word:?} does not have the form key=value").into()),
        });
        pairs.collect::<Result<_, _>>().map(Settings)
    }

    /// Opens the association, or accepts one.
    pub(crate) async fn associate(&self, endpoint: &Endpoint) -> Result<Association, Box<dyn Error>> {
        if self.opens() {
            return Ok(endpoint.connect(&self.list::<SocketAddr>("remote")?).await?);
        }
        endpoint.accept().await.ok_or_else(|| "the runtime ends".into())
    }

    /// Returns true if this end opens the association.
    pub(crate) fn opens(&self) -> bool {
        self.0.contains_key("remote")
    }

    /// The value of `key`, or `otherwise`.
    pub(crate) fn value<T: FromStr>(&self, key: &str, otherwise: T) -> Result<T, Box<dyn Error>> {
        match self.0.get(key) {
            None => Ok(otherwise),
            Some(text) => text.parse().map_err(|_| format!("{key} cannot be {text}").into()),
        }
    }

    /// The values of `key`, which is required.
    pub(crate) fn list<T: FromStr>(&self, key: &str) -> Result<Vec<T>, Box<dyn Error>> {
        let text = self.0.get(key).ok_or_else(|| format!("{key}=ADDRESS:PORT,… is missing"))?;
        let parse = |word: &str| {
            word.parse().map_err(|_| format!("{key}={word} is not an address with a port").into())
        };
        text.split(',').map(parse).collect()
    }
}
