//! Opening an association: the four ways, lost packets, and what a stranger may try (RFC 9260 §5).

mod pair;

use anabranch_base::Duration;
use anabranch_sctp::config::Config;
use pair::{End, Pair};

#[test]
fn four_packets_open_an_association() {
    let mut pair = Pair::new(Config::rfc9260(), 1);
    pair.connect();
    pair.run_for(Duration::from_millis(100));
    assert_eq!(
        pair.take_log(),
        ["A -> INIT -> Z", "Z -> INIT-ACK -> A", "A -> COOKIE-ECHO -> Z", "Z -> COOKIE-ACK -> A",]
    );
    assert!(pair.at(End::A).is_open() && pair.at(End::Z).is_open());
}

#[test]
fn data_flows() {
    let mut pair = Pair::open(Config::rfc9260(), 2);
    for _ in 0..20 {
        pair.send(End::A, 1000);
    }
    pair.run_for(Duration::from_secs(2));
    for l in pair.take_log() {
        println!("{l}");
    }
    assert_eq!(pair.receive(End::Z).len(), 20);
    pair.close(End::A);
    pair.run_for(Duration::from_secs(2));
    for l in pair.take_log() {
        println!("{l}");
    }
    assert!(pair.closed(End::A).is_some());
    assert!(pair.closed(End::Z).is_some());
}
