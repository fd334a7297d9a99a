//! Checks settings: each against the bounds of its entry in the table, and settings that depend on each other
//! together.

use anabranch_base::setting::{Kind, Value};
use anabranch_base::{ByteCount, Seed};

use super::settings::{LONGEST_SACK_DELAY, settings};
use super::{Config, ConfigError, IpVersion, Unit};
use crate::policy::loss_detection::cmt::CmtRules;
use crate::policy::registry::Registry;

impl Config {
    /// Checks that every setting is within its domain.
    ///
    /// # Errors
    /// The first setting outside its domain, with the allowed values.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_bounds()?;
        self.check_timing()?;
        self.check_growth()?;
        self.check_order()?;
        self.check_limits()?;
        self.check_first_window()?;
        self.check_payload()
    }

    /// Checks the settings against the requirements in the registry entries of the policies that they name.
    ///
    /// # Errors
    /// The first setting that a policy does not allow. An unregistered name is not an error here.
    pub fn check_policies(&self, registry: &Registry) -> Result<(), ConfigError> {
        let rules = self.rules(Seed::from_number(0));
        registry.loss_detections.check(&self.loss_detection, &rules)?;
        registry.congestion_controls.check(&self.congestion_control, &rules)?;
        registry.slow_starts.check(&self.slow_start, &rules)?;
        registry.window_limits.check(&self.window_management, &rules)?;
        registry.loss_responses.check(&self.loss_response, &rules)?;
        registry.retransmission_policies.check(&self.retransmission, &rules)?;
        registry.retransmission_policies.check(&self.fast_retransmission, &rules)?;
        registry.schedulers.check(&self.scheduler, &rules)?;
        registry.ack_timings.check(self.sack_timing(), &rules)?;
        registry.sack_contents.check(&self.sack_content, &rules)?;
        registry.flow_controls.check(self.flow_control(), &rules)
    }

    /// Checks each number against its own bounds.
    fn check_bounds(&self) -> Result<(), ConfigError> {
        for setting in settings() {
            let Some(value) = (setting.get)(self) else { continue };
            if let Some((value, expected)) = out_of_bounds(setting.kind, &value) {
                return Err(ConfigError { key: setting.key, value, expected });
            }
        }
        let unit = match self.unit {
            Unit::Bytes(bytes) => bytes,
            Unit::Mtu | Unit::Pmdcs | Unit::FullChunk => self.mtu,
        };
        let beyond_the_table = [
            ("unit", unit.get()),
            ("streams.outbound", u64::from(self.outbound_streams)),
            ("streams.inbound", u64::from(self.inbound_streams)),
            ("streams.most", u64::from(self.most_streams)),
        ];
        for (key, value) in beyond_the_table {
            if !(1..=65_535).contains(&value) {
                return Err(ConfigError::new(key, &value, "1 to 65535".to_owned()));
            }
        }
        Ok(())
    }

    fn check_timing(&self) -> Result<(), ConfigError> {
        if self.sack.delay > LONGEST_SACK_DELAY {
            let expected = format!("at most {LONGEST_SACK_DELAY} (RFC 9260 §6.2)");
            return Err(ConfigError::new("sack.delay", &self.sack.delay, expected));
        }
        let (min, initial, max) =
            (("rto.min", self.rto.min), ("rto.initial", self.rto.initial), ("rto.max", self.rto.max));
        for ((lower, least), (upper, most)) in [(min, max), (min, initial), (initial, max)] {
            if least > most {
                return Err(ConfigError::new(lower, &least, format!("at most {upper}, which is {most}")));
            }
        }
        Ok(())
    }

    /// Loss detection by the order of departures needs CMT's rules as they are: none may be switched off or replaced.
    fn check_order(&self) -> Result<(), ConfigError> {
        if self.cmt.by_departure && ![CmtRules::BY_DEPARTURE, CmtRules::BY_TIME].contains(&self.cmt) {
            let expected = "tsn where a rule of cmt is false, or as in ns-2".to_owned();
            let order = if self.cmt.by_time { "time" } else { "departure" };
            return Err(ConfigError::new("cmt.order", &order, expected));
        }
        Ok(())
    }

    /// A buffer grows and never shrinks, so its limit is at least its first size. The entry bounds the limit from
    /// above.
    fn check_growth(&self) -> Result<(), ConfigError> {
        let Some(growth) = self.receive_growth else { return Ok(()) };
        if self.has_two_levels() {
            let expected = "none where the buffer has two levels".to_owned();
            return Err(ConfigError::new("receive_buffer.limit", &growth.limit, expected));
        }
        if growth.limit < self.receive_buffer {
            let expected = format!("at least {}, with which it begins", self.receive_buffer);
            return Err(ConfigError::new("receive_buffer.limit", &growth.limit, expected));
        }
        Ok(())
    }

    /// Window limits must allow each path to send.
    fn check_limits(&self) -> Result<(), ConfigError> {
        if self.window_limits.contains(&0) {
            let given = format!("{:?}", self.window_limits);
            Err(ConfigError::new("window_management", &given, "limits of at least 1 packet".to_owned()))
        } else {
            Ok(())
        }
    }

    /// A window that never allows a first packet would never grow.
    fn check_first_window(&self) -> Result<(), ConfigError> {
        let least = if self.strict_window { self.window_unit(IpVersion::V4) } else { ByteCount::new(1) };
        let first = self.first_window(IpVersion::V4);
        if first < least {
            let why = if self.strict_window { ", the first packet, as the window is strict" } else { "" };
            return Err(ConfigError::new("initial_window", &first, format!("at least {least}{why}")));
        }
        Ok(())
    }

    fn check_payload(&self) -> Result<(), ConfigError> {
        let Some(payload) = self.payload else { return Ok(()) };
        // A path over IPv6 carries less user data in a chunk; its chunks are cut smaller.
        let fits = self.largest_payload(IpVersion::V4);
        if payload > fits {
            let expected = format!("at most {fits}, which fits a chunk with an MTU of {}", self.mtu);
            return Err(ConfigError::new("payload", &payload, expected));
        }
        Ok(())
    }
}

