//! The scenarios of BERP: two chains of three links with losses of their own (BERP-F1), with one narrow link for both
//! (BERP-F4), or with datagrams on each (BERP-F7), fixed before anything was run.

use std::fmt::Write;

use super::super::figure::ValueSource;

/// A run over two chains.
#[derive(Clone, Copy, Debug)]
pub struct ChainRun {
    /// The scheme of the windows.
    pub scheme: Scheme,
    /// `window_floor`: 4 is rfc4960's.
    pub floor: u32,
    /// True if the two paths have the narrow link in common.
    pub is_shared: bool,
    /// The one-way delay of each link, in milliseconds.
    pub delay_ms: u32,
    /// The work.
    pub work: Work,
}

/// The data of a run, and the losses.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// 60 MB; outer links lose 1 % of the packets, and the narrow ones this many percent.
    Transfer {
        /// Percent lost on the narrow links.
        loss: u32,
        /// The bytes.
        bytes: u64,
    },
    /// As much as goes for 300 s beside datagrams that take this many tenths of each narrow link; losses by queues alone.
    BesideDatagrams {
        /// Tenths.
        load: u32,
    },
}

/// The scheme that controls the windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Each path by itself (M-BERP-5).
    Standard,
    /// BERP.
    Berp,
    /// BERP's growth and the standard's cuts.
    IncreaseOnly,
    /// BERP's cuts and the standard's growth.
    DecreaseOnly,
}

impl Scheme {
    /// Every scheme.
    pub const ALL: [Scheme; 4] = [Scheme::Standard, Scheme::Berp, Scheme::IncreaseOnly, Scheme::DecreaseOnly];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Scheme::Standard => "CMT-CC",
            Scheme::Berp => "CMT-BERP",
            Scheme::IncreaseOnly => "increase alone",
            Scheme::DecreaseOnly => "decrease alone",
        }
    }

    fn settings(self) -> &'static str {
        match self {
            Scheme::Standard => "",
            Scheme::Berp => "congestion_control = \"berp\"\n",
            Scheme::IncreaseOnly => "congestion_control = \"berp\"\nberp = { decrease = false }\n",
            Scheme::DecreaseOnly => "congestion_control = \"berp\"\nberp = { increase = false }\n",
        }
    }
}

impl From<ChainRun> for ValueSource {
    fn from(run: ChainRun) -> ValueSource {
        ValueSource::Run(run.scenario())
    }
}

impl ChainRun {
    /// The scenario.
    pub fn scenario(self) -> String {
        let (outer, narrow, run) = match self.work {
            Work::Transfer { loss, .. } => (0.01, f64::from(loss) / 100.0, "time = \"1000000 s\""),
            Work::BesideDatagrams { .. } => (0.0, 0.0, "time = \"300 s\", warmup = \"30 s\""),
        };
        let middles = if self.is_shared { ["mid", "mid"] } else { ["mid-1", "mid-2"] };
        let mut text = format!("run = {{ {run} }}\n");
        for path in 1..=2 {
            text += &self.link(&format!("out-{path}"), 10, outer);
            text += &self.link(&format!("in-{path}"), 10, outer);
        }
        let distinct = if self.is_shared { &middles[..1] } else { &middles };
        distinct.iter().for_each(|name| text += &self.link(name, 1, narrow));
        for (path, middle) in (1..).zip(middles) {
            let _ = write!(
                text,
                "[[path]]\nname = \"chain-{path}\"\nlinks = [\"out-{path}\", \"{middle}\", \"in-{path}\"]\n"
            );
        }
        text += &self.flows();
        text
    }

    fn link(self, name: &str, rate: u32, loss: f64) -> String {
        format!(
            "[[link]]\nname = \"{name}\"\nrate = \"{rate} Mbit/s\"\ndelay = \"{} ms\"\nqueue = \"50 packets\"\n\
             loss = {loss:?}\n",
            self.delay_ms
        )
    }

    fn flows(self) -> String {
        let transfer = match self.work {
            Work::Transfer { bytes, .. } => format!("transfer = \"{bytes} B\"\n"),
            Work::BesideDatagrams { .. } => String::new(),
        };
        let mut text = format!(
            "[[flow]]\nname = \"main\"\npaths = [\"chain-1\", \"chain-2\"]\n{transfer}[flow.sctp]\n\
             profile = \"rfc4960\"\ncharge = \"packet\"\nunit = \"mtu\"\nmissing_reports = 4\n\
             window_floor = {}\nmultipath = \"cmt\"\nretransmission = \"same\"\nreceive_buffer = \"1 MB\"\n\
             send_buffer = \"2 MB\"\ninitial_ssthresh = \"65536 B\"\nscheduler = \"round-robin\"\nfailover = \"off\"\n{}",
            self.floor,
            self.scheme.settings()
        );
        if let Work::BesideDatagrams { load } = self.work {
            for path in 1..=2 {
                // 512 of the 540 bytes on the wire are counted by the source.
                let rate = u64::from(load) * 100_000 * DATAGRAM / (DATAGRAM + 28);
                let _ = write!(
                    text,
                    "[[path]]\nname = \"load-{path}\"\nlinks = [\"mid-{path}\"]\n[[flow]]\nname = \"load-{path}\"\n\
                     protocol = \"udp\"\npaths = [\"load-{path}\"]\ntraffic = {{ kind = \"cbr\", rate = \
                     \"{rate} bit/s\", message = \"{DATAGRAM} B\" }}\n"
                );
            }
        }
        text
    }
}

/// User data of a datagram, in bytes.
const DATAGRAM: u64 = 512;
