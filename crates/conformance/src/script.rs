//! A script as values: what is done, what is expected, and when. `script/` reads it from text.

mod conditional;
mod event;
mod lex;
mod print;
mod value;

use std::net::IpAddr;

use anabranch_base::Duration;

pub use conditional::Symbols;

/// A script that was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Script {
    /// The options at its head: `--tolerance_usecs=75000`.
    pub(crate) options: Vec<ScriptOption>,
    /// The events, in order.
    pub(crate) events: Vec<ScriptEvent>,
}

/// An option at the head of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScriptOption {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The name, without dashes.
    pub(crate) name: String,
    /// The text after `=`, without quotes.
    pub(crate) value: String,
}

/// One event of a script.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScriptEvent {
    /// The line on which it begins, from 1.
    pub(crate) line: usize,
    /// When it happens.
    pub(crate) when: When,
    /// The action.
    pub(crate) action: Action,
}

/// When an event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// This long after the start of the script.
    At(Duration),
    /// This long after the event before it.
    After(Duration),
    /// Between two times after the start of the script.
    Between(Duration, Duration),
    /// Between two times after the event before it.
    AfterBetween(Duration, Duration),
    /// At any time.
    Any,
}

/// The action of an event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// A call of the socket interface.
    Call(Call),
    /// A packet of the peer, which is injected.
    Inject(Packet),
    /// A packet that is expected from the machine under test.
    Expect(Packet),
    /// No packet of the machine, up to this time: `> nothing`.
    Quiet,
    /// A command of the shell, in which `sysctl` is understood.
    Command(String),
    /// An event of a path: `[0] down`.
    Path(usize, PathEvent),
}

/// A change of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathEvent {
    /// The host loses the local address of the path.
    Down,
    /// The host gains the local address of the path, again or for the first time.
    Up,
}

/// A call of the socket interface, and its result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    /// The function.
    pub(crate) name: String,
    /// The arguments, those that the call fills included.
    pub(crate) arguments: Vec<Value>,
    /// The time at which a call that blocks returns, on the clock of the event's own time.
    pub(crate) returns: Option<Duration>,
    /// The result; `None` for `= ...` and for calls without one.
    pub(crate) result: Option<Value>,
    /// The name of the error: `EINPROGRESS`.
    pub(crate) error: Option<String>,
}

/// A packet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Packet {
    /// The path of the dialect: `< [1] sctp: …`.
    pub(crate) path: Option<usize>,
    /// The source and destination address, if the script names them.
    pub(crate) addresses: Option<(IpAddr, IpAddr)>,
    /// The ECN codepoint, if the script names it.
    pub(crate) ecn: Option<anabranch_base::Ecn>,
    /// The content.
    pub(crate) body: Body,
}

/// The content of a packet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    /// An SCTP packet.
    Sctp(SctpPacket),
    /// An ICMP message that quotes a packet of the machine under test.
    Icmp(Icmp),
}

/// An SCTP packet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SctpPacket {
    /// The verification tag, as the script counts tags, if it names one.
    pub(crate) tag: Option<u32>,
    /// The treatment of the checksum.
    pub(crate) checksum: Checksum,
    /// The chunks.
    pub(crate) content: Content,
}

/// The checksum of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Checksum {
    /// The CRC32c.
    #[default]
    Right,
    /// Not the CRC32c.
    Bad,
    /// Zero (RFC 9653).
    Zero,
}

/// The chunks of a packet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    /// Chunks by name.
    Chunks(Vec<Node>),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// An ICMP message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Icmp {
    /// The type by name: `unreachable`.
    pub(crate) kind: String,
    /// The code by name: `frag_needed`.
    pub(crate) code: String,
    /// The next-hop MTU.
    pub(crate) mtu: Option<u64>,
}

/// A value in a call or a field of a packet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// `...`: anything.
    Any,
    /// A number.
    Number(i64),
    /// `"text"`.
    Text(String),
    /// A symbol or the letters of flags: `AF_INET`, `BE`.
    Name(String),
    /// `A|B`.
    Or(Vec<Value>),
    /// `2:3`.
    Range(i64, i64),
    /// `[1, 2]`.
    List(Vec<Value>),
    /// `{a=1, b=2}`, or `{1, 2}` with items without names.
    Struct(Vec<Item>),
    /// `NAME[len=4]`: a chunk, a parameter or a cause.
    Node(Node),
    /// `htonl(1)`.
    Apply(String, Vec<Value>),
}

/// A named list of items: a chunk, a parameter or a cause.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    /// The name.
    pub(crate) name: String,
    /// The fields, and the nodes inside it, in order.
    pub(crate) items: Vec<Item>,
}

/// An item of a [`Node`] or of a [`Value::Struct`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    /// The name before `=`.
    pub(crate) name: Option<String>,
    /// The value.
    pub(crate) value: Value,
}

/// The reason for which a script cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}: {what}")]
pub(crate) struct ScriptError {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The error.
    pub(crate) what: String,
}

impl Node {
    /// The value of the field `name`.
    pub(crate) fn field(&self, name: &str) -> Option<&Value> {
        self.items.iter().find(|item| item.name.as_deref() == Some(name)).map(|item| &item.value)
    }
}

impl Script {
    /// Reads a script from `text`, of which `symbols` select the conditional parts.
    ///
    /// # Errors
    ///
    /// The first line that is not part of the language.
    pub(crate) fn read(text: &str, symbols: &Symbols) -> Result<Script, ScriptError> {
        let kept = conditional::keep(text, symbols)?;
        let (options, body) = event::take_options(&kept);
        let tokens = lex::tokens(&body)?;
        let events = event::Events::new(&tokens).read_all()?;
        Ok(Script { options, events })
    }
}
