//! Reads the loss of a link, a number or a table.

use anabranch_link::config::{ChannelSharing, LOSSES, LossConfig, LossKind, PLANNED_LOSSES, loss_settings};

use super::reader::{SettingReader, TableKinds};
use super::value;
use crate::fault::{Fault, Read};
use crate::tree::{Node, TreeValue, quoted};

const KINDS: TableKinds<LossKind> = TableKinds {
    what: "kind of loss",
    table: "a table of losses",
    variants: &LOSSES,
    planned: PLANNED_LOSSES,
};

/// Reads a probability or `{ kind = …, … }`; a loss of probability 0 is the same as none.
pub(crate) fn loss(node: &Node) -> Read<LossConfig> {
    match &node.value {
        TreeValue::Integer(_) | TreeValue::Float(_) => {
            let kind = LossKind::Bernoulli { probability: value::probability(node)? };
            Ok(LossConfig { kind: some(kind), ..LossConfig::NONE })
        }
        TreeValue::Table(table) => {
            let beside: Vec<_> = loss_settings().map(|setting| setting.key).collect();
            let kind = some(SettingReader::PLAIN.variant(&KINDS, &beside, "loss", node)?);
            let mut loss = LossConfig { kind, ..LossConfig::NONE };
            SettingReader::PLAIN.set_all(loss_settings(), table, &mut loss)?;
            Ok(if loss.kind == LossKind::None { LossConfig::NONE } else { loss })
        }
        _ => {
            let fault = value::wrong(node, "a probability or a table");
            Err(fault.help("for example loss = 0.01, or loss = { kind = \"every\", n = 100 }"))
        }
    }
}

/// Like [`loss`], for the reverse direction, where `"same-channel"` is the two-state channel of `forward` without its
/// losses in the good state (M-NET-5).
pub(crate) fn reverse_loss(node: &Node, forward: &LossConfig) -> Read<LossConfig> {
    let TreeValue::Text(word) = &node.value else { return loss(node) };
    if word != SAME_CHANNEL {
        let fault =
            Fault::value(node.span, format!("{} is not a loss of the reverse direction", quoted(word)));
        return Err(fault.expected(format!("a probability, a table, or {SAME_CHANNEL:?}")));
    }
    same_channel(forward).ok_or_else(|| {
        let fault = Fault::value(node.span, "the forward direction has no two-state channel to share");
        fault.expected("a link whose `loss` is of kind \"gilbert-elliott\"")
    })
}

/// The reverse loss on the two-state channel of `forward`, if that has one.
fn same_channel(forward: &LossConfig) -> Option<LossConfig> {
    let LossKind::GilbertElliott { good, bad, loss_bad, .. } = forward.kind else { return None };
    let kind =
        LossKind::GilbertElliott { good, bad, loss_good: 0.0, loss_bad, channel: ChannelSharing::Shared };
    Some(LossConfig { kind, ..forward.clone() })
}

pub(crate) const SAME_CHANNEL: &str = "same-channel";

fn some(kind: LossKind) -> LossKind {
    if kind == (LossKind::Bernoulli { probability: 0.0 }) { LossKind::None } else { kind }
}
