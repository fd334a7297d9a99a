//! A path as the models see it, and the length of a round and of a time-out (models of WS §4).

use crate::ModelError;

/// One path: its rate, its delay and its losses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathParameters {
    /// b: what the bottleneck carries, in packets/s; above 0.
    pub rate: f64,
    /// d: the fixed delay there and back, in seconds; 0 or more.
    pub delay: f64,
    /// p: the probability that a packet is lost, 0 to 1.
    pub loss: f64,
    /// The bounds of the retransmission time-out.
    pub timeout: TimeoutBounds,
}

/// The bounds of the retransmission time-out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeoutBounds {
    /// Tmin, in seconds; 0 as in WS, 1 as in RFC 9260.
    pub min: f64,
    /// Tmax, in seconds.
    pub max: f64,
}

/// A path whose window may not pass a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitedPath {
    /// The path.
    pub path: PathParameters,
    /// c: the largest window, in packets; 1 or more.
    pub limit: u32,
}

impl TimeoutBounds {
    /// The bounds of WS: no least time-out, 60 s at most.
    pub const WALLACE_SHAMI: TimeoutBounds = TimeoutBounds { min: 0.0, max: 60.0 };
}

impl PathParameters {
    /// Returns true if every value is in its domain.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check(&self) -> Result<(), ModelError> {
        if !(self.rate.is_finite() && self.rate > 0.0) {
            return Err(ModelError::Rate(self.rate));
        }
        if !(self.delay.is_finite() && self.delay >= 0.0) {
            return Err(ModelError::Delay(self.delay));
        }
        if !(0.0..=1.0).contains(&self.loss) {
            return Err(ModelError::Loss(self.loss));
        }
        let TimeoutBounds { min, max } = self.timeout;
        if !(min >= 0.0 && max > 0.0 && min <= max && max.is_finite()) {
            return Err(ModelError::Timeout { min, max });
        }
        Ok(())
    }

    /// R(w) = max(d + 1/b, w/b): how long a round with a window of `window` packets takes, in seconds (WS (8), with
    /// correction W-1: a round is never shorter than one packet's).
    pub fn round(&self, window: f64) -> f64 {
        (self.delay + 1.0 / self.rate).max(window / self.rate)
    }

    /// O(w): the time-out after a window of `window` packets, in seconds: three rounds, between the bounds.
    pub fn timeout(&self, window: f64) -> f64 {
        (3.0 * self.round(window)).max(self.timeout.min).min(self.timeout.max)
    }

    /// ⌈b d + 1⌉: the window in packets that fills the path (WS (58)), guarded against rounding, so that a product that
    /// should be whole is whole (W-15).
    pub fn cap(&self) -> u32 {
        let filling = (self.rate * self.delay + 1.0).min(f64::MAX);
        // A window beyond what the type counts saturates.
        libm::ceil(filling - 1e-9 * filling.max(1.0)) as u32
    }
}

impl LimitedPath {
    /// Returns true if every value is in its domain.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check(&self) -> Result<(), ModelError> {
        self.path.check()?;
        if self.limit == 0 { Err(ModelError::NoWindow) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path() -> PathParameters {
        PathParameters { rate: 1750.0, delay: 0.04, loss: 1e-3, timeout: TimeoutBounds::WALLACE_SHAMI }
    }

    #[test]
    fn a_window_fills_the_path_where_rate_and_delay_say() {
        assert_eq!(path().cap(), 71);
        assert_eq!(PathParameters { rate: 83.0 + 1.0 / 3.0, delay: 0.025, ..path() }.cap(), 4);
        // 0.07 · 1000 = 70.00000000000001 in binary.
        assert_eq!(PathParameters { rate: 1000.0, delay: 0.07, ..path() }.cap(), 71);
        assert_eq!(PathParameters { rate: 1e12, delay: 1.0, ..path() }.cap(), u32::MAX);
        assert_eq!(PathParameters { rate: 1e300, delay: 1e300, ..path() }.cap(), u32::MAX);
    }

    #[test]
    fn a_round_takes_the_path_or_its_window() {
        assert_eq!(path().round(1.0), 0.04 + 1.0 / 1750.0);
        assert_eq!(path().round(175.0), 0.1);
        assert_eq!(path().timeout(175.0), 0.1 * 3.0);
        let bounded = PathParameters { timeout: TimeoutBounds { min: 1.0, max: 60.0 }, ..path() };
        assert_eq!(bounded.timeout(1.0), 1.0);
        assert_eq!(bounded.timeout(1e6), 60.0);
    }

    #[test]
    fn each_wrong_value_is_named() {
        let said = |path: PathParameters| path.check().expect_err("it is wrong").to_string();
        assert_eq!(
            said(PathParameters { rate: 0.0, ..path() }),
            "a path's rate of 0 packets/s is not a number above 0"
        );
        assert_eq!(
            said(PathParameters { delay: f64::NAN, ..path() }),
            "a path's delay of NaN s is not a finite number from 0 up"
        );
        assert_eq!(
            said(PathParameters { loss: 1.5, ..path() }),
            "a loss probability of 1.5 is not between 0 and 1"
        );
        let timeout = TimeoutBounds { min: 2.0, max: 1.0 };
        assert!(said(PathParameters { timeout, ..path() }).starts_with("time-outs between 2 s and 1 s"));
    }
}