/// A value outside the bounds of its kind, and those bounds.
fn out_of_bounds(kind: Kind, value: &Value) -> Option<(String, String)> {
    let outside = |number: u64, least: u64, most: u64| !(least..=most).contains(&number);
    match (kind, value) {
        (Kind::Whole { least, most }, Value::Whole(number)) if outside(*number, least, most) => {
            Some((number.to_string(), format!("{least} to {most}")))
        }
        (
            Kind::Size { least, most } | Kind::SizeOrRange { least, most },
            Value::Size(size) | Value::Range(size, _),
        ) if outside(size.get(), least, most) => {
            let [least, most] = [least, most].map(ByteCount::new);
            Some((size.to_string(), format!("{least} to {most}")))
        }
        (Kind::Span { least }, Value::Span(span)) if *span < least => {
            Some((span.to_string(), "more than 0 s".to_owned()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Encapsulation, InitialWindow};
    use crate::policy::ns2::Ns2;

    #[test]
    fn a_setting_outside_its_domain_is_named_with_both_numbers() {
        let config = Config { payload: Some(ByteCount::new(1453)), ..Config::rfc9260() };
        let error = config.check().expect_err("does not fit");
        assert_eq!(
            error.to_string(),
            "payload is 1453 B, expected at most 1444 B, which fits a chunk with an MTU of 1500 B"
        );
        let config = Config { receive_buffer: ByteCount::new(1499), ..Config::rfc9260() };
        assert_eq!(
            config.check().expect_err("too small").to_string(),
            "receive_buffer is 1499 B, expected 1500 B to 4294967295 B"
        );
        let config = Config { unit: Unit::Bytes(ByteCount::ZERO), ..Config::rfc9260() };
        assert_eq!(
            config.check().expect_err("a window that never opens").to_string(),
            "unit is 0, expected 1 to 65535"
        );
    }

    #[test]
    fn the_order_of_departures_goes_with_all_rules_of_cmt_and_none_of_ns2() {
        let with = |cmt| Config { cmt, ..Config::tuned_2() }.check().map_err(|error| error.to_string());
        assert_eq!(with(CmtRules::BY_DEPARTURE), Ok(()));
        let refused = Err(
            "cmt.order is departure, expected tsn where a rule of cmt is false, or as in ns-2".to_owned()
        );
        assert_eq!(with(CmtRules { window_update: false, ..CmtRules::BY_DEPARTURE }), refused);
        assert_eq!(with(CmtRules { ns2: Ns2::RECOVERY, ..CmtRules::BY_DEPARTURE }), refused);
        assert_eq!(with(CmtRules { window_update: false, ..CmtRules::ALL }), Ok(()));
    }

    #[test]
    fn static_limits_are_given_and_let_each_path_send() {
        let with = |limits: &[u32]| Config {
            window_management: "static".to_owned(),
            window_limits: limits.to_vec(),
            ..Config::rfc9260()
        };
        let told = |config: Config| {
            let checked = config.check().and_then(|()| config.check_policies(&Registry::standard()));
            checked.map_err(|error| error.to_string())
        };
        let none = "window_management is static, expected a list of limits in packets, one for each path";
        assert_eq!(told(with(&[])), Err(none.to_owned()));
        let zero = "window_management is [7, 0], expected limits of at least 1 packet";
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
        assert_eq!(told(first(0)), Err("initial_window is 0 B, expected at least 1 B".to_owned()));
        assert_eq!(told(first(1)), Ok(()), "a packet may pass the window that was open before it");
        assert_eq!(
            told(strict(1467)),
            Err("initial_window is 1467 B, expected at least 1468 B, the first packet, as the window is strict"
                .to_owned())
        );
        assert_eq!(told(strict(1468)), Ok(()));
    }
}
