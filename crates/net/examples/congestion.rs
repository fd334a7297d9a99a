//! A custom congestion controller, chosen by its name in the registry: a window of constant size.
//!
//! ```sh
//! cargo run -p anabranch-net --example congestion
//! ```
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use std::error::Error;

use anabranch_net::base::ByteCount;
use anabranch_net::sctp::policy::congestion::{Acked, CongestionControl, CutCause, CutWindow, WindowRule};
use anabranch_net::sctp::policy::{PathId, View};
use anabranch_net::{Association, Config, Endpoint, Options, Registry, Security, SendOptions};

/// A fixed number of packets in flight on each path.
#[derive(Debug)]
struct Fixed {
    packets: u64,
}

impl WindowRule for Fixed {
    fn add_path(&mut self, _path: PathId) {}

    fn remove_path(&mut self, _path: PathId) {}

    /// The window follows one rule from the start.
    fn is_in_slow_start(&self, _path: PathId, _view: &View<'_>) -> bool {
        false
    }

    /// Grows to the window at the first acknowledgement, and no further.
    fn increase(&mut self, path: PathId, _acked: &Acked, view: &View<'_>) -> ByteCount {
        let path = view.path(path);
        (path.unit * self.packets).saturating_sub(path.cwnd)
    }

    /// Does not shrink at a loss. After a time-out one packet tests whether the path still works.
    fn decrease(&mut self, path: PathId, cause: CutCause, view: &View<'_>) -> CutWindow {
        let path = view.path(path);
        let cwnd = match cause {
            CutCause::Timeout | CutCause::TimeoutAgain | CutCause::TimeoutAfterEcn => path.unit,
            _ => path.cwnd,
        };
        CutWindow { cwnd, ssthresh: path.ssthresh }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (near, far) = associate(20).await?;
    for _ in 0..20 {
        near.send(vec![0; 50_000], SendOptions::default()).await?;
        far.recv().await?;
    }
    for path in near.paths() {
        println!("{}: window {}, {} a packet", path.id, path.sample.cwnd, path.sample.unit);
        if path.sample.cwnd != path.sample.unit * 20 {
            return Err(format!("the window is {}", path.sample.cwnd).into());
        }
    }
    near.close().await?;
    Ok(())
}

/// An association whose ends have windows of `packets` packets.
async fn associate(packets: u64) -> Result<(Association, Association), Box<dyn Error>> {
    let mut registry = Registry::standard();
    registry.congestion_controls.add("fixed", move |_| Box::new(CongestionControl::rule(Fixed { packets })));
    let config = Config { congestion_control: "fixed".to_owned(), ..Config::default() };
    let options = |accepts| -> Result<Options, std::net::AddrParseError> {
        let local = vec!["127.0.0.1:0".parse()?];
        let (config, registry) = (config.clone(), registry.clone());
        Ok(Options { local, accepts, config, registry, ..Options::with(Security::Insecure) })
    };
    let (server, client) = (Endpoint::bind(options(true)?)?, Endpoint::bind(options(false)?)?);
    let near = client.connect(&server.local_addresses()).await?;
    let far = server.accept().await.ok_or("the runtime ends")?;
    Ok((near, far))
}

#[test]
fn the_window_stays_as_it_is_told() {
    main().expect("the window is fixed");
}
