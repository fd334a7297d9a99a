//! A network that was drawn, and how it is written down: its title and its scenario.

use std::fmt::Write;

use super::bound::BufferedPath;

/// The traffic, and the size of its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A bulk transfer; the buffer holds eight times what the paths and their queues hold.
    Ample,
    /// Messages at a constant rate, without events.
    Cbr,
    /// A bulk transfer through a buffer of any size.
    SmallBuffer,
}

/// A link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DrawnLink {
    /// The rate in Mbit/s.
    pub rate_mbps: f64,
    /// The delay in milliseconds, one way.
    pub delay_ms: f64,
    /// The jitter in milliseconds.
    pub jitter_ms: f64,
    /// The capacity of its queue.
    pub queue_packets: u32,
    /// The probability of a loss.
    pub loss: f64,
    /// The change.
    pub change: Option<LinkChange>,
}

/// A change of a link for some seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LinkChange {
    /// When it comes, in seconds.
    pub from_s: f64,
    /// When what was before returns, in seconds.
    pub until_s: f64,
    /// The kind.
    pub kind: ChangeKind,
}

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ChangeKind {
    /// The link is down.
    Outage,
    /// The rate falls to this, in Mbit/s.
    Stairs(f64),
    /// The delay becomes this, in milliseconds.
    Delay(f64),
}

/// A network before it is written down.
#[derive(Clone, Debug)]
pub(super) struct Drawn {
    /// The kind of traffic.
    pub kind: Kind,
    /// The links.
    pub links: Vec<DrawnLink>,
    /// The receive buffer.
    pub buffer_bytes: u64,
    /// True if the send buffer has the same size.
    pub is_sender_bound: bool,
    /// The goodput of full packets over all paths, in Mbit/s of user data.
    pub ceiling_mbps: f64,
}

impl DrawnLink {
    /// The path as the bound sees it, without its losses.
    pub(super) fn path(&self) -> BufferedPath {
        BufferedPath::new(self.rate_mbps, self.delay_ms)
    }

    /// The bytes on their way there and back and in its queue.
    pub(super) fn held_bytes(&self) -> f64 {
        self.rate_mbps * 1e3 / 8.0 * 2.0 * self.delay_ms + 1500.0 * f64::from(self.queue_packets)
    }

    /// Rate/delay, queue, loss in percent, and `!` if something happens to it.
    fn title(&self) -> String {
        let loss = if self.loss > 0.0 { format!("l{}", rounded(100.0 * self.loss)) } else { String::new() };
        let mark = if self.change.is_some() { "!" } else { "" };
        format!("{}/{}q{}{loss}{mark}", self.rate_mbps, self.delay_ms, self.queue_packets)
    }
}

impl LinkChange {
    /// Returns its two events: the change, and the return.
    fn toml(&self, name: &str, link: &DrawnLink) -> String {
        let (changed, before) = match self.kind {
            ChangeKind::Outage => ("state = \"down\"".to_owned(), "state = \"up\"".to_owned()),
            ChangeKind::Stairs(rate) => (rate_line(rounded(rate)), rate_line(link.rate_mbps)),
            ChangeKind::Delay(delay) => (delay_line(delay), delay_line(link.delay_ms)),
        };
        let event = |at: f64, line| format!("[[event]]\nat = \"{at:.3} s\"\nlink = \"{name}\"\n{line}\n");
        event(self.from_s, changed) + &event(self.until_s, before)
    }
}

impl Drawn {
    /// Buffer and links in a line.
    pub(super) fn title(&self) -> String {
        let links: Vec<String> = self.links.iter().map(DrawnLink::title).collect();
        let links = links.join("+");
        match self.kind {
            Kind::Ample => format!("ample {links}"),
            Kind::Cbr => format!("cbr70 {links}"),
            Kind::SmallBuffer if self.is_sender_bound => format!("{}K s=r {links}", self.buffer_bytes / 1024),
            Kind::SmallBuffer => format!("{}K {links}", self.buffer_bytes / 1024),
        }
    }

    /// The scenario.
    pub(super) fn toml(&self) -> String {
        let seconds = if self.kind == Kind::Cbr { 60 } else { 30 };
        let mut text = format!("[run]\ntime = \"{seconds} s\"\nwarmup = \"5 s\"\nruns = 5\nseed = 1\n");
        let named = || self.links.iter().enumerate().map(|(number, link)| (format!("p{number}"), link));
        for (name, link) in named() {
            let DrawnLink { jitter_ms, queue_packets, loss, .. } = link;
            let (rate, delay) = (rate_line(link.rate_mbps), delay_line(link.delay_ms));
            let _ = writeln!(
                text,
                "[[link]]\nname = \"{name}\"\n{rate}\n{delay}\njitter = \"{jitter_ms} ms\"\n\
                 queue = \"{queue_packets} packets\"\nloss = {loss:?}\nreverse = {{ queue = \"1000 packets\" }}"
            );
        }
        named().for_each(|(name, link)| {
            link.change.iter().for_each(|change| text.push_str(&change.toml(&name, link)));
        });
        text.push_str("[flow]\n");
        if self.kind == Kind::Cbr {
            let rate = CBR_SHARE * self.ceiling_mbps;
            let _ = writeln!(
                text,
                "traffic = {{ kind = \"cbr\", rate = \"{rate:.4} Mbit/s\", message = \"1400 B\" }}"
            );
        }
        let buffer = self.buffer_bytes;
        let _ = writeln!(
            text,
            "[flow.sctp]\nprofile = \"tuned-1\"\nmtu_discovery = \"off\"\nreceive_buffer = \"{buffer} B\""
        );
        if self.is_sender_bound {
            let _ = writeln!(text, "send_buffer = \"{buffer} B\"");
        }
        text
    }
}

fn rate_line(rate_mbps: f64) -> String {
    format!("rate = \"{rate_mbps} Mbit/s\"")
}

fn delay_line(delay_ms: f64) -> String {
    format!("delay = \"{delay_ms} ms\"")
}

/// To thousandths, which prints no digits of a product that are not meant.
fn rounded(value: f64) -> f64 {
    (1e3 * value).round() / 1e3
}

/// The share of the ceiling that a constant rate asks for.
pub(crate) const CBR_SHARE: f64 = 0.7;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_ends_with_what_was_before() {
        let link = DrawnLink {
            rate_mbps: 9.3,
            delay_ms: 20.0,
            jitter_ms: 0.1,
            queue_packets: 50,
            loss: 0.02,
            change: Some(LinkChange { from_s: 7.5, until_s: 9.25, kind: ChangeKind::Stairs(2.325) }),
        };
        let text = |kind| LinkChange { from_s: 7.5, until_s: 9.25, kind }.toml("p1", &link);
        let stairs = text(ChangeKind::Stairs(2.325));
        assert_eq!(
            stairs,
            "[[event]]\nat = \"7.500 s\"\nlink = \"p1\"\nrate = \"2.325 Mbit/s\"\n\
             [[event]]\nat = \"9.250 s\"\nlink = \"p1\"\nrate = \"9.3 Mbit/s\"\n"
        );
        assert!(text(ChangeKind::Delay(90.0)).ends_with("delay = \"20 ms\"\n"));
        assert!(text(ChangeKind::Outage).ends_with("state = \"up\"\n"));
        assert_eq!(link.title(), "9.3/20q50l2!");
    }
}
