//! Both ends of an association: a server, a bond, and the events of each.

use std::fmt::Debug;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anabranch_forward::{
    Bond, Client, Destination, Event, Front, Gate, Ledger, Rate, Report, Reverse, ReversePermissions, Server,
    UdpPort,
};
use anabranch_net::sctp::config::StreamScheduler;
use anabranch_net::{Association, CloseReason, Config, Endpoint, Options, Security};
use tokio::net::{TcpListener, UdpSocket};
use tokio::task::JoinHandle;

/// The differences between parties.
pub(crate) struct Setup {
    pub(crate) allowed: &'static [&'static str],
    pub(crate) may_reverse: &'static [&'static str],
    pub(crate) most_flows: usize,
    pub(crate) most_associations: usize,
    pub(crate) streams: u16,
    pub(crate) rate: Rate,
    pub(crate) reverse: Vec<Reverse>,
}

impl Default for Setup {
    fn default() -> Setup {
        let allowed = &["127.0.0.0/8"];
        Setup {
            allowed,
            may_reverse: &[],
            most_flows: 1_000,
            most_associations: 2,
            streams: 4_096,
            rate: Rate::default(),
            reverse: Vec::new(),
        }
    }
}

/// The events of an end, the first one first.
#[derive(Clone, Default)]
pub(crate) struct Events(Arc<Mutex<Vec<Event>>>);

/// A server and a bond over one association.
pub(crate) struct Party {
    pub(crate) bond: Bond,
    /// The events of the bond.
    pub(crate) here: Events,
    /// The events of the server.
    pub(crate) there: Events,
    pub(crate) server: Arc<Server>,
    /// A handle of the association at the bond's end.
    pub(crate) near: Association,
    /// A handle of the association at the server's end.
    pub(crate) far: Association,
    pub(crate) carrying: JoinHandle<CloseReason>,
    pub(crate) serving: JoinHandle<CloseReason>,
    reverse: Vec<Reverse>,
    rate: Rate,
    _endpoints: (Endpoint, Endpoint),
}

impl Party {
    /// A party that forwards to loopback.
    pub(crate) async fn new() -> Party {
        Party::with(Setup::default()).await
    }

    pub(crate) async fn with(setup: Setup) -> Party {
        let (here, there) = (Events::default(), Events::default());
        let bond = Bond::new(here.report());
        let server = server(&setup, &there);
        let config = config(setup.streams);
        let Joined { near, far, endpoints } = join(config.clone(), config).await;
        let Setup { reverse, rate, .. } = setup;
        let (carrying, serving) = (carry(&bond, &near, &reverse), serve(&server, &far, &rate));
        Party {
            bond,
            here,
            there,
            server,
            near,
            far,
            carrying,
            serving,
            reverse,
            rate,
            _endpoints: endpoints,
        }
    }

    /// Carries a second association after the first has ended.
    pub(crate) async fn join_again(&mut self) {
        let Joined { near, far, endpoints } = join(config(4_096), config(4_096)).await;
        self.carrying = carry(&self.bond, &near, &self.reverse);
        self.serving = serve(&self.server, &far, &self.rate);
        (self.near, self.far, self._endpoints) = (near, far, endpoints);
    }

    /// The address of a new local port with the protocol `front`.
    pub(crate) async fn front(&self, front: Front) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("bound");
        tokio::spawn(front.serve(listener, self.bond.clone()));
        address
    }

    /// A local port whose connections go to `to`.
    pub(crate) async fn fixed(&self, to: SocketAddr) -> SocketAddr {
        self.front(Front::Fixed(to.into())).await
    }

    pub(crate) async fn socks(&self) -> SocketAddr {
        self.front(Front::Socks { is_full_cone: false }).await
    }

    /// A local UDP port whose datagrams go to `to`.
    pub(crate) async fn udp(&self, to: impl Into<Destination>, is_full_cone: bool) -> SocketAddr {
        let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a port");
        let address = socket.local_addr().expect("bound");
        tokio::spawn(UdpPort { socket, to: to.into(), is_full_cone }.serve(self.bond.clone()));
        address
    }
}

