//! The part that the programs share: their command line and their output.

pub mod certificates;

use std::time::{Duration, Instant};

/// One end of a transfer on the loopback interface: `receive|send PORT BYTES MESSAGE [BITS]`.
pub struct Transfer {
    /// True if this end sends.
    pub is_sender: bool,
    /// The port of the receiver.
    pub port: u16,
    /// User data in all.
    pub bytes: u64,
    /// The length of what is written at a time.
    pub message: usize,
    /// The rate of the sender in bit/s; `None` for as fast as it goes.
    pub rate: Option<f64>,
}

impl Transfer {
    /// Parses the command line.
    pub fn from_arguments() -> Option<Transfer> {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let [role, port, bytes, message, rate @ ..] = &arguments[..] else { return None };
        let rate = rate.first().map(|rate| rate.parse()).transpose().ok()?;
        let is_sender = role == "send";
        let (port, bytes) = (port.parse().ok()?, bytes.parse().ok()?);
        Some(Transfer { is_sender, port, bytes, message: message.parse().ok()?, rate })
    }

    /// Returns the pause before the next message when `sent` bytes have left since `began`: at least a millisecond, so
    /// that all programs send what has become due at the same steps.
    pub fn pause(&self, began: Instant, sent: u64) -> Option<Duration> {
        let due = Duration::from_secs_f64(sent as f64 * 8.0 / self.rate?);
        let left = due.checked_sub(began.elapsed()).filter(|left| !left.is_zero())?;
        Some(left.max(Duration::from_millis(1)))
    }
}

/// Now, from which [`Transfer::pause`] counts.
#[expect(clippy::disallowed_methods, reason = "what is measured is real time")]
pub fn begin() -> Instant {
    Instant::now()
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

    /// Prints the seconds that the transfer took.
    pub fn print(&self) {
        println!("{:.6}", self.seconds());
    }

    /// So many bytes have arrived, and no more will.
    pub fn print_of(&self, bytes: u64) {
        println!("{:.6} {bytes}", self.seconds());
    }

    fn seconds(&self) -> f64 {
        self.start.map_or(0.0, |start| start.elapsed().as_secs_f64())
    }
}
