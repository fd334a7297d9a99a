//! `[[path]]`: links in a row.

use anabranch_base::field;
use anabranch_base::setting::{Kind, Named, Scope, Setting, put_some, shaped, shown_some};
use anabranch_sctp::wire::PathRole;

/// The settings of a path besides its links.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PathOptions {
    /// The number of copies, of use only while they are made: in a scenario that was read all copies exist.
    pub copies: Option<u64>,
    /// The role in SCTP flows.
    pub role: PathRole,
}

pub(crate) static PATH: [Setting<PathOptions>; 4] = [
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
        get: |path| shown_some(&path.copies),
        set: |path, value| put_some(&mut path.copies, value),
    },
    field!(
        role,
        Scenarios,
        PathRole::KIND,
        "use by SCTP flows; `secondary`: new data only while their ordinary paths are full; `backup`: only while no other path works"
    ),
];

/// The most links, paths or flows that copies may make.
pub(crate) const MOST_COPIES: usize = 10_000;
