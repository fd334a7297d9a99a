//! Values in the notation of scripts.

use std::fmt::{Display, Formatter, Result};

use super::{Content, Item, Node, SctpPacket, Value};

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Value::Any => f.write_str("..."),
            Value::Number(number) => write!(f, "{number}"),
            Value::Text(text) => write!(f, "\"{text}\""),
            Value::Name(name) => f.write_str(name),
            Value::Or(parts) => list(f, parts, "|"),
            Value::Range(from, to) => write!(f, "{from}:{to}"),
            Value::List(values) => {
                f.write_str("[")?;
                list(f, values, ", ")?;
                f.write_str("]")
            }
            Value::Struct(items) => {
                f.write_str("{")?;
                list(f, items, ", ")?;
                f.write_str("}")
            }
            Value::Node(node) => node.fmt(f),
            Value::Apply(name, arguments) => {
                write!(f, "{name}(")?;
                list(f, arguments, ", ")?;
                f.write_str(")")
            }
        }
    }
}

impl Display for Node {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}[", self.name)?;
        list(f, &self.items, ", ")?;
        f.write_str("]")
    }
}

impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if let Some(name) = &self.name {
            write!(f, "{name}=")?;
        }
        self.value.fmt(f)
    }
}

impl Display for SctpPacket {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.tag {
            Some(tag) => write!(f, "sctp(tag={tag}): ")?,
            None => f.write_str("sctp: ")?,
        }
        match &self.content {
            Content::Chunks(chunks) => list(f, chunks, "; "),
            Content::Bytes(bytes) => write!(f, "{bytes:#04x?}"),
        }
    }
}

fn list<T: Display>(f: &mut Formatter<'_>, values: &[T], between: &str) -> Result {
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            f.write_str(between)?;
        }
        value.fmt(f)?;
    }
    Ok(())
}
