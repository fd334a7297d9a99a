//! The scenarios of YE chapter 5: one association over four lossy radio links in a row (YE-F32), with a queue that marks
//! at R2 and now and then a source of datagrams in its way, fixed before anything was run.

use std::fmt::Write;

use super::super::figure::ValueSource;

/// A run of YE chapter 5.
#[derive(Clone, Copy, Debug)]
pub struct RadioRun {
    /// The sender's response to losses.
    pub response: RadioResponse,
    /// The share of packets that all four links together lose in their good state.
    pub loss: f64,
    /// The mean times of each link in its good and its bad state, in seconds; `None` for links that are always good.
    pub states: Option<(f64, f64)>,
    /// True if datagrams flood the link from R2 to R3 for 200 ms in each 5 s.
    pub is_flooded: bool,
    /// `rto.min`.
    pub least_timeout: &'static str,
    /// Simulated seconds.
    pub seconds: u32,
    /// `wireless.evidence`: the thesis assumes that all queues mark.
    pub evidence: &'static str,
    /// Further settings of the association.
    pub extra: &'static str,
}

/// The response of a sender to losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RadioResponse {
    /// As RFC 2960, without ECN: R2's queue drops.
    Standard,
    /// Wireless-aware, with ECN.
    Aware {
        /// `wireless.resend`.
        resend: &'static str,
        /// `wireless.backoff`.
        backoff: &'static str,
        /// `wireless.after_timeout`.
        after_timeout: &'static str,
    },
}

impl RadioResponse {
    /// The thesis' recommendation.
    pub const AWARE: RadioResponse =
        RadioResponse::Aware { resend: "one-per-rtt", backoff: "limited", after_timeout: "probe" };
}

impl From<RadioRun> for ValueSource {
    fn from(run: RadioRun) -> ValueSource {
        ValueSource::Run(run.scenario())
    }
}

impl RadioRun {
    /// The recommended sender over good links.
    pub const DEFAULT: RadioRun = RadioRun {
        response: RadioResponse::AWARE,
        loss: 0.0,
        states: None,
        is_flooded: false,
        least_timeout: "1 s",
        seconds: 200,
        evidence: "assumed",
        extra: "",
    };

    /// The scenario.
    pub fn scenario(self) -> String {
        let losses = self.losses();
        let lossy = |name, queue: &str| link(name, queue, &losses);
        let mut text = format!("run.time = \"{} s\"\n", self.seconds);
        text += &link("s-r1", DROP_TAIL, "");
        text += &lossy("r1-r2", DROP_TAIL);
        text += &lossy("r2-r3", MARKING);
        text += &lossy("r3-r4", DROP_TAIL);
        text += &lossy("r4-d", DROP_TAIL);
        self.with_flows(text)
    }

    /// The scenario of YE-F29: only the link from R2 to R3 loses packets, all of them from 40.4 s to 41.5 s, both ways.
    pub(crate) fn with_outage(self) -> String {
        let outage = format!("loss = {OUTAGE}\nreverse = {{ queue = {DROP_TAIL}, loss = {OUTAGE} }}\n");
        let mut text = format!("run.time = \"{} s\"\n", self.seconds);
        for name in ["s-r1", "r1-r2", "r2-r3", "r3-r4", "r4-d"] {
            match name {
                "r2-r3" => text += &link(name, MARKING, &outage),
                _ => text += &link(name, DROP_TAIL, ""),
            }
        }
        self.with_flows(text)
    }

    fn with_flows(self, mut text: String) -> String {
        text += "[[path]]\nname = \"chain\"\nlinks = [\"s-r1\", \"r1-r2\", \"r2-r3\", \"r3-r4\", \"r4-d\"]\n";
        if self.is_flooded {
            text += "[[path]]\nname = \"flood\"\nlinks = [\"r2-r3\"]\n";
        }
        let _ = write!(
            text,
            "[[flow]]\nname = \"main\"\npaths = [\"chain\"]\n[flow.sctp]\nprofile = \"rfc2960\"\n\
             charge = \"packet\"\nunit = \"mtu\"\nmissing_reports = 4\nreceive_buffer = \"48000 B\"\n\
             initial_ssthresh = \"receive-buffer\"\nfailover = \"off\"\nrto.min = \"{}\"\n{}{}",
            self.least_timeout,
            self.response.settings(self.evidence),
            self.extra
        );
        if self.is_flooded {
            // 1,500 bytes with headers, 2 Mbit/s of them.
            text += "[[flow]]\nname = \"flood\"\nprotocol = \"udp\"\npaths = [\"flood\"]\nstart = \"10 s\"\n\
                     traffic = { kind = \"on-off\", rate = \"1962667 bit/s\", message = \"1472 B\", on = \"200 ms\", \
                     off = \"4.8 s\" }\n";
        }
        text
    }

    /// The losses of the four links after transmission. SACKs meet the same bad states, and are not lost in good ones.
    fn losses(self) -> String {
        let each = 1.0 - (1.0 - self.loss).powf(0.25);
        match self.states {
            Some((good, bad)) => format!(
                "loss = {{ kind = \"gilbert-elliott\", good = \"{good:.6} s\", bad = \"{bad} s\", loss_good = {each:?}, \
                 loss_bad = 1.0, at = \"exit\" }}\nreverse = {{ queue = {DROP_TAIL}, loss = \"same-channel\" }}\n"
            ),
            None => format!(
                "loss = {{ kind = \"bernoulli\", probability = {each:?}, at = \"exit\" }}\n\
                 reverse = {{ queue = {DROP_TAIL} }}\n"
            ),
        }
    }
}

impl RadioResponse {
    fn settings(self, evidence: &str) -> String {
        match self {
            RadioResponse::Standard => String::new(),
            RadioResponse::Aware { resend, backoff, after_timeout } => format!(
                "ecn = \"echo\"\nloss_response = \"wireless-aware\"\nwireless = {{ resend = \"{resend}\", \
                 backoff = \"{backoff}\", after_timeout = \"{after_timeout}\", \
                 evidence = \"{evidence}\" }}\n"
            ),
        }
    }
}

fn link(name: &str, queue: &str, rest: &str) -> String {
    format!("[[link]]\nname = \"{name}\"\nrate = \"2 Mbit/s\"\ndelay = \"0 s\"\nqueue = {queue}\n{rest}")
}

const DROP_TAIL: &str = "\"100 packets\"";
const MARKING: &str = "{ kind = \"red\", min = 3, max = 10, weight = 0.002, max_probability = 0.5, \
                       limit = \"100 packets\", ecn = true, rule = \"enhanced\" }";
const OUTAGE: &str = "{ kind = \"outages\", times = [[\"40.4 s\", \"41.5 s\"]], at = \"exit\" }";
