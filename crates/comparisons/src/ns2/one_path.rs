//! Throughput of standard SCTP over one path by ns-2 (set b), read from its table for other studies.

use serde::Deserialize;

use super::curves::ONE_PATH;
use super::table_error::TableError;

/// The loss rule of ns-2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ns2Losses {
    /// Each independently.
    Independent,
    /// After a lost packet all that come within U(0, 1) of a round are lost too.
    Bursts,
}

/// A point of the table, with a SACK for each packet and time-outs of 1 s at least.
#[derive(Clone, Debug, PartialEq)]
pub struct OnePathPoint {
    /// Which figure of WS it belongs to: `fig5` to `fig8`.
    pub figure: String,
    /// p.
    pub loss: f64,
    /// Mbit/s.
    pub rate: f64,
    /// There and back, in ms.
    pub delay: f64,
    /// KiB.
    pub buffer: f64,
    /// In Mbit/s of packets of 1,500 bytes, one value a seed.
    pub throughput: Vec<f64>,
}

#[derive(Debug, Deserialize)]
#[allow(non_snake_case, reason = "the columns' names are ns-2's")]
struct OnePathRow {
    figure: String,
    p: f64,
    b_mbps: f64,
    d_ms: f64,
    rbuf_kib: f64,
    useDelayedSacks: u8,
    throughput_mbps_1500B: f64,
}

/// The points with losses of this kind.
///
/// # Errors
/// The table cannot be read.
pub fn one_path(losses: Ns2Losses) -> Result<Vec<OnePathPoint>, TableError> {
    let mut points: Vec<OnePathPoint> = Vec::new();
    for row in ONE_PATH.rows::<OnePathRow>()? {
        let figure = match losses {
            Ns2Losses::Independent => row.figure.as_str(),
            Ns2Losses::Bursts => row.figure.strip_suffix("-corr").unwrap_or_default(),
        };
        if row.useDelayedSacks == 1 || figure.is_empty() || figure.contains('-') {
            continue;
        }
        let point = OnePathPoint {
            figure: figure.to_owned(),
            loss: row.p,
            rate: row.b_mbps,
            delay: row.d_ms,
            buffer: row.rbuf_kib,
            throughput: Vec::new(),
        };
        let same =
            points.iter().position(|other| OnePathPoint { throughput: Vec::new(), ..other.clone() } == point);
        let index = same.unwrap_or(points.len());
        if same.is_none() {
            points.push(point);
        }
        points[index].throughput.push(row.throughput_mbps_1500B);
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_point_of_the_table_has_eight_seeds() {
        for losses in [Ns2Losses::Independent, Ns2Losses::Bursts] {
            let points = one_path(losses).expect("the table is there");
            assert!(points.iter().all(|point| point.throughput.len() == 8), "{losses:?}");
            assert!(points.iter().all(|point| point.figure.len() == 4), "{losses:?}");
        }
    }

    #[test]
    fn both_kinds_of_loss_are_distinguished() {
        let centre = |losses| {
            let points = one_path(losses).expect("the table is there");
            let centre = points.iter().find(|point| point.figure == "fig8" && point.buffer == 128.0);
            centre.expect("it is in the table").throughput.iter().sum::<f64>() / 8.0
        };
        let (independent, bursts) = (centre(Ns2Losses::Independent), centre(Ns2Losses::Bursts));
        assert!(independent > 11.5 && bursts < 11.5, "{independent} and {bursts}");
    }
}
