//! Reports the first events of each kind and client, and counts those that follow at once: a client that causes a million of
//! them does not fill the operator's disk.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, sleep_until};

use super::Event;

/// The kind of an event, and the client.
pub(super) type Topic = (String, &'static str);

/// Passes on few events of each topic.
pub(super) struct Few {
    receive: Box<dyn Fn(Event) + Send + Sync>,
    tallies: Mutex<HashMap<Topic, Tally>>,
}

/// The events of a topic within a period.
#[derive(Debug)]
struct Tally {
    until: Instant,
    shown: usize,
    omitted: u64,
}

/// The treatment of an event.
enum Verdict {
    Shown,
    Counted,
    /// The first one that is counted: the count is due at this time.
    CountedUntil(Instant),
}

impl Few {
    pub(super) fn new(receive: impl Fn(Event) + Send + Sync + 'static) -> Arc<Few> {
        Arc::new(Few { receive: Box::new(receive), tallies: Mutex::default() })
    }

    /// Passes the event on, or counts it. The count follows at the end of the period.
    pub(super) fn event(self: &Arc<Few>, event: Event) {
        let topic = event.topic();
        match self.judge(&topic) {
            Verdict::Shown => (self.receive)(event),
            Verdict::Counted => {}
            Verdict::CountedUntil(until) => {
                let few = Arc::clone(self);
                if let Ok(runtime) = Handle::try_current() {
                    runtime.spawn(async move {
                        sleep_until(until).await;
                        few.report_omitted(topic);
                    });
                }
            }
        }
    }

    fn judge(&self, topic: &Topic) -> Verdict {
        let now = Instant::now();
        let mut tallies = self.lock();
        if tallies.len() >= MOST_TOPICS && !tallies.contains_key(topic) {
            tallies.retain(|_, tally| tally.until > now || tally.omitted > 0);
            if tallies.len() >= MOST_TOPICS {
                return Verdict::Counted;
            }
        }
        let tally = tallies.entry(topic.clone()).or_insert_with(|| Tally::from(now));
        if tally.until <= now && tally.omitted == 0 {
            *tally = Tally::from(now);
        }
        if tally.shown < SHOWN {
            tally.shown += 1;
            return Verdict::Shown;
        }
        tally.omitted += 1;
        if tally.omitted == 1 { Verdict::CountedUntil(tally.until) } else { Verdict::Counted }
    }

    fn report_omitted(&self, topic: Topic) {
        let count = self.lock().remove(&topic).map_or(0, |tally| tally.omitted);
        let (client, what) = topic;
        (self.receive)(Event::Omitted { client, what, count, within: PERIOD });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Topic, Tally>> {
        self.tallies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tally {
    fn from(now: Instant) -> Tally {
        Tally { until: now + PERIOD, shown: 0, omitted: 0 }
    }
}

/// The events of a topic that are passed on in a period.
const SHOWN: usize = 5;
const PERIOD: Duration = Duration::from_secs(10);
/// The topics that are known at once.
const MOST_TOPICS: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Report;
    use crate::signal::Refused;
    use crate::socks::Reply;

    fn refusal(client: &str, number: usize) -> Event {
        let destination = format!("10.0.0.1:{}", number % 60_000 + 1).parse().expect("a destination");
        let refused = Refused::new(Reply::NotAllowed, "private");
        Event::Refused { client: client.to_owned(), destination, refused }
    }

    #[tokio::test(start_paused = true)]
    async fn a_million_refusals_are_six_lines_in_ten_seconds_and_others_keep_their_own() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&lines);
        let report = Report::few(move |event| kept.lock().expect("good").push(event.to_string()));
        for number in 0..1_000_000 {
            report.event(refusal("mallory", number));
        }
        report.event(refusal("alice", 1));
        // A program has another port with each connection.
        for port in 1..100 {
            report.event(refusal(&format!("127.0.0.1:{port}"), 1));
        }
        assert_eq!(lines.lock().expect("good").len(), SHOWN + 1 + SHOWN);
        tokio::time::sleep(PERIOD).await;
        tokio::task::yield_now().await;
        let all = std::mem::take(&mut *lines.lock().expect("good"));
        assert!(all.contains(&"mallory: 999995 more refusals within 10 s".to_owned()), "{all:?}");
        assert!(all.contains(&"127.0.0.1: 94 more refusals within 10 s".to_owned()), "{all:?}");
        report.event(refusal("mallory", 1));
        assert_eq!(lines.lock().expect("good").len(), 1, "in the next period");
    }

    #[tokio::test(start_paused = true)]
    async fn topics_without_end_are_bounded() {
        let report = Report::few(|_| {});
        for number in 0..20_000 {
            report.event(refusal(&format!("client-{number}"), 1));
        }
        let few = Few::new(|_| {});
        for number in 0..20_000 {
            few.event(refusal(&format!("client-{number}"), 1));
        }
        assert_eq!(few.lock().len(), MOST_TOPICS);
    }
}
