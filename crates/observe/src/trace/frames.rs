//! The table `frames`: what happened in the meshes of radio stations.

use anabranch_base::Time;
use anabranch_link::fabric::Station;
use anabranch_sim::observe::{FrameEvent, FrameKind, FrameSeen, MeshEvent, RoutingEvent};

use super::columns::{Column, ColumnRow, column, show, worded};
use crate::names::Names;
use crate::words::{Seconds, frame_kind};

type Row = ColumnRow<FrameEvent>;

/// A row at the end of each frame on air, and for each event of routing.
pub const FRAMES: &[Column<Row>] = &[
    column("at_s", "s", "since the start of the run: the end of a frame, or when routing did something", at),
    column("radio", "", "which radio", |row, names, out| out.push_str(names.radio(row.seen.radio))),
    worded(
        "what",
        "a frame on air, by its kind, or what routing did: {words}",
        || FrameKind::ALL.map(frame_kind).into_iter().chain(ROUTING).map(str::to_owned).collect(),
        |row, _, out| out.push_str(what(&row.seen.event)),
    ),
    column("station", "", "the station that sent the frame, or at which it happened", |row, names, out| {
        out.push_str(names.node(stations(&row.seen.event).0.index()));
    }),
    column(
        "to",
        "",
        "the station that the frame is for, or that routing is about; empty for broadcasts",
        |row, names, out| {
            out.push_str(stations(&row.seen.event).1.map_or("", |station| names.node(station.index())));
        },
    ),
    column("start_s", "s", "the begin of the frame", |row, _, out| {
        of_frame(row, |frame| show(out, Seconds::from(frame.start)));
    }),
    column("size_bytes", "B", "from the MAC header to the FCS", |row, _, out| {
        of_frame(row, |frame| show(out, frame.size.get()));
    }),
    column("retry", "", "whether it was sent before", |row, _, out| {
        of_frame(row, |frame| show(out, frame.is_retry));
    }),
    column(
        "received",
        "",
        "the stations that received it, whether or not it was for them",
        |row, names, out| {
            of_frame(row, |frame| list(&frame.received, names, out));
        },
    ),
    column("collided", "", "the stations at which other frames destroyed it", |row, names, out| {
        of_frame(row, |frame| list(&frame.collided, names, out));
    }),
];

/// The words for events of routing: a broken link is what a route error tells.
const ROUTING: [&str; 4] = ["link-failure", "discovery", "route-found", "broken-link"];

fn at(row: &Row, _: &Names, out: &mut String) {
    let at: Time = row.at;
    show(out, Seconds::from(at));
}

fn what(event: &MeshEvent) -> &'static str {
    match event {
        MeshEvent::Frame(frame, _) => frame_kind(frame.kind),
        MeshEvent::Routing(RoutingEvent::LinkFailure { .. }) => ROUTING[0],
        MeshEvent::Routing(RoutingEvent::DiscoveryStarted { .. }) => ROUTING[1],
        MeshEvent::Routing(RoutingEvent::RouteFound { .. }) => ROUTING[2],
        MeshEvent::Routing(RoutingEvent::RouteError { .. }) => ROUTING[3],
    }
}

/// Where it happened, and whom it is for or about.
fn stations(event: &MeshEvent) -> (Station, Option<Station>) {
    match event {
        MeshEvent::Frame(frame, _) => (frame.from, frame.to),
        MeshEvent::Routing(RoutingEvent::LinkFailure { station, next, .. }) => (*station, Some(*next)),
        MeshEvent::Routing(RoutingEvent::DiscoveryStarted { station, target, .. }) => {
            (*station, Some(*target))
        }
        MeshEvent::Routing(RoutingEvent::RouteFound { station, route, .. }) => {
            (*station, route.last().copied())
        }
        MeshEvent::Routing(RoutingEvent::RouteError { station, broken, .. }) => (*station, Some(broken[1])),
    }
}

fn of_frame(row: &Row, write: impl FnOnce(&FrameSeen)) {
    if let MeshEvent::Frame(frame, _) = &row.seen.event {
        write(frame);
    }
}

fn list(stations: &[Station], names: &Names, out: &mut String) {
    let all: Vec<&str> = stations.iter().map(|station| names.node(station.index())).collect();
    out.push_str(&all.join(" "));
}
