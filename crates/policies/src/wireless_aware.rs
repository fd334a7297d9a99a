//! A response for links that lose packets without congestion: only what a congestion mark announced counts as congestion
//! (M-WA-1 to M-WA-6; YE 5.3).
//!
//! A congested queue marks packets before it drops any. A loss without a mark in the same window of data is therefore one of
//! the link: the chunk is sent again and the window stays. After a time-out without a mark the link is away: a HEARTBEAT asks
//! whether it is back before any data leaves. Congestion is answered as by the [standard](Standard).
//!
//! Where no queue marks, this reasoning is wrong. Unless the rules assume marks, a path has to show
//! evidence first.

mod evidence;

use anabranch_base::setting::{Named, Setting};
use anabranch_base::{Duration, Time};
use anabranch_sctp::own_field;
use anabranch_sctp::policy::registry::OwnSettings;
use anabranch_sctp::policy::response::standard::Standard;
use anabranch_sctp::policy::response::{Hold, LossResponse, Resend, Response, Signal, TimerRule};
use anabranch_sctp::policy::{PathId, PathSample, Registry, View};
use anabranch_sctp::seq::Tsn;

use evidence::Evidence;

/// The choices that YE compares (Table 2, Figs 36 and 37), and whether queues are known to mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WirelessRules {
    /// The rate at which lost chunks leave.
    pub resend: WirelessResend,
    /// The timer of a path after a time-out without a mark.
    pub backoff: Backoff,
    /// The chunks that leave after a time-out without a mark.
    pub after_timeout: AfterTimeout,
    /// The evidence that a path has to show for losses that are not congestion losses.
    pub evidence: EvidenceRule,
}

/// The rule on evidence that the losses of a path are not congestion losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvidenceRule {
    /// It has to: until then its losses cut the window.
    Required,
    /// Every queue on every path is known to mark, as in YE: a loss without a mark is one of the link.
    Assumed,
}

/// The rate at which chunks leave that missing reports declare lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WirelessResend {
    /// One in each round trip (YE 5.3.2: for random losses).
    OnePerRtt,
    /// As many at a time as the window allows.
    Amap,
}

/// The timer after a time-out without a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backoff {
    /// Between one and one and a half RTO, drawn each time; the RTO stays (M-WA-5).
    Limited,
    /// The RTO doubles (RFC 9260 §6.3.3).
    Exponential,
}

/// The chunks that leave after a time-out without a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterTimeout {
    /// A HEARTBEAT, and data when it is answered (M-WA-6).
    Probe,
    /// As many lost chunks as the window allows.
    Blind,
}

impl Named for WirelessResend {
    const WHAT: &'static str = "way to send lost chunks again";
    const NAMES: &'static [(&'static str, WirelessResend)] =
        &[("one-per-rtt", WirelessResend::OnePerRtt), ("amap", WirelessResend::Amap)];
}

impl Named for Backoff {
    const WHAT: &'static str = "back-off";
    const NAMES: &'static [(&'static str, Backoff)] =
        &[("limited", Backoff::Limited), ("exponential", Backoff::Exponential)];
}

impl Named for AfterTimeout {
    const WHAT: &'static str = "action after a time-out";
    const NAMES: &'static [(&'static str, AfterTimeout)] =
        &[("probe", AfterTimeout::Probe), ("blind", AfterTimeout::Blind)];
}

impl Named for EvidenceRule {
    const WHAT: &'static str = "use of evidence";
    const NAMES: &'static [(&'static str, EvidenceRule)] =
        &[("required", EvidenceRule::Required), ("assumed", EvidenceRule::Assumed)];
}

impl WirelessRules {
    /// YE's recommendation (M-WA-8), where a path has shown evidence.
    pub const DEFAULT: WirelessRules = WirelessRules {
        resend: WirelessResend::OnePerRtt,
        backoff: Backoff::Limited,
        after_timeout: AfterTimeout::Probe,
        evidence: EvidenceRule::Required,
    };
}

impl Default for WirelessRules {
    fn default() -> WirelessRules {
        WirelessRules::DEFAULT
    }
}

/// The response, and the memory of each path.
#[derive(Debug)]
pub struct WirelessAware {
    rules: WirelessRules,
    paths: Vec<PathMemory>,
}

