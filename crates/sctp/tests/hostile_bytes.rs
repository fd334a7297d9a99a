//! The bodies of the fuzz targets on bytes of our own: random ones, and ones that begin as something sound.
//! Findings of a fuzzer are kept here by name.

mod hostile;
mod pair;

use anabranch_base::Duration;
use anabranch_sctp::config::Config;
use anabranch_sctp::wire::{Checksum, CommonHeader, Packet};
use hostile::{STATES, association, chunks, cookie, framed, handshake, is_entered, packet, parameters};
use pair::{End, Pair};

/// Xorshift: the same inputs on every machine.
struct Bytes(u64);

impl Bytes {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn take(&mut self, most: u64) -> Vec<u8> {
        let length = self.next() % most;
        (0..length).map(|_| (self.next() >> 32) as u8).collect()
    }
}

fn on_random_bytes(seed: u64, times: u32, most: u64, body: fn(&[u8])) {
    let mut bytes = Bytes(seed);
    for _ in 0..times {
        body(&bytes.take(most));
    }
}

#[test]
fn packets_of_any_bytes() {
    on_random_bytes(1, 20_000, 200, packet);
    on_random_bytes(2, 200, 60_000, packet);
}

#[test]
fn chunks_of_any_content() {
    on_random_bytes(3, 20_000, 400, chunks);
    on_random_bytes(4, 200, 20_000, chunks);
}

#[test]
fn parameters_and_causes_of_any_bytes() {
    on_random_bytes(5, 50_000, 100, parameters);
    // The same with lengths that often fit.
    let mut bytes = Bytes(6);
    for _ in 0..20_000 {
        let mut sound = vec![bytes.next() as u8];
        for _ in 0..bytes.next() % 6 {
            let value = bytes.take(12);
            sound.extend(((bytes.next() % 16) as u16 | ((bytes.next() % 4) as u16) << 14).to_be_bytes());
            sound.extend((value.len() as u16 + 4).to_be_bytes());
            sound.extend(&value);
            sound.resize(sound.len().next_multiple_of(4) + 1, 0);
        }
        parameters(&sound);
    }
}

#[test]
fn cookies_of_any_bytes() {
    on_random_bytes(7, 1_500, 200, cookie);
}

#[test]
fn every_state_can_be_attacked() {
    for state in STATES {
        for victim in [End::A, End::Z] {
            for pipes in [1, 2] {
                assert!(is_entered(state, victim, pipes), "{victim:?} in {state:?}, {pipes} pipes");
            }
        }
    }
}

#[test]
fn a_peer_that_sends_whatever_it_likes_in_every_state() {
    let mut bytes = Bytes(8);
    for state in 0..STATES.len() as u8 {
        for (times, most) in [(2_000, 600), (50, 8_000)] {
            for _ in 0..times {
                association(&[&[state, bytes.next() as u8], bytes.take(most).as_slice()].concat());
            }
        }
    }
}

#[test]
fn arbitrary_handshakes_of_strangers_do_not_disturb_an_honest_peer() {
    on_random_bytes(11, 2_000, 1_500, handshake);
}

#[test]
fn packets_of_a_dialogue_with_damage() {
    let real = dialogue();
    let mut bytes = Bytes(10);
    for _ in 0..20_000 {
        let mut damaged = real[bytes.next() as usize % real.len()].clone();
        packet(&damaged);
        for _ in 0..1 + bytes.next() % 4 {
            let at = CommonHeader::LEN + bytes.next() as usize % (damaged.len() - CommonHeader::LEN);
            damaged[at] = (bytes.next() >> 32) as u8;
        }
        damaged.truncate(damaged.len() - (bytes.next() % 5) as usize);
        let header = Packet::decode(&damaged, Checksum::Omitted).expect("a header").header();
        packet(&framed(header, &damaged[CommonHeader::LEN..]));
    }
}

/// The packets of a whole life over two paths, with DATA that gets lost.
fn dialogue() -> Vec<Vec<u8>> {
    let mut pair = Pair::new(Config::rfc9260(), 2);
    pair.keep_packets();
    pair.connect();
    pair.run_for(Duration::from_secs(5));
    pair.drop_next(End::A, 0);
    for length in [10, 3_000, 20_000] {
        pair.send(End::A, length);
        pair.send(End::Z, length);
    }
    pair.run_for(Duration::from_secs(5));
    pair.close(End::A);
    pair.run_for(Duration::from_secs(5));
    let packets: Vec<_> = pair.log.iter().map(|line| line.bytes.to_vec()).collect();
    assert!(packets.len() > 30, "{:?}", pair.log);
    packets
}
