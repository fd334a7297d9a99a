//! Links that fall silent, all at once or one of them, and work again: how long the transfer stands still, and the time until it
//! is as fast as before. Whatever schedules it, and however small the peer's buffer is.

use std::fmt::Write;

use crate::worlds::{only, run, scenario};
use anabranch_sim::result::FlowResult;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed};
use rayon::prelude::*;

/// Two links, and when each of them is silent.
#[derive(Clone, Debug)]
struct Outage {
    /// Milliseconds, one way.
    delays: [f64; 2],
    /// For each link, from when until when it is silent, in milliseconds.
    silent: [Option<(u64, u64)>; 2],
    direction: &'static str,
    sctp: String,
}

const RATES: [f64; 2] = [20.0, 8.0];
/// Packets that wait before a link.
const QUEUE: f64 = 100.0;

impl Outage {
    /// A transfer of 12 MB, which takes 3.7 s over both links.
    fn transfer(&self, is_silent: bool) -> FlowResult {
        let mut text = String::from("[run]\ntime = \"120 s\"\n");
        for (index, (rate, delay)) in RATES.iter().zip(self.delays).enumerate() {
            let _ = write!(
                text,
                "[[link]]\nname = \"{index}\"\nrate = \"{rate} Mbit/s\"\ndelay = \"{delay} ms\"\nqueue = \"{QUEUE} packets\"\n"
            );
        }
        let silent = self.silent.iter().enumerate().filter(|_| is_silent);
        for (index, span) in silent.filter_map(|(index, span)| Some((index, (*span)?))) {
            for (at, state) in [(span.0, "down"), (span.1, "up")] {
                let direction = self.direction;
                let _ = write!(
                    text,
                    "[[event]]\nat = \"{at} ms\"\nlink = \"{index}\"\nstate = \"{state}\"\ndirection = \"{direction}\"\n"
                );
            }
        }
        let _ = write!(text, "[[flow]]\ntransfer = \"12 MB\"\n[flow.sctp]\n{}", self.sctp);
        only(&run(&scenario(&text), 1)).clone()
    }

    /// The longest round trip, with a full queue, in seconds.
    fn round_trip(&self) -> f64 {
        let of = |(rate, delay): (&f64, f64)| 2.0 * delay / 1e3 + QUEUE * 1_500.0 * 8.0 / (rate * 1e6);
        RATES.iter().zip(self.delays).map(of).fold(0.0, f64::max)
    }

    /// From when until when no link works, or the only one that falls silent does not, in seconds: its length.
    fn length(&self) -> f64 {
        let spans: Vec<(u64, u64)> = self.silent.iter().copied().flatten().collect();
        let ends = spans.iter().map(|span| span.1).min().unwrap_or(0);
        (ends - spans.iter().map(|span| span.0).max().unwrap_or(0)) as f64 / 1e3
    }

    /// For how long one of the links is silent at least.
    fn whole_length(&self) -> f64 {
        self.silent.iter().flatten().map(|span| (span.1 - span.0) as f64 / 1e3).fold(0.0, f64::max)
    }

    /// Half a second until the next probe, and a round trip for it and the data behind it. Small buffers let some schedulers
    /// stand still without any outage.
    fn judge(&self) -> Result<(), String> {
        let (usual, flow) = (self.transfer(false), self.transfer(true));
        let (stall, usual_stall) = (flow.longest_stall.as_secs_f64(), usual.longest_stall.as_secs_f64());
        let bound = (self.length() + 0.5 + self.round_trip()).max(1.2 * usual_stall);
        if stall > bound {
            return Err(format!("stands still for {stall} s instead of {bound}: {self:#?}"));
        }
        let seconds =
            |flow: &FlowResult| flow.completion.map_or(120.0, anabranch_base::Duration::as_secs_f64);
        // Windows begin anew at one packet, and the links are not full for some round trips.
        let starts = 1.5 + 5.0 * self.round_trip();
        let (took, bound) = (seconds(&flow), 1.25 * seconds(&usual) + self.whole_length() + starts);
        if took > bound { Err(format!("takes {took} s instead of {bound}: {self:#?}")) } else { Ok(()) }
    }
}

fn outage() -> impl Strategy<Value = Outage> {
    let delays = [select(vec![0.1, 5.0, 10.0, 25.0, 50.0]), select(vec![0.1, 5.0, 15.0, 25.0, 50.0])];
    let direction = select(vec!["both", "forward", "reverse"]);
    let silent = (1_000_u64..3_000, 300_u64..8_000, 0_usize..5).prop_map(|(from, length, which)| {
        let (to, later) = (from + length, from + length + 2_000);
        match which {
            0 => [Some((from, to)), None],
            1 => [None, Some((from, to))],
            2 => [Some((from, to)), Some((from, later))],
            3 => [Some((from, later)), Some((from, to))],
            _ => [Some((from, to)); 2],
        }
    });
    (delays, direction, silent, sctp()).prop_map(|(delays, direction, silent, sctp)| Outage {
        delays,
        silent,
        direction,
        sctp,
    })
}

