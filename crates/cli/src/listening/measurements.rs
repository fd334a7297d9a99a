//! Associations for measurements at an end that listens: it answers them itself, whatever it serves.

use std::path::{Path, PathBuf};

use anabranch_net::{Association, Config, Endpoint};
use tokio::task::JoinSet;

use super::newcomers::Newcomers;
use super::silences::Silences;
use crate::answering;
use crate::arguments::Output;
use crate::failure::printable;
use crate::notice;
use crate::peer::Connected;

/// The measurements of a listener, one at a time, and beside it one client that falls silent.
#[derive(Debug)]
pub(super) struct Measurements {
    config: Config,
    output: Output,
    /// True if they are answered here.
    are_answered: bool,
    /// The folder for files, whose disk is measured too.
    folder: Option<PathBuf>,
    running: JoinSet<()>,
    silences: Silences,
}

impl Measurements {
    pub(super) fn new(config: &Config, output: Output) -> Measurements {
        let (running, silences) = (JoinSet::new(), Silences::default());
        Measurements { config: config.clone(), output, are_answered: true, folder: None, running, silences }
    }

    /// Measures the disk of this folder, too.
    pub(super) fn store_in(&mut self, folder: &Path) {
        self.folder = Some(folder.to_owned());
    }

    /// Leaves them to the service.
    pub(super) fn leave(&mut self) {
        self.are_answered = false;
    }

    /// Returns true if `association` is for a measurement that is answered here.
    pub(super) fn is_one(&self, association: &Association) -> bool {
        self.are_answered && association.has_test_packets()
    }

    /// Answers the measurement of `client` to its end. Other peers are told that this end is busy.
    pub(super) async fn answer(&mut self, client: &Connected) {
        let Connected { association, endpoint, peer } = client;
        let Measurements { config, output, folder, silences, .. } = self;
        if !output.quiet {
            notice::tell(&format!("{peer} measures"));
        }
        tokio::select! {
            biased;
            () = answer(endpoint, association, config, folder.as_deref(), *output) => {}
            () = admit(endpoint, silences, config) => {}
        }
    }

    /// Answers a measurement beside what is served, or a client that falls silent, unless another runs.
    pub(super) fn begin(&mut self, endpoint: &Endpoint, association: Association) {
        while self.running.try_join_next().is_some() {}
        if !self.running.is_empty() {
            return self.silences.admit(endpoint, association, &self.config);
        }
        let (endpoint, config, output) = (endpoint.clone(), self.config.clone(), self.output);
        let folder = self.folder.clone();
        self.running.spawn(async move {
            answer(&endpoint, &association, &config, folder.as_deref(), output).await;
        });
    }
}

/// Lets clients that fall silent in, and refuses others, until it is dropped.
async fn admit(endpoint: &Endpoint, silences: &mut Silences, config: &Config) {
    while let Some(newcomer) = endpoint.accept().await {
        if newcomer.has_test_packets() {
            silences.admit(endpoint, newcomer, config);
        } else {
            newcomer.abort(&Newcomers::AfterTest.busy());
        }
    }
    std::future::pending::<()>().await;
}

async fn answer(
    endpoint: &Endpoint,
    association: &Association,
    config: &Config,
    folder: Option<&Path>,
    output: Output,
) {
    if let Err(why) = answering::answer(endpoint, association, config, folder).await
        && !output.quiet
    {
        notice::tell(&printable(&format!("a measurement ended early: {why}")));
    }
}
