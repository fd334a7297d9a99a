//! The end that answers a measurement: it sends test packets where it is asked to, reports what arrived, and then takes
//! part in tests of the bond.

use std::path::Path;

use anabranch_base::ByteCount;
use anabranch_bench::{Exchange, answer_after, limits_of};
use anabranch_net::{Association, Config, Endpoint};
use anabranch_probe::{Host, Limits, is_hello, respond};

/// Answers the measurement of the client at the other end of `association`, and the tests that it asks for, until it
/// closes. The disk of `folder`, where files are stored, is tested once.
///
/// # Errors
/// The reason, in words, if the client breaks the protocol or asks for too much. It has been told.
pub(crate) async fn answer(
    endpoint: &Endpoint,
    association: &Association,
    config: &Config,
    folder: Option<&Path>,
) -> Result<(), String> {
    let answered = answer_to_end(endpoint, association, config, folder).await;
    if let Err(why) = &answered {
        association.abort(why);
    }
    answered
}

async fn answer_to_end(
    endpoint: &Endpoint,
    association: &Association,
    config: &Config,
    folder: Option<&Path>,
) -> Result<(), String> {
    let limits = limits_of(config);
    let mut host = Host { folder: folder.map(Path::to_owned), ..host(config) };
    while let Ok(message) = association.recv().await {
        let (ppid, first) = (message.ppid, message.into_bytes());
        if is_hello(ppid, &first) {
            let told = respond(endpoint, association, &first, &Limits::default(), &host).await;
            told.map_err(|error| error.to_string())?;
            host.folder = None;
            continue;
        }
        let asked = answer_after(first, association, &limits).await.map_err(|error| error.to_string())?;
        let Some(test) = asked else { break };
        let mut exchange = Exchange::begin(association, test);
        while exchange.next().await.map_err(|error| error.to_string())?.is_some() {}
    }
    Ok(())
}

/// The limits of this end, for the judgement at the other.
pub(crate) fn host(config: &Config) -> Host {
    let limit = config.receive_growth.as_ref().map_or(config.receive_buffer, |growth| growth.limit);
    let (receive_buffer_limit, send_buffer): (ByteCount, ByteCount) = (limit, config.send_buffer);
    Host { receive_buffer_limit, send_buffer, folder: None }
}
