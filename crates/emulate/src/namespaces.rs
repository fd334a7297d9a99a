//! Two network namespaces with one TUN interface per path in each, and a scenario's links between them: a testbed for
//! any program.

mod namespace;
mod plan;
mod wiring;

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};

use anabranch_base::Seed;
use anabranch_scenario::Scenario;
use tun_rs::{DeviceBuilder, SyncDevice};

use crate::attachment::{Attachment, TunAttachment, Tunnel};
use crate::kernel::drops_of_interfaces;
use crate::network::Network;
use crate::report::{PathEnds, RelayReport};
use crate::running::Running;

pub use namespace::{Namespace, may_have_namespaces};
use plan::InterfacePair;
pub use plan::Side;

/// Two network namespaces with running links between them. They end when this value is dropped or the process ends.
#[derive(Debug)]
pub struct NamespacePair {
    near: Namespace,
    far: Namespace,
    interfaces: Vec<InterfacePair>,
    running: Running,
}

/// The error of namespaces that could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The system refuses namespaces.
    #[error("cannot make a network namespace: {0}; {advice}", advice = namespace::advice(.0))]
    Namespace(io::Error),
    /// The system refuses TUN interfaces.
    #[error(
        "cannot make the TUN interface {name:?}: {error}; /dev/net/tun must exist (modprobe tun), and this \
         user must have the right to open it"
    )]
    Device {
        /// The name of the interface.
        name: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The program `ip` is missing.
    #[error("cannot run `ip`, which gives interfaces their addresses: {0}; install iproute2")]
    NoIp(io::Error),
    /// The program `ip` failed.
    #[error("`ip` cannot give the interfaces their addresses: {0}")]
    Ip(String),
    /// Another error of the operating system.
    #[error(transparent)]
    System(#[from] io::Error),
}

impl NamespacePair {
    /// Creates the namespaces and interfaces, and starts. The scenario's clock, which determines events and rate
    /// changes, starts with the first packet.
    ///
    /// # Errors
    /// The system refuses any of it; a user other than root needs [`may_have_namespaces`] first.
    ///
    /// # Panics
    /// If a path or an event of the scenario refers to a missing link, which none read from a file does.
    pub fn open(scenario: &Scenario, seed: &Seed) -> Result<NamespacePair, SetupError> {
        NamespacePair::open_over(Network::new(scenario, seed), scenario)
    }

    /// The same over `network`, made from `scenario`.
    pub(crate) fn open_over(network: Network, scenario: &Scenario) -> Result<NamespacePair, SetupError> {
        NamespacePair::open_with(network, scenario, [Offload::IfSupported; 2])
    }

    /// The same with the given offload of the near and the far side.
    pub(crate) fn open_with(
        network: Network,
        scenario: &Scenario,
        [near_offload, far_offload]: [Offload; 2],
    ) -> Result<NamespacePair, SetupError> {
        let interfaces = plan::interfaces(scenario);
        let near = Namespace::new().map_err(SetupError::Namespace)?;
        let far = Namespace::new().map_err(SetupError::Namespace)?;
        let nears = near.within(|| devices(&interfaces, near_offload))??;
        let fars = far.within(|| devices(&interfaces, far_offload))??;
        for (namespace, side) in [(&near, Side::Near), (&far, Side::Far)] {
            namespace.within(|| wiring::wire(side, &interfaces))??;
        }
        let tunnels = nears.into_iter().zip(fars).zip(&interfaces);
        let attachments = tunnels.enumerate().map(|(path, ((near, far), interface))| {
            let tunnel = Tunnel { near, far, ends: ends(interface) };
            Ok(Box::new(TunAttachment::open(path, tunnel)?) as Box<dyn Attachment>)
        });
        let attachments = attachments.collect::<io::Result<Vec<_>>>()?;
        let running = Running::start(scenario, network, attachments)?;
        Ok(NamespacePair { near, far, interfaces, running })
    }

    /// One of the two namespaces.
    pub fn namespace(&self, side: Side) -> &Namespace {
        match side {
            Side::Near => &self.near,
            Side::Far => &self.far,
        }
    }

    /// The interfaces' names, the same on both sides, in the paths' order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.interfaces.iter().map(|interface| interface.name.as_str())
    }

    /// The addresses of a side, in the paths' order.
    pub fn addresses(&self, side: Side) -> impl Iterator<Item = Ipv4Addr> {
        self.interfaces.iter().map(move |interface| interface.address(side))
    }

    /// The IPv6 addresses of a side, in the paths' order, without those of paths that are too small for it.
    pub fn addresses_v6(&self, side: Side) -> impl Iterator<Item = Ipv6Addr> {
        let carrying = self.interfaces.iter().filter(|interface| interface.carries_v6());
        carrying.map(move |interface| interface.address_v6(side))
    }

    /// The report of the links so far.
    pub fn report(&self) -> RelayReport {
        RelayReport { kernel_drops: self.drops(), ..self.running.ask().report }
    }

    /// Stops the links and returns their report.
    pub fn stop(mut self) -> RelayReport {
        let kernel_drops = self.drops();
        RelayReport { kernel_drops, ..self.running.stop() }
    }

    /// The number of packets dropped by the interfaces for lack of room.
    fn drops(&self) -> Option<u64> {
        let [near, far] = [&self.near, &self.far].map(|side| side.within(drops_of_interfaces).ok().flatten());
        Some(near? + far?)
    }
}

/// The use of segmentation offload, with which interfaces pass packets in trains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offload {
    /// If the kernel supports it.
    IfSupported,
    /// Never: each packet is passed alone.
    #[cfg_attr(not(test), allow(dead_code))]
    Refused,
}

/// Creates the interfaces in the calling thread's namespace. They end when their files are closed.
fn devices(interfaces: &[InterfacePair], offload: Offload) -> Result<Vec<SyncDevice>, SetupError> {
    let made = interfaces.iter().map(|InterfacePair { name, .. }| {
        let device = match offload {
            Offload::IfSupported => device(name, true).or_else(|_| device(name, false)),
            Offload::Refused => device(name, false),
        };
        device.map_err(|error| SetupError::Device { name: name.clone(), error })
    });
    made.collect()
}

fn device(name: &str, has_offload: bool) -> io::Result<SyncDevice> {
    let builder = DeviceBuilder::new().name(name).enable(false);
    builder.with(|builder| _ = builder.offload(has_offload)).build_sync()
}

fn ends(interface: &InterfacePair) -> PathEnds {
    PathEnds::Interfaces {
        name: interface.name.clone(),
        near: interface.address(Side::Near),
        far: interface.address(Side::Far),
    }
}
