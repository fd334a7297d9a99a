//! The bounds on the effects of a packet and on the memory of an end: each is a formula of the settings.

use std::collections::BTreeSet;

use anabranch_sctp::association::Association;
use anabranch_sctp::config::{BurstRule, Config};
use anabranch_sctp::endpoint::AssociationId;
use anabranch_sctp::policy::PathState;

use super::tally::Tally;
use super::verdict::{Class, Fault};
use crate::pair::{End, Line, PacketCost, Pair, Reading, Side, chunk_names};

/// The bounds of a play.
pub(crate) struct Bounds {
    seed: u64,
    config: Config,
    /// The most associations that an end had at once.
    most_associations: u64,
    /// The bytes that reached each end and were not answered yet: less the control chunks that it sent since.
    unanswered: [u64; 2],
}

impl Bounds {
    pub(crate) fn new(seed: u64, config: Config) -> Bounds {
        Bounds { seed, config, most_associations: 0, unanswered: [0; 2] }
    }

    /// Checks that a packet cost no more than it may.
    pub(crate) fn check(&mut self, pair: &Pair, packet_cost: &PacketCost, tally: &mut Tally) -> Vec<Fault> {
        let mut scales = Scales { seed: self.seed, packet_cost, tally, faults: Vec::new() };
        let answers = &pair.log[packet_cost.answers.clone()];
        self.weigh_answers(&mut scales, answers, paths_of(pair.end(packet_cost.to), answers));
        self.weigh_costs(&mut scales, answers.len() as u64);
        let control = answers.iter().filter(|line| line.by.is_some() && !line.text.contains("DATA"));
        let answered: u64 = control.map(|line| line.len as u64).sum();
        let unanswered = &mut self.unanswered[packet_cost.to as usize];
        *unanswered = (*unanswered + packet_cost.bytes.len() as u64).saturating_sub(answered);
        scales.faults
    }

    /// The number of received bytes that may be answered now. Answers to what came after the COOKIE-ECHO wait for the
    /// COOKIE-ACK.
    fn answerable(&self, packet_cost: &PacketCost) -> u64 {
        let waited = if chunk_names(&packet_cost.bytes).contains("COOKIE-ACK") {
            self.unanswered[packet_cost.to as usize]
        } else {
            0
        };
        packet_cost.bytes.len() as u64 + waited
    }

    fn weigh_answers(&self, scales: &mut Scales<'_>, answers: &[Line], paths: u64) {
        let (length, mtu) = (scales.length(), self.config.mtu.get());
        let (data, others): (Vec<&Line>, Vec<&Line>) =
            answers.iter().partition(|line| line.text.contains("DATA"));
        let (strange, control): (Vec<&Line>, Vec<&Line>) =
            others.into_iter().partition(|line| line.by.is_none());
        let sum = |lines: &[&Line]| lines.iter().map(|line| line.len as u64).sum::<u64>();
        let count = |lines: &[&Line]| lines.len() as u64;

        // RFC 9260 §8.4: one answer, and no longer than what it answers; an INIT-ACK has 3.5 times the bytes of its INIT, a
        // last word half a kilobyte.
        scales.weigh("answers to a stranger", Class::Answers, count(&strange), 1);
        let most = ((length + OUTER_HEADERS) * 7 / 2 - OUTER_HEADERS).max(LAST_WORD);
        scales.weigh("bytes for a stranger", Class::Answers, sum(&strange), most);

        // A SACK, a COOKIE-ACK, a probe of each path and of its MTU, and at most what the outbox holds.
        let chunks = control.iter().map(|line| line.text.matches(" + ").count() as u64 + 1).sum();
        scales.weigh("control chunks for a packet", Class::Answers, chunks, OUTBOX + 3 * paths);
        let most = 2 * self.answerable(scales.packet_cost) + (1 + paths) * mtu;
        scales.weigh("bytes of control for a packet", Class::Answers, sum(&control), most);

        // A burst a path, and a packet of retransmissions. With pacing it is what the rate carries.
        let burst = self.config.max_burst;
        if burst.rule != BurstRule::Paced {
            let most = (u64::from(burst.packets) + 2) * paths;
            scales.weigh("packets with DATA for a packet", Class::Answers, count(&data), most);
        }
    }

