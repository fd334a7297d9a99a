//! Reads the oracle's tables, row by row, into points.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::judgement::Tolerance;
use super::point::{ComparedPoint, Measure, gather};
use super::table_error::TableError;
use super::world::{AssociationSettings, Chains, Pipe, Retransmission, Scheme, SendingTime, scenario};

/// The sets of the oracle that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Set {
    /// Transfers by CMT and AppStripe.
    A,
    /// Transfers by CMT with each retransmission policy.
    #[value(name = "a-rtx")]
    ARtx,
    /// Throughput of standard SCTP.
    B,
    /// Transfers by CMT over chains of three links with losses of their own, disjoint or with one in common.
    C,
    /// A shared receive buffer.
    D,
}

impl Set {
    /// The sets.
    pub const ALL: [Set; 5] = [Set::A, Set::ARtx, Set::B, Set::C, Set::D];

    /// The share of its points that is to hold.
    pub fn goal(self, rules: &[u32]) -> f64 {
        match self {
            Set::A | Set::ARtx if !rules.is_empty() => 0.95,
            Set::A | Set::ARtx | Set::B | Set::C => 0.85,
            Set::D => 0.80,
        }
    }

    /// The points, in the table's order; ours with these rules of theirs, by their numbers in docs/oracle.md.
    ///
    /// # Errors
    /// The table cannot be read, or has a value without a meaning.
    pub fn points(self, directory: &Path, rules: &[u32]) -> Result<Vec<ComparedPoint>, TableError> {
        let rows: Vec<ComparedPoint> = match self {
            Set::A => each::<TransferRow>(&directory.join("a_cmt_vs_appstripe.open.csv"), rules)?,
            Set::ARtx => each::<TransferRow>(&directory.join("a_rtx_policy.open.csv"), rules)?,
            Set::B => each::<Throughput>(&directory.join("b_sctp_throughput.open.csv"), rules)?,
            Set::C => each::<ChainRow>(&directory.join("c_berp_plain_cmt.open.csv"), rules)?,
            Set::D => each::<SharedBufferRow>(&directory.join("d_shared_rbuf.open.csv"), rules)?,
        };
        Ok(gather(rows))
    }
}

/// Six points of CMT in `fig5`, with seeds of theirs that are independent: small ones are not (tests/oracle/ns2/README.md).
///
/// # Errors
/// The table cannot be read, or has a value without a meaning.
pub(crate) fn six_of_fig5(rules: &[u32]) -> Result<Vec<ComparedPoint>, TableError> {
    Ok(gather(each::<TransferRow>(&directory().join("fig5_random_seeds.csv"), rules)?))
}

/// Where the tables are.
pub(super) fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/oracle/ns2")
}

/// A row as a point with one value.
trait OraclePoint: DeserializeOwned {
    /// Ours with these rules of theirs, by their numbers.
    fn point(&self, rules: &[u32]) -> Result<ComparedPoint, TableError>;
}

fn each<R: OraclePoint>(path: &Path, rules: &[u32]) -> Result<Vec<ComparedPoint>, TableError> {
    let unreadable = |source| TableError::Unreadable { path: path.display().to_string(), source };
    let mut reader = csv::Reader::from_path(path).map_err(unreadable)?;
    reader.deserialize::<R>().map(|row| row.map_err(unreadable)?.point(rules)).collect()
}

/// 1,452 bytes of user data in each chunk.
const PAYLOAD: u64 = 1452;

/// Sets a and a-rtx: 8 MiB over two paths of 35 ms.
#[derive(Debug, Deserialize)]
#[allow(non_snake_case, reason = "the columns' names are ns-2's")]
struct TransferRow {
    figure: String,
    protocol: String,
    bw1_mbps: f64,
    bw2_mbps: f64,
    loss1: f64,
    loss2: f64,
    loss_ack_dir: f64,
    useDelayedSacks: u8,
    useCmtDelAck: Option<u8>,
    useCmtReordering: Option<u8>,
    useCmtCwnd: Option<u8>,
    eCmtRtxPolicy: Option<u8>,
    fastRtxTrigger: u8,
    initialSsthresh: u64,
    min_window_mtu: u32,
    transfer_time_s: f64,
    first_data_rx_s: f64,
}

