//! Drawn evidence: healthy bonds with the noise of measurements, and numbers that no network has.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// A small generator, so that a seed is a bond.
struct Draw(u64);

impl Draw {
    fn unit(&mut self) -> f64 {
        // SplitMix64 (Steele, Lea and Flood 2014).
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn log(&mut self, low: f64, high: f64) -> f64 {
        (self.between(low.ln(), high.ln())).exp()
    }

    /// Noise of about `part`, seldom three times as much.
    fn noisy(&mut self, value: f64, part: f64) -> Estimated {
        let noise = (self.unit() + self.unit() + self.unit() - 1.5) * 2.0 * part;
        let value = value * (1.0 + noise);
        Estimated { value, low: value * (1.0 - 2.0 * part), high: value * (1.0 + 2.0 * part), samples: 50 }
    }

    /// A direction with a queue of half to two round trips, 25 packets at least, 150 ms at most.
    fn direction(&mut self, mbps: f64, round_trip: f64) -> DirectionEstimate {
        let packets = 25.0 * 12_000.0 / (mbps * 1e6);
        let depth = (round_trip * self.between(0.8, 2.0)).min(0.15).max(packets);
        // Now and then a packet is lost for a reason of its own, of some thousand.
        let stray = if self.unit() < 0.2 { 1.0 / 3_000.0 } else { 0.0 };
        let chance = Estimated { value: stray, low: stray / 40.0, high: stray * 5.0 + 1e-3, samples: 3_000 };
        let (depth_s, depth_bytes) = (self.noisy(depth, 0.05), self.noisy(depth * mbps * 125_000.0, 0.05));
        DirectionEstimate {
            rate_bps: Some(self.noisy(mbps * 1e6, 0.01)),
            queue: Some(Queue { depth_s, depth_bytes, is_at_least: false, is_policer: false }),
            chance_loss: Some(chance),
            ..DirectionEstimate::default()
        }
    }

    /// A bond of two or three good links; half of the time with a transfer that found little to miss.
    fn healthy(&mut self) -> Evidence {
        let names = ["wlan0", "wwan0", "eth0"];
        let count = if self.unit() < 0.5 { 2 } else { 3 };
        let used = if self.unit() < 0.3 { "reno" } else { "westwood" };
        let mut evidence = Evidence { here: limits(used), there: limits(used), ..Evidence::default() };
        let mut paths = Vec::new();
        for name in &names[..count] {
            let (mbps, round_trip) = (self.log(2.0, 100.0), self.log(0.005, 0.12));
            let back = mbps * self.between(0.2, 1.0);
            let link = LinkEstimate {
                round_trip_s: Some(self.noisy(round_trip, 0.01)),
                round_trip_median_s: Some(self.noisy(round_trip * 1.03, 0.01)),
                forward: self.direction(mbps, round_trip),
                reverse: self.direction(back, round_trip),
                ..link(name, mbps)
            };
            let carried = mbps * self.between(0.90, 0.945);
            let idle = self.between(0.0, 0.3);
            paths.push(PathSeen {
                app_limited_s: idle,
                cwnd_limited_s: 10.0 - idle,
                retransmitted_chunks: (carried * self.between(0.0, 1.5)) as u64,
                ..path(name, carried)
            });
            evidence.lanes.push(LaneSeen {
                name: (*name).to_owned(),
                local: (*name).to_owned(),
                interface: Some((*name).to_owned()),
                carried_by: Some((*name).to_owned()),
                others_bps: Some(mbps * 1e6 * self.between(0.0, 0.02)),
                interface_there: Some("eth0".to_owned()),
                others_there_bps: Some(mbps * 1e6 * self.between(0.0, 0.02)),
                forgot_within_s: None,
            });
            evidence.links.push(link);
        }
        evidence.here.lateness_s = Some(self.log(0.0002, 0.02));
        evidence.here.processor_share = Some(self.between(0.01, 0.6));
        evidence.there.socket_drops = Some((self.unit() * 9.0) as u64);
        if self.unit() < 0.5 {
            evidence.forward = Some(transfer(paths));
        }
        evidence
    }
}

#[test]
fn at_most_two_in_a_hundred_healthy_bonds_have_a_finding() {
    let (mut alarms, mut causes) = (0, BTreeMap::<&str, u32>::new());
    for seed in 0..BONDS {
        let found = findings(&Draw(seed).healthy());
        alarms += u64::from(!found.is_empty());
        found.iter().for_each(|one| *causes.entry(one.cause.word()).or_default() += 1);
    }
    let share = alarms as f64 / BONDS as f64;
    println!("false alarms: {:.2} % of {BONDS} healthy bonds, findings by cause: {causes:?}", share * 100.0);
    assert!(share <= 0.02, "{share}: {causes:?}");
}

const BONDS: u64 = 2_000;

/// Any number that a peer or a defect could bring.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(-1.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::MAX),
        Just(f64::MIN_POSITIVE),
        any::<f64>(),
        0.0..1e9,
    ]
}

fn estimate() -> impl Strategy<Value = Option<Estimated>> {
    let all = (number(), number(), number(), any::<u64>());
    proptest::option::of(all.prop_map(|(value, low, high, samples)| Estimated { value, low, high, samples }))
}

