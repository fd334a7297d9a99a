//! The kernel's counters of sockets and interfaces: datagrams dropped because they were not read fast enough.

use std::os::fd::AsFd;

/// The number of a socket in the kernel's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inode(u64);

impl Inode {
    /// The inode of `socket`; `None` on systems without such numbers.
    pub(crate) fn of(socket: impl AsFd) -> Option<Inode> {
        use std::os::unix::fs::MetadataExt as _;
        let socket = socket.as_fd().try_clone_to_owned().ok()?;
        Some(Inode(std::fs::File::from(socket).metadata().ok()?.ino()))
    }
}

/// The number of datagrams dropped at these sockets; `None` if the kernel does not report it.
pub(crate) fn drops(sockets: &[Inode]) -> Option<u64> {
    let tables = ["/proc/self/net/udp", "/proc/self/net/udp6"].map(std::fs::read_to_string);
    let mut readable = tables.iter().flatten().peekable();
    readable.peek()?;
    Some(readable.map(|table| drops_in(table, sockets)).sum())
}

/// The table has one line for each socket; inode and drops are two of the fields.
fn drops_in(table: &str, sockets: &[Inode]) -> u64 {
    let lines = table.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
    let ours = lines.filter(|fields| {
        fields
            .get(INODE)
            .and_then(|field| field.parse().ok())
            .is_some_and(|inode| sockets.contains(&Inode(inode)))
    });
    ours.filter_map(|fields| fields.get(DROPS)?.parse::<u64>().ok()).sum()
}

/// The number of packets dropped on receipt or transmission by the interfaces of this thread's network, for lack of
/// room; `None` if the kernel does not report it.
#[cfg(target_os = "linux")]
pub(crate) fn drops_of_interfaces() -> Option<u64> {
    std::fs::read_to_string("/proc/thread-self/net/dev").ok().map(|table| drops_of_all(&table))
}

/// The table has two header lines, then one line for each interface: eight numbers of receipt, eight of transmission.
/// Names are followed by a colon and sometimes by no blank.
#[cfg(target_os = "linux")]
fn drops_of_all(table: &str) -> u64 {
    let lines = table.lines().skip(2).filter_map(|line| line.split_once(':'));
    lines
        .flat_map(|(_, numbers)| {
            let numbers: Vec<u64> =
                numbers.split_whitespace().filter_map(|number| number.parse().ok()).collect();
            [numbers.get(3).copied(), numbers.get(11).copied()]
        })
        .flatten()
        .sum()
}

const INODE: usize = 9;
const DROPS: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
 1093: 0100007F:A1B2 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 13001 2 0000000000000000 7
 2000: 0100007F:B1B2 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 13002 2 0000000000000000 5
 2001: 0100007F:B1B3 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 13003 2 0000000000000000 1
";

    #[cfg(target_os = "linux")]
    #[test]
    fn the_drops_of_all_interfaces_are_summed_in_both_directions() {
        let table = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:       0       0    0    1    0     0          0         0        0       0    0    0    0     0       0          0
  wifi:26541364   20102    5    2    0     0          0         0  4000000    3000    6   40    0     0       0          0
";
        assert_eq!(drops_of_all(table), 43);
        assert_eq!(drops_of_all("a\nb\nshort: 1 2\n"), 0);
    }

    #[test]
    fn the_drops_of_our_sockets_are_summed() {
        assert_eq!(drops_in(TABLE, &[Inode(13_001), Inode(13_003), Inode(9)]), 8);
        assert_eq!(drops_in("", &[Inode(1)]), 0);
        assert_eq!(drops_in("head\nshort line\n", &[Inode(1)]), 0);
    }
}
