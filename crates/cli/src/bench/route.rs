//! The route of a client's test, over all paths or over one alone.

use std::net::{IpAddr, SocketAddr};

use anabranch_bench::protocol::Deadlines;
use anabranch_net::{AddressTracking, Association, Config};

use crate::arguments::BenchArguments;
use crate::dialing::{Dialer, Route};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::key;
use crate::peer::{Connected, Partner};
use crate::settings;

/// A route to a server, over one path or several.
#[derive(Clone, Debug)]
pub(super) struct BenchRoute {
    /// The addresses at both ends, and the settings.
    pub route: Route,
    /// The only path that carries data, where the others are idle.
    only: Option<OnePath>,
    /// The deadlines of the messages of a test.
    pub deadlines: Option<Deadlines>,
}

/// One path of a route, which identifies it in another association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OnePath {
    /// The name.
    pub name: String,
    /// The local address. Ports differ from one association to the next.
    pub local: IpAddr,
    /// The remote address.
    pub remote: SocketAddr,
}

impl BenchRoute {
    /// The route with all paths that the command line allows.
    ///
    /// # Errors
    /// An invalid host, interface, key or setting.
    pub(super) async fn find(
        arguments: &BenchArguments,
        interrupt: &mut Interrupt,
    ) -> Result<BenchRoute, Failure> {
        let deadlines = arguments.deadlines().map_err(Failure::Arguments)?;
        let base = Config { partial_reliability: deadlines.is_some(), ..settings::for_tools() };
        let config = settings::changed(base, &arguments.settings)?;
        let security = key::to_dial(&arguments.secrecy, interrupt).await?;
        let dialer =
            Dialer { config, security, mark: None, partner: Partner::Tests, output: arguments.output };
        let route = Route::find(dialer, &arguments.to, &arguments.via).await?;
        Ok(BenchRoute { route, only: None, deadlines })
    }

    /// The same route with data on `path` alone, while the other paths are idle.
    pub(super) fn only(&self, path: &OnePath) -> BenchRoute {
        let mut route = self.route.clone();
        "primary".clone_into(&mut route.dialer.config.scheduler);
        // A link with a role would stay idle even alone.
        route.outlets = route.outlets.without_roles();
        BenchRoute { route, only: Some(path.clone()), ..*self }
    }

    /// The route between the two addresses of `path`, without other paths.
    pub(super) fn single(&self, path: &OnePath) -> BenchRoute {
        let mut route = self.route.clone();
        route.outlets.local.retain(|local| local.ip() == path.local);
        if route.outlets.local.is_empty() {
            route.outlets.local.push(SocketAddr::new(path.local, 0));
        }
        route.to = vec![vec![path.remote]];
        route.outlets.tracking = AddressTracking::Off;
        BenchRoute { route, only: self.only.clone(), ..*self }
    }

    /// Opens an association over the route and does `work` over it.
    ///
    /// # Errors
    /// The server does not answer, or Ctrl-C; then those of `work`.
    pub(crate) async fn dial<T>(
        &self,
        interrupt: &mut Interrupt,
        work: impl AsyncFnOnce(Connected, &mut Interrupt) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let test = self.route.dial(interrupt, async |server, interrupt| {
            if let Some(path) = &self.only {
                tokio::select! {
                    chosen = choose(&server.association, path) => chosen?,
                    () = interrupt.pressed() => return Err(Failure::Interrupted),
                }
            }
            work(server, interrupt).await
        });
        test.await
    }
}

/// Sends by `path` alone, once it answers.
async fn choose(association: &Association, path: &OnePath) -> Result<(), Failure> {
    let found = || {
        let all = association.paths();
        all.into_iter().find(|report| {
            report.addresses.remote == path.remote
                && report.addresses.local.ip() == path.local
                && report.sample.state.carries_data()
        })
    };
    let waiting = async {
        loop {
            match found() {
                Some(report) => return report.id,
                None => tokio::time::sleep(INTERVAL).await,
            }
        }
    };
    let id = tokio::time::timeout(PATIENCE, waiting).await.map_err(|_| {
        Failure::PeerGone(format!("the path does not answer within {} s", PATIENCE.as_secs()))
    })?;
    association.set_primary(id);
    Ok(())
}

/// The time a path may take until it is verified.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);
const INTERVAL: std::time::Duration = std::time::Duration::from_millis(20);
