//! `[[link]]`: its settings beside those of its two directions.

use anabranch_base::setting::{Kind, Scope, Setting, put, shaped, shown};

/// The target is the flag `private`, of use only while copies are made: in a scenario that was read all copies exist.
pub(crate) static LINK: [Setting<bool>; 3] = [
    shaped("name", "a name", "one that no other link has"),
    Setting {
        key: "private",
        scope: Scope::Scenarios,
        kind: Kind::Boolean,
        doc: "copied with the path that names it",
        get: |is_private| shown(is_private),
        set: |is_private, value| put(is_private, value),
    },
    shaped("reverse", "a table of the keys below", "differences on the way back"),
];
