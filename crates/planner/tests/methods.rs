//! The methods compared on random curves, and the problems without an answer.

use anabranch_models::renewal::Renewal;
use anabranch_models::{ModelError, PathParameters, TimeoutBounds};
use anabranch_planner::{Method, PlanError, Problem, StepSet, brute_force, exact, greedy, hull, step};
use proptest::prelude::*;

/// Curves like a path's, and worse: mostly rising, of any shape, with flat parts, falls, and exact ties.
fn curve() -> impl Strategy<Value = Vec<f64>> {
    let rough = prop::collection::vec(0_u32..2_000, 1..14)
        .prop_map(|steps| steps.into_iter().map(f64::from).collect::<Vec<f64>>());
    let rising = prop::collection::vec(0_u32..5, 1..14).prop_map(|steps| {
        let sums = steps.iter().scan(0, |sum, step| {
            *sum += step;
            Some(f64::from(*sum))
        });
        sums.collect::<Vec<f64>>()
    });
    let concave = (1_u32..14, 0.05..0.9_f64, 1.0..1e6_f64)
        .prop_map(|(most, bend, scale)| (1..=most).map(|c| scale * f64::from(c).powf(bend)).collect());
    prop_oneof![rough, rising, concave]
}

fn problem() -> impl Strategy<Value = Problem> {
    (prop::collection::vec(curve(), 1..5), 0_u32..40).prop_map(|(curves, more)| {
        let buffer = curves.len() as u32 + more;
        Problem::from_curves(curves, buffer).expect("each path has a packet")
    })
}

fn total(limits: &[u32]) -> u32 {
    limits.iter().sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn the_exact_method_finds_what_trying_all_finds(problem in problem()) {
        let (exact, tried) = (exact(&problem).unwrap(), brute_force(&problem).unwrap());
        prop_assert!((exact.throughput - tried.throughput).abs() <= 1e-12 * tried.throughput);
        prop_assert!(total(&exact.limits) <= problem.buffer());
        prop_assert_eq!(problem.throughput(&exact.limits), Some(exact.throughput));
        // Different rounding may make a sum a tie.
        prop_assert!(total(&exact.limits) <= total(&tried.limits), "{:?} {:?}", exact, tried);
    }

    #[test]
    fn the_hull_has_the_best_between_its_answer_and_its_bound(problem in problem()) {
        let (best, certificate) = (exact(&problem).unwrap().throughput, hull(&problem));
        let given = certificate.allocation;
        prop_assert!(total(&given.limits) <= problem.buffer());
        prop_assert!(given.throughput <= best * (1.0 + 1e-12));
        prop_assert!(certificate.upper_bound >= best * (1.0 - 1e-12));
        prop_assert!(greedy(&problem).throughput <= best * (1.0 + 1e-12));
        prop_assert!(total(&greedy(&problem).limits) <= problem.buffer());
    }

    #[test]
    fn without_short_windows_the_best_of_the_others_is_found(problem in problem(), reports in 0_u32..7) {
        let allowed = |limit: u32| limit == 1 || limit > reports;
        // All combinations of allowed limits, by the unchanged curves.
        let mut sums = vec![(0_u32, 0.0_f64)];
        for curve in problem.curves() {
            let limits: Vec<u32> = (1..=curve.len() as u32).filter(|limit| allowed(*limit)).collect();
            let add = |&(packets, value): &(u32, f64)| {
                let sum = move |limit: &u32| (packets + limit, value + curve[*limit as usize - 1]);
                limits.iter().map(sum).collect::<Vec<(u32, f64)>>()
            };
            sums = sums.iter().flat_map(add).filter(|(packets, _)| *packets <= problem.buffer()).collect();
        }
        let best = sums.iter().map(|(_, value)| *value).fold(0.0, f64::max);
        let without = problem.clone().without_short_windows(reports);
        let found = [
            exact(&without).unwrap(),
            brute_force(&without).unwrap(),
            step(&without, 1, StepSet::Printed).unwrap(),
            hull(&without).allocation,
            greedy(&without),
        ];
        for (number, found) in found.iter().enumerate() {
            prop_assert!(found.limits.iter().all(|limit| allowed(*limit)), "{number}: {found:?}");
            prop_assert_eq!(problem.throughput(&found.limits), Some(found.throughput));
            let is_exact = (found.throughput - best).abs() <= 1e-12 * best;
            prop_assert!(is_exact || number >= 3 && found.throughput < best, "{number}: {found:?}, {best}");
        }
    }

    #[test]
    fn steps_that_divide_one_another_are_nested(problem in problem(), k in 1_u32..5, times in 2_u32..4) {
        let best = exact(&problem).unwrap().throughput;
        for set in [StepSet::Printed, StepSet::Repaired] {
            let (fine, coarse) = (step(&problem, k, set), step(&problem, k * times, set));
            prop_assert!(set == StepSet::Printed || (fine.is_ok() && coarse.is_ok()));
            if let Ok(coarse) = coarse {
                let fine = fine.unwrap().throughput;
                prop_assert!(fine >= coarse.throughput && fine <= best * (1.0 + 1e-12));
            }
        }
        prop_assert!((step(&problem, 1, StepSet::Printed).unwrap().throughput - best).abs() <= 1e-12 * best);
    }
}

