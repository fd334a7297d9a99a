//! The bound on the goodput of any sender over some paths into one receive buffer, by links, losses and buffer alone.
//!
//! A path carries at most what full packets carry at its rate, less what it loses: xᵢ ≤ cᵢ = rateᵢ (1 − pᵢ) payload / packet.
//!
//! **Little's law.** User data in flight on path i counts against the receiver's window from when it leaves until its SACK is
//! back: for Tᵢ, the delay there, one packet's time and the least delay back of any path. The window is never exceeded, and
//! so not on average: Σ xᵢ Tᵢ ≤ buffer. The sum of the xᵢ is greatest if the paths are filled in the order of Tᵢ. The delay of
//! SACKs is not in it, so that buffers of a few packets stand some percent below it even with one path.
//!
//! **With repairs**, data in order. Packets are lost at the rate ν = Σ pᵢ xᵢ / ((1 − pᵢ) payload). A lost packet keeps what
//! arrives after it in the buffer until its repair is there. That takes at least R, one more round trip of the quickest path
//! (its Tᵢ): the SACK of a later packet goes back, the repair comes. Data that arrives therefore waits for the rest of R
//! since the last loss, if there is one: with A, the time since the last loss,
//!
//! W = E max(0, R − A) = R − (1 − e^(−νR)) / ν,
//!
//! for losses that are independent, i.e. for an exponential A. (For few losses this is ν R² / 2: a loss keeps the window of a
//! round trip for half of one on average. For many it nears R − 1/ν.) Little's law for the time that data counts against the
//! window, which is Tᵢ and this wait, is Σ xᵢ Tᵢ + W Σ xᵢ ≤ buffer. It leaves out that repairs are lost too and that the
//! lost data waits itself, which both cost more.

/// A path as the bound sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BufferedPath {
    /// The rate in Mbit/s; none while it is down.
    pub rate_mbps: f64,
    /// The delay in milliseconds.
    pub there_ms: f64,
    /// The delay back in milliseconds.
    pub back_ms: f64,
    /// The share of packets that it loses.
    pub loss: f64,
}

/// Returns the goodput of full packets over all of them, in Mbit/s of user data.
pub fn ceiling(paths: &[BufferedPath]) -> f64 {
    paths.iter().map(BufferedPath::carried_mbps).sum()
}

/// Returns the largest goodput over them into a buffer of `buffer_bytes`, in Mbit/s of user data.
pub fn bound(paths: &[BufferedPath], buffer_bytes: f64) -> f64 {
    allotment(paths, buffer_bytes).iter().sum()
}

/// Returns the share of each path where all together carry [`bound`].
pub(crate) fn allotment(paths: &[BufferedPath], buffer_bytes: f64) -> Vec<f64> {
    let back = least_back_ms(paths);
    let mut order: Vec<usize> = (0..paths.len()).filter(|path| paths[*path].is_up()).collect();
    order.sort_by(|one, two| paths[*one].held_ms(back).total_cmp(&paths[*two].held_ms(back)));
    let (mut left, mut carried) = (buffer_bytes, vec![0.0; paths.len()]);
    for path in order {
        let seconds = paths[path].held_ms(back) / 1e3;
        let rate = paths[path].carried_mbps().min(8.0 * left / seconds / 1e6);
        left -= rate * 1e6 * seconds / 8.0;
        carried[path] = rate;
    }
    carried
}

/// Returns the largest goodput over them into a buffer of `buffer_bytes` from which data is taken in order, in Mbit/s of user
/// data. A path that loses much is not worth its room where another can have it: this is the best of the orders in which the
/// paths can be filled.
pub(crate) fn with_repairs(paths: &[BufferedPath], buffer_bytes: f64) -> f64 {
    let paths: Vec<BufferedPath> = paths.iter().copied().filter(BufferedPath::is_up).collect();
    let orders = orders_of(paths.len());
    orders.iter().map(|order| filled(&paths, order, buffer_bytes)).fold(0.0, f64::max)
}

/// Returns the goodput if each path in turn gets as much as still fits.
fn filled(paths: &[BufferedPath], order: &[usize], buffer_bytes: f64) -> f64 {
    let mut carried = vec![0.0; paths.len()];
    for path in order {
        let fits = |rate: f64, carried: &mut Vec<f64>| {
            carried[*path] = rate;
            occupied_bytes(paths, carried) <= buffer_bytes
        };
        let (mut low, mut high) = (0.0, paths[*path].carried_mbps());
        if fits(high, &mut carried) {
            continue;
        }
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if fits(middle, &mut carried) { low = middle } else { high = middle }
        }
        carried[*path] = low;
    }
    carried.iter().sum()
}

