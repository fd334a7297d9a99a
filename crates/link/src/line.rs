//! The line: computes when the transmission of a packet ends, from the rate over time.

use anabranch_base::{BitRate, ByteCount, Duration, Time};

use crate::config::{Rate, Trace};

/// A transmitter. Work is counted in bits times 10⁹, so that rate times nanoseconds is exact. The end of a packet is
/// rounded up; the next packet of the same busy period is credited with the difference, so that rounding does not add
/// up.
#[derive(Debug)]
pub(crate) struct Line {
    rate: Rate,
    /// The time at which `work` was left.
    from: Time,
    /// The remaining work on the packet in transmission.
    work: u64,
    /// The work done beyond the end of the previous packet.
    credit: u64,
    /// When the transmission ends; `None` while nothing is transmitted.
    end: Option<Time>,
    /// The last work at a fixed rate, and how long it took: most packets have the same size, and a division takes time.
    last: Option<(u64, u64)>,
    /// The next opportunity of a trace, counted from its start over all repetitions.
    opportunity: u64,
    /// The rest of the bytes of the opportunity at this time.
    open: Option<(Time, ByteCount)>,
}

impl Line {
    /// An idle line.
    pub(crate) fn new(rate: Rate) -> Line {
        Line { rate, from: Time::ZERO, work: 0, credit: 0, end: None, last: None, opportunity: 0, open: None }
    }

    /// Starts to transmit a packet on an idle line.
    pub(crate) fn begin(&mut self, now: Time, size: ByteCount) {
        self.credit = 0;
        self.follow(now, size);
    }

    /// Starts to transmit a packet directly after another one.
    pub(crate) fn follow(&mut self, now: Time, size: ByteCount) {
        self.from = now;
        self.work = work_of(size).saturating_sub(self.credit);
        self.credit = 0;
        self.plan();
    }

    /// When the transmission ends; `None` if the rate stays zero.
    pub(crate) fn end(&self) -> Option<Time> {
        self.end
    }

    /// The rate at `now`; `None` for a trace, which has times and no rate.
    pub(crate) fn rate_at(&self, now: Time) -> Option<BitRate> {
        match &self.rate {
            Rate::Fixed(rate) => Some(*rate),
            Rate::Steps(steps) => {
                let current = steps.partition_point(|step| step.0 <= now).checked_sub(1)?;
                steps.get(current).map(|step| step.1)
            }
            Rate::Trace(_) => None,
        }
    }

    /// Changes the rate; `is_busy` says whether a packet is in transmission.
    pub(crate) fn change(&mut self, now: Time, rate: Rate, is_busy: bool) {
        if is_busy {
            self.settle(now);
        }
        self.rate = rate;
        self.last = None;
        self.opportunity = 0;
        self.open = None;
        self.from = now;
        if is_busy {
            self.plan();
        }
    }

    /// The work that the line can do between `from` and `to`, in bits times 10⁹.
    pub(crate) fn work_between(&self, from: Time, to: Time) -> u128 {
        match &self.rate {
            Rate::Fixed(rate) => work_at(rate.bits_per_second(), to.since(from)),
            Rate::Steps(steps) => {
                let ends = steps.iter().skip(1).map(|step| step.0).chain([to]);
                let pieces = steps.iter().zip(ends);
                let work = |(step, end): (&(Time, BitRate), Time)| {
                    work_at(step.1.bits_per_second(), end.min(to).since(step.0.max(from)))
                };
                pieces.map(work).sum()
            }
            Rate::Trace(trace) => {
                let count = trace.first_from(to).saturating_sub(trace.first_from(from));
                u128::from(count) * u128::from(work_of(Trace::OPPORTUNITY))
            }
        }
    }

    /// Computes when the remaining work ends.
    fn plan(&mut self) {
        let (from, work) = (self.from, self.work);
        self.end = match &self.rate {
            Rate::Fixed(rate) => {
                let (end, credit) = through_again(from, work, rate.bits_per_second(), &mut self.last);
                self.credit = credit;
                end
            }
            Rate::Steps(steps) => {
                let (end, credit) = through_steps(from, work, steps);
                self.credit = credit;
                end
            }
            Rate::Trace(_) => self.plan_by_trace(),
        };
    }

