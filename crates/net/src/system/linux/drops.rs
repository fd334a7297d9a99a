//! The datagrams that the kernel dropped at a socket, because its receive buffer was full. Linux counts them in
//! `/proc/net/udp` and `/proc/net/udp6`.

use std::net::{IpAddr, SocketAddr};

/// The datagrams dropped at the sockets with these addresses; `None` for a socket whose count is unknown.
pub(super) fn kernel_drops(addresses: &[SocketAddr]) -> Vec<Option<u64>> {
    let read = |is_wanted: bool, path: &str| {
        if is_wanted { std::fs::read_to_string(path).unwrap_or_default() } else { String::new() }
    };
    let ipv4 = read(addresses.iter().any(SocketAddr::is_ipv4), "/proc/net/udp");
    let ipv6 = read(addresses.iter().any(SocketAddr::is_ipv6), "/proc/net/udp6");
    let table = |address: &SocketAddr| if address.is_ipv4() { &ipv4 } else { &ipv6 };
    addresses.iter().map(|address| drops(table(address), *address)).collect()
}

/// The drops of the socket at `address` in a table of the kernel: the last column of its line. The second column is the
/// local address.
fn drops(table: &str, address: SocketAddr) -> Option<u64> {
    let wanted = shown(address);
    let columns = table.lines().map(|line| line.split_ascii_whitespace());
    let mut found = columns.filter(|columns| columns.clone().nth(1) == Some(&wanted));
    found.next()?.next_back()?.parse().ok()
}

/// An address as the kernel prints it: words of 32 bits of the machine's byte order, in hexadecimal.
fn shown(address: SocketAddr) -> String {
    let bytes = match address.ip() {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    let (words, _) = bytes.as_chunks::<4>();
    let words: String = words.iter().map(|word| format!("{:08X}", u32::from_ne_bytes(*word))).collect();
    format!("{words}:{:04X}", address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
  812: 0100007F:26AB 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 1 2 0000000000000000 17
  813: 0200007F:26AB 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 2 2 0000000000000000 3
";

    #[cfg(target_endian = "little")]
    #[test]
    fn the_line_of_an_address_has_its_drops() {
        let drops_at = |address: &str| drops(TABLE, address.parse().expect("an address"));
        assert_eq!(drops_at("127.0.0.1:9899"), Some(17));
        assert_eq!(drops_at("127.0.0.2:9899"), Some(3));
        assert_eq!(drops_at("127.0.0.2:9900"), None);
        assert_eq!(drops("", "127.0.0.1:9899".parse().expect("an address")), None);
        assert_eq!(shown("[::1]:1".parse().expect("an address")), "00000000000000000000000001000000:0001");
    }

    #[test]
    fn the_kernel_counts_what_a_full_buffer_drops() {
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").expect("a socket");
        socket2::SockRef::from(&socket).set_recv_buffer_size(1).expect("a small buffer");
        let address = socket.local_addr().expect("an address");
        assert_eq!(kernel_drops(&[address]), [Some(0)]);
        for _ in 0..100 {
            socket.send_to(&[0; 1_000], address).expect("sent");
        }
        let dropped = kernel_drops(&[address])[0].expect("a count");
        assert!((1..=100).contains(&dropped), "{dropped}");
    }
}
