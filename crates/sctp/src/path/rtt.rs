//! Round-trip time and retransmission time-out of one path (RFC 9260 §6.3; M-SCTP-8).

use anabranch_base::{Duration, Time};

use crate::config::RtoSettings;
use crate::policy::ns2::Ns2;
use crate::seq::Tsn;

/// The estimate of one path.
#[derive(Clone, Debug)]
pub(super) struct RoundTrip {
    settings: RtoSettings,
    srtt: Option<Duration>,
    rttvar: Duration,
    min: Option<Duration>,
    rto: Duration,
    /// True if losses are being repaired that are not congestion.
    is_recovering: bool,
    /// The chunk whose acknowledgement will be the next sample.
    probe: Option<(Tsn, Time)>,
}

impl RoundTrip {
    /// An estimate without measurements.
    pub(super) fn new(settings: RtoSettings) -> RoundTrip {
        RoundTrip {
            settings,
            srtt: None,
            rttvar: Duration::ZERO,
            min: None,
            rto: settings.initial,
            is_recovering: false,
            probe: None,
        }
    }

    /// The bounds change. The current time-out is a measured one within the new bounds, or the new initial one.
    pub(super) fn set_bounds(&mut self, settings: RtoSettings) {
        self.settings = settings;
        self.rto = if self.srtt.is_some() { self.bounded() } else { settings.initial };
    }

    /// The chunk `tsn` left for the first time: it is timed, unless another chunk is being timed (one in each round
    /// trip).
    pub(super) fn on_sent(&mut self, tsn: Tsn, now: Time) {
        self.probe.get_or_insert((tsn, now));
    }

    /// The chunk `tsn` was acknowledged. If it was being timed, returns the sample.
    pub(super) fn on_acked(&mut self, tsn: Tsn, now: Time) -> Option<Duration> {
        let (timed, sent_at) = self.probe?;
        if timed != tsn {
            return None;
        }
        self.probe = None;
        let sample = now.since(sent_at);
        self.on_sample(sample);
        Some(sample)
    }

    /// A copy of the chunk `tsn` left: it is no longer timed, because its acknowledgement may answer either
    /// transmission.
    pub(crate) fn on_copied(&mut self, tsn: Tsn) {
        self.probe = self.probe.filter(|(timed, _)| *timed != tsn);
    }

    /// The chunk `lost` was marked for retransmission: the next acknowledgement may answer either transmission (Karn's
    /// rule, RFC 9260 §6.3.1 C5), so the chunks that `ns2` selects are no longer timed.
    pub(super) fn on_loss(&mut self, lost: Tsn, ns2: Ns2) {
        self.probe = self.probe.filter(|(timed, _)| !ns2.loss_ends_measurement(lost, *timed));
    }

    /// No chunk is timed any more.
    pub(crate) fn cancel_probe(&mut self) {
        self.probe = None;
    }

    /// A round trip took `sample` (RFC 9260 §6.3.1 C2, C3).
    pub(super) fn on_sample(&mut self, sample: Duration) {
        self.min = Some(self.min.map_or(sample, |min| min.min(sample)));
        match self.srtt {
            None => {
                self.srtt = Some(sample);
                self.rttvar = sample / 2;
            }
            Some(srtt) => {
                // "rttvar is computed before srtt": it uses the old srtt. Beta is 1/4, alpha 1/8.
                self.rttvar = (self.rttvar * 3 + srtt.abs_diff(sample)) / 4;
                self.srtt = Some((srtt * 7 + sample) / 8);
            }
        }
        self.rto = self.bounded();
    }

    /// Sets whether losses are being repaired that are not congestion: their time-out has its own minimum (M-WA-7). A
    /// change ends a back-off.
    pub(crate) fn set_recovering(&mut self, is_recovering: bool) {
        if self.is_recovering != is_recovering {
            self.is_recovering = is_recovering;
            self.rto = self.bounded();
        }
    }

    /// The time-out for the repair of losses that are not congestion, without back-off (M-WA-5).
    pub(super) fn recovery_rto(&self) -> Duration {
        let least = self.settings.min_recovery.unwrap_or(self.settings.min);
        self.within(least)
    }

    /// The time-out expired: it doubles until the next sample (RFC 9260 §6.3.3 E2).
    pub(super) fn back_off(&mut self) {
        self.rto = (self.rto * 2).min(self.settings.max);
    }

    /// The current retransmission time-out.
    pub(super) fn rto(&self) -> Duration {
        self.rto
    }

    /// The smoothed round-trip time.
    pub(super) fn srtt(&self) -> Option<Duration> {
        self.srtt
    }

    /// The least round-trip time measured.
    pub(super) fn min(&self) -> Option<Duration> {
        self.min
    }

