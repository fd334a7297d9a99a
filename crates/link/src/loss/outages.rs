//! Time spans in which no packet passes.

use std::ops::Range;

use anabranch_base::Time;

use super::{LossModel, PacketInfo};

/// Loses every packet that is transmitted, in part or whole, within one of the spans.
#[derive(Debug)]
pub(super) struct Outages {
    /// In descending order of their starts, so that the next one is last.
    spans: Vec<(Time, Time)>,
}

impl Outages {
    /// Outages in `spans`; each includes its start and excludes its end.
    pub(super) fn new(mut spans: Vec<(Time, Time)>) -> Outages {
        spans.sort_unstable_by(|a, b| b.cmp(a));
        Outages { spans }
    }
}

impl LossModel for Outages {
    fn loses(&mut self, sent: Range<Time>, _: &PacketInfo<'_>) -> bool {
        while self.spans.pop_if(|span| span.1 <= sent.start).is_some() {}
        let touches = |span: &&(Time, Time)| span.0 <= sent.start || span.0 < sent.end;
        self.spans.iter().rev().take_while(touches).any(|span| span.1 > sent.start)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::losses;
    use super::*;
    use anabranch_base::Duration;

    #[test]
    fn an_outage_ends_before_its_second_moment() {
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        let mut rule = Outages::new(vec![(at(5), at(6)), (at(1), at(3))]);
        assert_eq!(losses(&mut rule, 7), [false, true, true, false, false, true, false]);
    }
}
