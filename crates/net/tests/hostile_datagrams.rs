//! The bodies of the fuzz targets `sealed` and `sealed_handshake`, and that of `sealed_clients`, on random inputs.

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
    fn in_any_mix_of_handshakes_an_end_accepts_only_packets_of_ends_with_the_key(deeds in vec(any::<u8>(), 0..900)) {
        hostile::sealed_handshake(&deeds);
    }

    #[test]
    fn in_any_mix_of_handshakes_and_removals_each_session_is_one_clients(deeds in vec(any::<u8>(), 0..900)) {
        hostile::sealed_clients(&deeds);
    }
}