    /// The round-trip time variation.
    pub(super) fn rttvar(&self) -> Duration {
        self.rttvar
    }

    /// RTO without back-off.
    fn bounded(&self) -> Duration {
        if self.is_recovering { self.recovery_rto() } else { self.within(self.settings.min) }
    }

    /// The estimate, at least `least`. Before a measurement it is the first RTO.
    fn within(&self, least: Duration) -> Duration {
        match self.srtt {
            Some(_) => self.unbounded().max(least).min(self.settings.max),
            None => self.settings.initial,
        }
    }

    /// RTO before the clamp: srtt + 4 rttvar.
    fn unbounded(&self) -> Duration {
        self.srtt.unwrap_or(self.settings.initial) + (self.rttvar * 4).max(self.settings.variation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: RtoSettings = RtoSettings {
        initial: Duration::from_secs(1),
        min: Duration::from_secs(1),
        max: Duration::from_secs(60),
        variation: Duration::ZERO,
        min_recovery: None,
    };

    #[test]
    fn g8_two_samples_give_the_known_estimates() {
        let mut rtt = RoundTrip::new(SETTINGS);
        rtt.on_sample(Duration::from_millis(100));
        let shown = |rtt: &RoundTrip| {
            (rtt.srtt().map(Duration::as_nanos), rtt.rttvar().as_nanos(), rtt.unbounded().as_nanos())
        };
        assert_eq!(shown(&rtt), (Some(100_000_000), 50_000_000, 300_000_000));
        rtt.on_sample(Duration::from_millis(200));
        assert_eq!(shown(&rtt), (Some(112_500_000), 62_500_000, 362_500_000));
        assert_eq!(rtt.rto(), Duration::from_secs(1), "RTO.Min");
    }

    #[test]
    fn round_trips_that_are_alike_leave_the_variation_that_is_wanted() {
        let variation = Duration::from_millis(200);
        let mut rtt = RoundTrip::new(RtoSettings { min: variation, variation, ..SETTINGS });
        (0..50).for_each(|_| rtt.on_sample(Duration::from_millis(300)));
        assert_eq!(rtt.rto(), Duration::from_millis(500));
        rtt.on_sample(Duration::from_millis(900));
        assert_eq!(rtt.rto().as_millis(), 975, "4 rttvar are more");
    }

    #[test]
    fn backing_off_doubles_up_to_the_maximum_until_a_sample() {
        let mut rtt = RoundTrip::new(SETTINGS);
        let seconds: Vec<u64> = (0..8)
            .map(|_| {
                rtt.back_off();
                rtt.rto().as_millis() / 1000
            })
            .collect();
        assert_eq!(seconds, [2, 4, 8, 16, 32, 60, 60, 60]);
        rtt.on_sample(Duration::from_millis(50));
        assert_eq!(rtt.rto(), Duration::from_secs(1));
    }

    /// The minimum for losses of the link applies to the estimate, not to the clamped RTO (M-WA-7).
    #[test]
    fn losses_of_the_link_have_a_least_time_out_of_their_own_and_no_back_off() {
        let ms = Duration::from_millis;
        let mut rtt = RoundTrip::new(RtoSettings { min_recovery: Some(ms(200)), ..SETTINGS });
        assert_eq!((rtt.rto(), rtt.recovery_rto()), (ms(1_000), ms(1_000)), "nothing was measured");
        rtt.on_sample(ms(100));
        assert_eq!((rtt.rto(), rtt.recovery_rto()), (ms(1_000), ms(300)));
        rtt.back_off();
        rtt.set_recovering(true);
        assert_eq!(rtt.rto(), ms(300));
        (0..40).for_each(|_| rtt.on_sample(ms(30)));
        assert_eq!(rtt.rto(), ms(200));
        rtt.back_off();
        rtt.set_recovering(true);
        assert_eq!(rtt.rto(), ms(400), "a response may double it");
        rtt.set_recovering(false);
        assert_eq!(rtt.rto(), ms(1_000));
    }

    #[test]
    fn one_chunk_is_timed_at_a_time_and_none_after_a_loss() {
        let mut rtt = RoundTrip::new(SETTINGS);
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        rtt.on_sent(Tsn::new(1), at(0));
        rtt.on_sent(Tsn::new(2), at(10));
        assert_eq!(rtt.on_acked(Tsn::new(2), at(50)), None);
        assert_eq!(rtt.on_acked(Tsn::new(1), at(60)), Some(Duration::from_millis(60)));
        rtt.on_sent(Tsn::new(3), at(70));
        rtt.cancel_probe();
        assert_eq!(rtt.on_acked(Tsn::new(3), at(90)), None);
    }
}
