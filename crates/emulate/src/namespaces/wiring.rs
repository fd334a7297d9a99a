//! Assigns addresses and routes to the interfaces of a namespace, with `ip` of iproute2.

use std::io::Write as _;
use std::net::Ipv6Addr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::SetupError;
use super::plan::{InterfacePair, Side};

/// Configures the interfaces of the calling thread's namespace.
///
/// # Errors
/// The program `ip` is missing or fails.
pub(super) fn wire(side: Side, interfaces: &[InterfacePair]) -> Result<(), SetupError> {
    forgive_other_ways(interfaces);
    let has_v6 = Path::new("/proc/sys/net/ipv6").exists();
    let links = interfaces.iter().flat_map(|interface| up(interface, has_v6));
    ip("-4", std::iter::once("link set dev lo up".to_owned()).chain(links))?;
    ip("-4", interfaces.iter().flat_map(|interface| v4(side, interface)))?;
    let large = || interfaces.iter().filter(|interface| has_v6 && interface.carries_v6());
    ip("-6", large().flat_map(|interface| v6(side, interface)))?;
    for interface in large() {
        wait_for_local_route(interface.address_v6(side));
    }
    Ok(())
}

/// Waits until the kernel delivers packets to an IPv6 address: it adds the local route some time after `ip` has
/// returned, and drops earlier packets. The wait ends after a second, or if the routes cannot be read: at worst a
/// program that starts early loses a packet.
fn wait_for_local_route(address: Ipv6Addr) {
    let destination = format!("{:032x} 80 ", u128::from(address));
    for _ in 0..1_000 {
        match std::fs::read_to_string("/proc/thread-self/net/ipv6_route") {
            Ok(routes) if !routes.lines().any(|route| route.starts_with(&destination)) => {
                std::thread::sleep(Duration::from_millis(1));
            }
            _ => return,
        }
    }
}

/// The commands for an interface without an automatic IPv6 address, with which the kernel would start router
/// discovery: this must be set before it is up, and before its MTU is too small for IPv6. Packets sent at once wait
/// in its queue until they are read.
fn up(InterfacePair { name, mtu, .. }: &InterfacePair, has_v6: bool) -> Vec<String> {
    let quiet = has_v6.then(|| format!("link set dev {name} addrgenmode none"));
    let set = format!("link set dev {name} txqueuelen {QUEUE} mtu {mtu} up");
    quiet.into_iter().chain([set]).collect()
}

fn v4(side: Side, interface: &InterfacePair) -> Vec<String> {
    let address = interface.address(side).to_string();
    let mut lines = vec![format!("addr add {address}/24 dev {}", interface.name)];
    lines.extend(route(side, interface, &address));
    lines
}

/// The IPv6 address is assigned without duplicate address detection.
fn v6(side: Side, interface: &InterfacePair) -> Vec<String> {
    let address = interface.address_v6(side).to_string();
    let mut lines = vec![format!("addr add {address}/64 dev {} nodad", interface.name)];
    lines.extend(route(side, interface, &address));
    lines
}

/// The near address selects the path of a packet, whatever the far one, as on the uplinks of a multihomed host.
fn route(side: Side, interface: &InterfacePair, from: &str) -> Vec<String> {
    let (name, table) = (&interface.name, FIRST_TABLE + interface.number);
    match side {
        Side::Near => vec![
            format!("route add default dev {name} table {table}"),
            format!("rule add from {from} lookup {table}"),
            format!("rule add oif {name} lookup {table}"),
        ],
        Side::Far => Vec::new(),
    }
}

/// Sets the kernel not to drop packets from an address that it would answer on another path (reverse path filter). If
/// that is not permitted (a container with read-only settings), the system's setting remains.
fn forgive_other_ways(interfaces: &[InterfacePair]) {
    for name in interfaces.iter().map(|interface| interface.name.as_str()).chain(["all", "default"]) {
        let _ = std::fs::write(format!("/proc/sys/net/ipv4/conf/{name}/rp_filter"), "0");
    }
}

/// Runs `ip` once for these lines, which are of one IP version.
fn ip(version: &str, lines: impl Iterator<Item = String>) -> Result<(), SetupError> {
    let lines: String = lines.map(|line| line + "\n").collect();
    let mut command = Command::new("ip");
    command.args([version, "-batch", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut running = command.spawn().map_err(SetupError::NoIp)?;
    let written = running.stdin.take().map_or(Ok(()), |mut input| input.write_all(lines.as_bytes()));
    let ended = running.wait_with_output()?;
    if !ended.status.success() {
        let complaint = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
        return Err(SetupError::Ip(complaint));
    }
    Ok(written?)
}

/// The queue length in packets: a burst of fifteen megabytes.
const QUEUE: u32 = 10_000;
/// The first routing table used; the kernel's own are 253 to 255.
const FIRST_TABLE: u32 = 1000;
