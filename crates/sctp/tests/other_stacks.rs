//! Our endpoint talks to the SCTP stacks of others, as client and as server, over a network that loses,
//! doubles and reorders packets: all messages arrive, in order and unchanged, both ways at once, and the
//! association ends in order where the other stack can.

mod stacks;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::Registry;
use bytes::Bytes;
use stacks::{Anabranch, Buffers, Datagram, Dcsctp, Life, Role, RtcSctp, SctpProto, Stack};

#[test]
fn dcsctp_and_ours_understand_each_other() {
    talk(&Peer {
        name: "dcsctp",
        new: |_| Box::new(Dcsctp::new(BUFFERS)),
        roles: &[Role::Client, Role::Server],
        may_close: true,
    });
}

/// The SHUTDOWN acknowledges a TSN that this end may never have sent (it takes the one that it sent itself):
/// a protocol violation, after which nothing ends in order. So only ours closes.
#[test]
fn sctp_proto_and_ours_understand_each_other() {
    talk(&Peer {
        name: "sctp-proto",
        new: |role| Box::new(SctpProto::new(role, BUFFERS)),
        roles: &[Role::Client, Role::Server],
        may_close: false,
    });
}

/// The server accepts no INIT that lists the supported address types (RFC 9260 §3.3.2.1.5), which ours does. The
/// SHUTDOWN is that of sctp-proto.
#[test]
fn rtc_sctp_and_ours_understand_each_other() {
    talk(&Peer {
        name: "rtc-sctp",
        new: |role| Box::new(RtcSctp::new(role, BUFFERS)),
        roles: &[Role::Client],
        may_close: false,
    });
}

/// A stack to talk to.
struct Peer {
    name: &'static str,
    new: fn(Role) -> Box<dyn Stack>,
    /// Which roles it may have.
    roles: &'static [Role],
    /// True if it can end an association in order by itself.
    may_close: bool,
}

/// In every role and over every network: both ends send all messages and receive the other's, then one closes.
fn talk(peer: &Peer) {
    for (name, faults) in FAULTS {
        for &role in peer.roles {
            let ours = role.other();
            let closers = if peer.may_close { vec![ours, role] } else { vec![ours] };
            for closer in closers {
                let case = format!("{} the {role:?}, {name}, the {closer:?} closes", peer.name);
                let end = |end| if end == role { (peer.new)(end) } else { ours_as(end) };
                let mut dialogue = Dialogue::new([end(Role::Client), end(Role::Server)], faults);
                dialogue.open(&case);
                dialogue.exchange(&case);
                // What is lost while closing is each stack's own affair.
                dialogue.faults = Faults::NONE;
                dialogue.close(&case, closer);
            }
        }
    }
}

fn ours_as(role: Role) -> Box<dyn Stack> {
    // With all that its INIT can announce: a stack without AUTH and ASCONF skips them.
    let config = Config {
        receive_buffer: BUFFERS.receive,
        send_buffer: BUFFERS.send,
        dynamic_addresses: true,
        ..Config::rfc9260()
    };
    Box::new(Anabranch::with(role, config, Registry::standard(), 1))
}

/// The faults of the network, in thousandths.
#[derive(Clone, Copy, Debug)]
struct Faults {
    loss: u64,
    duplication: u64,
    /// Packets are late by up to this much, and so overtake one another.
    jitter: Duration,
}

impl Faults {
    const NONE: Faults = Faults { loss: 0, duplication: 0, jitter: Duration::ZERO };
}

const FAULTS: [(&str, Faults); 5] = [
    ("no fault", Faults::NONE),
    ("1 % lost", Faults { loss: 10, ..Faults::NONE }),
    ("5 % lost", Faults { loss: 50, ..Faults::NONE }),
    ("20 % lost", Faults { loss: 200, ..Faults::NONE }),
    (
        "1 % lost, 5 % doubled, all reordered",
        Faults { loss: 10, duplication: 50, jitter: Duration::from_millis(5) },
    ),
];

const BUFFERS: Buffers = Buffers { send: ByteCount::from_mib(2), receive: ByteCount::from_mib(2) };

/// The lengths of the messages, in the order in which they are sent: one byte, less than a packet, a full
/// packet without UDP, some packets, 64 KiB and a megabyte; and some of them again, between and after.
const LENGTHS: [usize; 10] = [1, 100, 1452, 5000, 65_536, 1_000_000, 1, 5000, 100, 1452];

const DELAY: Duration = Duration::from_millis(10);

/// Longer than any of the stacks takes to give up.
const PATIENCE: Duration = Duration::from_secs(3_600);