fn direction() -> impl Strategy<Value = DirectionEstimate> {
    let steps = proptest::option::of(proptest::collection::vec((number(), number()), 0..9));
    let all =
        (estimate(), estimate(), estimate(), estimate(), any::<[bool; 2]>(), steps, estimate(), number());
    all.prop_map(
        |(
            rate_bps,
            depth_s,
            depth_bytes,
            chance_loss,
            [is_at_least, is_policer],
            rate_steps,
            runs,
            spacing_s,
        )| {
            let queue = depth_s.zip(depth_bytes);
            DirectionEstimate {
                rate_bps,
                chance_loss,
                rate_steps,
                queue: queue.map(|(depth_s, depth_bytes)| Queue {
                    depth_s,
                    depth_bytes,
                    is_at_least,
                    is_policer,
                }),
                loss_runs: runs.map(|runs| LossRuns { good_to_bad: runs, bad_to_good: runs, spacing_s }),
                ..DirectionEstimate::default()
            }
        },
    )
}

fn hostile_link() -> impl Strategy<Value = LinkEstimate> {
    (
        any::<String>(),
        estimate(),
        direction(),
        direction(),
        any::<Option<u64>>(),
        any::<[Option<u64>; 2]>(),
        any::<String>(),
    )
        .prop_map(|(name, round_trip_s, forward, reverse, mtu_bytes, [mtu_hole_bytes, back], other)| {
            LinkEstimate {
                shares_forward: vec![name.clone(), other],
                name,
                round_trip_s,
                mtu_bytes,
                mtu_hole_bytes,
                mtu_hole_reverse_bytes: back,
                forward,
                reverse,
                ..LinkEstimate::default()
            }
        })
}

fn hostile_path() -> impl Strategy<Value = PathSeen> {
    let numbers = proptest::array::uniform10(number());
    (any::<String>(), any::<[u64; 3]>(), numbers).prop_map(
        |(name, [sent_packets, retransmitted_chunks, timeouts], n)| PathSeen {
            name,
            is_active: true,
            goodput_bps: n[0],
            share: n[1],
            sent_packets,
            retransmitted_chunks,
            timeouts,
            mean_cwnd_bytes: n[2],
            mean_rtt_s: Some(n[3]),
            min_rtt_s: Some(n[4]),
            app_limited_s: n[5],
            cwnd_limited_s: n[6],
            rwnd_limited_s: n[7],
            scheduler_limited_s: n[8],
            down_s: n[9],
        },
    )
}

prop_compose! {
    fn hostile()(
        links in proptest::collection::vec(hostile_link(), 0..4),
        paths in proptest::collection::vec(hostile_path(), 0..4),
        numbers in proptest::array::uniform12(number()),
        counts in any::<[Option<u64>; 4]>(),
        texts in any::<[String; 2]>(),
        halves in any::<bool>(),
    ) -> Evidence {
        let control = Control { name: texts[0].clone(), tells_losses_apart: !halves };
        let limits = Limits {
            receive_buffer_bytes: counts[0],
            send_buffer_bytes: counts[1],
            socket_drops: counts[2],
            arrived_datagrams: counts[3],
            control: Some(control.clone()),
            sack_every: counts[0].map(|count| count as u32),
            processor_share: Some(numbers[1]),
            lateness_s: Some(numbers[3]),
            least_sent_share: Some(numbers[4]),
            disk_write_bps: Some(numbers[7]),
            heartbeat_s: Some(numbers[0]),
        };
        let lanes = links.iter().map(|link| LaneSeen {
            name: link.name.clone(),
            local: texts[1].clone(),
            interface: Some(texts[0].clone()),
            carried_by: Some(texts[1].clone()),
            others_bps: Some(numbers[6]),
            interface_there: counts[1].map(|_| texts[1].clone()),
            others_there_bps: Some(numbers[5]),
            forgot_within_s: Some(numbers[2]),
        });
        let transfer = Transfer {
            goodput_bps: numbers[8],
            is_of_files: halves,
            cpu_share: numbers[9],
            control: Some(control),
            send_buffer_bytes: counts[1],
            receive_buffer_bytes: counts[0],
            scheduler: Some(texts[0].clone()),
            paths,
            ..Transfer::default()
        };
        Evidence {
            lanes: lanes.collect(),
            links,
            forward: Some(transfer.clone()),
            reverse: counts[2].map(|_| transfer),
            here: limits.clone(),
            there: limits,
        }
    }
}

proptest! {
    #[test]
    fn hostile_evidence_gives_finite_costs_and_escaped_names(evidence in hostile()) {
        let found = findings(&evidence);
        prop_assert!(found.len() < 100);
        for finding in found {
            prop_assert!(finding.cost_bps.is_none_or(|cost| cost.is_finite() && cost > 0.0));
            let text = finding.text(Remedy::to_string);
            let lines = finding.evidence.iter().chain(&finding.links).chain([&text]);
            for line in lines {
                prop_assert!(line.chars().all(|c| !c.is_control()), "{line:?}");
                prop_assert!(line.len() < 4_000, "{line}");
            }
        }
    }
}

#[test]
fn an_interface_cannot_move_the_cursor_or_turn_the_text() {
    let mut evidence = measured();
    evidence.links[0].name = "evil\u{1b}[2J\u{202e}\n".to_owned();
    evidence.links[0].mtu_hole_bytes = Some(1_500);
    let text = findings(&evidence)[0].text(Remedy::to_string);
    assert!(text.contains("evil\\u{1b}[2J\\u{202e}\\n"), "{text}");
}
