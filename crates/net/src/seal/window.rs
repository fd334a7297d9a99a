//! The received numbers of one route, as far back as they are kept (RFC 6479).

/// A window of at least 2,048 numbers below the highest received.
#[derive(Clone, Debug)]
pub struct Window {
    /// One more than the highest received number.
    next: u64,
    /// A ring of bits with one word more than the window needs, so that the word of the highest number never contains
    /// old bits.
    seen: [u64; Window::WORDS],
}

impl Window {
    /// The size of the window.
    pub const LEN: u64 = 2_048;
    const WORDS: usize = Window::LEN as usize / 64 + 1;

    /// An empty window.
    pub fn new() -> Window {
        Window { next: 0, seen: [0; Window::WORDS] }
    }

    /// Records a new number. Returns true if it is the highest so far.
    pub fn note(&mut self, number: u64) -> bool {
        let is_highest = number >= self.next;
        if is_highest {
            let (last, word) = (self.next.saturating_sub(1) / 64, number / 64);
            for passed in (last + 1..=word).rev().take(Window::WORDS) {
                self.seen[passed as usize % Window::WORDS] = 0;
            }
            self.next = number + 1;
        }
        self.seen[(number / 64) as usize % Window::WORDS] |= 1 << (number % 64);
        is_highest
    }

    /// Returns true if a number was not received and is within the window.
    pub fn is_new(&self, number: u64) -> bool {
        if number >= self.next {
            return true;
        }
        let bit = self.seen[(number / 64) as usize % Window::WORDS] >> (number % 64) & 1;
        self.next - number <= Window::LEN && bit == 0
    }
}

impl Default for Window {
    fn default() -> Window {
        Window::new()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::vec;
    use proptest::prelude::{any, proptest};

    use super::*;

    #[test]
    fn each_number_is_new_once() {
        let mut window = Window::new();
        for number in [0, 5, 3, 4_000, 3_999, 1_953] {
            assert!(window.is_new(number), "{number}");
            window.note(number);
            assert!(!window.is_new(number), "{number}");
        }
    }

    #[test]
    fn the_last_2048_are_remembered_and_older_ones_are_never_new() {
        let mut window = Window::new();
        window.note(10_000);
        assert!(window.is_new(10_001 - Window::LEN));
        assert!(!window.is_new(10_000 - Window::LEN));
        window.note(u64::MAX >> 16);
        assert!(!window.is_new(10_001));
    }

    proptest! {
        /// Short and long steps in both directions, compared with a complete set.
        #[test]
        fn it_agrees_with_a_set_of_all_that_came(steps in vec((any::<bool>(), 0_u64..300, 0_u32..7), 1..400)) {
            let (mut window, mut came, mut at) = (Window::new(), BTreeSet::new(), 3_000_u64);
            for (is_back, step, scale) in steps {
                let step = step << scale;
                at = if is_back { at.saturating_sub(step) } else { at + step };
                let highest = came.last().copied();
                let is_old = highest.is_some_and(|highest| at + Window::LEN <= highest);
                assert_eq!(window.is_new(at), !is_old && !came.contains(&at), "{at} after {highest:?}");
                if window.is_new(at) {
                    assert_eq!(window.note(at), highest.is_none_or(|highest| at > highest));
                    came.insert(at);
                }
            }
        }
    }
}
