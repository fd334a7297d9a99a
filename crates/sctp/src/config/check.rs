//! Whether settings are within their domains. It knows each bound, and not what a setting is for.

use anabranch_base::{ByteCount, Duration};

use super::{Config, IpVersion, Unit};
use crate::wire::Data;

/// A setting outside its domain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} is {value}, but {expected}")]
pub struct ConfigError {
    /// The setting, as users write it.
    pub key: &'static str,
    /// Its value.
    pub value: String,
    /// What it may be.
    pub expected: String,
}

impl Config {
    /// Whether every number is within its domain.
    ///
    /// # Errors
    /// The first setting that is not, with what it may be.
    pub fn check(&self) -> Result<(), ConfigError> {
        let largest_payload = 65_535 - Data::HEADER_LEN as u64;
        let unit = match self.unit {
            Unit::Bytes(bytes) => bytes,
            Unit::Mtu | Unit::Pmdcs | Unit::FullChunk => self.mtu,
        };
        let in_range = [
            ("mtu", self.mtu.get(), 576, 65_535),
            ("unit", unit.get(), 1, 65_535),
            ("payload", self.payload.map_or(1, ByteCount::get), 1, largest_payload),
            ("receive_buffer", self.receive_buffer.get(), 1500, u64::from(u32::MAX)),
            ("send_buffer", self.send_buffer.get(), 1, u64::MAX),
            ("streams.outbound", u64::from(self.outbound_streams), 1, 65_535),
            ("streams.inbound", u64::from(self.inbound_streams), 1, 65_535),
            ("missing_reports", u64::from(self.missing_reports), 1, 255),
            ("sack.every", u64::from(self.sack.every), 1, 1_000),
            ("window_floor", self.window_floor, 1, 1_000),
            ("max_burst", u64::from(self.max_burst.packets), 1, u64::from(u32::MAX)),
        ];
        for (key, value, least, most) in in_range {
            if !(least..=most).contains(&value) {
                return Err(out_of_domain(key, &value, format!("it may be {least} to {most}")));
            }
        }
        if self.sack.delay > Duration::from_millis(500) {
            let expected = "RFC 9260 §6.2 allows 500 ms at most".to_owned();
            return Err(out_of_domain("sack.delay", &self.sack.delay, expected));
        }
        if self.rto.min > self.rto.max || self.rto.min.is_zero() {
            let expected = format!("it may be more than 0 and at most rto.max, {}", self.rto.max);
            return Err(out_of_domain("rto.min", &self.rto.min, expected));
        }
        if self.rto.initial < self.rto.min || self.rto.initial > self.rto.max {
            let expected = format!("it may be {} to {}", self.rto.min, self.rto.max);
            return Err(out_of_domain("rto.initial", &self.rto.initial, expected));
        }
        self.check_growth()?;
        self.check_window_limits()?;
        self.check_first_window()?;
        self.check_payload()
    }

    /// A buffer grows, and no further than can be advertised.
    fn check_growth(&self) -> Result<(), ConfigError> {
        let Some(growth) = self.receive_growth else { return Ok(()) };
        let most = ByteCount::new(u64::from(u32::MAX));
        if growth.limit < self.receive_buffer || growth.limit > most {
            let expected = format!("it may be {} to {most}", self.receive_buffer);
            return Err(out_of_domain("receive_buffer.limit", &growth.limit, expected));
        }
        Ok(())
    }

    /// Limits are given where they are used, and let each path send.
    fn check_window_limits(&self) -> Result<(), ConfigError> {
        let key = "window_management";
        if self.window_management == "static" && self.window_limits.is_empty() {
            let expected = "it needs limits: a list of packets, one for each path".to_owned();
            return Err(out_of_domain(key, &self.window_management, expected));
        }
        if self.window_limits.contains(&0) {
            let given = format!("{:?}", self.window_limits);
            return Err(out_of_domain(key, &given, "a limit is 1 packet at least".to_owned()));
        }
        Ok(())
    }

    /// A window that never lets a first packet out would never grow either.
    fn check_first_window(&self) -> Result<(), ConfigError> {
        let least = if self.strict_window { self.window_unit(IpVersion::V4) } else { ByteCount::new(1) };
        let first = self.first_window(IpVersion::V4);
        if first < least {
            let why = if self.strict_window { "with a strict window the first packet" } else { "it" };
            return Err(out_of_domain("initial_window", &first, format!("{why} needs at least {least}")));
        }
        Ok(())
    }

    fn check_payload(&self) -> Result<(), ConfigError> {
        let Some(payload) = self.payload else { return Ok(()) };
        // A path over IPv6 carries less; there the chunks are made smaller.
        let fits = self.largest_payload(IpVersion::V4);
        if payload > fits {
            let expected = format!("a path with an MTU of {} carries at most {fits} in a chunk", self.mtu);
            return Err(out_of_domain("payload", &payload, expected));
        }
        Ok(())
    }
}

fn out_of_domain(key: &'static str, value: &impl ToString, expected: String) -> ConfigError {
    ConfigError { key, value: value.to_string(), expected }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Encapsulation, InitialWindow};

    #[test]
    fn a_setting_outside_its_domain_is_named_with_both_numbers() {
        let config = Config { payload: Some(ByteCount::new(1453)), ..Config::rfc9260() };
        let error = config.check().expect_err("does not fit");
        assert_eq!(
            error.to_string(),
            "payload is 1453 B, but a path with an MTU of 1500 B carries at most 1444 B in a chunk"
        );
        let config = Config { receive_buffer: ByteCount::new(1499), ..Config::rfc9260() };
        assert_eq!(
            config.check().expect_err("too small").to_string(),
            "receive_buffer is 1499, but it may be 1500 to 4294967295"
        );
        let config = Config { unit: Unit::Bytes(ByteCount::ZERO), ..Config::rfc9260() };
        assert_eq!(
            config.check().expect_err("a window that never opens").to_string(),
            "unit is 0, but it may be 1 to 65535"
        );
    }

    #[test]
    fn static_limits_are_given_and_let_each_path_send() {
        let with = |limits: &[u32]| Config {
            window_management: "static".to_owned(),
            window_limits: limits.to_vec(),
            ..Config::rfc9260()
        };
        let told = |config: Config| config.check().map_err(|error| error.to_string());
        let none = "window_management is static, but it needs limits: a list of packets, one for each path";
        assert_eq!(told(with(&[])), Err(none.to_owned()));
        let zero = "window_management is [7, 0], but a limit is 1 packet at least";
        assert_eq!(told(with(&[7, 0])), Err(zero.to_owned()));
        assert_eq!(told(with(&[7, 1])), Ok(()));
    }

    #[test]
    fn a_first_window_lets_a_packet_out() {
        let first = |bytes| Config {
            initial_window: InitialWindow::Bytes(ByteCount::new(bytes)),
            encapsulation: Encapsulation::None,
            ..Config::rfc9260()
        };
        let strict = |bytes| Config { strict_window: true, ..first(bytes) };
        let told = |config: Config| config.check().map_err(|error| error.to_string());
        assert_eq!(told(first(0)), Err("initial_window is 0 B, but it needs at least 1 B".to_owned()));
        assert_eq!(told(first(1)), Ok(()), "a packet may pass the window that was open before it");
        assert_eq!(
            told(strict(1467)),
            Err("initial_window is 1467 B, but with a strict window the first packet needs at least 1468 B"
                .to_owned())
        );
        assert_eq!(told(strict(1468)), Ok(()));
    }
}
