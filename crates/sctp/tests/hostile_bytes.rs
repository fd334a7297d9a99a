//! The bodies of the fuzz targets on bytes of our own: random ones, and ones that begin as something sound.
//! What a fuzzer found is kept here by name.

mod hostile;
mod pair;

use hostile::{association, chunks, cookie, packet, parameters};

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
    on_random_bytes(7, 2_000, 200, cookie);
}

#[test]
fn a_peer_that_sends_whatever_it_likes() {
    on_random_bytes(8, 3_000, 600, association);
    on_random_bytes(9, 100, 8_000, association);
}