#[derive(Clone, Debug, Default)]
struct PathMemory {
    mode: Mode,
    evidence: Evidence,
    /// The last loss that was judged by its delay counts for those of the same round trip, until then.
    judged_until: Time,
}

/// The mode of a path (YE Figs 28 and 31).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    /// Slow start or congestion avoidance.
    #[default]
    Normal,
    /// The window was cut for congestion, or something was lost in the same window of data.
    CongestionRecovery,
    /// Something was lost by the link.
    LossRecovery,
}

impl WirelessAware {
    /// The response with these rules.
    pub fn new(rules: WirelessRules) -> WirelessAware {
        WirelessAware { rules, paths: Vec::new() }
    }

    fn memory(&mut self, path: PathId) -> &mut PathMemory {
        let count = self.paths.len().max(path.index() + 1);
        self.paths.resize(count, PathMemory::default());
        &mut self.paths[path.index()]
    }

    /// The answer to lost chunks.
    fn on_missing(&self) -> Response {
        let resend = match self.rules.resend {
            WirelessResend::OnePerRtt => Resend::OnePerRtt,
            WirelessResend::Amap => Resend::All,
        };
        Response { resend, ..Response::NONE }
    }

    /// The answer to a time-out.
    fn on_timeout(&self, sample: &PathSample) -> Response {
        Response { resend: Resend::All, ..self.on_silence(sample) }
    }

    /// The answer to a probe without an answer, which concerns no chunks.
    fn on_silence(&self, sample: &PathSample) -> Response {
        let probes = self.rules.after_timeout == AfterTimeout::Probe;
        // A path that has to show evidence may fail like any other (RFC 9260 §8.2, §8.3).
        let is_error = self.rules.evidence == EvidenceRule::Required;
        let timer = self.timer(sample);
        Response { probe: probes, hold_data: probes, timer, is_error, counts_rto: true, ..Response::NONE }
    }

    /// The next timer of a path in loss recovery (M-WA-5).
    fn timer(&self, sample: &PathSample) -> TimerRule {
        let rto = sample.recovery_rto;
        match self.rules.backoff {
            Backoff::Limited => TimerRule::Uniform { low: rto, high: rto + rto / 2 },
            Backoff::Exponential => TimerRule::Double,
        }
    }
}

impl PathMemory {
    /// Returns true if a loss is one of the link (M-WA-1), as far as the rules want evidence for it.
    fn is_of_the_link(&mut self, rule: EvidenceRule, signal: Signal, view: &View<'_>, path: PathId) -> bool {
        let sample = view.path(path);
        if sample.ecn_open {
            return false;
        }
        if rule == EvidenceRule::Assumed {
            return true;
        }
        if sample.cut_open {
            return false;
        }
        if self.evidence.shows_marks(sample, view.now) {
            return true;
        }
        // Delay says nothing about a path from which nothing comes back.
        if !matches!(signal, Signal::Missing | Signal::MissingInRecovery) {
            return false;
        }
        let is_judged = self.mode == Mode::LossRecovery && view.now < self.judged_until;
        if is_judged {
            return true;
        }
        self.judged_until = view.now + sample.srtt.unwrap_or(Duration::ZERO);
        self.evidence.lets_pass(sample, view.now)
    }
}

impl LossResponse for WirelessAware {
    fn on_signal(&mut self, signal: Signal, path: PathId, view: &View<'_>) -> Response {
        let rule = self.rules.evidence;
        let sample = view.path(path);
        let memory = self.memory(path);
        let is_of_the_link = match signal {
            Signal::EcnEcho | Signal::SmallWindow | Signal::WindowProbeUnanswered => false,
            Signal::ProbeAnswered | Signal::ProbeUnanswered => memory.mode == Mode::LossRecovery,
            Signal::Missing | Signal::MissingInRecovery | Signal::Timeout { .. } => {
                memory.is_of_the_link(rule, signal, view, path)
            }
        };
        if !is_of_the_link {
            let response = Standard.on_signal(signal, path, view);
            memory.on_congestion(signal, &response, view, path);
            return response;
        }
        memory.mode = Mode::LossRecovery;
        match signal {
            Signal::Timeout { .. } => self.on_timeout(sample),
            Signal::ProbeUnanswered => self.on_silence(sample),
            // M-WA-6: the window is as it was. What is marked leaves as the window allows.
            Signal::ProbeAnswered => {
                let timer = match self.timer(sample) {
                    TimerRule::Double => TimerRule::Keep,
                    timer => timer,
                };
                Response { resend: Resend::All, timer, ..Response::NONE }
            }
            _ => self.on_missing(),
        }
    }

