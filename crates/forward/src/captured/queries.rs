//! Questions to name servers. Programs use a socket for each question; all of them share one flow, so that no question
//! waits for a flow to be opened, and the flow is replaced now and then, so that the far end asks from new ports.

use std::collections::{HashMap, VecDeque};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::{Replies, dns};
use crate::bond::Bond;
use crate::datagrams::{Local, QueueSender, addressed, queue, relay};
use crate::destination::Destination;

/// The questions of all programs.
pub(super) struct Queries {
    bond: Bond,
    asked: Arc<Asked>,
    current: Option<Lane>,
    /// Flows that wait for their last answers.
    retired: VecDeque<(Instant, QueueSender)>,
}

/// A flow for questions.
struct Lane {
    queue: QueueSender,
    since: Instant,
    count: u32,
}

/// The questions that have no answer yet.
struct Asked {
    waiting: Mutex<Waiting>,
    replies: Arc<dyn Replies>,
}

#[derive(Default)]
struct Waiting {
    by_id: HashMap<u16, Question>,
    last: u16,
}

/// A question of a program.
#[derive(Clone, Copy, Debug)]
struct Question {
    /// The identifier that the program chose.
    id: u16,
    program: SocketAddr,
    /// The name server as the program knows it.
    resolver: SocketAddr,
    since: Instant,
}

impl Queries {
    pub(super) fn new(bond: Bond, replies: Arc<dyn Replies>) -> Queries {
        let asked = Arc::new(Asked { waiting: Mutex::default(), replies });
        Queries { bond, asked, current: None, retired: VecDeque::new() }
    }

    /// Sends the question of a program, which asked `resolver`, to `destination`. Anything else is dropped.
    pub(super) fn ask(
        &mut self,
        mut data: Vec<u8>,
        program: SocketAddr,
        resolver: SocketAddr,
        destination: &Destination,
    ) {
        let Some(id) = dns::id(&data).filter(|_| dns::is_query(&data)) else { return };
        let question = Question { id, program, resolver, since: Instant::now() };
        let Some(own) = self.asked.lock().insert(question) else { return };
        dns::set_id(&mut data, own);
        let _ = self.lane().offer(addressed(destination, &data));
    }

    /// The flow for the next question.
    fn lane(&mut self) -> &QueueSender {
        while self.retired.front().is_some_and(|(since, _)| since.elapsed() > ANSWER) {
            self.retired.pop_front();
        }
        let is_good = |lane: &Lane| {
            !lane.queue.is_closed() && lane.since.elapsed() < LONGEST_LANE && lane.count < MOST_OF_LANE
        };
        let lane = match self.current.take() {
            Some(lane) if is_good(&lane) => lane,
            old => {
                if let Some(old) = old {
                    self.retired.push_back((Instant::now(), old.queue));
                }
                let (sender, datagrams) = queue(self.bond.waiting());
                let any = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
                let local = Local::captured(Arc::clone(&self.asked) as Arc<dyn Replies>, any);
                tokio::spawn(relay(self.bond.clone(), local, datagrams, false));
                Lane { queue: sender, since: Instant::now(), count: 0 }
            }
        };
        &self.current.insert(Lane { count: lane.count + 1, ..lane }).queue
    }
}

impl Asked {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Replies for Asked {
    /// An answer goes to the program that asked, from the address that it asked.
    fn reply(&self, _source: SocketAddr, _program: SocketAddr, data: &[u8]) {
        let Some(own) = dns::id(data) else { return };
        let Some(question) = self.lock().by_id.remove(&own) else { return };
        let mut answer = data.to_vec();
        dns::set_id(&mut answer, question.id);
        self.replies.reply(question.resolver, question.program, &answer);
    }
}

impl Waiting {
    /// Adds a question, and returns the identifier for the far end: the program's own one if it is free. `None` if too many
    /// wait.
    fn insert(&mut self, question: Question) -> Option<u16> {
        if self.by_id.len() >= MOST_WAITING {
            self.by_id.retain(|_, waiting| waiting.since.elapsed() < ANSWER);
        }
        if self.by_id.len() >= MOST_WAITING {
            return None;
        }
        let mut own = question.id;
        while self.by_id.get(&own).is_some_and(|waiting| !waiting.is_repeated_by(&question)) {
            self.last = self.last.wrapping_add(1);
            own = self.last;
        }
        self.by_id.insert(own, question);
        Some(own)
    }
}

impl Question {
    fn is_repeated_by(&self, other: &Question) -> bool {
        (self.id, self.program, self.resolver) == (other.id, other.program, other.resolver)
    }
}

/// The time for which an answer is awaited. Programs ask again after five seconds.
const ANSWER: Duration = Duration::from_secs(10);
/// The questions that wait at once.
const MOST_WAITING: usize = 4096;
/// The time for which a flow is used, and the questions that it carries.
const LONGEST_LANE: Duration = Duration::from_secs(30);
const MOST_OF_LANE: u32 = 100;

#[cfg(test)]
mod tests {
    use super::*;

    fn question(id: u16, port: u16) -> Question {
        let resolver = ([192, 168, 1, 1], 53).into();
        Question { id, program: ([10, 0, 0, 2], port).into(), resolver, since: Instant::now() }
    }

    #[test]
    fn questions_with_one_identifier_get_different_ones_and_a_repetition_keeps_it() {
        let mut waiting = Waiting::default();
        assert_eq!(waiting.insert(question(7, 1000)), Some(7));
        let other = waiting.insert(question(7, 1001)).expect("another");
        assert_ne!(other, 7);
        assert_eq!(waiting.insert(question(7, 1000)), Some(7), "asked again");
        assert_eq!(waiting.by_id.len(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn the_questions_that_wait_are_bounded_and_old_ones_give_way() {
        let mut waiting = Waiting::default();
        for port in 1..=5000 {
            waiting.insert(question(port, port));
        }
        assert_eq!(waiting.by_id.len(), MOST_WAITING);
        tokio::time::advance(ANSWER * 2).await;
        assert!(waiting.insert(question(1, 9)).is_some());
        assert_eq!(waiting.by_id.len(), 1);
    }
}
