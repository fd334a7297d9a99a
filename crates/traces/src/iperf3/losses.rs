//! The losses of UDP, per interval and over the whole test. iperf3 counts a late datagram as lost first and subtracts
//! it from a later interval, whose count may thus be negative.

use anabranch_base::Duration;

/// The counts of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counted {
    pub at: Duration,
    pub lost: i64,
    pub packets: i64,
}

/// The number of datagrams lost out of those sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LossCount {
    pub lost: u64,
    pub packets: u64,
}

/// The losses derived from the counts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Losses {
    pub total: LossCount,
    /// The losses per interval, where their sum agrees with the whole test.
    pub steps: Option<Vec<(Duration, LossCount)>>,
    /// A sentence on counts that disagree.
    pub remark: Option<String>,
}

impl LossCount {
    /// The counts as printed; `None` where more were lost than sent.
    pub(super) fn of(lost: i64, packets: i64) -> Option<LossCount> {
        let (lost, packets) = (u64::try_from(lost.max(0)).ok()?, u64::try_from(packets).ok()?);
        (lost <= packets && packets > 0).then_some(LossCount { lost, packets })
    }

    pub(super) fn share(&self) -> f64 {
        self.lost as f64 / self.packets.max(1) as f64
    }
}

/// The losses on which both counts agree, else those of the whole test; `Err` is the reason why there are none.
pub(super) fn reconciled(counted: &[Counted], at_end: Option<(i64, i64)>) -> Result<Option<Losses>, String> {
    let end = match at_end {
        None => None,
        Some((lost, packets)) => Some(LossCount::of(lost, packets).ok_or_else(|| {
            format!("The report says that {lost} of {packets} datagrams were lost, which cannot be: no loss is taken from it.")
        })?),
    };
    let sum = |of: fn(&Counted) -> i64| counted.iter().map(of).fold(0_i64, i64::saturating_add);
    let (lost, packets) = (sum(|interval| interval.lost), sum(|interval| interval.packets));
    if counted.is_empty() {
        return Ok(end.map(|total| Losses { total, steps: None, remark: None }));
    }
    let steps = balanced(counted, end);
    match (steps, end) {
        (Some(steps), end) => {
            let add = |total: LossCount, (_, step): &(Duration, LossCount)| LossCount {
                lost: total.lost.saturating_add(step.lost),
                packets: total.packets.saturating_add(step.packets),
            };
            let total = steps.iter().fold(LossCount { lost: 0, packets: 0 }, add);
            let remark = end.filter(|end| end.packets != total.packets).map(|end| {
                format!("The report's end counts {} datagrams, its intervals {}.", end.packets, total.packets)
            });
            Ok(Some(Losses { total, steps: Some(steps), remark }))
        }
        (None, Some(total)) => {
            let LossCount { lost: all, packets: of } = total;
            let remark = format!(
                "The intervals count {lost} of {packets} datagrams lost, and the report's end {all} of {of}: the losses are the end's."
            );
            Ok(Some(Losses { total, steps: None, remark: Some(remark) }))
        }
        (None, None) => Err(format!(
            "The intervals count {lost} of {packets} datagrams lost, some more than there were: no loss is taken from them."
        )),
    }
}

/// The losses of each interval, with late datagrams subtracted from earlier intervals; `None` where the counts cannot
/// be of one test.
fn balanced(counted: &[Counted], end: Option<LossCount>) -> Option<Vec<(Duration, LossCount)>> {
    let mut lost: Vec<i64> = counted.iter().map(|interval| interval.lost).collect();
    for index in 0..lost.len() {
        if lost[index] < 0 {
            let late = lost[index].checked_neg()?;
            take_back(&mut lost[..index], late);
            // The rest was lost before the first interval, in one that `--omit` left out.
            lost[index] = 0;
        }
    }
    let sum: i64 = lost.iter().copied().fold(0, i64::saturating_add);
    if let Some(end) = end {
        let of_all = i64::try_from(end.lost).ok()?;
        // The last datagrams arrived, or were found to be lost, after the last interval.
        take_back(&mut lost, sum.saturating_sub(of_all).max(0));
        let found = of_all.saturating_sub(sum).max(0);
        if found > i64::try_from(end.packets).ok()? / SMALL_PART {
            return None;
        }
        *lost.last_mut()? += found;
    }
    let step = |(interval, lost): (&Counted, i64)| {
        let is_empty = interval.packets == 0 && lost == 0;
        let count = LossCount { lost: 0, packets: 0 };
        Some((interval.at, if is_empty { count } else { LossCount::of(lost, interval.packets)? }))
    };
    counted.iter().zip(lost).map(step).collect()
}

/// Subtracts `late` losses from the last intervals that have some.
fn take_back(lost: &mut [i64], mut late: i64) {
    for before in lost.iter_mut().rev().filter(|lost| **lost > 0) {
        let taken = late.min(*before);
        *before -= taken;
        late -= taken;
    }
}

/// Up to one datagram in this many may be lost after the last interval.
const SMALL_PART: i64 = 100;

#[cfg(test)]
mod tests {
    use super::*;

    /// Intervals of a second with 1,000 datagrams.
    fn lost(counts: &[i64], at_end: Option<(i64, i64)>) -> Result<(Vec<u64>, u64), String> {
        let interval = |(second, lost): (u64, &i64)| Counted {
            at: Duration::from_secs(second),
            lost: *lost,
            packets: 1_000,
        };
        let counted: Vec<Counted> = (0..).zip(counts).map(interval).collect();
        let losses = reconciled(&counted, at_end)?.expect("losses");
        let steps = losses.steps.unwrap_or_default().iter().map(|(_, count)| count.lost).collect();
        Ok((steps, losses.total.lost))
    }

    #[test]
    fn late_datagrams_are_taken_back_from_the_intervals_before() {
        assert_eq!(lost(&[50, -50, 50, -50], Some((0, 4_000))), Ok((vec![0, 0, 0, 0], 0)));
        assert_eq!(lost(&[30, 20, -25, 5], None), Ok((vec![25, 0, 0, 5], 30)));
        assert_eq!(lost(&[-3, 5, 0], None), Ok((vec![0, 5, 0], 5)), "those of an omitted interval");
        assert_eq!(
            lost(&[0, 62, 62], Some((123, 3_000))),
            Ok((vec![0, 62, 61], 123)),
            "after the last interval"
        );
        assert_eq!(lost(&[0, 62, 62], Some((126, 3_000))), Ok((vec![0, 62, 64], 126)), "found after it");
    }

    #[test]
    fn the_whole_test_decides_where_intervals_say_something_else() {
        assert_eq!(lost(&[0, 0, 0], Some((600, 3_000))), Ok((vec![], 600)));
        assert_eq!(lost(&[0, 1_500, 0], Some((1_500, 3_000))), Ok((vec![], 1_500)));
        assert!(
            lost(&[0, 1_500], None).is_err_and(|why| why.contains("1500 of 2000 datagrams lost, some more"))
        );
        assert!(lost(&[], Some((129_007, 71_811))).is_err_and(|why| why.contains("cannot be")));
        assert!(lost(&[1], Some((1, -5))).is_err_and(|why| why.contains("1 of -5")));
        assert_eq!(lost(&[], Some((-4, 1_000))), Ok((vec![], 0)), "late ones alone");
    }
}
