//! Associations for measurements at an end that listens: it answers them itself, whatever it serves.

use anabranch_net::reason::BUSY;
use anabranch_net::{Association, Config, Endpoint};
use tokio::task::JoinSet;

use crate::answering;
use crate::arguments::Output;
use crate::failure::printable;
use crate::notice;
use crate::peer::Connected;

/// The measurements of a listener, one at a time.
#[derive(Debug)]
pub(super) struct Measurements {
    config: Config,
    output: Output,
    /// True if they are answered here.
    are_answered: bool,
    running: JoinSet<()>,
}

impl Measurements {
    pub(super) fn new(config: &Config, output: Output) -> Measurements {
        Measurements { config: config.clone(), output, are_answered: true, running: JoinSet::new() }
    }

    /// Leaves them to the service.
    pub(super) fn leave(&mut self) {
        self.are_answered = false;
    }

    /// Returns true if `association` is for a measurement that is answered here.
    pub(super) fn is_one(&self, association: &Association) -> bool {
        self.are_answered && association.has_test_packets()
    }

    /// Answers the measurement of `client` to its end.
    pub(super) async fn answer(&self, client: &Connected) {
        let Connected { association, endpoint, peer } = client;
        self.tell(&format!("{peer} measures"));
        answer(endpoint, association, &self.config, self.output).await;
    }

    /// Answers a measurement beside what is served, unless another runs.
    pub(super) fn begin(&mut self, endpoint: &Endpoint, association: Association) {
        while self.running.try_join_next().is_some() {}
        if !self.running.is_empty() {
            return association.abort(&format!("{BUSY}another measurement; try again later"));
        }
        let (endpoint, config, output) = (endpoint.clone(), self.config.clone(), self.output);
        self.running.spawn(async move { answer(&endpoint, &association, &config, output).await });
    }

    fn tell(&self, what: &str) {
        if !self.output.quiet {
            notice::tell(what);
        }
    }
}

async fn answer(endpoint: &Endpoint, association: &Association, config: &Config, output: Output) {
    if let Err(why) = answering::answer(endpoint, association, config).await
        && !output.quiet
    {
        notice::tell(&printable(&format!("a measurement ended early: {why}")));
    }
}
