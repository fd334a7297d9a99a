//! The lists of a scenario's own settings: run, paths, events, flows, traffic, TCP, and those of an association beyond
//! its protocol. The settings of links and of the protocol are listed in their crates. Adding a setting is adding its
//! entry.

mod association;
mod event;
mod flow;
mod link;
mod path;
mod radio;
mod run;
mod sctp;
mod tcp;
mod traffic;

pub(crate) use association::AssociationSetting;
pub(crate) use event::{CHANGES, EVENT};
pub(crate) use flow::{FLOW, STAGGER, unnamed};
pub(crate) use link::LINK;
pub(crate) use path::{MOST_COPIES, PATH, PathOptions};
pub(crate) use radio::RADIO;
pub(crate) use run::RUN;
pub(crate) use sctp::{OWN_SETTINGS, defaults, has_rule, use_ipcc};
pub(crate) use tcp::{CUBIC, TCP, TCP_HEADER};
pub(crate) use traffic::TRAFFIC;

pub(crate) const SCTP_HEADER: &str = "[flow.sctp]";

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_base::setting::Setting;

    fn meanings<T>(settings: &[Setting<T>]) -> Vec<&'static str> {
        settings.iter().map(|setting| setting.doc).collect()
    }

    #[test]
    fn every_setting_has_a_meaning_that_a_row_of_a_table_can_hold() {
        let own = OWN_SETTINGS.iter().map(|(_, setting)| setting.doc);
        let tables = [
            meanings(&RUN),
            meanings(&LINK),
            meanings(&PATH),
            meanings(&RADIO),
            meanings(&EVENT),
            meanings(&FLOW),
            meanings(&TCP),
        ];
        let all = tables.concat().into_iter().chain(own).chain([STAGGER.doc]);
        for doc in all {
            assert!(!doc.is_empty() && !doc.contains('|'), "{doc:?}");
        }
    }
}
