//! The HEARTBEATs of one path that may still be answered (RFC 9260 §8.3).

use anabranch_base::Time;

/// HEARTBEATs under way, the oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Probes {
    under_way: Vec<(u64, Time)>,
    /// True if the answer to the latest one is still awaited.
    is_awaited: bool,
}

impl Probes {
    /// A HEARTBEAT with `nonce` left at `now`. Those before it may still be answered.
    ///
    /// At most [`MOST`] are kept: at that number, every second one is dropped. So however slow a path has become, a
    /// HEARTBEAT stays long enough to be answered sooner or later.
    pub(crate) fn on_sent(&mut self, nonce: u64, now: Time) {
        if self.under_way.len() >= MOST {
            let mut is_kept = false;
            self.under_way.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
        }
        self.under_way.push((nonce, now));
        self.is_awaited = true;
    }

    /// A HEARTBEAT-ACK with `nonce` arrived. If it answers one of these HEARTBEATs, returns when that one left, and
    /// drops the others.
    pub(crate) fn take(&mut self, nonce: u64) -> Option<Time> {
        let &(_, sent_at) = self.under_way.iter().find(|(awaited, _)| *awaited == nonce)?;
        self.clear();
        Some(sent_at)
    }

    /// Stops to await an answer, which is still accepted. Returns true if one was awaited.
    pub(crate) fn give_up(&mut self) -> bool {
        std::mem::take(&mut self.is_awaited)
    }

    /// Drops all HEARTBEATs: later answers are ignored.
    pub(crate) fn clear(&mut self) {
        self.under_way.clear();
        self.is_awaited = false;
    }

    /// The time at which the last one left.
    pub(crate) fn last_sent(&self) -> Option<Time> {
        self.under_way.last().map(|(_, sent_at)| *sent_at)
    }

    /// Returns true if an answer is awaited.
    pub(crate) fn is_awaited(&self) -> bool {
        self.is_awaited
    }
}

/// The number of HEARTBEATs that are kept.
const MOST: usize = 16;

#[cfg(test)]
mod tests {
    use anabranch_base::Duration;

    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn only_the_right_nonce_answers_a_heartbeat_and_only_once() {
        let mut probes = Probes::default();
        probes.on_sent(7, at(3));
        assert_eq!(probes.take(8), None);
        assert_eq!(probes.take(7), Some(at(3)));
        assert_eq!(probes.take(7), None, "an answer counts once");
    }

    #[test]
    fn a_late_answer_counts_unless_the_heartbeat_was_forgotten() {
        let mut probes = Probes::default();
        probes.on_sent(7, at(3));
        assert!(probes.give_up());
        assert!(!probes.give_up(), "it was given up before");
        assert_eq!(probes.clone().take(7), Some(at(3)));
        probes.clear();
        assert_eq!(probes.take(7), None);
    }

    /// Two HEARTBEATs each second on a path whose answers take 100 seconds.
    #[test]
    fn a_path_is_heard_however_slow_it_has_become() {
        let mut probes = Probes::default();
        let heard = (0..2_000_u64).find(|&number| {
            probes.on_sent(number, at(500 * number));
            number.checked_sub(200).is_some_and(|answered| probes.take(answered).is_some())
        });
        assert!(heard.is_some_and(|number| number < 800), "{heard:?}");
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut probes = Probes::default();
        (0..10_000).for_each(|number| probes.on_sent(number, at(number)));
        assert!(probes.under_way.len() <= MOST);
    }
}
