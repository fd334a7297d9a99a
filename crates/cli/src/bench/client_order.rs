//! The order of clients at a server. With `--once` one client is served: it has one test, or all tests of `bench --each`.
//! Such a client first connects without asking for a test, to find the paths, and then once for each test.

use std::net::IpAddr;
use std::time::Duration;

use anabranch_net::Association;
use tokio::time::sleep;

use crate::arguments::Output;
use crate::report::Outcome;

/// The clients that may have a test now.
#[derive(Debug, Default)]
pub(super) struct ClientOrder {
    is_once: bool,
    /// The addresses of a client that connected without a test and is expected again.
    returning: Vec<IpAddr>,
    /// The result of the last test, unless it has been printed.
    last: Option<Outcome>,
}

impl ClientOrder {
    /// The order with only one client if `is_once`, else with every client.
    pub(super) fn new(is_once: bool) -> ClientOrder {
        ClientOrder { is_once, ..ClientOrder::default() }
    }

    /// A client left without asking for a test. It may be one of `--each` that comes back, or a port scan.
    pub(super) fn on_left(&mut self, hosts: Vec<IpAddr>) {
        if self.is_once && !self.is_begun() {
            self.returning = hosts;
        }
    }

    /// Keeps a result until it is known whether it is the last. Without `--once` it is printed at once.
    pub(super) fn keep(&mut self, outcome: Outcome, output: Output) {
        self.last = Some(outcome);
        if !self.is_once {
            self.print_last(output);
        }
    }

    /// Prints the result that is kept, as another follows.
    pub(crate) fn print_last(&mut self, output: Output) {
        if let Some(outcome) = self.last.take() {
            outcome.show(output);
        }
    }

    /// Returns true if a client from `hosts` may have a test now.
    pub(super) fn may_take(&self, hosts: &[IpAddr]) -> bool {
        !self.is_begun() || self.is_returning(hosts)
    }

    /// Returns true if a test of a client from `hosts` is the server's last.
    pub(super) fn is_last(&self, hosts: &[IpAddr]) -> bool {
        self.is_once && !self.is_returning(hosts)
    }

    /// Waits until the client that was tested is no longer expected. Never ends if none was.
    pub(super) async fn ended(&self) {
        if self.is_begun() { sleep(PATIENCE).await } else { std::future::pending().await }
    }

    /// Takes the last result.
    pub(crate) fn take_last(&mut self) -> Option<Outcome> {
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
pub(crate) fn hosts_of(association: &Association) -> Vec<IpAddr> {
    association.paths().iter().map(|path| path.addresses.remote.ip()).collect()
}

/// Longer than a client of `--each` pauses between two tests and needs to connect over lossy links.
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
