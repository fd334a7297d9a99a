//! `[[path]]`: links in a row.

use anabranch_base::setting::{Kind, Scope, Setting, put_some, shaped, shown_some};

/// The target is the number of copies, of use only while they are made: in a scenario that was read all copies exist.
pub(crate) static PATH: [Setting<Option<u64>>; 3] = [
    shaped("name", "a name", "one that no other path has"),
    shaped(
        "links",
        "a list of names",
        "links in order of the way there; one that two paths name is shared, with one queue",
    ),
    Setting {
        key: "copies",
        scope: Scope::Scenarios,
        kind: Kind::Whole { least: 1, most: MOST_COPIES as u64 },
        doc: "number of paths of this kind: `NAME-1`, `NAME-2`, …",
        get: |copies| shown_some(copies),
        set: |copies, value| put_some(copies, value),
    },
];

/// The most links, paths or flows that copies may make.
pub(crate) const MOST_COPIES: usize = 10_000;
