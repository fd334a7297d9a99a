//! One path of a connection: both halves of its subflow, and what is counted of it.

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_scenario::model::Tcp;

use super::control::SubflowView;
use super::limits::{Limit, TimeInLimits};
use super::receiver::SubflowReceiver;
use super::sender::SubflowSender;
use crate::host::{PathReport, PathView, Received};
use crate::observe::{PathMeasurements, PathState};

/// One path of a connection.
#[derive(Clone, Debug)]
pub(super) struct Subflow {
    pub sender: SubflowSender,
    pub receiver: SubflowReceiver,
    /// From when on it may send: a round trip after the start of the flow.
    pub opens: Time,
    pub limits: TimeInLimits,
    /// Data that arrived here first, after the warm-up.
    pub received: Received,
}

impl Subflow {
    /// A subflow of a flow that starts at `start`: it opens after its `handshake`, a round trip.
    pub(super) fn new(settings: &Tcp, start: Time, handshake: Duration) -> Subflow {
        Subflow {
            sender: SubflowSender::new(settings, handshake),
            receiver: SubflowReceiver::new(settings.ack_every, settings.recovery),
            opens: start + handshake,
            limits: TimeInLimits::new(),
            received: Received::default(),
        }
    }

    /// When it needs to be woken as a sender with or without data.
    pub(super) fn timeout(&self) -> Option<Time> {
        match (self.sender.timer().deadline(), self.receiver.due()) {
            (Some(deadline), Some(due)) => Some(deadline.min(due)),
            (deadline, due) => deadline.or(due),
        }
    }

    /// Returns true if it may send, as it was noted last.
    pub(crate) fn has_opened(&self) -> bool {
        self.limits.current() != Limit::Down
    }

    /// As a control sees it.
    pub(super) fn view(&self) -> SubflowView {
        let timer = self.sender.timer();
        SubflowView {
            window: self.sender.window().packets(),
            srtt: timer.srtt().unwrap_or_else(|| timer.rto() / 3),
        }
    }

    /// Data that arrived here first.
    pub(crate) fn count_received(&mut self, bytes: ByteCount) {
        self.received.bytes += bytes;
        self.received.packets += 1;
    }

    /// As observers see it.
    pub(crate) fn path_view(&self) -> PathView {
        let (window, timer) = (self.sender.window(), self.sender.timer());
        PathView {
            state: PathState::Active,
            cwnd: window.bytes(),
            ssthresh: window.threshold_bytes(),
            flight: self.sender.in_flight(),
            srtt: timer.srtt(),
            rto: timer.rto(),
            measured: PathMeasurements::default(),
        }
    }

    /// The counters.
    pub(super) fn report(&self, now: Time) -> PathReport {
        let span = |limit: Limit| -> Duration { self.limits.span(now, limit) };
        PathReport {
            counters: self.sender.counters,
            mean_cwnd_bytes: self.sender.window().mean_bytes(now),
            mean_rtt_s: self.sender.timer().mean_s(),
            min_rtt_s: self.sender.timer().shortest().map(Duration::as_secs_f64),
            app_limited: span(Limit::Application),
            cwnd_limited: span(Limit::CongestionWindow),
            rwnd_limited: span(Limit::ReceiveWindow),
            scheduler_limited: span(Limit::Scheduler),
            down: span(Limit::Down),
            ..PathReport::empty(PathState::Active)
        }
    }
}
