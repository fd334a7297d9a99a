//! Bonds that end and their links, in numbers and over a real association.

use anabranch_net::{Endpoint, Options, Security};

use super::*;
use crate::settings;

fn link(name: &str, sent: u64) -> Link {
    Link {
        name: name.to_owned(),
        role: PathRole::Ordinary,
        most: Some(ByteCount::new(1_000)),
        used: ByteCount::new(sent),
        is_used_up: true,
        sent: ByteCount::new(sent),
        received: ByteCount::new(1),
    }
}

fn merge(bonds: &[&[Link]], present: &[Link], shares_links: bool) -> Vec<(String, u64, u64, bool)> {
    let bonds_of = Bonds::new(shares_links);
    let mut register = bonds_of.lock();
    bonds.iter().flat_map(|links| *links).for_each(|link| register.keep(link.clone()));
    let merged = merged(present.to_vec(), register.links.clone(), shares_links);
    merged.into_iter().map(|link| (link.name, link.sent.get(), link.used.get(), link.is_used_up)).collect()
}

#[test]
fn what_a_link_carried_for_earlier_bonds_stays_and_each_bond_has_the_whole_limit() {
    let [wifi, lte] = [link("wlan0", 10), link("wwan0", 100)];
    let told = merge(&[&[wifi, lte], &[link("wlan0", 10)]], &[link("wlan0", 5)], false);
    assert_eq!(told, [("wlan0".to_owned(), 25, 5, true), ("wwan0".to_owned(), 100, 0, false)]);
}

#[test]
fn links_of_an_endpoint_that_all_bonds_share_are_counted_once() {
    let told = merge(&[&[link("eth0", 10)], &[link("eth0", 30)]], &[link("eth0", 40)], true);
    assert_eq!(told, [("eth0".to_owned(), 40, 40, true)]);
    assert_eq!(merge(&[&[link("eth0", 10)]], &[], true), [("eth0".to_owned(), 10, 10, true)]);
}

#[test]
fn links_and_clients_without_end_are_bounded() {
    let bonds = Bonds::new(false);
    let mut register = bonds.lock();
    for number in 0..3_000 {
        register.keep(link(&format!("ppp{number}"), 1));
        register.client(&format!("client-{number}"));
    }
    register.keep(link("ppp0", 1));
    assert_eq!((register.links.len(), register.losses.len()), (MOST_LINKS, MOST_CLIENTS + 1));
    assert_eq!(register.links["ppp0"].sent, ByteCount::new(2));
    assert_eq!(&*register.client("client-2999"), OTHERS);
    assert_eq!(&*register.client("client-7"), "client-7");
}

#[tokio::test]
async fn a_bond_is_open_until_its_entry_is_dropped_and_its_links_stay() {
    let endpoint = |accepts| {
        let local = vec!["127.0.0.1:0".parse().expect("an address")];
        let config = settings::for_forward();
        Endpoint::bind(Options { local, accepts, config, ..Options::with(Security::Insecure) })
            .expect("bound")
    };
    let (client, server) = (endpoint(false), endpoint(true));
    let remote = server.local_addresses();
    let (near, far) = tokio::join!(client.connect(&remote), server.accept());
    let (near, _far) = (near.expect("connected"), far.expect("accepted"));
    let bonds = Bonds::new(false);
    let entry = bonds.enter("192.0.2.1:9899", "local", &near);
    let open = bonds.open();
    assert_eq!((open.len(), &*open[0].peer, open[0].paths().len()), (1, "192.0.2.1:9899", 1));
    drop(open);
    drop(entry);
    assert!(bonds.open().is_empty());
    assert_eq!(bonds.opened(), 1);
    let links = bonds.links();
    assert!(links.len() == 1 && links[0].sent > ByteCount::ZERO && links[0].used.is_zero(), "{links:?}");
    assert!(bonds.losses().contains_key("local"));
}
