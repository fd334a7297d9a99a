//! The laws of the model whatever the implementation: limits, constants, worked examples, its domain.

use anabranch_models::{
    LimitedPath, Markov, ModelError, PathParameters, Rates, RoundLoss, ThroughputModel, TimeoutBounds,
    WindowModel,
};
use proptest::prelude::{Just, ProptestConfig, Strategy, prop_assert, prop_assert_eq, prop_oneof, proptest};

use crate::{MODELS, error, path};

#[test]
fn g19b_six_throughputs_worked_out_in_advance() -> Result<(), ModelError> {
    let path =
        PathParameters { rate: 1000.0, delay: 0.01, loss: 0.01, timeout: TimeoutBounds::WALLACE_SHAMI };
    let expected = [
        (RoundLoss::Correlated, [308.2401, 539.5653, 680.5315]),
        (RoundLoss::Independent, [314.3725, 630.7388, 854.3763]),
    ];
    for (loss, throughputs) in expected {
        let paths = [4, 8, 16].map(|limit| LimitedPath { path, limit });
        let ours = Markov { loss, ..Markov::default() }.throughput(&paths)?;
        for (ours, expected) in ours.into_iter().zip(throughputs) {
            assert!((ours - expected).abs() < 5e-5, "{loss:?}: {ours} for {expected}");
        }
    }
    Ok(())
}

#[test]
fn without_loss_the_window_stands_at_its_limit() -> Result<(), ModelError> {
    for markov in MODELS {
        for (limit, delivered) in (1..).zip(markov.curve(&path(0.0), 120)?) {
            let filled = f64::from(limit) / path(0.0).round(f64::from(limit));
            assert_eq!(delivered, filled);
            let nearly = markov.rates(&path(1e-12), limit)?;
            assert!(error(nearly.delivered, filled) < 1e-9, "{markov:?} {limit}: {nearly:?}");
        }
        assert_eq!(markov.curve(&path(0.0), 120)?[119], 1750.0);
    }
    Ok(())
}

#[test]
fn nothing_but_loss_delivers_nothing() -> Result<(), ModelError> {
    for markov in MODELS {
        assert_eq!(markov.curve(&path(1.0), 50)?, [0.0; 50]);
        let rates =
            Rates { delivered: 0.0, sent: 1.0 / 60.0, timeouts: 0.0, fast_retransmits: 0.0, window: 1.0 };
        assert_eq!(markov.rates(&path(1.0), 50)?, rates);
        let nearly = markov.rates(&path(1.0 - 1e-13), 50)?;
        assert!(error(nearly.sent, 1.0 / 60.0) < 1e-6, "{nearly:?}");
        assert!(nearly.delivered > 0.0 && nearly.delivered < 1e-13, "{nearly:?}");
    }
    Ok(())
}

#[test]
fn a_long_buffer_gives_the_constants_of_additive_increase() -> Result<(), ModelError> {
    let constants = [(1e-4, 1.30388), (1e-5, 1.30800), (1e-6, 1.30926), (1e-7, 1.30965)];
    for (loss, constant) in constants {
        let path = PathParameters { rate: 1e9, ..path(loss) };
        let eta = Markov::default().throughput(&[LimitedPath { path, limit: u32::MAX }])?[0];
        let ours = eta * path.round(1.0) * loss.sqrt();
        assert!((ours - constant).abs() < 6e-6, "p {loss}: {ours} for {constant}");
    }
    Ok(())
}

#[test]
fn independent_losses_take_their_part_of_what_is_sent() -> Result<(), ModelError> {
    for markov in &MODELS[..2] {
        for loss in [1e-6, 1e-3, 0.1, 0.7] {
            for rates in markov.rates_curve(&path(loss), 200)? {
                assert!(
                    error(rates.sent * (1.0 - loss), rates.delivered) < 1e-13,
                    "{markov:?} {loss}: {rates:?}"
                );
            }
        }
    }
    Ok(())
}

#[test]
fn timeouts_shorter_than_three_rounds_are_cut_at_their_most() -> Result<(), ModelError> {
    for markov in MODELS {
        let mut path = path(0.05);
        path.timeout.max = 1e-3;
        let short = markov.curve(&path, 100)?;
        path.timeout.max = 60.0;
        let long = markov.curve(&path, 100)?;
        assert!(short.iter().zip(&long).all(|(short, long)| short > long), "{markov:?}");
    }
    Ok(())
}

#[test]
fn wrong_parameters_are_refused() {
    let refused = |path: PathParameters, limit| {
        let errors = MODELS.map(|markov| {
            let one = markov.throughput(&[LimitedPath { path, limit }]).expect_err("it is wrong");
            assert_eq!(markov.rates(&path, limit).expect_err("it is wrong"), one);
            assert_eq!(markov.curve(&path, limit).expect_err("it is wrong"), one);
            assert_eq!(markov.stationary(&path, limit).expect_err("it is wrong"), one);
            one
        });
        errors[0].clone()
    };
    assert_eq!(refused(path(1e-3), 0), ModelError::NoWindow);
    assert_eq!(refused(path(-0.1), 9), ModelError::Loss(-0.1));
    assert_eq!(refused(path(1.1), 9), ModelError::Loss(1.1));
    assert_eq!(refused(PathParameters { rate: -1.0, ..path(0.1) }, 9), ModelError::Rate(-1.0));
    assert_eq!(refused(PathParameters { delay: -1.0, ..path(0.1) }, 9), ModelError::Delay(-1.0));
    let timeout = TimeoutBounds { min: 1.0, max: 0.5 };
    let wrong = ModelError::Timeout { min: 1.0, max: 0.5 };
    assert_eq!(refused(PathParameters { timeout, ..path(0.1) }, 9), wrong);
    assert_eq!(MODELS[0].throughput(&[]), Err(ModelError::NoPath));
}

