//! Two links of equal rate that nothing else but a few datagrams crosses: their queues rise alike, and are not one.

use anabranch_base::Time;
use anabranch_runs::grid::{GridError, GridPoint, fault, parse};
use anabranch_runs::processors::on_all;
use anabranch_scenario::Scenario;
use anabranch_sim::{Run, Watch};
use rayon::prelude::*;

use super::network::control_keys;
use super::rfc8382::SummaryDetector;

/// The result over two equal links with one seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EqualLinks {
    /// The seed of the run.
    pub seed: u64,
    /// True if `coupled = "auto"` took the two for one after 10 s.
    pub is_mistaken: bool,
    /// True if RFC 8382 takes them for one then.
    pub is_mistaken_by_rfc8382: bool,
    /// The change by coupling, as a fraction of the goodput without it.
    pub change: f64,
}

impl EqualLinks {
    /// The runs with the seeds 1 to `seeds` under `control`.
    ///
    /// # Errors
    /// The scenario cannot be run.
    pub(crate) fn all(seeds: u64, control: &str) -> Result<Vec<EqualLinks>, GridError> {
        on_all(|| (1..=seeds).into_par_iter().map(|seed| EqualLinks::of(seed, control)).collect())?
    }

    fn of(seed: u64, control: &str) -> Result<EqualLinks, GridError> {
        let (is_mistaken_by_rfc8382, off) = run_off(control, seed)?;
        let (is_mistaken, auto) = run_auto(control, seed)?;
        Ok(EqualLinks { seed, is_mistaken, is_mistaken_by_rfc8382, change: auto / off - 1.0 })
    }
}

/// Without coupling: whether RFC 8382 takes the links for one after 10 s, and what is carried in bit/s.
fn run_off(control: &str, seed: u64) -> Result<(bool, f64), GridError> {
    let (scenario, mut run) = begin("off", control, seed, Watch { packets: true, ..Watch::default() })?;
    let mut detector = SummaryDetector::new(&scenario.flows[0]);
    detector.watch(&mut run, JUDGED);
    let is_mistaken = detector.shares_with().iter().any(Option::is_some);
    let limit = run.limit();
    detector.watch(&mut run, limit);
    Ok((is_mistaken, run.finish().flows[0].goodput_bps))
}

/// With coupling: whether that takes the links for one after 10 s, and what is carried in bit/s.
fn run_auto(control: &str, seed: u64) -> Result<(bool, f64), GridError> {
    let (_, mut run) = begin("auto", control, seed, Watch::default())?;
    run.advance(JUDGED.since(run.now()));
    let is_mistaken = run.shared_bottlenecks(0).iter().any(Option::is_some);
    run.advance(run.limit().since(run.now()));
    Ok((is_mistaken, run.finish().flows[0].goodput_bps))
}

fn begin(coupled: &str, control: &str, seed: u64, watch: Watch) -> Result<(Scenario, Run), GridError> {
    let point = GridPoint { scenario: scenario(coupled, control), seeds: seed..seed + 1 };
    let scenario = parse(&point)?;
    let run = Run::new(&scenario, seed, watch).map_err(|error| fault(&point, &error))?;
    Ok((scenario, run))
}

/// 10 Mbit/s, 60 packets, round trips of 40 and 60 ms, and 3 % of datagrams on each.
fn scenario(coupled: &str, control: &str) -> String {
    let link = |name: &str, delay_ms: u32| {
        format!(
            "[[link]]\nname = \"{name}\"\nrate = \"10 Mbit/s\"\ndelay = \"{delay_ms} ms\"\nqueue = \"60 packets\"\n\
             [[path]]\nname = \"path-{name}\"\nlinks = [\"{name}\"]\n"
        )
    };
    let noise = |name: &str| {
        format!(
            "[[flow]]\nname = \"noise-{name}\"\nprotocol = \"udp\"\npaths = [\"path-{name}\"]\n\
             traffic = {{ kind = \"poisson\", rate = \"300 kbit/s\", message = \"600 B\" }}\n"
        )
    };
    format!(
        "run = {{ time = \"60 s\", warmup = \"5 s\" }}\n{}{}\
         [[flow]]\nname = \"main\"\npaths = [\"path-one\", \"path-two\"]\n[flow.sctp]\nprofile = \"rfc9260\"\n\
         multipath = \"cmt\"\nreceive_buffer = \"4 MiB\"\nsend_buffer = \"4 MiB\"\ncoupled = \"{coupled}\"\n\
         {}{}{}",
        link("one", 20),
        link("two", 30),
        control_keys(control),
        noise("one"),
        noise("two"),
    )
}

/// When it is judged whether the links are taken for one.
const JUDGED: Time = Time::from_nanos(10_000_000_000);