#[test]
fn equal_paths_share_by_the_smallest_total_and_then_the_first_keeps_more() {
    let flat = vec![1.0, 3.0, 4.0, 4.0, 4.0];
    let problem = Problem::from_curves(vec![flat.clone(), flat.clone()], 5).unwrap();
    assert_eq!(exact(&problem).unwrap().limits, [3, 2]);
    let generous = Problem::from_curves(vec![flat.clone(), flat], 9).unwrap();
    assert_eq!(exact(&generous).unwrap().limits, [3, 3]);
}

#[test]
fn a_window_too_short_for_a_fast_retransmit_is_one_packet_or_not_chosen() {
    let problem = || {
        Problem::from_curves(vec![vec![1.0, 5.0, 6.0, 7.0, 8.0, 9.0], vec![10.0, 12.0, 14.0, 18.0]], 6)
            .unwrap()
    };
    assert_eq!(exact(&problem()).unwrap().limits, [2, 4]);
    assert_eq!(exact(&problem().without_short_windows(0)), exact(&problem()));
    assert_eq!(exact(&problem().without_short_windows(1)), exact(&problem()));
    assert_eq!(exact(&problem().without_short_windows(3)).unwrap().limits, [1, 4]);
    // Every limit of the second path is too short.
    assert_eq!(exact(&problem().without_short_windows(4)).unwrap().limits, [5, 1]);
    let none = step(&problem().without_short_windows(4), 2, StepSet::Printed).unwrap_err();
    assert_eq!(
        none.to_string(),
        "all limits of path 1 in steps of 2 packets are no longer than 4 packets, too short for a fast retransmit"
    );
    let repaired = step(&problem().without_short_windows(4), 2, StepSet::Repaired).unwrap();
    assert_eq!(repaired.limits, [5, 1]);
}

#[test]
fn iterations_are_counted_as_in_the_paper() {
    // WS-X1: b = 1,000 packets/s, d = 100 ms, r = 100.
    let line: Vec<f64> = (1..=101).map(|c| f64::from(c) * 10.0).collect();
    let problem = Problem::from_curves(vec![line.clone(), line], 100).unwrap();
    let tried = |k| step(&problem, k, StepSet::Printed).unwrap().evaluations;
    assert_eq!((tried(1), tried(2), tried(10)), (10_000, 2_500, 100));
    assert_eq!(brute_force(&problem).unwrap().evaluations, 10_000);
    // WS-F13, F14: r = 87; b2 = 10 Mbit/s with 50 ms fills at 43 packets, b1 with 25 ms at 12, 22, 43 and 85.
    let counts = [
        (12, [516, 126, 30, 5]),
        (22, [946, 231, 50, 10]),
        (43, [1849, 441, 100, 25]),
        (85, [3655, 882, 210, 50]),
    ];
    for (cap, expected) in counts {
        let curves = vec![vec![1.0; cap], vec![1.0; 43]];
        let problem = Problem::from_curves(curves, 87).unwrap();
        assert_eq!([1, 2, 4, 8].map(|k| step(&problem, k, StepSet::Printed).unwrap().evaluations), expected);
    }
}

#[test]
fn steps_beyond_a_cap_have_an_answer_only_when_repaired() {
    let problem = Problem::from_curves(vec![vec![1.0, 2.0, 3.0, 4.0], vec![1.0; 43]], 87).unwrap();
    let none = step(&problem, 5, StepSet::Printed).unwrap_err();
    assert_eq!(none.to_string(), "steps of 5 packets exceed the largest limit of path 0, 4 packets");
    assert_eq!(step(&problem, 5, StepSet::Repaired).unwrap().limits, [4, 1]);
    assert_eq!(step(&problem, 0, StepSet::Repaired), Err(PlanError::NoStep));
    let narrow = Problem::from_curves(vec![vec![1.0; 20], vec![1.0; 20]], 15).unwrap();
    assert_eq!(
        step(&narrow, 10, StepSet::Printed).unwrap_err().to_string(),
        "the smallest limits are 20 packets in total, more than the buffer of 15"
    );
}

