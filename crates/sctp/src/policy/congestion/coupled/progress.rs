//! ℓ of OLIA: what a path delivered between losses.

/// The volume acknowledged on a path since losses, in any unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    since_last: f64,
    between_last: f64,
}

impl Progress {
    /// `amount` was acknowledged.
    pub fn on_acked(&mut self, amount: f64) {
        self.since_last += amount;
    }

    /// A loss cut the window.
    pub fn on_loss(&mut self) {
        self.between_last = std::mem::take(&mut self.since_last);
    }

    /// ℓ: the volume acknowledged between the last two losses, or since the last one if that is more.
    pub fn longest(&self) -> f64 {
        self.since_last.max(self.between_last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_of_the_last_two_spans_counts() {
        let mut progress = Progress::default();
        let seen = [5.0, 3.0, 1.0].map(|amount| {
            progress.on_acked(amount);
            let now = progress.longest();
            progress.on_loss();
            now
        });
        assert_eq!(seen, [5.0, 5.0, 3.0]);
    }
}