/// Two ends, the network between them, and what they have said.
struct Dialogue {
    now: Time,
    ends: [Box<dyn Stack>; 2],
    faults: Faults,
    flying: BinaryHeap<Reverse<(Time, u64, usize, Datagram)>>,
    /// Packets that left, which also orders those that arrive at the same time.
    sent: u64,
    chance: u64,
    packets: Vec<Datagram>,
}

impl Dialogue {
    fn new(ends: [Box<dyn Stack>; 2], faults: Faults) -> Dialogue {
        Dialogue {
            now: Time::ZERO,
            ends,
            faults,
            flying: BinaryHeap::new(),
            sent: 0,
            chance: 0x9e37_79b9_7f4a_7c15,
            packets: Vec::new(),
        }
    }

    fn open(&mut self, case: &str) {
        self.ends[0].connect(self.now);
        self.settle(0);
        let open = self.run_until(|dialogue| dialogue.lives() == [Life::Open; 2]);
        assert!(open, "{case}: the handshake is not done: {:?}", self.lives());
    }

    /// Both ends send all messages as fast as they may and read what comes.
    fn exchange(&mut self, case: &str) {
        let (mut sent, mut received) = ([0; 2], [0; 2]);
        let mut message = Vec::new();
        let done = self.run_until(|dialogue| {
            for end in 0..2 {
                let now = dialogue.now;
                while sent[end] < LENGTHS.len() && dialogue.ends[end].send(now, &words(end, sent[end])) {
                    sent[end] += 1;
                }
                while dialogue.ends[end].receive(now, &mut message) {
                    let expected = words(1 - end, received[end]);
                    assert_eq!(message.len(), expected.len(), "{case}: message {}", received[end]);
                    assert!(message == expected, "{case}: message {} came changed", received[end]);
                    received[end] += 1;
                }
                dialogue.settle(end);
            }
            received == [LENGTHS.len(); 2] || dialogue.lives() != [Life::Open; 2]
        });
        let (now, lives) = (self.now, self.lives());
        assert!(done && received == [LENGTHS.len(); 2], "{case}: {received:?} came by {now:?}, {lives:?}");
    }

    fn close(&mut self, case: &str, closer: Role) {
        let closer = closer as usize;
        self.ends[closer].shutdown(self.now);
        self.settle(closer);
        let done = self.run_until(|dialogue| dialogue.lives() == [Life::Closed; 2]);
        assert!(done, "{case}: the ends are {:?}", self.lives());
    }

    fn lives(&self) -> [Life; 2] {
        [self.ends[0].life(), self.ends[1].life()]
    }

    /// Lets time pass, event by event, until `is_done`; `false` if nothing happens any more, or too long.
    fn run_until(&mut self, mut is_done: impl FnMut(&mut Dialogue) -> bool) -> bool {
        let end = self.now + PATIENCE;
        while !is_done(self) {
            let packet = self.flying.peek().map(|Reverse((at, ..))| *at);
            let timers = self.ends.iter().filter_map(Stack::poll_timeout);
            let Some(next) = packet.into_iter().chain(timers).min().filter(|next| *next <= end) else {
                return false;
            };
            self.now = self.now.max(next);
            self.step();
        }
        true
    }

    fn step(&mut self) {
        let now = self.now;
        if self.flying.peek().is_some_and(|Reverse((at, ..))| *at <= now)
            && let Some(Reverse((_, _, to, datagram))) = self.flying.pop()
        {
            self.ends[to].handle(now, &datagram);
            return self.settle(to);
        }
        for end in 0..2 {
            if self.ends[end].poll_timeout().is_some_and(|due| due <= now) {
                self.ends[end].handle_timeout(now);
                self.settle(end);
            }
        }
    }

    /// Puts on the wire what an end wants to send.
    fn settle(&mut self, end: usize) {
        let mut packets = std::mem::take(&mut self.packets);
        self.ends[end].poll_transmit(self.now, &mut packets);
        for datagram in packets.drain(..) {
            if self.happens(self.faults.loss) {
                continue;
            }
            let copies = 1 + usize::from(self.happens(self.faults.duplication));
            for _ in 0..copies {
                let late = Duration::from_nanos(self.random() % (self.faults.jitter.as_nanos() + 1));
                self.sent += 1;
                let flight = (self.now + DELAY + late, self.sent, 1 - end, datagram.clone());
                self.flying.push(Reverse(flight));
            }
        }
        self.packets = packets;
    }

    fn happens(&mut self, thousandths: u64) -> bool {
        self.random() % 1000 < thousandths
    }

    /// Xorshift.
    fn random(&mut self) -> u64 {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        self.chance
    }
}

/// The `number`-th message of an end: no two are alike, and no two places in one are.
fn words(end: usize, number: usize) -> Bytes {
    let first = (end * LENGTHS.len() + number) as u32;
    (0..LENGTHS[number] as u32)
        .map(|at| ((at ^ first.rotate_left(20)).wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect()
}
