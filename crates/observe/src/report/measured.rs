//! The page of a measurement: the map of the paths, the findings, the links, and for each direction of a path the delay
//! under load, the rate and the losses over time.

mod course;
mod data;
mod losses;
mod map;
mod page;
mod tables;
#[cfg(test)]
mod testing;
mod words;

use anabranch_diagnose::LinkEstimate;
use anabranch_diagnose::recording::Recording;

use crate::Measurement;
use course::{Course, Sender, Span};
use data::{MeasuredData, ShownDirection, ShownLane};
use losses::Losses;
use page::MeasuredPage;

/// The page of a measurement as HTML that needs no network. The size does not grow with the number of packets.
///
/// The names of interfaces, the addresses and the numbers may come from the other end: they are escaped and bounded.
#[must_use]
pub(crate) fn measurement_page(measurement: &Measurement<'_>) -> String {
    let Measurement { recording, links, .. } = *measurement;
    let names = names(recording);
    let span = Span::of(recording);
    let shown = shown_lanes(recording, links, &names, span);
    let data = MeasuredData::new(&names, &shown, span.end).to_json();
    MeasuredPage::new(measurement, &names, &shown, span, data).to_html()
}

/// The names of the lanes, short enough for headings.
fn names(recording: &Recording) -> Vec<String> {
    recording.lanes.iter().map(|lane| words::plain(&lane.name, MOST_LETTERS)).collect()
}

/// The lanes over which anything arrived, at most [`MOST_SHOWN`].
fn shown_lanes<'a>(
    recording: &'a Recording,
    links: &'a [LinkEstimate],
    names: &'a [String],
    span: Span,
) -> Vec<ShownLane<'a>> {
    let is_alive = |index: &usize| {
        let lane = &recording.lanes[*index];
        let mut flights = lane.forward.iter().chain(&lane.reverse);
        !lane.is_dead && flights.any(|flight| flight.packets.iter().any(|packet| packet.arrived.is_some()))
    };
    let alive = (0..recording.lanes.len()).filter(is_alive).take(MOST_SHOWN);
    let shown = alive.map(|index| {
        let (lane, link) = (&recording.lanes[index], estimate(links, index));
        let direction = |flights, sender, estimate| {
            let course = Course::of(flights, sender, span);
            ShownDirection { losses: Losses::of(&course, estimate), course, estimate }
        };
        let forward = direction(&lane.forward, Sender::Here, &link.forward);
        let reverse = direction(&lane.reverse, Sender::There, &link.reverse);
        ShownLane { lane: index, name: &names[index], directions: [forward, reverse] }
    });
    shown.collect()
}

/// The estimate of a lane's link; an empty one if there is none.
fn estimate(links: &[LinkEstimate], lane: usize) -> &LinkEstimate {
    static NONE: std::sync::LazyLock<LinkEstimate> = std::sync::LazyLock::new(LinkEstimate::default);
    links.get(lane).unwrap_or(&NONE)
}

/// The lanes that charts show.
const MOST_SHOWN: usize = 16;
/// The letters of a lane's name in headings.
const MOST_LETTERS: usize = 32;

#[cfg(test)]
mod tests {
    use anabranch_diagnose::recording::Purpose;

    use super::testing::{flight, links, recording};
    use super::*;

    fn page(recording: &Recording, links: &[LinkEstimate], findings: &[String], title: &str) -> String {
        measurement_page(&Measurement {
            recording,
            links,
            findings,
            title,
            command: "anabranch doctor --to example",
        })
    }

