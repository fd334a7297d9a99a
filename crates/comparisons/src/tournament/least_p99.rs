//! The least p99 of the delay of messages at a constant rate that any sender can have, in order: by rates, delays and losses
//! that are repaired once. Delay beyond it may be a scheduler's fault; delay within it is not.
//!
//! **Start.** Messages come in from the beginning. The first leave after two round trips of the quickest link, because until COOKIE ACK
//! no more than one packet may leave (RFC 9260 §5.1); then [windows double](super::start) until links, or the peer's buffer, are full.
//!
//! **Rates.** Messages that come faster than all links together carry wait: as a fluid, a message leaves when everything before it
//! has. An overload is a wait that grows, and no scheduler cures it.
//!
//! **Delays.** The quickest links that carry the rate are used. A link that must be busy for more than a hundredth of the time
//! delays more than a hundredth of the messages, because those that follow wait for what it carries.
//!
//! **Losses.** A repair takes one more round trip of the quickest link, and what follows the lost message waits for it. On a link
//! that is quicker than the slowest one that is used, the difference is time for the repair. If losses come at random with the
//! rates λᵢ and keep messages for Tᵢ, one in y or more of extra delay has the probability 1 − exp(−Σ λᵢ max(0, Tᵢ − y)).

use super::bound::{BufferedPath, PAYLOAD_BYTES, least_back_ms};
use super::course::{Course, Piece};

/// The least p99, in milliseconds, where `offered_mbps` of user data come in.
pub(crate) fn least_p99_ms(course: &Course, offered_mbps: f64) -> f64 {
    let moments = moments(course, offered_mbps);
    if moments.is_empty() {
        return f64::INFINITY;
    }
    let above =
        |delay: f64| moments.iter().map(|moment| moment.above(delay)).sum::<f64>() / moments.len() as f64;
    let (mut low, mut high) = (0.0, 1.0);
    while above(high) > LATE && high < f64::MAX / 4.0 {
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if above(middle) > LATE { low = middle } else { high = middle }
    }
    1e3 * high
}

/// The messages that come in within one step.
#[derive(Clone, Debug)]
struct Moment {
    /// Their delay without a loss, in seconds; endless if they do not leave before the end.
    delay: f64,
    /// For each link: losses in a second, and for how long one keeps what follows.
    losses: Vec<(f64, f64)>,
}

impl Moment {
    /// The probability of a greater delay than `seconds`.
    fn above(&self, seconds: f64) -> f64 {
        if self.delay > seconds {
            return 1.0;
        }
        let extra = seconds - self.delay;
        let expected: f64 = self.losses.iter().map(|(rate, keeps)| rate * (keeps - extra).max(0.0)).sum();
        -libm::expm1(-expected)
    }
}

/// Returns the arrivals, step by step.
fn moments(course: &Course, offered_mbps: f64) -> Vec<Moment> {
    let Some(end) = course.pieces.last().map(|piece| piece.until_s).filter(|end| end.is_finite()) else {
        return Vec::new();
    };
    let steps = (end / STEP_S) as usize;
    let piece_at = |step: usize| {
        let at = (step as f64 + 0.5) * STEP_S;
        course.pieces.iter().find(|piece| at < piece.until_s).unwrap_or(&course.pieces[0])
    };
    // What left by the end of each step, in Mbit.
    let mut left = Vec::with_capacity(steps);
    let mut gone: f64 = 0.0;
    let (starts, opened) = (course.starts(), handshake_s(course));
    for step in 0..steps {
        let capacity: f64 = up(piece_at(step)).map(BufferedPath::carried_mbps).sum();
        let ends = (step + 1) as f64 * STEP_S;
        let possible: f64 = starts.iter().map(|start| start.sent_mbit(ends - opened)).sum();
        gone = (gone + capacity * STEP_S).min(offered_mbps * ends).min(possible.max(gone));
        left.push(gone);
    }
    let moment = |step: usize| {
        let wanted = offered_mbps * (step + 1) as f64 * STEP_S;
        let leaves = step + left[step..].partition_point(|gone| *gone < wanted * (1.0 - 1e-9));
        if leaves >= steps {
            return Moment { delay: f64::INFINITY, losses: Vec::new() };
        }
        on_the_way(piece_at(leaves), offered_mbps, (leaves - step) as f64 * STEP_S)
    };
    (0..steps).map(moment).collect()
}

/// Two round trips of the quickest link.
fn handshake_s(course: &Course) -> f64 {
    let paths = course.pieces.first().map_or(&[][..], |piece| &piece.paths);
    let back = least_back_ms(paths);
    paths.iter().map(|path| path.held_ms(back) / 1e3).reduce(f64::min).map_or(0.0, |shortest| 2.0 * shortest)
}

fn up(piece: &Piece) -> impl Iterator<Item = &BufferedPath> {
    piece.paths.iter().filter(|path| path.is_up())
}