/// Returns the mean occupancy of the buffer, in flight and in wait for repairs, at these rates of the paths.
fn occupied_bytes(paths: &[BufferedPath], carried_mbps: &[f64]) -> f64 {
    let back = least_back_ms(paths);
    let pairs = || paths.iter().zip(carried_mbps.iter().map(|rate| rate * 1e6 / 8.0));
    let round_trip = paths.iter().map(|path| path.held_ms(back)).fold(f64::INFINITY, f64::min) / 1e3;
    let in_flight: f64 = pairs().map(|(path, bytes)| bytes * path.held_ms(back) / 1e3).sum();
    let losses: f64 =
        pairs().map(|(path, bytes)| bytes / PAYLOAD_BYTES * path.loss / (1.0 - path.loss)).sum();
    in_flight + pairs().map(|(_, bytes)| bytes).sum::<f64>() * wait_s(losses, round_trip)
}

/// For how long data waits on average for repairs, where so many packets a second are lost and each is repaired after
/// `repair` seconds.
fn wait_s(losses: f64, repair: f64) -> f64 {
    let expected = losses * repair;
    // The difference of two near numbers would be noise.
    if expected < 1e-4 { expected * repair / 2.0 } else { repair + libm::expm1(-expected) / losses }
}

/// Every order of so many paths.
fn orders_of(paths: usize) -> Vec<Vec<usize>> {
    if paths == 0 {
        return vec![Vec::new()];
    }
    let shorter = orders_of(paths - 1);
    let longer = |order: Vec<usize>| {
        (0..paths).map(move |place| {
            let mut order = order.clone();
            order.insert(place, paths - 1);
            order
        })
    };
    shorter.into_iter().flat_map(longer).collect()
}

/// The least delay back of those that are up.
pub(crate) fn least_back_ms(paths: &[BufferedPath]) -> f64 {
    let up = paths.iter().filter(|path| path.is_up());
    up.map(|path| path.back_ms).fold(f64::INFINITY, f64::min)
}

impl BufferedPath {
    /// A path with the same delay back, which loses nothing.
    pub fn new(rate_mbps: f64, delay_ms: f64) -> BufferedPath {
        BufferedPath { rate_mbps, there_ms: delay_ms, back_ms: delay_ms, loss: 0.0 }
    }

    /// Returns true if it carries anything.
    pub fn is_up(&self) -> bool {
        self.rate_mbps > 0.0
    }

    /// Returns the goodput of full packets, in Mbit/s of user data.
    pub(crate) fn carried_mbps(&self) -> f64 {
        self.rate_mbps * (1.0 - self.loss) * PAYLOAD_BYTES / PACKET_BYTES
    }

    /// The time the first packet takes there, in milliseconds.
    pub(crate) fn arrival_ms(&self) -> f64 {
        self.there_ms + 8.0 * PACKET_BYTES / 1e3 / self.rate_mbps
    }

    /// For how long a packet counts against the receiver's window, in milliseconds, with SACKs that take `back`.
    pub(crate) fn held_ms(&self, back: f64) -> f64 {
        self.arrival_ms() + back
    }
}

