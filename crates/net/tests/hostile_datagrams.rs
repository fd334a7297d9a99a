//! The body of the fuzz target `sealed` on inputs of its own: random ones, and those that the fuzzer begins with.

mod hostile;

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any, proptest};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn whatever_is_done_to_datagrams_what_arrives_was_sealed_and_arrives_once(deeds in vec(any::<u8>(), 0..600)) {
        hostile::sealed(&deeds);
    }
}
