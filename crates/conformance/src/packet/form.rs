//! The forms of chunks, parameters and error causes. One table drives writing, reading and comparison.

mod causes;
mod chunks;
mod parameters;

/// The form of a chunk, a parameter or a cause.
#[derive(Debug)]
pub(super) struct Form {
    /// The name in a script.
    pub(super) name: &'static str,
    /// The type, or the code of a cause.
    pub(super) kind: u16,
    /// The letters of the flags of a chunk, the highest bit first.
    pub(super) letters: &'static [(char, u8)],
    /// The fields of fixed width after the header.
    pub(super) fields: &'static [Field],
    /// The content after the fields.
    pub(super) tail: Tail,
}

/// A number of fixed width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// The name in a script; empty for a reserved field.
    pub(super) name: &'static str,
    /// The width in bytes: 1, 2 or 4.
    pub(super) width: usize,
    /// The end that counts it.
    pub(super) numbering: Numbering,
}

/// The end that counts a number, relative to the sender of the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbering {
    /// Neither: the number is the same in the script and on the wire.
    Plain,
    /// A TSN, or a number that begins with one, of the sender.
    SenderTsn,
    /// A TSN, or a number that begins with one, of the receiver.
    ReceiverTsn,
    /// The tag that the sender chose.
    SenderTag,
}

/// The content of variable length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tail {
    /// None.
    Nothing,
    /// User data, which scripts only count.
    UserData,
    /// The payload protocol identifier of a first fragment or the number of a later one, then user data.
    PpidOrFsn,
    /// A list of bytes of this name.
    Bytes(&'static str),
    /// A text of this name.
    Text(&'static str),
    /// An IPv4 address.
    Ipv4(&'static str),
    /// An IPv6 address.
    Ipv6(&'static str),
    /// Nodes without a name.
    Nodes(Family),
    /// A list of nodes of this name.
    NodeList(&'static str, Family),
    /// One node of this name, which the other end sent.
    OneNode(&'static str, Family),
    /// The blocks of a SACK.
    Gaps,
    /// The blocks of an NR-SACK.
    NrGaps,
    /// Streams as numbers of these widths.
    StreamIds(&'static [usize]),
    /// A list of numbers of this name and this width.
    Numbers(&'static str, usize),
    /// A 32-bit count, then a list of 16-bit numbers of this name.
    Counted(&'static str),
    /// Fields that are all present or all absent.
    Optional(&'static [Field]),
}

/// A family of forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Chunks.
    Chunk,
    /// Parameters.
    Parameter,
    /// Error causes.
    Cause,
}

impl Family {
    /// The forms of the family. The first is the generic one.
    pub(super) fn forms(self) -> &'static [Form] {
        match self {
            Family::Chunk => chunks::FORMS,
            Family::Parameter => parameters::FORMS,
            Family::Cause => causes::FORMS,
        }
    }

    /// The form for types without another one.
    pub(super) fn generic(self) -> &'static Form {
        &self.forms()[0]
    }

    /// The form with the name `name`, the generic one included.
    pub(super) fn named(self, name: &str) -> Option<&'static Form> {
        self.forms().iter().find(|form| form.name == name)
    }

    /// The form of the type `kind`.
    pub(super) fn of_kind(self, kind: u16) -> Option<&'static Form> {
        self.forms()[1..].iter().find(|form| form.kind == kind)
    }

    /// The name of the type in the generic form.
    pub(super) fn kind_field(self) -> &'static str {
        match self {
            Family::Chunk | Family::Parameter => "type",
            Family::Cause => "code",
        }
    }
}

impl Form {
    /// Scripts name the length.
    pub(super) fn shows_length(&self) -> bool {
        matches!(self.tail, Tail::UserData | Tail::PpidOrFsn | Tail::Bytes(_))
    }

    /// Scripts name the type as a field.
    pub(super) fn names_its_kind(&self, family: Family) -> bool {
        self.name == family.generic().name || self.name == "RECONFIG_REQUEST_GENERIC"
    }

    /// A script may write the item `name`.
    pub(super) fn has_name(&self, family: Family, name: &str) -> bool {
        match name {
            "len" => true,
            "flgs" => family == Family::Chunk,
            "" => false,
            _ if self.fields.iter().any(|field| field.name == name) => true,
            _ if name == family.kind_field() && self.names_its_kind(family) => true,
            _ => self.tail.has_name(name),
        }
    }
}

impl Tail {
    /// The content has an item `name`.
    fn has_name(self, name: &str) -> bool {
        match self {
            Tail::Nothing | Tail::UserData | Tail::Nodes(_) => false,
            Tail::PpidOrFsn => matches!(name, "ppid" | "fsn"),
            Tail::Gaps => matches!(name, "gaps" | "dups"),
            Tail::NrGaps => matches!(name, "gaps" | "nr_gaps" | "dups"),
            Tail::StreamIds(_) => name == "ids",
            Tail::Optional(fields) => fields.iter().any(|field| field.name == name),
            Tail::Bytes(own)
            | Tail::Text(own)
            | Tail::Ipv4(own)
            | Tail::Ipv6(own)
            | Tail::NodeList(own, _)
            | Tail::OneNode(own, _)
            | Tail::Numbers(own, _)
            | Tail::Counted(own) => name == own,
        }
    }
}

/// A field that is the same in the script and on the wire.
pub(super) const fn plain(name: &'static str, width: usize) -> Field {
    Field { name, width, numbering: Numbering::Plain }
}

/// A 32-bit field that `numbering` counts.
const fn counted(name: &'static str, numbering: Numbering) -> Field {
    Field { name, width: 4, numbering }
}

/// A form without letters.
const fn form(name: &'static str, kind: u16, fields: &'static [Field], tail: Tail) -> Form {
    Form { name, kind, letters: &[], fields, tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_types_are_unique_in_a_family() {
        for family in [Family::Chunk, Family::Parameter, Family::Cause] {
            for (at, form) in family.forms().iter().enumerate() {
                assert_eq!(family.forms().iter().position(|other| other.name == form.name), Some(at));
                let same = family.forms()[1..].iter().position(|other| other.kind == form.kind);
                assert!(at == 0 || same == Some(at - 1), "{}", form.name);
            }
        }
    }

    #[test]
    fn widths_are_those_that_can_be_written() {
        for family in [Family::Chunk, Family::Parameter, Family::Cause] {
            for form in family.forms() {
                assert!(form.fields.iter().all(|field| [1, 2, 4].contains(&field.width)), "{}", form.name);
            }
        }
    }
}
