//! Reads the content of variable length.

use super::{Cursor, Reader};
use crate::packet::form::{Family, Field, Form, Numbering, Tail, plain};
use crate::packet::value::{bytes_value, item};
use crate::script::{Item, Node, Value};

/// The flag B of DATA and I-DATA: the first fragment of a message.
const FIRST_FRAGMENT: u8 = 2;

impl Reader<'_> {
    /// Reads the content after the fields. `flags` are those of a chunk.
    pub(super) fn tail(
        self,
        form: &Form,
        flags: u8,
        cursor: &mut Cursor<'_>,
        items: &mut Vec<Item>,
    ) -> Option<()> {
        match form.tail {
            Tail::Nothing => {}
            Tail::UserData => {
                cursor.rest();
            }
            Tail::PpidOrFsn => {
                let name = if flags & FIRST_FRAGMENT != 0 { "ppid" } else { "fsn" };
                items.push(item(name, self.number(plain("", 4), cursor)?));
                cursor.rest();
            }
            Tail::Bytes(name) => items.push(item(name, bytes_value(cursor.rest()))),
            Tail::Text(name) => items.push(item(name, text(form, cursor.rest()))),
            Tail::Ipv4(name) => {
                let octets = <[u8; 4]>::try_from(cursor.rest()).ok()?;
                items.push(item(name, Value::Text(std::net::Ipv4Addr::from(octets).to_string())));
            }
            Tail::Ipv6(name) => {
                let octets = <[u8; 16]>::try_from(cursor.rest()).ok()?;
                items.push(item(name, Value::Text(std::net::Ipv6Addr::from(octets).to_string())));
            }
            Tail::Nodes(family) => {
                let nodes = self.nodes(family, cursor.rest())?;
                items.extend(nodes.into_iter().map(|node| Item { name: None, value: Value::Node(node) }));
            }
            Tail::NodeList(name, family) => {
                let nodes = self.nodes(family, cursor.rest())?;
                items.push(item(name, Value::List(nodes.into_iter().map(Value::Node).collect())));
            }
            Tail::OneNode(name, family) => items.push(item(name, Value::Node(self.returned(family, cursor)))),
            Tail::Gaps => self.blocks(&["gaps"], cursor, items)?,
            Tail::NrGaps => self.blocks(&["gaps", "nr_gaps"], cursor, items)?,
            Tail::StreamIds(widths) => items.push(item("ids", stream_ids(widths, cursor)?)),
            Tail::Numbers(name, width) => {
                items.push(item(name, self.numbers(plain("", width), None, cursor)?));
            }
            Tail::Counted(name) => {
                let count = cursor.number(4)?;
                items.push(item(name, self.numbers(plain("", 2), Some(count), cursor)?));
            }
            Tail::Optional(_) if cursor.0.is_empty() => {}
            Tail::Optional(fields) => self.fields(fields, cursor, items)?,
        }
        Some(())
    }

    /// A node that the receiver of the packet had sent, perhaps with the padding that followed it.
    fn returned(self, family: Family, cursor: &mut Cursor<'_>) -> Node {
        let bytes = cursor.rest();
        let node =
            super::take_node(bytes).filter(|(_, rest)| rest.is_empty()).map_or(bytes, |(node, _)| node);
        Reader { sender: self.sender.other(), ..self }.node(family, node)
    }

    /// The counts of a SACK or an NR-SACK, the blocks of each of `names`, and the duplicates.
    fn blocks(self, names: &[&str], cursor: &mut Cursor<'_>, items: &mut Vec<Item>) -> Option<()> {
        let counts = names.iter().map(|_| cursor.number(2)).collect::<Option<Vec<u32>>>()?;
        let duplicates = cursor.number(2)?;
        if names.len() > 1 {
            cursor.take(2)?;
        }
        for (name, count) in names.iter().zip(counts) {
            let blocks = (0..count).map(|_| {
                let [from, to] = [cursor.number(2)?, cursor.number(2)?];
                Some(Value::Range(from.into(), to.into()))
            });
            items.push(item(name, Value::List(blocks.collect::<Option<_>>()?)));
        }
        let duplicate = Field { numbering: Numbering::ReceiverTsn, ..plain("", 4) };
        items.push(item("dups", self.numbers(duplicate, Some(duplicates), cursor)?));
        Some(())
    }

    /// `count` numbers like `field`, or all that are left.
    fn numbers(self, field: Field, count: Option<u32>, cursor: &mut Cursor<'_>) -> Option<Value> {
        let mut numbers = Vec::new();
        while count.map_or(!cursor.0.is_empty(), |count| numbers.len() < count as usize) {
            numbers.push(self.number(field, cursor)?);
        }
        Some(Value::List(numbers))
    }
}

/// A text, or bytes if it is none. The zero byte at the end of a host name is not part of it.
fn text(form: &Form, bytes: &[u8]) -> Value {
    let content = match bytes.split_last() {
        Some((0, rest)) if form.name.starts_with("HOSTNAME") => rest,
        _ => bytes,
    };
    match std::str::from_utf8(content) {
        Ok(text) if !text.contains('\0') => Value::Text(text.to_owned()),
        _ => bytes_value(bytes),
    }
}

fn stream_ids(widths: &[usize], cursor: &mut Cursor<'_>) -> Option<Value> {
    let mut ids = Vec::new();
    while !cursor.0.is_empty() {
        let numbers = widths.iter().map(|width| cursor.number(*width));
        let items = numbers.map(|number| Some(Item { name: None, value: Value::Number(number?.into()) }));
        ids.push(Value::Struct(items.collect::<Option<_>>()?));
    }
    Some(Value::List(ids))
}
