//! The remedies that a diagnosis advises, as options of the command line.

use anabranch_diagnose::Remedy;

/// A remedy as an option of the command line.
pub(crate) fn option(remedy: &Remedy) -> String {
    match remedy {
        // Without blanks, so that a shell takes it as one word.
        Remedy::Set { key, value } => format!("--set sctp.{key}={}", value.replace(' ', "")),
        Remedy::MeasureFor(time) => format!("-t {}", time.as_millis() / 1_000),
        Remedy::NoRate => "leave out -b".to_owned(),
        Remedy::EachAlone => "--each".to_owned(),
        Remedy::Outside(words) => (*words).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use anabranch_diagnose::{Alone, PathSeen, Transfer, judge};

    use super::*;
    use crate::settings;

    fn path(name: &str, mbps: f64) -> PathSeen {
        PathSeen {
            name: name.to_owned(),
            goodput_bps: mbps * 1e6,
            mean_rtt_s: Some(0.04),
            ..PathSeen::default()
        }
    }

    fn alone(name: &str, mbps: f64) -> Alone {
        Alone { name: name.to_owned(), goodput_bps: mbps * 1e6, path: path(name, mbps) }
    }

    /// Returns the advice where two paths carry half of their sum, and `limit` is the reason for the rest.
    fn advice(scheduler: &str, limit: fn(&mut PathSeen)) -> String {
        let mut paths = vec![path("wifi", 24.0), path("lte", 5.0)];
        paths.iter_mut().for_each(limit);
        let run = Transfer {
            goodput_bps: 29e6,
            receive_buffer_bytes: Some(65_536),
            send_buffer_bytes: Some(65_536),
            scheduler: Some(scheduler.to_owned()),
            paths,
            ..Transfer::default()
        };
        judge(&run, &[alone("wifi", 48.0), alone("lte", 10.0)], option).advice
    }

    #[test]
    fn a_period_of_heartbeats_is_a_setting_of_the_command_line() {
        let remedy = Remedy::Set { key: "failover.heartbeat", value: "10 s".to_owned() };
        let advice = option(&remedy);
        assert_eq!(advice, "--set sctp.failover.heartbeat=10s");
        let change = advice.trim_start_matches("--set ").to_owned();
        let config = settings::with(settings::for_tools(), &[change]).expect("a setting");
        assert_eq!(config.failover.heartbeat, anabranch_base::Duration::from_secs(10));
    }

    #[test]
    fn settings_that_an_advice_names_are_settings_of_the_command_line() {
        let advices = [
            advice("fill", |path| path.rwnd_limited_s = 10.0),
            advice("in-order-arrival", |path| path.rwnd_limited_s = 10.0),
            advice("fill", |path| path.app_limited_s = 10.0),
            advice("primary", |path| path.scheduler_limited_s = 10.0),
            advice("fill", |path| path.scheduler_limited_s = 10.0),
            advice("weighted", |path| path.scheduler_limited_s = 10.0),
            advice("fill", |path| {
                (path.cwnd_limited_s, path.sent_packets, path.retransmitted_chunks) = (10.0, 1_000, 10);
                path.min_rtt_s = path.mean_rtt_s;
            }),
        ];
        let mut named = 0;
        for word in advices.iter().flat_map(|advice| advice.split("--set ").skip(1)) {
            let change: String = word.chars().take_while(|letter| !" ,;:)".contains(*letter)).collect();
            let change = change.trim_end_matches('.').to_owned();
            assert!(settings::with(settings::for_tools(), std::slice::from_ref(&change)).is_ok(), "{change}");
            named += 1;
        }
        assert!(named >= 7, "{advices:#?}");
    }
}
