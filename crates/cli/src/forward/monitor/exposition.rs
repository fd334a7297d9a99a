//! The metrics of the program in the text format of Prometheus. Names have their base unit, counters end with `_total`, and
//! labels are links, clients and words: no flow, destination or address has one.

use std::collections::BTreeMap;

use anabranch_base::setting::Named as _;
use anabranch_forward::{Carried, ClientReport, LedgerReport};
use anabranch_net::{PathReport, PathState, interfaces};
use prometheus::core::{AtomicF64, AtomicU64, Collector, GenericCounterVec, GenericGaugeVec};
use prometheus::{Error, Opts, Registry, TextEncoder};

use super::Monitor;
use super::bonds::{Link, OpenBond};
use super::ends::Ends;

/// The page.
///
/// # Errors
/// A name or label that the format does not permit.
pub(super) fn text(monitor: &Monitor) -> Result<String, String> {
    written(monitor).map_err(|error| format!("the metrics cannot be written: {error}"))
}

fn written(monitor: &Monitor) -> Result<String, Error> {
    let families = Families(Registry::new());
    let role = if monitor.serves { "destinations" } else { "programs" };
    let info = families.gauge("build_info", "The version and the end of the bond.", &["version", "role"])?;
    info.get_metric_with_label_values(&[env!("CARGO_PKG_VERSION"), role])?.set(1.0);
    let uptime = families.gauge("uptime_seconds", "The time since the program was started.", &[])?;
    uptime.get_metric_with_label_values::<&str>(&[])?.set(monitor.since.elapsed().as_secs_f64());
    let links = monitor.bonds.links();
    families.links(&links)?;
    families.bonds(monitor, &links)?;
    families.flows(&monitor.ledger.report(&monitor.ledger.sample(), 0))?;
    TextEncoder::new().encode_to_string(&families.0.gather())
}

/// The families of metrics of one page.
struct Families(Registry);

type Counters = GenericCounterVec<AtomicU64>;
type Gauges = GenericGaugeVec<AtomicF64>;

impl Families {
    fn counter(&self, name: &str, help: &str, labels: &[&str]) -> Result<Counters, Error> {
        self.register(Counters::new(Opts::new(format!("{PREFIX}{name}"), help), labels)?)
    }

    fn gauge(&self, name: &str, help: &str, labels: &[&str]) -> Result<Gauges, Error> {
        self.register(Gauges::new(Opts::new(format!("{PREFIX}{name}"), help), labels)?)
    }

