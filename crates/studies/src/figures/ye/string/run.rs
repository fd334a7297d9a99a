//! The scenarios of YE chapter 3: four 802.11 stations in a line, of which only neighbours hear each other, as the atlas and
//! its completions (8.1 to 8.5) fixed them.

use std::fmt::Write;

use super::super::super::figure::ValueSource;

/// A run over the string.
#[derive(Clone, Copy, Debug)]
pub struct StringRun {
    /// How many hops the association takes, from station 0.
    pub hops: usize,
    /// The receive window in packets.
    pub window: u32,
    /// `rts_threshold`, in bytes.
    pub threshold: u32,
    /// `retry_count`.
    pub retry_count: &'static str,
    /// `small_window_recovery`.
    pub has_recovery: bool,
    /// Which associations there are.
    pub flows: StringFlows,
    /// Simulated seconds.
    pub seconds: u32,
    /// Further settings of the radios.
    pub radio: &'static str,
}

/// The associations on the string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringFlows {
    /// One, from station 0, all the time.
    One,
    /// From 0 to 1, and from 5 s on from 2 to 3 (YE-F11).
    SecondFromHidden,
    /// From 1 to 0, and from 5 s on from 2 to 3 (YE-F13).
    SecondFromExposed,
}

impl From<StringRun> for ValueSource {
    fn from(run: StringRun) -> ValueSource {
        ValueSource::Run(run.scenario())
    }
}

impl StringRun {
    /// A lone association over one hop with a window of two packets.
    pub const DEFAULT: StringRun = StringRun {
        hops: 1,
        window: 2,
        threshold: 256,
        retry_count: "every",
        has_recovery: false,
        flows: StringFlows::One,
        seconds: 60,
        radio: "",
    };

    /// The scenario.
    pub fn scenario(self) -> String {
        let mut text = format!(
            "run.time = \"{} s\"\n[radio]\nrts_threshold = \"{} B\"\nretry_count = \"{}\"\n{}",
            self.seconds, self.threshold, self.retry_count, self.radio
        );
        for station in 0..4 {
            let _ = write!(text, "[[node]]\nname = \"n{station}\"\nx = \"{} m\"\n", 250 * station);
        }
        match self.flows {
            StringFlows::One => text += &self.flow("main", (0, self.hops), 0),
            StringFlows::SecondFromHidden => {
                text += &self.flow("first", (0, 1), 0);
                text += &self.flow("second", (2, 3), 5);
            }
            StringFlows::SecondFromExposed => {
                text += &self.flow("first", (1, 0), 0);
                text += &self.flow("second", (2, 3), 5);
            }
        }
        text
    }

    fn flow(self, name: &str, (from, to): (usize, usize), start: u32) -> String {
        // A receive buffer is at least 1,500 bytes: with a window of two packets the third does not fit either.
        let buffer = (PACKET * self.window).max(1_500);
        format!(
            "[[flow]]\nname = \"{name}\"\nfrom = \"n{from}\"\nto = \"n{to}\"\nstart = \"{start} s\"\n[flow.sctp]\n\
             profile = \"rfc2960\"\nmtu = \"576 B\"\npayload = \"496 B\"\ncharge = \"packet\"\nunit = \"mtu\"\n\
             missing_reports = 4\nreceive_buffer = \"{buffer} B\"\nfailover = \"off\"\n\
             small_window_recovery = {}\n",
            self.has_recovery
        )
    }
}

/// The size of a data packet with its IP header: a chunk of 512 bytes with its header.
pub const PACKET: u32 = 544;
/// What the thesis counts of a packet: the whole chunk.
pub const COUNTED: f64 = 512.0;
/// The user data in a packet.
pub const PAYLOAD: f64 = 496.0;
