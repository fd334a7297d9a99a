//! YE-F24: how often one congestion epoch cuts the window. RED's average falls so slowly that it marks packets of windows
//! that were cut already.

use std::collections::VecDeque;

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_link::config::QueueConfig;
use anabranch_scenario::Scenario;
use anabranch_sim::Watch;
use anabranch_sim::observe::{Host, Observation, PacketSeen, QueueSeen, Seen, Step};

use super::super::claim::{Claim, Expression, Number, Weight};
use super::super::entry::{DecidedBy, FigureEntry, PanelEntry};
use super::super::figure::{Axis, Figure, FigureCurve, Panel, Spacing, ValueSource};
use super::super::observed::{ObservedRun, Reader};
use super::super::results::Metric;
use super::super::verdict::Verdict;
use super::{BOTTLENECK, EcnChoice, EcnRun, at, claim, params, seeds, within};
use crate::scale::StudyScale;

/// The figure's entry.
pub(crate) static ENTRY: FigureEntry = FigureEntry {
    id: "YE-F24",
    aliases: &[],
    about: "Cuts for the marks of one congestion epoch",
    panels: &[PanelEntry {
        id: "YE-F24",
        title: "windows and queues: cuts for the marks of one congestion epoch",
        decided_by: DecidedBy::Figure,
        verdict: Verdict::Reproduced,
    }],
    build: |scale| Ok(record(scale, EcnChoice::DEFAULT)),
    sensitivity: |scale| {
        Ok([EcnChoice::PLAIN_RETRANSMISSIONS].map(|choice| (choice.name, record(scale, choice))).into())
    },
    ns2: None,
};

const PLAIN: &str = "plain";
const ENHANCED: &str = "enhanced";
const CUTS: (&str, Metric) = ("cuts", Metric::CutsOfEpoch);
const OF_CUTTING: (&str, Metric) = ("cuts where there is one", Metric::CutsOfEpoch);

/// R4's least threshold.
const LEAST: f64 = 10.0;

/// The record.
fn record(scale: StudyScale, choice: EcnChoice) -> Figure {
    let point = |rule, reader| {
        let run = EcnRun { least: LEAST as u32, rule, ..choice.run() };
        let watch = Watch { waits: false, deliveries: false, frames: false, ..Watch::ALL };
        vec![(LEAST, ValueSource::Observed(ObservedRun { scenario: run.scenario(), watch, reader }))]
    };
    let panel = |(name, metric), title: &str, reader: fn(&Scenario) -> Box<dyn Reader>| Panel {
        name,
        title: title.to_owned(),
        axis: Axis { label: "least threshold of R4 in packets", spacing: Spacing::Even },
        metric,
        series: [PLAIN, ENHANCED].map(|rule| FigureCurve { name: rule, points: point(rule, reader) }).into(),
        seeds: seeds(scale),
        beside: &[],
    };
    Figure {
        id: "YE-F24",
        title: "cuts for the marks of one congestion epoch",
        params: params(choice, seeds(scale)),
        panels: vec![
            panel(CUTS, "cuts per epoch: while the average is at least the least threshold", |scenario| {
                Box::new(Epochs::new(scenario, Counted::All))
            }),
            panel(OF_CUTTING, "the same, of epochs with a cut", |scenario| {
                Box::new(Epochs::new(scenario, Counted::Cutting))
            }),
        ],
        claims: claims(),
    }
}

fn claims() -> Vec<Claim> {
    let [plain, enhanced] = [PLAIN, ENHANCED].map(|rule| at(CUTS, rule, LEAST));
    vec![
        claim(
            "C1",
            Weight::Core,
            "usually two or three cuts (1.5 to 3.5 on average)",
            within(Number::Mean(vec![plain.clone()]), 1.5, 3.5),
        ),
        claim(
            "C2",
            Weight::Core,
            "fewer if the queue's length at hand counts too",
            Expression::Less(Number::Ratio(enhanced, plain), 1.0),
        ),
        claim(
            "C3",
            Weight::Side,
            "347 arrivals at an empty queue halve the average",
            Expression::Tested("the_average_of_a_queue_of_twenty_is_ten_after_347_arrivals"),
        ),
        claim(
            "C1'",
            Weight::Sanity,
            "the same of epochs with a cut: others do not count",
            within(Number::Mean(vec![at(OF_CUTTING, PLAIN, LEAST)]), 1.5, 3.5),
        ),
    ]
}

