//! Each seam of the association carries data: a policy that only a test has is chosen by its name, and what it says
//! happens on the wire.

mod congestion;
mod copies;
mod given_steps;
mod given_windows;
#[path = "../pair/mod.rs"]
mod pair;
mod response;
mod schedule;

use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::config::{
    BurstRule, Charge, Config, Encapsulation, Failover, InitialWindow, MaxBurst, SackSettings, Unit,
};

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// The user data of a full packet.
const FULL: usize = 1452;
/// The size of a packet.
const PACKET: u64 = 1500;

/// Windows and buffers count packets of 1,500 bytes, and begin with four. Every packet is acknowledged, bursts are not
/// bounded, and no path fails.
fn counted() -> Config {
    Config {
        charge: Charge::Packet,
        unit: Unit::Mtu,
        rwnd_charge: Charge::Packet,
        encapsulation: Encapsulation::None,
        initial_window: InitialWindow::Bytes(ByteCount::new(4 * PACKET)),
        sack: SackSettings { every: 1, delay: ms(200), ..Config::rfc9260().sack },
        max_burst: MaxBurst { packets: 1000, rule: BurstRule::Event },
        failover: Failover::OFF,
        ..Config::rfc9260()
    }
}
