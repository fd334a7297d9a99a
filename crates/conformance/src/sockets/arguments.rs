//! The arguments of a call, by position.

use std::net::SocketAddr;

use super::CallFault;
use super::symbols::number;
use crate::machine::PORT;
use crate::script::{Item, Value};

/// The arguments of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arguments<'a>(pub(crate) &'a [Value]);

impl<'a> Arguments<'a> {
    pub(crate) fn at(self, position: usize) -> Result<&'a Value, CallFault> {
        self.0.get(position).ok_or_else(|| CallFault::Script(format!("argument {} is missing", position + 1)))
    }

    /// The number at `position`.
    pub(crate) fn number(self, position: usize) -> Result<i64, CallFault> {
        let value = self.at(position)?;
        number(value).ok_or_else(|| CallFault::Lacking(format!("a value for `{value}`")))
    }

    /// The text of the symbol at `position`.
    pub(crate) fn symbol(self, position: usize) -> Result<&'a str, CallFault> {
        match self.at(position)? {
            Value::Name(name) => Ok(name),
            other => Err(CallFault::Script(format!("expected a symbol, got `{other}`"))),
        }
    }

    /// The addresses at `position`, which may be one address, a list of them, or `...`: then `unnamed` ones.
    pub(crate) fn addresses(
        self,
        position: usize,
        unnamed: &[SocketAddr],
    ) -> Result<Vec<SocketAddr>, CallFault> {
        addresses(self.at(position)?, unnamed)
    }
}

/// The addresses that `value` names.
fn addresses(value: &Value, unnamed: &[SocketAddr]) -> Result<Vec<SocketAddr>, CallFault> {
    match value {
        Value::Any => Ok(unnamed.to_vec()),
        Value::List(values) => {
            let mut all = Vec::new();
            for value in values {
                all.extend(addresses(value, unnamed)?);
            }
            Ok(all)
        }
        Value::Struct(items) => Ok(vec![address(items)?]),
        other => Err(CallFault::Script(format!("expected an address, got `{other}`"))),
    }
}

/// `{sa_family=AF_INET, sin_port=htons(8080), sin_addr=inet_addr("192.0.2.1")}`
fn address(items: &[Item]) -> Result<SocketAddr, CallFault> {
    let field = |names: [&str; 2]| {
        items
            .iter()
            .find(|item| item.name.as_deref().is_some_and(|name| names.contains(&name)))
            .map(|item| &item.value)
    };
    let text = match field(["sin_addr", "sin6_addr"]) {
        Some(Value::Apply(_, arguments)) => match arguments.as_slice() {
            [Value::Text(text)] | [_, Value::Text(text), ..] => text,
            _ => return Err(CallFault::Script("expected an address in quotes".to_owned())),
        },
        _ => return Err(CallFault::Script("an address needs sin_addr=inet_addr(\"…\")".to_owned())),
    };
    let ip = text.parse().map_err(|_| CallFault::Script(format!("`{text}` is not an address")))?;
    let port = field(["sin_port", "sin6_port"]).and_then(number).and_then(|port| u16::try_from(port).ok());
    Ok(SocketAddr::new(ip, port.unwrap_or(PORT)))
}

/// The number in field `name` of a structure; `None` if it is `...` or missing.
pub(super) fn field(value: &Value, name: &str) -> Option<i64> {
    member(value, name).and_then(number)
}

/// The field `name` of a structure.
pub(super) fn member<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    match value {
        Value::Struct(items) => {
            items.iter().find(|item| item.name.as_deref() == Some(name)).map(|item| &item.value)
        }
        _ => None,
    }
}

/// A structure with these fields.
pub(super) fn structure<N: Into<String>>(fields: impl IntoIterator<Item = (N, Value)>) -> Value {
    let item = |(name, value): (N, Value)| Item { name: Some(name.into()), value };
    Value::Struct(fields.into_iter().map(item).collect())
}

/// A structure of numbers.
pub(super) fn numbers(fields: impl IntoIterator<Item = (&'static str, i64)>) -> Value {
    structure(fields.into_iter().map(|(name, number)| (name, Value::Number(number))))
}

/// An address as a structure, with the SCTP port: those of UDP are below.
pub(super) fn socket_address(address: SocketAddr) -> Value {
    let text = Value::Text(address.ip().to_string());
    let port = Value::Number(PORT.into());
    match address {
        SocketAddr::V4(_) => structure([
            ("sa_family", Value::Name("AF_INET".to_owned())),
            ("sin_port", Value::Apply("htons".to_owned(), vec![port])),
            ("sin_addr", Value::Apply("inet_addr".to_owned(), vec![text])),
        ]),
        SocketAddr::V6(_) => structure([
            ("sa_family", Value::Name("AF_INET6".to_owned())),
            ("sin6_port", Value::Apply("htons".to_owned(), vec![port])),
            ("sin6_addr", Value::Apply("inet_pton".to_owned(), vec![text])),
        ]),
    }
}

/// The number at `position`, if the script names one.
pub(super) fn number_argument(arguments: Arguments<'_>, position: usize) -> Option<i64> {
    arguments.0.get(position).and_then(number)
}
