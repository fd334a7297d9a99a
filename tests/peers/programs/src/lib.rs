//! What the programs share: their command line and their output.

use std::time::Instant;

/// One end of a transfer on the loopback interface: `receive|send PORT BYTES MESSAGE`.
pub struct Transfer {
    /// Whether this end sends.
    pub is_sender: bool,
    /// The port of the receiver.
    pub port: u16,
    /// User data in all.
    pub bytes: u64,
    /// The length of what is written at a time.
    pub message: usize,
}

impl Transfer {
    /// What the command line says.
    pub fn from_arguments() -> Option<Transfer> {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let [role, port, bytes, message] = &arguments[..] else { return None };
        let is_sender = role == "send";
        let (port, bytes) = (port.parse().ok()?, bytes.parse().ok()?);
        Some(Transfer { is_sender, port, bytes, message: message.parse().ok()? })
    }
}

/// The time from the first bytes to the last.
#[derive(Default)]
pub struct Watch {
    start: Option<Instant>,
}

impl Watch {
    /// Tells that a sender may come.
    pub fn ready() -> Watch {
        println!("ready");
        Watch::default()
    }

    /// Bytes arrived.
    #[expect(clippy::disallowed_methods, reason = "what is measured is real time")]
    pub fn on_bytes(&mut self) {
        self.start.get_or_insert_with(Instant::now);
    }

    /// All have arrived.
    pub fn print(&self) {
        println!("{:.6}", self.start.map_or(0.0, |start| start.elapsed().as_secs_f64()));
    }
}
