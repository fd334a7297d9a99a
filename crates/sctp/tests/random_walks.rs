//! Anything can happen: lists of random operations and faults against a pair of endpoints. Sent data arrives
//! once, in order of its stream, unchanged, or the failure is reported; memory is bounded; every walk ends.
//!
//! A failure prints its seed and the shortest list of operations that still fails; such lists are kept in
//! `shrunk_walks.rs`. `ANABRANCH_WALKS` says how many walks (2,000 by default, 1,000 with copies), `ANABRANCH_WALK`
//! names one.

mod pair;
mod walk;

use std::borrow::Cow;

use anabranch_sctp::config::{Coupling, EcnUse, StreamScheduler};
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;
use pair::Middlebox;
use walk::many::take_all;
use walk::{MarkSetting, Setting, plan, with_resets};

#[test]
fn whatever_happens_messages_arrive_once_and_in_order_or_the_failure_is_reported() {
    take_all(2_000, plan);
}

/// The same where chunks leave out of order, and copies of those in flight on other paths.
#[test]
fn whatever_happens_to_copies_messages_arrive_once_and_in_order_or_the_failure_is_reported() {
    take_all(1_000, |seed| {
        let (setting, operations) = plan(seed);
        let [scheduler, retransmission] = ["copying", "both"].map(Cow::Borrowed);
        let cmt = if seed % 2 == 0 { CmtRules::BY_DEPARTURE } else { setting.cmt };
        (Setting { scheduler, retransmission, cmt, ..setting }, operations)
    });
}

/// The same where queues mark packets, and where they mark packets of a peer whose marks do not come back.
#[test]
fn whatever_is_marked_messages_arrive_once_and_in_order_or_the_failure_is_reported() {
    take_all(1_000, |seed| {
        let (setting, operations) = plan(seed);
        let ecn = if seed % 2 == 0 { EcnUse::Echo } else { EcnUse::Cwr };
        let middlebox = [Middlebox::None, Middlebox::None, Middlebox::Bleach, Middlebox::Drop];
        let middlebox = middlebox[(seed / 2 % 4) as usize];
        let marking = [10, 200, 1_000][(seed % 3) as usize];
        let marks = MarkSetting { ecn, test: seed % 5 > 1, marking, middlebox };
        (Setting { marks, ..setting }, operations)
    });
}

/// The same under BBR, with queues that mark packets in every second walk.
#[test]
fn whatever_happens_under_bbr_messages_arrive_once_and_in_order_or_the_failure_is_reported() {
    take_all(1_000, |seed| {
        let (setting, operations) = plan(seed);
        let ecn = if seed % 2 == 0 { EcnUse::Off } else { EcnUse::Echo };
        let marks = MarkSetting { ecn, marking: 100, ..MarkSetting::NONE };
        (Setting { marks, congestion: "bbr", ..setting }, operations)
    });
}

/// The same with windows that grow together, under CUBIC, and where losses at an empty queue cut nothing.
#[test]
fn whatever_happens_to_coupled_windows_messages_arrive_once_and_in_order_or_the_failure_is_reported() {
    take_all(1_000, |seed| {
        let (setting, operations) = plan(seed);
        let (off, auto) = (Coupling::Off, Coupling::Auto);
        let together = ["lia", "cubic"].map(|control| (control, off));
        let found = [("reno", auto), ("cubic", auto), ("westwood", off), ("westwood", auto), ("bbr", auto)];
        let (congestion, coupled) = [&together[..], &found].concat()[(seed % 7) as usize];
        let ecn = if seed % 2 == 0 { EcnUse::Off } else { EcnUse::Echo };
        let marks = MarkSetting { ecn, marking: 100, ..MarkSetting::NONE };
        (Setting { marks, congestion, coupled, ..setting }, operations)
    });
}

/// The same where messages may be given up: what was not given up arrives once, in order, unchanged.
#[test]
fn whatever_is_given_up_other_messages_arrive_once_and_in_order_or_the_failure_is_reported() {
    take_all(2_000, |seed| {
        let (setting, operations) = plan(seed);
        (Setting { partial: true, ..setting }, operations)
    });
}

/// The same where messages of several streams are interleaved, in turns, by priority or by weight.
#[test]
fn whatever_is_interleaved_messages_arrive_once_and_in_order_or_the_failure_is_reported() {
    take_all(2_000, |seed| {
        let (setting, operations) = plan(seed);
        let interleaving = seed % 4 != 3;
        let streams = SCHEDULERS[(seed / 4) as usize % SCHEDULERS.len()];
        (Setting { interleaving, streams, partial: seed % 2 == 0, ..setting }, operations)
    });
}

/// The same where NR-SACKs free the send buffer early, with and without messages that may be given up.
#[test]
fn whatever_is_acknowledged_for_good_messages_arrive_once_and_in_order_or_the_failure_is_reported() {
    take_all(2_000, |seed| {
        let (setting, operations) = plan(seed);
        (Setting { firm: true, readable: seed % 3 == 0, partial: seed % 4 == 0, ..setting }, operations)
    });
}

/// The same where messages may be larger than the receive buffer and are received in parts, in every other way.
#[test]
fn whatever_is_received_in_parts_messages_arrive_once_and_in_order_or_the_failure_is_reported() {
    take_all(3_000, |seed| {
        let (setting, operations) = plan(seed);
        let setting = Setting {
            in_parts: true,
            interleaving: seed % 2 == 0,
            streams: SCHEDULERS[(seed / 4) as usize % SCHEDULERS.len()],
            partial: seed % 3 == 0,
            firm: seed % 5 == 0,
            readable: seed % 10 == 0,
            reconfigures: seed % 7 < 2,
            ..setting
        };
        let operations = if setting.reconfigures { with_resets(seed, operations) } else { operations };
        (setting, operations)
    });
}

/// The same where streams are reset and added: messages after a reset arrive once, in order, behind those before it.
#[test]
fn whatever_is_reset_messages_arrive_once_and_in_order_or_the_failure_is_reported() {
    take_all(2_000, |seed| {
        let (setting, operations) = plan(seed);
        let setting = Setting { reconfigures: true, partial: seed.is_multiple_of(4), ..setting };
        (setting, with_resets(seed, operations))
    });
}

/// The same with every extension of user data at once.
#[test]
fn whatever_is_extended_messages_arrive_once_and_in_order_or_the_failure_is_reported() {
    take_all(2_000, |seed| {
        let (setting, operations) = plan(seed);
        let streams = SCHEDULERS[seed as usize % SCHEDULERS.len()];
        let setting = Setting { interleaving: true, streams, partial: true, firm: true, ..setting };
        let in_parts = seed.is_multiple_of(2);
        let readable = seed.is_multiple_of(3);
        (Setting { reconfigures: true, in_parts, readable, ..setting }, with_resets(seed, operations))
    });
}

const SCHEDULERS: [StreamScheduler; 6] = [
    StreamScheduler::FirstCome,
    StreamScheduler::RoundRobin,
    StreamScheduler::RoundRobinPacket,
    StreamScheduler::Priority,
    StreamScheduler::FairBandwidth,
    StreamScheduler::WeightedFair,
];
