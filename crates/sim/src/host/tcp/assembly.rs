//! The receiving half of a connection: data of all subflows in order (M-MP-4).

use std::collections::VecDeque;

use anabranch_base::{ByteCount, Time};

use super::position::Position;
use super::segment::DataSegment;
use crate::host::Delivered;

/// The data that arrived, and the ranges that wait for data before them.
#[derive(Clone, Debug, Default)]
pub(super) struct Assembly {
    next: Position,
    /// In order.
    waiting: VecDeque<DataSegment>,
    held: ByteCount,
}

impl Assembly {
    /// A segment arrived; adds what can be delivered to `deliveries`. Returns true if its data arrived for the
    /// first time: copies of a segment have its data exactly.
    pub(super) fn accept(
        &mut self,
        now: Time,
        segment: &DataSegment,
        deliveries: &mut Vec<Delivered>,
    ) -> bool {
        if segment.data < self.next {
            return false;
        }
        if segment.data > self.next {
            return self.hold(segment);
        }
        self.deliver(now, segment, deliveries);
        while let Some(first) = self.waiting.pop_front_if(|first| first.data == self.next) {
            self.held -= first.size;
            self.deliver(now, &first, deliveries);
        }
        true
    }

    /// The next expected position.
    pub(super) fn next(&self) -> Position {
        self.next
    }

    /// The data that wait.
    pub(super) fn held(&self) -> ByteCount {
        self.held
    }

    fn hold(&mut self, segment: &DataSegment) -> bool {
        let at = match self.waiting.back() {
            Some(last) if last.data >= segment.data => {
                match self.waiting.binary_search_by_key(&segment.data, |waiting| waiting.data) {
                    Ok(_) => return false,
                    Err(at) => at,
                }
            }
            _ => self.waiting.len(),
        };
        self.waiting.insert(at, *segment);
        self.held += segment.size;
        true
    }

    fn deliver(&mut self, now: Time, segment: &DataSegment, deliveries: &mut Vec<Delivered>) {
        self.next = segment.data + segment.size;
        deliveries.push(Delivered { bytes: segment.size, delay: now.since(segment.given) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_base::Duration;

    #[test]
    fn data_are_delivered_once_and_in_order() {
        let mut assembly = Assembly::default();
        let now = Time::ZERO + Duration::from_millis(50);
        let mut arrive = |number: u64| {
            let position = Position::after(10 * number);
            let size = ByteCount::new(10);
            let given = Time::ZERO + Duration::from_millis(number);
            let segment = DataSegment { start: position, data: position, size, given };
            let mut deliveries = Vec::new();
            let is_new = assembly.accept(now, &segment, &mut deliveries);
            let delays: Vec<u64> = deliveries.iter().map(|delivered| delivered.delay.as_millis()).collect();
            (is_new, delays, assembly.held().get())
        };
        assert_eq!(arrive(0), (true, vec![50], 0));
        assert_eq!(arrive(2), (true, vec![], 10));
        assert_eq!(arrive(4), (true, vec![], 20));
        assert_eq!(arrive(3), (true, vec![], 30));
        assert_eq!(arrive(3), (false, vec![], 30));
        assert_eq!(arrive(1), (true, vec![49, 48, 47, 46], 0));
        assert_eq!(arrive(1), (false, vec![], 0));
    }
}
