//! Saturated stations against analysis, Bianchi's formula and ns-3 (`tests/oracle/ns3`).

mod field;
#[path = "../../../tests/oracle/table.rs"]
mod oracle;

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_link::fabric::Station;
use anabranch_wireless::config::{RadioConfig, RetryCount};

use field::Field;
use oracle::{Row, Table};

/// ns-3's MAC header has 24 bytes, and the FCS 4; its retry counters are those of the standard.
fn ns3(threshold: u64) -> RadioConfig {
    let never = ByteCount::new(2_346);
    RadioConfig {
        mac_header: ByteCount::new(28),
        rts_threshold: Some(ByteCount::new(threshold)).filter(|threshold| *threshold < never),
        retry_count: RetryCount::Standard,
        ..RadioConfig::default()
    }
}

/// The spacing of 540-byte packets that carry 512 bytes of UDP, at 1 Mbit/s of those.
const SPACING: Duration = Duration::from_micros(4_096);
const WARM_UP: Time = Time::from_nanos(5_000_000_000);

/// Goodput in kbit/s over `span` seconds after the warm-up.
fn goodput(field: &mut Field, span: u64) -> f64 {
    let end = WARM_UP + Duration::from_secs(span);
    field.run_until(end);
    field.arrived(WARM_UP, end) as f64 * 512.0 * 8.0 / span as f64 / 1e3
}

/// Goodput of one saturated sender over a string of so many hops.
fn string(radio: &RadioConfig, hops: u16, span: u64, seed: u64) -> f64 {
    let mut field = Field::string(radio, u64::from(hops) + 1, seed);
    assert!(field.mesh.route_statically(Station::new(0), Station::new(hops)));
    field.source(0, hops, 540, SPACING, Time::ZERO + Duration::from_micros(seed));
    goodput(&mut field, span)
}

/// Goodput of saturated senders on a circle around a sink.
fn cell(radio: &RadioConfig, senders: u16, span: u64, seed: u64) -> f64 {
    let mut places = vec![(100, 100)];
    places.extend((0..u64::from(senders)).map(|sender| match sender % 4 {
        0 => (50, 100),
        1 => (100, 50),
        2 => (150, 100),
        _ => (100, 150),
    }));
    let mut field = Field::new(radio, &places, seed);
    for sender in 1..=senders {
        assert!(field.mesh.route_statically(Station::new(sender), Station::new(0)));
        let start = Time::ZERO + Duration::from_micros(u64::from(sender) * 137);
        field.source(sender, 0, 540, SPACING, start);
    }
    goodput(&mut field, span)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

/// DIFS 50 + mean back-off 310 + data 4,800 + SIFS 10 + ACK 304 µs; with RTS and CTS 676 µs more.
#[test]
fn one_saturated_hop_carries_what_the_air_times_say() {
    for (threshold, expected) in [(2_346, 748.3), (20, 666.0)] {
        let goodput = mean((1..=4).map(|seed| string(&ns3(threshold), 1, 100, seed)));
        let error = goodput / expected - 1.0;
        assert!(error.abs() < 0.002, "threshold {threshold}: {goodput:.2} of {expected} kbit/s");
    }
}

/// Bianchi's stations never give up: the limits are out of the way here.
#[test]
fn a_cell_of_saturated_stations_follows_bianchi() {
    let table = Table::parse(include_str!("../../../tests/oracle/ns3/bianchi.open.csv"));
    let mut misses = Vec::new();
    for (access, threshold) in [("basic", 2_346), ("rtscts", 20)] {
        for row in table.rows(&[("phy", "dsss_1mbps"), ("access", access)]) {
            let stations = row.number("n");
            if !(2.0..=20.0).contains(&stations) {
                continue;
            }
            let radio = RadioConfig { short_retry: 255, long_retry: 255, ..ns3(threshold) };
            let goodput = mean((1..=4).map(|seed| cell(&radio, stations as u16, 60, seed)));
            let expected = row.number("throughput_mbps") * 1e3;
            let error = goodput / expected - 1.0;
            println!("{access} n={stations}: {goodput:.1} of {expected:.1} ({:+.2} %)", error * 100.0);
            if error.abs() > 0.02 {
                misses.push((access, stations, goodput, expected));
            }
        }
    }
    assert!(misses.is_empty(), "{misses:?}");
}

fn simulated(row: &Row<'_>) -> f64 {
    let is_capture = row.text("reception") == "capture";
    let radio = RadioConfig { capture: is_capture.then_some(0.0), ..ns3(row.number("rts_threshold") as u64) };
    let senders = row.number("cell_senders") as u16;
    let runs = (1..=5).map(|seed| match senders {
        0 => string(&radio, row.number("hops") as u16, 60, seed),
        _ => cell(&radio, senders, 60, seed),
    });
    mean(runs)
}

#[test]
fn strings_and_cells_carry_what_they_do_in_ns3() {
    let table = Table::parse(include_str!("../../../tests/oracle/ns3/dcf.open.csv"));
    for reception in ["overlap", "capture"] {
        let (mut near, mut all) = (0.0, 0.0);
        for row in table.rows(&[("proto", "udp"), ("reception", reception)]) {
            let (goodput, expected) = (simulated(&row), row.number("goodput_kbps"));
            let allowed = 0.06 * expected + row.number("ci95_kbps");
            all += 1.0;
            near += f64::from(u8::from((goodput - expected).abs() <= allowed));
            let what = ["cell_senders", "hops", "rts_threshold"].map(|name| row.text(name));
            println!(
                "{reception} {what:?}: {goodput:.1} of {expected:.1} ({:+.2} %)",
                (goodput / expected - 1.0) * 100.0
            );
        }
        assert!(all > 4.0 && near / all >= 0.85, "{reception}: {near} of {all} rows");
    }
}
