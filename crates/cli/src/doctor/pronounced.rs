//! The judgement: the findings, each with what the simulator promises of its remedy.

use anabranch_base::Duration;
use anabranch_bench::control;
use anabranch_diagnose::recording::{End, EndLane, Flight, Lane, Recording};
use anabranch_diagnose::{
    Direction, DirectionEstimate, Evidence, Finding, LaneSeen, Limits, LinkEstimate, LinkStatus, Promise,
    findings, with_promises,
};
use anabranch_net::Config;
use anabranch_twin::WhatIf;

use super::simulated::Simulated;
use super::tests_of_bond::Bond;
use crate::arguments::DoctorArguments;
use crate::failure::printable;
use crate::remedies::option;

/// The findings, and what is printed of them.
#[derive(Clone, Debug)]
pub(super) struct Pronounced {
    /// The findings, the dearest first.
    pub findings: Vec<Finding>,
    /// Each as a sentence.
    pub sentences: Vec<String>,
    /// The printed text.
    pub text: String,
}

/// Judges what was seen.
pub(super) fn of(
    recording: &Recording,
    links: &[LinkEstimate],
    bond: &Bond,
    simulated: Option<&Simulated>,
    config: &Config,
    arguments: &DoctorArguments,
) -> Pronounced {
    let found = findings(&evidence(recording, links, bond, config));
    let promised = |is_forward: bool| {
        let directions = simulated.map(|simulated| &simulated.directions[..]).unwrap_or_default();
        let direction = directions.iter().find(|direction| direction.is_forward == is_forward);
        direction.map_or(Vec::new(), |direction| direction.changes.changes.iter().map(promise).collect())
    };
    let [there, back] = [true, false].map(promised);
    let findings: Vec<Finding> = found
        .into_iter()
        .flat_map(|finding| {
            let promises = if finding.direction == Some(Direction::Reverse) { &back } else { &there };
            with_promises(vec![finding], promises)
        })
        .collect();
    let sentences: Vec<String> = findings.iter().map(|finding| finding.text(option)).collect();
    let text = text(&findings, &sentences, arguments.output.verbose)
        + &unknown(links)
        + &without_disk(recording, arguments);
    Pronounced { findings, sentences, text }
}

fn text(findings: &[Finding], sentences: &[String], is_verbose: bool) -> String {
    if findings.is_empty() {
        return "healthy: nothing was found that slows the bond\n".to_owned();
    }
    let mut text = String::from("\nfindings, the dearest first:\n");
    for (finding, sentence) in findings.iter().zip(sentences) {
        text.push_str(&format!("- {sentence}\n"));
        if is_verbose {
            finding.evidence.iter().for_each(|line| text.push_str(&format!("    {line}\n")));
        }
    }
    text
}

/// The links and directions that could not be judged, so that they are not taken for healthy.
fn unknown(links: &[LinkEstimate]) -> String {
    let unjudged = |link: &LinkEstimate| {
        let lacks = |direction: &DirectionEstimate| direction.rate_bps.is_none();
        match (lacks(&link.forward), lacks(&link.reverse)) {
            (true, true) => Some("each way"),
            (true, false) => Some("there"),
            (false, true) => Some("back"),
            (false, false) => None,
        }
    };
    let measured = links.iter().filter(|link| link.status == LinkStatus::Measured);
    let lines = measured.filter_map(|link| {
        Some(format!(
            "the rate of {} {} is not known: test packets did not fill it\n",
            printable(&link.name),
            unjudged(link)?
        ))
    });
    lines.collect()
}

/// The folder whose disk was to be measured here and could not be.
fn without_disk(recording: &Recording, arguments: &DoctorArguments) -> String {
    let folder = arguments.disk.as_ref().filter(|_| recording.here.disk_write.is_none());
    folder.map_or(String::new(), |folder| {
        let folder = printable(&folder.display().to_string());
        format!("the disk of {folder} is not known: it has less than 256 MB left, or took nothing for 2 s\n")
    })
}

/// The evidence of the measurement.
fn evidence(recording: &Recording, links: &[LinkEstimate], bond: &Bond, config: &Config) -> Evidence {
    let [forward, reverse] = bond.transfers(config, &recording.lanes);
    Evidence {
        links: links.to_vec(),
        lanes: recording.lanes.iter().enumerate().map(|(index, lane)| seen(recording, index, lane)).collect(),
        forward,
        reverse,
        here: Limits {
            control: Some(control(&config.congestion_control)),
            sack_every: Some(config.sack.every),
            heartbeat_s: heartbeat(config),
            arrived_datagrams: Some(arrived(recording, |lane| &lane.reverse)),
            ..limits(&recording.here)
        },
        there: Limits {
            arrived_datagrams: Some(arrived(recording, |lane| &lane.forward)),
            ..limits(&recording.there)
        },
    }
}

fn seen(recording: &Recording, index: usize, lane: &Lane) -> LaneSeen {
    let ends =
        [&recording.here, &recording.there].map(|end| end.lanes.get(index).cloned().unwrap_or_default());
    let [here, there] = &ends;
    let seconds = length(lane).as_secs_f64();
    let rate =
        |end: &EndLane| end.others_bytes.filter(|_| seconds > 0.0).map(|bytes| bytes as f64 * 8.0 / seconds);
    LaneSeen {
        name: lane.name.clone(),
        local: lane.local.clone(),
        interface: lane.interface.clone(),
        carried_by: lane.carried_by.clone(),
        forgot_within_s: lane.forgot_within.map(Duration::as_secs_f64),
        others_bps: rate(here),
        interface_there: there.interface.clone(),
        others_there_bps: rate(there),
    }
}

/// The period of this end's HEARTBEATs; `None` if it sends none.
fn heartbeat(config: &Config) -> Option<f64> {
    let period = config.failover.heartbeat;
    (period != Duration::MAX).then(|| period.as_secs_f64())
}

/// The time of a measurement: from the first to the last round trip.
fn length(lane: &Lane) -> Duration {
    let times = || lane.round_trips.iter().map(|one| one.at);
    times().max().zip(times().min()).map_or(Duration::ZERO, |(last, first)| last.since(first))
}

/// The number of test packets that arrived.
fn arrived(recording: &Recording, flights: impl Fn(&Lane) -> &[Flight]) -> u64 {
    let packets = recording.lanes.iter().flat_map(flights).flat_map(|flight| &flight.packets);
    packets.filter(|packet| packet.arrived.is_some()).count() as u64
}

fn limits(end: &End) -> Limits {
    Limits {
        receive_buffer_bytes: Some(end.receive_buffer_limit.get()).filter(|bytes| *bytes > 0),
        send_buffer_bytes: Some(end.send_buffer.get()).filter(|bytes| *bytes > 0),
        processor_share: Some(end.processor_share),
        lateness_s: Some(end.lateness_p99.as_secs_f64()),
        least_sent_share: Some(end.least_sent_share),
        socket_drops: end.socket_drops,
        disk_write_bps: end.disk_write.map(|rate| rate.bits_per_second() as f64),
        ..Limits::default()
    }
}

fn promise(change: &WhatIf) -> Promise {
    Promise {
        set: change.set.clone(),
        goodput_bps: change.outcome.goodput_bps,
        gain_bps: change.gain_bps,
        echo_change_s: change.echo_change_s,
    }
}
