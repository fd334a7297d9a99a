//! The speed of the core: both ends in one thread and in virtual time, without sockets. It prints three
//! tables: ours beside the stacks of others, with what each allocates; ours by what is in flight; ours by how many
//! associations an endpoint has.
//!
//! `cargo bench --package anabranch-sctp --bench core`; a word behind `--` keeps only the rows with it.
#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

mod constant;
mod cost;
#[path = "../../tests/counting/mod.rs"]
mod counting;
mod many;
#[path = "../../tests/stacks/mod.rs"]
mod stacks;

use std::cell::RefCell;
use std::rc::Rc;

use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::config::{Config, InitialWindow};
use anabranch_sctp::policy::Registry;
use anabranch_sctp::policy::congestion::CongestionControl;
use bytes::Bytes;
use constant::Constant;
use cost::{Cost, median};
use stacks::transfer::Transfer;
use stacks::{Anabranch, Buffers, Datagram, Dcsctp, Role, RtcSctp, SctpProto, Stack};

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

fn main() {
    let wanted = std::env::args().skip(1).find(|word| !word.starts_with('-')).unwrap_or_default();
    compare(&wanted);
    grow_the_window(&wanted);
    many::compare(&wanted);
}

/// A stack to be measured.
struct Contestant {
    name: &'static str,
    version: &'static str,
    new: fn(Role) -> Box<dyn Stack>,
    /// The bytes of one repeat: fewer for slower stacks.
    amount: ByteCount,
}

const CONTESTANTS: [Contestant; 7] = [
    Contestant {
        name: "anabranch",
        version: env!("CARGO_PKG_VERSION"),
        new: |role| Box::new(Anabranch::new(role, BUFFERS, 1)),
        amount: ByteCount::new(400_000_000),
    },
    Contestant {
        name: "anabranch, 2 paths",
        version: env!("CARGO_PKG_VERSION"),
        new: |role| Box::new(Anabranch::new(role, BUFFERS, 2)),
        amount: ByteCount::new(400_000_000),
    },
    Contestant {
        name: "anabranch, trains",
        version: env!("CARGO_PKG_VERSION"),
        new: |role| Box::new(Anabranch::in_trains(role, BUFFERS, 1, TRAIN)),
        amount: ByteCount::new(400_000_000),
    },
    Contestant {
        name: "anabranch, trains, 2 paths",
        version: env!("CARGO_PKG_VERSION"),
        new: |role| Box::new(Anabranch::in_trains(role, BUFFERS, 2, TRAIN)),
        amount: ByteCount::new(400_000_000),
    },
    Contestant {
        name: "rtc-sctp",
        version: "0.21.1",
        new: |role| Box::new(RtcSctp::new(role, BUFFERS)),
        amount: ByteCount::new(200_000_000),
    },
    Contestant {
        name: "sctp-proto",
        version: "0.10.8",
        new: |role| Box::new(SctpProto::new(role, BUFFERS)),
        amount: ByteCount::new(200_000_000),
    },
    // It formats a hex dump of every packet for its log, whether that is read or not.
    Contestant {
        name: "dcsctp",
        version: "0.1.16",
        new: |_| Box::new(Dcsctp::new(BUFFERS)),
        amount: ByteCount::new(50_000_000),
    },
];

const MESSAGES: [usize; 3] = [20, 1_400, 65_536];
/// The largest number of messages, without which small ones would take minutes.
const MOST_MESSAGES: u64 = 2_000_000;
const BUFFERS: Buffers = Buffers { send: ByteCount::from_mib(1), receive: ByteCount::from_mib(1) };
/// As many packets of 1,428 bytes as one call of the system takes.
const TRAIN: usize = 45;
const DELAY: Duration = Duration::from_micros(100);
const REPEATS: usize = 3;

/// Ours and the others, in turns, so that other load on the machine affects all of them.
fn compare(wanted: &str) {
    let rows: Vec<(&Contestant, usize)> = MESSAGES
        .iter()
        .flat_map(|&length| CONTESTANTS.iter().map(move |contestant| (contestant, length)))
        .filter(|(contestant, length)| format!("{}, {length} B", contestant.name).contains(wanted))
        .collect();
    let mut repeats: Vec<Vec<Cost>> = rows.iter().map(|_| Vec::new()).collect();
    for _ in 0..REPEATS {
        for ((contestant, length), costs) in rows.iter().zip(&mut repeats) {
            costs.push(measure(contestant, *length));
        }
    }
    let costs: Vec<Cost> = repeats.into_iter().map(median).collect();
    println!("\n| stack | version | message | CPU s/GB | to ours | allocations a packet | bytes a packet |");
    println!("|---|---|---|---|---|---|---|");
    let mut ours = None;
    for ((contestant, length), cost) in rows.iter().zip(&costs) {
        let seconds = cost.seconds_per_gigabyte();
        if contestant.name == "anabranch" {
            ours = Some(seconds);
        }
        println!(
            "| {} | {} | {length} B | {seconds:.2} | {} | {:.2} | {:.0} |",
            contestant.name,
            contestant.version,
            ours.map_or("–".to_owned(), |ours| format!("{:.2}", seconds / ours)),
            cost.times_per_packet(),
            cost.bytes_per_packet(),
        );
    }
}