/// Messages that leave in `piece` after they waited for `waited` seconds.
fn on_the_way(piece: &Piece, offered_mbps: f64, waited: f64) -> Moment {
    let mut paths: Vec<BufferedPath> = up(piece).copied().collect();
    paths.sort_by(|one, two| one.arrival_ms().total_cmp(&two.arrival_ms()));
    let round_trip = paths.first().map_or(0.0, |path| path.held_ms(least_back_ms(&paths)));
    let (mut missing, mut used) = (offered_mbps, Vec::new());
    for path in paths {
        if missing <= LATE * path.carried_mbps() {
            break;
        }
        let carried = missing.min(path.carried_mbps());
        missing -= carried;
        used.push((path, carried));
    }
    let slowest = used.last().map_or(0.0, |(path, _)| path.arrival_ms());
    let losses = used.iter().map(|(path, carried)| {
        let lost = carried * 1e6 / 8.0 / PAYLOAD_BYTES * path.loss / (1.0 - path.loss);
        (lost, (path.arrival_ms() + round_trip - slowest).max(0.0) / 1e3)
    });
    Moment { delay: waited + slowest / 1e3, losses: losses.collect() }
}

/// The part of the messages that p99 leaves out.
const LATE: f64 = 0.01;
const STEP_S: f64 = 0.005;

#[cfg(test)]
mod tests {
    use super::super::course::Course;
    use super::*;

    fn course(pieces: &[(f64, &[BufferedPath])]) -> Course {
        let mut from_s = 0.0;
        let pieces = pieces.iter().map(|(until_s, paths)| {
            let piece = Piece { from_s, until_s: *until_s, paths: paths.to_vec() };
            from_s = *until_s;
            piece
        });
        Course { pieces: pieces.collect(), warmup_s: 0.0, transfer_bytes: None, buffer_bytes: 1e6 }
    }

    /// A link of 12 Mbit/s, on which a packet takes a millisecond, and carries 11.616 Mbit/s of user data.
    fn link(delay_ms: f64, loss: f64) -> BufferedPath {
        BufferedPath { loss, ..BufferedPath::new(12.0, delay_ms) }
    }

    /// Of so many seconds, the start is less than a hundredth.
    const LONG_S: f64 = 5_000.0;

    /// Of one second, a hundredth is 10 ms. The first messages wait for two round trips of 21 ms and for windows of 10 and 20 packets.
    #[test]
    fn the_start_counts() {
        let short = least_p99_ms(&course(&[(1.0, &[link(10.0, 0.0)])]), 5.0);
        assert!(
            (45.0..54.0).contains(&short),
            "{short}: 42 ms, less a hundredth of what comes in, and 11 ms"
        );
        let wide = [BufferedPath::new(1_200.0, 10.0)];
        let slow = least_p99_ms(&course(&[(1.0, &wide)]), 100.0);
        assert!(
            slow > 60.0,
            "{slow}: 250,000 B come in within a round trip of 20 ms, and the first window is 14,520 B"
        );
    }

    fn near(one: f64, two: f64) {
        assert!((one - two).abs() < 0.01, "{one} is not {two}");
    }

    #[test]
    fn only_the_quickest_links_that_are_needed_count() {
        let links = [link(50.0, 0.0), link(10.0, 0.0)];
        near(least_p99_ms(&course(&[(LONG_S, &links)]), 11.0), 11.0);
        near(least_p99_ms(&course(&[(LONG_S, &links)]), 11.7), 11.0);
        near(least_p99_ms(&course(&[(LONG_S, &links)]), 12.0), 51.0);
    }

    /// 10 Mbit/s are 861 packets a second, of which 1 % are lost: 8.7 a second. For p99, 1 − exp(−8.7 (T − y)) = 0.01 gives
    /// y = T − 1.16 ms, and T is a round trip of 21 ms.
    #[test]
    fn a_repair_takes_one_more_round_trip_of_the_quickest_link() {
        let lost = 1e7 / 8.0 / PAYLOAD_BYTES * 0.01 / 0.99;
        let extra = 21.0 + 1e3 * libm::log(0.99) / lost;
        near(least_p99_ms(&course(&[(LONG_S, &[link(10.0, 0.01)])]), 10.0), 11.0 + extra);
        let rare = course(&[(LONG_S, &[link(10.0, 0.000_1)])]);
        near(least_p99_ms(&rare, 10.0), 11.0);
        let slack = [link(10.0, 0.01), link(40.0, 0.0)];
        near(least_p99_ms(&course(&[(LONG_S, &slack)]), 15.0), 41.0);
    }

    /// One second without a link is a wait of up to a second, and as much longer as the rest needs to catch up.
    #[test]
    fn what_no_link_carries_waits() {
        let (all, none): (&[BufferedPath], &[BufferedPath]) =
            (&[link(10.0, 0.0)], &[BufferedPath { rate_mbps: 0.0, ..link(10.0, 0.0) }]);
        let outage = least_p99_ms(&course(&[(4.0, all), (5.0, none), (20.0, all)]), 5.808);
        assert!((700.0..1_011.0).contains(&outage), "{outage}");
        let overload = least_p99_ms(&course(&[(10.0, all)]), 23.232);
        assert!(overload.is_infinite() || overload > 4_000.0, "half of the messages never leave: {overload}");
    }
}