    fn follows_progress(&self) -> bool {
        true
    }

    fn is_recovering(&self, path: PathId) -> bool {
        self.paths.get(path.index()).is_some_and(|memory| memory.mode == Mode::LossRecovery)
    }

    fn on_progress(&mut self, path: PathId, lowest_unacked: Option<Tsn>, view: &View<'_>) -> Hold {
        let sample = view.path(path);
        let memory = self.memory(path);
        memory.evidence.on_progress(sample, view.now);
        let is_over = match memory.mode {
            Mode::Normal => return Hold::Keep,
            Mode::CongestionRecovery => !sample.ecn_open && !sample.loss_open,
            Mode::LossRecovery => !sample.loss_open,
        };
        if is_over {
            memory.mode = Mode::Normal;
        }
        // If all was acknowledged while the path was probed, the time-out was spurious.
        if is_over || lowest_unacked.is_none() { Hold::Release } else { Hold::Keep }
    }
}

impl PathMemory {
    /// The standard answered a sign of congestion with `response`.
    fn on_congestion(&mut self, signal: Signal, response: &Response, view: &View<'_>, path: PathId) {
        let sample = view.path(path);
        match signal {
            Signal::EcnEcho => {
                self.mode = Mode::CongestionRecovery;
                if response.cut.is_some() {
                    self.evidence.on_mark(sample, view.now);
                }
            }
            Signal::Missing | Signal::MissingInRecovery | Signal::Timeout { .. } => {
                self.mode = Mode::CongestionRecovery;
                if response.cut.is_some() {
                    self.evidence.on_cut(view.now);
                }
            }
            Signal::SmallWindow
            | Signal::WindowProbeUnanswered
            | Signal::ProbeAnswered
            | Signal::ProbeUnanswered => {}
        }
    }
}

pub(crate) fn add(registry: &mut Registry) {
    registry
        .loss_responses
        .add("wireless-aware", |rules| Box::new(WirelessAware::new(rules.own.of())))
        .with_settings(SETTINGS);
}