#[test]
fn what_would_fill_the_memory_is_refused() {
    let large = |result: Result<Vec<f64>, ModelError>| match result {
        Err(ModelError::TooLarge { limit, largest }) => assert!(largest < limit, "{largest} of {limit}"),
        other => panic!("{:?} values", other.map(|values| values.len())),
    };
    for markov in MODELS {
        for loss in [0.0, 1e-300, 1e-9, 0.5, 1.0] {
            large(markov.curve(&path(loss), u32::MAX));
        }
        large(markov.throughput(&[LimitedPath { path: path(1e-300), limit: u32::MAX }]));
    }
    let correlated = MODELS[2];
    large(correlated.throughput(&[LimitedPath { path: path(1e-8), limit: 100_000 }]));
    assert!(correlated.throughput(&[LimitedPath { path: path(1e-3), limit: u32::MAX }]).is_ok());
}

/// Paths of any sensible size, with any loss.
fn paths() -> impl Strategy<Value = PathParameters> {
    let loss = prop_oneof![
        Just(0.0),
        Just(1.0),
        (-14.0..0.0_f64).prop_map(|exponent| 10_f64.powf(exponent)),
        (-15.0..0.0_f64).prop_map(|exponent| 1.0 - 10_f64.powf(exponent)),
    ];
    let scale = |from: f64, to: f64| (from..to).prop_map(|exponent| 10_f64.powf(exponent));
    let timeout = (scale(-3.0, 1.0), scale(0.0, 3.0), 0..2_u8);
    (scale(-1.0, 7.0), scale(-5.0, 1.0), loss, timeout).prop_map(
        |(rate, delay, loss, (least, more, floor))| {
            let timeout = TimeoutBounds { min: least * f64::from(floor), max: least * more };
            PathParameters { rate, delay, loss, timeout }
        },
    )
}

/// Numbers that no measurement gives.
fn absurd() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::MAX),
        Just(f64::MIN_POSITIVE),
        Just(5e-324),
        Just(-1.0),
        Just(0.0),
        Just(1.0),
        Just(1.0 - f64::EPSILON),
        Just(1e-9),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_path_gets_rates_within_its_rate(path in paths(), limit in 1..600_u32, model in 0..4_usize) {
        let markov = MODELS[model];
        let curve = markov.curve(&path, limit).expect("it is in the domain");
        prop_assert_eq!(curve.len(), limit as usize);
        // Where the longest time-out is shorter than a round, packets of that round cost less than their time on the line.
        let is_cut = path.timeout.max < path.round(f64::from(limit));
        let most = if is_cut { f64::INFINITY } else { path.rate * (1.0 + 1e-12) };
        prop_assert!(curve.iter().all(|eta| eta.is_finite() && *eta >= 0.0 && *eta <= most), "{:?}", curve);
        let rates = markov.rates(&path, limit).expect("it is in the domain");
        prop_assert!(error(rates.delivered, curve[limit as usize - 1]) < 1e-12);
        prop_assert!(rates.sent >= rates.delivered * (1.0 - 1e-12), "{:?}", rates);
        prop_assert!(rates.timeouts >= 0.0 && rates.timeouts <= rates.sent, "{:?}", rates);
        prop_assert!(rates.fast_retransmits >= 0.0 && rates.fast_retransmits <= rates.sent, "{:?}", rates);
        let windows = 1.0 - 1e-12..=f64::from(limit) * (1.0 + 1e-12);
        prop_assert!(windows.contains(&rates.window), "{:?}", rates);
    }

    #[test]
    fn absurd_numbers_get_errors_or_finite_rates(
        (rate, delay, loss) in (absurd(), absurd(), absurd()),
        (min, max) in (absurd(), absurd()),
        limit in prop_oneof![0..40_u32, Just(100_000), Just(u32::MAX)],
        model in 0..4_usize,
    ) {
        let path = PathParameters { rate, delay, loss, timeout: TimeoutBounds { min, max } };
        if let Ok(rates) = MODELS[model].rates(&path, limit) {
            let Rates { delivered, sent, timeouts, fast_retransmits, window } = rates;
            let all = [delivered, sent, timeouts, fast_retransmits, window];
            prop_assert!(all.iter().all(|rate| rate.is_finite() && *rate >= 0.0), "{:?} {} {:?}", path, limit, rates);
        }
        if let Ok(law) = MODELS[model].stationary(&path, limit) {
            let shares = law.windows.iter().map(|(_, share)| share).chain(&law.backoff);
            let mut values = shares.flat_map(|share| [share.probability, share.time]);
            prop_assert!(values.all(|value| value.is_finite() && value >= 0.0), "{:?} {}", path, limit);
        }
    }
}
