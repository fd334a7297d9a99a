//! Printed quantities can be read again: exact ones unchanged, rounded ones to the same text.

use anabranch_base::exact::{exact_distance, exact_rate, exact_size, exact_span, exact_speed};
use anabranch_base::{BitRate, ByteCount, Distance, Duration, Speed};
use anabranch_scenario::quantity;
use proptest::prelude::*;

/// Any number, the short ones as often as the long ones.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        (any::<u64>(), 0_u32..64).prop_map(|(number, shift)| number >> shift),
        (0_u64..10_000, 0_u32..13).prop_map(|(number, zeros)| number * 10_u64.pow(zeros)),
        Just(u64::MAX),
    ]
}

proptest! {
    #[test]
    fn what_is_printed_exactly_comes_back(count in number()) {
        let size = ByteCount::new(count);
        prop_assert_eq!(quantity::size(&exact_size(size)), Ok(size));
        prop_assert_eq!(quantity::size(&size.to_string()), Ok(size));
        let span = Duration::from_nanos(count);
        prop_assert_eq!(quantity::span(&exact_span(span)), Ok(span));
        let rate = BitRate::from_bits_per_second(count);
        prop_assert_eq!(quantity::rate(&exact_rate(rate)), Ok(rate));
        let distance = Distance::from_millimetres(count);
        prop_assert_eq!(quantity::distance(&exact_distance(distance)), Ok(distance));
        let speed = Speed::from_millimetres_per_second(count);
        prop_assert_eq!(quantity::speed(&exact_speed(speed)), Ok(speed));
    }

    /// Rounding up must stay within the type.
    #[test]
    fn what_is_printed_rounded_is_printed_the_same_again(count in number().prop_map(|count| count / 2)) {
        let rate = BitRate::from_bits_per_second(count).to_string();
        prop_assert_eq!(quantity::rate(&rate).map(|rate| rate.to_string()), Ok(rate));
        let span = Duration::from_nanos(count).to_string();
        prop_assert_eq!(quantity::span(&span).map(|span| span.to_string()), Ok(span));
        let size = ByteCount::new(count).rounded();
        prop_assert_eq!(quantity::size(&size).map(ByteCount::rounded), Ok(size));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[0-9.]{0,30}[ ]?[a-zA-Zµ/]{0,8}|\\PC{0,40}") {
        for error in [
            quantity::size(&text).err(),
            quantity::span(&text).err(),
            quantity::rate(&text).err(),
            quantity::distance(&text).err(),
            quantity::speed(&text).err(),
        ].into_iter().flatten() {
            prop_assert!(!error.expected.is_empty());
        }
    }
}
