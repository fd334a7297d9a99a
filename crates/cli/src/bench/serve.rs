//! `anabranch bench --serve`: waits for clients, runs their tests one at a time, and shows the result of each.

use std::ops::ControlFlow;
use std::time::Duration;

use anabranch_bench::protocol::ServerLimits;
use anabranch_bench::{AgreeError, BenchDocument, Exchange, answer, limits_of};
use anabranch_net::reason::REFUSED;
use anabranch_net::{Association, Config};
use anabranch_observe::Body;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::client::run_test;
use super::client_order::{ClientOrder, hosts_of};
use super::intervals::Display;
use super::messages::{not_agreed, not_ended};
use super::table;
use crate::arguments::BenchArguments;
use crate::failure::{Failure, printable};
use crate::interrupt::Interrupt;
use crate::key;
use crate::listening::{LineTarget, Listener, Newcomers, OtherEnd, ReadyLine, Service};
use crate::notice;
use crate::peer::{Connected, Partner, Peer};
use crate::report::Outcome;
use crate::settings;

/// Runs the server until Ctrl-C, or with `--once` until one client has had its test, or its tests of `--each`.
///
/// # Errors
/// What failed before a client connected, and Ctrl-C before one did.
pub(super) async fn run(arguments: &BenchArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    // Clients that ask for deadlines need it, and it changes nothing for others.
    let base = Config { partial_reliability: true, ..settings::measurable(settings::for_tools()) };
    let config = settings::changed(base, &arguments.settings)?;
    let key = key::to_listen(&arguments.secrecy, arguments.output, interrupt).await?;
    let line = ReadyLine { other: CLIENT, target: LineTarget::by(arguments.output) };
    let listener =
        Listener::open(arguments.listen[..].into(), &config, &key, Partner::Tests, line, arguments.output)
            .await?;
    let resolved = json!({
        "listen": listener.addresses(),
        "once": arguments.once,
        "security": key::word(&key.security),
        "sctp": settings::resolved(&config),
    });
    let order = ClientOrder::new(arguments.once);
    let service = TestService { arguments, limits: limits_of(&config), resolved, order };
    listener.serve_all(service, interrupt).await
}

/// The tests of every client.
struct TestService<'a> {
    arguments: &'a BenchArguments,
    limits: ServerLimits,
    /// The settings, for the document.
    resolved: Value,
    order: ClientOrder,
}

impl Service for TestService<'_> {
    /// `None` where the client left without asking for a test.
    type Served = Option<Outcome>;

    async fn serve(&mut self, client: &Connected, interrupt: &mut Interrupt) -> Option<Outcome> {
        self.order.print_last(self.arguments.result_output());
        let Connected { association, peer, .. } = client;
        let asked = tokio::select! {
            asked = answer(association, &self.limits) => asked,
            () = interrupt.pressed() => return Some(give_up(association, Failure::Interrupted)),
        };
        let test = match asked {
            Ok(test) => test?,
            // The client is sent the reason, and closes when it has received it.
            Err(error @ AgreeError::RefusedHere(_)) => return Some(not_agreed(peer, error).into()),
            Err(error) if error.is_of_no_test() => {
                self.refuse(association, peer, error);
                return None;
            }
            Err(error) => return Some(give_up(association, not_agreed(peer, error))),
        };
        let mut exchange = Exchange::begin(association, test);
        let failure = run_test(&mut exchange, &mut Display::nothing(), interrupt).await;
        let failure = failure.err().map(|error| not_ended(association, peer, error));
        let measured = exchange.measured();
        let summary = format!("test of {peer}\n{}", table::summary(&measured));
        let document = BenchDocument::of(&measured, self.resolved.clone());
        Some(Outcome { document: Some(Body::of(&document)), summary, failure, ..Outcome::default() })
    }

    async fn on_served(
        &mut self,
        client: Connected,
        served: Option<Outcome>,
        _: bool,
    ) -> ControlFlow<Result<Outcome, Failure>> {
        let hosts = hosts_of(&client.association);
        // The client closes when it has every message; the next client need not wait for that.
        let closed = tokio::spawn(wait_until_closed(client.association));
        let is_interrupted = |outcome: &Outcome| matches!(outcome.failure, Some(Failure::Interrupted));
        match served {
            Some(outcome) if self.order.is_last(&hosts) || is_interrupted(&outcome) => {
                let _ = closed.await;
                return ControlFlow::Break(Ok(outcome));
            }
            Some(outcome) => self.order.keep(outcome, self.arguments.result_output()),
            None => self.order.on_left(hosts),
        }
        ControlFlow::Continue(())
    }

    fn on_interrupt(&mut self) -> Result<Outcome, Failure> {
        Outcome::interrupted(self.order.take_last())
    }

    fn newcomers(&self) -> Newcomers {
        Newcomers::AfterTest
    }

    fn admits(&self, client: &Connected) -> bool {
        self.order.may_take(&hosts_of(&client.association))
    }

    async fn ended(&mut self) -> Outcome {
        self.order.ended().await;
        self.order.take_last().unwrap_or_default()
    }
}

impl TestService<'_> {
    /// Sends a peer that asks for no test the reason why it is refused, and reports it.
    fn refuse(&self, association: &Association, peer: &Peer, error: AgreeError) {
        let topic = if error.is_wrong_partner() { REFUSED } else { "test protocol: " };
        association.abort(&format!("{topic}{error}"));
        if !self.arguments.output.quiet {
            let failure = not_agreed(peer, error);
            notice::tell(&format!("{}; still listening", printable(&failure.to_string())));
        }
    }
}

/// Sends the client the reason why the test does not run.
fn give_up(association: &Association, failure: Failure) -> Outcome {
    association.abort(&failure.to_string());
    failure.into()
}

async fn wait_until_closed(association: Association) {
    let _ = timeout(CLOSING, association.closed()).await;
}

/// The time that the client has to close.
const CLOSING: Duration = Duration::from_secs(5);
const CLIENT: OtherEnd = OtherEnd { place: "other host", command: "anabranch bench", option: "--to" };