    #[test]
    fn a_page_has_findings_map_links_losses_and_charts() {
        let findings = ["wlan0 loses 1.2 % with an empty queue.".to_owned()];
        let page = page(&recording(), &links(), &findings, "Paths to example");
        for part in [
            "<h1>Paths to example</h1>",
            "2 of 3 paths carry 24.9 Mbit/s to the other end and 7.00 Mbit/s from it; 1 finding.",
            "<li>wlan0 loses 1.2 % with an empty queue.</li>",
            ">→ 19.9 Mbit/s, loses 1.2 % by chance, 9.0 % by its queue</text>",
            "<g class=\"grey\">",
            ">nothing came back</text>",
            "Estimates of the paths",
            "Estimates of the directions of the paths",
            "Counts of losses",
            "The charts show 2 of 3 paths",
            "\"text\":\"trains\"",
        ] {
            assert!(page.contains(part), "{part}");
        }
        assert!(!page.contains("://"), "an address of a network");
        assert!(page.contains("default-src 'none'"), "what forbids to load anything");
    }

    #[test]
    fn no_name_becomes_markup_or_script() {
        let evil = "</script></title><script>alert(1)</script>\"'&<!--\0\u{1b}[2J\u{202e}";
        let (mut recording, mut links) = (recording(), links());
        for (lane, link) in recording.lanes.iter_mut().zip(&mut links) {
            for name in [&mut lane.name, &mut lane.local, &mut lane.remote, &mut link.name] {
                evil.clone_into(name);
            }
            (lane.interface, lane.carried_by) = (Some(evil.to_owned()), Some(evil.to_owned()));
            link.shares_forward = vec![evil.to_owned()];
            link.shares_reverse = vec![evil.to_owned()];
        }
        let findings = [evil.to_owned()];
        let about = Measurement {
            recording: &recording,
            links: &links,
            findings: &findings,
            title: evil,
            command: evil,
        };
        let page = measurement_page(&about);
        assert!(
            !page.contains("<script>alert") && !page.contains("</title><script") && !page.contains("<!--")
        );
        assert_eq!(page.matches("<script").count(), 3, "data, library, scripts");
        assert!(!page.contains(['\0', '\u{1b}', '\u{202e}']), "a control character");
    }

    #[test]
    fn two_hundred_thousand_packets_are_a_page_of_2_mb() {
        let mut recording = recording();
        recording.lanes.truncate(2);
        for lane in &mut recording.lanes {
            for flights in [&mut lane.forward, &mut lane.reverse] {
                let mut long = flight(Purpose::Fill, 7_000, 100, 50_000, 1_500, 0);
                for packet in &mut long.packets {
                    let noise = u64::from(packet.number.wrapping_mul(2_654_435_761) >> 15);
                    let delay = anabranch_base::Duration::from_micros(20_000 + noise);
                    packet.arrived = (packet.number % 11 > 1).then_some(packet.sent + delay);
                }
                *flights = vec![long];
            }
        }
        let page = page(&recording, &links(), &[], "Long");
        assert!(page.len() < 2_200_000, "{} bytes", page.len());
    }

    #[test]
    fn absurd_numbers_of_the_other_end_are_bounded() {
        let mut recording = recording();
        for (lane, index) in recording.lanes.iter_mut().zip(0_u64..) {
            for packet in lane.reverse.iter_mut().flat_map(|flight| &mut flight.packets) {
                packet.sent = anabranch_base::Time::from_nanos(u64::MAX - index * 77);
                packet.size = anabranch_base::ByteCount::MAX;
                packet.number = u32::MAX;
            }
        }
        let mut links = links();
        links[0].forward.rate_bps = Some(anabranch_diagnose::Estimated {
            value: f64::NAN,
            low: f64::INFINITY,
            high: -1.0,
            samples: 0,
        });
        recording.lanes = recording.lanes.iter().cycle().take(256).cloned().collect();
        let page = page(&recording, &links, &[], "");
        assert!(
            page.contains("The map has no room for 224 more paths") && page.len() < 3_000_000,
            "{}",
            page.len()
        );
    }

    #[test]
    fn a_measurement_of_nothing_has_a_page() {
        let page = page(&Recording::default(), &[], &[], "Nothing");
        assert!(page.contains("No path was measured.") && !page.contains("Healthy"));
    }
}
