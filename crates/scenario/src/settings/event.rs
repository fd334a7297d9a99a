//! `[[event]]`: a change of a link or a node.

use anabranch_base::field;
use anabranch_base::setting::{Kind, Named, Refusal, Scope, Settable, Setting, Value, put, shaped, shown};
use anabranch_link::config::{Change, Delay, MTU, Rate, mtu_of, mtu_value};

use crate::model::{Direction, Event};

pub(crate) static EVENT: [Setting<Event>; 9] = [
    field!(at, Scenarios, Kind::ANY_SPAN, "when"),
    shaped("link", "a name", "the link; of a copied one all copies, `NAME-3` one of them"),
    shaped("node", "a name", "the node, instead of a `link`; takes only a `state`"),
    Setting {
        key: "state",
        scope: Scope::Scenarios,
        kind: LinkState::KIND,
        doc: "link or node works from then on, or not",
        get: |event| match &event.change {
            Change::Up => shown(&LinkState::Up),
            Change::Down => shown(&LinkState::Down),
            _ => None,
        },
        set: |event, value| {
            let mut state = LinkState::Up;
            put(&mut state, value)?;
            event.change = if state == LinkState::Up { Change::Up } else { Change::Down };
            Ok(())
        },
    },
    Setting {
        key: "rate",
        scope: Scope::Scenarios,
        kind: Kind::ANY_RATE,
        doc: "new rate",
        get: |event| match &event.change {
            Change::Rate(Rate::Fixed(rate)) => shown(rate),
            _ => None,
        },
        set: |event, value| set_change(event, value, |rate| Change::Rate(Rate::Fixed(rate))),
    },
    Setting {
        key: "delay",
        scope: Scope::Scenarios,
        kind: Kind::ANY_SPAN,
        doc: "new delay",
        get: |event| match &event.change {
            Change::Delay(Delay::Fixed(delay)) => shown(delay),
            _ => None,
        },
        set: |event, value| set_change(event, value, |delay| Change::Delay(Delay::Fixed(delay))),
    },
    shaped("loss", "a loss probability per packet, or a table", "new loss rule"),
    Setting {
        key: "mtu",
        scope: Scope::Scenarios,
        kind: MTU,
        doc: "new MTU",
        get: |event| match &event.change {
            Change::Mtu(mtu) => Some(mtu_value(*mtu)),
            _ => None,
        },
        set: |event, value| {
            event.change = Change::Mtu(mtu_of(value));
            Ok(())
        },
    },
    field!(direction, Scenarios, Direction::KIND, "direction of the link"),
];

/// The keys that change something; an event has one of them.
pub(crate) const CHANGES: [&str; 5] = ["state", "rate", "delay", "loss", "mtu"];

fn set_change<S: Settable + Default>(
    event: &mut Event,
    value: Value,
    change: fn(S) -> Change,
) -> Result<(), Refusal> {
    let mut field = S::default();
    put(&mut field, value)?;
    event.change = change(field);
    Ok(())
}

/// The state that an event gives a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkState {
    Up,
    Down,
}

impl Named for LinkState {
    const WHAT: &'static str = "state of a link";
    const NAMES: &'static [(&'static str, LinkState)] = &[("up", LinkState::Up), ("down", LinkState::Down)];
}

impl Named for Direction {
    const WHAT: &'static str = "direction";
    const NAMES: &'static [(&'static str, Direction)] =
        &[("forward", Direction::Forward), ("reverse", Direction::Reverse), ("both", Direction::Both)];
}
