//! SCTP, TCP and UDP over a string of radio stations: against ns-3 and ns-2 (`tests/oracle/ns3`), and among themselves.

use anabranch_sim::RunResult;

use crate::oracle::{Row, Table};
use crate::worlds::{only, run, scenario};

const SEEDS: u64 = 5;

/// So many stations in a line, 250 m apart, with these settings of their radios.
fn stations(count: u32, radio: &str) -> String {
    let nodes = (0..count).map(|node| format!("[[node]]\nname = \"n{node}\"\nx = \"{} m\"\n", 250 * node));
    format!("[radio]\n{radio}\n{}", nodes.collect::<String>())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// ns-3's string with TCP. The packets have no options, where ours have 12 bytes of them: the segments of 500 bytes make
/// packets of the same 552 bytes, and the goodput counts 512 of them.
fn ns3_tcp(row: &Row<'_>) -> String {
    let hops = row.number("hops") as u32;
    let threshold = row.text("rts_threshold");
    let capture = if row.text("reception") == "capture" { "capture = 0.0" } else { "" };
    let radio = format!(
        "mac_header = \"28 B\"\nrts_threshold = \"{threshold} B\"\nretry_count = \"standard\"\n{capture}"
    );
    let window = match row.text("tcp_window_segs") {
        "0" => "127",
        window => window,
    };
    format!(
        "[run]\ntime = \"65 s\"\nwarmup = \"5 s\"\n{}
        [[flow]]\nfrom = \"n0\"\nto = \"n{hops}\"\nrouting = \"static\"\nprotocol = \"tcp\"
        [flow.tcp]\nvariant = \"sack\"\ngrowth = \"per-ack\"\nmss = \"500 B\"\nwindow = \"{window} packets\"\nmin_rto = \"1 s\"\n",
        stations(hops + 1, &radio)
    )
}

#[test]
fn tcp_over_one_to_three_hops_carries_what_it_does_in_ns3() {
    let table = Table::parse(include_str!("../../../tests/oracle/ns3/dcf.open.csv"));
    for reception in ["overlap", "capture"] {
        let (mut near, mut all) = (0.0, 0.0);
        for row in table.rows(&[("proto", "tcp"), ("reception", reception)]) {
            let scenario = scenario(&ns3_tcp(&row));
            let goodput = |seed| only(&run(&scenario, seed)).goodput_bps / 1e3 * 512.0 / 500.0;
            let mean = (1..=SEEDS).map(goodput).sum::<f64>() / SEEDS as f64;
            // A row of a single run has no interval.
            let interval =
                Some(row.number("ci95_kbps")).filter(|interval| interval.is_finite()).unwrap_or(0.0);
            let expected = row.number("goodput_kbps");
            all += 1.0;
            near += f64::from(u8::from((mean - expected).abs() <= 0.06 * expected + interval));
            let what = ["hops", "rts_threshold", "tcp_window_segs"].map(|name| row.text(name));
            println!(
                "{reception} {what:?}: {mean:.1} of {expected:.1} ({:+.1} %)",
                (mean / expected - 1.0) * 100.0
            );
        }
        assert!(all > 10.0 && near / all >= 0.85, "{reception}: {near} of {all} rows");
    }
}

/// ns-2's SCTP over DSR: a chunk of 512 bytes in a packet of 560.
fn ns2_sctp(row: &Row<'_>, flows: &[(&str, &str, f64)]) -> String {
    let threshold = row.text("rts_threshold");
    let radio = format!(
        "rts_threshold = \"{threshold} B\"\nretry_count = \"standard\"\nshort_retry = {}\nlong_retry = 4",
        row.text("short_retry")
    );
    // 1,500 bytes are the smallest buffer, and hold two packets.
    let buffer = (560 * row.number("window_mtu") as u64).max(1_500);
    let flow = |(from, to, start): &(&str, &str, f64)| {
        format!(
            "[[flow]]\nname = \"f{from}\"\nfrom = \"n{from}\"\nto = \"n{to}\"\nstart = \"{start} s\"
            [flow.sctp]\nprofile = \"rfc2960\"\nmtu = \"576 B\"\npayload = \"512 B\"\ncharge = \"packet\"
            receive_buffer = \"{buffer} B\"\nmissing_reports = 4\n"
        )
    };
    let flows: String = flows.iter().map(flow).collect();
    format!("[run]\ntime = \"100 s\"\nwarmup = \"6 s\"\n{}{flows}", stations(4, &radio))
}

/// Mean of a flow in kbit/s for each seed, as ns-2's rows have it.
fn rates(row: &Row<'_>, flows: &[(&str, &str, f64)]) -> Vec<Vec<f64>> {
    let scenario = scenario(&ns2_sctp(row, flows));
    let one = |seed| run(&scenario, seed).flows.iter().map(|flow| flow.goodput_bps / 1e3).collect();
    (1..=SEEDS).map(one).collect()
}

/// The medians of ns-2's five seeds and of five of ours. Where a station gives up after seven attempts, routes rarely
/// break, and 85 % of the rows must be within 15 %. With four attempts they break often, and the rows depend on what DSR
/// does then: ns-2's answers from caches and salvages, ours does neither. These rows are printed.
#[test]
fn sctp_over_one_to_three_hops_carries_what_it_does_in_ns2() {
    let table = Table::parse(include_str!("../../../tests/oracle/ns3/ch3_ns2.open.csv"));
    for limit in ["7", "4"] {
        let (mut near, mut all) = (0.0, 0.0);
        for row in table.rows(&[("scenario", "string"), ("short_retry", limit), ("seed", "1")]) {
            let what = ["hops", "window_mtu", "rts_threshold"].map(|name| (name, row.text(name)));
            let same: Vec<_> =
                [("scenario", "string"), ("short_retry", limit)].into_iter().chain(what).collect();
            let theirs = table.rows(&same).map(|row| row.number("mean_kbps")).collect();
            let ours = rates(&row, &[("0", row.text("hops"), 0.0)]).concat();
            let (found, expected) = (median(ours), median(theirs));
            all += 1.0;
            near += f64::from(u8::from((found / expected - 1.0).abs() <= 0.15));
            println!(
                "limit {limit} {what:?}: {found:.1} of {expected:.1} ({:+.1} %)",
                (found / expected - 1.0) * 100.0
            );
        }
        println!("limit {limit}: {near} of {all} rows");
        assert!(limit == "4" || near / all >= 0.85, "limit {limit}: {near} of {all} rows");
    }
}

#[test]
fn of_two_associations_the_same_starves_as_in_ns2() {
    let table = Table::parse(include_str!("../../../tests/oracle/ns3/ch3_ns2.open.csv"));
    for limit in ["7", "4"] {
        for row in table.rows(&[("scenario", "unfair1"), ("short_retry", limit), ("seed", "1"), ("src", "0")])
        {
            for rates in rates(&row, &[("0", "1", 0.5), ("2", "3", 5.0)]) {
                assert!(rates[0] < 0.1 * rates[1], "limit {limit}: {rates:?}");
            }
        }
        // In ns-2 the second starves in four of five runs with the limit 7; with 4 the loser varies, as it does not in ours.
        for row in table.rows(&[("scenario", "unfair2"), ("short_retry", limit), ("seed", "1"), ("src", "1")])
        {
            let runs = rates(&row, &[("1", "0", 0.5), ("2", "3", 5.0)]);
            println!("limit {limit}, unfair2: {runs:.0?}");
            let starved = runs.iter().filter(|rates| rates[1] < 0.1 * rates[0]).count();
            assert!(limit == "4" || starved >= 4, "limit {limit}: {runs:?}");
        }
    }
}

/// a hears b and c, d hears b and c, and they alternate: what b carried, c carries when b has disappeared.
#[test]
fn an_association_goes_on_over_another_station_when_one_disappears() {
    let diamond = r#"
        [run]
        time = "60 s"
        [[node]]
        name = "a"
        [[node]]
        name = "b"
        x = "200 m"
        y = "100 m"
        [[node]]
        name = "c"
        x = "200 m"
        [[node]]
        name = "d"
        x = "400 m"
        y = "100 m"
        [[flow]]
        from = "a"
        to = "d"
    "#;
    let event = |at: u32, node: &str, state: &str| {
        format!("[[event]]\nat = \"{at} s\"\nnode = \"{node}\"\nstate = \"{state}\"\n")
    };
    let carried = |events: &[String]| {
        let result = run(&scenario(&format!("{diamond}{}", events.concat())), 1);
        (
            only(&result).delivered.get(),
            [1, 2].map(|station| result.stations[station].counters.frames.iter().sum::<u64>()),
        )
    };
    let (undisturbed, _) = carried(&[]);
    let (rounds, frames) = carried(&[event(20, "b", "down"), event(40, "b", "up"), event(40, "c", "down")]);
    assert!(frames.iter().all(|frames| *frames > 300), "both carried: {frames:?}");
    assert!(rounds > undisturbed / 2, "{rounds} of {undisturbed}");
    let (cut, _) = carried(&[event(20, "b", "down"), event(20, "c", "down")]);
    assert!(cut < undisturbed / 2, "nothing arrives without either: {cut} of {undisturbed}");
}

/// A flow of each protocol from one end of the string to the other and back.
#[test]
fn sctp_tcp_and_udp_share_a_mesh_and_no_packet_is_lost_from_sight() {
    let flow = |(name, from, to, more): (&str, &str, &str, &str)| {
        format!("[[flow]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\n{more}\n")
    };
    let flows = [
        ("s", "n0", "n2", "transfer = \"200 kB\""),
        (
            "t",
            "n2",
            "n0",
            "protocol = \"tcp\"\ntransfer = \"200 kB\"\n[flow.tcp]\nmss = \"500 B\"\nmin_rto = \"1 s\"",
        ),
        (
            "u",
            "n1",
            "n3",
            "protocol = \"udp\"\ntraffic = { kind = \"cbr\", rate = \"20 kbit/s\", message = \"200 B\" }",
        ),
    ];
    let text = format!("[run]\ntime = \"120 s\"\n{}{}", stations(4, ""), flows.map(flow).concat());
    let result: RunResult = run(&scenario(&text), 1);
    for flow in &result.flows[..2] {
        assert_eq!(flow.delivered.get(), 200_000, "{}: {flow:#?}", flow.name);
    }
    assert!(result.flows[2].goodput_bps > 10e3, "{:#?}", result.flows[2]);
}