/// A full packet on the wire.
const PACKET_BYTES: f64 = 1500.0;
/// The user data in it.
pub(crate) const PAYLOAD_BYTES: f64 = 1452.0;

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: BufferedPath = BufferedPath { rate_mbps: 10.0, there_ms: 20.0, back_ms: 20.0, loss: 0.0 };
    const SLOW: BufferedPath = BufferedPath { rate_mbps: 1.0, there_ms: 100.0, back_ms: 100.0, loss: 0.0 };

    #[test]
    fn a_small_buffer_goes_to_the_quick_path() {
        // The quick path holds a byte for 20 + 1.2 + 20 ms, and takes 49,852 bytes at most.
        assert!((bound(&[SLOW, QUICK], 20_600.0) - 4.0).abs() < 1e-9);
        assert!((bound(&[SLOW, QUICK], 49_852.0) - 9.68).abs() < 1e-9);
        // The slow one holds each for 100 + 12 + 20 ms.
        assert!((bound(&[SLOW, QUICK], 49_852.0 + 1_650.0) - 9.78).abs() < 1e-9);
        let allotted = allotment(&[SLOW, QUICK], 49_852.0 + 1_650.0);
        assert!((allotted[0] - 0.1).abs() < 1e-9 && (allotted[1] - 9.68).abs() < 1e-9, "{allotted:?}");
    }

    #[test]
    fn an_ample_buffer_is_no_bound() {
        assert!((bound(&[SLOW, QUICK], 1e9) - 0.968 * 11.0).abs() < 1e-9);
        assert!((ceiling(&[SLOW, QUICK]) - 0.968 * 11.0).abs() < 1e-9);
        assert!((with_repairs(&[SLOW, QUICK], 1e9) - 0.968 * 11.0).abs() < 1e-9);
    }

    #[test]
    fn what_a_link_loses_it_does_not_carry() {
        let lossy = BufferedPath { loss: 0.02, ..QUICK };
        assert!((ceiling(&[lossy, SLOW]) - (9.68 * 0.98 + 0.968)).abs() < 1e-9);
        assert!((bound(&[lossy], 1e9) - 9.68 * 0.98).abs() < 1e-9);
    }

    #[test]
    fn a_path_that_is_down_carries_nothing_and_brings_no_sack_back() {
        let down = BufferedPath { rate_mbps: 0.0, ..QUICK };
        assert_eq!(allotment(&[down, SLOW], 1e9), [0.0, 0.968]);
        // SACKs take 100 ms: 212 ms for each byte.
        assert!((bound(&[down, SLOW], 21_200.0) - 0.8).abs() < 1e-9);
        assert_eq!((bound(&[down], 1e9), with_repairs(&[down], 1e9)), (0.0, 0.0));
    }

    #[test]
    fn a_wait_for_repairs_is_half_a_round_trip_for_each_loss_of_a_few() {
        // One loss a second, repaired after 20 ms: what arrives in these 20 ms waits for 10 on average.
        assert!((wait_s(1.0, 0.02) / (0.02 * 0.01) - 1.0).abs() < 0.01);
        assert!((wait_s(1e-6, 0.02) / (1e-6 * 0.0002) - 1.0).abs() < 1e-3);
        // By hand: 50 losses a second and 40 ms are two expected; 0.04 − (1 − e⁻²) / 50 = 22.707 ms.
        assert!((wait_s(50.0, 0.04) - 0.022_706_705_664_732_254).abs() < 1e-12);
    }

    #[test]
    fn repairs_occupy_the_buffer_of_a_path_that_loses() {
        let lossy = BufferedPath { loss: 0.02, ..QUICK };
        // By hand for 4 Mbit/s: 500,000 B/s; in flight for 41.2 ms, 20,600 B. Lost are 500,000 / 1,452 × 0.02 / 0.98 =
        // 7.0276 packets a second; expected in a round trip 0.28954; the wait is 41.2 ms − (1 − e^−0.28954) / 7.0276 =
        // 5.4309 ms, which is 2,715 B.
        let occupied = occupied_bytes(&[lossy], &[4.0]);
        assert!((occupied - 23_315.0).abs() < 5.0, "{occupied}");
        assert!((with_repairs(&[lossy], occupied) - 4.0).abs() < 1e-6);
        assert!((bound(&[lossy], 20_600.0) - 4.0).abs() < 1e-9);
    }

    #[test]
    fn a_lossy_quick_path_may_be_worth_less_than_a_slower_one_without_losses() {
        let lossy = BufferedPath { rate_mbps: 50.0, there_ms: 10.0, back_ms: 10.0, loss: 0.3 };
        let sound = BufferedPath { rate_mbps: 50.0, ..QUICK };
        let buffer = 120_000.0;
        let best = with_repairs(&[lossy, sound], buffer);
        let by_delay = filled(&[lossy, sound], &[0, 1], buffer);
        assert!(best > 1.01 * by_delay, "{best} {by_delay}");
        assert!(best <= bound(&[lossy, sound], buffer));
    }

    #[test]
    fn every_order_is_tried_once() {
        let mut orders = orders_of(4);
        orders.sort();
        orders.dedup();
        assert_eq!((orders.len(), orders_of(0).len()), (24, 1));
    }
}