#[test]
fn what_cannot_be_planned_says_why() {
    let said = |curves: Vec<Vec<f64>>, buffer| Problem::from_curves(curves, buffer).unwrap_err().to_string();
    assert_eq!(said(vec![], 5), "there is no path to plan for");
    assert_eq!(
        said(vec![vec![1.0]; 3], 2),
        "a receive buffer of 2 packets is less than one packet for each of 3 paths"
    );
    assert_eq!(said(vec![vec![]], 2), "a window limit of 0 packets allows no packet");
    assert_eq!(
        said(vec![vec![1.0, f64::NAN]], 2),
        "path 0 with its window limited to 2 packets carries NaN packets/s: not a number from 0 to 1e100"
    );
    assert!(said(vec![vec![1.0], vec![-1.0]], 2).starts_with("path 1 with its window limited to 1"));
}

#[test]
fn what_is_too_much_is_refused_before_it_begins() {
    let crowd = Problem::from_curves(vec![vec![1.0, 2.0]; 1_000], 1_500).unwrap();
    let refused = brute_force(&crowd).unwrap_err().to_string();
    assert!(refused.contains("exceed the maximum of 1e9: use the exact method"), "{refused}");
    assert_eq!(exact(&crowd).unwrap().throughput, 1_500.0);
    assert_eq!(step(&crowd, 2, StepSet::Repaired).unwrap().throughput, 1_500.0);
    // Only the ends of a convex curve are on its hull, so that the bound discards nothing.
    let convex: Vec<f64> = (0..200_000).map(|c| f64::from(c) * f64::from(c)).collect();
    let steep = Problem::from_curves(vec![convex; 4], 300_000).unwrap();
    let refused = exact(&steep).unwrap_err().to_string();
    assert!(
        refused.ends_with("use the hull method, which bounds its distance from the optimum"),
        "{refused}"
    );
    assert!(hull(&steep).gap() < 1.0);
}

#[test]
fn many_paths_of_one_packet_need_no_search() {
    let many = Problem::from_curves(vec![vec![1.0]; 100_000], 100_001).unwrap();
    for method in [Method::Exact, Method::BruteForce, Method::Hull] {
        assert_eq!(method.solve(&many).unwrap().throughput, 1e5);
    }
}

#[test]
fn paths_beyond_all_measure_are_refused_or_planned() {
    let path =
        |rate, delay| PathParameters { rate, delay, loss: 0.01, timeout: TimeoutBounds::WALLACE_SHAMI };
    let (model, sizes) = (Renewal::default(), [1e-300, 1e-9, 1.0, 1e9, 1e300]);
    for (rate, delay) in sizes.into_iter().flat_map(|rate| sizes.map(|delay| (rate, delay))) {
        if let Ok(problem) = Problem::new(&[path(rate, delay), path(1_750.0, 0.04)], 87, &model) {
            let best = exact(&problem).unwrap();
            assert!(total(&best.limits) <= 87 && best.throughput.is_finite(), "{best:?}");
        }
    }
    assert!(matches!(
        Problem::new(&[path(-1.0, 0.1)], 9, &model),
        Err(PlanError::Model(ModelError::Rate(_)))
    ));
    let long = Problem::new(&[path(1e300, 1e300)], u32::MAX, &model).unwrap_err();
    assert_eq!(long, PlanError::TooLong { points: u64::from(u32::MAX), most: 1 << 24 });
}

#[test]
fn a_thousand_paths_and_millions_of_packets_do_not_hang() {
    let curve = |path: u32| -> Vec<f64> {
        (1..=5_000).map(|c| f64::from(path + 1) * (1.0 - 1.0 / f64::from(c))).collect()
    };
    let problem = Problem::from_curves((0..1_000).map(curve).collect(), 3_000_000).unwrap();
    let (certificate, best) = (hull(&problem), exact(&problem).unwrap());
    assert!(best.throughput <= certificate.upper_bound * (1.0 + 1e-12));
    assert!(best.throughput >= certificate.allocation.throughput * (1.0 - 1e-12));
    assert!(certificate.gap() < 1e-6, "{}", certificate.gap());
    let most = Problem::from_curves(vec![vec![0.0; 1 << 20]; 17], u32::MAX).unwrap_err().to_string();
    assert_eq!(most, "curves with 17825792 points in total exceed the maximum of 16777216");
}

#[test]
fn a_method_has_a_name_and_an_answer() {
    let problem = Problem::from_curves(vec![vec![1.0, 2.0, 3.0], vec![2.0, 3.0]], 4).unwrap();
    let step = Method::Step { step: 2, set: StepSet::Repaired };
    for (method, name) in
        [Method::Exact, Method::BruteForce, step, Method::Hull].into_iter().zip(Method::NAMES)
    {
        assert_eq!(method.name(), name);
        assert_eq!(method.solve(&problem).unwrap().throughput, 5.0);
    }
}
