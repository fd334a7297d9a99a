//! A video call over two paths: frames with deadlines. Each frame is a message. Key frames have full effort, because later
//! frames need them; the others are given up when they are too late, so that none delays the next.
//!
//! ```sh
//! cargo run -p anabranch-net --example video
//! ```
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use std::error::Error;
use std::time::Duration;

use anabranch_net::{
    Association, Clock, Config, Endpoint, GivenUpCounters, Options, Security, SendError, SendOptions,
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (sent, received) = call(250).await?;
    let Sent { frames, expired, given_up } = sent;
    println!("{frames} frames, {expired} expired before they were queued, then {given_up:?}");
    println!(
        "{:.1} % in time, {} late; key frames: {} of {}",
        100.0 * f64::from(received.in_time) / f64::from(frames),
        received.late,
        received.key_frames,
        frames.div_ceil(KEY_INTERVAL)
    );
    Ok(())
}

/// The frames at the sender.
struct Sent {
    frames: u32,
    expired: u32,
    given_up: GivenUpCounters,
}

/// The frames at the receiver.
#[derive(Default)]
struct Received {
    in_time: u32,
    late: u32,
    key_frames: u32,
}

/// Sends so many frames from one end to another, over two paths of the loopback interface.
async fn call(frames: u32) -> Result<(Sent, Received), Box<dyn Error>> {
    let options = |accepts| -> Result<Options, std::net::AddrParseError> {
        let local = vec!["127.0.0.1:0".parse()?, "127.0.0.2:0".parse()?];
        // Both ends must set it, or every message has full effort.
        let config = Config { partial_reliability: true, ..Config::tuned_2() };
        Ok(Options { local, accepts, config, ..Options::with(Security::Insecure) })
    };
    let (server, client) = (Endpoint::bind(options(true)?)?, Endpoint::bind(options(false)?)?);
    let near = client.connect(&server.local_addresses()).await?;
    let far = server.accept().await.ok_or("the runtime ends")?;
    // Both ends read one clock, as they are in one program.
    let clock = Clock::start();
    let receiving = async { Ok::<_, Box<dyn Error>>(receive(&far, clock).await) };
    tokio::try_join!(send(&near, clock, frames), receiving)
}

/// Sends a frame when each is due, and closes.
async fn send(association: &Association, clock: Clock, frames: u32) -> Result<Sent, Box<dyn Error>> {
    let mut due = tokio::time::interval(FRAME);
    let mut expired = 0;
    for number in 0..frames {
        due.tick().await;
        let is_key = number % KEY_INTERVAL == 0;
        let options = if is_key { SendOptions::default() } else { SendOptions::default().lifetime(DEADLINE) };
        match association.send(frame(number, is_key, clock), options.unordered()).await {
            Ok(()) => {}
            // The send buffer had no room until it was too late: the camera goes on with the next frame.
            Err(SendError::Expired) => expired += 1,
            Err(error) => return Err(error.into()),
        }
    }
    association.close().await?;
    Ok(Sent { frames, expired, given_up: association.given_up() })
}

/// The time at which it was taken, its kind, and a picture: 40 kB, or 2 to 9 kB if it only says what has changed.
fn frame(number: u32, is_key: bool, clock: Clock) -> Vec<u8> {
    let size = if is_key { 40_000 } else { 2_000 + (number * 7_919 % 7_000) as usize };
    let mut frame = clock.now().as_nanos().to_be_bytes().to_vec();
    frame.push(u8::from(is_key));
    frame.resize(size, 0);
    frame
}

/// Counts frames until the peer closes.
async fn receive(association: &Association, clock: Clock) -> Received {
    let mut received = Received::default();
    while let Ok(message) = association.recv().await {
        let frame = message.into_bytes();
        let Some((taken, [kind, ..])) = frame.split_first_chunk() else { continue };
        let age = clock.now().as_nanos().saturating_sub(u64::from_be_bytes(*taken));
        let is_in_time = Duration::from_nanos(age) <= DEADLINE;
        received.in_time += u32::from(is_in_time);
        received.late += u32::from(!is_in_time);
        received.key_frames += u32::from(*kind == 1);
    }
    received
}

/// The time from one frame to the next: 50 frames a second.
const FRAME: Duration = Duration::from_millis(20);
/// The age at which a frame is of no use to the viewer.
const DEADLINE: Duration = Duration::from_millis(150);
/// One frame in so many is a key frame.
const KEY_INTERVAL: u32 = 50;

#[cfg(test)]
#[tokio::test]
async fn every_frame_is_in_time_or_accounted_for_and_no_key_frame_is_missing() {
    let (sent, received) = call(60).await.expect("a call to its end");
    let GivenUpCounters { unsent, sent: given_up, .. } = sent.given_up;
    let arrived = u64::from(received.in_time + received.late);
    assert!(arrived + unsent + given_up + u64::from(sent.expired) >= 60);
    assert!(arrived <= 60 && received.in_time > 0);
    assert_eq!(received.key_frames, 2);
}
