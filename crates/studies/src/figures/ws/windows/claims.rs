//! The claims about WS-F9 to F12.

use super::super::super::claim::{Claim, Expression, Number, PointTest, Weight};
use super::super::super::results::Metric;
use super::{FAMILIES, Family, LOSSES};
use crate::scale::StudyScale;

/// The claims.
pub(super) fn claims(scale: StudyScale) -> Vec<Claim> {
    let [by_rate, by_buffer, by_loss, by_delay] = &FAMILIES;
    let t = scale.tolerance(1.0);
    let all = FAMILIES.iter().flat_map(Family::all_gains).collect();
    let greatest = |family: &Family, member: &str, x: &[f64]| {
        Number::Greatest(family.gains(|name| name.ends_with(member), x))
    };
    let of = |id, panel, weight, stated, expression| Claim { id, panel, weight, stated, expression };
    let positive = |family: &Family| {
        let expression = Expression::More(Number::Mean(family.all_gains()), 0.0);
        of("C2", family.gain, Weight::Core, "limits carry more than ranks, on average", expression)
    };
    let range = |number, range, direction| Expression::Number { number, range, direction };
    let none = |family: &Family, series| Expression::Points {
        test: PointTest::Within(series, -t, t),
        panel: family.gain,
        metric: Metric::Gain,
        x: LOSSES.to_vec(),
        share: 1.0,
    };
    let (any, up) = ((f64::NEG_INFINITY, f64::INFINITY), f64::INFINITY);
    let by_rate_maxima = by_rate.members.iter().map(|(name, _)| greatest(by_rate, name, &LOSSES)).collect();
    let stated_c1 = "the greatest gain is 5 % to 20 % (stated: \"as high as 12 %\")";
    let middle: Vec<f64> = LOSSES.into_iter().filter(|loss| (1e-3..=1e-2).contains(loss)).collect();
    let far_and_clean = by_delay.gains(|name| name.ends_with("160 ms"), &LOSSES[..1]);
    let worst = [by_rate, by_buffer, by_loss].into_iter().flat_map(Family::all_gains).collect();
    vec![
        of("C1", "", Weight::Core, stated_c1, range(Number::Greatest(all), (5.0, 20.0), (0.0, up))),
        positive(by_rate),
        positive(by_buffer),
        positive(by_loss),
        of(
            "C3",
            by_rate.gain,
            Weight::Side,
            "the greatest gain grows with b₂; at b₂ = 5 Mbit/s it is 3 % at most",
            Expression::All(vec![
                Expression::Rising(by_rate_maxima),
                range(greatest(by_rate, " 5 Mbit/s", &LOSSES), (f64::NEG_INFINITY, 3.0 * t), (0.0, 0.0)),
            ]),
        ),
        of(
            "C4",
            by_rate.gain,
            Weight::Side,
            "the gain is greatest at p₁ from 0.0005 to 0.02",
            range(Number::PlaceOfGreatest(by_rate.all_gains()), (5e-4, 2e-2), any),
        ),
        of(
            "C5",
            by_buffer.gain,
            Weight::Side,
            "at r = 256 KiB there is none (1 %)",
            none(by_buffer, "r = 256 KiB"),
        ),
        of("C6", by_loss.gain, Weight::Side, "at p₂ = 0.1 there is none (1 %)", none(by_loss, "p₂ = 0.1")),
        of(
            // The paper has no main claim here. Without one F12 would rest on C1 alone, which the other figures can meet.
            "C7",
            by_delay.gain,
            Weight::Core,
            "ranks carry more at d₂ = 160 ms and p₁ = 0.0001; limits 5 % more somewhere at p₁ from 0.001 to 0.01",
            Expression::All(vec![
                Expression::Less(Number::Mean(far_and_clean), 0.0),
                range(Number::Greatest(by_delay.gains(|_| true, &middle)), (5.0, up), (0.0, up)),
            ]),
        ),
        of(
            "C8",
            "",
            Weight::Side,
            "limits never carry much less: 2 % at most in F9 to F11",
            range(Number::Least(worst), (-2.0 * t, up), (up, -up)),
        ),
    ]
}
