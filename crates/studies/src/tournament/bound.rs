//! What any sender can carry over some paths into one receive buffer.
//!
//! User data in flight on path i counts against the receiver's window from when it leaves until its SACK is back, so that
//! Little's law holds: Σ xᵢ Tᵢ ≤ buffer, where xᵢ is at most what full packets carry, and Tᵢ the delay there, one packet's
//! time and the least delay back of any path. The sum of the xᵢ is greatest if the paths are filled in the order of Tᵢ.
//! The delay of SACKs is not in it, so that buffers of a few packets stand some percent below it even with one path.

/// A path as the bound sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BufferedPath {
    /// Its rate in Mbit/s.
    pub rate_mbps: f64,
    /// Its delay in milliseconds, the same in both directions.
    pub delay_ms: f64,
}

/// What full packets carry over all of them, in Mbit/s of user data.
pub fn ceiling(paths: &[BufferedPath]) -> f64 {
    paths.iter().map(|path| path.carried_mbps()).sum()
}

/// What any sender carries over them into a buffer of `buffer_bytes`, in Mbit/s of user data.
pub fn bound(paths: &[BufferedPath], buffer_bytes: f64) -> f64 {
    let back = paths.iter().map(|path| path.delay_ms).fold(f64::INFINITY, f64::min);
    let mut paths: Vec<BufferedPath> = paths.to_vec();
    paths.sort_by(|one, two| one.held_ms(back).total_cmp(&two.held_ms(back)));
    let (mut left, mut carried) = (buffer_bytes, 0.0);
    for path in paths {
        let seconds = path.held_ms(back) / 1e3;
        let rate = path.carried_mbps().min(8.0 * left / seconds / 1e6);
        left -= rate * 1e6 * seconds / 8.0;
        carried += rate;
    }
    carried
}

impl BufferedPath {
    /// What full packets carry, in Mbit/s of user data.
    fn carried_mbps(self) -> f64 {
        self.rate_mbps * PAYLOAD_BYTES / PACKET_BYTES
    }

    /// For how long a packet counts against the receiver's window, in milliseconds, with SACKs that take `back`.
    fn held_ms(self, back: f64) -> f64 {
        self.delay_ms + 8.0 * PACKET_BYTES / 1e3 / self.rate_mbps + back
    }
}

/// A full packet on the wire.
const PACKET_BYTES: f64 = 1500.0;
/// The user data in it.
const PAYLOAD_BYTES: f64 = 1452.0;

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: BufferedPath = BufferedPath { rate_mbps: 10.0, delay_ms: 20.0 };
    const SLOW: BufferedPath = BufferedPath { rate_mbps: 1.0, delay_ms: 100.0 };

    #[test]
    fn a_small_buffer_goes_to_the_quick_path() {
        // The quick path holds a byte for 20 + 1.2 + 20 ms, and takes 49,852 bytes at most.
        assert!((bound(&[SLOW, QUICK], 20_600.0) - 4.0).abs() < 1e-9);
        assert!((bound(&[SLOW, QUICK], 49_852.0) - 9.68).abs() < 1e-9);
        // The slow one holds each for 100 + 12 + 20 ms.
        assert!((bound(&[SLOW, QUICK], 49_852.0 + 1_650.0) - 9.78).abs() < 1e-9);
    }

    #[test]
    fn an_ample_buffer_is_no_bound() {
        assert!((bound(&[SLOW, QUICK], 1e9) - 0.968 * 11.0).abs() < 1e-9);
        assert!((ceiling(&[SLOW, QUICK]) - 0.968 * 11.0).abs() < 1e-9);
    }
}
