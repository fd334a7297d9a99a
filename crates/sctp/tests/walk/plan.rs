//! The walks that seeds stand for.

use std::borrow::Cow;

use anabranch_sctp::config::{BufferSplit, Coupling, StreamScheduler};
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;
use anabranch_sctp::policy::ns2::Ns2;

use super::{Dice, MarkSetting, Operation, Setting};
use crate::pair::{End, Variant};

/// The walk that a seed stands for.
pub(crate) fn plan(seed: u64) -> (Setting, Vec<Operation>) {
    plan_with(Variant::STANDARD, seed)
}

/// The same with any policy of the variant.
pub(crate) fn plan_with(variant: Variant, seed: u64) -> (Setting, Vec<Operation>) {
    let mut dice = Dice::of(seed);
    let registry = (variant.registry)();
    let pipes = dice.one_of(&[1, 1, 2, 2, 2, 3]);
    let setting = Setting {
        seed,
        pipes,
        delays_ms: (0..pipes).map(|_| dice.one_of(&[1, 5, 20, 80, 200])).collect(),
        profile: dice.one_of(&["rfc9260", "rfc4960", "rfc2960", "tuned-1"]),
        scheduler: dice.one_of(&names(registry.schedulers.names())),
        retransmission: match dice.below(4) {
            0 => Cow::Borrowed(""),
            _ => dice.one_of(&names(registry.retransmission_policies.names())),
        },
        cmt: subset_of_cmt(dice.one_of(&[0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 7, 7, 15, 8, 23, 31, 39, 39])),
        variant,
        ack_timing: match dice.below(4) {
            0 => dice.one_of(&names(registry.ack_timings.names())),
            _ => Cow::Borrowed(""),
        },
        buffer_split: dice.one_of(&SPLITS),
        window_management: match dice.below(2) {
            0 => Cow::Borrowed("none"),
            _ => dice.one_of(&names(registry.window_limits.names())),
        },
        window_limits: (0..pipes).map(|_| dice.one_of(&[1, 2, 7, 40])).collect(),
        second_level: None,
        has_new_gaps: false,
        receive_buffer: dice.one_of(&[1500, 3000, 6000, 20_000, 65_536, 1 << 20]),
        send_buffer: dice.one_of(&[2000, 20_000, 200_000, 1 << 20]),
        mtu: dice.one_of(&[576, 1280, 1500, 1500, 9000]),
        potentially_failed: dice.one_of(&[0, 0, 1, 1, 3, 9]),
        quick: dice.one_of(&[false, true]),
        marks: MarkSetting::NONE,
        congestion: "reno",
        coupled: Coupling::Off,
        partial: false,
        interleaving: false,
        streams: StreamScheduler::FirstCome,
        firm: false,
        readable: false,
        in_parts: false,
        reconfigures: false,
    };
    let count = 5 + dice.below(60) as usize;
    let operations = (0..count).map(|_| operation(&mut dice, pipes)).collect();
    (setting, operations)
}

/// The same operations, and changes of streams between them.
pub(crate) fn with_resets(seed: u64, operations: Vec<Operation>) -> Vec<Operation> {
    let mut dice = Dice::of(seed ^ 0x6525);
    let mut changed = Vec::with_capacity(2 * operations.len());
    for operation in operations {
        changed.push(operation);
        let end = dice.one_of(&[End::A, End::Z]);
        let streams = dice.one_of(&[None, Some((0, 0)), Some((0, 1)), Some((1, 15)), Some((2, 2))]);
        match dice.below(20) {
            0..7 => changed.push(Operation::Reset(end, streams)),
            7..10 => changed.push(Operation::ResetOther(end, streams)),
            10 => changed.push(Operation::ResetAll(end)),
            11 => changed.push(Operation::Add(end, dice.one_of(&[1, 5]), dice.one_of(&[0, 3]))),
            _ => {}
        }
    }
    changed
}

/// Any operation.
fn operation(dice: &mut Dice, pipes: usize) -> Operation {
    let end = dice.one_of(&[End::A, End::Z]);
    let pipe = dice.below(pipes as u64) as usize;
    match dice.below(100) {
        0..3 => Operation::Burst {
            end,
            stream: dice.one_of(&[0, 0, 1]),
            count: dice.one_of(&[60, 500, 3_000]),
            length: dice.one_of(&[1, 3, 17, 64, 255, 256]),
        },
        3..40 => Operation::Send {
            end,
            stream: dice.one_of(&[0, 0, 1, 2, 15, 16]),
            unordered: dice.below(4) == 0,
            length: dice.one_of(&[1, 3, 100, 1000, 1452, 3000, 20_000, 100_000]),
        },
        40..55 => Operation::Receive(end),
        55..80 => Operation::Run { milliseconds: dice.one_of(&[1, 10, 50, 200, 1000, 5000, 30_000]) },
        80..84 => Operation::Cut(pipe),
        84..87 => Operation::Heal(pipe),
        87 => Operation::Leave(end, pipe),
        88..90 => Operation::Return(end, pipe),
        90..97 => Operation::Fortune {
            loss: dice.one_of(&[0, 0, 10, 50, 200]),
            duplication: dice.one_of(&[0, 0, 50]),
            corruption: dice.one_of(&[0, 0, 50]),
            jitter_ms: dice.one_of(&[0, 0, 5, 50]),
        },
        97..99 => Operation::Close(end),
        _ if dice.below(3) == 0 => Operation::Abort(end),
        _ => Operation::Receive(end),
    }
}

/// Registered names.
fn names<'a>(known: impl Iterator<Item = &'a str>) -> Vec<Cow<'static, str>> {
    known.map(|name| Cow::Owned(name.to_owned())).collect()
}

/// The CMT rules that the three low bits stand for. The others switch rules of ns-2's module on, its recovery alone or all
/// that leave the counters as they are, or the detection of losses by the order of departures, without and with time.
fn subset_of_cmt(subset: u64) -> CmtRules {
    CmtRules {
        split_fast_retransmit: subset & 1 != 0,
        window_update: subset & 2 != 0,
        delayed_ack: subset & 4 != 0,
        by_departure: subset / 8 >= 3,
        by_time: subset / 8 == 4,
        ns2: match subset / 8 {
            0 | 3 | 4 => Ns2::NONE,
            1 => Ns2::RECOVERY,
            _ => Ns2::of_numbers(&[1, 2, 3, 4, 5, 6, 7]),
        },
    }
}

const SPLITS: [BufferSplit; 6] = [
    BufferSplit::None,
    BufferSplit::Sender,
    BufferSplit::Receiver,
    BufferSplit::Both,
    BufferSplit::ReceiverFlight,
    BufferSplit::BothFlight,
];