/// The epochs that count in the average.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    All,
    /// Those with a cut.
    Cutting,
}

/// The congestion epochs of the bottleneck, and the cuts for each. A cut belongs to the epoch in which the packet was
/// marked whose report caused it.
#[derive(Debug)]
struct Epochs {
    bottleneck: usize,
    least: f64,
    from: Time,
    counted: Counted,
    /// The beginnings of the epochs.
    begun: Vec<Time>,
    cuts: Vec<u32>,
    is_congested: bool,
    marked: u64,
    /// When packets were marked that have not arrived.
    marks: VecDeque<Time>,
    /// When marked packets arrived, and when they had been marked, until their reports arrive.
    reports: VecDeque<(Time, Option<Time>)>,
    /// The mark that the last packet from the receiver reported.
    reported: Option<Time>,
    window: ByteCount,
}

impl Epochs {
    fn new(scenario: &Scenario, counted: Counted) -> Epochs {
        let link = scenario.links.iter().enumerate().find(|(_, link)| link.name == BOTTLENECK);
        let least = link.map(|(_, link)| match &link.forward.queue {
            QueueConfig::Red(red) => red.min,
            _ => f64::INFINITY,
        });
        Epochs {
            bottleneck: link.map_or(usize::MAX, |(index, _)| index),
            least: least.unwrap_or(f64::INFINITY),
            from: Time::ZERO + scenario.run.warmup,
            counted,
            begun: Vec::new(),
            cuts: Vec::new(),
            is_congested: false,
            marked: 0,
            marks: VecDeque::new(),
            reports: VecDeque::new(),
            reported: None,
            window: ByteCount::ZERO,
        }
    }

    fn on_queue(&mut self, at: Time, seen: &QueueSeen) {
        if seen.link != self.bottleneck || seen.from != Host::First {
            return;
        }
        let was_congested = self.is_congested;
        self.is_congested = seen.view.average.is_some_and(|average| average >= self.least);
        if self.is_congested && !was_congested && at >= self.from {
            self.begun.push(at);
            self.cuts.push(0);
        }
        let marked = std::mem::replace(&mut self.marked, seen.view.marked);
        (marked..self.marked).for_each(|_| self.marks.push_back(at));
    }

    fn on_packet(&mut self, at: Time, seen: &PacketSeen) {
        let Step::Arrived { delay } = seen.step else { return };
        match seen.from {
            Host::First if seen.ecn.is_marked() => {
                // Packets keep their order. What was marked too long ago was lost, and a mark of another queue has none here.
                while self.marks.pop_front_if(|mark| at.since(*mark) > MOST_ON_THE_WAY).is_some() {}
                let mark = self.marks.pop_front_if(|mark| at.since(*mark) >= LEAST_ON_THE_WAY);
                self.reports.push_back((at, mark));
            }
            Host::First => {}
            Host::Second => {
                // Each packet is acknowledged at the moment of its arrival, and its mark with it.
                let left = Time::from_nanos(at.as_nanos().saturating_sub(delay.as_nanos()));
                while self.reports.pop_front_if(|(arrived, _)| *arrived < left).is_some() {}
                self.reported =
                    self.reports.pop_front_if(|(arrived, _)| *arrived == left).and_then(|report| report.1);
            }
        }
    }

    fn on_window(&mut self, cwnd: ByteCount) {
        let is_cut = cwnd < std::mem::replace(&mut self.window, cwnd);
        let Some(mark) = self.reported.filter(|_| is_cut) else { return };
        let epoch = self.begun.partition_point(|begun| *begun <= mark);
        if let Some(cuts) = epoch.checked_sub(1).and_then(|index| self.cuts.get_mut(index)) {
            *cuts += 1;
        }
    }
}