    /// Subtracts the work done until `now`.
    fn settle(&mut self, now: Time) {
        let done = match &self.rate {
            Rate::Fixed(_) | Rate::Steps(_) => self.work_between(self.from, now),
            // A part of the packet that an opportunity carried is sent again at the new rate.
            Rate::Trace(_) => 0,
        };
        self.work = self.work.saturating_sub(u64::try_from(done).unwrap_or(u64::MAX));
        self.credit = 0;
        self.from = now;
    }

    fn plan_by_trace(&mut self) -> Option<Time> {
        let Rate::Trace(trace) = &self.rate else { return None };
        let mut left = ByteCount::new(self.work.div_ceil(SCALE * 8));
        if let Some((at, open)) = self.open.filter(|open| open.0 == self.from) {
            if left <= open {
                self.open = Some((at, open - left));
                return Some(at);
            }
            left -= open;
        }
        self.opportunity = self.opportunity.max(trace.first_from(self.from));
        let whole = left.get().div_ceil(Trace::OPPORTUNITY.get()).max(1);
        let last = self.opportunity + whole - 1;
        let at = trace.at(last)?;
        self.opportunity = last + 1;
        self.open = Some((at, Trace::OPPORTUNITY * whole - left));
        Some(at)
    }
}

impl Trace {
    /// The time of the `index`-th opportunity, including repetitions; `None` after the last one.
    fn at(&self, index: u64) -> Option<Time> {
        let count = self.opportunities.len() as u64;
        let (round, within) = (index.checked_div(count)?, index.checked_rem(count)?);
        if round > 0 && (!self.repeat || self.period().is_zero()) {
            return None;
        }
        let within = self.opportunities.get(usize::try_from(within).ok()?)?;
        Some(*within + self.period() * round)
    }

    /// The duration of one repetition, which ends with its last opportunity.
    fn period(&self) -> Duration {
        self.opportunities.last().map_or(Duration::ZERO, |last| last.since(Time::ZERO))
    }

    /// The first opportunity at `now` or later.
    fn first_from(&self, now: Time) -> u64 {
        let count = self.opportunities.len() as u64;
        let since = now.since(Time::ZERO).as_nanos();
        let (mut round, mut within) = (0, since);
        let period = self.period().as_nanos();
        if self.repeat && since > period && period > 0 {
            // The last time of a repetition is the first of the next: it belongs to the earlier repetition.
            (round, within) = ((since - 1) / period, (since - 1) % period + 1);
        }
        let before = self.opportunities.partition_point(|at| at.as_nanos() < within);
        round.saturating_mul(count).saturating_add(before as u64)
    }
}

const SCALE: u64 = 1_000_000_000;

/// The work for a packet of `size`, in bits times 10⁹.
pub(crate) fn work_of(size: ByteCount) -> u64 {
    size.get().saturating_mul(8 * SCALE)
}

fn work_at(rate: u64, span: Duration) -> u128 {
    u128::from(rate) * u128::from(span.as_nanos())
}

/// The end of `work` at `rate`, rounded up, and the work done beyond it.
fn through(from: Time, work: u64, rate: u64) -> (Option<Time>, u64) {
    if rate == 0 {
        return (None, 0);
    }
    let span = work.div_ceil(rate);
    (Some(from + Duration::from_nanos(span)), span.saturating_mul(rate).saturating_sub(work))
}

/// As [`through`]. `last` is the last work at this rate and its nanoseconds, and becomes this one.
#[inline]
fn through_again(from: Time, work: u64, rate: u64, last: &mut Option<(u64, u64)>) -> (Option<Time>, u64) {
    match *last {
        Some((known, span)) if known == work => {
            (Some(from + Duration::from_nanos(span)), span.saturating_mul(rate).saturating_sub(work))
        }
        _ => {
            let planned = through(from, work, rate);
            *last = planned.0.map(|_| (work, work.div_ceil(rate)));
            planned
        }
    }
}

