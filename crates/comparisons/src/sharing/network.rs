//! A network with bottlenecks, and its scenario.

use std::fmt::Write;

/// A drawn network.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// The seed of its set.
    pub seed: u64,
    /// The number in the set.
    pub number: usize,
    /// The congestion control of the flow.
    pub control: &'static str,
    /// When the flow starts.
    pub start_s: f64,
    /// The bottlenecks.
    pub bottlenecks: Vec<Bottleneck>,
    /// The flow's paths.
    pub paths: Vec<SharingPath>,
}

/// A path of the flow. Only its bottleneck is narrow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharingPath {
    /// The delay of a round trip without queues.
    pub round_trip_ms: f64,
    /// Which part of the delay lies before the bottleneck, 0 to 1.
    pub before: f64,
    /// The number of its bottleneck.
    pub bottleneck: usize,
}

/// A narrow link with traffic of others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bottleneck {
    /// The rate, on both ways.
    pub rate_mbps: f64,
    /// The capacity of its queue.
    pub queue_packets: u32,
    /// Datagrams at random, there and back, in Mbit/s.
    pub poisson_mbps: [f64; 2],
    /// Datagrams that come and go.
    pub on_off: OnOff,
    /// A TCP.
    pub tcp: Option<CrossTcp>,
}

/// Datagrams that come and go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnOff {
    /// The rate while they come.
    pub mbps: f64,
    /// For how long they come.
    pub on_s: f64,
    /// For how long they do not.
    pub off_s: f64,
    /// When they begin.
    pub start_s: f64,
}

/// A TCP beside the flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrossTcp {
    /// The delay of a round trip without queues.
    pub round_trip_ms: f64,
    /// The congestion control.
    pub control: &'static str,
    /// When it starts.
    pub start_s: f64,
}

impl Network {
    /// Returns true if two paths have one bottleneck.
    pub fn is_shared(&self) -> bool {
        self.bottlenecks.len() < self.paths.len()
    }

    /// Control, paths and bottlenecks in a few words.
    pub fn title(&self) -> String {
        let path = |path: &SharingPath| format!("{} ms in b{}", path.round_trip_ms, path.bottleneck);
        let bottleneck = |found: &Bottleneck| {
            let tcp = if found.tcp.is_some() { "+TCP" } else { "" };
            format!("{}q{}{tcp}", found.rate_mbps, found.queue_packets)
        };
        let paths: Vec<String> = self.paths.iter().map(path).collect();
        let bottlenecks: Vec<String> = self.bottlenecks.iter().map(bottleneck).collect();
        format!("{}, {}; {}", self.control, paths.join(", "), bottlenecks.join(", "))
    }

    /// The scenario, with `coupled` as the flow's.
    pub fn scenario(&self, coupled: &str) -> String {
        let mut text = format!("run = {{ time = \"{:.1} s\" }}\n", self.start_s + MEASURED_S);
        for (number, bottleneck) in self.bottlenecks.iter().enumerate() {
            bottleneck.write_links(&mut text, number);
        }
        let names: Vec<String> = (0..self.paths.len()).map(|number| format!("\"path-p{number}\"")).collect();
        for (number, path) in self.paths.iter().enumerate() {
            let direction = path.round_trip_ms / 2.0;
            write_way(&mut text, &format!("p{number}"), direction, path.before, path.bottleneck);
        }
        let _ = write!(
            text,
            "[[flow]]\nname = \"main\"\npaths = [{}]\nstart = \"{:.1} s\"\n[flow.sctp]\nprofile = \"rfc9260\"\n\
             multipath = \"cmt\"\n{}receive_buffer = \"8 MiB\"\nsend_buffer = \"8 MiB\"\n",
            names.join(", "),
            self.start_s,
            control_keys(self.control)
        );
        if coupled != "off" {
            let _ = writeln!(text, "coupled = \"{coupled}\"");
        }
        for (number, bottleneck) in self.bottlenecks.iter().enumerate() {
            bottleneck.write_flows(&mut text, number);
        }
        text
    }
}

impl Bottleneck {
    fn write_links(&self, text: &mut String, number: usize) {
        let Bottleneck { rate_mbps, queue_packets, .. } = self;
        let _ = write!(
            text,
            "[[link]]\nname = \"b{number}\"\nrate = \"{rate_mbps} Mbit/s\"\ndelay = \"0.1 ms\"\n\
             queue = \"{queue_packets} packets\"\n"
        );
        write_way(text, &format!("noise{number}"), 5.0, 0.5, number);
        if let Some(tcp) = self.tcp {
            write_way(text, &format!("tcp{number}"), tcp.round_trip_ms / 2.0, 0.5, number);
        }
    }

    fn write_flows(&self, text: &mut String, number: usize) {
        for (direction, rate) in ["forward", "reverse"].into_iter().zip(self.poisson_mbps) {
            let rate = format!("rate = \"{rate:.3} Mbit/s\"");
            let traffic = format!("{{ kind = \"poisson\", {rate}, message = \"600 B\" }}");
            write_datagrams(text, &format!("poisson{number}-{direction}"), number, direction, 0.0, &traffic);
        }
        let OnOff { mbps, on_s, off_s, start_s } = self.on_off;
        let traffic = format!(
            "{{ kind = \"on-off\", rate = \"{mbps:.3} Mbit/s\", message = \"1200 B\", on = \"{on_s:.3} s\", off = \"{off_s:.3} s\" }}"
        );
        write_datagrams(text, &format!("on-off{number}"), number, "forward", start_s, &traffic);
        let Some(tcp) = self.tcp else { return };
        let _ = write!(
            text,
            "[[flow]]\nname = \"tcp{number}\"\nprotocol = \"tcp\"\npaths = [\"path-tcp{number}\"]\nstart = \"{:.1} s\"\n\
             [flow.tcp]\nvariant = \"sack\"\ncongestion_control = \"{}\"\nreceive_buffer = \"8 MiB\"\n",
            tcp.start_s, tcp.control
        );
    }
}

/// A path over the bottleneck of this number, with a wide link before it and one after it.
fn write_way(text: &mut String, name: &str, delay_ms: f64, before: f64, bottleneck: usize) {
    for (side, share) in [("in", before), ("out", 1.0 - before)] {
        let delay = delay_ms * share;
        let _ = write!(
            text,
            "[[link]]\nname = \"{name}-{side}\"\nrate = \"1 Gbit/s\"\ndelay = \"{delay:.3} ms\"\nqueue = \"10000 packets\"\n"
        );
    }
    let _ = write!(
        text,
        "[[path]]\nname = \"path-{name}\"\nlinks = [\"{name}-in\", \"b{bottleneck}\", \"{name}-out\"]\n"
    );
}

fn write_datagrams(
    text: &mut String,
    name: &str,
    number: usize,
    direction: &str,
    start_s: f64,
    traffic: &str,
) {
    let _ = write!(
        text,
        "[[flow]]\nname = \"{name}\"\nprotocol = \"udp\"\npaths = [\"path-noise{number}\"]\ndirection = \"{direction}\"\n\
         start = \"{start_s:.1} s\"\ntraffic = {traffic}\n"
    );
}

/// The measured time of the flow.
pub(crate) const MEASURED_S: f64 = 30.0;

/// The lines that choose a control: a model of the path needs packets that are paced.
pub(super) fn control_keys(control: &str) -> String {
    let pacing = if control == "bbr" { "max_burst = { packets = 4, rule = \"paced\" }\n" } else { "" };
    format!("congestion_control = \"{control}\"\n{pacing}")
}