    /// One allocation a byte, which is four for the smallest parameter, some for each answer, and what a queue takes that
    /// grows; as many bytes as an end may hold at once, for the same reason.
    fn weigh_costs(&self, scales: &mut Scales<'_>, answers: u64) {
        let (length, Reading { allocations, bytes, nanoseconds, .. }) =
            (scales.length(), scales.packet_cost.cost);
        let most = 256 + length + 64 * answers + self.largest_queue() / 8;
        scales.weigh("allocations for a packet", Class::Allocations, allocations, most);
        let most = 64 * length + self.most_held(1);
        scales.weigh("bytes allocated for a packet", Class::Allocations, bytes, most);
        scales.weigh("nanoseconds for a packet", Class::Time, nanoseconds, 10_000_000 + 2_000 * length);
    }

    /// Checks that an end holds no more than it may.
    pub(crate) fn check_held(&mut self, pair: &Pair, end: End, tally: &mut Tally) -> Option<Fault> {
        let held = pair.meter.as_ref().map_or(0, |meter| meter.held(end));
        self.most_associations = self.most_associations.max(pair.end(end).endpoint.len() as u64);
        let most = self.most_held(self.most_associations);
        tally.watch("bytes held", self.seed, held, most);
        (held > most)
            .then(|| Fault::new(Class::Memory, format!("{end:?} holds {held} B, {most} B are allowed")))
    }

    /// Returns the most memory of an end with `associations` associations: each has twice its receive buffer with the
    /// overhead of chunks, twice as much while everything waits for one chunk, twice its send buffer, and 100 B for
    /// each stream (docs/security.md, "Holders of the key"); beside that its queues, and the endpoint's.
    fn most_held(&self, associations: u64) -> u64 {
        let receive = self.config.receive_growth.map_or(self.config.receive_buffer, |growth| growth.limit);
        let streams = u64::from(self.config.inbound_streams) + u64::from(self.config.outbound_streams);
        let each = receive.get() * 4 + self.config.send_buffer.get() * 2 + 100 * streams + OTHERWISE;
        ENDPOINT + each * associations
    }

    /// The number of chunks that wait or are in flight at most: each costs a quarter of a kilobyte.
    fn largest_queue(&self) -> u64 {
        (self.config.send_buffer * 2).get() / 256
    }
}

/// One packet, and the comparison of its costs with their bounds.
struct Scales<'a> {
    seed: u64,
    packet_cost: &'a PacketCost,
    tally: &'a mut Tally,
    faults: Vec<Fault>,
}

impl Scales<'_> {
    fn length(&self) -> u64 {
        self.packet_cost.bytes.len() as u64
    }

    fn weigh(&mut self, what: &'static str, class: Class, value: u64, bound: u64) {
        self.tally.watch(what, self.seed, value, bound);
        if value > bound {
            let (to, length) = (self.packet_cost.to, self.length());
            let what = format!("{what}: {value} of {bound} at most, at {to:?} for {length} B");
            self.faults.push(Fault::new(class, what));
        }
    }
}

/// The number of paths of the associations that answered, at least one.
fn paths_of(side: &Side, answers: &[Line]) -> u64 {
    let ids: BTreeSet<AssociationId> = answers.iter().filter_map(|line| line.by).collect();
    let paths = ids.iter().filter_map(|id| side.endpoint.association(*id)).flat_map(Association::paths);
    (paths.filter(|path| path.state != PathState::Removed).count() as u64).max(1)
}

/// UDP's and IPv4's.
const OUTER_HEADERS: u64 = 28;
/// The ABORT of an association that was aborted, which answers later packets.
const LAST_WORD: u64 = 512;
/// The largest number of control chunks that wait.
const OUTBOX: u64 = 64 + 4;
/// Queues, lists and tables of an association, without user data.
const OTHERWISE: u64 = 128 << 10;
/// Of an endpoint: two throttles, the last words, and answers that wait.
const ENDPOINT: u64 = 256 << 10;
