//! The policies that scenarios may name in this module: those of anabranch, and those that another module adds.

use std::sync::OnceLock;

use anabranch_planner::live;
use anabranch_scenario::Registry;

/// Set once, when the module is made: Python imports a module once.
static CHOSEN: OnceLock<Registry> = OnceLock::new();

/// The chosen policies; by default those of anabranch.
pub(crate) fn registry() -> Registry {
    CHOSEN.get_or_init(live::registry).clone()
}

/// Sets them. Later calls have no effect.
pub(crate) fn choose(registry: Registry) {
    let _ = CHOSEN.set(registry);
}