impl OraclePoint for TransferRow {
    fn point(&self, rules: &[u32]) -> Result<ComparedPoint, TableError> {
        let is_on = |column: Option<u8>| column == Some(1);
        let of_cmt = [self.useCmtReordering, self.useCmtCwnd, self.useCmtDelAck].map(is_on);
        let retransmission = retransmission(self.eCmtRtxPolicy)?;
        let pipe = |rate, loss| Pipe {
            rate,
            delay: 35.0,
            queue: 100_000,
            loss: [loss, self.loss_ack_dir],
            burst: None,
        };
        let pipes = [pipe(self.bw1_mbps, self.loss1), pipe(self.bw2_mbps, self.loss2)];
        let association = AssociationSettings {
            scheme: scheme(&self.protocol, of_cmt)?,
            ns2_rules: rules.to_vec(),
            retransmission,
            missing_reports: self.fastRtxTrigger,
            window_floor: self.min_window_mtu,
            initial_ssthresh: self.initialSsthresh,
            receive_buffer: 16 << 20,
            sack_every: if self.useDelayedSacks == 1 { 2 } else { 1 },
            min_rto: 1.0,
        };
        let work = SendingTime::Transfer { bytes: 8 << 20, at_most: 3600.0, warmup: 0.0 };
        let is_random = self.loss1 + self.loss2 > 0.0;
        let TransferRow { figure, protocol, bw1_mbps, bw2_mbps, loss1, loss2, .. } = self;
        let loss = if loss1 == loss2 { format!("loss {loss1}") } else { format!("loss {loss1} and {loss2}") };
        let policy = if figure == "rtxpolicy" { format!(", {retransmission:?}") } else { String::new() };
        let ssthresh = if is_random { String::new() } else { format!(", ssthresh {}", self.initialSsthresh) };
        let sacks = if self.useDelayedSacks == 1 { "" } else { ", every SACK" };
        Ok(ComparedPoint {
            figure: figure.clone(),
            label: format!("{protocol} {bw1_mbps}+{bw2_mbps}, {loss}{policy}{ssthresh}{sacks}"),
            scheme: association.scheme,
            loss: loss1.max(*loss2),
            // The set-up takes two round trips: no loss before, and all data may be lost.
            scenario: scenario(&pipes, 140.0, &association, work),
            measure: Measure::TransferTime,
            theirs: vec![self.transfer_time_s - self.first_data_rx_s],
            tolerance: if is_random { Tolerance::LOSS } else { Tolerance::LOSSLESS },
            is_counted: retransmission != Retransmission::LossRate,
        })
    }
}

/// Set b: standard SCTP on one path, for 200 s or 65,000 chunks.
#[derive(Debug, Deserialize)]
#[allow(non_snake_case, reason = "the columns' names are ns-2's")]
struct Throughput {
    figure: String,
    loss_model: String,
    p: f64,
    b_mbps: f64,
    d_ms: f64,
    rbuf_kib: u64,
    useDelayedSacks: u8,
    minRto_s: f64,
    fastRtxTrigger: u8,
    queue_pkts: u32,
    max_sim_s: f64,
    max_pkts: u64,
    warmup_s: f64,
    goodput_mbps_1452B: f64,
}