fn through_steps(mut from: Time, mut work: u64, steps: &[(Time, BitRate)]) -> (Option<Time>, u64) {
    let current = steps.partition_point(|step| step.0 <= from).saturating_sub(1);
    let Some(pieces) = steps.get(current..) else { return (None, 0) };
    for (index, (_, rate)) in pieces.iter().enumerate() {
        let rate = rate.bits_per_second();
        let planned = through(from, work, rate);
        let Some((next, _)) = pieces.get(index + 1) else { return planned };
        if planned.0.is_some_and(|end| end <= *next) {
            return planned;
        }
        let done = work_at(rate, next.since(from));
        work = work.saturating_sub(u64::try_from(done).unwrap_or(u64::MAX));
        from = *next;
    }
    (None, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: ByteCount = ByteCount::new(1500);

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn rounding_does_not_add_up_in_a_busy_period() {
        let mut line = Line::new(Rate::Fixed(BitRate::from_bits_per_second(7_000_000)));
        line.begin(Time::ZERO, PACKET);
        for _ in 1..7_000 {
            line.follow(line.end().expect("the rate is not zero"), PACKET);
        }
        // 7,000 packets of 12,000 bits at 7 Mbit/s: 12 seconds, although no packet takes whole nanoseconds.
        assert_eq!(line.end(), Some(at(12_000)));
    }

    #[test]
    fn a_packet_goes_on_at_the_rate_of_the_next_step() {
        let steps = [(0, 1), (6, 0), (10, 2)].map(|(ms, mbps)| (at(ms), BitRate::from_mbps(mbps)));
        let mut line = Line::new(Rate::Steps(steps.to_vec()));
        line.begin(Time::ZERO, PACKET);
        // 6 ms at 1 Mbit/s, nothing for 4 ms, and the other half at 2 Mbit/s.
        assert_eq!(line.end(), Some(at(13)));
        assert_eq!(line.work_between(at(5), at(11)), u128::from(SCALE) * 3_000);
    }

    #[test]
    fn the_rate_at_a_moment_is_that_of_the_step_it_is_in() {
        let steps = [(0, 1), (6, 0), (10, 2)].map(|(ms, mbps)| (at(ms), BitRate::from_mbps(mbps)));
        let line = Line::new(Rate::Steps(steps.to_vec()));
        let rates = [0, 5, 6, 9, 10, 99].map(|ms| line.rate_at(at(ms)).map(BitRate::bits_per_second));
        assert_eq!(rates, [1_000_000, 1_000_000, 0, 0, 2_000_000, 2_000_000].map(Some));
        assert_eq!(Line::new(Rate::Trace(trace(&[5], true))).rate_at(at(1)), None);
    }

    #[test]
    fn a_change_of_rate_keeps_what_was_transmitted() {
        let mut line = Line::new(Rate::Fixed(BitRate::from_mbps(1)));
        line.begin(Time::ZERO, PACKET);
        line.change(at(6), Rate::Fixed(BitRate::from_mbps(6)), true);
        assert_eq!(line.end(), Some(at(7)));
    }

    fn trace(milliseconds: &[u64], repeat: bool) -> Trace {
        let opportunities = milliseconds.iter().map(|ms| at(*ms)).collect();
        Trace { name: String::new(), opportunities, repeat }
    }

    #[test]
    fn a_trace_lets_one_full_packet_or_several_small_ones_pass_at_each_opportunity() {
        let mut line = Line::new(Rate::Trace(trace(&[5, 5, 9], true)));
        let small = ByteCount::new(752);
        let mut ends = Vec::new();
        line.begin(at(1), small);
        ends.push(line.end());
        for size in [small, small, small, ByteCount::new(1505), small] {
            line.follow(line.end().expect("the trace repeats"), size);
            ends.push(line.end());
        }
        assert_eq!(ends, [5, 5, 5, 5, 14, 14].map(|ms| Some(at(ms))));
    }

    #[test]
    fn unused_opportunities_expire_and_a_trace_may_end() {
        let mut line = Line::new(Rate::Trace(trace(&[5, 6, 9], false)));
        line.begin(at(7), PACKET);
        assert_eq!(line.end(), Some(at(9)));
        line.begin(at(10), PACKET);
        assert_eq!(line.end(), None);
    }

    #[test]
    fn the_opportunities_of_a_trace_are_counted_through_its_repetitions() {
        let trace = trace(&[0, 4, 10], true);
        let firsts = [0, 1, 4, 5, 10, 11, 14, 20, 21].map(|ms| trace.first_from(at(ms)));
        assert_eq!(firsts, [0, 1, 1, 2, 2, 4, 4, 5, 7]);
        assert_eq!(trace.at(7), Some(at(24)));
    }
}
