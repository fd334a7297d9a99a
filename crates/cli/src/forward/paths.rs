//! The events of the paths of an association, for `--verbose`.

use std::convert::Infallible;
use std::future::pending;

use anabranch_net::monitor::{DataDirection, PathMonitor};
use anabranch_net::{Association, Clock, Event};

use crate::arguments::Output;
use crate::transfer::ProgressView;

/// Reports what happens to the paths of `association`, if `output` asks for it.
pub(super) async fn report(association: &Association, output: Output) -> Infallible {
    if !output.verbose {
        return pending().await;
    }
    // Events alone, without bars.
    let mut view = ProgressView::new(Output { quiet: true, ..output });
    follow(association, |monitor, event| match event {
        None => view.on_connected(monitor),
        Some(event) => view.on_event(monitor, event),
    })
    .await
}

/// Calls `tell` at once, and with each event that may be one of a path.
async fn follow(association: &Association, mut tell: impl FnMut(&PathMonitor, Option<&Event>)) -> Infallible {
    let mut events = association.subscribe();
    let mut monitor = PathMonitor::new(Clock::start(), DataDirection::Receiving);
    monitor.update(association);
    tell(&monitor, None);
    while let Some(next) = events.next().await {
        // Those of each message are many.
        if let Ok(event) = next
            && !matches!(event, Event::Readable | Event::Writable | Event::GivenUp { .. })
        {
            monitor.update(association);
            tell(&monitor, Some(&event));
        }
    }
    pending().await
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use anabranch_net::{Endpoint, Options, Security};
    use tokio::time::timeout;

    use super::*;
    use crate::settings;

    fn endpoint(accepts: bool) -> Endpoint {
        let local = vec!["127.0.0.1:0".parse().expect("an address")];
        let config = settings::for_forward();
        Endpoint::bind(Options { local, accepts, config, ..Options::with(Security::Insecure) })
            .expect("bound")
    }

    /// A search for the largest packets begins on each path as soon as it is there.
    async fn first_event(association: &Association) -> String {
        let (heard, mut news) = tokio::sync::mpsc::unbounded_channel();
        let following = follow(association, |monitor, event| {
            assert_eq!(monitor.paths().len(), 1, "also before the first event");
            if let Some(name) = event.and_then(|event| monitor.name_of(event)) {
                let _ = heard.send(name.to_owned());
            }
        });
        let first = async {
            tokio::select! {
                name = news.recv() => name.expect("a name"),
                never = following => match never {},
            }
        };
        timeout(Duration::from_secs(20), first).await.expect("an event of a path")
    }

    #[tokio::test]
    async fn both_ends_hear_of_their_paths() {
        let (client, server) = (endpoint(false), endpoint(true));
        let remote = server.local_addresses();
        let (near, far) = tokio::join!(client.connect(&remote), server.accept());
        let (near, far) = (near.expect("connected"), far.expect("accepted"));
        let (here, there) = tokio::join!(first_event(&near), first_event(&far));
        assert!(here.contains("127.0.0.1") && there.contains("127.0.0.1"), "{here}, {there}");
    }
}