impl OraclePoint for Throughput {
    fn point(&self, rules: &[u32]) -> Result<ComparedPoint, TableError> {
        let Throughput { p, b_mbps, d_ms, rbuf_kib, .. } = self;
        // A round: the propagation both ways and the time on the line.
        let burst = match self.loss_model.as_str() {
            "independent" => None,
            "correlated" => Some(d_ms + 12.0 / b_mbps),
            other => return Err(TableError::Strange { what: format!("loss_model {other:?}") }),
        };
        let pipe = Pipe { rate: *b_mbps, delay: d_ms / 2.0, queue: self.queue_pkts, loss: [*p, 0.0], burst };
        let association = AssociationSettings {
            scheme: Scheme::Plain,
            ns2_rules: rules.to_vec(),
            retransmission: Retransmission::Same,
            missing_reports: self.fastRtxTrigger,
            window_floor: 4,
            initial_ssthresh: 65_536,
            receive_buffer: rbuf_kib << 10,
            sack_every: if self.useDelayedSacks == 1 { 2 } else { 1 },
            min_rto: self.minRto_s,
        };
        let work = SendingTime::Transfer {
            bytes: self.max_pkts * PAYLOAD,
            at_most: self.max_sim_s,
            warmup: self.warmup_s,
        };
        let sacks = if self.useDelayedSacks == 1 { "" } else { ", every SACK" };
        Ok(ComparedPoint {
            figure: self.figure.clone(),
            label: format!("p {p}, {b_mbps} Mbit/s, {d_ms} ms, {rbuf_kib} KiB{sacks}"),
            scheme: association.scheme,
            loss: *p,
            scenario: scenario(&[pipe], 2.0 * d_ms, &association, work),
            measure: Measure::Goodput,
            theirs: vec![self.goodput_mbps_1452B],
            tolerance: Tolerance::LOSS,
            is_counted: true,
        })
    }
}

/// Set c: 60 MiB by CMT over two chains of three links.
#[derive(Debug, Deserialize)]
#[allow(non_snake_case, reason = "the columns' names are ns-2's")]
struct ChainRow {
    scenario: String,
    config: String,
    mid_loss: f64,
    access_loss: f64,
    loss_on_ack_dir: u8,
    access_mbps: f64,
    mid_mbps: f64,
    link_delay_ms: f64,
    queue_pkts: u32,
    rwnd_bytes: u64,
    initialSsthresh: u64,
    eCmtRtxPolicy: u8,
    initialCwnd: u32,
    fastRtxTrigger: u8,
    useCmtDelAck: u8,
    minRto_s: f64,
    bytes: u64,
    transfer_time_s: f64,
}

impl OraclePoint for ChainRow {
    fn point(&self, rules: &[u32]) -> Result<ComparedPoint, TableError> {
        let is_shared = match self.scenario.as_str() {
            "A" => false,
            "B" => true,
            other => return Err(TableError::Strange { what: format!("scenario {other:?}") }),
        };
        let back = |loss: f64| if self.loss_on_ack_dir == 1 { loss } else { 0.0 };
        let pipe = |rate, loss| Pipe {
            rate,
            delay: self.link_delay_ms,
            queue: self.queue_pkts,
            loss: [loss, back(loss)],
            burst: None,
        };
        let retransmission = retransmission(Some(self.eCmtRtxPolicy))?;
        let association = AssociationSettings {
            scheme: Scheme::Cmt([true, true, self.useCmtDelAck == 1]),
            ns2_rules: rules.to_vec(),
            retransmission,
            missing_reports: self.fastRtxTrigger,
            window_floor: self.initialCwnd,
            initial_ssthresh: self.initialSsthresh,
            receive_buffer: self.rwnd_bytes,
            sack_every: 2,
            min_rto: self.minRto_s,
        };
        let chains = Chains {
            outer: pipe(self.access_mbps, self.access_loss),
            middle: pipe(self.mid_mbps, self.mid_loss),
            is_shared,
        };
        let work = SendingTime::Transfer { bytes: self.bytes, at_most: 100_000.0, warmup: 0.0 };
        let ChainRow { scenario, config, mid_loss, .. } = self;
        Ok(ComparedPoint {
            figure: config.clone(),
            label: format!("{scenario}, {config}, middle loss {mid_loss}"),
            scheme: association.scheme,
            loss: *mid_loss,
            // Losses begin with the data: the set-up takes two round trips of six links each.
            scenario: chains.scenario(12.0 * self.link_delay_ms, &association, work),
            measure: Measure::TransferTime,
            theirs: vec![self.transfer_time_s],
            tolerance: Tolerance::CHAINS,
            is_counted: true,
        })
    }
}

