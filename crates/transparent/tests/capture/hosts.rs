//! Three hosts as network namespaces: the near one of the test's thread, a far one beyond its default route, and one in
//! a network behind it.

use std::fs::File;
use std::io::{self, Read as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::AsRawFd as _;
use std::panic::resume_unwind;
use std::process::Command;

use nix::sched::{CloneFlags, setns, unshare};
use socket2::{Domain, Protocol, Socket, Type};

use crate::ping::wait_for;

/// Another host.
#[derive(Debug)]
pub(crate) struct Host {
    namespace: File,
    /// Sees every packet of its interfaces.
    packets: Socket,
}

/// An address of the far host, beyond its end of the link.
pub(crate) const FAR_V4: &str = "198.51.100.9";
pub(crate) const FAR_V6: &str = "2001:db8:9::9";
/// Addresses that exist nowhere.
pub(crate) const NOWHERE_V4: &str = "198.51.100.7";
pub(crate) const NOWHERE_V6: &str = "2001:db8:9::7";

/// Moves this thread to a new near host, and makes the far one. `None`, with the reason in the output, if the system
/// refuses namespaces.
pub(crate) fn far() -> Option<Host> {
    let far = match Host::new() {
        Ok(far) => far,
        Err(error) => {
            println!("skipped: cannot make a network namespace: {error}");
            return None;
        }
    };
    unshare(CloneFlags::CLONE_NEWNET).expect("a namespace, as before");
    ip("link set lo up");
    far.link("near", "far");
    ip("addr add 192.0.2.2/24 dev near");
    ip("addr add 2001:db8:2::2/64 dev near nodad");
    far.ip("addr add 192.0.2.1/24 dev far");
    far.ip("addr add 2001:db8:2::1/64 dev far nodad");
    far.ip(&format!("addr add {FAR_V4}/32 dev lo"));
    far.ip(&format!("addr add {FAR_V6}/128 dev lo nodad"));
    ip("route add default via 192.0.2.1");
    ip("-6 route add default via 2001:db8:2::1");
    wait_for(FAR_V4, FAR_V6);
    far.packets();
    Some(far)
}

/// A host in the network 192.168.7.0/24 and fd00:7::/64 behind the near one.
pub(crate) fn behind() -> Host {
    let host = Host::new().expect("a namespace, as before");
    host.link("lan", "eth0");
    ip("addr add 192.168.7.1/24 dev lan");
    ip("addr add fd00:7::1/64 dev lan nodad");
    host.ip("addr add 192.168.7.2/24 dev eth0");
    host.ip("addr add fd00:7::2/64 dev eth0 nodad");
    host.ip("route add default via 192.168.7.1");
    host.ip("-6 route add default via fd00:7::1");
    for switch in ["ipv4/ip_forward", "ipv6/conf/all/forwarding"] {
        std::fs::write(format!("/proc/sys/net/{switch}"), "1").expect(switch);
    }
    host.within(|| wait_for("192.168.7.1", "fd00:7::1"));
    host
}

impl Host {
    fn new() -> io::Result<Host> {
        on_a_thread(|| {
            unshare(CloneFlags::CLONE_NEWNET)?;
            let packets = Socket::new(Domain::PACKET, Type::DGRAM, Some(Protocol::from(ALL_PROTOCOLS)))?;
            packets.set_nonblocking(true)?;
            Ok(Host { namespace: File::open("/proc/thread-self/ns/net")?, packets })
        })
    }

    /// Runs `work` on a thread of this host.
    pub(crate) fn within<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        on_a_thread(|| {
            setns(&self.namespace, CloneFlags::CLONE_NEWNET).expect("a namespace");
            work()
        })
    }

    /// Runs `ip` here.
    pub(crate) fn ip(&self, words: &str) {
        self.within(|| ip(words));
    }

    /// Links this thread's host and this one.
    fn link(&self, ours: &str, theirs: &str) {
        let path = format!("/proc/{}/fd/{}", std::process::id(), self.namespace.as_raw_fd());
        ip(&format!("link add {ours} type veth peer name {theirs} netns {path}"));
        ip(&format!("link set {ours} up"));
        self.ip("link set lo up");
        self.ip(&format!("link set {theirs} up"));
    }

    /// The number of packets to `address` that its interfaces saw since the last call.
    pub(crate) fn packets_to(&self, address: &str) -> usize {
        let address: IpAddr = address.parse().expect(address);
        self.packets().into_iter().filter(|to| *to == address).count()
    }

    /// The destinations of the packets that its interfaces saw since the last call.
    pub(crate) fn packets(&self) -> Vec<IpAddr> {
        let mut packet = [0; 2_048];
        let mut destinations = Vec::new();
        while let Ok(length) = (&self.packets).read(&mut packet) {
            destinations.extend(destination(&packet[..length]));
        }
        destinations
    }
}

/// The destination of an IP packet.
fn destination(packet: &[u8]) -> Option<IpAddr> {
    match packet.first()? >> 4 {
        4 => packet.get(16..)?.first_chunk::<4>().map(|ip| Ipv4Addr::from(*ip).into()),
        6 => packet.get(24..)?.first_chunk::<16>().map(|ip| Ipv6Addr::from(*ip).into()),
        _ => None,
    }
}

/// Runs `ip` on this thread's host.
pub(crate) fn ip(words: &str) {
    let status = Command::new("ip").args(words.split(' ')).status().expect("ip");
    assert!(status.success(), "ip {words}");
}

/// The output of `ip` on this thread's host.
pub(crate) fn ip_output(words: &str) -> String {
    let output = Command::new("ip").args(words.split(' ')).output().expect("ip");
    String::from_utf8(output.stdout).expect("text")
}

fn on_a_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(work).join().unwrap_or_else(|panic| resume_unwind(panic)))
}

/// `ETH_P_ALL` in the order of the network.
const ALL_PROTOCOLS: i32 = 3 << 8;
