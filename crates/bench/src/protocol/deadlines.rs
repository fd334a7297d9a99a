//! The deadlines of a test's messages: by when a message is useful, and for how long the sender keeps it.

use anabranch_base::Duration;

/// The deadline of each message, counted from its due time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// The delay up to which a message arrives in time.
    pub deadline: Duration,
    /// The time after which the sender gives a message up (RFC 3758), sent or not; `None` for never.
    pub lifetime: Option<Duration>,
    /// The order of delivery.
    pub order: Order,
}

/// The order in which messages are delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As they were sent: a lost message delays those behind it until it arrives or is given up.
    #[default]
    Sent,
    /// As they arrive.
    Arrived,
}

impl Deadlines {
    /// Checks that the values make sense in a test of this `duration`.
    ///
    /// # Errors
    /// The reason, in words for the user.
    pub fn check(&self, duration: Duration) -> Result<(), String> {
        let deadline = self.deadline;
        if deadline.is_zero() || self.lifetime.is_some_and(Duration::is_zero) {
            return Err("no message arrives within 0 s: a deadline and a lifetime are longer".to_owned());
        }
        if deadline > duration {
            return Err(format!(
                "a deadline of {deadline} is longer than the test of {duration}: every message would be in time"
            ));
        }
        match self.lifetime {
            Some(lifetime) if lifetime > deadline => Err(format!(
                "a lifetime of {lifetime} is longer than the deadline of {deadline}: messages would be sent \
                 that are too late"
            )),
            _ => Ok(()),
        }
    }
}

impl Order {
    pub(super) fn code(self) -> u8 {
        match self {
            Order::Sent => 0,
            Order::Arrived => 1,
        }
    }

    pub(super) fn from_code(code: u8) -> Option<Order> {
        [Order::Sent, Order::Arrived].into_iter().find(|known| known.code() == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deadlines(deadline: u64, lifetime: Option<u64>) -> Deadlines {
        let lifetime = lifetime.map(Duration::from_millis);
        Deadlines { deadline: Duration::from_millis(deadline), lifetime, order: Order::Sent }
    }

    #[test]
    fn times_that_say_nothing_are_refused_with_the_reason() {
        let check = |deadline, lifetime| deadlines(deadline, lifetime).check(Duration::from_secs(1));
        assert_eq!(
            (check(150, None), check(150, Some(150)), check(1_000, Some(1))),
            (Ok(()), Ok(()), Ok(()))
        );
        assert!(check(0, None).is_err() && check(100, Some(0)).is_err());
        assert!(check(1_001, None).is_err_and(|why| why.contains("longer than the test of 1 s")));
        assert!(
            check(100, Some(101)).is_err_and(|why| why.contains("101 ms is longer than the deadline of 100"))
        );
    }
}
