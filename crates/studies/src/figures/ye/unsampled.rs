//! YE-F29: a good state that the sender does not notice, because its time-out has doubled in the bad state before it.

use anabranch_base::Time;
use anabranch_scenario::Scenario;
use anabranch_sim::Watch;
use anabranch_sim::observe::{Host, Observation, PacketSeen, Seen, Step};

use super::super::claim::{Claim, Expression, Number, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::{Axis, Figure, FigureCurve, Panel, Spacing, ValueSource};
use super::super::observed::{ObservedRun, Reader};
use super::super::results::Metric;
use super::super::verdict::Verdict;
use super::radio::{RadioResponse, RadioRun};
use super::{RadioChoice, at, claim, radio_params, within};

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-F29",
    aliases: &[],
    about: "Time-outs around a bad state",
    panels: &[PanelEntry {
        id: "YE-F29",
        title: "time-outs around a bad state",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::Reproduced,
    }],
    build: |_| Ok(record(RadioChoice::DEFAULT)),
    sensitivity: |_| {
        Ok([RadioChoice::EACH_PACKET, RadioChoice::CAUTIOUS]
            .map(|choice| (choice.name, record(choice)))
            .into())
    },
    ns2: None,
};

const DOUBLED: &str = "doubled";
const LIMITED: &str = "limited";
const FIRST: (&str, Metric) = ("first time-out", Metric::Moment);
const SECOND: (&str, Metric) = ("second time-out", Metric::Moment);

/// The record. There is no chance in it but that of the limited back-off, whose timer is drawn.
fn record(choice: RadioChoice) -> Figure {
    let panel = |(name, metric), title: &str, reader: fn(&Scenario) -> Box<dyn Reader>| {
        let curve = |name, response| {
            let run = RadioRun { response, seconds: 60, ..choice.run() };
            let watch = Watch { packets: true, ..Watch::default() };
            let observed = ObservedRun { scenario: run.with_outage(), watch, reader };
            FigureCurve { name, points: vec![(OUTAGE.0, ValueSource::Observed(observed))] }
        };
        Panel {
            name,
            title: title.to_owned(),
            axis: Axis { label: "begin of the bad state in s", spacing: Spacing::Even },
            metric,
            series: vec![curve(DOUBLED, RadioResponse::Standard), curve(LIMITED, RadioResponse::AWARE)],
            seeds: SEEDS,
            beside: &[],
        }
    };
    Figure {
        id: "YE-F29",
        title: "time-outs around a bad state from 40.4 s to 41.5 s",
        params: radio_params(
            choice,
            "no other losses; R2–R3 loses everything in the bad state, both ways; 60 s",
            SEEDS,
        ),
        panels: vec![
            panel(FIRST, "the first packet after the silence", |_| Resumption::of(0)),
            panel(SECOND, "the next packet after another silence", |_| Resumption::of(1)),
        ],
        claims: claims(),
    }
}

fn claims() -> Vec<Claim> {
    let [first, second] = [FIRST, SECOND].map(|of| move |series| at(of, series, OUTAGE.0));
    vec![
        claim(
            "C1",
            Weight::Core,
            "with doubling, time-outs at 41.3 s (± 0.3) and 43.3 s (± 0.4), and nothing is sent between",
            Expression::All(vec![
                within(Number::Mean(vec![first(DOUBLED)]), 41.0, 41.6),
                within(Number::Mean(vec![second(DOUBLED)]), 42.9, 43.7),
            ]),
        ),
        claim(
            "C2",
            Weight::Side,
            "with the limited back-off the second comes 1 s to 1.5 s after the first",
            within(Number::Difference(second(LIMITED), first(LIMITED)), 1.0, 1.5),
        ),
    ]
}

/// The bad state, in seconds.
const OUTAGE: (f64, f64) = (40.4, 41.5);
const SEEDS: u64 = 5;

/// When the sender sends again after it fell silent in the bad state, and when after that. Packets that leave together
/// count once.
#[derive(Debug)]
struct Resumption {
    index: usize,
    last: f64,
    resumed: Vec<f64>,
}

impl Resumption {
    fn of(index: usize) -> Box<dyn Reader> {
        Box::new(Resumption { index, last: 0.0, resumed: Vec::new() })
    }

    fn on_packet(&mut self, at: Time, seen: &PacketSeen) {
        let now = at.since(Time::ZERO).as_secs_f64();
        if seen.from != Host::First || seen.step != Step::Sent {
            return;
        }
        let silence = now - std::mem::replace(&mut self.last, now);
        if now > OUTAGE.0 && silence > SILENCE {
            self.resumed.push(now);
        }
    }
}

impl Reader for Resumption {
    fn take(&mut self, seen: &Observation) {
        if let Seen::Packet(packet) = &seen.what {
            self.on_packet(seen.at, packet);
        }
    }

    fn value(&self) -> f64 {
        self.resumed.get(self.index).copied().unwrap_or(f64::NAN)
    }
}

/// Longer than any time between packets while SACKs arrive, in seconds.
const SILENCE: f64 = 0.5;

#[cfg(test)]
mod tests {
    use anabranch_base::{ByteCount, Duration, Ecn};

    use super::*;

    #[test]
    fn packets_after_a_silence_count_once_and_none_before_the_bad_state() {
        let mut reader = Resumption { index: 1, last: 0.0, resumed: Vec::new() };
        for milliseconds in [10_000, 40_390, 40_450, 41_300, 41_301, 43_300, 43_310] {
            let seen = PacketSeen {
                flow: 0,
                path: 0,
                from: Host::First,
                step: Step::Sent,
                size: ByteCount::new(1_500),
                ecn: Ecn::NotEct,
                bytes: Vec::new().into(),
                retransmission: false,
            };
            reader.on_packet(Time::ZERO + Duration::from_millis(milliseconds), &seen);
        }
        assert_eq!(reader.resumed, [41.3, 43.3]);
        assert_eq!(reader.value(), 43.3);
    }
}