const SETTINGS: &[Setting<OwnSettings>] = &[
    own_field!(
        "wireless.resend" = WirelessRules.resend,
        Everywhere,
        WirelessResend::KIND,
        "`wireless-aware`: pace of retransmissions of what the link lost"
    ),
    own_field!(
        "wireless.backoff" = WirelessRules.backoff,
        Everywhere,
        Backoff::KIND,
        "timer after a time-out without a mark: drawn between one and one and a half times the time-out, or doubled"
    ),
    own_field!(
        "wireless.after_timeout" = WirelessRules.after_timeout,
        Everywhere,
        AfterTimeout::KIND,
        "after a time-out without a mark: a HEARTBEAT, or as many lost chunks as the window allows"
    ),
    own_field!(
        "wireless.evidence" = WirelessRules.evidence,
        Everywhere,
        EvidenceRule::KIND,
        "a path must show that its losses are not congestion, or is known to mark"
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_sctp::policy::OneWay;
    use anabranch_sctp::policy::congestion::CutCause;
    use anabranch_sctp::policy::testing::{sample, view};

    /// A path with what is open: a cut, a report of a mark, a loss.
    fn path(cut_open: bool, ecn_open: bool, loss_open: bool) -> [PathSample; 1] {
        [PathSample { cut_open, ecn_open, loss_open, ..sample(0) }]
    }

    /// YE's rules: every queue marks.
    const YE: WirelessRules = WirelessRules { evidence: EvidenceRule::Assumed, ..WirelessRules::DEFAULT };

    fn aware() -> WirelessAware {
        WirelessAware::new(YE)
    }

    const FIRST: PathId = PathId::FIRST;
    const TIMEOUT: Signal = Signal::Timeout { again: false };

    /// The rows of M-WA-2 from NORMAL: the signal, whether a mark was reported, the mode and the cut.
    #[test]
    fn the_first_sign_decides_by_the_marks_of_the_same_window() {
        let rows = [
            (Signal::EcnEcho, false, Mode::CongestionRecovery, Some(CutCause::EcnEcho)),
            (Signal::Missing, false, Mode::LossRecovery, None),
            (TIMEOUT, false, Mode::LossRecovery, None),
            (Signal::Missing, true, Mode::CongestionRecovery, None),
            (TIMEOUT, true, Mode::CongestionRecovery, Some(CutCause::TimeoutAfterEcn)),
        ];
        for (signal, ecn_open, mode, cut) in rows {
            let mut aware = aware();
            let response = aware.on_signal(signal, FIRST, &view(&path(ecn_open, ecn_open, false)));
            assert_eq!((aware.paths[0].mode, response.cut), (mode, cut), "{signal:?} {ecn_open}");
        }
    }

    #[test]
    fn a_time_out_without_a_mark_holds_data_and_probes_until_the_path_answers() {
        let mut aware = aware();
        let paths = path(false, false, false);
        let rto = paths[0].recovery_rto;
        let timer = TimerRule::Uniform { low: rto, high: rto + rto / 2 };
        let silent = aware.on_signal(TIMEOUT, FIRST, &view(&paths));
        assert_eq!((silent.probe, silent.hold_data, silent.timer), (true, true, timer));
        assert_eq!((silent.resend, silent.is_error, silent.cut), (Resend::All, false, None));
        let still = aware.on_signal(Signal::ProbeUnanswered, FIRST, &view(&paths));
        assert_eq!((still.probe, still.hold_data, still.timer), (true, true, timer));
        assert_eq!((still.resend, still.is_error), (Resend::Nothing, false));
        let back = aware.on_signal(Signal::ProbeAnswered, FIRST, &view(&paths));
        assert_eq!((back.probe, back.hold_data, back.resend, back.timer), (false, false, Resend::All, timer));
        assert!(aware.is_recovering(FIRST), "until what was outstanding is acknowledged");
    }

    /// M-WA-2: LR → CR by a mark; a time-out there is congestion.
    #[test]
    fn a_mark_ends_the_patience_of_loss_recovery() {
        let mut aware = aware();
        aware.on_signal(Signal::Missing, FIRST, &view(&path(false, false, true)));
        let marked = aware.on_signal(Signal::EcnEcho, FIRST, &view(&path(false, false, true)));
        assert_eq!((marked.cut, marked.hold_data), (Some(CutCause::EcnEcho), false));
        let again = aware.on_signal(Signal::EcnEcho, FIRST, &view(&path(true, true, true)));
        assert_eq!(again, Response::NONE);
        let late = aware.on_signal(TIMEOUT, FIRST, &view(&path(true, true, true)));
        assert_eq!((late.cut, late.timer), (Some(CutCause::TimeoutAfterEcn), TimerRule::Double));
        assert!(late.is_error && !late.probe && !aware.is_recovering(FIRST));
    }

    #[test]
    fn the_modes_end_when_what_was_outstanding_is_acknowledged() {
        let mut aware = aware();
        let some = Some(Tsn::new(7));
        aware.on_signal(Signal::Missing, FIRST, &view(&path(false, false, true)));
        assert_eq!(aware.on_progress(FIRST, some, &view(&path(false, false, true))), Hold::Keep);
        assert_eq!(aware.on_progress(FIRST, some, &view(&path(false, false, false))), Hold::Release);
        assert_eq!(aware.paths[0].mode, Mode::Normal);
        aware.on_signal(Signal::EcnEcho, FIRST, &view(&path(false, false, false)));
        assert_eq!(aware.on_progress(FIRST, some, &view(&path(true, true, false))), Hold::Keep);
        assert_eq!(aware.paths[0].mode, Mode::CongestionRecovery);
        aware.on_progress(FIRST, some, &view(&path(false, false, false)));
        assert_eq!(aware.paths[0].mode, Mode::Normal);
    }

    #[test]
    fn a_spurious_time_out_ends_when_everything_is_acknowledged() {
        let mut aware = aware();
        aware.on_signal(TIMEOUT, FIRST, &view(&path(false, false, true)));
        assert_eq!(aware.on_progress(FIRST, None, &view(&path(false, false, true))), Hold::Release);
    }

    #[test]
    fn each_choice_of_the_comparison_changes_one_thing() {
        let answer = |rules, signal| {
            WirelessAware::new(rules).on_signal(signal, FIRST, &view(&path(false, false, true)))
        };
        assert_eq!(answer(YE, Signal::Missing).resend, Resend::OnePerRtt);
        let amap = WirelessRules { resend: WirelessResend::Amap, ..YE };
        assert_eq!(answer(amap, Signal::Missing).resend, Resend::All);
        let doubling = WirelessRules { backoff: Backoff::Exponential, ..YE };
        assert_eq!(answer(doubling, TIMEOUT).timer, TimerRule::Double);
        let blind = WirelessRules { after_timeout: AfterTimeout::Blind, ..YE };
        let response = answer(blind, TIMEOUT);
        assert_eq!((response.probe, response.hold_data, response.resend), (false, false, Resend::All));
    }

    /// A path whose packets have waited up to 10 ms, and the last one so long.
    fn waiting(milliseconds: u64, cut_open: bool, loss_open: bool) -> [PathSample; 1] {
        let ms = Duration::from_millis;
        let one_way = OneWay { delay: ms(20 + milliseconds), least: ms(20), back: ms(20) };
        let [open] = path(cut_open, false, loss_open);
        [PathSample { one_way: Some(one_way), srtt: Some(ms(40)), ..open }]
    }

    fn careful() -> WirelessAware {
        let mut careful = WirelessAware::new(WirelessRules::DEFAULT);
        for wait in 0..=10 {
            careful.on_progress(FIRST, None, &view(&waiting(wait, false, false)));
        }
        careful
    }

    #[test]
    fn without_evidence_a_loss_is_one_of_congestion() {
        let cut = |wait, signal| careful().on_signal(signal, FIRST, &view(&waiting(wait, false, false))).cut;
        assert_eq!(cut(10, Signal::Missing), Some(CutCause::Missing), "a queue stands");
        assert_eq!(cut(0, Signal::Missing), None);
        assert_eq!(cut(0, TIMEOUT), Some(CutCause::Timeout), "delay says nothing of a path that is silent");
        let unmeasured = careful().on_signal(Signal::Missing, FIRST, &view(&path(false, false, false)));
        assert_eq!(unmeasured.cut, Some(CutCause::Missing));
        let in_recovery =
            careful().on_signal(Signal::MissingInRecovery, FIRST, &view(&waiting(0, true, true)));
        assert_eq!((in_recovery.cut, in_recovery.resend), (None, Resend::All), "as the standard does");
    }

    #[test]
    fn a_mark_that_came_back_is_evidence_for_losses_and_time_outs_and_the_path_may_fail() {
        let mut aware = careful();
        assert_eq!(
            aware.on_signal(Signal::EcnEcho, FIRST, &view(&waiting(10, false, false))).cut,
            Some(CutCause::EcnEcho)
        );
        assert_eq!(aware.on_signal(Signal::Missing, FIRST, &view(&waiting(10, false, false))).cut, None);
        let silent = aware.on_signal(TIMEOUT, FIRST, &view(&waiting(10, false, true)));
        assert_eq!((silent.cut, silent.probe, silent.is_error), (None, true, true));
    }

    #[test]
    fn the_losses_of_one_round_trip_are_judged_once() {
        let mut aware = careful();
        let cut = |aware: &mut WirelessAware, milliseconds| {
            let paths = waiting(0, false, true);
            let view = View { now: Time::ZERO + Duration::from_millis(milliseconds), ..view(&paths) };
            aware.on_signal(Signal::Missing, FIRST, &view).cut
        };
        let cuts: Vec<_> =
            (0..5).map(|number| cut(&mut aware, 1_000 + 10 * (number % 4) + 40 * (number / 4))).collect();
        assert_eq!(cuts, [None; 5]);
        let later: Vec<_> = (2..5).map(|number| cut(&mut aware, 1_000 + 40 * number)).collect();
        assert_eq!(later, [None, None, Some(CutCause::Missing)], "the fifth round trip with losses");
    }
}
