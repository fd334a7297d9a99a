//! A row of the table, and the scenario that has its parameters.

use std::path::Path;

use serde::Deserialize;

/// Goodput of one TCP flow over a lossy link.
#[derive(Clone, Debug, Deserialize)]
pub struct Ns3Row {
    /// `NewReno`, which grows by acknowledgements, or `LinuxReno`, which grows by segments.
    pub cc: String,
    /// True if acknowledgements are selective.
    pub sack: u8,
    /// The number of segments an acknowledgement waits for.
    pub ack_every: u32,
    /// The least time-out.
    pub min_rto_ms: u32,
    /// The number of packets that are lost.
    pub p: f64,
    /// In Mbit/s of user data.
    pub goodput_mbps: f64,
    /// Half of its 95 % interval.
    pub ci95_mbps: f64,
    /// Time-outs in a run.
    pub timeouts_per_run: f64,
}

/// The table cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}")]
pub struct RowError {
    path: String,
    source: csv::Error,
}

/// The rows.
///
/// # Errors
/// The table cannot be read.
pub fn rows() -> Result<Vec<Ns3Row>, RowError> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/oracle/ns3/tcp_loss.open.csv");
    let unreadable = |source| RowError { path: path.display().to_string(), source };
    let mut reader = csv::Reader::from_path(&path).map_err(unreadable)?;
    reader.deserialize().collect::<Result<_, _>>().map_err(unreadable)
}

impl Ns3Row {
    /// The row in a few words.
    pub fn label(&self) -> String {
        let Ns3Row { cc, ack_every, p, .. } = self;
        let sack = if self.sack == 1 { "SACK" } else { "no SACK" };
        format!("{cc}, {sack}, ACK every {ack_every}, loss {p}")
    }

    /// The rows that share their rules.
    pub fn group(&self) -> String {
        format!("{}, {}", self.cc, if self.sack == 1 { "SACK" } else { "no SACK" })
    }

    /// The scenario, measured for so many seconds after 20 s. Their packets have two bytes of PPP more than ours: the rate
    /// is that much lower.
    pub fn scenario(&self, seconds: u64) -> String {
        let variant = if self.sack == 1 { "sack" } else { "newreno" };
        let growth = if self.cc == "LinuxReno" { "bytes" } else { "per-ack" };
        let Ns3Row { p, ack_every, min_rto_ms, .. } = self;
        format!(
            r#"
            [run]
            time = "{} s"
            warmup = "20 s"
            [[link]]
            name = "line"
            rate = "20972037 bit/s"
            delay = "20 ms"
            queue = "1000 packets"
            loss = {{ kind = "bernoulli", probability = {p}, at = "exit" }}
            [[flow]]
            protocol = "tcp"
            [flow.tcp]
            variant = "{variant}"
            growth = "{growth}"
            ack_every = {ack_every}
            min_rto = "{min_rto_ms} ms"
            window = "4 MiB"
            "#,
            20 + seconds
        )
    }
}
