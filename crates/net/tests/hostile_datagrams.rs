//! The bodies of the fuzz targets `sealed` and `sealed_handshake` on random inputs.

mod hostile;

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any, proptest};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn whatever_is_done_to_datagrams_what_arrives_was_sealed_and_arrives_once(deeds in vec(any::<u8>(), 0..600)) {
        hostile::sealed(&deeds);
    }

    #[test]
    fn however_handshakes_are_mixed_up_who_has_the_key_hears_only_who_has_it(deeds in vec(any::<u8>(), 0..900)) {
        hostile::sealed_handshake(&deeds);
    }
}
