//! Throughput of saturated stations, beside what analysis and ns-3 say (tests/oracle/ns3).

mod stations;

use stations::{Air, at, ns3_radio, seconds, string};

/// 512 bytes of user data, 8 of UDP, 20 of IP.
const PACKET: u64 = 540;

fn kbps(packets: u64, over: u64) -> f64 {
    packets as f64 * 512.0 * 8e-3 / over as f64
}

fn string_kbps(hops: u16, threshold: u64, seed: u64, over: u64) -> f64 {
    let mut air = Air::new(&ns3_radio(threshold), &string(u64::from(hops) + 1), seed);
    let [from, to] = [0, hops].map(anabranch_link::fabric::Station::new);
    assert!(air.mesh.route_statically(from, to));
    kbps(air.saturate(&[(0, hops)], PACKET, seconds(5), seconds(5 + over))[0], over)
}

/// DIFS, the mean back-off, the data, SIFS and the ACK; with RTS and CTS as well.
#[test]
fn one_hop_carries_what_its_times_say() {
    for (threshold, stated) in [(2_346, 748.3), (20, 666.0)] {
        let found = string_kbps(1, threshold, 1, 300);
        assert!((found / stated - 1.0).abs() < 0.002, "threshold {threshold}: {found} of {stated} kbit/s");
    }
}

/// Bianchi's law for stations around a sink, all of which hear each other.
#[test]
fn saturated_stations_share_the_air_as_bianchis_law_says() {
    let table = include_str!("../../../tests/oracle/ns3/bianchi.open.csv");
    let mut rows = 0;
    for row in table.lines().filter(|row| row.starts_with("dsss_1mbps")) {
        let cells: Vec<&str> = row.split(',').collect();
        let (access, count): (&str, u16) = (cells[1], cells[5].parse().expect("a number"));
        let stated = 1e3 * cells[8].parse::<f64>().expect("a number");
        if count > 20 || ![2, 3, 5, 10, 20].contains(&count) {
            continue;
        }
        rows += 1;
        let threshold = if access == "basic" { 2_346 } else { 20 };
        let around = (0..count).map(|index| {
            let angle = f64::from(index) / f64::from(count) * std::f64::consts::TAU;
            at((100.0 + 50.0 * angle.cos()) as u64, (100.0 + 50.0 * angle.sin()) as u64)
        });
        let all: Vec<_> = std::iter::once(at(100, 100)).chain(around).collect();
        let mut radio = ns3_radio(threshold);
        // Bianchi's stations never give a frame up.
        (radio.short_retry, radio.long_retry) = (255, 255);
        let mut air = Air::new(&radio, &all, 1);
        let flows: Vec<(u16, u16)> = (1..=count).map(|index| (index, 0)).collect();
        for (from, to) in &flows {
            let [from, to] = [*from, *to].map(anabranch_link::fabric::Station::new);
            air.mesh.route_statically(from, to);
        }
        let found: u64 = air.saturate(&flows, PACKET, seconds(5), seconds(605)).iter().sum();
        let found = kbps(found, 600);
        println!("{access} {count}: {found:.1} of {stated:.1}, {:+.2} %", 100.0 * (found / stated - 1.0));
        assert!(
            (found / stated - 1.0).abs() < 0.02,
            "{access}, {count} stations: {found} of {stated} kbit/s"
        );
    }
    assert!(rows >= 8, "{rows} rows");
}

/// ns-3's stations, by the rows of `dcf` over UDP whose receptions are destroyed by any overlap.
#[test]
fn strings_carry_what_ns_3s_do() {
    let table = include_str!("../../../tests/oracle/ns3/dcf.open.csv");
    let (mut rows, mut near) = (0, 0);
    for row in table.lines().filter(|row| row.starts_with("udp,overlap")) {
        let cells: Vec<&str> = row.split(',').collect();
        let number = |column: usize| cells[column].parse::<f64>().expect("a number");
        let [senders, hops, threshold] = [3, 4, 5].map(|column| number(column) as u64);
        if senders > 0 || number(6) != 512.0 {
            continue;
        }
        let (stated, interval) = (number(13), number(15));
        let runs = (1..=4).map(|seed| string_kbps(hops as u16, threshold, seed, 60));
        let found = runs.sum::<f64>() / 4.0;
        rows += 1;
        let is_near = (found - stated).abs() <= 0.06 * stated + interval;
        near += u32::from(is_near);
        println!("{hops} hops, {threshold} B: {found:.1} of {stated:.1} ± {interval:.1} {is_near}");
    }
    assert!(rows > 0 && f64::from(near) >= 0.85 * f64::from(rows), "{near} of {rows} rows");
}
