//! The answer of a running `anabranch forward`: its links, bonds, flows and totals, as it sends them and as `status` reads
//! them. Keys that another version leaves out are empty.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The state of one program. Keys in the order in which they are printed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Answer {
    /// `programs` or `destinations`: the end of the bond.
    pub role: String,
    pub pid: u32,
    pub uptime_s: f64,
    /// The time over which rates are measured.
    pub window_s: f64,
    pub links: Vec<LinkAnswer>,
    /// The newest bonds.
    pub bonds: Vec<BondAnswer>,
    pub more_bonds: usize,
    /// The clients of a server.
    pub clients: Vec<ClientAnswer>,
    /// The flows with the highest rates.
    pub flows: Vec<FlowAnswer>,
    pub more_flows: usize,
    pub totals: TotalsAnswer,
}

/// A link of this host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct LinkAnswer {
    /// The interface, or the address.
    pub name: String,
    /// `ordinary`, `secondary` or `backup`.
    pub role: String,
    /// The bytes of all IP packets since the start, both ways.
    pub charged_bytes: u64,
    pub sent_bytes: u64,
    pub received_bytes: u64,
    /// The limit of the bytes of each bond.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// The bytes that count against the limit.
    pub used_bytes: u64,
    /// True if the link is no longer used because its limit is reached.
    pub used_up: bool,
}

/// A bond with another host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct BondAnswer {
    /// The addresses of the server, or the name of the client.
    pub peer: String,
    pub connected_s: f64,
    pub paths: Vec<PathAnswer>,
    /// The cause that slows it most, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<String>,
}

/// A path of a bond. Bytes and counters are those of user data since the bond opened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct PathAnswer {
    /// The name of the link on which it begins, if the system names one.
    pub link: Option<String>,
    pub local: String,
    pub remote: String,
    pub state: String,
    /// The smoothed round-trip time, once measured.
    pub rtt_s: Option<f64>,
    pub cwnd_bytes: u64,
    pub sent_bps: f64,
    pub received_bps: f64,
    pub sent_packets: u64,
    pub sent_bytes: u64,
    pub received_packets: u64,
    pub received_bytes: u64,
    pub retransmitted_chunks: u64,
    pub fast_retransmits: u64,
    pub timeouts: u64,
}

/// An open flow. Sent is what goes to the other end of the bond.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct FlowAnswer {
    pub id: u64,
    /// `tcp`, `datagrams` or `reverse`.
    pub kind: String,
    /// The address of the program, or the name of the client.
    pub client: String,
    /// The destination; of datagrams the first one, once known.
    pub destination: Option<String>,
    pub open_s: f64,
    pub sent_bytes: u64,
    pub received_bytes: u64,
    pub sent_bps: f64,
    pub received_bps: f64,
}

/// A client of a server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ClientAnswer {
    pub name: String,
    #[serde(flatten)]
    pub totals: TotalsAnswer,
}

/// The sums of flows since the start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TotalsAnswer {
    pub flows_open: u64,
    pub flows_opened: u64,
    /// The connections that ended before both directions had finished.
    pub flows_broken: u64,
    /// The flows that were not opened, by the reason.
    pub flows_refused: BTreeMap<String, u64>,
    pub sent_bytes: u64,
    pub received_bytes: u64,
    pub sent_bps: f64,
    pub received_bps: f64,
}