fn measure(contestant: &Contestant, length: usize) -> Cost {
    let (client, server) = ((contestant.new)(Role::Client), (contestant.new)(Role::Server));
    let mut transfer = Transfer::open(client, server, DELAY);
    let message = Bytes::from(vec![7; length]);
    let count = (contestant.amount.get() / length as u64).min(MOST_MESSAGES);
    // Windows grow, buffers reach their size.
    transfer.run(&message, count / 10);
    let before = transfer.packets;
    Cost::of(|| {
        transfer.run(&message, count);
        (ByteCount::new(count * length as u64), transfer.packets - before)
    })
}

/// The bytes in flight in the rows of the second table.
const WINDOWS: [ByteCount; 6] = [
    ByteCount::from_kib(64),
    ByteCount::from_kib(256),
    ByteCount::from_mib(1),
    ByteCount::from_mib(4),
    ByteCount::from_mib(16),
    ByteCount::from_mib(64),
];

/// The work for a SACK must not grow with what is in flight: neither when everything arrives in order, nor
/// while one chunk is missing and every SACK tells of it.
fn grow_the_window(wanted: &str) {
    if !"window".contains(wanted) {
        return;
    }
    println!(
        "\n| window | in flight | CPU s/GB | a hole open: CPU s/GB | of all packets, with the hole open |"
    );
    println!("|---|---|---|---|---|");
    for window in WINDOWS {
        let (mut whole, mut holed, mut reached, mut share) = (Vec::new(), Vec::new(), ByteCount::ZERO, 0.0);
        for _ in 0..REPEATS {
            let (cost, flight, _) = measure_window(window, false);
            reached = reached.max(flight);
            whole.push(cost);
            let (cost, _, open) = measure_window(window, true);
            holed.push(cost);
            share = open;
        }
        println!(
            "| {window} | {reached} | {:.2} | {:.2} | {:.0} % |",
            median(whole).seconds_per_gigabyte(),
            median(holed).seconds_per_gigabyte(),
            share * 100.0,
        );
    }
}

/// The cost, the most that was in flight, and which part of the packets left while a hole was open.
fn measure_window(window: ByteCount, with_holes: bool) -> (Cost, ByteCount, f64) {
    let mut registry = Registry::standard();
    registry.congestion_controls.add("constant", |_| Box::new(CongestionControl::rule(Constant)));
    let config = Config {
        congestion_control: "constant".into(),
        initial_window: InitialWindow::Bytes(window),
        receive_buffer: window * 2 + ByteCount::from_mib(1),
        send_buffer: window * 2 + ByteCount::from_mib(32),
        ..Config::rfc9260()
    };
    let end = |role| Anabranch::with(role, config.clone(), registry.clone(), 1);
    let mut transfer = Transfer::open(end(Role::Client), end(Role::Server), DELAY);
    let message = Bytes::from(vec![7; WINDOW_MESSAGE]);
    transfer.run(&message, WINDOW_COUNT / 4 + window.get() / WINDOW_MESSAGE as u64 * 2);
    let hole = Rc::new(RefCell::new(Hole::default()));
    if with_holes {
        let hole = hole.clone();
        transfer.divert = Some(Box::new(move |datagram, leave| hole.borrow_mut().divert(datagram, leave)));
    }
    let (before, mut sent, mut flight) = (transfer.packets, 0, ByteCount::ZERO);
    let cost = Cost::of(|| {
        transfer.run_with(WINDOW_COUNT, |client, now| {
            let association = client.association().expect("it is open");
            flight = flight.max(association.paths()[0].flight);
            // Stream 0 goes on while the message of stream 1 is missing.
            let is_hole = with_holes && sent % Hole::EVERY == 0;
            let is_sent = client.send_on(now, u16::from(is_hole), &message);
            sent += u64::from(is_sent);
            is_sent
        });
        (ByteCount::new(WINDOW_COUNT * WINDOW_MESSAGE as u64), transfer.packets - before)
    });
    let open = hole.borrow().passed_while_open as f64 / hole.borrow().passed.max(1) as f64;
    (cost, flight, open)
}

const WINDOW_MESSAGE: usize = 1_400;
const WINDOW_COUNT: u64 = 140_000;

/// Keeps back every copy of one chunk, that of stream 1, until [`LENGTH`] other packets have passed it.
#[derive(Default)]
struct Hole {
    kept: Vec<Datagram>,
    /// Packets since it opened.
    passed_since: u64,
    passed: u64,
    passed_while_open: u64,
}

impl Hole {
    /// One message of this many is on stream 1.
    const EVERY: u64 = 10_000;
    /// Fewer than gap blocks can report, with the largest window in flight behind them.
    const LENGTH: u64 = 8_192;

    fn divert(&mut self, datagram: Datagram, leave: &mut dyn FnMut(Datagram)) {
        // The first chunk is DATA of stream 1; a packet of this length has no other.
        if datagram.bytes[12] == 0 && datagram.bytes[20..22] == [0, 1] {
            if self.kept.is_empty() {
                self.passed_since = 0;
            }
            self.kept.push(datagram);
            return;
        }
        self.passed += 1;
        self.passed_since += 1;
        self.passed_while_open += u64::from(!self.kept.is_empty());
        leave(datagram);
        if self.passed_since >= Hole::LENGTH {
            self.kept.drain(..).for_each(leave);
        }
    }
}
