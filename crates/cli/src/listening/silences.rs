//! A client that falls silent beside a measurement, to see which of its paths are forgotten: one at a time.

use anabranch_net::reason::BUSY;
use anabranch_net::{Association, Config, Endpoint};
use anabranch_probe::{Limits, is_quiet, respond};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::answering::host;

/// The client that is silent.
#[derive(Debug, Default)]
pub(super) struct Silences {
    running: JoinSet<()>,
}

impl Silences {
    /// Answers `association` if it is for a silence and no other is; aborts it otherwise.
    pub(super) fn admit(&mut self, endpoint: &Endpoint, association: Association, config: &Config) {
        while self.running.try_join_next().is_some() {}
        if !self.running.is_empty() {
            return association.abort(&busy());
        }
        let (endpoint, config) = (endpoint.clone(), config.clone());
        self.running.spawn(async move { answer(&endpoint, &association, &config).await });
    }
}

async fn answer(endpoint: &Endpoint, association: &Association, config: &Config) {
    let Ok(Ok(message)) = timeout(FIRST_WORD, association.recv()).await else {
        return association.abort(&busy());
    };
    let (ppid, first) = (message.ppid, message.into_bytes());
    if !is_quiet(ppid, &first) {
        return association.abort(&busy());
    }
    match respond(endpoint, association, &first, &Limits::default(), &host(config)).await {
        Ok(()) => {
            let _ = timeout(CLOSING, association.closed()).await;
        }
        Err(error) => association.abort(&error.to_string()),
    }
}

fn busy() -> String {
    format!("{BUSY}measurement; try again later")
}

/// The time for the client's first message, which follows when its paths are confirmed; until then no other client is silent.
const FIRST_WORD: std::time::Duration = std::time::Duration::from_secs(8);
/// The time that the client has to close.
const CLOSING: std::time::Duration = std::time::Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use anabranch_base::Duration;
    use anabranch_net::{Key, Options, Security};
    use anabranch_probe::{Plan, ProbeError, fall_silent, measure};

    use super::*;
    use crate::settings;

    fn endpoint(key: &Key, accepts: bool) -> Endpoint {
        let local = vec!["127.0.0.1:0".parse().expect("an address")];
        let config = Config { test_packets: true, ..settings::for_tools() };
        let options = Options { local, accepts, config, ..Options::with(Security::Sealed(key.clone())) };
        Endpoint::bind(options).expect("sockets")
    }

    /// Another client of `server`, and its association there.
    async fn client(server: &Endpoint, key: &Key) -> (Endpoint, Association, Association) {
        let client = endpoint(key, false);
        let association = client.connect(&server.local_addresses()).await.expect("an answer");
        (client, association, server.accept().await.expect("a client"))
    }

    #[tokio::test]
    async fn one_client_is_silent_and_others_are_told_that_this_end_is_busy() {
        let key = Key::fresh().expect("a key");
        let (server, config) = (endpoint(&key, true), settings::for_tools());
        let mut silences = Silences::default();
        let is_busy = |error: &ProbeError| error.to_string().contains("busy with another measurement");
        // A measurement is not let in beside another.
        let (loud, association, there) = client(&server, &key).await;
        silences.admit(&server, there, &config);
        let refused = measure(&loud, &association, &Plan::default(), |_| {}).await;
        assert!(refused.as_ref().is_err_and(is_busy), "{refused:?}");
        silences.running.join_next().await;
        let (first, silent, there) = client(&server, &key).await;
        silences.admit(&server, there, &config);
        let (second, refused, there) = client(&server, &key).await;
        silences.admit(&server, there, &config);
        let (silent, refused) = tokio::join!(
            fall_silent(&first, &silent, Duration::from_secs(1)),
            fall_silent(&second, &refused, Duration::from_secs(1)),
        );
        assert!(silent.is_ok_and(|silent| silent.paths[0].heard.is_forgotten() == Some(false)));
        assert!(refused.as_ref().is_err_and(is_busy), "{refused:?}");
    }
}
