//! The sizes of packets on the wire: iperf3 counts user data only.

use super::report::Start;

/// The transport that was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Tcp,
    Udp,
    Sctp,
    /// A protocol that no known version measures.
    Other(String),
}

impl Protocol {
    /// Reports without a name are of TCP.
    pub(super) fn of(start: &Start) -> Protocol {
        let name = start.test_start.protocol.to_ascii_uppercase();
        match name.as_str() {
            "" | "TCP" => Protocol::Tcp,
            "UDP" => Protocol::Udp,
            "SCTP" => Protocol::Sctp,
            _ => Protocol::Other(name.chars().filter(|c| c.is_alphanumeric()).take(16).collect()),
        }
    }
}

impl std::fmt::Display for Protocol {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Protocol::Tcp => "TCP",
            Protocol::Udp => "UDP",
            Protocol::Sctp => "SCTP",
            Protocol::Other(name) => name,
        })
    }
}

/// The user data in a packet and the size of the packet, in bytes.
pub(super) struct Headers {
    payload: u64,
    packet: u64,
}

impl Headers {
    pub(super) fn of(start: &Start, protocol: &Protocol) -> Headers {
        let is_ipv6 = start.connected.iter().any(|socket| socket.remote_host.contains(':'));
        let ip = if is_ipv6 { 40 } else { 20 };
        match protocol {
            Protocol::Udp => {
                // Longer datagrams are sent in fragments, whose headers weigh less.
                let payload =
                    start.test_start.blksize.filter(|size| (1..=65_507).contains(size)).unwrap_or(1_448);
                Headers { payload, packet: payload + ip + 8 }
            }
            // A common header and one DATA chunk, which fill packets of 1,500 bytes (RFC 9260 §3).
            Protocol::Sctp => Headers { payload: 1_500 - ip - 28, packet: 1_500 },
            Protocol::Tcp | Protocol::Other(_) => {
                let payload =
                    start.tcp_mss_default.filter(|mss| (64..=65_495).contains(mss)).unwrap_or(1_448);
                // The smallest TCP header with timestamps.
                Headers { payload, packet: payload + ip + 32 }
            }
        }
    }

    pub(super) fn factor(&self) -> f64 {
        self.packet as f64 / self.payload as f64
    }
}

impl std::fmt::Display for Headers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} B for {} B of data", self.packet, self.payload)
    }
}
