//! The scenarios of YE chapter 3: four 802.11 stations in a line, of which only neighbours hear each other.
//! They were fixed before anything was run.

use std::fmt::Write;

use super::super::super::figure::ValueSource;

/// A run over the string.
#[derive(Clone, Copy, Debug)]
pub struct StringRun {
    /// The number of hops the association takes, from station 0.
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
    /// The number of radios on channels of their own each station has, one or two.
    pub channels: usize,
    /// `multipath`, over two channels.
    pub multipath: &'static str,
    /// The number of waiting packets an arriving one has to find at a station to be marked; `None` for queues that do not mark.
    pub marks_from: Option<u32>,
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
        channels: 1,
        multipath: "cmt",
        marks_from: None,
        radio: "",
    };

    /// The scenario.
    pub fn scenario(self) -> String {
        let mut text = format!("run.time = \"{} s\"\n{}", self.seconds, self.radios());
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

    /// A lone radio has no name, and the first of two the one that it would have: their chance is the same.
    fn radios(self) -> String {
        let settings = format!(
            "rts_threshold = \"{} B\"\nretry_count = \"{}\"\n{}{}",
            self.threshold,
            self.retry_count,
            self.radio,
            self.queue()
        );
        if self.channels == 1 {
            return format!("[radio]\n{settings}");
        }
        ["radio", "second"].map(|name| format!("[[radio]]\nname = \"{name}\"\n{settings}")).concat()
    }

    /// RED whose average is the length at hand, and whose chance is certainty: a threshold.
    fn queue(self) -> String {
        let Some(length) = self.marks_from else { return String::new() };
        let below = f64::from(length) - 0.5;
        format!(
            "queue = {{ kind = \"red\", min = {below}, max = {length}, weight = 1, max_probability = 1, \
             limit = \"50 packets\", ecn = true }}\n"
        )
    }

    fn flow(self, name: &str, (from, to): (usize, usize), start: u32) -> String {
        // A receive buffer is at least 1,500 bytes: with a window of two packets the third does not fit either.
        let buffer = (PACKET * self.window).max(1_500);
        let multipath = match self.channels {
            1 => String::new(),
            _ => format!("multipath = \"{}\"\n", self.multipath),
        };
        let ecn = if self.marks_from.is_some() { "ecn = \"echo\"\n" } else { "" };
        format!(
            "[[flow]]\nname = \"{name}\"\nfrom = \"n{from}\"\nto = \"n{to}\"\nstart = \"{start} s\"\n[flow.sctp]\n\
             profile = \"rfc2960\"\nmtu = \"576 B\"\npayload = \"496 B\"\ncharge = \"packet\"\nunit = \"mtu\"\n\
             missing_reports = 4\nreceive_buffer = \"{buffer} B\"\nfailover = \"off\"\n\
             small_window_recovery = {}\n{multipath}{ecn}",
            self.has_recovery
        )
    }
}

/// The size of a data packet with its IP header: a chunk of 512 bytes with its header.
pub(super) const PACKET: u32 = 544;
/// The size that the thesis counts for a packet: the whole chunk.
pub(crate) const COUNTED: f64 = 512.0;
/// The user data in a packet.
pub(super) const PAYLOAD: f64 = 496.0;

#[cfg(test)]
mod tests {
    use anabranch_link::config::QueueConfig;
    use anabranch_scenario::{NoFiles, Scenario, Source, registry};

    use super::*;

    fn scenario(run: StringRun) -> Scenario {
        let text = run.scenario();
        let source = Source::new("ye.toml", &text);
        Scenario::parse(&source, &NoFiles, &[], &registry()).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn two_channels_are_two_paths_and_the_first_keeps_its_name() {
        let [one, two] = [1, 2].map(|channels| scenario(StringRun { channels, ..StringRun::DEFAULT }));
        assert_eq!((one.radios.len(), two.radios.len()), (1, 2));
        assert_eq!(one.radios[0].name, two.radios[0].name);
        assert_eq!(two.flows[0].paths, [0, 1]);
    }

    #[test]
    fn a_station_marks_by_the_length_at_hand_and_not_by_chance() {
        let run = StringRun { marks_from: Some(2), radio: "plcp = \"128 us\"\n", ..StringRun::DEFAULT };
        let scenario = scenario(run);
        let QueueConfig::Red(red) = &scenario.radios[0].config.queue else { panic!("it marks") };
        assert_eq!((red.min, red.max, red.weight, red.ecn), (1.5, 2.0, 1.0, true));
    }
}
