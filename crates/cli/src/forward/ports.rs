//! The ports of this host for programs, and the number of sockets that the system permits.

use anabranch_forward::{Bond, Destination, Front, Reverse, UdpPort};
use tokio::net::{TcpListener, UdpSocket};
use tokio::task::JoinSet;

use crate::arguments::{ForwardArguments, LocalPort, PortMapping};
use crate::failure::Failure;
use crate::notice;

/// Ports that are open, and serve programs once they have a bond.
#[derive(Debug, Default)]
pub(super) struct OpenPorts {
    tcp: Vec<(Front, TcpListener)>,
    udp: Vec<UdpPort>,
    lines: Vec<String>,
}

impl OpenPorts {
    /// Opens the ports of the command line.
    ///
    /// # Errors
    /// A port that is in use, or an address that is not of this host.
    pub(super) async fn open(arguments: &ForwardArguments) -> Result<OpenPorts, Failure> {
        let is_full_cone = arguments.full_cone;
        let mut open = OpenPorts::default();
        for port in &arguments.socks {
            open.add("SOCKS5", Front::Socks { is_full_cone }, *port).await?;
        }
        for port in &arguments.http {
            open.add("HTTP CONNECT", Front::Http, *port).await?;
        }
        for PortMapping { at, to } in &arguments.listen {
            open.add(&format!("TCP to {to}"), Front::Fixed(to.clone()), *at).await?;
        }
        for PortMapping { at, to } in &arguments.udp {
            let socket = UdpSocket::bind(at.address).await.map_err(|error| refused(*at, &error))?;
            let address = socket.local_addr().map_err(Failure::System)?;
            open.lines.push(format!("UDP to {to} at {address}"));
            open.udp.push(UdpPort { socket, to: to.clone(), is_full_cone });
        }
        Ok(open)
    }

    async fn add(&mut self, what: &str, front: Front, port: LocalPort) -> Result<(), Failure> {
        let listener = TcpListener::bind(port.address).await.map_err(|error| refused(port, &error))?;
        let address = listener.local_addr().map_err(Failure::System)?;
        self.lines.push(format!("{what} at {address}"));
        self.tcp.push((front, listener));
        Ok(())
    }

    /// Shows the ports.
    pub(super) fn show(&self) {
        for line in &self.lines {
            notice::tell(line);
        }
    }

    /// Serves programs over `bond`, until the tasks are dropped.
    pub(super) fn serve(self, bond: &Bond) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        for (front, listener) in self.tcp {
            tasks.spawn(front.serve(listener, bond.clone()));
        }
        for port in self.udp {
            tasks.spawn(port.serve(bond.clone()));
        }
        tasks
    }
}

/// The ports of the server that the command line asks for. Packets to their destinations have the `mark`.
pub(super) fn reverse(arguments: &ForwardArguments, mark: Option<u32>) -> Vec<Reverse> {
    let one = |mapping: &PortMapping| Reverse {
        at: Destination::from(mapping.at.address),
        to: mapping.to.clone(),
        mark,
    };
    arguments.reverse.iter().map(one).collect()
}

/// The failure of a port that cannot be opened.
pub(super) fn refused(port: LocalPort, error: &std::io::Error) -> Failure {
    let hint = match error.kind() {
        std::io::ErrorKind::AddrInUse => ": another program uses it; choose another port",
        std::io::ErrorKind::AddrNotAvailable => ": this host does not have the address",
        std::io::ErrorKind::PermissionDenied => ": ports below 1024 need privileges",
        _ => "",
    };
    Failure::Bind(format!("cannot listen at {}: {error}{hint}", port.address))
}

/// Raises the number of open files to what the system permits: each connection is one.
pub(super) fn permit_many() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let now = getrlimit(Resource::Nofile);
        let _ = setrlimit(Resource::Nofile, Rlimit { current: now.maximum, maximum: now.maximum });
    }
}
