//! The table `frames`: the events in the meshes of radio stations.

use anabranch_link::fabric::Station;
use anabranch_sim::observe::{FrameEvent, FrameKind, FrameSeen, MeshEvent, RoutingEvent};

use super::cell::Cell;
use super::columns::{Column, ColumnRow, number, text, truth, whole, worded};
use crate::names::Names;
use crate::words::frame_kind;

type Row = ColumnRow<FrameEvent>;

/// A row at the end of each frame on air, and for each event of routing.
pub(crate) const FRAMES: &[Column<Row>] = &[
    number(
        "at_s",
        "s",
        "since the start of the run: the end of a frame, or when routing did something",
        |row, _| Cell::seconds(row.at),
    ),
    text("radio", "which radio", |row, names| Cell::text(names.radio(row.seen.radio))),
    worded(
        "what",
        "a frame on air, by its kind, or what routing did: {words}",
        || FrameKind::ALL.map(frame_kind).into_iter().chain(ROUTING).map(str::to_owned).collect(),
        |row, _| Cell::text(what(&row.seen.event)),
    ),
    text("station", "the station that sent the frame, or at which it happened", |row, names| {
        Cell::text(names.node(stations(&row.seen.event).0.index()))
    }),
    text(
        "to",
        "the station that the frame is for, or that routing is about; empty for broadcasts",
        |row, names| Cell::some(stations(&row.seen.event).1, |to| Cell::text(names.node(to.index()))),
    ),
    number("start_s", "s", "the begin of the frame", |row, _| {
        Cell::some(frame(row), |frame| Cell::seconds(frame.start))
    }),
    whole("size_bytes", "B", "from the MAC header to the FCS", |row, _| {
        Cell::some(frame(row), |frame| Cell::bytes(frame.size))
    }),
    truth("retry", "whether it was sent before", |row, _| {
        Cell::some(frame(row), |frame| Cell::Truth(frame.is_retry))
    }),
    text("received", "the stations that received it, whether or not it was for them", |row, names| {
        Cell::some(frame(row), |frame| list(&frame.received, names))
    }),
    text("collided", "the stations at which other frames destroyed it", |row, names| {
        Cell::some(frame(row), |frame| list(&frame.collided, names))
    }),
];

/// The words for events of routing: a broken link is what a route error reports.
const ROUTING: [&str; 4] = ["link-failure", "discovery", "route-found", "broken-link"];

fn what(event: &MeshEvent) -> &'static str {
    match event {
        MeshEvent::Frame(frame, _) => frame_kind(frame.kind),
        MeshEvent::Routing(RoutingEvent::LinkFailure { .. }) => ROUTING[0],
        MeshEvent::Routing(RoutingEvent::DiscoveryStarted { .. }) => ROUTING[1],
        MeshEvent::Routing(RoutingEvent::RouteFound { .. }) => ROUTING[2],
        MeshEvent::Routing(RoutingEvent::RouteError { .. }) => ROUTING[3],
    }
}

/// The station of the event, and the one it is for or about.
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

/// The frame, if the event is one.
fn frame(row: &Row) -> Option<&FrameSeen> {
    match &row.seen.event {
        MeshEvent::Frame(frame, _) => Some(frame),
        MeshEvent::Routing(_) => None,
    }
}

fn list<'a>(stations: &[Station], names: &Names) -> Cell<'a> {
    let all: Vec<&str> = stations.iter().map(|station| names.node(station.index())).collect();
    Cell::text(all.join(" "))
}
