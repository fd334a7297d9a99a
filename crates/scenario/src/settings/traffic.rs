//! The kinds of traffic that a flow's `traffic = { kind = … }` names, each with its settings.

use anabranch_base::setting::{Kind, Scope, Setting, Variant, put, shown};
use anabranch_base::{BitRate, ByteCount, Duration};

use crate::model::{Messages, Traffic};

pub(crate) static TRAFFIC: [Variant<Traffic>; 4] = [
    Variant {
        name: "bulk",
        what: "bulk traffic",
        doc: "as much as the transport takes; short form: `traffic = \"bulk\"`",
        new: || Traffic::Bulk,
        is: |traffic| matches!(traffic, Traffic::Bulk),
        settings: &[],
        required: &[],
        example: "",
    },
    Variant {
        name: "cbr",
        what: "cbr traffic",
        doc: "messages at even intervals",
        new: || Traffic::Cbr(NONE),
        is: |traffic| matches!(traffic, Traffic::Cbr(_)),
        settings: &MESSAGES,
        required: &["rate", "message"],
        example: "rate = \"8 Mbit/s\", message = \"1316 B\"",
    },
    Variant {
        name: "on-off",
        what: "on-off traffic",
        doc: "even intervals for `on`, nothing for `off`, alternating; never faster than `rate`",
        new: || Traffic::OnOff { messages: NONE, on: Duration::ZERO, off: Duration::ZERO },
        is: |traffic| matches!(traffic, Traffic::OnOff { .. }),
        settings: &ON_OFF,
        required: &["rate", "message", "on", "off"],
        example: "rate = \"8 Mbit/s\", message = \"1316 B\", on = \"200 ms\", off = \"4.8 s\"",
    },
    Variant {
        name: "poisson",
        what: "poisson traffic",
        doc: "exponential times between messages",
        new: || Traffic::Poisson(NONE),
        is: |traffic| matches!(traffic, Traffic::Poisson(_)),
        settings: &MESSAGES,
        required: &["rate", "message"],
        example: "rate = \"8 Mbit/s\", message = \"1316 B\"",
    },
];

/// A placeholder until its settings are set.
const NONE: Messages = Messages { rate: BitRate::from_bits_per_second(0), size: ByteCount::ZERO };

static MESSAGES: [Setting<Traffic>; 2] = [RATE, MESSAGE];
static ON_OFF: [Setting<Traffic>; 4] = [RATE, MESSAGE, ON, OFF];

const RATE: Setting<Traffic> = Setting {
    key: "rate",
    scope: Scope::Scenarios,
    kind: Kind::SOME_RATE,
    doc: "user data a second",
    get: |traffic| traffic.messages().and_then(|messages| shown(&messages.rate)),
    set: |traffic, value| traffic.messages_mut().map_or(Ok(()), |messages| put(&mut messages.rate, value)),
};

/// A datagram of the largest message fits the 65,535 bytes of an IP packet: 28 are the headers of IP and UDP.
const MESSAGE: Setting<Traffic> = Setting {
    key: "message",
    scope: Scope::Scenarios,
    kind: Kind::Size { least: 1, most: 65_000 },
    doc: "user data in each message",
    get: |traffic| traffic.messages().and_then(|messages| shown(&messages.size)),
    set: |traffic, value| traffic.messages_mut().map_or(Ok(()), |messages| put(&mut messages.size, value)),
};

const ON: Setting<Traffic> = Setting {
    key: "on",
    scope: Scope::Scenarios,
    kind: Kind::SOME_SPAN,
    doc: "how long it sends",
    get: |traffic| match traffic {
        Traffic::OnOff { on, .. } => shown(on),
        _ => None,
    },
    set: |traffic, value| match traffic {
        Traffic::OnOff { on, .. } => put(on, value),
        _ => Ok(()),
    },
};

const OFF: Setting<Traffic> = Setting {
    key: "off",
    scope: Scope::Scenarios,
    kind: Kind::ANY_SPAN,
    doc: "how long it does not",
    get: |traffic| match traffic {
        Traffic::OnOff { off, .. } => shown(off),
        _ => None,
    },
    set: |traffic, value| match traffic {
        Traffic::OnOff { off, .. } => put(off, value),
        _ => Ok(()),
    },
};

impl Traffic {
    fn messages(&self) -> Option<&Messages> {
        match self {
            Traffic::Bulk => None,
            Traffic::Cbr(messages) | Traffic::OnOff { messages, .. } | Traffic::Poisson(messages) => {
                Some(messages)
            }
        }
    }

    fn messages_mut(&mut self) -> Option<&mut Messages> {
        match self {
            Traffic::Bulk => None,
            Traffic::Cbr(messages) | Traffic::OnOff { messages, .. } | Traffic::Poisson(messages) => {
                Some(messages)
            }
        }
    }
}