fn sctp() -> impl Strategy<Value = String> {
    let schedulers = "primary round-robin fill lowest-rtt in-order-arrival window-regulated ecf blest xlink ods bas reception-index";
    let buffers = select(vec!["64 KiB", "128 KiB", "256 KiB", "1 MiB", "4 MiB", "16 MiB"]);
    let profiles = select(vec!["tuned-1", "tuned-2"]);
    (profiles, select(schedulers.split(' ').collect::<Vec<_>>()), buffers).prop_map(
        |(profile, scheduler, buffer)| {
            // The losses that tuned-1 counts are those of chunks that leave in the order of their TSNs.
            let profile = if scheduler == "in-order-arrival" { "tuned-2" } else { profile };
            format!("profile = \"{profile}\"\nscheduler = \"{scheduler}\"\nreceive_buffer = \"{buffer}\"\n")
        },
    )
}

/// The number of outages: `ANABRANCH_OUTAGES` for more.
fn cases() -> u32 {
    std::env::var("ANABRANCH_OUTAGES").ok().and_then(|text| text.parse().ok()).unwrap_or(24)
}

/// The usual draws are the same in every run; `ANABRANCH_OUTAGES` draws others.
///
/// The property has exceptions under `tuned-1`: of a thousand outages at random, one or so lasts a third of a second longer.
fn draws() -> Config {
    let is_usual = std::env::var_os("ANABRANCH_OUTAGES").is_none();
    let rng_seed = if is_usual { RngSeed::Fixed(1) } else { RngSeed::Random };
    Config { cases: cases(), rng_seed, failure_persistence: None, ..Config::default() }
}

proptest! {
    #![proptest_config(draws())]

    #[test]
    fn an_outage_costs_its_time_and_a_probe_more_and_what_waits_in_the_peers_buffer_is_repaired_at_once(outage in outage()) {
        prop_assert_eq!(outage.judge(), Ok(()));
    }
}

/// Half of what was on its way is lost, the other half waits at the peer: 2 s of silence once left ten packets a second.
#[test]
fn a_full_buffer_of_the_peer_is_emptied_within_a_round_trip_after_an_outage() {
    let sctp = [
        "profile = \"tuned-2\"",
        "profile = \"tuned-1\"",
        "profile = \"tuned-2\"\nscheduler = \"round-robin\"",
        "profile = \"tuned-2\"\nreceive_buffer = \"64 KiB\"",
        "profile = \"tuned-2\"\nreceive_buffer = \"16 MiB\"",
    ];
    let runs: Vec<(&str, u64)> =
        sctp.iter().flat_map(|sctp| [1_200, 1_600].map(|from| (*sctp, from))).collect();
    runs.par_iter().for_each(|&(sctp, from)| {
        let silent = [Some((from, from + 2_000)); 2];
        let outage = Outage { delays: [5.0; 2], silent, direction: "forward", sctp: sctp.to_owned() };
        assert_eq!(outage.judge(), Ok(()));
    });
}

/// The chunk that all others wait for was in flight on a path whose time-out had grown to eighteen seconds.
#[test]
fn a_long_outage_stalls_a_transfer_for_no_longer_than_a_short_one_afterwards() {
    let runs: Vec<(f64, u64)> =
        [0.1, 5.0].iter().flat_map(|delay| [3_500, 5_000, 8_000, 12_000].map(|ms| (*delay, ms))).collect();
    runs.par_iter().for_each(|&(delay, length)| {
        let silent = [Some((2_400, 2_400 + length)); 2];
        let sctp = "profile = \"tuned-2\"\nencapsulation = \"sealed\"\n".to_owned();
        let outage = Outage { delays: [delay; 2], silent, direction: "forward", sctp };
        assert_eq!(outage.judge(), Ok(()));
    });
}

/// Faults that the random outages found, and their causes.
#[test]
fn outages_that_once_lasted_longer_are_over_in_time() {
    let both = |ends: [u64; 2]| ends.map(|end| Some((1_000, end)));
    let cases = [
        // Probes of the packet size that left in the silence made a path narrow after it; chunks that were bound to that path
        // did not fit it, and were not acknowledged.
        ([50.0, 50.0], both([5_000, 7_000]), "reverse", "profile = \"tuned-2\"\nscheduler = \"bas\""),
        // The losses of the outage made the quick path dearer than the slow one, which kept the whole buffer.
        (
            [10.0, 50.0],
            [Some((1_000, 2_175)), None],
            "both",
            "profile = \"tuned-2\"\nreceive_buffer = \"64 KiB\"",
        ),
        // An idle path had no round trip, and its timer ran for a second when the first probe was answered.
        (
            [5.0, 0.1],
            both([3_300, 1_300]),
            "both",
            "profile = \"tuned-1\"\nscheduler = \"primary\"\nreceive_buffer = \"64 KiB\"",
        ),
        // Where no path was active, SACKs left on another path than the one that carried data again.
        (
            [0.1, 25.0],
            [9_545, 7_545].map(|end| Some((1_272, end))),
            "both",
            "profile = \"tuned-2\"\nscheduler = \"round-robin\"\nreceive_buffer = \"1 MiB\"",
        ),
    ];
    cases.par_iter().for_each(|(delays, silent, direction, sctp)| {
        let outage = Outage { delays: *delays, silent: *silent, direction, sctp: (*sctp).to_owned() };
        assert_eq!(outage.judge(), Ok(()));
    });
}
