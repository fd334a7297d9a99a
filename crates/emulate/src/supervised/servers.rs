//! Counts the sockets of servers in the kernel's tables of sockets.

/// The number of listening TCP sockets and of UDP sockets in this thread's network.
pub(super) fn waiting() -> usize {
    let table =
        |name: &str| std::fs::read_to_string(format!("/proc/thread-self/net/{name}")).unwrap_or_default();
    let listening = |name: &str| sockets(&table(name)).filter(|state| *state == LISTENING).count();
    let bound = |name: &str| sockets(&table(name)).count();
    listening("tcp") + listening("tcp6") + bound("udp") + bound("udp6")
}

/// The states of a table's sockets, one line each after the header.
fn sockets(table: &str) -> impl Iterator<Item = &str> {
    table.lines().skip(1).filter_map(|line| line.split_whitespace().nth(STATE))
}

const STATE: usize = 3;
const LISTENING: &str = "0A";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read_from_the_table() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue\n   \
                     0: 0100007F:1F90 00000000:0000 0A 00000000:00000000\n   \
                     1: 0100007F:1F90 0100007F:8000 01 00000000:00000000\n";
        assert_eq!(sockets(table).collect::<Vec<_>>(), ["0A", "01"]);
        assert_eq!(sockets("").count(), 0);
    }

    #[test]
    fn a_server_of_this_machine_is_seen() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        assert!(waiting() >= 1);
        drop(server);
    }
}
