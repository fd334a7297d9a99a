//! The output of the receiver on the other host: the object with its addresses, and messages. The host may print anything,
//! without end: what is read and shown is bounded, and escaped.

use std::net::{IpAddr, SocketAddr};

use anabranch_net::UDP_PORT;
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use zeroize::Zeroizing;

use crate::failure::printable;
use crate::notice;

/// The addresses at which a receiver listens.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub(super) struct Ready {
    /// The addresses of its sockets.
    pub listening: Vec<SocketAddr>,
    /// The addresses at which others may reach it, as after `--to`.
    pub reachable: Vec<String>,
}

/// A reader of the output.
pub(super) struct RemoteOutput<R> {
    input: BufReader<R>,
    host: String,
    /// The key, which is never shown: a host may echo its input.
    secret: Zeroizing<String>,
    /// The number of lines that were shown.
    shown: usize,
}

/// Why no addresses were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotReady {
    /// The output ended.
    Ended,
    /// The output is of another kind.
    Garbage,
}

impl Ready {
    /// The addresses at which others may reach it.
    pub(super) fn reachable(&self) -> impl Iterator<Item = SocketAddr> {
        self.reachable.iter().filter_map(|text| {
            text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(|ip| SocketAddr::new(ip, UDP_PORT)))
        })
    }
}

impl<R: AsyncRead + Unpin> RemoteOutput<R> {
    pub(super) fn new(input: R, host: &str, secret: Zeroizing<String>) -> RemoteOutput<R> {
        RemoteOutput { input: BufReader::new(input), host: host.to_owned(), secret, shown: 0 }
    }

    /// Waits for the object with the addresses. Lines before it, such as a greeting of the shell, are shown.
    ///
    /// # Errors
    /// The output ends, or so much else is printed that the object is not expected any more.
    pub(super) async fn ready(&mut self) -> Result<Ready, NotReady> {
        #[derive(Deserialize)]
        struct Document {
            ready: Ready,
        }
        for _ in 0..MOST_LINES {
            let line = self.line().await.ok_or(NotReady::Ended)?;
            match serde_json::from_slice(&line) {
                Ok(Document { ready }) => return Ok(ready),
                Err(_) => self.show(&line),
            }
        }
        Err(NotReady::Garbage)
    }

    /// Shows all further lines, until the output ends.
    pub(super) async fn show_rest(&mut self) {
        while let Some(line) = self.line().await {
            self.show(&line);
        }
    }

    /// The next line, of which the end is left out if it is very long; none at the end.
    async fn line(&mut self) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        loop {
            let read = self.input.fill_buf().await.unwrap_or_default();
            if read.is_empty() {
                return (!line.is_empty()).then_some(line);
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let part = &read[..end.unwrap_or(read.len())];
            line.extend_from_slice(&part[..part.len().min(LONGEST - line.len())]);
            let count = end.map_or(read.len(), |at| at + 1);
            self.input.consume(count);
            if end.is_some() {
                return Some(line);
            }
        }
    }

    fn show(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        if text.contains(self.secret.as_str()) {
            return;
        }
        self.shown = self.shown.saturating_add(1);
        if self.shown <= MOST_SHOWN {
            let text = printable(&text.trim_end().chars().take(WIDEST_SHOWN).collect::<String>());
            notice::tell(&format!("{}: {text}", self.host));
        } else if self.shown == MOST_SHOWN + 1 {
            notice::tell(&format!("{}: further lines are not shown", self.host));
        }
    }
}

/// The number of lines among which the object must be.
const MOST_LINES: usize = 1_000;
const MOST_SHOWN: usize = 20;
/// The characters of a line that are shown.
const WIDEST_SHOWN: usize = 400;
/// The bytes of a line that are kept.
const LONGEST: usize = 16 << 10;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reader(text: &[u8]) -> RemoteOutput<&[u8]> {
        RemoteOutput::new(text, "host", Zeroizing::new("5ec1e7".to_owned()))
    }

    async fn read(text: &[u8]) -> Result<Ready, NotReady> {
        reader(text).ready().await
    }

    #[tokio::test]
    async fn the_object_may_follow_a_greeting_and_have_further_keys() {
        let object =
            r#"{"schema":1,"ready":{"listening":["0.0.0.0:7"],"reachable":["192.0.2.1","[::1]:7","x"]}}"#;
        let ready = read(format!("Welcome!\n{object}\nmore").as_bytes()).await.expect("the object");
        let reachable: Vec<String> = ready.reachable().map(|one| one.to_string()).collect();
        assert_eq!(reachable, ["192.0.2.1:9899", "[::1]:7"]);
    }

    #[tokio::test]
    async fn output_without_the_object_ends_or_is_garbage() {
        assert_eq!(read(b"").await, Err(NotReady::Ended));
        assert_eq!(read(b"{}\n[1]\nnull").await, Err(NotReady::Ended));
        assert_eq!(read(&b"\n".repeat(MOST_LINES)).await, Err(NotReady::Garbage));
    }

    #[tokio::test]
    async fn of_a_line_without_end_a_beginning_is_kept() {
        let text = [vec![b'x'; 5 * LONGEST], b"\nnext".to_vec()].concat();
        let mut output = reader(&text);
        assert_eq!(output.line().await.map(|line| line.len()), Some(LONGEST));
        assert_eq!(output.line().await.as_deref(), Some(&b"next"[..]));
        assert_eq!(output.line().await, None);
    }

    #[tokio::test]
    async fn a_host_that_echoes_the_key_does_not_get_it_shown() {
        let mut output = reader(b"5ec1e7\n$ 5ec1e7\nhello\n");
        output.show_rest().await;
        assert_eq!(output.shown, 1);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
            let _ = runtime.block_on(read(&bytes));
        }
    }
}
