//! Curves of ns-2's runs, which stand beside ours in the papers' figures. Their tables are part of the program: a figure is
//! run where there is no checkout, too.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::table_error::TableError;

/// Places on an axis, each with a value for each of ns-2's seeds.
pub type Ns2Curve = Vec<(f64, Vec<f64>)>;

/// A table of tests/oracle, with its name for messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct EmbeddedTable {
    name: &'static str,
    text: &'static str,
}

/// Set b.
pub(super) const ONE_PATH: EmbeddedTable = EmbeddedTable {
    name: "b_sctp_throughput.open.csv",
    text: include_str!("../../data/ns2/b_sctp_throughput.open.csv"),
};
const TRANSFERS: EmbeddedTable = EmbeddedTable {
    name: "a_cmt_vs_appstripe.open.csv",
    text: include_str!("../../data/ns2/a_cmt_vs_appstripe.open.csv"),
};
const CHAINS: EmbeddedTable = EmbeddedTable {
    name: "c_berp_plain_cmt.open.csv",
    text: include_str!("../../data/ns2/c_berp_plain_cmt.open.csv"),
};
const STRING: EmbeddedTable =
    EmbeddedTable { name: "ch3_ns2.open.csv", text: include_str!("../../data/ns3/ch3_ns2.open.csv") };

impl EmbeddedTable {
    /// The rows.
    ///
    /// # Errors
    /// One of them is none.
    pub(super) fn rows<R: DeserializeOwned>(self) -> Result<Vec<R>, TableError> {
        let unreadable = |source| TableError::Unreadable { path: self.name.to_owned(), source };
        let mut reader = csv::Reader::from_reader(self.text.as_bytes());
        reader.deserialize().map(|row| row.map_err(unreadable)).collect()
    }
}

/// Transfers of 8 MiB of IY: one curve.
#[derive(Clone, Copy, Debug)]
pub struct Ns2Transfers<'t> {
    /// Which rows of set a, as its column `figure` names them.
    pub figure: &'t str,
    /// `CMT` or `AppStripe`.
    pub protocol: &'t str,
    /// The probability of a loss.
    pub loss: f64,
    /// True if SACKs are delayed.
    pub is_delayed: bool,
}

#[derive(Debug, Deserialize)]
#[allow(non_snake_case, reason = "the columns' names are ns-2's")]
struct TransferRow {
    figure: String,
    protocol: String,
    bw1_mbps: f64,
    bw2_mbps: f64,
    loss1: f64,
    useDelayedSacks: u8,
    initialSsthresh: u32,
    transfer_time_s: f64,
}

impl Ns2Transfers<'_> {
    /// Seconds by B₁ − B₂ in Mbit/s, with an initial ssthresh of 65 536 bytes. ns-2's set-up takes three round trips, ours two.
    ///
    /// # Errors
    /// The table cannot be read.
    pub fn curve(self) -> Result<Ns2Curve, TableError> {
        let is_wanted = |row: &TransferRow| {
            row.figure == self.figure
                && row.protocol == self.protocol
                && row.loss1 == self.loss
                && (row.useDelayedSacks == 1) == self.is_delayed
                && row.initialSsthresh == 65_536
        };
        let rows = TRANSFERS.rows::<TransferRow>()?.into_iter().filter(is_wanted);
        Ok(gathered(rows.map(|row| (row.bw1_mbps - row.bw2_mbps, row.transfer_time_s))))
    }
}

#[derive(Debug, Deserialize)]
struct ChainRow {
    scenario: String,
    config: String,
    mid_loss: f64,
    transfer_time_s: f64,
}

/// Seconds that CMT takes for 60 MiB over BERP's two chains, by the percent that the narrow links lose; `config` is a column of
/// set c. The links have a delay of 5 ms.
///
/// # Errors
/// The table cannot be read.
pub fn chains(config: &str, is_shared: bool) -> Result<Ns2Curve, TableError> {
    let scenario = if is_shared { "B" } else { "A" };
    let rows = CHAINS.rows::<ChainRow>()?.into_iter();
    let wanted = rows.filter(|row| row.scenario == scenario && row.config == config);
    Ok(gathered(wanted.map(|row| ((row.mid_loss * 100.0).round(), row.transfer_time_s))))
}

#[derive(Debug, Deserialize)]
struct StringRow {
    scenario: String,
    short_retry: u32,
    hops: usize,
    window_mtu: f64,
    rts_threshold: u32,
    mean_kbps: f64,
}

/// Throughput over a string of 802.11 stations in kbit/s, without the first second, by the receive window in packets; a
/// station gives up after seven attempts.
///
/// # Errors
/// The table cannot be read.
pub fn string(hops: usize, rts_threshold: u32) -> Result<Ns2Curve, TableError> {
    let is_wanted = |row: &StringRow| {
        row.scenario == "string"
            && row.short_retry == 7
            && row.hops == hops
            && row.rts_threshold == rts_threshold
    };
    let rows = STRING.rows::<StringRow>()?.into_iter().filter(is_wanted);
    Ok(gathered(rows.map(|row| (row.window_mtu, row.mean_kbps))))
}

/// The values of each place, in the order of the places.
fn gathered(values: impl Iterator<Item = (f64, f64)>) -> Ns2Curve {
    let mut curve = Ns2Curve::new();
    for (x, value) in values {
        match curve.iter_mut().find(|(at, _)| *at == x) {
            Some((_, found)) => found.push(value),
            None => curve.push((x, vec![value])),
        }
    }
    curve.sort_by(|one, other| one.0.total_cmp(&other.0));
    curve
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of places and values a curve has.
    fn size(curve: Result<Ns2Curve, TableError>) -> (usize, usize) {
        let curve = curve.expect("the table is in the program");
        (curve.len(), curve.iter().map(|(_, values)| values.len()).sum())
    }

    #[test]
    fn curves_have_the_rows_of_their_tables() {
        let transfers =
            |figure, protocol, loss, is_delayed| Ns2Transfers { figure, protocol, loss, is_delayed };
        assert_eq!(size(transfers("fig4", "CMT", 0.0, true).curve()), (6, 6));
        assert_eq!(size(transfers("fig5", "AppStripe", 0.02, true).curve()), (6, 120));
        assert_eq!(size(transfers("fig5-floor4", "CMT", 0.1, true).curve()), (6, 96));
        assert_eq!(size(transfers("fig6", "CMT", 0.1, true).curve()), (0, 0));
        assert_eq!(size(chains("plain-cmt", false)), (6, 48));
        assert_eq!(size(chains("floor4", true)), (6, 30));
        assert_eq!(size(string(1, 20)), (2, 10));
    }

    #[test]
    fn a_curve_has_the_values_of_its_rows() {
        let curve = Ns2Transfers { figure: "fig4", protocol: "CMT", loss: 0.0, is_delayed: true }.curve();
        assert_eq!(curve.expect("the table is in the program")[0], (0.0, vec![3.567_829]));
    }
}