impl Reader for Epochs {
    fn take(&mut self, seen: &Observation) {
        match &seen.what {
            Seen::Queue(queue) => self.on_queue(seen.at, queue),
            Seen::Packet(packet) => self.on_packet(seen.at, packet),
            Seen::Path(path) if path.host == Host::First => self.on_window(path.cwnd),
            Seen::Path(_) | Seen::Wait(_) | Seen::Delivery(_) | Seen::Frame(_) => {}
        }
    }

    fn value(&self) -> f64 {
        let counted = self.cuts.iter().filter(|cuts| self.counted == Counted::All || **cuts > 0);
        let (epochs, cuts) = counted.fold((0, 0), |(epochs, sum), cuts| (epochs + 1, sum + cuts));
        f64::from(cuts) / f64::from(epochs)
    }
}

/// From R4's queue to the receiver at least: three transmissions, and 27.1 ms of propagation.
const LEAST_ON_THE_WAY: Duration = Duration::from_micros(35_500);
/// And at most: behind a hundred packets of 6 ms.
const MOST_ON_THE_WAY: Duration = Duration::from_millis(700);

#[cfg(test)]
mod tests {
    use anabranch_link::Backlog;
    use anabranch_scenario::{NoFiles, Source, registry};
    use anabranch_sim::observe::QueueView;

    use super::*;

    fn reader(counted: Counted) -> Epochs {
        let text = EcnRun { least: 10, ..EcnRun::DEFAULT }.scenario();
        let source = Source::new("ye.toml", text);
        let scenario = Scenario::parse(&source, &NoFiles, &[], &registry()).expect("a sound scenario");
        Epochs::new(&scenario, counted)
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(60) + Duration::from_millis(milliseconds)
    }

    fn queue(epochs: &Epochs, average: f64, marked: u64) -> QueueSeen {
        let view = QueueView { backlog: Backlog::default(), average: Some(average), marked };
        QueueSeen { link: epochs.bottleneck, from: Host::First, view }
    }

    /// A marked packet arrives at `arrives`, and its report at `reported`; then the window is `cwnd`.
    fn mark_arrives(epochs: &mut Epochs, arrives: u64, reported: u64, cwnd: u64) {
        let packet = |from, ecn, delay| PacketSeen {
            flow: 0,
            path: 0,
            from,
            step: Step::Arrived { delay: Duration::from_millis(delay) },
            size: ByteCount::new(1_500),
            ecn,
            bytes: Vec::new().into(),
            retransmission: false,
        };
        epochs.on_packet(at(arrives), &packet(Host::First, anabranch_base::Ecn::Ce, 50));
        let sack = packet(Host::Second, anabranch_base::Ecn::NotEct, reported - arrives);
        epochs.on_packet(at(reported), &sack);
        epochs.on_window(ByteCount::new(cwnd));
    }

    #[test]
    fn a_cut_belongs_to_the_epoch_of_its_mark_and_a_report_without_a_cut_to_none() {
        let mut epochs = reader(Counted::All);
        epochs.on_window(ByteCount::new(40_000));
        epochs.on_queue(at(0), &queue(&epochs, 10.0, 0));
        epochs.on_queue(at(100), &queue(&epochs, 11.0, 1));
        mark_arrives(&mut epochs, 150, 190, 20_000);
        epochs.on_queue(at(200), &queue(&epochs, 10.5, 2));
        // The average falls below the threshold before the second report arrives.
        epochs.on_queue(at(210), &queue(&epochs, 9.9, 2));
        mark_arrives(&mut epochs, 250, 290, 10_000);
        epochs.on_queue(at(300), &queue(&epochs, 10.0, 3));
        mark_arrives(&mut epochs, 350, 390, 10_000);
        assert_eq!((&epochs.cuts[..], epochs.value()), (&[2, 0][..], 1.0));
        epochs.counted = Counted::Cutting;
        assert_eq!(epochs.value(), 2.0);
    }

    #[test]
    fn a_mark_of_another_queue_and_a_cut_without_a_mark_belong_to_no_epoch() {
        let mut epochs = reader(Counted::All);
        epochs.on_window(ByteCount::new(40_000));
        epochs.on_queue(at(0), &queue(&epochs, 10.0, 0));
        mark_arrives(&mut epochs, 50, 90, 20_000);
        epochs.on_window(ByteCount::new(10_000));
        assert_eq!(epochs.cuts, [0]);
    }
}
