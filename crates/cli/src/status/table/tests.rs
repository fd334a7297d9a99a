//! Blocks of a laptop, of a busy server, and of answers with hostile text.

use super::*;

fn path(link: &str, remote: &str) -> PathAnswer {
    PathAnswer {
        link: Some(link.to_owned()),
        local: "10.0.0.2:40000".to_owned(),
        remote: remote.to_owned(),
        state: "active".to_owned(),
        rtt_s: Some(0.0213),
        cwnd_bytes: 120_000,
        sent_bps: 1_250_000.0,
        received_bps: 12_340_000.0,
        retransmitted_chunks: 3,
        ..PathAnswer::default()
    }
}

fn flow(id: u64) -> FlowAnswer {
    FlowAnswer {
        id,
        kind: "tcp".to_owned(),
        client: format!("127.0.0.1:{}", 50_000 + id),
        destination: Some("a-long-name.of-a-host.example.org:443".to_owned()),
        open_s: 72.0,
        sent_bytes: 1_000_000,
        received_bytes: 80_000_000,
        sent_bps: 120_000.0,
        received_bps: 11_000_000.0,
    }
}

fn laptop() -> Answer {
    let link = |name: &str, role: &str, max_bytes| LinkAnswer {
        name: name.to_owned(),
        role: role.to_owned(),
        charged_bytes: 1_200_000_000,
        used_bytes: 1_100_000_000,
        max_bytes,
        ..LinkAnswer::default()
    };
    let paths = vec![path("wlan0", "192.0.2.1:9899"), path("wwan0", "192.0.2.1:9899")];
    let refused = [("not-allowed".to_owned(), 2), ("host-unreachable".to_owned(), 1)];
    Answer {
        role: "programs".to_owned(),
        pid: 4711,
        uptime_s: 7_200.0,
        links: vec![link("wlan0", "ordinary", None), link("wwan0", "backup", Some(2_000_000_000))],
        bonds: vec![BondAnswer {
            peer: "192.0.2.1:9899".to_owned(),
            connected_s: 720.0,
            paths,
            finding: None,
        }],
        flows: (0..3).map(flow).collect(),
        totals: TotalsAnswer {
            flows_open: 3,
            flows_opened: 345,
            flows_refused: refused.into(),
            sent_bytes: 1_234_567,
            ..TotalsAnswer::default()
        },
        ..Answer::default()
    }
}

fn assert_fitting(text: &str) {
    let text = crate::report::wrapped(text);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn a_laptop_shows_its_links_paths_and_flows_in_twenty_lines() {
    let text = block(&laptop());
    assert_fitting(&text);
    assert!(text.lines().count() <= LINES, "{text}");
    for part in [
        "anabranch forward, process 4711, up for 2.0 h",
        "bond with 192.0.2.1:9899, connected for 12 min",
        "wwan0   active   21.3 ms",
        "backup, 1.10 GB of max 2.00 GB",
        "11.0 Mbit/s",
        "flows: 3 open, 345 opened, 0 broken, 3 refused (host-unreachable 1, not-allowed 2)",
        "sent 1.23 MB (0 bit/s)",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn many_flows_bonds_and_clients_are_cut_short_and_counted() {
    let client = |number: u32| {
        let totals = TotalsAnswer { received_bps: f64::from(number), ..TotalsAnswer::default() };
        ClientAnswer { name: format!("client-{number}"), totals }
    };
    let bond = |number: u32| BondAnswer {
        peer: format!("client-{number}"),
        paths: vec![path("eth0", "192.0.2.1:9899")],
        ..BondAnswer::default()
    };
    let answer = Answer {
        role: "destinations".to_owned(),
        bonds: (0..40).map(bond).collect(),
        more_bonds: 7,
        clients: (0..40).map(client).collect(),
        flows: (0..1_000).map(flow).collect(),
        more_flows: 9_000,
        ..Answer::default()
    };
    let text = block(&answer);
    assert_fitting(&text);
    for part in ["forward --serve", "47 bonds", "and 28 more paths", "client-39", "and 35 more clients"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains(&format!("and {} more flows", 10_000 - FEWEST_FLOWS)), "{text}");
    assert!(text.lines().count() < 40, "{text}");
}

#[test]
fn paths_of_one_link_are_told_apart_and_foreign_text_does_not_move_the_cursor() {
    let mut answer = laptop();
    answer.bonds[0].paths[1] = path("wlan0", "198.51.100.1:9899");
    answer.flows[0].destination = Some("\u{1b}[2Jevil\n:80".to_owned());
    answer.bonds[0].peer = "x".repeat(10_000);
    let text = block(&answer);
    assert!(text.contains("wlan0 → 192.0.2.1:9899") && text.contains("wlan0 → 198.51.100.1:9899"), "{text}");
    assert!(text.contains("\\u{1b}[2Jevil :80"), "{text}");
    assert!(text.len() < 4_000, "{text}");
}

#[test]
fn a_bond_with_a_finding_has_a_line_for_it() {
    let mut answer = laptop();
    answer.bonds[0].finding = Some("the receive buffer\u{1b}[2J of the other end is small".to_owned());
    let text = block(&answer);
    assert!(text.contains("\nthe receive buffer\\u{1b}[2J of the other end is small\n"), "{text}");
    assert_fitting(&text);
}

#[test]
fn an_answer_without_anything_has_a_block_too() {
    let text = block(&Answer::default());
    assert!(text.contains("no bond at present") && text.contains("none refused"), "{text}");
    assert_fitting(&text);
}
