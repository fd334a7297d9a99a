//! `anabranch demo`: a receiver, a sender and two links between them in one process, on real sockets. Half-way
//! one link is cut. It knows the play; each part is the one that real transfers use.

mod cable;
mod story;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use anabranch_base::{BitRate, ByteCount, Duration};
use anabranch_net::{Endpoint, Options};
use anabranch_sctp::config::{Config, IpVersion};
use serde_json::json;

use cable::{Cable, Link};
use story::{Cut, Story};

use crate::addresses::bind_failure;
use crate::arguments::DemoArguments;
use crate::clock::Stopwatch;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::live::watched;
use crate::peer::Peer;
use crate::report::{self, Document, Outcome};
use crate::settings;
use crate::transfer::{Overwrite, Progress, Source, Store, receive_files, send_files};
use crate::view::{OnPipe, View};
use crate::watch::{Direction, Watch};

/// Runs the command.
///
/// # Errors
/// Where the stage cannot be set: no second loopback address, no room for the file.
pub async fn run(arguments: &DemoArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let output = arguments.output;
    let config = settings::with(settings::for_tools(ADDRESSES.len()), &arguments.settings)?;
    let folder = tempfile::tempdir()?;
    let (original, inbox) = (folder.path().join("demo.bin"), folder.path().join("received"));
    std::fs::create_dir(&inbox)?;
    write_file(&original)?;
    let stage = Stage::set(&config).await?;
    if !output.quiet {
        let opening = opening();
        if output.is_json() { eprintln!("{opening}") } else { report::print_line(&opening) }
    }
    let to = stage.cables.each_ref().map(Cable::address);
    let peer = Peer::new(to.to_vec());
    let association = stage.sender.connect(&to).await.map_err(|error| peer.not_opened(error))?;
    let clock = Stopwatch::start();
    let (sent, received) = (Progress::new(clock), Progress::new(clock));
    let name = move |report: &anabranch_net::PathReport| {
        let is_second = report.addresses.remote == to[1];
        if is_second { "link B".to_owned() } else { "link A".to_owned() }
    };
    let mut watch = Watch::new(clock, Direction::Sending, name);
    let mut view = View::new(output, OnPipe::Lines);
    let mut cut = None;
    let work = async {
        let sources = vec![Source::open(&original, None)?];
        let store = Store::open(&inbox, Overwrite::Never)?;
        let sending = send_files(&association, &peer, sources, &sent);
        let receiving = receive(&stage.receiver, store, &received);
        let cutting = async { cut = Some(cut_half_way(&stage.cables[1], clock, &received).await) };
        let both = async { tokio::try_join!(sending, receiving) };
        tokio::pin!(both, cutting);
        tokio::select! {
            ended = &mut both => ended.map(|_| ()),
            () = &mut cutting => both.await.map(|_| ()),
        }
    };
    let result = watched(&association, &mut watch, &mut view, &received, interrupt, work).await;
    let story = Story {
        size: SIZE,
        link: LINK,
        payload: config.largest_payload(IpVersion::V4),
        noticed_after: Story::noticed(cut, &watch),
        stall: received.longest_gap_since(cut.map_or(clock.now(), |cut| cut.at)),
        took: received.duration(),
        cut,
    };
    let resolved = json!({ "links": 2, "sctp": settings::resolved(&config) });
    let document = Document::new(&watch, &received, resolved).with("demo", story.numbers());
    let summary =
        if result.is_ok() { story.tell(&watch, &received) } else { report::table(&watch, story.took) };
    Ok(Outcome { document: Some(document.into()), summary, failure: result.err() })
}

/// Two endpoints and what lies between them.
struct Stage {
    receiver: Endpoint,
    sender: Endpoint,
    cables: [Cable; 2],
}

impl Stage {
    async fn set(config: &Config) -> Result<Stage, Failure> {
        let local: Vec<SocketAddr> = ADDRESSES.iter().map(|ip| SocketAddr::new(*ip, 0)).collect();
        let receiver = bind(local.clone(), config, Role::Receiver)?;
        let sender = bind(local, config, Role::Sender)?;
        let servers = receiver.local_addresses();
        let [a, b] = ADDRESSES;
        let cables = [Cable::lay(a, servers[0], LINK).await?, Cable::lay(b, servers[1], LINK).await?];
        Ok(Stage { receiver, sender, cables })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Sender,
    Receiver,
}

fn bind(local: Vec<SocketAddr>, config: &Config, role: Role) -> Result<Endpoint, Failure> {
    let options =
        Options { local, accepts: role == Role::Receiver, config: config.clone(), ..Options::default() };
    Endpoint::bind(options).map_err(|error| bind_failure(&error))
}

async fn receive(endpoint: &Endpoint, store: Store, progress: &Progress) -> Result<(), Failure> {
    let Some(association) = endpoint.accept().await else {
        return Err(Failure::System(std::io::Error::other("the receiver's sockets were closed")));
    };
    let from = association.paths().iter().map(|path| path.addresses.remote).collect();
    receive_files(&association, &Peer::new(from), store, progress).await
}

/// Waits until half of the file has arrived, then cuts `cable`.
async fn cut_half_way(cable: &Cable, clock: Stopwatch, received: &Progress) -> Cut {
    while received.bytes() < SIZE / 2 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    cable.cut();
    Cut { at: clock.now(), after: received.duration(), arrived: received.bytes() }
}

fn opening() -> String {
    format!(
        "Two links, {} and {} ms each way, lie between a sender and a receiver. {} MB go over both at once.\n\
         Half-way, link B is cut.\n",
        LINK.rate,
        LINK.delay.as_millis(),
        SIZE.get() / 1_000_000
    )
}

/// Bytes that look random, the same each time.
fn write_file(path: &Path) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let mut state = 1_u64;
    for _ in 0..SIZE.get() / 8 {
        // A linear congruential generator with the multiplier of L'Ecuyer (1999), table 4.
        state = state.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(3_037_000_493);
        file.write_all(&state.to_le_bytes())?;
    }
    file.flush()
}

const SIZE: ByteCount = ByteCount::new(64_000_000);

const ADDRESSES: [IpAddr; 2] =
    [IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 1)), IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 2))];

/// A queue of 20 ms: twice the product of rate and round trip.
const LINK: Link =
    Link { rate: BitRate::from_mbps(80), delay: Duration::from_millis(5), queue: ByteCount::new(200_000) };
