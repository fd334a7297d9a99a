//! What the demonstration tells at its end, in plain words and as numbers. It knows what was measured, and
//! runs nothing.

use anabranch_base::{BitRate, ByteCount, Duration, Time};
use anabranch_net::Event;
use serde_json::{Value, json};

use super::cable::Link;
use crate::quantity::show_size;
use crate::report::{hex, table};
use crate::transfer::{Gap, Progress};
use crate::watch::Watch;

/// What was measured.
#[derive(Debug)]
pub struct Story {
    /// The file.
    pub size: ByteCount,
    /// Both links are like this.
    pub link: Link,
    /// The most user data in one packet.
    pub payload: ByteCount,
    /// When the second link was cut and how much had arrived, if it came to that.
    pub cut: Option<Cut>,
    /// How long after that the sender gave the path up.
    pub noticed_after: Option<Duration>,
    /// The longest time after the cut in which nothing could be delivered.
    pub stall: Gap,
    /// The whole transfer, as the receiver saw it.
    pub took: Duration,
}

/// The moment of the cut.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// On the clock of the transfer.
    pub at: Time,
    /// How long the transfer ran till then.
    pub after: Duration,
    /// What had arrived.
    pub arrived: ByteCount,
}

impl Story {
    /// How long after `cut` a path was given up, by what `watch` saw.
    pub fn noticed(cut: Option<Cut>, watch: &Watch) -> Option<Duration> {
        let cut = cut?;
        let is_notice = |(at, event): &&(Time, Event)| *at >= cut.at && matches!(event, Event::PathDown(_));
        watch.events().iter().find(is_notice).map(|(at, _)| at.since(cut.at))
    }

    /// The table and what it means.
    pub fn tell(&self, watch: &Watch, received: &Progress) -> String {
        let mut text = table(watch, self.took);
        text.push_str("\nWhat happened:\n");
        for sentence in self.sentences(watch, received) {
            text.push_str(&wrapped(&sentence));
        }
        text
    }

    /// The same as numbers.
    pub fn numbers(&self) -> Value {
        json!({
            "link_rate_bps": self.link.rate.bits_per_second(),
            "cut_at_s": self.cut.map(|cut| cut.after.as_secs_f64()),
            "goodput_before_cut_bps": self.before_cut().map(BitRate::bits_per_second),
            "noticed_after_s": self.noticed_after.map(Duration::as_secs_f64),
            "stall_s": self.stall.length.as_secs_f64(),
            "one_link_alone_s": self.alone().as_secs_f64(),
        })
    }

    fn sentences(&self, watch: &Watch, received: &Progress) -> Vec<String> {
        let mut told = Vec::new();
        if let (Some(cut), Some(rate)) = (self.cut, self.before_cut()) {
            told.push(format!(
                "Together, the two links of {} moved {rate} of file; one alone moves {} at best.",
                self.link.rate,
                self.size.rate_over(self.alone()).unwrap_or_default()
            ));
            told.push(format!(
                "Link B was cut after {}, when {} had arrived.",
                seconds(cut.after),
                show_size(cut.arrived)
            ));
            told.push(match self.noticed_after {
                Some(after) => format!(
                    "The sender gave link B up {} after the cut; what was under way on it went again over link A. \
                     The longest time without a delivery was {}.",
                    seconds(after), seconds(self.stall.length)
                ),
                None => format!(
                    "What was under way on link B went again over link A, before link B was given up. \
                     The longest time without a delivery was {}.",
                    seconds(self.stall.length)
                ),
            });
        }
        let carried =
            watch.paths().iter().map(|path| format!("{} carried {}", path.name, show_size(path.carried)));
        told.push(format!("{}.", carried.collect::<Vec<_>>().join(", ")));
        if let Some(digest) = received.done().first().and_then(|file| file.digest) {
            told.push(format!("Nothing is lost: the SHA-256 is equal at both ends, {}.", hex(&digest)));
        }
        told.push(format!(
            "All of it took {}. One link alone takes {} at best; had it been link B, the file would not be there.",
            seconds(self.took),
            seconds(self.alone())
        ));
        told
    }

    /// The rate of both links together.
    fn before_cut(&self) -> Option<BitRate> {
        self.cut.and_then(|cut| cut.arrived.rate_over(cut.after))
    }

    /// At best: full packets one after another, nothing lost.
    fn alone(&self) -> Duration {
        let packets = self.size.get().div_ceil(self.payload.get().max(1));
        let on_the_wire = self.size + OVERHEAD * packets;
        self.link.rate.time_for(on_the_wire).unwrap_or_default() + self.link.delay
    }
}

/// An item of a list, in lines of at most [`WIDTH`] columns.
fn wrapped(sentence: &str) -> String {
    let (mut text, mut column) = ("  *".to_owned(), 3);
    for word in sentence.split(' ') {
        let length = word.chars().count();
        if column + 1 + length > WIDTH {
            text.push_str("\n   ");
            column = 3;
        }
        text.push(' ');
        text.push_str(word);
        column += 1 + length;
    }
    text.push('\n');
    text
}

fn seconds(span: Duration) -> String {
    format!("{:.1} s", span.as_secs_f64())
}

const WIDTH: usize = 100;

/// IPv4, UDP, SCTP and DATA headers of a packet with one chunk.
const OVERHEAD: ByteCount = ByteCount::new(20 + 8 + 12 + 16);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sentences_are_wrapped_and_indented() {
        let text = wrapped(&"word ".repeat(30));
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert_eq!(text.lines().count(), 2);
        assert!(text.starts_with("  * word") && text.contains("\n    word"), "{text}");
    }

    #[test]
    fn one_link_alone_takes_the_files_bytes_and_headers_at_its_rate() {
        let link = Link { rate: BitRate::from_mbps(12), delay: Duration::ZERO, queue: ByteCount::ZERO };
        let story = Story {
            size: ByteCount::new(1_444_000),
            link,
            payload: ByteCount::new(1444),
            cut: None,
            noticed_after: None,
            stall: Gap::default(),
            took: Duration::ZERO,
        };
        // 1,000 packets of 1,500 bytes.
        assert_eq!(story.alone(), Duration::from_secs(1));
    }
}
