//! Two endpoints without sockets, clock or threads: this program carries the packets, and says what time it is. A
//! simulated second takes no time.
//!
//! ```sh
//! cargo run -p anabranch-sctp --example without_io
//! ```
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use std::error::Error;

use anabranch_sctp::association::{Association, Outgoing, Reliability};
use anabranch_sctp::base::{ByteCount, Duration, Seed, Time};
use anabranch_sctp::config::Config;
use anabranch_sctp::endpoint::{Arrival, AssociationId, Channel, Endpoint, EndpointConfig};
use anabranch_sctp::event::Event;
use anabranch_sctp::policy::Registry;
use anabranch_sctp::wire::{Ppid, StreamId};

/// The delay of each packet.
const DELAY: Duration = Duration::from_millis(20);

fn main() -> Result<(), Box<dyn Error>> {
    println!("an answer after {}", converse()?);
    Ok(())
}

/// Sends a question and waits for the answer; returns when it came.
fn converse() -> Result<Time, Box<dyn Error>> {
    let mut network = Network { now: Time::ZERO, flying: Vec::new() };
    let mut ends = [endpoint("10.0.0.1:9899", 1)?, endpoint("10.0.0.2:9899", 2)?];
    let client = ends[0].connect(&["10.0.0.2:9899".parse()?])?;
    let mut is_answered = false;
    // Handles what is due next, until nothing is or the answer is here.
    loop {
        for end in 0..2 {
            network.collect(end, &mut ends[end]);
            while let Some((id, event)) = ends[end].poll_event() {
                println!("{} end {end}: {event:?}", network.now);
                match event {
                    Event::Connected if end == 0 => say(&mut ends[0], client, network.now, "hello?")?,
                    Event::Readable => {
                        let heard = ends[end].association_mut(id).and_then(Association::receive);
                        let heard = heard.ok_or("it is readable")?.into_bytes();
                        match end {
                            0 => is_answered = heard == "hello!",
                            _ => say(&mut ends[1], id, network.now, "hello!")?,
                        }
                    }
                    _ => {}
                }
            }
            network.collect(end, &mut ends[end]);
        }
        if is_answered {
            return Ok(network.now);
        }
        network.advance(&mut ends)?;
    }
}

fn endpoint(local: &str, seed: u64) -> Result<Endpoint, Box<dyn Error>> {
    let config = EndpointConfig {
        association: Config::rfc9260(),
        registry: Registry::standard(),
        port: 9899,
        accepts: true,
        local: vec![local.parse()?],
        max_associations: 16,
    };
    // A real endpoint takes its seed from the operating system: `Seed::from_entropy`.
    Ok(Endpoint::new(config, Seed::from_number(seed))?)
}

fn say(end: &mut Endpoint, id: AssociationId, now: Time, text: &'static str) -> Result<(), Box<dyn Error>> {
    let association = end.association_mut(id).ok_or("there is one")?;
    let (stream, ppid) = (StreamId::new(0), Ppid::new(0));
    association.send(
        now,
        Outgoing {
            stream,
            ppid,
            unordered: false,
            immediate: false,
            reliability: Reliability::Full,
            payload: text.into(),
        },
    )?;
    Ok(())
}

/// Packets on their way, with the end that they go to.
struct Network {
    now: Time,
    flying: Vec<(Time, usize, Arrival)>,
}

impl Network {
    /// Takes everything that an end wants to send now.
    fn collect(&mut self, from: usize, end: &mut Endpoint) {
        let mut bytes = Vec::new();
        while let Some(departure) = end.poll_transmit(self.now, &mut bytes, 1) {
            let arrival = Arrival {
                // The remote address of one end is the local one of the other.
                local: departure.remote,
                remote: departure.local,
                channel: Channel::PLAIN,
                ecn: departure.transmit.ecn,
                memory: ByteCount::of_len(bytes.len()),
                bytes: std::mem::take(&mut bytes).into(),
            };
            self.flying.push((self.now + DELAY, 1 - from, arrival));
        }
    }

    /// Goes on to the next packet that arrives or timer that is due.
    fn advance(&mut self, ends: &mut [Endpoint; 2]) -> Result<(), &'static str> {
        let arrivals = self.flying.iter().map(|(at, ..)| *at);
        let timers = ends.iter().filter_map(Endpoint::poll_timeout);
        self.now = arrivals.chain(timers).min().ok_or("nothing will ever happen again")?;
        let (due, flying) = self.flying.drain(..).partition(|(at, ..)| *at <= self.now);
        self.flying = flying;
        for (_, to, arrival) in Vec::from_iter::<Vec<_>>(due) {
            ends[to].handle(self.now, &arrival);
        }
        for end in ends {
            if end.poll_timeout().is_some_and(|due| due <= self.now) {
                end.handle_timeout(self.now);
            }
        }
        Ok(())
    }
}

#[test]
fn the_answer_comes_after_three_round_trips() {
    // Two for the handshake, one for the question.
    assert_eq!(converse().expect("an answer"), Time::ZERO + DELAY * 6);
}
