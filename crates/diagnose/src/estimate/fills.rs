//! Fills of a link for tests: through a queue, and through a policer before it.

use super::sample::{Sample, Series};
use super::view::View;
use crate::recording::Purpose;

/// The rate of the link.
pub(super) const RATE: f64 = 12e6;

/// The delays that a link of 12 Mbit/s gives 2,500 packets of 1,500 bytes at 1.25 times its rate.
pub(super) fn fill(link: impl FnMut(f64) -> Option<f64>) -> (View, Vec<Sample>) {
    let sent = (0..2_500).map(|n| f64::from(n) * 0.000_8);
    let delays: Vec<Option<f64>> = sent.clone().map(link).collect();
    let samples = sent.zip(delays).map(|(sent, delay)| Sample { sent, delay, bytes: 1_500.0 }).collect();
    let rest = Sample { sent: 0.0, delay: Some(0.0), bytes: 1_500.0 };
    (View::new(vec![Series { purpose: Purpose::Rest, samples: vec![rest; 10] }]), samples)
}

/// A queue of so many packets before a link; delays are above that of a packet.
pub(super) fn drop_tail(packets: f64) -> impl FnMut(f64) -> Option<f64> {
    let mut free = 0.0_f64;
    move |sent| {
        let wait = (free - sent).max(0.0);
        let has_room = (wait / 0.001).ceil() <= packets;
        free = if has_room { sent + wait + 0.001 } else { free };
        has_room.then_some(wait)
    }
}

/// A bucket of so many bytes, filled at half of the link's rate, drops what exceeds it before the link behind it.
pub(super) fn policer(
    burst: f64,
    mut link: impl FnMut(f64) -> Option<f64>,
) -> impl FnMut(f64) -> Option<f64> {
    let (mut tokens, mut last) = (burst, 0.0);
    move |sent| {
        tokens = (tokens + (sent - last) * RATE / 16.0).min(burst);
        last = sent;
        let passes = tokens >= 1_500.0;
        tokens -= if passes { 1_500.0 } else { 0.0 };
        if passes { link(sent) } else { None }
    }
}