impl Events {
    pub(crate) fn report(&self) -> Report {
        let all = Arc::clone(&self.0);
        Report::to(move |event| {
            let mut all = all.lock().expect("no test panics here");
            if all.len() < MOST_EVENTS {
                all.push(event);
            }
        })
    }

    /// The events, as the operator reads them.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().expect("no test panics here").iter().map(ToString::to_string).collect()
    }

    /// Waits for an event whose line contains `text`, and returns it.
    pub(crate) async fn wait_for(&self, text: &str) -> Event {
        let found = || {
            let all = self.0.lock().expect("no test panics here");
            all.iter().find(|event| event.to_string().contains(text)).cloned()
        };
        until(&format!("an event with {text:?}"), || found().is_some()).await;
        found().expect("it was there")
    }
}

/// Both ends of an association, and their endpoints.
pub(crate) struct Joined {
    pub(crate) near: Association,
    pub(crate) far: Association,
    pub(crate) endpoints: (Endpoint, Endpoint),
}

/// The settings of an association of a forwarder.
pub(crate) fn config(streams: u16) -> Config {
    Config {
        stream_credits: true,
        interleaving: true,
        partial_reliability: true,
        outbound_streams: streams,
        inbound_streams: streams,
        stream_scheduler: StreamScheduler::FairBandwidth,
        ..Config::tuned_2()
    }
}

pub(crate) fn server(setup: &Setup, events: &Events) -> Arc<Server> {
    let parsed = |text: &&str| text.parse().expect("a net");
    let may_reverse = setup.may_reverse.iter().map(|text| text.parse().expect("ports")).collect();
    Arc::new(Server {
        gate: Gate::new(setup.allowed.iter().map(parsed).collect()),
        reverse: ReversePermissions { allowed: may_reverse },
        most_flows: setup.most_flows,
        most_associations: setup.most_associations,
        report: events.report(),
        ledger: Ledger::default(),
    })
}

/// An association between a client and a server with these settings.
pub(crate) async fn join(client: Config, server: Config) -> Joined {
    let bind = |accepts, config| {
        let local = vec!["127.0.0.1:0".parse().expect("an address")];
        let options = Options { local, accepts, config, ..Options::with(Security::Insecure) };
        Endpoint::bind(options).expect("an endpoint")
    };
    let (client, server) = (bind(false, client), bind(true, server));
    let remote = server.local_addresses();
    let (near, far) = within(5, async { tokio::join!(client.connect(&remote), server.accept()) }).await;
    let (near, far) = (near.expect("connected"), far.expect("accepted"));
    Joined { near, far, endpoints: (client, server) }
}

fn carry(bond: &Bond, near: &Association, reverse: &[Reverse]) -> JoinHandle<CloseReason> {
    let (bond, near, reverse) = (bond.clone(), near.clone(), reverse.to_vec());
    tokio::spawn(async move { bond.carry(near, &reverse).await })
}

fn serve(server: &Arc<Server>, far: &Association, rate: &Rate) -> JoinHandle<CloseReason> {
    let client = Client::new("alice", rate.clone(), server);
    tokio::spawn(Arc::clone(server).serve(client, far.clone()))
}

/// The events that are kept: further ones must not look like a leak.
const MOST_EVENTS: usize = 2_000;

/// Fails a test that hangs.
pub(crate) async fn within<F: Future>(seconds: u64, future: F) -> F::Output {
    let result = tokio::time::timeout(Duration::from_secs(seconds), future).await;
    result.unwrap_or_else(|_| panic!("still waiting after {seconds} s"))
}

/// Waits until `is_so` returns true.
pub(crate) async fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..1_000 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("not within 10 s: {what}");
}

/// Fails if `future` completes within a moment.
pub(crate) async fn nothing<F: Future<Output: Debug>>(future: F) {
    let result = tokio::time::timeout(Duration::from_millis(300), future).await;
    if let Ok(output) = result {
        panic!("unexpected: {output:?}");
    }
}