/// Set d: two paths and one receive buffer, 36 s.
#[derive(Debug, Deserialize)]
#[allow(non_snake_case, reason = "the columns' names are ns-2's")]
struct SharedBufferRow {
    protocol: String,
    bw1_mbps: f64,
    owd1_ms: f64,
    loss1: f64,
    bw2_mbps: f64,
    owd2_ms: f64,
    loss2: f64,
    rwnd_kib: u64,
    queue_pkts: u32,
    eCmtRtxPolicy: Option<u8>,
    sim_s: f64,
    warmup_s: f64,
    goodput_mbps_1452B: f64,
}

impl OraclePoint for SharedBufferRow {
    fn point(&self, rules: &[u32]) -> Result<ComparedPoint, TableError> {
        let retransmission = retransmission(self.eCmtRtxPolicy)?;
        let pipe =
            |rate, delay, loss| Pipe { rate, delay, queue: self.queue_pkts, loss: [loss, 0.0], burst: None };
        let pipes =
            [pipe(self.bw1_mbps, self.owd1_ms, self.loss1), pipe(self.bw2_mbps, self.owd2_ms, self.loss2)];
        let scheme = scheme(&self.protocol, [true; 3])?;
        let association = AssociationSettings {
            scheme,
            ns2_rules: rules.to_vec(),
            retransmission,
            missing_reports: 4,
            window_floor: if scheme == Scheme::Plain { 4 } else { 2 },
            initial_ssthresh: 65_536,
            receive_buffer: self.rwnd_kib << 10,
            sack_every: 2,
            min_rto: 1.0,
        };
        let work = SendingTime::Time { seconds: self.sim_s, warmup: self.warmup_s };
        let SharedBufferRow { bw1_mbps, owd1_ms, loss1, bw2_mbps, owd2_ms, loss2, rwnd_kib, .. } = self;
        let second =
            if *bw2_mbps > 0.0 { format!(" + {bw2_mbps}@{owd2_ms} loss {loss2}") } else { String::new() };
        let policy = match scheme {
            Scheme::Plain => String::new(),
            _ => format!(", {retransmission:?}"),
        };
        Ok(ComparedPoint {
            figure: self.protocol.clone(),
            label: format!(
                "{bw1_mbps}@{owd1_ms} loss {loss1}{second}, {rwnd_kib} KiB, queue {}{policy}",
                self.queue_pkts
            ),
            scheme,
            loss: loss1.max(*loss2),
            scenario: scenario(&pipes, 800.0, &association, work),
            measure: Measure::Goodput,
            theirs: vec![self.goodput_mbps_1452B],
            tolerance: if loss1.max(*loss2) > 0.0 { Tolerance::SHARED_BUFFER } else { Tolerance::LOSSLESS },
            is_counted: retransmission != Retransmission::LossRate,
        })
    }
}

fn scheme(protocol: &str, rules: [bool; 3]) -> Result<Scheme, TableError> {
    match protocol {
        "CMT" => Ok(Scheme::Cmt(rules)),
        "AppStripe" => Ok(Scheme::AppStripe),
        "SCTP-single" => Ok(Scheme::Plain),
        other => Err(TableError::Strange { what: format!("protocol {other:?}") }),
    }
}

/// Rows of standard SCTP have none: it stays on its one path.
fn retransmission(number: Option<u8>) -> Result<Retransmission, TableError> {
    let Some(number) = number else { return Ok(Retransmission::Same) };
    let strange = || TableError::Strange { what: format!("eCmtRtxPolicy {number}") };
    Retransmission::of_number(number).ok_or_else(strange)
}
