//! The order of clients at a server that runs `--once`: one client's test, or all tests of a client's `--each`. Such a
//! client comes first without asking for a test, to learn which paths there are, and then once for each test.

use std::net::IpAddr;
use std::time::Duration;

use anabranch_net::Association;
use tokio::time::sleep;

use crate::arguments::Output;
use crate::report::Outcome;

/// The turn of one client, or that of all.
#[derive(Debug, Default)]
pub struct ClientOrder {
    is_once: bool,
    /// The addresses of a client that has looked and comes back for tests.
    returning: Vec<IpAddr>,
    /// The result of its last test so far.
    last: Option<Outcome>,
}

impl ClientOrder {
    /// The turn of the first client alone if `is_once`, else of every client.
    pub fn new(is_once: bool) -> ClientOrder {
        ClientOrder { is_once, ..ClientOrder::default() }
    }

    /// A client left without asking for a test: that of `--each` comes back; a port scan does not.
    pub fn on_left(&mut self, hosts: Vec<IpAddr>) {
        if self.is_once && !self.is_begun() {
            self.returning = hosts;
        }
    }

    /// Keeps a result until it is known whether it is the last; where every client has its turn, it is printed.
    pub fn keep(&mut self, outcome: Outcome, output: Output) {
        self.last = Some(outcome);
        if !self.is_once {
            self.print_last(output);
        }
    }

    /// Prints the result that is kept, since another follows.
    pub fn print_last(&mut self, output: Output) {
        if let Some(outcome) = self.last.take() {
            outcome.show(output);
        }
    }

    /// Returns true if a client from `hosts` may have a test now.
    pub fn may_take(&self, hosts: &[IpAddr]) -> bool {
        !self.is_begun() || self.is_returning(hosts)
    }

    /// Returns true if a test of a client from `hosts` is the server's last.
    pub fn is_last(&self, hosts: &[IpAddr]) -> bool {
        self.is_once && !self.is_returning(hosts)
    }

    /// Waits until the client that was tested does not come back. Never ends while no client was.
    pub async fn ended(&self) {
        if self.is_begun() { sleep(PATIENCE).await } else { std::future::pending().await }
    }

    /// Takes the last result.
    pub fn take_last(&mut self) -> Option<Outcome> {
        self.last.take()
    }

    fn is_begun(&self) -> bool {
        self.is_once && self.last.is_some()
    }

    fn is_returning(&self, hosts: &[IpAddr]) -> bool {
        hosts.iter().any(|host| self.returning.contains(host))
    }
}

/// The addresses of a client, without ports: they differ from one association to the next.
pub fn hosts_of(association: &Association) -> Vec<IpAddr> {
    association.paths().iter().map(|path| path.addresses.remote.ip()).collect()
}

/// Longer than a client of `--each` rests between two tests and takes to connect over links that lose packets.
const PATIENCE: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> Vec<IpAddr> {
        vec![text.parse().expect("an address")]
    }

    #[test]
    fn a_test_without_a_look_before_is_the_last() {
        let order = ClientOrder::new(true);
        assert!(order.may_take(&host("192.0.2.1")) && order.is_last(&host("192.0.2.1")));
        assert!(!ClientOrder::new(false).is_last(&host("192.0.2.1")));
    }

    #[test]
    fn a_client_that_looked_has_all_its_tests_and_no_other_comes_between() {
        let mut order = ClientOrder::new(true);
        let (client, other) = (host("192.0.2.1"), host("192.0.2.9"));
        order.on_left(client.clone());
        assert!(order.may_take(&other) && order.is_last(&other), "the look may have been a port scan");
        assert!(!order.is_last(&client));
        order.keep(Outcome { summary: "first".to_owned(), ..Outcome::default() }, Output::default());
        assert!(order.may_take(&client) && !order.may_take(&other));
        // A path that is dead alone: the client gives it up without a test.
        order.on_left(other.clone());
        assert!(order.may_take(&client) && !order.may_take(&other));
        assert_eq!(order.take_last().expect("a result").summary, "first");
    }

    #[test]
    fn every_client_has_its_turn_without_once() {
        let mut order = ClientOrder::new(false);
        order.on_left(host("192.0.2.1"));
        assert!(order.may_take(&host("192.0.2.9")) && !order.is_last(&host("192.0.2.1")));
    }
}