    fn register<C: Collector + Clone + 'static>(&self, family: C) -> Result<C, Error> {
        self.0.register(Box::new(family.clone()))?;
        Ok(family)
    }

    fn links(&self, links: &[Link]) -> Result<(), Error> {
        let labels = ["link", "role"];
        let bytes = self.counter(
            "link_bytes_total",
            "The bytes of IP packets on a link of this host, with headers, copies and probes.",
            &["link", "role", "direction"],
        )?;
        let limit = self.gauge("link_limit_bytes", "The limit of a link's bytes, for each bond.", &labels)?;
        let used = self.gauge(
            "link_limit_used_bytes",
            "The bytes of a link that count against its limit.",
            &labels,
        )?;
        for link in links {
            let (name, role) = (link.name.as_str(), link.role.word());
            for (direction, count) in [("sent", link.sent), ("received", link.received)] {
                bytes.get_metric_with_label_values(&[name, role, direction])?.inc_by(count.get());
            }
            if let Some(most) = link.most {
                limit.get_metric_with_label_values(&[name, role])?.set(most.get() as f64);
                used.get_metric_with_label_values(&[name, role])?.set(link.used.get() as f64);
            }
        }
        Ok(())
    }

    fn bonds(&self, monitor: &Monitor, links: &[Link]) -> Result<(), Error> {
        let bonds = self.gauge("bonds", "The open bonds of a client.", &["client"])?;
        let opened = self.counter("bonds_opened_total", "The bonds since the start.", &[])?;
        opened.get_metric_with_label_values::<&str>(&[])?.inc_by(monitor.bonds.opened());
        let resent = self.counter(
            "retransmitted_chunks_total",
            "The chunks of data that were sent again on the paths of a client.",
            &["client"],
        )?;
        let timeouts = self.counter(
            "retransmission_timeouts_total",
            "The expiries of retransmission timers on the paths of a client.",
            &["client"],
        )?;
        for (client, losses) in monitor.bonds.losses() {
            bonds.get_metric_with_label_values(&[&client])?;
            resent.get_metric_with_label_values(&[&client])?.inc_by(losses.retransmitted_chunks);
            timeouts.get_metric_with_label_values(&[&client])?.inc_by(losses.timeouts);
        }
        let open = monitor.bonds.open();
        for bond in &open {
            bonds.get_metric_with_label_values(&[&bond.client])?.inc();
        }
        self.paths(&open, links)
    }

    fn paths(&self, open: &[OpenBond], links: &[Link]) -> Result<(), Error> {
        let labels = ["client", "link"];
        let paths = self.gauge(
            "paths",
            "The paths of a client from a link, by their state.",
            &["client", "link", "state"],
        )?;
        let windows = self.gauge(
            "congestion_window_bytes",
            "The congestion windows of a client's paths from a link.",
            &labels,
        )?;
        let round_trips = self.gauge(
            "round_trip_seconds",
            "The shortest of the smoothed round-trip times of a client's paths from a link.",
            &labels,
        )?;
        let known = interfaces().unwrap_or_default();
        let ends = Ends { links, known: &known };
        let mut shortest: BTreeMap<[String; 2], f64> = BTreeMap::new();
        for (bond, path) in
            open.iter().flat_map(|bond| bond.paths().into_iter().map(move |path| (bond, path)))
        {
            let link = ends.link_of(&path).unwrap_or_default();
            for state in STATES {
                let is_it = f64::from(u8::from(state == path.sample.state));
                paths.get_metric_with_label_values(&[&*bond.client, link, state.name()])?.add(is_it);
            }
            windows.get_metric_with_label_values(&[&*bond.client, link])?.add(path.sample.cwnd.get() as f64);
            if let Some(rtt) = round_trip(&path) {
                let least = shortest.entry([bond.client.to_string(), link.to_owned()]).or_insert(rtt);
                *least = least.min(rtt);
            }
        }
        for (labels, rtt) in shortest {
            round_trips.get_metric_with_label_values(&labels)?.set(rtt);
        }
        Ok(())
    }

    fn flows(&self, report: &LedgerReport) -> Result<(), Error> {
        let open = self.gauge("flows", "The open flows of a client.", &["client"])?;
        let opened =
            self.counter("flows_opened_total", "The flows that were opened.", &["client", "kind"])?;
        let broken = self.counter(
            "flows_broken_total",
            "The connections that ended before both directions had finished.",
            &["client"],
        )?;
        let refused = self.counter(
            "flows_refused_total",
            "The flows that were not opened, by the reason.",
            &["client", "reason"],
        )?;
        let bytes = self.counter(
            "flow_bytes_total",
            "The bytes of programs: sent to the other end of the bond, and received from it.",
            &["client", "direction"],
        )?;
        for ClientReport { name, open: count, totals, .. } in &report.clients {
            let name = &**name;
            open.get_metric_with_label_values(&[name])?.set(*count as f64);
            for (kind, count) in totals.opened() {
                opened.get_metric_with_label_values(&[name, kind.word()])?.inc_by(count);
            }
            broken.get_metric_with_label_values(&[name])?.inc_by(totals.broken);
            for (reply, count) in totals.refused() {
                refused.get_metric_with_label_values(&[name, reply.word()])?.inc_by(count);
            }
            let Carried { sent, received } = totals.carried;
            for (direction, count) in [("sent", sent), ("received", received)] {
                bytes.get_metric_with_label_values(&[name, direction])?.inc_by(count.get());
            }
        }
        Ok(())
    }
}

fn round_trip(path: &PathReport) -> Option<f64> {
    path.sample.srtt.map(anabranch_base::Duration::as_secs_f64)
}

/// The states of paths that exist.
const STATES: [PathState; 6] = [
    PathState::Unconfirmed,
    PathState::Active,
    PathState::Spare,
    PathState::Standby,
    PathState::PotentiallyFailed,
    PathState::Inactive,
];
const PREFIX: &str = "anabranch_";
