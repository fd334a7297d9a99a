//! The memory of a client at the server: the buffers of its associations.

use anabranch_base::ByteCount;
use anabranch_net::Config;
use anabranch_sctp::config::Growth;

/// The settings of an association of a client that has at most `limit`, and the number of associations that fit. Where not even
/// one fits, its buffers are made smaller.
pub(super) fn shared(config: Config, limit: Option<ByteCount>) -> (Config, usize) {
    let Some(limit) = limit else { return (config, usize::MAX) };
    let config = if buffers(&config) > limit { reduced(config, limit) } else { config };
    let fitting = limit.get() / buffers(&config).get().max(1);
    (config, usize::try_from(fitting).unwrap_or(usize::MAX).max(1))
}

/// The most that an association holds, in both directions.
fn buffers(config: &Config) -> ByteCount {
    config.receive_growth.map_or(config.receive_buffer, |growth| growth.limit) + config.send_buffer
}

/// Half of `limit` for each direction, or less where the settings have less.
fn reduced(config: Config, limit: ByteCount) -> Config {
    let half = ByteCount::new(limit.get() / 2);
    let receive_growth =
        config.receive_growth.map(|growth| Growth { limit: growth.limit.min(half), ..growth });
    Config {
        receive_buffer: config.receive_buffer.min(half),
        receive_growth,
        send_buffer: config.send_buffer.min(half),
        ..config
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings;

    fn limited(limit: ByteCount) -> (Config, usize) {
        let (config, most) = shared(settings::for_forward(), Some(limit));
        assert_eq!(config.check(), Ok(()), "{limit}");
        (config, most)
    }

    #[test]
    fn a_client_has_as_many_associations_as_fit_with_full_buffers() {
        let (config, most) = limited(ByteCount::new(128_000_000));
        assert_eq!((buffers(&config), most), (ByteCount::from_mib(32), 3));
        assert_eq!(limited(ByteCount::from_mib(32)).1, 1);
        assert_eq!(shared(settings::for_forward(), None).1, usize::MAX);
    }

    #[test]
    fn the_buffers_of_one_association_fit_into_a_small_limit() {
        for bytes in [1_000_000, 3_000_000, 33_000_000] {
            let (config, most) = limited(ByteCount::new(bytes));
            assert_eq!((buffers(&config), most), (ByteCount::new(bytes), 1));
            assert!(config.receive_buffer <= ByteCount::new(bytes / 2));
        }
        let fixed = Config {
            receive_growth: None,
            receive_buffer: ByteCount::from_mib(8),
            ..settings::for_forward()
        };
        let (config, most) = shared(fixed, Some(ByteCount::from_mib(20)));
        assert_eq!(
            (config.receive_buffer, config.send_buffer),
            (ByteCount::from_mib(8), ByteCount::from_mib(10))
        );
        assert_eq!(most, 1);
    }
}
